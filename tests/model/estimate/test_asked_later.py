"""Sources asked later: what their votes add is Bayes' rule with tables that are shrunk, and silence adds nothing."""

import numpy as np
import pytest

from assay.model.estimate import asked_later
from assay.model.estimate.asked_later import learn_later

EYE = np.eye(3, dtype=bool)


def world(items, accuracies, seed=0, outcomes=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(outcomes, size=items)
    prior = rng.dirichlet(np.full(outcomes, 2.0), size=items)
    truth = np.array([rng.choice(outcomes, p=row) for row in prior])
    votes = np.column_stack(
        [
            np.where(rng.random(items) < a, truth, (truth + rng.integers(1, outcomes, items)) % outcomes)
            for a in accuracies
        ]
    )
    return truth, prior, votes


@pytest.mark.parametrize("accuracy", [0.9, 0.6])
def test_tables_are_those_of_the_world(accuracy):
    truth, prior, votes = world(40_000, [accuracy])
    found = learn_later(prior, votes, [EYE])
    assert np.diag(np.exp(found.tables[0])) == pytest.approx([accuracy] * 3, abs=0.03)
    without = (prior.argmax(axis=1) == truth).mean()
    assert (found.posterior.argmax(axis=1) == truth).mean() > without


def test_sources_that_copy_are_not_taken_for_as_many(monkeypatch):
    truth, prior, votes = world(5_000, [0.8, 0.8, 0.8])
    copies = np.where(np.random.default_rng(2).random((5_000, 3)) < 0.5, votes[:, :1], votes)

    def trusts_too_much(said):
        found = learn_later(prior, said, [EYE] * 3).posterior
        return found.max(axis=1).mean() - (found.argmax(axis=1) == truth).mean()

    assert trusts_too_much(votes) < 0.01
    discounted = trusts_too_much(copies)
    monkeypatch.setattr(asked_later, "_CORRELATIONS", (0.0,))
    assert discounted < trusts_too_much(copies) - 0.02


def test_the_posterior_is_the_product_of_what_is_told():
    _, prior, votes = world(500, [0.8, 0.8])
    votes[::3, 1] = -1
    found = learn_later(prior, votes, [EYE, EYE])
    by_hand = prior.copy()
    for table, column in zip(found.tables, votes.T, strict=True):
        by_hand *= np.where(column[:, None] >= 0, np.exp(table[column]), 1.0)
    assert found.posterior == pytest.approx(by_hand / by_hand.sum(axis=1, keepdims=True), abs=1e-4)


def test_few_votes_are_trusted_a_little():
    found = learn_later(np.full((4, 3), 1 / 3), np.array([[0], [1], [2], [0]]), [EYE])
    assert found.posterior.max(axis=1) == pytest.approx([0.75] * 4, abs=0.1)


def test_the_order_of_items_does_not_count():
    _, prior, votes = world(300, [0.8, 0.6])
    order = np.random.default_rng(1).permutation(300)
    one, other = learn_later(prior, votes, [EYE, EYE]), learn_later(prior[order], votes[order], [EYE, EYE])
    assert one.posterior[order] == pytest.approx(other.posterior, abs=1e-9)


def test_levels_of_a_label_are_learned_apart():
    truth, prior, votes = world(20_000, [0.7])
    sure = np.random.default_rng(3).random(20_000) < np.where(votes[:, 0] == truth, 0.8, 0.2)
    levels = votes + 3 * sure[:, None]
    found = learn_later(prior, levels, [np.vstack([EYE, EYE])])
    odds = np.exp(found.tables[0])
    assert all(
        odds[3 + label, label] / odds[3 + label].sum() > odds[label, label] / odds[label].sum() for label in range(3)
    )


def test_independent_sources_count_nearly_in_full():
    truth, prior, votes = world(2_000, [0.6] * 8)
    found = learn_later(prior, votes, [EYE] * 8).posterior
    logs = np.log(prior) + (votes[:, :, None] == np.arange(3)).sum(axis=1) * np.log(0.6 / 0.2)
    right = [(labels.argmax(axis=1) == truth).mean() for labels in (found, logs)]
    assert right[0] > right[1] - 0.01
