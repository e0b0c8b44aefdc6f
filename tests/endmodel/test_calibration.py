"""Confidence that means what it says: the scale, what it is learned from, and what it leaves alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.endmodel.calibration import HeldOut, held_out_parts, learned_scale, scaled
from assay.gold import CheckedLabels
from tests.support.small_texts import small_world


def drawn(scale, items, seed, outcomes=3):
    """Predictions whose calibrated form has a known scale, and the truth drawn from that form."""
    rng = np.random.default_rng(seed)
    log_joint = np.log(rng.dirichlet(np.full(outcomes, 0.7), items))
    chances = scaled(log_joint, scale)
    truth = (rng.random((items, 1)) > chances.cumsum(axis=1)).sum(axis=1).clip(max=outcomes - 1)
    return log_joint, chances, np.eye(outcomes)[truth]


@pytest.mark.parametrize("scale", [0.4, 1.0, 2.5])
def test_the_scale_is_found_again(scale):
    """From labels that leave no doubt, and from gold; labels that are as unsure as they may be are surpassed."""
    log_joint, chances, truth = drawn(scale, 20_000, 0)
    assert learned_scale(HeldOut(log_joint, truth)) == pytest.approx(scale, rel=0.05)
    assert scale < learned_scale(HeldOut(log_joint, chances)) < 2 * scale
    nothing = HeldOut(log_joint[:0], truth[:0])
    assert learned_scale(nothing, HeldOut(log_joint, truth)) == pytest.approx(scale, rel=0.05)


def test_gold_corrects_labels_that_are_too_sure():
    """The more gold, the less labels count that claim to be certain of all that was chosen."""
    log_joint, _, truth = drawn(1.0, 4_000, 1)
    certain = np.eye(3)[log_joint.argmax(axis=1)]
    ordinary = HeldOut(log_joint, certain)
    found = [learned_scale(ordinary)]
    found += [learned_scale(ordinary, HeldOut(log_joint[:n], truth[:n])) for n in (20, 200, 4_000)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 3
    assert found[-1] == pytest.approx(1.0, rel=0.1)


def test_with_nothing_held_out_nothing_is_changed():
    empty = HeldOut(np.zeros((0, 2)), np.zeros((0, 2)))
    assert learned_scale(empty) == pytest.approx(1.0, abs=1e-3)
    assert learned_scale(empty, empty) == pytest.approx(1.0, abs=1e-3)


@given(st.integers(0, 100), st.floats(0.1, 10))
def test_no_decision_is_changed(seed, scale):
    joint = np.random.default_rng(seed).dirichlet(np.full(5, 0.3), 20)
    joint = np.maximum(joint, 1e-300)
    found = scaled(np.log(joint), scale)
    np.testing.assert_array_equal(found.argmax(axis=1), joint.argmax(axis=1))
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_weights_of_gold_count_by_their_effective_number():
    log_joint, _, truth = drawn(2.0, 500, 2)
    one, other = (HeldOut(log_joint, truth, np.full(500, weight)) for weight in (1.0, 7.0))
    nothing = HeldOut(log_joint[:0], truth[:0])
    assert learned_scale(nothing, one) == pytest.approx(learned_scale(nothing, other))


@pytest.mark.parametrize("gold", [0, 30])
def test_what_is_held_out_follows_from_the_items_not_from_their_order(gold):
    contents = [str(number % 150).encode() for number in range(400)]
    rows = np.arange(gold)
    checked = CheckedLabels(rows, (np.ones((gold, 2), bool),), (np.ones((gold, 2)),), np.ones(gold)) if gold else None
    parts = held_out_parts(contents, checked, 0)
    assert len(parts) == (2 if gold else 1)
    assert sum(part.sum() for part in parts) == 80 + gold
    assert not np.logical_and.reduce(parts).any() or len(parts) == 1
    for part in parts:
        assert part[:gold].sum() == gold / 2
    if not gold:
        order = np.random.default_rng(0).permutation(400)
        again = held_out_parts([contents[at] for at in order], None, 0)
        assert sorted(contents[at] for at in np.flatnonzero(parts[0])) == sorted(
            contents[order[at]] for at in np.flatnonzero(again[0])
        )
        assert (held_out_parts(contents, None, 1)[0] != parts[0]).any()


def test_a_network_is_as_sure_as_labels_find_it_right(entities, world):
    texts, labels, _ = world
    new, known, truth = small_world(entities, items=2_000, seed=1)
    plain = assay.EndModel(entities, epochs=2, calibrate=False).fit(texts, labels)
    model = assay.EndModel(entities, epochs=2).fit(texts, labels)
    chosen = plain.predict(new)
    np.testing.assert_array_equal(model.predict(new), chosen)
    believed = known.joint[0][np.arange(len(new)), chosen].mean()
    # Two epochs leave it hardly surer than chance.
    assert plain.predict_proba(new).max(axis=1).mean() < believed - 0.25
    # It says more than labels alone would grant it, which are too unsure here, and no more than is true.
    assert believed < model.predict_proba(new).max(axis=1).mean() < (chosen == truth).mean()


def test_gold_that_labels_carry_is_used(entities, world):
    texts, labels, truth = world
    truth_known = np.eye(4)[truth]
    rows = np.arange(0, len(texts), 2)
    gold = CheckedLabels(rows, (truth_known[rows] > 0,), (labels.joint[0][rows],), np.ones(len(rows)))
    joint = labels.joint[0].copy()
    joint[rows] = truth_known[rows]
    with_gold = assay.EndModel(entities, epochs=4).fit(texts, assay.Labels(entities, (joint,), gold=gold))
    without = assay.EndModel(entities, epochs=4).fit(texts, assay.Labels(entities, (joint,)))
    # Choices are nearly always right, which gold tells, and labels that are wrong in every tenth item do not.
    assert with_gold.predict_proba(texts).max(axis=1).mean() > without.predict_proba(texts).max(axis=1).mean()
