"""Settings by name, as scikit-learn has them."""

from __future__ import annotations

import inspect
from typing import Any, Self

from assay.errors import AssayError, near_miss


class WithSettings:
    """An estimator whose settings are the arguments of its ``__init__``, each kept under its name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **settings: Any) -> Self:
        """Change settings, by name."""
        known = self.get_params()
        for name, value in settings.items():
            if name not in known:
                raise AssayError(f"{type(self).__name__} has no setting {name!r}. {near_miss(name, known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: given.default for name, given in inspect.signature(type(self)).parameters.items()}
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if name != "tasks" and repr(value) != repr(defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"
