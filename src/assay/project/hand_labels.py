"""Labeling a project's items by hand: which to ask about, what to show of them, and keeping what people say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay._core.rows import records_at
from assay.errors import ProjectError, near_miss
from assay.gold import HandAnswer, Item, Kind, append_answer, read_answers
from assay.model import ALL_RANDOM, LabelModel, choice_of
from assay.project.project import Project
from assay.project.stored import MODEL_FILE, all_said, current_votes, stored_label_model
from assay.votes import Votes, rows_named

_BATCH = 20
"""How many items are chosen together."""


class Queued(NamedTuple):
    """An item to ask about, and how it was chosen."""

    row: int
    kind: Kind | None
    chance: float | None
    """The probability with which it was chosen, if that is known."""


def queue(
    project: Project,
    n: int,
    random_only: bool = False,
    *,
    also: Sequence[Path] = (),
    votes: Votes | None = None,
    model: LabelModel | None = None,
) -> list[Queued]:
    """The next items to label by hand, at most ``n``, none of which anybody has labeled or skipped.

    They are chosen by :func:`assay.model.choice_of` if the model of the last run has learned from hand labels, and at
    random if not, or if ``random_only``. Until the next run their order does not depend on ``n``: who stops and comes
    back goes on where they were. ``also`` are files of hand labels besides the project's own; ``votes`` and ``model``
    are those of the project, if they were read already.
    """
    votes = current_votes(project) if votes is None else votes
    open_rows = unlabeled(project, votes, also)
    if not random_only:
        taught = taught_model(project, votes) if model is None else _if_taught(model)
        if taught is not None:
            return list(islice(_in_batches(taught, votes, set(open_rows), project.model.seed), n))
    order = np.random.default_rng(project.model.seed).permutation(len(votes))
    chosen = order[np.isin(order, open_rows)][:n].tolist()
    return [Queued(row, "random", len(chosen) / len(open_rows)) for row in chosen]


def taught_model(project: Project, votes: Votes) -> LabelModel | None:
    """The model of the last run, if it has learned from enough hand labels to tell which are useful.

    After other sources were applied, votes are no longer those that it has learned from: that is refused.
    """
    if not (project.output / MODEL_FILE).is_file():
        return None
    return _if_taught(stored_label_model(project, votes))


def _if_taught(model: LabelModel) -> LabelModel | None:
    gold = model.fitted_.gold
    return model if gold is not None and len(gold) >= ALL_RANDOM else None


def queue_of(project: Project, votes: Votes, rows: npt.NDArray[np.int64], n: int) -> list[Queued]:
    """The first of some items, in their order, that nobody has labeled or skipped; with what chance is not known."""
    is_open = np.zeros(len(votes), dtype=bool)
    is_open[unlabeled(project, votes)] = True
    return [Queued(row, None, None) for row in rows[is_open[rows]][:n].tolist()]


def _in_batches(model: LabelModel, votes: Votes, open_rows: set[int], seed: int) -> Iterator[Queued]:
    """Batch after batch, each as if those before it had labels, whether they have or not: so the order stays."""
    gold = model.fitted_.gold
    asked = np.zeros(len(votes), dtype=bool)
    asked[[] if gold is None else gold.found_in(votes)[1]] = True
    while not asked.all():
        choice = choice_of(model, votes, _BATCH, asked=asked, seed=seed)
        for row, kind, chance in zip(choice.rows.tolist(), choice.kinds, choice.chances.tolist(), strict=True):
            if row in open_rows:
                yield Queued(row, kind, chance)
        asked[choice.rows] = True


def unlabeled(project: Project, votes: Votes, also: Sequence[Path] = ()) -> list[int]:
    """The rows of items that nobody has labeled or skipped."""
    said = rows_named(votes.items, len(votes), [one.item for one in all_said(project, also).said])
    is_open = np.ones(len(votes), dtype=bool)
    is_open[said[said >= 0]] = False
    rows: list[int] = np.flatnonzero(is_open).tolist()
    return rows


@dataclass(frozen=True)
class ItemShown:
    """An item as people see it who label it."""

    row: int
    item: Item
    """Its name, or its row number if items have no names."""
    record: dict[str, Any]
    """The columns to show."""
    votes: tuple[tuple[str, str], ...]
    """Who voted for what."""

    @property
    def excerpt(self) -> str:
        """The longest text of it, on one line."""
        there = [value for value in self.record.values() if value is not None]
        texts = [value for value in there if isinstance(value, str)]
        return " ".join(max(texts or map(str, there), key=len, default="").split())


def shown_items(project: Project, votes: Votes, rows: Iterable[int]) -> dict[int, ItemShown]:
    """Some items of a project, by row, with what to show of them."""
    wanted = list(rows)
    records = records_at(project.data, wanted)
    return {row: _shown(project, votes, row, records.get(row)) for row in wanted}


def _shown(project: Project, votes: Votes, row: int, record: dict[str, Any] | None) -> ItemShown:
    name = row if votes.items is None else votes.items[row : row + 1].tolist()[0]
    named = None if record is None or project.id is None else record.get(project.id)
    if record is None or (project.id is not None and str(named) != str(name)):
        raise ProjectError(
            f"the data has changed since the sources were applied: row {row} was item {name!r}, and is now "
            f"{'not there' if record is None else repr(named)}; run 'assay apply {project.folder}' again"
        )
    for column in project.show:
        if column not in record:
            raise ProjectError(f"[data] show names the column {column!r}. {near_miss(column, record)}")
    only = votes.take([row]).cast
    cast = tuple(
        (votes.names[source], str(votes.values[source][code]))
        for source, code in zip(only.sources.tolist(), only.codes.tolist(), strict=True)
    )
    return ItemShown(row, name, {column: record[column] for column in project.show or record}, cast)


@dataclass(frozen=True)
class Answers:
    """The file that one person's answers about a project's items go to."""

    project: Project
    by: str
    path: Path

    @classmethod
    def of(cls, project: Project, by: str, path: Path | None = None) -> Answers:
        """Those of a person; to the project's own file if no other is given."""
        if not by.strip():
            raise ProjectError("labels need the name of who gives them: --by NAME")
        return cls(project, by.strip(), project.hand_labels[0] if path is None else path)

    def record(self, queued: Queued, item: Item, answer: dict[str, str | None] | None) -> None:
        """Write an answer, or with None that the item was skipped; it is on disk when this returns."""
        said = HandAnswer(item, self.by, answer, chosen=queued.kind, chance=queued.chance)
        if answer is not None:
            self.project.tasks.label_space.vote(answer)  # nothing gets into the file that cannot be
        append_answer(self.path, said)

    def take_back(self, item: Item) -> None:
        """Write that the last answer about an item is taken back."""
        append_answer(self.path, HandAnswer(item, self.by, is_undo=True))

    def standing(self) -> list[HandAnswer]:
        """What this person said in this file and has not taken back, in order, oldest first."""
        stands: list[HandAnswer] = []
        for one in read_answers(self.path) if self.path.is_file() else ():
            if one.by != self.by:
                continue
            if not one.is_undo:
                stands.append(one)
            else:
                last = max((at for at, other in enumerate(stands) if other.item == one.item), default=None)
                stands = stands if last is None else [*stands[:last], *stands[last + 1 :]]
        return stands


def past_of(answers: Answers, votes: Votes) -> list[tuple[Queued, bool]]:
    """What a person said about items that are still there, oldest first: how each was chosen, and whether skipped."""
    said = answers.standing()
    rows = rows_named(votes.items, len(votes), [one.item for one in said]).tolist()
    return [
        (Queued(row, one.chosen, one.chance), one.answer is None)
        for row, one in zip(rows, said, strict=True)
        if row >= 0
    ]
