"""What ``assay.toml`` may say: its sections and their keys, with types and defaults.

Settings of the label model and of the end model are taken from these themselves, so that a new one is at once a key of
``[model]`` or ``[endmodel]``. Types are checked by pydantic; what is wrong is said in the words of the file.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, make_dataclass, replace
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError, create_model
from pydantic.dataclasses import dataclass

from assay._core.rows import BATCH_SIZE
from assay.endmodel import NetworkSettings
from assay.errors import ProjectError, near_miss
from assay.model import LabelModel

_NO_OTHER_KEYS = ConfigDict(extra="forbid")
_WORDS = {
    "a valid array": "a list",
    "a valid integer": "an integer",
    "a valid ": "a ",
    "greater than 0": "positive",
    ", unable to parse string as a number": "",
}
"""What pydantic says, and what a writer of TOML says."""
_FOR_BARE_MATRICES = ("cardinality",)
"""Settings of the label model that a project has no use for: its tasks say it."""

Share = Annotated[float, Field(ge=0, lt=1)]
Assignment = tuple[str, str]
"""A task and one of its labels."""
Assignments = Annotated[tuple[Assignment, ...], Field(min_length=2)]
Place = tuple[str | int, ...]
"""Keys and numbers that lead to a value in the file."""


@dataclass(frozen=True, kw_only=True, config=_NO_OTHER_KEYS)
class Settings:
    """How the pipeline runs: the ``[settings]`` of a project."""

    on_error: Literal["raise", "abstain"] = "raise"
    """What to do when a source fails on a row."""
    workers: PositiveInt = 1
    """How many processes apply the sources."""
    batch_size: PositiveInt = BATCH_SIZE
    """How many rows are worked on at a time."""


def _settings_of(estimator: type, name: str, without: Sequence[str]) -> type[Any]:
    """A dataclass of the settings that an estimator's signature has, with their types and defaults."""
    taken = [one for one in inspect.signature(estimator, eval_str=True).parameters.values() if one.name not in without]
    columns = [(one.name, _in_toml(one.annotation), one.default) for one in taken]
    made = make_dataclass(name, columns, frozen=True, kw_only=True)
    return dataclass(made, frozen=True, kw_only=True, config=_NO_OTHER_KEYS)


def _in_toml(annotation: Any) -> Any:
    """A type as it is read from a file: what a user may give as anything iterable is a list there, kept as a tuple."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Iterable, Sequence):
        return tuple.__class_getitem__((_in_toml(parts[0]), ...))
    if origin in (Union, UnionType):
        return reduce(or_, map(_in_toml, parts))
    return annotation


ModelSettings = _settings_of(LabelModel, "ModelSettings", _FOR_BARE_MATRICES)
"""The ``[model]`` of a project: the settings of :class:`assay.LabelModel`."""


@dataclass(frozen=True, kw_only=True, config=_NO_OTHER_KEYS)
class EndModelSettings(NetworkSettings):
    """The ``[endmodel]`` of a project: what to read, which labels to train on, and settings of the end model."""

    encoder: Literal["ngrams", "lstm", "features"] = "ngrams"
    """How items are read."""
    columns: tuple[str, ...] = ("text",)
    """The column of texts, or the columns of features."""
    held_out: Share = 0.2
    """The share of items that are never trained on, to score with; none where there is no gold."""
    voted_only: bool = True
    """Whether items that no source voted on are left out."""
    min_confidence: float = 0.0
    """Items whose most probable outcome is less probable than this are left out."""
    rebalance: Literal["none", "median", "min"] = "none"
    """Whether items of frequent outcomes are left out."""
    temperature: float = 1.0
    """Above 1 labels become less confident, below 1 more confident."""
    hard: bool = False
    """Whether labels are replaced by their most probable outcome."""

    @property
    def network(self) -> dict[str, Any]:
        """The settings of the end model itself, by name."""
        return {field.name: getattr(self, field.name) for field in fields(NetworkSettings)}


class _Section(BaseModel):
    """A part of the file that is only read to make a project from it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DataSection(_Section):
    """``[data]``."""

    path: str
    id: str | None = None
    show: tuple[str, ...] = ()


class GoldSection(_Section):
    """``[gold]``."""

    path: str


class HandLabelsSection(_Section):
    """``[hand_labels]``."""

    path: str | Annotated[tuple[str, ...], Field(min_length=1)] = "hand_labels.jsonl"

    @property
    def paths(self) -> tuple[str, ...]:
        """One file, or several."""
        return (self.path,) if isinstance(self.path, str) else self.path


class DevSection(_Section):
    """``[dev]``."""

    path: str
    gold: str


class TaskEntry(_Section):
    """One of ``[[tasks]]``."""

    name: str
    labels: tuple[str, ...]
    parent: Assignment | tuple[Assignment, ...] | None = None
    multiple: bool = False


class ConstraintEntry(_Section):
    """One of ``[[constraints]]``."""

    implies: Assignments | None = None
    excludes: Assignments | None = None
    at_most: int | None = None
    of: str | tuple[Assignment | str, ...] | None = None


class SourcesSection(_Section):
    """``[sources]``."""

    modules: Annotated[tuple[str, ...], Field(min_length=1)]


class OutputSection(_Section):
    """``[output]``."""

    folder: str = "out"


class _File(_Section):
    """The whole file; what is beyond the type checker is added below."""

    data: DataSection
    tasks: Annotated[tuple[TaskEntry, ...], Field(min_length=1)]
    sources: SourcesSection
    gold: GoldSection | None = None
    hand_labels: HandLabelsSection = HandLabelsSection()
    dev: DevSection | None = None
    constraints: tuple[ConstraintEntry, ...] = ()
    feasible: tuple[dict[str, str], ...] | None = None
    settings: Settings = Settings()
    model: Any
    endmodel: EndModelSettings = EndModelSettings()
    output: OutputSection = OutputSection()


AssayToml = create_model("AssayToml", __base__=_File, model=(ModelSettings, ModelSettings()))
"""What the whole file says, with ``[model]`` as the label model has it."""


def checked(said: Mapping[str, Any]) -> _File:
    """What a file says, if all of it can be understood; else an error that names every place that cannot.

    >>> checked({"data": {"path": "a.csv"}, "sources": {"modules": ["s.py"]}, "tasks": [{"name": "t"}], "modl": {}})
    Traceback (most recent call last):
    assay.errors.ProjectError: the file has the unknown key 'modl'. Did you mean 'model'?
    [[tasks]] number 1 needs labels = [...], but it is missing
    """
    try:
        # By the rules of JSON a list may stand for a tuple; nothing else is converted, no "3" to 3.
        return AssayToml.model_validate_json(json.dumps(said, default=str), strict=True)
    except ValidationError as error:
        raise ProjectError("\n".join(_complaints(error, said))) from None


def changed(settings: Any, changes: Mapping[str, Any]) -> Any:
    """Settings of one section with others in place of some.

    >>> changed(Settings(), {"workers": 3}).workers
    3
    >>> changed(Settings(), {"on_error": "ignore"})
    Traceback (most recent call last):
    assay.errors.ProjectError: on_error must be 'raise' or 'abstain', but is 'ignore'
    """
    try:
        return replace(settings, **changes)
    except ValidationError as error:
        faults: dict[str, list[Any]] = {}
        for fault in error.errors(include_url=False):
            faults.setdefault(str(fault["loc"][0]), []).append(fault)
        raise ProjectError("\n".join(_wrong_value(name, found) for name, found in faults.items())) from None


def _complaints(error: ValidationError, said: Mapping[str, Any]) -> list[str]:
    """What is wrong, a line for each place in the file."""
    faults: dict[Place, list[Any]] = {}
    for fault in error.errors(include_url=False):
        faults.setdefault(_place(fault, said), []).append(fault)
    # Of the ways in which a value might have been meant, the one that fits furthest counts.
    deepest = [place for place in faults if not any(other[: len(place)] == place != other for other in faults)]
    # What is misspelt is often why something is missing.
    deepest.sort(key=lambda place: faults[place][0]["type"] == "missing")
    return [_complaint(place, faults[place]) for place in deepest]


def _place(fault: Any, said: Any) -> Place:
    found: list[str | int] = []
    for step in fault["loc"]:
        within = step in said if isinstance(said, Mapping) else isinstance(said, list) and step in range(len(said))
        if within:
            said = said[step]
            found.append(step)
        # Other steps are names of types, where a value may be of several.
    return (*found, fault["loc"][-1]) if fault["type"] == "missing" else tuple(found)


def _complaint(place: Place, faults: Sequence[Any]) -> str:
    kind, value = faults[0]["type"], faults[0]["input"]
    above, key = place[:-1], place[-1]
    if place == ("tasks",) and kind in ("missing", "too_short"):
        return 'there are no tasks: add [[tasks]] with name = "..." and labels = ["...", "..."]'
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{_where(above)} has the unknown key {key!r}. {near_miss(key, _keys(above))}"
    if kind == "missing" and isinstance(key, int):
        return f"{_where(above)} must have {key + 1} entries, but is {value!r}"
    if kind == "missing" and not above:
        return f"the section [{key}] is missing; it holds {', '.join(_keys(place))}"
    if kind == "missing":
        example = "[...]" if get_origin(_keys(above)[str(key)]) is tuple else '"..."'
        return f"{_where(above)} needs {key} = {example}, but it is missing"
    if kind == "too_short":
        fewest = faults[0]["ctx"]["min_length"]
        return f"{_where(place)} needs {fewest} {'entry' if fewest == 1 else 'entries'} or more, but is {value!r}"
    if kind in ("dataclass_type", "model_type"):
        return f"{_where(place)} must be a section, but is {value!r}"
    return _wrong_value(_where(place), faults)


def _wrong_value(where: str, faults: Sequence[Any]) -> str:
    """What a value of the wrong type should have been."""
    expected = " or ".join(dict.fromkeys(_plainly(fault["msg"]) for fault in faults))
    return f"{where} must be {expected}, but is {faults[0]['input']!r}"


def _plainly(message: str) -> str:
    """What pydantic expected, in plain words.

    >>> _plainly("Input should be a valid array"), _plainly("Input should be a valid integer")
    ('a list', 'an integer')
    """
    expected = message.removeprefix("Input should be ")
    for theirs, ours in _WORDS.items():
        expected = expected.replace(theirs, ours)
    return expected


def _where(place: Place) -> str:
    """A place in the file, as its writer knows it.

    >>> _where(("tasks", 1, "labels", 0)), _where(("model", "beliefs", "kb"))
    ('[[tasks]] number 2, labels, entry 1', '[model] beliefs, kb')
    """
    match place:
        case ():
            return "the file"
        case (section, int(at), *rest):
            start = [f"[[{section}]] number {at + 1}"]
        case (section, key, *rest):
            start = [f"[{section}] {key}"]
        case (section, *rest):
            start = [f"[{section}]"]
    return ", ".join([*start, *(f"entry {step + 1}" if isinstance(step, int) else str(step) for step in rest)])


def _keys(place: Place) -> dict[str, Any]:
    """The keys that a part of the file may have, with their types."""
    part: Any = AssayToml
    if place:
        declared = AssayToml.model_fields[str(place[0])].annotation
        part = next(kind for kind in (*get_args(declared), declared) if hasattr(kind, "__pydantic_fields__"))
    return {name: one.annotation for name, one in inspect.signature(part).parameters.items()}
