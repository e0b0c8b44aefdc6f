"""Recovery: errors fall as one over the square root of the items, and labels are nearly the best there are."""

import numpy as np
import pytest

import assay
from assay.gold.scores import accuracy
from assay.simulate import flat_world, task_world


def error(world, n, seed, method="em"):
    """The mean error of P(vote, outcome) over all sources."""
    votes = world.draw(n, seed=seed).votes
    model = assay.LabelModel(method=method, dependencies=world.dependencies).fit(votes)
    return np.mean(
        [
            np.abs(found * model.class_balance_ - true * world.balance).mean()
            for found, true in zip(model.conditionals_, world.conditionals, strict=True)
        ]
    )


BINARY = flat_world(sources=10, seed=1)


@pytest.mark.parametrize(
    ("world", "method"),
    [
        (BINARY, "em"),
        (BINARY, "completion"),
        (flat_world(sources=10, copies=[(0, 1), (2, 3), (4, 5)], seed=1), "em"),
        (flat_world(sources=10, copies=[(0, 1), (2, 3), (4, 5)], seed=1), "completion"),
        (flat_world(sources=7, copies=[(0, 1), (1, 2)], seed=2), "em"),
        (flat_world(classes=5, sources=10, kind="class-conditional", seed=3), "covariance"),
        (flat_world(classes=5, sources=8, seed=3), "em"),
    ],
    ids=["binary", "binary completion", "pairs", "pairs completion", "chain", "5 covariance", "5 classes"],
)
def test_sixteen_times_the_items_make_a_quarter_of_the_error(world, method):
    small, large = (np.mean([error(world, n, seed, method) for seed in range(2)]) for n in (2_000, 32_000))
    assert 2.5 < small / large < 8


def test_hierarchical_error_falls(entities):
    world = task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3, seed=3)
    small, large = (np.mean([error(world, n, seed) for seed in range(2)]) for n in (2_000, 32_000))
    assert 2.0 < small / large < 8.0


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        ({}, 0.002),
        ({"balance": [0.1, 0.9]}, 0.004),
        ({"copies": [(0, 1, 2), (3, 4, 5)], "copy_probability": 0.95}, 0.008),
        ({"polarity": "one", "coverage": 0.3}, 0.006),
    ],
    ids=["independent", "10/90", "copies", "unipolar"],
)
def test_regret_against_the_best_labels_is_small(settings, most):
    world = flat_world(sources=20, accuracy=(0.55, 0.9), seed=11, **{"coverage": 0.4, **settings})
    drawn = world.draw(10_000, seed=1)
    model = assay.LabelModel(dependencies=world.dependencies).fit(drawn.votes)
    voted = (drawn.votes.codes >= 0).any(axis=1)
    best = accuracy(world.posterior(drawn.votes.codes)[voted], drawn.gold[voted])
    assert best - accuracy(model.predict_proba(drawn.votes)[voted], drawn.gold[voted]) < most


def test_hierarchical_labels_are_nearly_the_best(entities):
    world = task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3, seed=3)
    drawn = world.draw(20_000, seed=1)
    model = assay.LabelModel().fit(drawn.votes)
    best = accuracy(world.posterior(drawn.votes.codes), drawn.gold)
    assert best - accuracy(model.predict_proba(drawn.votes), drawn.gold) < 0.006
    assert np.abs(model.class_balance_ - world.balance).max() < 0.04


def test_undeclared_dependencies_cost_more_than_declared_ones():
    world = flat_world(sources=10, copies=[(0, 1), (2, 3), (4, 5)], copy_probability=0.8, seed=4)
    votes = world.draw(10_000).votes
    wrong = [
        np.mean([np.abs(f - t).mean() for f, t in zip(model.conditionals_, world.conditionals, strict=True)])
        for model in (
            assay.LabelModel(dependencies=world.dependencies).fit(votes),
            assay.LabelModel(dependencies=()).fit(votes),
        )
    ]
    assert wrong[1] > 3 * wrong[0]


@pytest.mark.parametrize("n", [1_000, 10_000])
def test_a_rare_class_is_not_exchanged_for_the_common_one(n):
    """The exchanged solution is likelier by chance here, but has sources that are worse than random."""
    world = flat_world(sources=8, coverage=0.3, accuracy=(0.55, 0.8), balance=[0.05, 0.95], seed=1)
    drawn = world.draw(n, seed=1)
    best = accuracy(world.posterior(drawn.votes.codes), drawn.gold)
    assert best - accuracy(assay.LabelModel().fit(drawn.votes).predict_proba(drawn.votes), drawn.gold) < 0.02
