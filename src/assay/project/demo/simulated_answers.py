"""Hand labels for the example: its own gold, of some random texts, as if a person had been asked about them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.gold import HandAnswer, read_answers, write_answers
from assay.project.project import Project

SIMULATED = "simulated"
"""Who gave these answers: nobody."""
COUNT = 100
_WHEN = datetime(2026, 1, 1, tzinfo=UTC)
"""The same each time, as the answers are."""


def simulate_answers(project: Project, gold: list[dict[str, Any]], may_ask: npt.NDArray[np.bool_], seed: int) -> int:
    """Write the hand labels of a hundred random texts, or of half of them if there are fewer than two hundred.

    Parameters
    ----------
    project
        The example.
    gold
        The gold of its texts, by task.
    may_ask
        (texts,): which of them may be chosen, themselves a random choice.

    Returns
    -------
    int
        How many there are; 0 if hand labels are there that somebody gave: they are left alone.
    """
    path = project.hand_labels[0]
    if path.is_file() and any(one.by != SIMULATED for one in read_answers(path)):
        return 0
    rows = np.flatnonzero(may_ask)
    count = min(COUNT, len(rows) // 2)
    chosen = np.sort(np.random.default_rng(seed).choice(rows, count, replace=False))
    tasks = project.tasks.names
    write_answers(
        path,
        [
            HandAnswer(
                gold[row]["id"],
                by=SIMULATED,
                answer={task: gold[row][task] for task in tasks},
                at=_WHEN,
                chosen="random",
                chance=count / len(may_ask),
            )
            for row in chosen.tolist()
        ],
    )
    return count
