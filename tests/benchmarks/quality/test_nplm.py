import numpy as np
import pytest

from benchmarks.quality.nplm import Nplm, fitted

GROUPS = [np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool), np.array([[1, 0, 1, 0], [0, 1, 0, 1]], dtype=bool)] * 3


def drawn(accuracy, items=4_000):
    """Votes from the model: each source names a group with the true class with the same accuracy, or abstains."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 4, items)
    votes = []
    for groups in GROUPS:
        right = groups[1][gold].astype(int)
        said = np.where(rng.random(items) < accuracy, right, 1 - right)
        votes.append(np.where(rng.random(items) < 0.8, said, -1))
    return np.column_stack(votes), gold


def test_posteriors_follow_bayes_rule():
    groups = np.array([[1, 0, 0], [0, 1, 1]], dtype=bool)
    model = Nplm((groups,), np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.8, 0.6]]))
    said = np.array([0.5 * 0.9, 0.3 * 0.2, 0.2 * 0.4])
    assert model.posterior(np.array([[0], [-1]])) == pytest.approx(np.array([said / said.sum(), [0.5, 0.3, 0.2]]))


def test_votes_from_the_model_are_understood():
    votes, gold = drawn(0.8)
    model = fitted(votes, GROUPS)
    assert (model.posterior(votes).argmax(axis=1) == gold).mean() > 0.7
    assert model.accuracies.mean() == pytest.approx(0.8, abs=0.03)


def test_classes_that_a_source_never_names_are_a_group_of_their_own():
    only = np.array([[1, 0, 0, 0]], dtype=bool)
    votes, _ = drawn(0.8, items=300)
    model = fitted(np.column_stack([votes, np.zeros(300, dtype=int)]), [*GROUPS, only])
    assert model.groups[-1].tolist() == [[True, False, False, False], [False, True, True, True]]
