"""What taught a model may not score it."""

import numpy as np
import pytest

import assay
from assay.evaluation.scored import Scored
from tests.support.checked import any_checked_labels, with_gold


def learned(letters):
    """Six items; the labels of the last three are their gold, but the model would have got two of them wrong."""
    joint = np.eye(3)[[0, 1, 2, 0, 0, 0]] * 0.9 + 1 / 30
    return with_gold(letters, joint, np.array([0, 1, 2, 0, 1, 2]), [3, 4, 5], np.array([1.0, 1.0, 2.0]))


def test_gold_items_are_scored_by_what_was_said_without_their_gold(letters):
    labels = learned(letters)
    found = assay.evaluate(labels)
    assert (found.items, found.cross_fitted) == (3, 3)
    assert found.accuracy == 0.25  # the last one stands for two items
    assert "3 of them cross-fitted" in repr(found)
    given = assay.evaluate(labels, [-1, -1, -1, 0, 1, 2])
    assert given.figures() == found.figures()
    assert found.confusion["letter"].to_numpy().tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_gold_beyond_what_taught_counts_alike(letters):
    found = assay.evaluate(learned(letters), [0, 1, 2, 0, 1, 2])
    assert (found.items, found.cross_fitted) == (6, 3)
    assert found.accuracy == pytest.approx(4 / 6)
    weighed = assay.evaluate(learned(letters), [0, 1, 2, 0, 1, 2], weights=[1, 1, 1, 1, 1, 5])
    assert weighed.accuracy == pytest.approx(4 / 10)
    assert assay.evaluate(learned(letters), [0, 1, 2, -1, -1, -1]).cross_fitted == 0


def test_slices_are_of_all_items(letters):
    last = np.arange(6) > 3
    found = assay.evaluate(learned(letters), slices={"last": last, "first": ~last})
    assert found.slices["items"].tolist() == [2, 1]
    assert found.slices["accuracy"].tolist() == [0, 1]
    assert found.intervals.loc["slice first"].tolist() == pytest.approx([1, 0.21, 1], abs=0.01)


def test_partial_gold_scores_the_tasks_that_it_settles(entities):
    for seed in range(5):
        labels = any_checked_labels(entities, 40, seed)
        scored = Scored.of(labels)
        assert scored.joint == labels.gold.held_out
        for task in entities.names:
            settled = scored.labels[task] > -2
            known = scored.outcomes[0] >= 0
            assert settled[known].all()


def test_labels_that_did_not_learn_are_scored_as_they_are(letters):
    labels = assay.Labels(letters, (np.eye(3),))
    assert assay.evaluate(labels, [0, 1, 1]).cross_fitted == 0
    with pytest.raises(assay.VoteError, match="these labels carry none"):
        assay.evaluate(labels)


@pytest.mark.parametrize("weights", [[1, 2], [0, 1, 1], [np.nan, 1, 1], ["a", "b", "c"], [-1, 1, 1]])
def test_bad_weights(letters, weights):
    with pytest.raises(assay.VoteError, match="one for each of the 3 items"):
        assay.evaluate(assay.Labels(letters, (np.eye(3),)), [0, 1, 2], weights=weights)
