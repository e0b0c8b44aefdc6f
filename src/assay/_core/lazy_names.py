"""Names and modules of a package that are loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    namespace: MutableMapping[str, Any],
    homes: Mapping[str, Sequence[str]],
    modules: Sequence[str] = (),
    instead: Mapping[str, str] | None = None,
) -> Callable[[str], Any]:
    """A module's ``__getattr__`` that gives names from the modules which hold them.

    Parameters
    ----------
    namespace
        The ``globals()`` of the package; a name is kept there once it was loaded.
    homes
        Module -> the names that it holds.
    modules
        Modules of the package that can be named without an import of their own, as in ``assay.engine.Dask``.
    instead
        Names of other libraries -> what to use in their place.
    """
    package = namespace["__name__"]
    home_of = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            hint = f"; {instead[name]}" if instead and name in instead else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        value = getattr(import_module(home_of[name]), name)
        namespace[name] = value
        return value

    return load
