"""A project's sources as people look at them: where each is written, how much it votes, and how right it is."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import writing
from assay.errors import AssayError, ProjectError
from assay.project.contents import Contents
from assay.project.project import Project
from assay.project.source_file import DeclaredSource, SourceFile, source_toml
from assay.project.what_if import Estimate
from assay.sources import FunctionSource, PromptSource, Rule, Source
from assay.votes import compare_with_gold

if TYPE_CHECKING:
    import pandas as pd

LISTS_FOLDER = "lists"
"""Where lists of items are kept that sources vote on."""
_SURE = 0.9
"""How probable a label must be to be held against a source."""
_KINDS = {"keywords": "words", "regex": "pattern", "dictionary": "names", "threshold": "threshold", "column": "column"}


@dataclass(frozen=True)
class ValueLine:
    """What a source votes for."""

    value: str
    votes: int
    accuracy: Estimate | None
    """What the label model thinks of these votes, if there is one."""


@dataclass(frozen=True)
class SourceLine:
    """A source in a list."""

    name: str
    kind: str
    where: str
    """The file that it is written in, and the line."""
    is_declared: bool
    """Whether it is in ``sources.toml``, which can be edited here."""
    enabled: bool = True
    tasks: str = ""
    votes: int = 0
    coverage: float | None = None
    """The share of items it votes on; None if it was not applied yet."""
    overlaps: float = 0.0
    conflicts: float = 0.0
    values: tuple[ValueLine, ...] = ()
    gold: Estimate | None = None
    """The share of its votes that gold or hand labels say are right."""
    group: tuple[str, ...] = ()
    """Sources that it depends on."""


def source_lines(contents: Contents) -> list[SourceLine]:
    """All sources: those that vote, those that were not applied yet, and those that are switched off.

    Raises
    ------
    AssayError
        If ``sources.toml`` cannot be understood.
    """
    file = SourceFile.read(contents.project.sources_file, missing_ok=True)
    declared = {one.name: one for one in file.declared}
    loaded = {source.name: source for source in contents.sources}
    names = dict.fromkeys([*contents.names, *loaded, *declared])
    summary, accuracies, groups = _summary(contents), _accuracies(contents), _groups(contents)
    return [
        _line(contents.project, name, loaded.get(name), declared.get(name), summary.get(name), accuracies.get(name, ()),
              groups.get(name, ()))
        for name in names
    ]  # fmt: skip


def _line(
    project: Project,
    name: str,
    source: Source | None,
    declared: DeclaredSource | None,
    summary: Mapping[str, Any] | None,
    values: tuple[ValueLine, ...],
    group: tuple[str, ...],
) -> SourceLine:
    kind = declared.kind if declared is not None else _kind(source)
    known = summary or {}
    counted = int(known.get("correct", 0) + known.get("incorrect", 0))
    return SourceLine(
        name=name,
        kind=_KINDS.get(kind, kind),
        where=where_written(project, source, declared),
        is_declared=declared is not None,
        enabled=declared is None or declared.enabled,
        tasks=str(known.get("task", "")),
        votes=int(known.get("votes", 0)),
        coverage=None if summary is None else float(known["coverage"]),
        overlaps=float(known.get("overlaps", 0.0)),
        conflicts=float(known.get("conflicts", 0.0)),
        values=values,
        gold=Estimate(known["accuracy"], known["accuracy_low"], known["accuracy_high"], counted) if counted else None,
        group=group,
    )


def _kind(source: Source | None) -> str:
    if isinstance(source, PromptSource):
        return "prompt"
    if isinstance(source, FunctionSource):
        return "function"
    if isinstance(source, Rule) and source.recipe is not None:
        return source.recipe.kind
    return "source" if source is not None else "removed"


def where_written(project: Project, source: Source | None, declared: DeclaredSource | None) -> str:
    """The file and line of a source, as far as they are known."""
    if declared is not None:
        line = declared.where.rpartition("line ")[2].rstrip(")") if "line " in declared.where else ""
        return f"{project.sources_file.name}{f', line {line}' if line else ''}"
    if isinstance(source, FunctionSource):
        try:
            file = inspect.getsourcefile(source.function)
            return f"{Path(file or '').name}, line {inspect.getsourcelines(source.function)[1]}"
        except (OSError, TypeError):
            pass
    return ", ".join(path.name for path in project.modules) if source is not None else ""


def text_of_source(contents: Contents, name: str) -> str:
    """How a source is written: its lines of ``sources.toml`` or of a Python module, to be read."""
    file = SourceFile.read(contents.project.sources_file, missing_ok=True)
    if name in file.names:
        return file.text_of(name)
    source = next((one for one in contents.sources if one.name == name), None)
    if isinstance(source, FunctionSource):
        try:
            return inspect.getsource(source.function)
        except (OSError, TypeError):
            return ""
    try:
        return "" if source is None else source_toml(source)
    except AssayError:
        return repr(source)


def _summary(contents: Contents) -> dict[str, Mapping[str, Any]]:
    """Per source its row of the summary of votes, with the number of its votes."""
    votes = contents.votes
    if votes is None:
        return {}
    memo = contents.results.memo
    taught_by, found = memo.get("summary", (None, None))
    if found is None or (contents.results.gold is None and taught_by is not contents.hand):
        table: pd.DataFrame = votes.summary(contents.truth)
        table["votes"] = np.bincount(votes.cast.sources, minlength=len(votes.names))
        found = {str(name): row for name, row in zip(table.index, table.to_dict("records"), strict=True)}
        memo["summary"] = (contents.hand, found)
    rows: dict[str, Mapping[str, Any]] = found
    return rows


def _accuracies(contents: Contents) -> dict[str, tuple[ValueLine, ...]]:
    if contents.model is None:
        return {}
    found: dict[str, tuple[ValueLine, ...]] = {}
    for row in contents.model.sources_.to_dict("records"):
        if row["votes"]:
            accuracy = Estimate(row["accuracy"], row["low"], row["high"], int(row["votes"]))
            line = ValueLine(str(row["value"]), int(row["votes"]), accuracy)
            found[row["source"]] = (*found.get(row["source"], ()), line)
    return found


def _groups(contents: Contents) -> dict[str, tuple[str, ...]]:
    """Per source the others that the label model takes to depend on it."""
    model = contents.model
    if model is None:
        return {}
    pairs: Iterable[Any] = model.learned_.pairs if model.learned_ is not None else model.dependencies
    found: dict[str, tuple[str, ...]] = {}
    for one, other in () if isinstance(pairs, str) else pairs:
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found


def mistakes_of(contents: Contents, name: str) -> npt.NDArray[np.int64]:
    """(items,): rows on which a source is wrong by gold or hand labels and, after these, by labels that are sure."""
    votes, labels = contents.votes, contents.labels
    if votes is None or name not in votes.names:
        return np.array([], dtype=np.int64)
    only = votes.select(name)
    row = only.cast.row
    wrong = np.zeros(len(row), dtype=bool) if contents.truth is None else compare_with_gold(only, contents.truth)[1]
    known = np.unique(row[wrong])
    if labels is None:
        return known
    unlikely = np.zeros(len(row), dtype=bool)
    for index, sets in enumerate(only.outcome_sets):
        said = sets.of_code[0][only.cast.codes]
        speaks = said >= 0
        chance = (labels.joint[index][row[speaks]] * sets.masks[said[speaks]]).sum(axis=1)
        unlikely[speaks] |= chance < 1 - _SURE
    return np.concatenate([known, np.setdiff1d(np.unique(row[unlikely]), known)])


def version_of(file: SourceFile, name: str) -> str:
    """Tells whether a source of ``sources.toml`` is still written as it was."""
    return hashlib.sha256(file.text_of(name).encode()).hexdigest()


def declare_source(
    project: Project, entry: Mapping[str, Any], *, instead_of: str | None = None, version: str | None = None
) -> SourceFile:
    """Write a source into ``sources.toml``: at its end, or in the place of another one of that file.

    ``version`` is that of the other one when it was read (:func:`version_of`), if nobody may have changed it since.

    Raises
    ------
    AssayError
        If it cannot be made, names a label that there is not, has the name of another source, or if somebody else has
        changed the one that it replaces; nothing is written.
    """
    file = SourceFile.read(project.sources_file, missing_ok=True)
    if instead_of is not None and version is not None and version != version_of(file, instead_of):
        raise ProjectError(
            f"{instead_of} was changed in {file.path.name} since it was opened here; open it again, and then edit it"
        )
    edited = file.add(entry) if instead_of is None else file.replace(instead_of, entry)
    edited.sources(project.tasks)
    if project.modules and entry.get("name") not in file.names:
        written = {source.name for source in project.sources()} if project.has_sources else set()
        if entry.get("name") in written:
            raise ProjectError(f"there is a source called {entry['name']!r} already; choose another name")
    return edited.save()


def switch_source(project: Project, name: str, *, on: bool) -> SourceFile:
    """Switch a source of ``sources.toml`` off, or on again."""
    return SourceFile.read(project.sources_file).switch(name, on=on).save()


def declare_list(
    contents: Contents, rows: npt.NDArray[np.int64], name: str, label: Any, task: str | None
) -> SourceFile:
    """Write a source that votes on some items, whatever made them be chosen: a list of their names.

    Raises
    ------
    AssayError
        If items have no names, since row numbers mean nothing in other data; or if the source cannot be made.
    """
    project = contents.project
    if project.id is None:
        raise ProjectError(
            'a list of items needs their names: id = "..." in [data] of assay.toml says which column has them'
        )
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "list"
    path = project.folder / LISTS_FOLDER / f"{plain}.txt"
    if path.exists():
        raise ProjectError(f"there is a list {path.name} already; choose another name")
    entry: dict[str, Any] = {"name": name, "dictionary": f"{LISTS_FOLDER}/{path.name}", "label": label}
    entry |= {} if task is None else {"task": task}
    path.parent.mkdir(exist_ok=True)
    with writing(path) as unfinished:
        unfinished.write_text("".join(f"{contents.item(row)}\n" for row in rows.tolist()), encoding="utf-8")
    try:
        return declare_source(project, {**entry, "on": project.id, "match": "equal"})
    except AssayError:
        path.unlink()
        raise


def made_source(project: Project, entry: Mapping[str, Any]) -> Source:
    """The source that an entry of ``sources.toml`` describes, without writing it."""
    try:
        alone = SourceFile(project.sources_file).add(entry).sources(project.tasks)
    except ProjectError as error:
        # It is in no file yet, so that neither its place there nor its number helps.
        raise ProjectError(re.sub(r"^.*?\[\[source\]\] number 1( \(.*?\))?[,:]? ", "", str(error))) from error
    if not alone:
        raise ProjectError("the source is switched off")
    return alone[0]
