"""Annotations: what each person said about each item in an annotation tool, and the two ways on from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.annotations.plain_tables import LabelColumns
from assay.errors import DataError, listing, near_miss
from assay.gold import HandAnswer, HandLabels, Item
from assay.tasks import TaskGraph, negated, none_of, question
from assay.votes import Votes, item_names

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Annotation:
    """What one person said about one item: labels of one task, or that a label is wrong, or nothing (skipped)."""

    item: Item
    """The name of the item, as in the data that went into the tool, or the tool's own."""
    by: str
    """Who said it."""
    labels: tuple[str, ...] = ()
    """The labels that were given."""
    task: str | None = None
    """The question that they answer, if the tool has names for questions."""
    rejected: str | None = None
    """A label that was shown and is wrong, of tools that ask about one label at a time."""
    at: datetime | None = None
    """When it was said, if that is known."""
    place: str | None = field(default=None, compare=False)
    """Where in the file it was said, such as ``line 7``."""

    @property
    def is_skipped(self) -> bool:
        """Whether the item was looked at, and nothing was said about it."""
        return not self.labels and self.rejected is None


@dataclass(frozen=True, eq=False, repr=False)
class Annotations:
    """What people said in an annotation tool; made by :func:`assay.read_annotations`.

    >>> said = Annotations("doccano", (Annotation(1, "ann", ("spam",)), Annotation(2, "ann", ("ham",))))
    >>> said
    Annotations(doccano: 2 items by ann)
    >>> said.hand_labels(TaskGraph.flat("mail", ["ham", "spam"])).answers
    {1: {'mail': 'spam'}, 2: {'mail': 'ham'}}
    """

    tool: str
    said: tuple[Annotation, ...]
    columns: LabelColumns | None = None
    """The columns of a plain table that labels were read from, and those that were not."""

    def __len__(self) -> int:
        return len(self.said)

    def __repr__(self) -> str:
        people = list(dict.fromkeys(one.by for one in self.said))
        items = len({one.item for one in self.said})
        who = ", ".join(people) if len(people) < 4 else f"{len(people)} people"
        return f"Annotations({self.tool}: {items:,} item{'s' * (items != 1)} by {who or 'nobody'})"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each label that somebody gave: *item*, *worker*, *task*, *label*; for :func:`assay.crowd`."""
        import pandas as pd

        rows = [(one.item, one.by, one.task, label) for one in self.said for label in one.labels]
        return pd.DataFrame(rows, columns=["item", "worker", "task", "label"])

    def hand_labels(self, tasks: TaskGraph, task: str | None = None) -> HandLabels:
        """As hand labels: gold for whatever takes gold.

        Parameters
        ----------
        tasks
            The task graph of the labels.
        task
            The task that labels belong to, if the tool does not say and their names do not either.

        Raises
        ------
        DataError
            If a label is not among those of the tasks; names item and person.
        """
        return HandLabels.of(self.answers(tasks, task))

    def answers(self, tasks: TaskGraph, task: str | None = None) -> tuple[HandAnswer, ...]:
        """The same as single answers, each to be written to a file of hand labels.

        A label that was found wrong settles a task with two labels; of others it says too little, and the item counts
        as skipped.
        """
        answered: dict[tuple[Item, str], dict[str, str]] = {}
        when: dict[tuple[Item, str], datetime | None] = {}
        for one in self.said:
            key = one.item, one.by
            answered.setdefault(key, {})
            when[key] = one.at or when.get(key)
            for name, label in self._settled(one, tasks, task):
                known = answered[key].setdefault(name, label)
                if known != label:
                    raise DataError(
                        f"{_at(one)}{one.by} gave item {one.item!r} two labels of task {name!r}, {known!r} and "
                        f"{label!r}; if any number of them may apply, declare the task with multiple=True"
                    )
        return tuple(HandAnswer(item, by, said or None, at=when[item, by]) for (item, by), said in answered.items())

    def votes(self, tasks: TaskGraph | None = None, task: str | None = None) -> Votes:
        """As votes, in which every person is a source.

        Parameters
        ----------
        tasks
            The task graph; by default one task with the labels that occur.
        task
            The task that the labels belong to, if their names do not say.
        """
        asked = {one.task for one in self.said}
        if tasks is None and len(asked) > 1:
            raise DataError(
                f"the annotations answer several questions, {listing(sorted(map(str, asked)))}; give tasks="
            )
        if tasks is not None and len(asked) > 1:
            return self._votes_on_all(tasks, task)
        rows: list[tuple[Any, ...]] = [
            (one.item, one.by, label)
            for one in self.said
            for label in (*one.labels, *([] if one.rejected is None else [none_of(one.rejected)]))
        ]
        if not rows:
            raise DataError(f"nobody gave a label in these annotations of {self.tool}")
        named = task or (next(iter(asked)) if tasks is None or next(iter(asked)) in tasks else None)
        return Votes.from_long(_columns(rows), tasks, task=named)

    def _votes_on_all(self, tasks: TaskGraph, task: str | None) -> Votes:
        """One vote a person and item, on all tasks at once."""
        answers = {(one.item, one.by): one.answer for one in self.answers(tasks, task) if one.answer}
        items, people = (list(dict.fromkeys(key[at] for key in answers)) for at in (0, 1))
        columns = {str(by): [answers.get((item, str(by))) for item in items] for by in people}
        return replace(Votes.from_columns(tasks, columns), items=item_names(np.array(items)))

    def _settled(self, one: Annotation, tasks: TaskGraph, task: str | None) -> Iterator[tuple[str, str]]:
        """The questions of the graph that an annotation answers, with their answers."""
        for name, labels in _by_task(one, tasks, task).items():
            if name in tasks.multiple:
                for label in tasks.multiple[name]:
                    yield question(name, label), label if label in labels else negated(label)
            else:
                yield from ((name, label) for label in labels)
        if one.rejected is not None:
            name = _task_of(one, one.rejected, tasks, task)
            others = [label for label in _labels_of(tasks, name) if label != one.rejected]
            if len(others) == 1:
                yield name, others[0]


def _columns(rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(("item", "worker", "label"))}


def _by_task(one: Annotation, tasks: TaskGraph, task: str | None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for label in one.labels:
        found.setdefault(_task_of(one, label, tasks, task), []).append(label)
    return found


def _task_of(one: Annotation, label: str, tasks: TaskGraph, task: str | None) -> str:
    """The task of a label: the one told, the one the tool names, or the only one that has such a label."""
    declared = {known.name: known.labels for known in tasks.declared}
    named = one.task if task is None else task
    if named is not None and named not in declared and len(declared) == 1:
        named = None  # tools have names of their own for the only question there is
    having = [name for name, labels in declared.items() if label in labels]
    where = f"{_at(one)}the annotation of item {one.item!r} by {one.by}"
    if named is not None:
        if named not in declared:
            raise DataError(f"{where} answers {named!r}, which is no task. {near_miss(named, declared)}")
        if named not in having:
            raise DataError(f"{where}: {label!r} is no label of {named!r}. {near_miss(label, declared[named])}")
        return named
    if len(having) == 1:
        return having[0]
    if having:
        raise DataError(f"{where}: {label!r} is a label of {listing(having)}; say which task is meant, as task=")
    raise DataError(f"{where}: no task has the label {label!r}. {near_miss(label, _all_labels(declared))}")


def _at(one: Annotation) -> str:
    return "" if one.place is None else f"{one.place}: "


def _labels_of(tasks: TaskGraph, name: str) -> tuple[str, ...]:
    return next(known.labels for known in tasks.declared if known.name == name)


def _all_labels(declared: Any) -> list[str]:
    return list(dict.fromkeys(label for labels in declared.values() for label in labels))
