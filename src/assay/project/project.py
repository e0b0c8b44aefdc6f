"""A project folder: ``assay.toml`` names the data, the task graph, the sources and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay._core.project_file import FILE, SOURCES_FILE, read_project_file
from assay._core.reading import is_file
from assay._core.texts import spelled
from assay._core.urls import Url, place_of
from assay.engine import EngineName, EngineSettings
from assay.errors import AssayError, ProjectError, SourceError, near_miss
from assay.llm import PromptSettings
from assay.model import check_settings
from assay.project.modules import sources_in
from assay.project.settings import (
    ConstraintEntry,
    DevSection,
    EndModelSettings,
    EngineSection,
    ModelSettings,
    PromptsSection,
    RefineSection,
    Settings,
    TaskEntry,
    changed,
    checked,
)
from assay.tasks import Constraint, Task, TaskGraph, at_most, excludes, implies

if TYPE_CHECKING:
    from assay.project.source_file import SourceFile
    from assay.sources import Source

_LONGEST_NAME = 255
"""How many bytes the name of a file can have."""
_IN_COMMENTS = "Those behind # signs are only examples: take the signs away to use one. "


@dataclass(frozen=True, kw_only=True)
class Project:
    """What ``assay.toml`` says, checked."""

    folder: Path
    data: Path | Url
    tasks: TaskGraph
    modules: tuple[Path, ...] = ()
    """The Python files with sources."""
    sources_file: Path
    """The file that declares sources; it need not be there."""
    id: str | None = None
    """The column of the data that names the items; None: they are numbered."""
    show: tuple[str, ...] = ()
    """The columns of the data that people look at who label by hand; none: all of them."""
    gold: Path | None = None
    hand_labels: tuple[Path, ...] = ()
    """The files that hand labels are read from; the first is written to."""
    settings: Settings = field(default_factory=Settings)
    model: Any = field(default_factory=ModelSettings)
    """The settings of the label model, by name."""
    endmodel: EndModelSettings = field(default_factory=EndModelSettings)
    refine: RefineSection = field(default_factory=RefineSection)
    prompts: PromptSettings = field(default_factory=PromptSettings)
    """How prompts are asked."""
    ask_where: Literal["all", "unsure"] = "all"
    """Whether prompts are asked about all items, or those that the other sources leave the label model unsure of."""
    ask_share: float = 0.2
    """The share of items that these are."""
    dev: tuple[Path, Path] | None = None
    """Items and their gold, for early stopping."""
    test: tuple[Path, Path] | None = None
    """Items and their gold that nothing is learned from, to score with."""
    output: Path
    engine: EngineSettings = field(default_factory=EngineSettings)
    """Where sources are applied, votes are counted and items are labeled."""

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
        said = read_project_file(home)
        try:
            return _project(home, said)
        except ProjectError as error:
            raise ProjectError(f"{home / FILE}: {error}") from error

    @property
    def title(self) -> str:
        """What the project is called: its folder."""
        return self.folder.resolve().name or "project"

    def with_engine(self, kind: str | None, address: str | None = None) -> Project:
        """The project with another engine, or another address of the same one; None changes nothing."""
        if kind is None and address is None:
            return self
        if kind not in (None, "local", "dask", "spark"):
            raise ProjectError(f"the engine must be 'local', 'dask' or 'spark', but is {kind!r}")
        known = self.engine if kind in (None, self.engine.kind) else EngineSettings(kind=kind)  # type: ignore[arg-type]
        return replace(self, engine=known if address is None else replace(known, address=address))

    def with_model(self, **changes: Any) -> Project:
        """The project with other settings of the label model, by name."""
        model = changed(self.model, changes)
        check_settings(model, has_gold=False, tasks=self.tasks)
        return replace(self, model=model)

    def with_settings(self, **changes: Any) -> Project:
        """The project with other ``[settings]``, by name; None leaves one as it is."""
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(self, settings=changed(self.settings, given))

    def sources(self) -> list[Source]:
        """Every source that the project's modules define, and then those of its ``sources.toml``, in their order.

        Raises
        ------
        ProjectError
            If there are none yet, or two have the same name; says what to do.
        """
        from assay.project.example_gold import with_examples
        from assay.sources import flatten

        written = sources_in(self.folder, self.modules)
        file = self._declared()
        declared = file.sources(self.tasks)
        both = {source.name for source in written} & {source.name for source in declared}
        if both:
            raise ProjectError(
                f"{self.sources_file} and a Python module both have a source called {min(both)!r}; rename one of them"
            )
        if not written and not declared:
            raise ProjectError(self._no_sources(file))
        flat = flatten([*written, *declared])
        return with_examples(flat, self._gold_for_examples, data=self.data, id=self.id, tasks=self.tasks)

    def _gold_for_examples(self, origin: str) -> Any:
        """True labels of items that prompts may show, from gold or hand labels."""
        from assay.gold import HandLabels
        from assay.sources import names_in

        if origin == "hand_labels":
            hand = HandLabels.read([path for path in self.hand_labels if path.is_file()])
            if not len(hand):
                raise ProjectError(
                    f"a prompt shows examples from hand labels, but there are none yet; 'assay label {self.folder}' "
                    "asks for some"
                )
            return hand
        columns = self.gold_columns()
        if columns is None or self.gold is None:
            raise ProjectError("a prompt shows examples from gold, but assay.toml has no [gold]")
        import pandas as pd

        names = None if self.id is None else names_in(self.gold, self.id)
        return columns if names is None else {name: pd.Series(said, index=names) for name, said in columns.items()}

    @property
    def has_sources(self) -> bool:
        """Whether there are any yet."""
        return bool(self.modules) or bool(self._declared().names)

    def _declared(self) -> SourceFile:
        from assay.project.source_file import SourceFile

        return SourceFile.read(self.sources_file, missing_ok=True)

    def _no_sources(self, file: SourceFile) -> str:
        if file.names:
            return f"all sources in {file.path} are switched off; remove enabled = false from some of them"
        looked = ", ".join(str(path) for path in (*self.modules, *([file.path] if file.on_disk is not None else [])))
        label, on = self.tasks.tasks[0].labels[0], self.show[0] if self.show else "text"
        return (
            f"{f'no sources in {looked}' if looked else f'{self.folder} has no sources yet'}. "
            f"{_IN_COMMENTS if '# [[source]]' in file.text else ''}Declare some in {file.path}, for example\n"
            f'[[source]]\nname = "some_words"\nkeywords = ["some", "words"]\nlabel = "{label}"\non = "{on}"\n'
            "or write them in Python, in a file that [sources] modules of assay.toml names: decorate functions with "
            "@assay.source, or assign rules such as assay.keywords(...) to names"
        )

    def gold_columns(self) -> dict[str, list[Any]] | None:
        """True labels as a column for each task, or None if the project has none."""
        return None if self.gold is None else self.gold_in(self.gold)

    def gold_in(self, path: Path) -> dict[str, list[Any]]:
        """True labels as a column for each task, from a file."""
        from assay._core.rows import as_polars

        frame = as_polars(path)
        names = [task.name for task in self.tasks.declared]
        known = [name for name in dict.fromkeys([*names, *self.tasks.names]) if name in frame.columns]
        for name in frame.columns:
            lacking = [task for task in names if task not in known]
            if name not in known and name != self.id and get_close_matches(name.lower(), map(str.lower, lacking), n=1):
                raise ProjectError(f"{path} has the column {name!r}, which is no task. {near_miss(name, lacking)}")
        if not known:
            raise ProjectError(f"{path} has no column named after a task; expected some of {', '.join(names)}")
        return {name: self._labels_in(name, frame[name].to_list()) for name in known}

    def _labels_in(self, task: str, column: list[Any]) -> list[Any]:
        """A column of gold: numbers and truth values stand for labels of that name.

        Where any subset of labels may apply, texts are lists of them with semicolons between.
        """
        if task not in self.tasks.multiple:
            return [spelled(cell) if isinstance(cell, int) else cell for cell in column]
        return [
            [part.strip() for part in cell.split(";") if part.strip()] if isinstance(cell, str) else cell
            for cell in column
        ]


def _project(home: Path, said: Mapping[str, Any]) -> Project:
    file = checked(said)
    modules = tuple(_path(home, module, "[sources] modules") for module in file.sources.modules)
    for path in modules:
        if not is_file(path):
            raise ProjectError(f"[sources] modules names {path.name!r}, but there is no such file in {home}")
    sources_file = home / (file.sources.file or SOURCES_FILE)
    if file.sources.file is not None and not sources_file.is_file():
        raise ProjectError(f"[sources] file names {file.sources.file!r}, but there is no such file in {home}")
    tasks = _task_graph(file.tasks, file.constraints, file.feasible)
    try:
        check_settings(file.model, has_gold=False, tasks=tasks)
    except AssayError as error:
        raise ProjectError(f"[model] {error}") from error
    return Project(
        folder=home,
        data=_data(home, file.data.path),
        id=file.data.id,
        show=file.data.show,
        hand_labels=tuple(_path(home, path, "[hand_labels] path") for path in file.hand_labels.paths),
        gold=None if file.gold is None else _path(home, file.gold.path, "[gold] path"),
        tasks=tasks,
        modules=modules,
        sources_file=sources_file,
        settings=file.settings,
        model=file.model,
        endmodel=file.endmodel,
        refine=file.refine,
        prompts=_prompts(home, file.prompts),
        ask_where=file.prompts.where,
        ask_share=file.prompts.share,
        dev=_with_gold(home, file.dev, "[dev]"),
        test=_with_gold(home, file.test, "[test]"),
        output=_path(home, file.output.folder, "[output] folder"),
        engine=_engine(file.engine),
    )


def _engine(said: EngineSection | EngineName) -> EngineSettings:
    return EngineSettings(kind=said) if isinstance(said, str) else EngineSettings(**said.model_dump())


def _prompts(home: Path, said: PromptsSection) -> PromptSettings:
    cache = _path(home, said.cache, "[prompts] cache")
    try:
        return PromptSettings(**{**said.model_dump(exclude={"where", "share"}), "cache": cache})
    except SourceError as error:
        raise ProjectError(f"[prompts] {error}") from error


def _data(home: Path, said: str) -> Path | Url:
    place = place_of(said) if said else Path(said)
    return place if isinstance(place, Url) or "://" in said else _path(home, said, "[data] path")


def _with_gold(home: Path, said: DevSection | None, section: str) -> tuple[Path, Path] | None:
    """The files of a section that names rows and their gold."""
    if said is None:
        return None
    return _path(home, said.path, f"{section} path"), _path(home, said.gold, f"{section} gold")


def _path(home: Path, said: str, where: str) -> Path:
    """A path in the file, seen from its folder; what no file can be called is refused before any work is done."""
    if not said or "\0" in said or any(len(part.encode()) > _LONGEST_NAME for part in Path(said).parts):
        raise ProjectError(f"{where} must be the name of a file or folder, which {said!r} cannot be")
    return home / said


def _task_graph(
    entries: Sequence[TaskEntry],
    constraints: Sequence[ConstraintEntry],
    feasible: Sequence[Mapping[str, str]] | None,
) -> TaskGraph:
    tasks = []
    for number, entry in enumerate(entries, start=1):
        try:
            tasks.append(Task(entry.name, entry.labels, entry.parent, multiple=entry.multiple))
        except AssayError as error:
            raise ProjectError(f"[[tasks]] number {number}: {error}") from error
    try:
        return TaskGraph(tasks, constraints=[_constraint(entry) for entry in constraints], feasible=feasible)
    except AssayError as error:
        raise ProjectError(f"the task graph: {error}") from error


def _constraint(entry: ConstraintEntry) -> Constraint:
    given = [name for name in ("implies", "excludes", "at_most") if getattr(entry, name) is not None]
    if (entry.of is None) == ("at_most" in given) or len(given) != 1:
        raise ProjectError(
            'each of [[constraints]] holds one of implies = [["task", "label"], ...], excludes = [...], '
            'or at_most = 3 with of = "task" or of = [["task", "label"], ...]'
        )
    if entry.implies is not None:
        return implies(*entry.implies)
    if entry.excludes is not None:
        return excludes(*entry.excludes)
    assert entry.at_most is not None
    assert entry.of is not None
    return at_most(entry.at_most, *([entry.of] if isinstance(entry.of, str) else entry.of))
