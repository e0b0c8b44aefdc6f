"""What is promised is kept, and what gold does not support is not promised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import assay
from assay.gold import CheckedLabels
from assay.labels import Labels, supported_threshold
from assay.labels.guarantee import GoldChecks, needed
from tests.support.checked import with_gold


def kept_promises(seed, kind, items, precision, draws=200, weighted=False):
    """The share of draws in which the labels above the threshold are right as often as promised, if any are."""
    rng = np.random.default_rng(seed)
    kept, promised = 0, 0
    for _ in range(draws):
        sure = 0.5 + 0.5 * rng.beta(3, 1, 3000)
        if kind == "alike":
            sure = np.round(sure, 1)
        right = rng.random(3000) < {"calibrated": sure, "too sure": sure - 0.06, "alike": sure, "odd": 0.94}[kind]
        chances = 1.3 - sure if weighted else np.ones(3000)
        chances = np.minimum(1, chances * items / chances.sum())
        gold = rng.random(3000) < chances
        found = supported_threshold(GoldChecks(sure[gold], right[gold], 1 / chances[gold]), precision)
        if found is not None:
            promised += 1
            assert found.low >= precision - 1e-9
            assert found.low <= found.estimate <= found.high
            kept += right[sure >= found.at].mean() >= precision
    return 1 - (promised - kept) / draws, promised / draws


@pytest.mark.parametrize("kind", ["calibrated", "too sure", "alike", "odd"])
@pytest.mark.parametrize("precision", [0.85, 0.95])
@pytest.mark.parametrize("weighted", [False, True])
def test_promises_are_kept_in_95_of_100_draws(kind, precision, weighted):
    for items in (60, 300):
        kept, _ = kept_promises(items, kind, items, precision, weighted=weighted)
        assert kept >= 0.95


def test_good_labels_are_promised():
    _, promised = kept_promises(0, "calibrated", 300, 0.8)
    assert promised > 0.9


@given(st.integers(1, 60), st.floats(0.3, 0.9))
def test_one_threshold_is_an_exact_binomial_test(items, precision):
    for errors in range(items):
        right = np.arange(items) >= errors
        found = supported_threshold(GoldChecks(np.full(items, 0.9), right, np.ones(items)), precision)
        assert (found is not None) == (binom.sf(items - errors - 1, items, precision) <= 0.05 + 1e-12)


def test_the_threshold_is_chosen_and_read(letters):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 2000)
    sure = rng.random(2000) < 0.6
    said = np.where(sure, truth, rng.integers(0, 3, 2000))
    joint = np.eye(3)[said] * np.where(sure, 0.9, 0.3)[:, None]
    joint += (1 - joint.sum(axis=1, keepdims=True)) / 3
    labels = with_gold(letters, joint, truth, rng.choice(2000, 200, replace=False))
    found = labels.guarantee(0.95)
    assert found.threshold == joint[sure].max(axis=1)[0]
    # The rest is for people; gold items have been with them already.
    assert found.rest.tolist() == [row for row in np.flatnonzero(~sure) if row not in labels.gold.rows]
    assert found.coverage == pytest.approx(1 - len(found.rest) / 2000)
    assert found.gold == sure[labels.gold.rows].sum()
    assert found.estimate == 1
    assert "95.0% right" in repr(found)
    chosen = labels.confident(precision=0.95)
    assert np.flatnonzero(~chosen.kept).tolist() == found.rest.tolist()
    assert len(chosen.gold) == found.gold  # those that are there only because they have gold do not speak for others
    assert chosen.guarantee(0.95).coverage == 1
    assert labels.guarantee(0.95, "letter").threshold == pytest.approx(found.threshold)


def test_tasks_have_their_own_guarantee(entities):
    """People are told from organisations, but their kinds are guesses."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, 1000)
    joint = np.where(np.arange(4)[None, :] // 2 == truth[:, None] // 2, 0.48, 0.02)
    labels = with_gold(entities, joint, truth, np.arange(100))
    assert labels.guarantee(0.9, "entity").coverage == 1
    with pytest.raises(assay.AssayError, match=r"of all tasks do not seem to be right 90\.0% of the time"):
        labels.guarantee(0.9)


def test_gold_that_does_not_settle_it_is_left_out(entities):
    joint = np.tile([0.97, 0.01, 0.01, 0.01], (100, 1))
    allowed = np.array([[True, True, False, False]] * 60 + [[True, False, False, False]] * 40)
    labels = Labels(entities, (joint,), gold=CheckedLabels(np.arange(100), (allowed,), (joint,), np.ones(100)))
    assert labels.guarantee(0.95, "entity").gold == 100
    assert labels.guarantee(0.9, "person").gold == 40
    with pytest.raises(assay.AssayError, match="40 hand labels"):
        labels.guarantee(0.95)


def test_too_little_gold_says_how_much_more(letters):
    joint = np.eye(3)[np.zeros(500, dtype=int)] * 0.85 + 0.05
    truth = np.zeros(500, dtype=int)
    with pytest.raises(assay.AssayError, match="with about 39 more, 59 in all"):
        with_gold(letters, joint, truth, np.arange(20)).guarantee(0.95)
    assert with_gold(letters, joint, truth, np.arange(59)).guarantee(0.95).gold == 59
    with pytest.raises(assay.AssayError, match="LabelModel"):
        Labels(letters, (joint,)).guarantee(0.95)


def test_what_is_said_to_be_needed_is_enough():
    rng = np.random.default_rng(2)
    for precision, share in ((0.9, 0.95), (0.8, 0.9)):
        asked = [
            needed(GoldChecks(np.full(40, 0.9), rng.random(40) < share, np.ones(40)), precision) for _ in range(50)
        ]
        enough = int(np.median([count for count in asked if count is not None]))
        found = [
            supported_threshold(
                GoldChecks(np.full(enough, 0.9), rng.random(enough) < share, np.ones(enough)), precision
            )
            for _ in range(200)
        ]
        assert np.mean([one is not None for one in found]) > 0.4


@pytest.mark.parametrize("wrong", [0, 1, 1.2, -1, "0.9", None, True])
def test_bad_precision(letters, wrong):
    labels = with_gold(letters, np.full((10, 3), 1 / 3), np.zeros(10, dtype=int), np.arange(5))
    with pytest.raises(assay.AssayError, match="precision"):
        labels.guarantee(wrong)


def test_either_a_probability_or_a_precision(letters):
    labels = Labels(letters, (np.full((10, 3), 1 / 3),))
    for arguments in ({}, {"at_least": 0.5, "precision": 0.9}):
        with pytest.raises(assay.AssayError, match="either a probability"):
            labels.confident(**arguments)


def test_figures_for_json_leave_out_the_rows():
    joint = np.array([[0.99, 0.01]] * 60 + [[0.6, 0.4]])
    labels = with_gold(assay.TaskGraph.flat("mail", ["ham", "spam"]), joint, np.zeros(61, dtype=int), np.arange(59))
    told = labels.guarantee(0.95).to_dict()
    assert told["left"] == 1
    assert told["coverage"] == pytest.approx(60 / 61)
    assert "rest" not in told
