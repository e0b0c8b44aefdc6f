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

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, ValidationError, create_model
from pydantic.dataclasses import dataclass

from assay._core.batch_size import BATCH_SIZE
from assay.endmodel import NetworkSettings
from assay.engine import WAIT, EngineName
from assay.errors import ProjectError
from assay.model import ModelSettings as LabelModelSettings
from assay.project.file_faults import Place, complaints, wrong_value

_NO_OTHER_KEYS = ConfigDict(extra="forbid")
_FOR_BARE_MATRICES = ("cardinality",)
"""Settings of the label model that a project has no use for: its tasks say it."""

Share = Annotated[float, Field(ge=0, lt=1)]
Assignment = tuple[str, str]
"""A task and one of its labels."""
Assignments = Annotated[tuple[Assignment, ...], Field(min_length=2)]


@dataclass(frozen=True, kw_only=True, config=_NO_OTHER_KEYS)
class Settings:
    """How the pipeline runs: the ``[settings]`` of a project."""

    on_error: Literal["raise", "abstain"] = "raise"
    """What to do when a source fails on a row."""
    workers: PositiveInt | Literal["auto"] = "auto"
    """How many processes apply the sources; "auto": one, or as many as there are cores if that pays."""
    batch_size: PositiveInt = BATCH_SIZE
    """How many rows are worked on at a time."""
    cache: bool = True
    """Whether votes are kept for the next time, so that only sources that changed are applied again."""
    cache_megabytes: NonNegativeInt = 1_000
    """How much is kept of the votes of sources that are no longer applied."""
    keep_runs: NonNegativeInt = 10
    """How many runs are kept, with their votes, model and labels."""


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


ModelSettings = _settings_of(LabelModelSettings, "ModelSettings", _FOR_BARE_MATRICES)
"""The ``[model]`` of a project: the settings of :class:`assay.LabelModel`."""


@dataclass(frozen=True, kw_only=True, config=_NO_OTHER_KEYS)
class EndModelSettings(NetworkSettings):
    """The ``[endmodel]`` of a project: what to read, which labels to train on, and settings of the end model."""

    encoder: Literal["ngrams", "lstm", "features", "embeddings"] = "ngrams"
    """How items are read."""
    embeddings: str | None = None
    """A function from texts to vectors, as "module:function", whose vectors stand beside n-grams, or alone."""
    embedding_weight: Annotated[float, Field(gt=0)] = 2.0
    """The length of embeddings beside n-grams."""
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


class TestSection(DevSection):
    """``[test]``."""


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

    modules: tuple[str, ...] = ()
    file: str | None = None


class PriceEntry(_Section):
    """One of ``[prompts.prices]``: what a million tokens of a model cost."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]


class PromptsSection(_Section):
    """``[prompts]``: how prompts are asked, as in :class:`assay.PromptSettings`."""

    base_url: str | None = None
    model: str | None = None
    key: str | None = None
    cache: str = "answers.sqlite"
    where: Literal["all", "unsure"] = "all"
    share: Annotated[float, Field(gt=0, le=1)] = 0.2
    budget: Annotated[float, Field(gt=0)] | None = None
    prices: dict[str, PriceEntry] = {}
    concurrency: PositiveInt = 8
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    timeout: Annotated[float, Field(gt=0)] = 60.0
    retries: Annotated[int, Field(ge=0)] = 6
    first_pause: Annotated[float, Field(gt=0)] = 0.5


class EngineSection(_Section):
    """``[engine]``, or the kind alone: ``engine = "dask"``."""

    kind: EngineName = "local"
    address: str | None = None
    options: dict[str, Any] = {}
    wait: Annotated[float, Field(gt=0)] = WAIT


class RefineSection(_Section):
    """``[refine]``: labels from votes and data together, by the end model of ``[endmodel]``."""

    enabled: bool = False
    rounds: PositiveInt = 2
    folds: Annotated[int, Field(ge=2)] = 2
    seed: Annotated[int, Field(ge=0)] = 0


class OutputSection(_Section):
    """``[output]``."""

    folder: str = "out"


class _File(_Section):
    """The whole file; what is beyond the type checker is added below."""

    data: DataSection
    tasks: Annotated[tuple[TaskEntry, ...], Field(min_length=1)]
    sources: SourcesSection = SourcesSection()
    gold: GoldSection | None = None
    hand_labels: HandLabelsSection = HandLabelsSection()
    dev: DevSection | None = None
    test: TestSection | None = None
    constraints: tuple[ConstraintEntry, ...] = ()
    feasible: tuple[dict[str, str], ...] | None = None
    settings: Settings = Settings()
    model: Any
    endmodel: EndModelSettings = EndModelSettings()
    refine: RefineSection = RefineSection()
    prompts: PromptsSection = PromptsSection()
    output: OutputSection = OutputSection()
    engine: EngineSection | EngineName = EngineSection()


AssayToml = create_model("AssayToml", __base__=_File, model=(ModelSettings, ModelSettings()))
"""What the whole file says, with ``[model]`` as the label model has it."""


def checked(said: Mapping[str, Any]) -> _File:
    """What a file says, if all of it can be understood; else an error that names every place that cannot.

    >>> checked({"data": {"path": "a.csv"}, "sources": {"modules": ["s.py"]}, "tasks": [{"name": "t"}], "modl": {}})
    Traceback (most recent call last):
    assay.errors.ProjectError: the file has the unknown key 'modl'. Did you mean 'model'?
    [[tasks]] number 1 needs labels = [...], but it is missing
    """
    for name in ("tasks", "constraints", "feasible"):
        if isinstance(said.get(name), dict):
            raise ProjectError(f"[{name}] is a list of sections: write [[{name}]], with two brackets, before each")
    try:
        # By the rules of JSON a list may stand for a tuple; nothing else is converted, no "3" to 3.
        return AssayToml.model_validate_json(json.dumps(said, default=str), strict=True)
    except ValidationError as error:
        raise ProjectError("\n".join(complaints(error, said, _keys, special=_about_tasks))) from None


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
        raise ProjectError("\n".join(wrong_value(name, found) for name, found in faults.items())) from None


def _about_tasks(place: Place, kind: str) -> str | None:
    if place == ("tasks",) and kind in ("missing", "too_short"):
        return 'there are no tasks: add [[tasks]] with name = "..." and labels = ["...", "..."]'
    return None


def _keys(place: Place) -> dict[str, Any]:
    """The keys that a part of the file may have, with their types."""
    part: Any = AssayToml
    if place:
        declared = AssayToml.model_fields[str(place[0])].annotation
        part = next(kind for kind in (*get_args(declared), declared) if hasattr(kind, "__pydantic_fields__"))
    return {name: one.annotation for name, one in inspect.signature(part).parameters.items()}
