"""What several models say together, and how common outcomes are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import assay
from assay.endmodel.refinement.rounds import _settled_outcomes, _together
from tests.support.refining import SmallWorld, regression, said_of

FloatArray = npt.NDArray[np.float64]
SHARES = np.array([0.7, 0.2, 0.1])


@pytest.fixture(scope="module")
def skewed() -> tuple[assay.Votes, FloatArray, npt.NDArray[np.int64]]:
    """Nine one-sided sources, who are as often wrong of each class; and features that say more."""
    rng = np.random.default_rng(8)
    truth = rng.choice(3, 4_000, p=SHARES)
    votes = np.full((4_000, 9), -1)
    for source in range(9):
        label = source % 3
        speaks = rng.random(4_000) < np.where(truth == label, 0.4, 0.2)
        votes[speaks, source] = label
    features = 2.5 * np.eye(3)[truth] + rng.normal(size=(4_000, 3))
    return assay.Votes.from_matrix(votes, cardinality=3), features, truth


def test_several_models_say_their_geometric_mean() -> None:
    rng = np.random.default_rng(0)
    members = [((said_of(rng.integers(0, 3, 20), 3, 1.0, rng),),) for _ in range(3)]
    found = _together(members)[0][0]
    product = np.prod([member[0][0] for member in members], axis=0) ** (1 / 3)
    np.testing.assert_allclose(found, product / product.sum(axis=1, keepdims=True))


def test_classes_of_different_frequency_keep_it_where_votes_are_worth_little(
    skewed: tuple[assay.Votes, FloatArray, npt.NDArray[np.int64]],
) -> None:
    votes, features, truth = skewed
    labels = assay.LabelModel(allow_unidentifiable=True).fit(votes, progress=False).label(votes)
    better = assay.refine(votes, features, labels, model=regression())
    end = regression().fit(features, labels.voted(votes)).label(features)
    right = [(part.joint[0].argmax(axis=1) == truth).mean() for part in (labels, end, better)]
    assert right[2] > max(right[:2])
    away = [np.abs(part.joint[0].mean(axis=0) - SHARES).sum() for part in (labels, better)]
    assert away[1] < 0.8 * away[0]


def test_a_balance_that_was_told_stays(skewed: tuple[assay.Votes, FloatArray, npt.NDArray[np.int64]]) -> None:
    votes, features, _ = skewed
    told = [0.2, 0.4, 0.4]
    model = assay.LabelModel(allow_unidentifiable=True, class_balance=told, balance_strength="exact")
    labels = model.fit(votes, progress=False).label(votes)
    of_told, of_free = (
        assay.refine(votes, features, labels, model=regression(), label_model=given).joint[0].mean(axis=0)
        for given in (model, assay.LabelModel(allow_unidentifiable=True))
    )
    assert of_told[0] < of_free[0] - 0.05


def test_gold_that_leaves_one_outcome_is_told_to_the_label_models(world: SmallWorld) -> None:
    assert _settled_outcomes(world.labels) is None
    gold = np.where(np.arange(len(world.truth)) % 100 == 0, world.truth, -1)
    labels = assay.LabelModel().fit(world.votes, gold, progress=False).label(world.votes)
    found = _settled_outcomes(labels)
    assert found is not None
    names = labels.names("label")
    assert [each and each["label"] for each in found] == [
        names[row] if label >= 0 else None for row, label in enumerate(gold)
    ]
