"""Labels that agree with a class balance on average."""

from dataclasses import replace

import numpy as np
import pytest

from assay.model.estimate.balance_belief import BalanceBelief, Statement
from assay.model.estimate.tilting import held_back, mean_posterior, of_voted_items, tilted, wanted_balance
from assay.model.scoring import Scoring
from assay.simulate import flat_world
from tests.support.worlds import written_out

WORLD = written_out(flat_world(sources=4, classes=3, coverage=0.6, seed=1))
EVIDENCE = WORLD.evidence(1_000.0)
BAYES = Scoring.bayes(WORLD.parameters())
TOLD = np.array([0.6, 0.3, 0.1])
WANTED = np.array([0.2, 0.3, 0.5])


@pytest.mark.parametrize("discount", [0.0, 0.3])
def test_the_mean_posterior_is_the_wanted_one(discount):
    scoring = tilted(replace(BAYES, discount=discount), EVIDENCE, WANTED)
    assert mean_posterior(scoring, EVIDENCE) == pytest.approx(WANTED, abs=1e-4)
    assert scoring.without_votes == pytest.approx(WANTED)


def test_nothing_changes_if_labels_agree_already():
    scoring = tilted(BAYES, EVIDENCE, mean_posterior(BAYES, EVIDENCE))
    assert scoring.prior == pytest.approx(BAYES.prior, abs=1e-4)


def test_evidence_of_the_votes_stays():
    """A factor per outcome: what a vote adds to the log-odds is the same as before."""
    scoring = tilted(BAYES, EVIDENCE, WANTED)
    assert scoring.gains == pytest.approx(BAYES.gains)
    shift = scoring.log_joint(EVIDENCE.design) - BAYES.log_joint(EVIDENCE.design)
    assert shift - shift[:, :1] == pytest.approx(np.tile(shift[:1] - shift[:1, :1], (len(shift), 1)))


def test_an_exact_belief_is_wanted_as_it_is():
    exact = BalanceBelief.of_vector(WANTED, strength="exact")
    assert wanted_balance(TOLD, exact, em_weight=1.0, trust=1.0) == pytest.approx(WANTED)


def test_a_belief_decides_where_votes_tell_nothing():
    belief = BalanceBelief.of_vector(WANTED, strength=50)
    assert wanted_balance(TOLD, belief, em_weight=0.0, trust=0.0) == pytest.approx(WANTED)


def test_a_figure_of_unstated_strength_moves_labels_part_of_the_way():
    left_out = held_back(BalanceBelief.of_vector(WANTED))
    assert 0 < left_out < 0.5
    assert held_back(BalanceBelief.of_vector(WANTED, strength=50)) == 0
    told = mean_posterior(BAYES, EVIDENCE)
    parts = []
    for far in (0.05, 1.0, 5.0):
        wanted = told * np.exp(far * np.linspace(-1, 1, len(told)))
        shifts = [
            np.log(tilted(BAYES, EVIDENCE, wanted / wanted.sum(), held_back=share).prior / BAYES.prior)
            for share in (0.0, left_out)
        ]
        whole, some = (shift[-1] - shift[0] for shift in shifts)
        parts.append(some / whole)
    # The further a figure is from what the votes tell, the nearer labels come to it.
    assert parts[0] == pytest.approx(1 - left_out, abs=0.05)
    assert parts[0] < parts[1] < parts[2]
    assert parts[2] > 0.9


def test_em_has_weighed_it_already():
    belief = BalanceBelief.of_vector(WANTED)
    assert wanted_balance(TOLD, belief, em_weight=1.0, trust=1.0) == pytest.approx(TOLD)


def test_the_more_a_belief_is_worth_the_more_it_counts():
    def far(strength):
        belief = BalanceBelief.of_vector(WANTED, strength=strength)
        return np.abs(wanted_balance(TOLD, belief, em_weight=0.0, trust=1.0) - WANTED).max()

    distances = [far(strength) for strength in (1, 10, 100, 10_000, "exact")]
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > 0.2
    assert distances[-2] < 0.02
    assert far(None) == pytest.approx(far(50))


def test_a_range_that_holds_changes_nothing():
    first = np.array([True, False, False])
    belief = BalanceBelief(statements=(Statement(first, np.ones(3, dtype=bool), 0.5, 0.7),), strength="exact")
    assert wanted_balance(TOLD, belief, em_weight=0.0, trust=0.0) == pytest.approx(TOLD)


def test_the_balance_of_items_with_votes_is_that_of_the_population():
    voted = (WORLD.rows >= 0).any(axis=1)
    expected = WORLD.chances[voted].sum(axis=0) * WORLD.balance
    assert of_voted_items(WORLD.balance, WORLD.parameters(), EVIDENCE) == pytest.approx(expected / expected.sum())


def test_if_all_items_have_votes_it_is_that_of_all():
    voted = np.flatnonzero((WORLD.rows >= 0).any(axis=1))
    complete = EVIDENCE.take(voted, EVIDENCE.counts[voted])
    assert of_voted_items(WANTED, WORLD.parameters(), complete) == pytest.approx(WANTED)


def test_without_votes_only_the_items_without_get_it():
    silent = np.flatnonzero((WORLD.rows < 0).all(axis=1))
    nothing = EVIDENCE.take(silent, EVIDENCE.counts[silent])
    scoring = tilted(BAYES, nothing, WANTED)
    assert scoring.without_votes == pytest.approx(WANTED)
    assert scoring.prior == pytest.approx(BAYES.prior)
