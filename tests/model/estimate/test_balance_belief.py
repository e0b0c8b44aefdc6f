"""What is believed of a class balance: the nearest balance that agrees with it, and whether it says everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.estimate.balance_belief import BalanceBelief, Statement

ALL = np.ones(4, dtype=bool)
DOCTOR, LAWYER, HOSPITAL, OFFICE = np.eye(4, dtype=bool)
PERSON, ORGANIZATION = DOCTOR | LAWYER, HOSPITAL | OFFICE
EVEN = np.full(4, 0.25)
VOTED = np.array([0.4, 0.3, 0.2, 0.1])


def belief(*statements):
    return BalanceBelief(statements=tuple(Statement(*one) for one in statements))


def balances(size=4):
    return st.lists(st.floats(0.01, 1), min_size=size, max_size=size).map(lambda w: np.array(w) / np.sum(w))


def divergence(one, other):
    return (one * np.log(one / other)).sum()


@given(balances(), balances())
def test_a_full_vector_is_reproduced_exactly(known, start):
    full = BalanceBelief.of_vector(known, strength=50.0, of="voted")
    assert (full.strength, full.of) == (50.0, "voted")
    assert full.vector.tolist() == full.nearest(start).tolist() == known.tolist()


@given(balances(), st.floats(0.05, 0.95))
def test_a_figure_scales_the_rest_evenly(start, share):
    found = belief((DOCTOR, ALL, share, share)).nearest(start)
    np.testing.assert_allclose(found, [share, *(1 - share) * start[1:] / start[1:].sum()], rtol=1e-9)


@given(balances(), balances(), st.data())
def test_shares_of_everything_give_the_i_projection(start, truth, data):
    """The one point for which no other that agrees, such as the truth here, breaks Pythagoras' inequality."""
    statements, rooms = [], [data.draw(st.sampled_from([0.0, 0.05, 0.3])) for _ in range(3)]
    for outcomes, room in zip((DOCTOR, PERSON, DOCTOR | HOSPITAL), rooms, strict=True):
        share = float(truth[outcomes].sum())
        statements.append(Statement(outcomes, ALL, max(share - room, 0.0), min(share + room, 1.0)))
    said = BalanceBelief(statements=tuple(statements))
    found = said.nearest(start)
    assert said.holds(found, 1e-9)
    by_way_of_it = divergence(truth, found) + divergence(found, start)
    assert by_way_of_it <= divergence(truth, start) + 1e-8
    if not any(rooms):
        assert by_way_of_it == pytest.approx(divergence(truth, start), abs=1e-8)


@given(balances(), balances())
def test_a_share_of_a_part_leaves_the_part_alone(start, truth):
    """What is said of one level of a hierarchy does not touch the others."""
    share = truth[0] / truth[PERSON].sum()
    within = (DOCTOR, PERSON, share, share)
    found = belief(within).nearest(start)
    assert found[PERSON].sum() == pytest.approx(start[PERSON].sum())
    assert found[0] / found[PERSON].sum() == pytest.approx(share, abs=1e-10)
    np.testing.assert_allclose(found[ORGANIZATION], start[ORGANIZATION], rtol=1e-9)
    people = truth[PERSON].sum()
    both = belief((PERSON, ALL, people, people), within).nearest(start)
    np.testing.assert_allclose(both[:2], truth[:2], atol=1e-10)
    assert both[2] / both[3] == pytest.approx(start[2] / start[3])


@given(balances())
def test_what_agrees_already_is_left_as_it_is(start):
    share = start[PERSON].sum()
    wide = belief((PERSON, ALL, share / 2, 1.0), (DOCTOR, PERSON, 0.0, 1.0))
    assert wide.nearest(start).tolist() == start.tolist()


@given(balances(), balances())
def test_the_nearest_to_the_nearest_is_itself(start, truth):
    said = belief((PERSON, ALL, truth[:2].sum(), truth[:2].sum()), (DOCTOR | OFFICE, ALL, 0.3, 0.6))
    once = said.nearest(start)
    np.testing.assert_allclose(said.nearest(once), once, atol=1e-9)


def test_a_range_goes_to_its_nearer_end():
    assert belief((DOCTOR, ALL, 0.1, 0.2)).nearest(VOTED)[0] == pytest.approx(0.2, abs=1e-12)
    assert belief((DOCTOR, ALL, 0.5, 0.6)).nearest(VOTED)[0] == pytest.approx(0.5, abs=1e-12)


def test_a_range_that_another_statement_brings_about_has_no_effect():
    """Alone, the range would lift Doctor; with Person at 90% it is above the range's lower end anyway."""
    figure = (PERSON, ALL, 0.9, 0.9)
    alone = belief(figure).nearest(EVEN)
    np.testing.assert_allclose(belief((DOCTOR, ALL, 0.4, 1.0), figure).nearest(EVEN), alone, atol=1e-10)


def test_an_outcome_without_mass_can_be_given_some():
    found = belief((DOCTOR, ALL, 0.2, 0.2)).nearest(np.array([0.0, 0.5, 0.5, 0.0]))
    np.testing.assert_allclose(found, [0.2, 0.4, 0.4, 0.0], atol=1e-9)
    assert (found > 0).all()
    assert found.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    "statements",
    [
        [(PERSON, ALL, 0.2, 0.2), (DOCTOR, ALL, 0.5, 0.5)],
        [(PERSON, ALL, 0.0, 0.3), (LAWYER, ALL, 0.4, 0.6)],
        [(DOCTOR, PERSON, 0.9, 0.9), (DOCTOR, ALL, 0.3, 0.3), (LAWYER, ALL, 0.3, 0.3)],
        [(DOCTOR, ALL, 0.5, 0.5), (LAWYER, ALL, 0.4, 0.4), (HOSPITAL, ALL, 0.3, 0.3)],
    ],
)
def test_contradictions_do_not_hold(statements):
    said = belief(*statements)
    found = said.nearest(EVEN)
    assert not said.holds(found)
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1)


def test_holds():
    said = belief((DOCTOR, PERSON, 0.5, 0.6))
    assert said.holds(np.array([0.3, 0.25, 0.25, 0.2]))
    assert not said.holds(np.array([0.4, 0.1, 0.25, 0.25]))
    assert said.holds(np.array([0.4, 0.1, 0.25, 0.25]), tolerance=0.3)


class TestVector:
    def test_all_but_one_outcome(self):
        said = belief((DOCTOR, ALL, 0.4, 0.4), (LAWYER, ALL, 0.3, 0.3), (OFFICE, ALL, 0.1, 0.1))
        np.testing.assert_allclose(said.vector, VOTED, rtol=1e-12)

    def test_level_by_level(self):
        said = belief((PERSON, ALL, 0.7, 0.7), (LAWYER, PERSON, 3 / 7, 3 / 7), (HOSPITAL, ORGANIZATION, 2 / 3, 2 / 3))
        np.testing.assert_allclose(said.vector, VOTED, rtol=1e-12)
        assert said.nearest(EVEN).tolist() == said.vector.tolist()

    def test_a_share_of_a_part_whose_other_outcome_is_open(self):
        said = belief((DOCTOR, ALL, 0.4, 0.4), (DOCTOR, PERSON, 4 / 7, 4 / 7), (HOSPITAL, ALL, 0.2, 0.2))
        np.testing.assert_allclose(said.vector, VOTED, rtol=1e-12)

    @pytest.mark.parametrize(
        "statements",
        [
            [(DOCTOR, ALL, 0.4, 0.4)],
            [(PERSON, ALL, 0.7, 0.7), (ORGANIZATION, ALL, 0.3, 0.3), (DOCTOR, PERSON, 0.5, 0.5)],
            [(DOCTOR, ALL, 0.4, 0.4), (LAWYER, ALL, 0.3, 0.3), (OFFICE, ALL, 0.05, 0.1)],
        ],
    )
    def test_what_leaves_room_gives_none(self, statements):
        assert belief(*statements).vector is None


class TestVotesThatContradict:
    SAID = np.array([0.9, 0.1])

    @pytest.mark.parametrize("strength", [20.0, "exact"])
    def test_a_belief_of_stated_strength_stays_as_it_is(self, strength):
        one = BalanceBelief.of_vector(self.SAID, strength=strength)
        assert one.against(np.array([0.1, 0.9]), 1e6) is one

    @pytest.mark.parametrize("told", [0.9, 0.8, 0.95])
    def test_so_does_one_that_votes_are_near(self, told):
        one = BalanceBelief.of_vector(self.SAID)
        assert one.against(np.array([told, 1 - told]), 1e6) is one

    def test_the_further_they_are_the_more_it_is_worth(self):
        one, items = BalanceBelief.of_vector(self.SAID), 10_000.0
        worth = [one.against(np.array([share, 1 - share]), items).items for share in (0.9, 0.75, 0.7, 0.65, 0.5, 0.2)]
        assert worth == sorted(worth)
        assert (worth[0], worth[-1]) == (50, np.inf)
        assert items / 20 < worth[1] < items < worth[3] < np.inf

    def test_it_is_never_worth_less(self):
        one = BalanceBelief.of_vector(self.SAID)
        assert one.against(np.array([0.76, 0.24]), 10.0).items == 50

    def test_rare_outcomes_are_no_contradiction(self):
        one = BalanceBelief.of_vector(np.array([0.5, 0.495, 0.005]))
        assert one.against(np.array([0.5, 0.499999, 0.000001]), 1e6) is one
