"""How much sources say, how they agree, and how right they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError

if TYPE_CHECKING:
    import pandas as pd

    from assay.votes import OutcomeSets, Votes

BoolArray = npt.NDArray[np.bool_]

BLOCK = 65_536
"""Rows that are looked at together; bounds the memory, not the result."""

_95 = 1.959963984540054


def summarize(votes: Votes, gold: Votes | None, by: str) -> pd.DataFrame:
    """The table behind :meth:`assay.Votes.summary`."""
    import pandas as pd

    if by not in ("source", "task", "overall"):
        raise VoteError(f"by must be 'source', 'task' or 'overall', but got {by!r}")
    spoken, crossed = company(votes)
    right, wrong = judged(votes, gold) if gold is not None else (None, None)

    def described(where: BoolArray) -> dict[str, Any]:
        """Figures for the votes at ``where``, (items, sources)."""
        return _described(len(votes), where, spoken, crossed, right, wrong)

    voted = votes.codes >= 0
    if by == "overall":
        row = {"sources": len(votes.names), "votes": int(voted.sum()), **described(voted)}
        return pd.DataFrame([row], index=pd.Index(["overall"], name="votes of"))
    if by == "task":
        rows = {}
        for task in votes.tasks:
            speaks = [np.array([task.name in vote.tasks for vote in values] + [False]) for values in votes.values]
            where = np.column_stack([on[codes] for on, codes in zip(speaks, votes.codes.T, strict=True)])
            emitted = {
                label
                for values, codes in zip(votes.values, votes.codes.T, strict=True)
                for code in np.unique(codes[codes >= 0])
                for name, label in values[code].labels
                if name == task.name
            }
            missing = [label for label in task.labels if label not in emitted]
            rows[task.name] = {
                "sources": int(where.any(axis=0).sum()),
                "votes": int(where.sum()),
                "labels": len(task.labels),
                "never voted": ", ".join(missing),
                **described(where),
            }
        return _table(rows, "task")
    rows = {}
    for j, name in enumerate(votes.names):
        only = np.zeros_like(voted)
        only[:, j] = voted[:, j]
        said = [votes.values[j][code] for code in np.unique(votes.codes[voted[:, j], j])]
        spoken_of = {task for vote in said or votes.values[j] for task in vote.tasks}
        rows[name] = {
            "task": ", ".join(task for task in votes.tasks.names if task in spoken_of),
            "labels": (", " if all(len(vote.labels) == 1 for vote in said) else " | ").join(map(str, said)),
            **described(only),
        }
    return _table(rows, "source")


def company(votes: Votes) -> tuple[BoolArray, BoolArray]:
    """(items, sources): whether each vote has company, and whether one of its company contradicts it.

    Company is another vote on the same component. Votes contradict each other
    if no outcome is in both.
    """
    accompanied = np.zeros(votes.shape, dtype=bool)
    contradicted = np.zeros(votes.shape, dtype=bool)
    for sets in votes.outcome_sets:
        # A vote contradicts another through its set alone, so it is enough to count sets per item.
        overlap = sets.masks.astype(np.int64) @ sets.masks.T.astype(np.int64)
        disjoint = np.vstack([overlap == 0, np.zeros((1, len(overlap)), dtype=bool)])
        for rows, set_of in set_blocks(votes, sets):
            counts = counts_of_sets(set_of, len(sets.masks))
            against = (counts > 0).astype(np.float32) @ disjoint.T.astype(np.float32) > 0
            accompanied[rows] |= (set_of >= 0) & (counts.sum(axis=1) > 1)[:, None]
            contradicted[rows] |= np.take_along_axis(against, set_of, axis=1) & (set_of >= 0)
    return accompanied, contradicted


def set_blocks(votes: Votes, sets: OutcomeSets) -> Iterator[tuple[slice, npt.NDArray[np.int32]]]:
    """Blocks of rows with the outcome set of each vote, (rows, sources); −1 where it says nothing."""
    for start in range(0, len(votes), BLOCK):
        rows = slice(start, min(start + BLOCK, len(votes)))
        codes = votes.block(rows.start, rows.stop).codes
        yield rows, np.array([of_code[codes[:, j]] for j, of_code in enumerate(sets.of_code)]).T


def counts_of_sets(set_of: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    """(rows, sets): how many votes of each row are for each set."""
    from assay import kernels

    counts = np.zeros((len(set_of), count), dtype=np.int32)
    kernels.count_sets(set_of.T, counts)
    return counts


def judged(votes: Votes, gold: Votes) -> tuple[BoolArray, BoolArray]:
    """(items, sources): which votes gold entails, and which it rules out.

    Gold may be coarser than a vote (it says ``Person``, the vote says ``Doctor``);
    then the vote is neither.
    """
    right = votes.codes >= 0
    wrong = np.zeros(votes.shape, dtype=bool)
    told = np.zeros(votes.shape, dtype=bool)
    for sets, truth in zip(votes.outcome_sets, gold.outcome_sets, strict=True):
        if not len(sets.masks):  # no source says anything here
            continue
        known = np.vstack([truth.masks, np.ones((1, truth.masks.shape[1]), dtype=bool)])
        entailed: BoolArray = np.asarray((~known[:, None, :] | sets.masks[None]).all(axis=2))
        excluded: BoolArray = np.asarray((~known[:, None, :] | ~sets.masks[None]).all(axis=2))
        truth_of = truth.of_code[0][gold.codes[:, 0]]
        for rows, set_of in set_blocks(votes, sets):
            says = set_of >= 0
            at = truth_of[rows][:, None]
            right[rows] &= ~says | entailed[at, set_of]
            wrong[rows] |= says & excluded[at, set_of]
            told[rows] |= says & (at >= 0)
    return right & told, wrong


def wilson(correct: int, total: int) -> tuple[float, float]:
    """The 95% Wilson interval of a proportion.

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if total == 0:
        return 0.0, 1.0
    share, z2 = correct / total, _95**2
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _95 / (1 + z2 / total) * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def _described(
    n: int,
    where: BoolArray,
    accompanied: BoolArray,
    contradicted: BoolArray,
    right: BoolArray | None,
    wrong: BoolArray | None,
) -> dict[str, Any]:
    def share(flags: BoolArray) -> float:
        return float(flags.any(axis=1).sum() / n) if n else 0.0

    row: dict[str, Any] = {
        "coverage": share(where),
        "overlaps": share(where & accompanied),
        "conflicts": share(where & contradicted),
    }
    if right is not None and wrong is not None:
        correct, incorrect = int((right & where).sum()), int((wrong & where).sum())
        low, high = wilson(correct, correct + incorrect)
        row |= {
            "correct": correct,
            "incorrect": incorrect,
            "accuracy": correct / (correct + incorrect) if correct + incorrect else None,
            "accuracy_low": low,
            "accuracy_high": high,
        }
    return row


def _table(rows: dict[str, dict[str, Any]], index: str) -> pd.DataFrame:
    import pandas as pd

    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index.name = index
    return table
