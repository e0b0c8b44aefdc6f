"""Settings of the label model: checked, and translated to one component."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay.counts import Dependency, Layout
from assay.errors import AssayError, listing
from assay.model.estimate.em import EMSettings
from assay.model.estimate.fit import METHODS, Method
from assay.model.estimate.knowledge import Belief, Knowledge
from assay.tasks import TaskGraph
from assay.votes import Schema

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class ModelSettings:
    """The names, types and defaults of the settings that :class:`assay.LabelModel` documents."""

    method: Method = "auto"
    class_balance: Any = None
    dependencies: Iterable[Dependency] | Literal["auto", "learn"] = "auto"
    adversarial: Sequence[str | int] = ()
    beliefs: Mapping[str | int, float | tuple[float, float]] | None = None
    abstentions: Literal["informative", "ignored"] = "informative"
    accuracies: Literal["global", "local"] = "global"
    cardinality: int | None = None
    allow_unidentifiable: bool = False
    max_steps: int = EMSettings.max_steps
    seed: int = 0


_CHOICES = {
    "method": METHODS,
    "abstentions": ("informative", "ignored"),
    "accuracies": ("global", "local"),
}
MOMENTS = ("completion", "covariance")
"""Methods that use only moments of the votes."""


def check_settings(model: ModelSettings, *, has_gold: bool) -> None:
    """Raise if a setting is invalid, or incompatible with the others."""
    for name, known in _CHOICES.items():
        if getattr(model, name) not in known:
            raise AssayError(f"{name} must be one of {listing(known)}, but is {getattr(model, name)!r}")
    if isinstance(model.dependencies, str) and model.dependencies not in ("auto", "learn"):
        raise AssayError(
            f"dependencies must be pairs or groups of sources, 'auto' or 'learn', but is {model.dependencies!r}"
        )
    for name, least, wanted in (("max_steps", 1, "a positive integer"), ("seed", 0, "a non-negative integer")):
        number = getattr(model, name)
        if not isinstance(number, Integral) or isinstance(number, bool) or int(number) < least:
            raise AssayError(f"{name} must be {wanted}, but is {number!r}")
    for name, given in (("gold", has_gold), ("beliefs", bool(model.beliefs))):
        if given and model.method in MOMENTS:
            raise AssayError(f"method={model.method!r} does not use {name}; choose another method, or leave it out")


def knowledge_for(model: ModelSettings, schema: Schema, component: int, layout: Layout) -> Knowledge:
    """The prior knowledge in the settings about one component and its sources."""
    place = {int(source): at for at, source in enumerate(layout.sources)}
    signs = np.ones(len(place))
    for name in model.adversarial:
        if (source := schema.position(name)) in place:
            signs[place[source]] = -1
    return Knowledge(
        signs=signs,
        balance=balances_of(model.class_balance, schema.tasks)[component],
        beliefs={
            place[source]: _belief(belief)
            for name, belief in (model.beliefs or {}).items()
            if (source := schema.position(name)) in place
        },
        applies=_applies(schema, component, layout) if model.accuracies == "local" else None,
        ignore_abstentions=model.abstentions == "ignored",
    )


def balances_of(class_balance: Any, tasks: TaskGraph) -> list[FloatArray | None]:
    """Per component the given class balance, if any."""
    components = tasks.label_space.components
    if class_balance is None:
        return [None] * len(components)
    given = [class_balance] if len(components) == 1 else class_balance
    if not isinstance(given, Iterable) or len(given := list(given)) != len(components):
        raise AssayError(f"class_balance must have one entry for each of the {len(components)} components")
    return [_balance(balance, len(part)) for balance, part in zip(given, components, strict=True)]


def _balance(given: Any, outcomes: int) -> FloatArray:
    try:
        balance = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise AssayError(f"class_balance must be {outcomes} probabilities, but is {given!r}") from error
    if balance.shape != (outcomes,):
        raise AssayError(
            f"class_balance must have {outcomes} probabilities, one per outcome, but its shape is {balance.shape}"
        )
    if not np.isfinite(balance).all() or (balance <= 0).any() or abs(balance.sum() - 1) > 1e-6:
        raise AssayError(f"class_balance must be positive and sum to one, but is {balance.tolist()}")
    normal: FloatArray = balance / balance.sum()
    return normal


def _belief(given: float | tuple[float, float]) -> Belief:
    try:
        accuracy, strength = given if isinstance(given, tuple | list) else (given, Belief.strength)
        valid = 0 < accuracy < 1 and 0 <= strength < np.inf
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise AssayError(
            f"a belief must be an accuracy between 0 and 1, or a pair (accuracy, votes), but got {given!r}"
        )
    return Belief(accuracy=accuracy, strength=strength)


def _applies(schema: Schema, component: int, layout: Layout) -> tuple[BoolArray, ...]:
    """Per source the outcomes to which one of its tasks applies."""
    part = schema.label_space.components[component]
    return tuple(
        np.any([part.label_of(task) >= 0 for task in schema.tasks_of(int(source)) if task in part.tasks], axis=0)
        for source in layout.sources
    )


def plain(value: Any) -> Any:
    """A setting as plain JSON types."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(entry) for entry in value]
    return value
