"""Gold that checks labels: what it settles, in parts and in selections."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.gold import UNSETTLED, CheckedLabels
from tests.support.checked import any_checked_labels, same_gold
from tests.support.strategies import task_graphs


@given(task_graphs(), st.integers(0, 99))
def test_a_label_is_settled_if_all_outcomes_that_are_allowed_have_it(tasks, seed):
    gold = any_checked_labels(tasks, 8, seed).gold
    if gold is None:
        return
    for task in tasks:
        index = tasks.label_space.component_of(task.name)
        label_of = tasks.label_space.components[index].label_of(task.name)
        for may, found in zip(gold.allowed[index], gold.labels(index, label_of), strict=True):
            kinds = set(label_of[may].tolist())
            assert found == (kinds.pop() if len(kinds) == 1 else UNSETTLED)
        for may, outcome in zip(gold.allowed[index], gold.outcomes(index), strict=True):
            assert outcome == (may.argmax() if may.sum() == 1 else -1)


def test_parts_put_together_are_the_whole(letters):
    gold = any_checked_labels(letters, 20, 1).gold
    first = gold.rows < 10
    parts = [gold.take(first, gold.rows[first]), gold.take(~first, gold.rows[~first] - 10)]
    same_gold(CheckedLabels.concat(parts, [0, 10]), gold)
    assert len(gold) == len(gold.rows) == np.size(gold.weights)
