"""Settings of the label model: checked, and translated to one component."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from assay._core.arguments import several, whole_number
from assay._core.foreign_settings import explains_foreign
from assay.counts import Dependency
from assay.errors import AssayError, listing
from assay.model.estimate.balance_belief import BalanceBelief, BalanceOf, BalanceStrength
from assay.model.estimate.knowledge import Belief, Knowledge
from assay.model.estimate.methods import METHODS, MOMENTS, EMSettings, Method
from assay.model.known_balance import balance_beliefs
from assay.tasks import TaskGraph
from assay.votes import Schema

if TYPE_CHECKING:
    from assay.counts import Layout

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class ModelSettings:
    """The names, types and defaults of the settings that :class:`assay.LabelModel` documents."""

    method: Method = "auto"
    class_balance: Any = None
    balance_strength: BalanceStrength = None
    balance_of: BalanceOf = "all"
    dependencies: Iterable[Dependency] | Literal["auto", "learn"] = "auto"
    adversarial: Sequence[str | int] = ()
    beliefs: Mapping[str | int, float | tuple[float, float]] | None = None
    abstentions: Literal["informative", "ignored"] = "informative"
    accuracies: Literal["global", "local"] = "global"
    asked_later: Sequence[str | int] = ()
    cardinality: int | None = None
    allow_unidentifiable: bool = False
    max_steps: int = EMSettings.max_steps
    seed: int = 0


setattr(ModelSettings, "__init__", explains_foreign(ModelSettings.__init__))  # noqa: B010  which the dataclass made

_CHOICES = {
    "method": METHODS,
    "balance_of": get_args(BalanceOf),
    "abstentions": ("informative", "ignored"),
    "accuracies": ("global", "local"),
}


def check_settings(model: ModelSettings, *, has_gold: bool, tasks: TaskGraph | None = None) -> None:
    """Raise if a setting is invalid, or incompatible with the others, or with the tasks if these are known yet."""
    for name, known in _CHOICES.items():
        if getattr(model, name) not in known:
            raise AssayError(f"{name} must be one of {listing(known)}, but is {getattr(model, name)!r}")
    if isinstance(model.dependencies, str) and model.dependencies not in ("auto", "learn"):
        raise AssayError(
            f"dependencies must be pairs or groups of sources, 'auto' or 'learn', but is {model.dependencies!r}"
        )
    for name, least in (("max_steps", 1), ("seed", 0)):
        whole_number(name, getattr(model, name), least=least)
    several("adversarial", model.adversarial, "sources")
    several("asked_later", model.asked_later, "sources")
    if not isinstance(model.dependencies, str | Iterable):
        raise AssayError(f"dependencies must be pairs or groups of sources, but is {model.dependencies!r}")
    if model.beliefs is not None and not isinstance(model.beliefs, Mapping):
        raise AssayError(f"beliefs must be a dict of source -> accuracy, but is {model.beliefs!r}")
    _check_strength(model.balance_strength)
    for name in ("balance_strength", "balance_of"):
        if model.class_balance is None and getattr(model, name) != getattr(ModelSettings, name):
            raise AssayError(f"{name} is about class_balance, which is not given; give it, or leave {name} out")
    for name, given in (("gold", has_gold), ("beliefs", bool(model.beliefs))):
        if given and model.method in MOMENTS:
            raise AssayError(f"method={model.method!r} does not use {name}; choose another method, or leave it out")
    if tasks is not None:
        balance_beliefs(model.class_balance, tasks)


def _check_strength(given: Any) -> None:
    in_words = given is None or (isinstance(given, str) and given == "exact")
    in_items = isinstance(given, Real) and not isinstance(given, bool) and 0 < float(given) < np.inf
    if not (in_words or in_items):
        raise AssayError(f"balance_strength must be a positive number of items, 'exact' or None, but is {given!r}")


def balances_for(model: ModelSettings, tasks: TaskGraph) -> list[BalanceBelief | None]:
    """Per component what the settings say of its class balance, if anything."""
    return balance_beliefs(model.class_balance, tasks, strength=model.balance_strength, of=model.balance_of)


def knowledge_for(
    model: ModelSettings,
    schema: Schema,
    component: int,
    layout: Layout,
    balances: Sequence[BalanceBelief | None] | None = None,
) -> Knowledge:
    """The prior knowledge in the settings about one component and its sources.

    ``balances`` are :func:`balances_for` all components, for whoever asks about many of them.
    """
    place = {int(source): at for at, source in enumerate(layout.sources)}
    signs = np.ones(len(place))
    for name in model.adversarial:
        if (source := schema.position(name)) in place:
            signs[place[source]] = -1
    return Knowledge(
        signs=signs,
        balance=(balances_for(model, schema.tasks) if balances is None else balances)[component],
        beliefs={
            place[source]: _belief(belief)
            for name, belief in (model.beliefs or {}).items()
            if (source := schema.position(name)) in place
        },
        applies=_applies(schema, component, layout) if model.accuracies == "local" else None,
        ignore_abstentions=model.abstentions == "ignored",
        names_labels=schema.tasks.asks_of_labels(component),
    )


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
