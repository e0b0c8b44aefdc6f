"""A project folder: ``assay.toml`` names the data, the task graph, the sources and the settings."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from assay._core.rows import BATCH_SIZE, as_polars, row_count
from assay.errors import AssayError, ProjectError, listing, near_miss
from assay.sources import Source, flatten
from assay.tasks import Constraint, Task, TaskGraph, excludes, implies

FILE = "assay.toml"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the pipeline runs: the ``[settings]`` of a project."""

    on_error: Literal["raise", "abstain"] = "raise"
    """What to do when a source fails on a row."""
    workers: int = 1
    """How many processes apply the sources."""
    batch_size: int = BATCH_SIZE
    """How many rows are worked on at a time."""


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """The ``[model]`` of a project: settings of :class:`assay.LabelModel`."""

    method: Literal["auto", "robust", "em", "completion", "covariance"] = "auto"
    dependencies: tuple[tuple[str, ...], ...] | Literal["learn"] = ()
    adversarial: tuple[str, ...] = ()
    class_balance: tuple[float, ...] | None = None
    abstentions: Literal["informative", "ignored"] = "informative"
    accuracies: Literal["global", "local"] = "global"
    allow_unidentifiable: bool = False
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class EndModelSettings:
    """The ``[endmodel]`` of a project: what to read, which labels to train on, settings of :class:`assay.EndModel`."""

    encoder: Literal["ngrams", "lstm", "features"] = "ngrams"
    """How items are read."""
    columns: tuple[str, ...] = ("text",)
    """The column of texts, or the columns of features."""
    held_out: float = 0.2
    """The share of items that are never trained on, to score with; none where there is no gold."""
    voted_only: bool = True
    """Whether items that no source voted on are left out."""
    min_confidence: float = 0.0
    """Items whose most probable outcome is less probable than this are left out."""
    rebalance: Literal["none", "median", "min"] = "none"
    """Whether items of frequent outcomes are left out."""
    temperature: float = 1.0
    """Above 1 labels get less sure, below surer."""
    hard: bool = False
    """Whether the most probable outcome is taken for the truth."""
    layers: tuple[int, ...] | None = None
    not_applicable: Literal["masked", "outcome"] = "masked"
    epochs: int = 10
    batch_size: int = 128
    learning_rate: float = 0.01
    l2: float = 1e-5
    dropout: float = 0.1
    frozen_epochs: int = 5
    patience: int = 10
    stop_after: int = 20
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Project:
    """What ``assay.toml`` says, checked."""

    folder: Path
    data: Path
    tasks: TaskGraph
    modules: tuple[Path, ...]
    gold: Path | None = None
    settings: Settings = field(default_factory=Settings)
    model: ModelSettings = field(default_factory=ModelSettings)
    endmodel: EndModelSettings = field(default_factory=EndModelSettings)
    dev: tuple[Path, Path] | None = None
    """Items and their gold, for early stopping."""
    output: Path

    @classmethod
    def load(cls, folder: str | Path) -> Project:
        """Read ``assay.toml`` in a folder.

        Raises
        ------
        ProjectError
            If the file is missing or says something that cannot be understood;
            names the place in the file.
        """
        home = Path(folder)
        path = home / FILE
        try:
            said = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ProjectError(f"there is no {FILE} in {home}; 'assay init {home}' writes an example") from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ProjectError(f"cannot read {path}: {error}") from error
        try:
            return _project(home, said)
        except ProjectError as error:
            raise ProjectError(f"{path}: {error}") from error

    @property
    def title(self) -> str:
        """What the project is called: its folder."""
        return self.folder.resolve().name or "project"

    def sources(self) -> list[Source]:
        """Every source that the project's modules define, in their order."""
        with _importable(self.folder):
            found = _sources_in([_imported(path) for path in self.modules])
        if not found:
            raise ProjectError(
                f"no sources in {', '.join(str(path) for path in self.modules)}; decorate functions with "
                "@assay.source, or assign rules such as assay.keywords(...) to names"
            )
        return flatten(found)

    def gold_columns(self) -> dict[str, list[Any]] | None:
        """True labels as a column for each task, or None if the project has none."""
        return None if self.gold is None else self.gold_in(self.gold)

    def gold_in(self, path: Path) -> dict[str, list[Any]]:
        """True labels as a column for each task, from a file."""
        frame = as_polars(path)
        known = [name for name in self.tasks.names if name in frame.columns]
        if not known:
            raise ProjectError(
                f"{path} has no column named after a task; expected some of {', '.join(self.tasks.names)}"
            )
        return {name: frame[name].to_list() for name in known}

    def row_count(self) -> int | None:
        """How many rows the data has, where that can be known without reading it."""
        return row_count(self.data)


_PREFIX = "assay_project_"

_SECTIONS = (
    "data", "gold", "dev", "tasks", "constraints", "feasible", "sources", "settings", "model", "endmodel", "output",
)  # fmt: skip


def _project(home: Path, said: Mapping[str, Any]) -> Project:
    _known_keys(said, _SECTIONS, "the file")
    data = _section(said, "data", ("path",), required=True)
    gold = _section(said, "gold", ("path",))
    dev = _section(said, "dev", ("path", "gold"))
    sources = _section(said, "sources", ("modules",), required=True)
    modules = _value(sources, "modules", list, "[sources]")
    paths = tuple(home / str(module) for module in modules)
    for path in paths:
        if not path.is_file():
            raise ProjectError(f"[sources] modules names {path.name!r}, but there is no such file in {home}")
    if not paths:
        raise ProjectError("[sources] modules is empty; name at least one Python file with sources")
    return Project(
        folder=home,
        data=home / _value(data, "path", str, "[data]"),
        gold=home / _value(gold, "path", str, "[gold]") if gold else None,
        tasks=_task_graph(said),
        modules=paths,
        settings=_settings(_section(said, "settings", tuple(Settings.__dataclass_fields__))),
        model=_model_settings(_section(said, "model", tuple(ModelSettings.__dataclass_fields__))),
        endmodel=_end_model_settings(_section(said, "endmodel", tuple(EndModelSettings.__dataclass_fields__))),
        dev=(home / _value(dev, "path", str, "[dev]"), home / _value(dev, "gold", str, "[dev]")) if dev else None,
        output=home / str(_section(said, "output", ("folder",)).get("folder", "out")),
    )


def _task_graph(said: Mapping[str, Any]) -> TaskGraph:
    entries = said.get("tasks")
    if not isinstance(entries, list) or not entries:
        raise ProjectError('no tasks: add [[tasks]] with name = "..." and labels = ["...", "..."]')
    tasks = []
    for number, entry in enumerate(entries, start=1):
        where = f"[[tasks]] number {number}"
        _known_keys(entry, ("name", "labels", "parent"), where)
        parent = entry.get("parent")
        pairs = [parent] if parent and isinstance(parent[0], str) else parent or []
        try:
            tasks.append(
                Task(
                    _value(entry, "name", str, where),
                    _value(entry, "labels", list, where),
                    [tuple(pair) for pair in pairs] or None,
                )
            )
        except AssayError as error:
            raise ProjectError(f"{where}: {error}") from error
    try:
        return TaskGraph(
            tasks, constraints=[_constraint(c) for c in said.get("constraints", [])], feasible=said.get("feasible")
        )
    except AssayError as error:
        raise ProjectError(f"the task graph: {error}") from error


def _constraint(entry: Mapping[str, Any]) -> Constraint:
    kinds: dict[str, Callable[..., Constraint]] = {"implies": implies, "excludes": excludes}
    _known_keys(entry, tuple(kinds), "[[constraints]]")
    if len(entry) != 1:
        raise ProjectError(
            'each of [[constraints]] holds one of implies = [["task", "label"], ...] or excludes = [...]'
        )
    ((kind, pairs),) = entry.items()
    return kinds[kind](*(tuple(pair) for pair in pairs))


def _settings(said: Mapping[str, Any]) -> Settings:
    for name in ("workers", "batch_size"):
        if name in said and (not isinstance(said[name], int) or isinstance(said[name], bool) or said[name] < 1):
            raise ProjectError(f"[settings] {name} must be a whole number from 1, but is {said[name]!r}")
    if said.get("on_error", "raise") not in ("raise", "abstain"):
        raise ProjectError(f"[settings] on_error must be 'raise' or 'abstain', but is {said['on_error']!r}")
    return Settings(**said)


def _model_settings(said: Mapping[str, Any]) -> ModelSettings:
    frozen = dict(said)
    for name, wanted in (
        ("dependencies", "a list of lists of source names, or 'learn'"),
        ("adversarial", "a list of source names"),
    ):
        if name in frozen and (name, frozen[name]) != ("dependencies", "learn"):
            if not isinstance(frozen[name], list):
                raise ProjectError(f"[model] {name} must be {wanted}, but is {frozen[name]!r}")
            frozen[name] = tuple(tuple(entry) if isinstance(entry, list) else entry for entry in frozen[name])
    if "class_balance" in frozen:
        frozen["class_balance"] = tuple(_value(said, "class_balance", list, "[model]"))
    return ModelSettings(**frozen)


def _end_model_settings(said: Mapping[str, Any]) -> EndModelSettings:
    """What the library does not check itself, since it has other names for it."""
    for name, choices in (("encoder", ("ngrams", "lstm", "features")), ("rebalance", ("none", "median", "min"))):
        if name in said and said[name] not in choices:
            raise ProjectError(f"[endmodel] {name} must be one of {listing(choices)}, but is {said[name]!r}")
    share = said.get("held_out", 0.0)
    if not isinstance(share, int | float) or not 0 <= share < 1:
        raise ProjectError(f"[endmodel] held_out must be a share below 1, but is {share!r}")
    lists = {name: tuple(_value(said, name, list, "[endmodel]")) for name in ("columns", "layers") if name in said}
    return EndModelSettings(**{**said, **lists})


def _section(said: Mapping[str, Any], name: str, keys: Sequence[str], required: bool = False) -> Mapping[str, Any]:
    section = said.get(name)
    if section is None:
        if required:
            raise ProjectError(f"the section [{name}] is missing; it holds {', '.join(keys)}")
        return {}
    if not isinstance(section, Mapping):
        raise ProjectError(f"[{name}] must be a section, but is {section!r}")
    _known_keys(section, keys, f"[{name}]")
    return section


def _value(section: Mapping[str, Any], key: str, kind: type, where: str) -> Any:
    if not isinstance(section.get(key), kind):
        what = "a list" if kind is list else "a text"
        came = f"is {section[key]!r}" if key in section else "is missing"
        raise ProjectError(f"{where} needs {key} = {what}, but it {came}")
    return section[key]


def _known_keys(said: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    for key in said:
        if key not in keys:
            raise ProjectError(f"{where} has the unknown key {key!r}. {near_miss(key, keys)}")


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Lets the modules of a folder import each other; afterwards nobody else finds them by their names."""
    known = set(sys.modules)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).parent == folder and not name.startswith(_PREFIX):
                # Without a name they also travel to worker processes as they are.
                del sys.modules[name]


def _imported(path: Path) -> ModuleType:
    """A module from a file in the project folder, run anew each time so that edits count."""
    import cloudpickle

    used = sys.modules.get(path.stem)
    if used is not None and getattr(used, "__file__", None) == str(path):
        return used  # a module before it has imported it
    name = _PREFIX + path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ProjectError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # So that another module that imports this one gets it, not a second copy.
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except AssayError as error:
        raise ProjectError(f"in {path}: {error}") from error
    except Exception as error:
        raise ProjectError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    # Worker processes cannot import the project's modules by name, so their functions travel as they are.
    cloudpickle.register_pickle_by_value(module)
    return module


def _sources_in(modules: Sequence[ModuleType]) -> list[Source]:
    """Their sources, each named after the first variable that holds it unless it has a name of its own."""
    found: dict[int, Source] = {}
    for name, value in (entry for module in modules for entry in vars(module).items()):
        if isinstance(value, Source):
            found.setdefault(id(value), value if value.given_name else value.named(name))
        elif isinstance(value, list) and value and all(isinstance(entry, Source) for entry in value):
            for entry in value:
                found.setdefault(id(entry), entry)
    return list(found.values())
