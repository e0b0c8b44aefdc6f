"""What a project's folder holds at the moment: for whoever looks around in it and does not want to wait twice.

Everything is read once, and again only after its file has changed, by whomever: an editor, a command, another person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.project_file import FILE
from assay._core.rows import as_polars
from assay._core.urls import Url
from assay.errors import AssayError, ProjectError
from assay.gold import HandLabels, Item
from assay.labels import Labels
from assay.model import LabelModel
from assay.project.gold_files import gold_votes
from assay.project.project import Project
from assay.project.provenance import RECORD_FILE, SourceChanges, source_changes
from assay.project.runs import ChangedLabels, RunRecord, changed_labels, runs_folder, runs_of
from assay.project.stored import (
    LABELS_FILE,
    MODEL_FILE,
    all_said,
    stored_label_model,
    stored_labels,
    stored_votes,
    votes_path,
)
from assay.sources import Source
from assay.votes import Votes, contradictions, rows_named

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Made = TypeVar("Made")
Stamp = tuple[Any, ...]
"""Tells whether files are as they were."""


@dataclass(frozen=True, eq=False)
class Results:
    """A project with its data, votes and labels: all that hand labels do not change."""

    project: Project
    data: pl.DataFrame
    votes: Votes | None
    model: LabelModel | None
    labels: Labels | None
    """None, like the votes and the model, if there are none, or none that belong to the rest."""
    note: str = ""
    """Why there are no votes or labels, or what is to be done about them."""
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What was worked out from all of it, and may be asked for again."""

    @cached_property
    def is_voted(self) -> BoolArray:
        """(items,): whether any source votes."""
        return np.zeros(len(self.data), dtype=bool) if self.votes is None else self.votes.voted

    @cached_property
    def is_contested(self) -> BoolArray:
        """(items,): whether votes contradict each other."""
        return np.zeros(len(self.data), dtype=bool) if self.votes is None else contradictions(self.votes) > 0

    @cached_property
    def confidence(self) -> FloatArray:
        """(items,): the probability of the most probable outcome."""
        return np.zeros(len(self.data)) if self.labels is None else np.asarray(self.labels.confidence)

    @cached_property
    def by_confidence(self) -> IntArray:
        """(items,): the rows, the least sure first."""
        return np.argsort(self.confidence, kind="stable")

    @cached_property
    def gold(self) -> Votes | None:
        """The project's own gold labels of the items, if it has any."""
        return None if self.votes is None else gold_votes(self.project, self.votes)

    @cached_property
    def contradicts_gold(self) -> BoolArray:
        """(items,): whether the label contradicts the project's own gold."""
        if self.gold is None or self.labels is None:
            return np.zeros(len(self.data), dtype=bool)
        return contradicting(self.labels, self.gold)

    @cached_property
    def changed(self) -> dict[str, ChangedLabels]:
        """By task the labels that the last run changed."""
        return {} if self.labels is None else changed_labels(self.project)


@dataclass(frozen=True, eq=False)
class Contents:
    """A project with everything in its folder, as it was at one moment."""

    results: Results
    hand: HandLabels
    """What people said by hand about items that there are."""
    runs: tuple[RunRecord, ...]
    sources: tuple[Source, ...]
    """The project's sources, those of its Python modules loaded; none if they cannot be."""
    fault: str = ""
    """Why they cannot."""

    def __len__(self) -> int:
        return len(self.data)

    @property
    def project(self) -> Project:
        """What ``assay.toml`` says."""
        return self.results.project

    @property
    def data(self) -> pl.DataFrame:
        """The rows."""
        return self.results.data

    @property
    def votes(self) -> Votes | None:
        """What the sources said, if they were applied to this data."""
        return self.results.votes

    @property
    def model(self) -> LabelModel | None:
        """What was learned from these votes, if it was."""
        return self.results.model

    @property
    def labels(self) -> Labels | None:
        """The labels that were made of these votes, if they were."""
        return self.results.labels

    @property
    def note(self) -> str:
        """Why there are no votes or labels, or what is to be done about them."""
        return self.results.note

    @property
    def names(self) -> tuple[str, ...]:
        """The sources that have votes."""
        return () if self.votes is None else self.votes.names

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The columns that people look at."""
        named = tuple(name for name in self.project.show if name in self.data.columns)
        return named or tuple(name for name in self.data.columns if name != self.project.id)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Those of them that hold text; all columns of text if none does."""
        all_texts = [name for name in self.data.columns if self.data[name].dtype == pl.String]
        return tuple(name for name in self.shown if name in all_texts) or tuple(all_texts)

    def item(self, row: int) -> Item:
        """The name of an item, or its row number if items have no names."""
        if self.votes is not None and self.votes.items is not None:
            name: Item = self.votes.items[row : row + 1].tolist()[0]
            return name
        if self.project.id is not None and self.project.id in self.data.columns:
            named = self.data[self.project.id][row]
            return named if isinstance(named, int | str) else str(named)
        return row

    @cached_property
    def source_changes(self) -> SourceChanges:
        """What is different about the sources since they voted; nothing if they did not, or cannot be loaded."""
        if self.votes is None or self.fault or not self.sources:
            return SourceChanges()
        return source_changes(self.project, self.sources, self.names)

    @cached_property
    def hand_rows(self) -> dict[int, dict[str, str | None]]:
        """By row what people said by hand, merged: task -> label."""
        if self.votes is None:
            return {}
        rows = rows_named(self.votes.items, len(self), list(self.hand.answers)).tolist()
        return dict(zip(rows, self.hand.answers.values(), strict=True))

    @cached_property
    def truth(self) -> Votes | None:
        """Gold labels of items or, where the project has none of its own, what people said by hand."""
        if self.results.gold is not None or self.votes is None:
            return self.results.gold
        return self.votes.gold(self.hand) if len(self.hand) else None

    @cached_property
    def is_labeled(self) -> BoolArray:
        """(items,): whether somebody has labeled it by hand."""
        found = np.zeros(len(self), dtype=bool)
        found[list(self.hand_rows)] = True
        return found

    @cached_property
    def is_wrong(self) -> BoolArray:
        """(items,): whether gold or a hand label contradicts the label that the item would have without it."""
        found = self.results.contradicts_gold
        if self.labels is None or self.votes is None or not len(self.hand):
            return found
        return found | contradicting(self.labels, self.votes.gold(self.hand))


def contradicting(labels: Labels, truth: Votes) -> BoolArray:
    """(items,): whether gold rules out the label, as it would be without that item's own hand label."""
    found = np.zeros(len(labels), dtype=bool)
    for index, joint in enumerate(labels.joint):
        chosen = joint.argmax(axis=1)
        if labels.gold is not None:
            chosen[labels.gold.rows] = labels.gold.held_out[index].argmax(axis=1)
        sets = truth.sets_of(index)
        told = np.flatnonzero(sets >= 0)
        found[told] |= ~truth.outcome_sets[index].masks[sets[told], chosen[told]]
    return found


class Workbench:
    """A project folder that is looked at again and again."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._lock = RLock()
        self._read: dict[str, tuple[Stamp, Any]] = {}

    def project(self) -> Project:
        """What ``assay.toml`` says now."""
        with self._lock:
            return self._kept("project", [self.folder / FILE], lambda: Project.load(self.folder))

    def contents(self) -> Contents:
        """What the folder holds now: the same object until something in it changes.

        Raises
        ------
        AssayError
            If ``assay.toml``, the data or the hand labels cannot be read.
        """
        with self._lock:
            project = self.project()
            out = project.output
            own = [self.folder / FILE]
            made = [out / name for name in (votes_path(project).name, MODEL_FILE, LABELS_FILE, RECORD_FILE)]
            sources = [*own, project.sources_file, *project.modules]
            gold = [] if project.gold is None else [project.gold]
            run = [runs_folder(project)]
            everything = [project.data, *made, *gold, *sources, *project.hand_labels, *run]
            return self._kept(
                "contents", everything, lambda: self._contents(project, own, [*made, *gold], sources, run)
            )

    def _contents(
        self, project: Project, own: list[Path], made: list[Path], sources: list[Path], run: list[Path]
    ) -> Contents:
        data = self._kept("data", [*own, project.data], lambda: as_polars(project.data))
        results = self._kept("results", [*own, project.data, *made], lambda: _results(project, data))
        hand = self._kept("hand labels", [*own, *project.hand_labels], lambda: all_said(project))
        runs = self._kept("runs", [*own, *run], lambda: tuple(runs_of(project)))
        loaded, fault = self._kept("sources", sources, lambda: _sources(project))
        known = hand if results.votes is None or not hand.said else hand.within(results.votes)
        return Contents(results, known, runs, loaded, fault)

    def _kept(self, name: str, files: Iterable[Path | Url], make: Callable[[], Made]) -> Made:
        stamp = tuple(map(_stamp, files))
        before, found = self._read.get(name, (None, None))
        if before != stamp:
            found = make()
            self._read[name] = (stamp, found)
        made: Made = found  # type: ignore[assignment]  # whatever was made under this name
        return made


def _stamp(path: Path | Url) -> Stamp:
    if isinstance(path, Url):
        return (str(path),)  # what changes elsewhere is noticed when the sources are applied
    try:
        told = path.stat()
    except OSError:
        return (str(path),)
    return (str(path), told.st_mtime_ns, told.st_size, told.st_ino)


def _results(project: Project, data: pl.DataFrame) -> Results:
    """The votes, the model and the labels that belong together, and why some of them are missing."""
    votes = None
    try:
        votes = stored_votes(project)
        if len(votes) != len(data):
            told = f"there are votes on {len(votes):,} items, but {project.data} has {len(data):,} rows"
            votes = None
            raise ProjectError(f"{told}; apply the sources again")
        return Results(project, data, votes, stored_label_model(project, votes), stored_labels(project))
    except AssayError as error:
        return Results(project, data, votes, None, None, str(error))


def _sources(project: Project) -> tuple[tuple[Source, ...], str]:
    if not project.has_sources:
        return (), ""
    try:
        return tuple(project.sources()), ""
    except AssayError as error:
        return (), str(error)
