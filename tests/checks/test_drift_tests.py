"""Sources that changed are named, others are not, and false alarms are as rare as promised."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from assay import LabelModel, Tally, Votes
from assay.checks import drift
from assay.checks.drift_tests import different
from assay.simulate import flat_world


def drawn(rng, items, accuracies, coverage):
    truth = rng.random(items) < 0.4
    right = rng.random((items, len(accuracies))) < accuracies
    votes = np.where(right, truth[:, None], ~truth[:, None]).astype(int)
    votes[rng.random(votes.shape) >= coverage] = -1
    return Votes.from_matrix(votes, cardinality=2, names=[f"s{j}" for j in range(len(accuracies))])


def test_p_values_are_no_smaller_than_exact_ones_should_be():
    rng = np.random.default_rng(0)
    n, m = 400, 90
    for share in (0.004, 0.03, 0.5, 0.9, 0.99):
        hits, later = rng.binomial(n, share, 4_000), rng.binomial(m, share, 4_000)
        p_values = different(hits, n, later, m)
        for level in (0.001, 0.01, 0.05):
            assert (p_values <= level).mean() <= level + 3 * np.sqrt(level / 4_000)
    exact = [fisher_exact([[a, n - a], [b, m - b]])[1] for a, b in ((10, 8), (200, 20), (395, 70))]
    found = different(np.array([10, 200, 395]), n, np.array([8, 20, 70]), m)
    assert (found >= np.array(exact) * 0.9).all()
    assert (found < np.sqrt(exact)).all()  # and they have power
    assert different(np.array([0]), 0, np.array([3]), 5).tolist() == [1.0]


def test_false_alarms_are_rare():
    rng = np.random.default_rng(1)
    accuracies, coverage = np.array([0.9, 0.8, 0.7, 0.85, 0.6, 0.75]), np.array([0.9, 0.5, 0.1, 0.02, 0.6, 0.3])
    alarms = 0
    for _ in range(300):
        before, today = (Tally.of(drawn(rng, n, accuracies, coverage), size=0) for n in (2_000, 300))
        alarms += bool(drift(before, today))
    assert alarms <= 8  # 1% of 300, and chance


@pytest.mark.parametrize(("figure", "seed"), [("coverage", 2), ("agreement", 3)])
def test_the_source_that_changed_is_named_and_no_other(figure, seed):
    rng = np.random.default_rng(seed)
    accuracies, coverage = np.full(7, 0.85), np.full(7, 0.7)
    before = drawn(rng, 5_000, accuracies, coverage)
    if figure == "coverage":
        coverage[2] = 0.4
    else:
        accuracies[2] = 0.6
    today = drawn(rng, 2_000, accuracies, coverage)
    found = drift(Tally.of(before), Tally.of(today))
    assert {(one.source, one.figure) for one in found} == {("s2", figure)}
    assert found[0].before > found[0].after
    assert found[0].p_value < 1e-4


def test_partial_fit_tells():
    votes = flat_world(sources=6, seed=4).draw(3_000).votes
    model = LabelModel().partial_fit(votes.take(slice(0, 2_000)))
    assert not len(model.drift_)
    model.partial_fit(votes.take(slice(2_000, 3_000)))
    assert not len(model.drift_)
    codes = votes.codes[:1_000].copy()
    codes[:, 3] = np.random.default_rng(0).permutation(codes[:, 3])  # it no longer looks at the items
    broken = Votes.from_codes(votes.tasks, codes, votes.names, votes.values)
    model.partial_fit(broken)
    assert model.drift_[["source", "figure"]].to_numpy().tolist() == [["3", "agreement"]]
    (note,) = [note for note in model.notes_ if "behaves differently" in note]
    assert note.startswith("'3' behaves differently from before: it agrees with others on")
    assert not len(LabelModel().fit(votes).drift_)
