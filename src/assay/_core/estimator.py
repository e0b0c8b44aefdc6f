"""What every estimator is: settings under their names, one value that holds all it learned, and verbs over outcomes.

The habits are scikit-learn's, so that ``clone``, ``Pipeline`` and ``GridSearchCV`` work; scikit-learn itself is not
needed, and not loaded.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError, NotFittedError, near_miss

if TYPE_CHECKING:
    from assay.labels import Labels
    from assay.tasks import TaskGraph

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class KnowsItsTasks(Protocol):
    """What an estimator has learned: whatever else it holds, it knows what the labels are."""

    @property
    def tasks(self) -> TaskGraph:
        """The task graph of the labels."""


FittedT = TypeVar("FittedT", bound=KnowsItsTasks)


class _LearnedAttribute:
    """Stands in for an attribute that only ``fit`` sets, and says so to whoever asks before."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, estimator: Estimator[Any] | None, owner: type) -> Any:
        if estimator is None:
            return self
        estimator._require_fitted(self._name)
        raise AttributeError(f"this {owner.__name__} has no {self._name}", name=self._name, obj=estimator)


class _FromFitted:
    """An attribute that what was learned has under the same name, without the underscore."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, estimator: Estimator[Any] | None, owner: type) -> Any:
        if estimator is None:
            return self
        estimator._require_fitted(self._name)
        return getattr(estimator._fitted, self._name.removesuffix("_"))


def from_fitted() -> Any:
    """Declares a learned attribute: ``notes_: list[str] = from_fitted()`` is the fitted value's ``notes``."""
    return _FromFitted()


class Estimator(ABC, Generic[FittedT]):
    """Base of all that learns. A subclass keeps each argument of its ``__init__`` under its name.

    ``fit`` puts all that it learned into ``_fitted``, so that fitting again forgets what was learned before. Attributes
    that end in an underscore and are annotated in the class raise :class:`assay.NotFittedError` before that.

    Examples
    --------
    >>> from assay import MajorityVote
    >>> model = MajorityVote(cardinality=3)
    >>> model.get_params()
    {'cardinality': 3}
    >>> model.predict([[0, 2]])
    Traceback (most recent call last):
    assay.errors.NotFittedError: this MajorityVote is not fitted yet; call fit(votes) first
    >>> model.fit([[0, 2, 2]]).predict([[0, 0, 2], [-1, 1, 1]])
    array([0, 1])
    """

    _fitted: FittedT

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in inspect.get_annotations(cls):
            if name.endswith("_") and not name.startswith("_") and name not in vars(cls):
                setattr(cls, name, _LearnedAttribute(name))

    # Settings

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, by name; with ``deep``, those of estimators within too, as ``estimator__C``."""
        own = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        if not deep:
            return own
        within = {
            f"{name}__{setting}": inner
            for name, value in own.items()
            if hasattr(value, "get_params") and not isinstance(value, type)
            for setting, inner in value.get_params(deep=True).items()
        }
        return own | within

    def set_params(self, **settings: Any) -> Self:
        """Change settings, by name; those of an estimator within as ``estimator__C=10``."""
        own = self.get_params(deep=False)
        changed: dict[str, Any] = {}
        within: dict[str, dict[str, Any]] = {}
        for name, value in settings.items():
            outer, nested, inner = name.partition("__")
            if outer not in own:
                raise self._no_setting(name, own)
            if nested:
                within.setdefault(outer, {})[inner] = value
            else:
                changed[name] = value
        # Before anything changes, so that a wrong name leaves everything as it was.
        for outer, inners in within.items():
            known = _settings_within(outer, (own | changed)[outer])
            for inner in inners:
                if f"{outer}__{inner}" not in known:
                    raise self._no_setting(f"{outer}__{inner}", known)
        for name, value in changed.items():
            setattr(self, name, value)
        for outer, inners in within.items():
            getattr(self, outer).set_params(**inners)
        return self

    def _no_setting(self, name: str, known: Mapping[str, Any]) -> AssayError:
        return AssayError(f"{type(self).__name__} has no setting {name!r}. {near_miss(name, known)}")

    def __repr__(self) -> str:
        defaults = {name: given.default for name, given in inspect.signature(type(self)).parameters.items()}
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if name != "tasks" and repr(value) != repr(defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    # Fitted or not

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in vars(self)

    def _require_fitted(self, attribute: str | None = None) -> None:
        """Raise :class:`assay.NotFittedError` before :meth:`fit`; ``attribute`` is what was asked for, if anything."""
        if self.__sklearn_is_fitted__():
            return
        takes = [
            name
            for name, given in inspect.signature(type(self).fit).parameters.items()
            if given.default is inspect.Parameter.empty and name != "self"
        ]
        lacks = "" if attribute is None else f", so it has no {attribute}"
        raise NotFittedError(f"this {type(self).__name__} is not fitted yet{lacks}; call fit({', '.join(takes)}) first")

    @property
    def _known(self) -> FittedT:
        """All that was learned."""
        self._require_fitted()
        return self._fitted

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of an estimator before it uses it; nobody else calls this."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            classifier_tags=ClassifierTags(),
            target_tags=TargetTags(required=False, multi_output=True),
            input_tags=InputTags(sparse=True, string=True),
        )

    # Verbs

    @abstractmethod
    def fit(self, *args: Any, **kwargs: Any) -> Self:
        """Learn, from what each estimator says itself; returns the estimator."""

    @abstractmethod
    def label(self, data: Any, /) -> Labels:
        """Labels for every item, with names; they never contradict the task graph."""

    @abstractmethod
    def score(self, data: Any, gold: Any, /) -> float:
        """The share of outcomes that are right; gold has any of the shapes that :func:`assay.evaluate` takes."""

    def predict_proba(self, data: Any) -> FloatArray | list[FloatArray]:
        """(items, outcomes): P(outcome | item); a list of those, one a component, if there are several."""
        return one_or_list(self.label(data).joint)

    def predict(self, data: Any) -> IntArray:
        """(items,): the number of the most probable outcome; (items, components) if there are several components.

        For names, see :meth:`label`.
        """
        chosen = [part.argmax(axis=1) for part in self.label(data).joint]
        return chosen[0] if len(chosen) == 1 else np.column_stack(chosen)

    @property
    def tasks_(self) -> TaskGraph:
        """The task graph of the labels that were learned."""
        self._require_fitted("tasks_")
        return self._fitted.tasks

    @property
    def classes_(self) -> IntArray | list[IntArray]:
        """(outcomes,): the outcome numbers, which scikit-learn's scorers ask for; a list for several components."""
        self._require_fitted("classes_")
        numbers = [np.arange(len(part)) for part in self._fitted.tasks.label_space.components]
        return numbers[0] if len(numbers) == 1 else numbers


def one_or_list(parts: Sequence[FloatArray]) -> FloatArray | list[FloatArray]:
    """What there is one of for each component: itself if there is one component, else a list."""
    return parts[0] if len(parts) == 1 else list(parts)


def _settings_within(outer: str, value: Any) -> dict[str, Any]:
    """The names under which settings of an estimator within can be set; none of anything else."""
    if not hasattr(value, "get_params") or not hasattr(value, "set_params"):
        return {}
    return {f"{outer}__{name}": inner for name, inner in value.get_params(deep=True).items()}
