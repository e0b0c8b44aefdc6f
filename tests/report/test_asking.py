"""What asking more is expected to change: sums over the least sure items, and gains that hold where the model does."""

import numpy as np
import pytest

from assay import LabelModel, Votes
from assay.report import CostPerItem, asking_plan, expected_gains
from assay.simulate import flat_world

SIMULATION = flat_world(sources=6, seed=3).draw(4000)
COST = CostPerItem(2.0, 100.0, 0.5)


def test_steps_are_sums_over_the_least_sure_items():
    confidence = np.random.default_rng(0).uniform(0.5, 1, 200)
    asked = np.argsort(confidence)[:20]
    plan = asking_plan(confidence, asked, COST, gains=1 - confidence)
    left = np.sort(confidence)[20:]
    assert (plan.items, plan.asked) == (200, 20)
    for step in plan.steps:
        assert step.expected_errors == pytest.approx((1 - left[: step.items]).sum())
        assert step.expected_gain == pytest.approx(step.expected_errors)
        assert (step.questions, step.tokens, step.cost) == (2 * step.items, 100 * step.items, 0.5 * step.items)
    assert [step.items for step in plan.steps] == [10, 20, 40, 60, 100, 180]


def test_nothing_is_planned_where_all_were_asked():
    assert asking_plan(np.array([0.9, 0.8]), [0, 1], COST).steps == ()
    assert asking_plan(np.array([0.9, 0.8]), [0], CostPerItem(1, 1, None)).steps[0].cost is None
    assert asking_plan(np.array([0.9, 0.8]), [0], COST).steps[0].expected_gain is None


@pytest.mark.parametrize("accuracy", [0.95, 0.75, 0.5])
def test_the_expected_gain_is_the_gain(accuracy):
    """A prompt is asked about half of the items at random; then about the others too."""
    votes, gold = SIMULATION.votes, SIMULATION.gold
    rng = np.random.default_rng(1)
    said = np.where(rng.random(len(gold)) < accuracy, gold, 1 - gold)
    asked = np.sort(rng.permutation(len(gold))[:2000])
    rest = np.setdiff1d(np.arange(len(gold)), asked)
    column = np.full(len(gold), -1)
    column[asked] = said[asked]

    def beside(later):
        values = [*votes.values, votes.values[0]]
        return Votes.from_codes(votes.tasks, np.column_stack([votes.codes, later]), [*votes.names, "p"], values)

    some, every = beside(column), beside(said)
    model = LabelModel(asked_later=["p"]).fit(some)
    gains = expected_gains(model, some, ["p"], asked.tolist())
    right = [(model.predict(given)[rest] == gold[rest]).sum() for given in (some, every)]
    assert gains[asked] == pytest.approx(0)
    assert (gains >= 0).all()
    assert gains.sum() == pytest.approx(right[1] - right[0], abs=60)
    if accuracy > 0.9:
        assert gains.sum() > 100
    if accuracy == 0.5:
        assert gains.sum() < 30


def test_before_anybody_was_asked_gains_are_not_known():
    model = LabelModel().fit(SIMULATION.votes)
    assert expected_gains(model, SIMULATION.votes, [], []) is None
