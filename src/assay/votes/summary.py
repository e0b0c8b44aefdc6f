"""Coverage, overlaps and conflicts of sources, and their accuracy against gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import texts_of
from assay.votes.levels import bare
from assay.votes.split import SplitVotes

if TYPE_CHECKING:
    import pandas as pd

    from assay.tasks import Vote
    from assay.votes.schema import OutcomeSets
    from assay.votes.votes import Votes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

BLOCK = 65_536
"""Rows that are processed together; bounds memory use, and does not affect the result."""

_VOTES_AT_ONCE = 2**22
"""The same for votes on many components, which are sorted by these."""

_Z = 1.959963984540054
"""Standard deviations on each side of a 95% interval."""


SILENCE_AGAINST = 0.4
"""In a majority vote where any subset of labels may apply: the part of a vote against a label that it is if a source
could have named it and did not. Chosen on simulated votes: with none of it, a single error of many sources is enough;
with all of it, it takes most of them to find a label."""


def summarize(votes: Votes, gold: Votes | None, by: str, weights: FloatArray | None = None) -> pd.DataFrame:
    """The table of :meth:`assay.Votes.summary`; ``weights`` (items,) are how many items each row represents."""
    import pandas as pd

    if by not in ("source", "task", "overall"):
        raise VoteError(f"by must be 'source', 'task' or 'overall', but got {by!r}")
    listed = votes.cast
    cast = _Cast(
        listed.row,
        np.ones(len(votes)) if weights is None else weights,
        *overlaps_and_conflicts(votes),
        *(compare_with_gold(votes, gold) if gold is not None else (None, None)),
    )
    if by == "overall":
        everything = np.arange(len(listed.sources))
        row = {"sources": len(votes.names), "votes": cast.count(everything), **cast.figures(everything)}
        return pd.DataFrame([row], index=pd.Index(["overall"], name="votes of"))
    if by == "task":
        return _table(_by_task(votes, cast), "task")
    by_source = np.argsort(listed.sources, kind="stable")
    ends = np.cumsum([0, *np.bincount(listed.sources, minlength=len(votes.names))])
    rows = {}
    for j, (name, values) in enumerate(zip(votes.names, votes.values, strict=True)):
        own = by_source[ends[j] : ends[j + 1]]
        said = [values[code] for code in np.flatnonzero(np.bincount(listed.codes[own], minlength=len(values)))]
        covered = {task for vote in said or values for task in vote.tasks}
        apart = ", " if all(len(vote.labels) == 1 for vote in said) else " | "
        rows[name] = {
            "task": ", ".join(task for task in votes.tasks.names if task in covered),
            "labels": apart.join(_labels(said)),
            **cast.figures(own),
        }
    return _table(rows, "source")


def _labels(said: Sequence[Vote]) -> list[str]:
    """The labels of votes, each with how many levels of confidence it was said at, if several."""
    levels = Counter(bare(vote) for vote in said)
    texts = texts_of(list(levels), beside_tasks=True)
    return [
        f"{text} ({count} levels)" if count > 1 else text for text, count in zip(texts, levels.values(), strict=True)
    ]


def _by_task(votes: Votes, cast: _Cast) -> dict[str, dict[str, Any]]:
    """Per task the summary of the votes that name it."""
    listed = votes.cast
    flat = [vote for values in votes.values for vote in values]
    named: dict[str, list[int]] = {task.name: [] for task in votes.tasks}
    for number, vote in enumerate(flat):
        for name in vote.tasks:
            named[name].append(number)
    numbers = votes.schema.offsets[listed.sources] + listed.codes
    by_value = np.argsort(numbers, kind="stable")
    ends = np.cumsum([0, *np.bincount(numbers, minlength=len(flat))])
    found = {}
    for task in votes.tasks:
        own = [by_value[ends[number] : ends[number + 1]] for number in named[task.name]]
        where = np.sort(np.concatenate([*own, np.empty(0, dtype=np.int64)]))
        said = [flat[number] for number, there in zip(named[task.name], own, strict=True) if len(there)]
        emitted = {label for vote in said for label in vote.labels_of(task.name, task.labels)}
        found[task.name] = {
            "sources": len(np.unique(listed.sources[where])),
            "votes": cast.count(where),
            "labels": len(task.labels),
            "never voted": ", ".join(label for label in task.labels if label not in emitted),
            **cast.figures(where),
        }
    return found


@dataclass(frozen=True, eq=False)
class _Cast:
    """The votes that were cast, in the order of :attr:`assay.Votes.cast`."""

    row: npt.NDArray[np.int64]
    weights: FloatArray
    """(items,): how many items each row represents."""
    overlaps: BoolArray
    conflicts: BoolArray
    right: BoolArray | None
    wrong: BoolArray | None

    def count(self, chosen: npt.NDArray[np.integer]) -> int:
        """How many votes the chosen ones represent."""
        return round(float(self.weights[self.row[chosen]].sum()))

    def figures(self, chosen: npt.NDArray[np.integer]) -> dict[str, Any]:
        """The summary columns for some of the votes."""
        found: dict[str, Any] = {
            "coverage": self._share(chosen),
            "overlaps": self._share(chosen[self.overlaps[chosen]]),
            "conflicts": self._share(chosen[self.conflicts[chosen]]),
        }
        if self.right is None or self.wrong is None:
            return found
        correct, incorrect = self.count(chosen[self.right[chosen]]), self.count(chosen[self.wrong[chosen]])
        low, high = wilson(correct, correct + incorrect)
        return found | {
            "correct": correct,
            "incorrect": incorrect,
            "accuracy": correct / (correct + incorrect) if correct + incorrect else None,
            "accuracy_low": low,
            "accuracy_high": high,
        }

    def _share(self, chosen: npt.NDArray[np.integer]) -> float:
        """The share of items that have one of these votes."""
        items = float(self.weights.sum())
        # Marked rather than sorted out: a source may vote on an item more than once, and there may be millions.
        has_one = np.zeros(len(self.weights), dtype=bool)
        has_one[self.row[chosen]] = True
        return float(self.weights[has_one].sum() / items) if items else 0.0


def overlaps_and_conflicts(votes: Votes) -> tuple[BoolArray, BoolArray]:
    """Per vote cast: whether another source votes on the same item and component, and whether one contradicts it.

    Votes contradict each other if they have no outcome in common.
    """
    overlaps, conflicts = (np.zeros(len(votes.cast.sources), dtype=bool) for _ in range(2))
    disjoint: dict[int, npt.NDArray[np.float32]] = {}
    for block in _blocks(votes):
        if block.component not in disjoint:
            disjoint[block.component] = _disjoint(block.sets)
        says = block.set_of >= 0
        # Whether votes conflict depends only on their sets, so it is enough to count sets per item.
        against = (block.counts > 0).astype(np.float32) @ disjoint[block.component] > 0
        overlaps[block.cast] |= says & (block.counts.sum(axis=1) > 1)[block.row]
        conflicts[block.cast] |= says & against[block.row, block.set_of]
    return overlaps, conflicts


def contradictions(votes: Votes) -> npt.NDArray[np.int64]:
    """(items,): the number of pairs of votes on an item that contradict each other.

    >>> from assay import Votes
    >>> contradictions(Votes.from_matrix([[0, 1, 1], [0, 0, -1], [0, 1, 2]])).tolist()
    [2, 0, 3]
    """
    found = np.zeros(len(votes), dtype=np.int64)
    disjoint: dict[int, npt.NDArray[np.float32]] = {}
    for block in _blocks(votes):
        if block.component not in disjoint:
            disjoint[block.component] = _disjoint(block.sets)
        counts = block.counts.astype(np.float32)
        pairs = ((counts @ disjoint[block.component]) * counts).sum(axis=1) / 2
        found[block.start : block.start + len(pairs)] += np.rint(pairs).astype(np.int64)
    return found


def _disjoint(sets: OutcomeSets) -> npt.NDArray[np.float32]:
    """(sets, sets): 1 for sets that have no outcome in common, else 0."""
    overlap = sets.masks.astype(np.int64) @ sets.masks.T.astype(np.int64)
    disjoint: npt.NDArray[np.float32] = (overlap == 0).astype(np.float32)
    return disjoint


@dataclass(frozen=True, eq=False)
class _BlockOfSets:
    """Some consecutive rows, and the sets of outcomes of one component that their votes stand for."""

    component: int
    sets: OutcomeSets
    start: int
    """The number of the first row."""
    cast: slice | npt.NDArray[np.int64]
    """Where their votes are in the list of votes cast."""
    row: npt.NDArray[np.int64]
    """(votes,): the row of each, within the block."""
    set_of: npt.NDArray[np.int32]
    """(votes,): the set of each; −1 where it says nothing about the component."""
    counts: npt.NDArray[np.int64]
    """(rows, sets): the number of votes of each row for each set; trailing rows without votes are left out."""


def _blocks(votes: Votes) -> Iterator[_BlockOfSets]:
    """All votes, component by component; of many components, each only with the votes that speak about it."""
    if votes.schema.is_taken_apart:
        yield from _blocks_apart(votes)
        return
    for index, sets in enumerate(votes.outcome_sets):
        for start, cast, row, numbers in _rows_of_votes(votes):
            set_of = sets.of_value[numbers]
            yield from _block(index, sets, start, cast, row, set_of)


def _blocks_apart(votes: Votes) -> Iterator[_BlockOfSets]:
    most = max(int(_VOTES_AT_ONCE / max(votes.cast.mean_votes, 1.0)), 1)
    for start in range(0, len(votes), most):
        part = votes.cast.block(start, min(start + most, len(votes)))
        split = SplitVotes.of(votes.schema, part)
        before = int(votes.cast.starts[start])
        for index, vote in split.spoken_about():
            own = votes.schema.places[index].schema
            said = split.of_component(index, len(own.names), own.code_type)
            sets = own.outcome_sets[0]
            set_of = sets.of_value[own.offsets[said.sources] + said.codes]
            yield from _block(index, sets, start, before + vote, said.row, set_of)


def _rows_of_votes(votes: Votes) -> Iterator[tuple[int, slice, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Blocks of rows: the first, where their votes are, the row of each within the block, and the numbers of values."""
    listed = votes.cast
    for start in range(0, len(votes), BLOCK):
        starts = listed.starts[start : start + BLOCK + 1]
        cast = slice(int(starts[0]), int(starts[-1]))
        if cast.stop > cast.start:
            row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            yield start, cast, row, votes.schema.offsets[listed.sources[cast]] + listed.codes[cast]


def _block(
    component: int,
    sets: OutcomeSets,
    start: int,
    cast: slice | npt.NDArray[np.int64],
    row: npt.NDArray[np.int64],
    set_of: npt.NDArray[np.int32],
) -> Iterator[_BlockOfSets]:
    width = len(sets.masks)
    if not width:  # no source votes on this component
        return
    says = set_of >= 0
    at = row[says] * width + set_of[says]
    counts = np.bincount(at, minlength=(int(row[-1]) + 1) * width).reshape(-1, width)
    yield _BlockOfSets(component, sets, start, cast, row, set_of, counts)


def set_counts(votes: Votes, sets: OutcomeSets) -> Iterator[tuple[slice, npt.NDArray[np.int32]]]:
    """Blocks of rows, each with the (rows, sets) number of votes of each row for each set."""
    from assay._core import counting_loops

    for start in range(0, len(votes), BLOCK):
        rows = slice(start, min(start + BLOCK, len(votes)))
        block = votes.block(rows.start, rows.stop)
        counts = np.zeros((len(block), len(sets.masks)), dtype=np.int32)
        if block.is_sparse:
            set_of = sets.of_value[block.schema.offsets[block.cast.sources] + block.cast.codes]
            np.add.at(counts, (block.cast.row[set_of >= 0], set_of[set_of >= 0]), 1)
        else:
            columns = zip(sets.of_code, block.store.columns(), strict=True)
            counting_loops.count_sets(np.array([of_code[codes] for of_code, codes in columns]), counts)
        yield rows, counts


def compare_with_gold(votes: Votes, gold: Votes) -> tuple[BoolArray, BoolArray]:
    """Per vote cast: whether gold entails it, and whether gold rules it out.

    Neither holds where gold is coarser than the vote (gold says ``Person``, the
    vote ``Doctor``).
    """
    listed = votes.cast
    right, has_gold = np.ones(len(listed.sources), dtype=bool), np.zeros(len(listed.sources), dtype=bool)
    wrong = np.zeros_like(has_gold)
    known: dict[int, tuple[npt.NDArray[np.int64], BoolArray, BoolArray]] = {}
    for block in _blocks(votes):
        if block.component not in known:
            known[block.component] = _against_gold(gold, block.component, block.sets)
        truth, entailed, excluded = known[block.component]
        says = block.set_of >= 0
        at = truth[listed.row[block.cast]]
        right[block.cast] &= ~says | entailed[at, block.set_of]
        wrong[block.cast] |= says & excluded[at, block.set_of]
        has_gold[block.cast] |= says & (at >= 0)
    return right & has_gold, wrong


def _against_gold(gold: Votes, component: int, sets: OutcomeSets) -> tuple[npt.NDArray[np.int64], BoolArray, BoolArray]:
    """(items,): the set that gold says of a component, −1 if none; and (gold sets, sets): which it entails, and which
    it rules out."""
    truth = gold.outcome_sets[component]
    told = np.vstack([truth.masks, np.ones((1, truth.masks.shape[1]), dtype=bool)])
    entailed: BoolArray = np.asarray((~told[:, None, :] | sets.masks[None]).all(axis=2))
    excluded: BoolArray = np.asarray((~told[:, None, :] | ~sets.masks[None]).all(axis=2))
    return gold.sets_of(component), entailed, excluded


def wilson(correct: int, total: int) -> tuple[float, float]:
    """The 95% Wilson interval of a proportion.

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if total == 0:
        return 0.0, 1.0
    share, z2 = correct / total, _Z**2
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z / (1 + z2 / total) * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def _table(rows: dict[str, dict[str, Any]], index: str) -> pd.DataFrame:
    import pandas as pd

    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index.name = index
    return table
