"""What changed between two runs: sources, how accurate they seem, and which labels flipped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from assay._core.project_file import FILE
from assay.errors import AssayError, ProjectError
from assay.labels import Labels
from assay.model import LabelModel
from assay.project.project import Project
from assay.project.provenance import LABELS, MODEL, stale
from assay.project.runs import NOT_APPLICABLE
from assay.project.stored import LABELS_FILE, MODEL_FILE, VOTES_FILE
from assay.tasks import Vote
from assay.votes import Votes, bare, matched_rows

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]


class Labeled(Protocol):
    """What a run leaves behind."""

    @property
    def votes(self) -> Votes:
        """What the sources said."""

    @property
    def model(self) -> LabelModel:
        """Fitted on these votes."""

    @property
    def labels(self) -> Labels:
        """What the model made of them."""


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A run that was read from its output folder."""

    votes: Votes
    model: LabelModel
    labels: Labels

    @classmethod
    def read(cls, folder: str | Path) -> StoredRun:
        """What ``assay run`` left in an output folder; a project folder leads to its own."""
        home = Path(folder)
        output = Project.load(home).output if (home / FILE).is_file() else home
        missing = [name for name in (VOTES_FILE, MODEL_FILE, LABELS_FILE) if not (output / name).is_file()]
        if missing:
            raise ProjectError(
                f"{home} holds no finished run: {', '.join(missing)} is missing in {output}; 'assay run' writes it"
            )
        for what, name in ((MODEL, MODEL_FILE), (LABELS, LABELS_FILE)):
            for told in stale(output, what, output / name):
                raise ProjectError(f"{output / name} {told}; 'assay run' makes all of it anew")
        return cls(
            Votes.from_parquet(output / VOTES_FILE),
            LabelModel.load(output / MODEL_FILE),
            Labels.from_parquet(output / LABELS_FILE),
        )


@dataclass(frozen=True)
class EditedSource:
    """A source that says something else about items that both runs have."""

    name: str
    changed: int
    """On how many items its vote is another one: given up, new, or for something else."""
    before: int
    """How many votes it cast on the items of both runs."""
    after: int


@dataclass(frozen=True)
class FlippedItem:
    """An item whose label changed."""

    row: int
    """Its number in the second run."""
    name: str | None
    task: str
    before: str
    after: str
    before_probability: float
    after_probability: float
    votes: tuple[tuple[str, str | None, str | None], ...]
    """Votes that changed: the source, what it said, and what it says now; None is an abstention."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one run to another. Made by :func:`assay.compare`."""

    items: int
    """How many items both runs have."""
    added: tuple[str, ...]
    """Sources that only the second run has."""
    removed: tuple[str, ...]
    """Sources that only the first one had."""
    edited: tuple[EditedSource, ...]
    """Sources of both whose votes changed, the most first."""
    accuracies: pd.DataFrame
    """Per source and value of both: *before* and *after*, by how much it *moved*, and whether that is *beyond_error*:
    its two 95% intervals have nothing in common. The largest moves first."""
    flips: pd.DataFrame
    """Per task, label *before* and label *after* the number of *items* that went from one to the other."""
    flipped: int
    """How many items have another label for some task."""
    examples: tuple[FlippedItem, ...]
    """Some of those, the surest changes first."""
    notes: tuple[str, ...] = ()
    """What could not be compared, and why."""

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.added)} sources added, {len(self.removed)} removed, {len(self.edited)} edited; "
            f"{self.flipped:,} of {self.items:,} items flipped)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything it says, for JSON."""
        return {
            "items": self.items,
            "added": list(self.added),
            "removed": list(self.removed),
            "edited": [asdict(source) for source in self.edited],
            "accuracies": self.accuracies.astype(object).to_dict("records"),
            "flips": self.flips.astype(object).to_dict("records"),
            "flipped": self.flipped,
            "examples": [asdict(item) for item in self.examples],
            "notes": list(self.notes),
        }


def compare(one: str | Path | Labeled, other: str | Path | Labeled, *, items: int = 10) -> Comparison:
    """What changed from one run to another.

    Items are matched by their names where both runs have them, and else by their place, if there are equally many.

    Parameters
    ----------
    one, other
        Project folders, output folders of ``assay run``, or what has ``votes``, a fitted ``model`` and ``labels``.
    items
        How many items to name whose labels changed.

    >>> from dataclasses import make_dataclass
    >>> from assay.simulate import flat_world
    >>> Done = make_dataclass("Done", ["votes", "model", "labels"])
    >>> def run(votes):
    ...     model = LabelModel().fit(votes)
    ...     return Done(votes, model, model.label(votes))
    >>> votes = flat_world(sources=6, seed=3).draw(2000).votes
    >>> compare(run(votes), run(votes.drop("5")))
    Comparison(0 sources added, 1 removed, 0 edited; 155 of 2,000 items flipped)
    """
    if not isinstance(items, int) or items < 0:
        raise AssayError(f"items must be a non-negative integer, but is {items!r}")
    first, second = (StoredRun.read(run) if isinstance(run, str | Path) else run for run in (one, other))
    rows, notes = _matched(first.votes, second.votes)
    common = [name for name in first.votes.names if name in second.votes.names]
    changed = {name: _changed(first.votes, second.votes, name, rows) for name in common} if rows else {}
    flips, flipped, examples = _flips(first, second, rows, changed, items)
    tasks = [task.name for task in first.labels.tasks if task not in second.labels.tasks.tasks]
    tasks += [task.name for task in second.labels.tasks if task not in first.labels.tasks.tasks]
    if tasks:
        notes = (*notes, f"tasks that differ are not compared: {', '.join(dict.fromkeys(tasks))}")
    return Comparison(
        items=len(rows[0]) if rows else 0,
        added=tuple(name for name in second.votes.names if name not in first.votes.names),
        removed=tuple(name for name in first.votes.names if name not in second.votes.names),
        edited=tuple(sorted(_edited(changed), key=lambda source: -source.changed)),
        accuracies=_accuracies(first.model, second.model),
        flips=flips,
        flipped=flipped,
        examples=examples,
        notes=notes,
    )


Rows = tuple[IntArray, IntArray]
"""The items of both runs: their row numbers in the first, and in the second."""


def _matched(one: Votes, other: Votes) -> tuple[Rows | None, tuple[str, ...]]:
    if one.items is not None and other.items is not None:
        left, right = matched_rows(one.items, other.items)
        told = [
            f"{count:,} items are in the {which} run only"
            for count, which in ((len(one) - len(left), "first"), (len(other) - len(left), "second"))
            if count
        ]
        return (left, right), tuple(told)
    if len(one) == len(other):
        return (np.arange(len(one)), np.arange(len(one))), ()
    why = f"the runs have {len(one):,} and {len(other):,} items without names, so items cannot be matched"
    return None, (f"{why}; votes and labels are not compared",)


@dataclass(frozen=True, eq=False)
class _Changed:
    """The votes of one source on the items of both runs."""

    name: str
    before: npt.NDArray[np.int64]
    after: npt.NDArray[np.int64]
    values: tuple[Vote, ...]
    """What the numbers stand for; −1 abstains."""

    def at(self, row: int) -> tuple[str, str | None, str | None]:
        """What it said about an item, and says now."""
        before, after = (None if code < 0 else str(self.values[code]) for code in (self.before[row], self.after[row]))
        return self.name, before, after


def _changed(one: Votes, other: Votes, name: str, rows: Rows) -> _Changed:
    numbers: dict[Vote, int] = {}
    columns = []
    for votes, chosen in ((one, rows[0]), (other, rows[1])):
        only = votes.select(name)
        # Levels of confidence are cut anew in every run, so that only labels can be compared.
        said = [numbers.setdefault(bare(vote), len(numbers)) for vote in only.values[0]]
        place = np.array([*said, -1], dtype=np.int64)
        columns.append(place[only.codes[:, 0]][chosen])
    return _Changed(name, columns[0], columns[1], tuple(numbers))


def _edited(changed: dict[str, _Changed]) -> Iterator[EditedSource]:
    for name, votes in changed.items():
        count = int((votes.before != votes.after).sum())
        if count:
            yield EditedSource(name, count, int((votes.before >= 0).sum()), int((votes.after >= 0).sum()))


def _accuracies(one: LabelModel, other: LabelModel) -> pd.DataFrame:
    key = ["source", "task", "value"]
    figures = ["accuracy", "low", "high"]
    used = [model.sources_[model.sources_["votes"] > 0][key + figures] for model in (one, other)]
    both = used[0].merge(used[1], on=key, suffixes=("_before", "_after"))
    both["moved"] = both["accuracy_after"] - both["accuracy_before"]
    both["beyond_error"] = (both["low_after"] > both["high_before"]) | (both["high_after"] < both["low_before"])
    both = both.rename(columns={"accuracy_before": "before", "accuracy_after": "after"})
    order = both["moved"].abs().sort_values(ascending=False, kind="stable").index
    return both.loc[order, [*key, "before", "after", "moved", "beyond_error"]].reset_index(drop=True)


def _flips(
    one: Labeled, other: Labeled, rows: Rows | None, changed: dict[str, _Changed], most: int
) -> tuple[pd.DataFrame, int, tuple[FlippedItem, ...]]:
    import pandas as pd

    columns = ["task", "before", "after", "items"]
    if rows is None:
        return pd.DataFrame(columns=columns), 0, ()
    flipped = np.zeros(len(rows[0]), dtype=bool)
    counted: list[pd.DataFrame] = []
    examples: list[tuple[float, int, str, npt.NDArray[np.object_], npt.NDArray[np.object_]]] = []
    for task in one.labels.tasks:
        if task not in other.labels.tasks.tasks:
            continue
        before, after = (
            np.where(pd.isna(names := run.labels.names(task.name)[chosen]), NOT_APPLICABLE, names)
            for run, chosen in ((one, rows[0]), (other, rows[1]))
        )
        moved = before != after
        flipped |= moved
        pairs = pd.DataFrame({"before": before[moved], "after": after[moved]}).value_counts().reset_index(name="items")
        counted.append(pairs.assign(task=task.name)[columns])
        # The more probability moved, the surer is the change.
        shift = np.abs(one.labels[task.name][rows[0]] - other.labels[task.name][rows[1]]).sum(axis=1) / 2
        order = np.flatnonzero(moved)[np.argsort(-shift[moved], kind="stable")[:most]]
        examples += [(float(shift[row]), int(row), task.name, before, after) for row in order]
    table = pd.concat(counted, ignore_index=True) if counted else pd.DataFrame(columns=columns)
    table = table.sort_values("items", ascending=False, kind="stable").reset_index(drop=True)
    named: dict[int, FlippedItem] = {}
    for _, row, name, before, after in sorted(examples, key=lambda entry: (-entry[0], entry[1])):
        if row not in named and len(named) < most:
            named[row] = _example(one, other, rows, changed, row, name, str(before[row]), str(after[row]))
    return table, int(flipped.sum()), tuple(named.values())


def _example(
    one: Labeled,
    other: Labeled,
    rows: Rows,
    changed: dict[str, _Changed],
    row: int,
    task: str,
    before: str,
    after: str,
) -> FlippedItem:
    labels = [*other.labels.tasks[task].labels, NOT_APPLICABLE]
    left, right = int(rows[0][row]), int(rows[1][row])
    items = other.votes.items
    return FlippedItem(
        row=right,
        name=None if items is None else str(items[right]),
        task=task,
        before=before,
        after=after,
        before_probability=float(one.labels[task][left, labels.index(before)]),
        after_probability=float(other.labels[task][right, labels.index(after)]),
        votes=tuple(votes.at(row) for votes in changed.values() if votes.before[row] != votes.after[row]),
    )
