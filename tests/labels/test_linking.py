"""Labels that some logic links, put together."""

import numpy as np

from assay import Labels, Task, TaskGraph, Votes, implies
from assay.gold import CheckedLabels

TASKS = TaskGraph(
    [Task("topics", ["a", "b"], multiple=True), Task("kind", ["x", "y"])],
    constraints=[implies(("topics", "a"), ("topics", "b"))],
)


def test_gold_and_what_was_said_of_it_are_put_together():
    chances = [np.array([[0.4, 0.6], [0.5, 0.5]]), np.array([[0.3, 0.7], [0.5, 0.5]]), np.array([[1.0, 0.0]] * 2)]
    gold = Votes.from_columns(TASKS, {"s": [None, None]}).unlinked.gold([["b"], {"b": True}])
    allowed = tuple(
        np.vstack([gold.outcome_sets[at].masks, [[True, True]]])[gold.sets_of(at)] for at in range(len(chances))
    )
    checked = CheckedLabels(np.arange(2), allowed, tuple(chances), np.ones(2))
    labels = Labels(TASKS.unlinked, tuple(chances), gold=checked).put_together()
    assert labels.tasks is TASKS
    assert [part.shape[1] for part in labels.joint] == [3, 2]
    assert labels.gold.allowed[0].tolist() == [[False, True, False], [False, True, True]]
    assert np.allclose(labels.gold.held_out[0], labels.joint[0])
    assert labels["topics"][0].tolist() == [0.42 / (1 - 0.6 * 0.3), 1 - 0.12 / (1 - 0.6 * 0.3)] or np.allclose(
        labels["topics"][0], [0.42 / 0.82, 0.70 / 0.82]
    )
