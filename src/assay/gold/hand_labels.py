"""Hand labels: what people said about items, merged into gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError, DataError, VoteError
from assay.gold.hand_label_file import Answer, HandAnswer, Item, read_answers
from assay.votes import Votes, as_votes, of_some, rows_named, unknown_items

if TYPE_CHECKING:
    import pandas as pd

_PLACES_SHOWN = 5


@dataclass(frozen=True, eq=False)
class HandLabels:
    """What people said about items by hand; gold for whatever takes gold.

    The last answer of each person on an item counts. Answers that do not contradict each other are taken together: if
    one person says ``Person`` and another ``Doctor``, it is a doctor. Where two people give different labels to a task,
    the label that more than half of all who answered agree on is gold, and otherwise the item has no gold for this
    task; either way it is listed in :attr:`disagreements`.

    Usually read from the files that ``assay label`` writes. Items are known by their names, or by their row
    numbers if they have no names.

    >>> hand = HandLabels.of([
    ...     HandAnswer(2, by="ann", answer={"label": "1"}, chosen="random", chance=0.5),
    ...     HandAnswer(0, by="ann"),
    ... ])
    >>> hand
    HandLabels(1 item labeled by ann, 1 skipped)
    >>> votes = Votes.from_matrix([[0, 1], [1, 1], [1, 0]])
    >>> votes.gold(hand).to_pandas()["gold"].tolist()
    [None, None, '1']
    >>> hand.weights(votes).tolist()
    [1.0, 1.0, 2.0]
    """

    said: tuple[HandAnswer, ...]
    """The last word of each person on each item, in the order in which it was said: answers, and items skipped."""

    @classmethod
    def read(cls, paths: str | Path | Iterable[str | Path]) -> Self:
        """Hand labels from one file, or from those of several people.

        A file is known by its lines: an answer each, appended and never changed. The last line may be cut off, as
        happens when a program is killed.

        Raises
        ------
        DataError
            If there is no such file, or a line is not as it should be; names the line.
        """
        files = [paths] if isinstance(paths, str | Path) else list(paths)
        return cls._latest([(str(path), read_answers(path)) for path in files])

    @classmethod
    def of(cls, said: Iterable[HandAnswer]) -> Self:
        """Hand labels from what was said, in order."""
        return cls._latest([("what was said", tuple(said))])

    @classmethod
    def _latest(cls, files: Sequence[tuple[str, Sequence[HandAnswer]]]) -> Self:
        """Within a file the order of lines counts; between files of the same person, the time."""
        last: dict[tuple[str, Item], HandAnswer] = {}
        for where, said in files:
            for key, one in _standing(said, where).items():
                known = last.pop(key, None)
                is_later = known is None or known.at is None or one.at is None or one.at >= known.at
                last[key] = one if is_later or known is None else known
        return cls(tuple(last.values()))

    def __repr__(self) -> str:
        people = ", ".join(self.people) or "nobody"
        told = [f"{len(self)} item{'s' * (len(self) != 1)} labeled by {people}"]
        told += [f"{len(self.skipped)} skipped"] if self.skipped else []
        disputed = len({item for item, _ in self._disputes})
        return f"HandLabels({', '.join([*told, *([f'{disputed} disputed'] if disputed else [])])})"

    def __len__(self) -> int:
        """How many items have gold."""
        return len(self.answers)

    # What was said

    @property
    def people(self) -> tuple[str, ...]:
        """Who said something, in the order in which they first did."""
        return tuple(dict.fromkeys(one.by for one in self.said))

    @property
    def skipped(self) -> tuple[Item, ...]:
        """Items that were skipped, and that nobody gave an answer for."""
        answered = {one.item for one in self.said if one.answer is not None}
        return tuple(dict.fromkeys(one.item for one in self.said if one.item not in answered))

    @cached_property
    def answers(self) -> dict[Item, dict[str, str | None]]:
        """The gold of each item: task -> label, in which None is N/A; people's answers merged."""
        merged = {item: _merged([one.answer or {} for one in said]) for item, said in self._by_item.items()}
        return {item: answer for item, answer in merged.items() if answer}

    @property
    def disagreements(self) -> pd.DataFrame:
        """Answers that contradict each other: per item, task and label who gave it, and whether it is gold."""
        import pandas as pd

        rows = [
            {
                "item": item,
                "task": task,
                "label": label,
                "people": ", ".join(people),
                "gold": task in self.answers.get(item, {}) and self.answers[item][task] == label,
            }
            for (item, task), labels in self._disputes.items()
            for label, people in labels.items()
        ]
        return pd.DataFrame(rows, columns=["item", "task", "label", "people", "gold"])

    def summary(self, by: str = "label") -> pd.DataFrame:
        """How many items have which label, or how much each person said.

        Parameters
        ----------
        by
            ``"label"``: per task and label the number of *items*, and of those chosen at *random* and as *useful*.
            ``"person"``: per person the items *answered* and *skipped*, how many of them others answered too
            (*shared*), and on how many of those they are among the *disputed* ones.

        >>> HandLabels.of([HandAnswer("a", by="ann", answer={"mail": "spam"})]).summary()
                    items  random  useful
        task label
        mail spam       1       0       0
        """
        import pandas as pd

        if by == "person":
            rows = [self._of_person(name) for name in self.people]
            columns = ["person", "answered", "skipped", "shared", "disputed"]
            return pd.DataFrame(rows, columns=columns).set_index("person")
        if by != "label":
            raise AssayError(f"by must be 'label' or 'person', but is {by!r}")
        counts: Counter[tuple[str, str | None, str]] = Counter()
        for item, answer in self.answers.items():
            kinds = {one.chosen for one in self._by_item[item]}
            kind = "random" if "random" in kinds else "useful" if "useful" in kinds else ""
            counts.update((task, label, kind) for task, label in answer.items())
        found = {(task, label): None for task, label, _ in counts}
        rows = [
            {
                "task": task,
                "label": "N/A" if label is None else label,
                "items": sum(counts[task, label, kind] for kind in ("random", "useful", "")),
                "random": counts[task, label, "random"],
                "useful": counts[task, label, "useful"],
            }
            for task, label in found
        ]
        return pd.DataFrame(rows, columns=["task", "label", "items", "random", "useful"]).set_index(["task", "label"])

    def to_pandas(self) -> pd.DataFrame:
        """A row for each item with gold, and a column for each task; missing where nothing is known."""
        import pandas as pd

        tasks = list(dict.fromkeys(task for answer in self.answers.values() for task in answer))
        rows = [["N/A" if task in answer and answer[task] is None else answer.get(task) for task in tasks]
                for answer in self.answers.values()]  # fmt: skip
        return pd.DataFrame(rows, columns=tasks, index=pd.Index(list(self.answers), name="item"), dtype=object)

    # For votes

    def gold_for(self, votes: Any) -> Votes:
        """The gold of the items of some votes, or of a bare matrix of them, as votes of one source named ``gold``.

        :meth:`assay.Votes.gold` calls it, and so does whatever takes gold.

        Raises
        ------
        VoteError
            If the votes have no such item, or the tasks no such label; names the first.
        """
        votes = as_votes(votes)
        rows = self._rows_in(votes, list(self.answers))
        truths = []
        for item, answer in self.answers.items():
            try:
                truths.append(votes.label_space.vote(answer))
            except VoteError as error:
                people = ", ".join(one.by for one in self._by_item[item])
                where = self._where([item])
                raise VoteError(f"the hand label of item {item!r}, by {people}: {error}{where}") from error
        return of_some(votes, Votes.from_columns(votes.tasks, {"gold": truths}), rows)

    def weights(self, votes: Any) -> npt.NDArray[np.float64]:
        """(items,): how many items each hand-labeled one stands for: one over the chance that it was chosen with.

        One where the chance is not known, and for items without a hand label. If several people labeled an item, the
        largest of its chances counts.
        """
        votes = as_votes(votes)
        known: dict[Item, float] = {}
        for one in self.said:
            if one.item in self.answers and one.answer is not None and one.chance is not None:
                known[one.item] = max(one.chance, known.get(one.item, 0.0))
        weights = np.ones(len(votes))
        weights[self._rows_in(votes, list(known))] = [1 / chance for chance in known.values()]
        return weights

    def within(self, votes: Any) -> Self:
        """What was said about the items that some votes have: for a part of the data."""
        votes = as_votes(votes)
        items = list(dict.fromkeys(one.item for one in self.said))
        there = {item for item, row in zip(items, _rows(votes, items), strict=True) if row >= 0}
        return replace(self, said=tuple(one for one in self.said if one.item in there))

    def _rows_in(self, votes: Votes, items: Sequence[Item]) -> npt.NDArray[np.int64]:
        rows = _rows(votes, items)
        if (rows < 0).any():
            unknown = [item for item, row in zip(items, rows, strict=True) if row < 0]
            told = unknown_items(unknown, votes.items, len(votes), "a hand label")
            raise VoteError(f"{told}{self._where(unknown)}")
        return rows

    def _where(self, items: Sequence[Item]) -> str:
        """The places of answers about some items, if they were read from files; for errors."""
        places = [one.place for item in items for one in self._by_item[item] if one.place is not None]
        if not places:
            return ""
        shown = "; ".join(places[:_PLACES_SHOWN]) + ("; …" if len(places) > _PLACES_SHOWN else "")
        return f" ({shown}: mend these lines, or remove them)"

    @cached_property
    def _by_item(self) -> dict[Item, list[HandAnswer]]:
        """Per item that somebody answered, the answers."""
        found: dict[Item, list[HandAnswer]] = {}
        for one in self.said:
            if one.answer is not None:
                found.setdefault(one.item, []).append(one)
        return found

    @cached_property
    def _disputes(self) -> dict[tuple[Item, str], dict[str | None, list[str]]]:
        """Per item and task that people gave different labels to: the people, by label."""
        return {
            (item, task): labels
            for item, said in self._by_item.items()
            for task, labels in _given(said)
            if len(labels) > 1
        }

    def _of_person(self, name: str) -> dict[str, str | int]:
        own = [one for one in self.said if one.by == name]
        answered = [one.item for one in own if one.answer is not None]
        disputed = {item for item, _ in self._disputes}
        return {
            "person": name,
            "answered": len(answered),
            "skipped": len(own) - len(answered),
            "shared": sum(len(self._by_item[item]) > 1 for item in answered),
            "disputed": sum(item in disputed for item in answered),
        }


def _rows(votes: Votes, items: Sequence[Item]) -> npt.NDArray[np.int64]:
    return rows_named(votes.items, len(votes), items)


def _standing(said: Iterable[HandAnswer], where: str) -> dict[tuple[str, Item], HandAnswer]:
    """Per person and item what stands after all that was said in one place; an undo brings back what was before."""
    spoken: dict[tuple[str, Item], list[HandAnswer]] = {}
    for one in said:
        key = one.by, one.item
        if not one.is_undo:
            # What was said last comes last, also if it is about an item that was spoken of before.
            spoken[key] = [*spoken.pop(key, []), one]
        elif not spoken.get(key):
            raise DataError(f"{where}: {one.by} takes back an answer about item {one.item!r}, but there is none")
        else:
            spoken[key].pop()
    return {key: stack[-1] for key, stack in spoken.items() if stack}


def _given(said: Sequence[HandAnswer]) -> Iterator[tuple[str, dict[str | None, list[str]]]]:
    """Per task the labels that people gave, and who gave them."""
    tasks: dict[str, dict[str | None, list[str]]] = {}
    for one in said:
        for task, label in (one.answer or {}).items():
            tasks.setdefault(task, {}).setdefault(label, []).append(one.by)
    yield from tasks.items()


def _merged(answers: Sequence[Answer]) -> dict[str, str | None]:
    """One answer from those of several people; a task they cannot settle is left out.

    >>> _merged([{"entity": "Person"}, {"entity": "Person", "person": "Doctor"}])
    {'entity': 'Person', 'person': 'Doctor'}
    >>> _merged([{"entity": "Person"}, {"entity": "Organization"}, {"entity": "Person", "person": "Doctor"}])
    {'entity': 'Person'}
    """
    counts: dict[str, Counter[str | None]] = {}
    for answer in answers:
        for task, label in answer.items():
            counts.setdefault(task, Counter())[label] += 1
    if all(len(labels) == 1 for labels in counts.values()):
        return {task: next(iter(labels)) for task, labels in counts.items()}
    # Of all who answered, so that any two labels taken were given by one person together, and can both be true.
    top = {task: labels.most_common(1)[0] for task, labels in counts.items()}
    return {task: label for task, (label, count) in top.items() if 2 * count > len(answers)}
