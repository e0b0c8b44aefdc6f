"""Subsets of labels that are given: probable ones, and consistent ones."""

from itertools import product

import numpy as np
import pytest

from assay import AssayError, Labels, Task, TaskGraph, at_most, excludes, implies
from assay.labels import subsets
from assay.labels.label_subsets import f1_thresholds


def made(chances, constraints=()):
    names = [f"l{number}" for number in range(chances.shape[1])]
    tasks = TaskGraph([Task("topics", names, multiple=True)], constraints=constraints)
    order = [
        names.index(component.tasks[0].removeprefix("topics: ")) for component in tasks.unlinked.label_space.components
    ]
    joint = [np.column_stack([1 - chances[:, at], chances[:, at]]) for at in order]
    return Labels(tasks.unlinked, tuple(joint)).put_together()


def held(labels):
    return subsets(labels.joint, labels.tasks, "topics")


RNG = np.random.default_rng(0)


def test_labels_that_are_more_probable_than_not():
    chances = RNG.random((50, 4))
    labels = made(chances)
    assert np.allclose(labels["topics"], chances)
    assert (held(labels) == (chances > 0.5)).all()
    assert labels.names("topics")[0] == [f"l{at}" for at in np.flatnonzero(chances[0] > 0.5)]


def best(chances, rules):
    """The most probable subset that is feasible, by enumeration."""
    found = []
    for row in chances:
        options = [flags for flags in product([False, True], repeat=len(row)) if all(rule(flags) for rule in rules)]
        logs = [sum(np.log(p if flag else 1 - p) for p, flag in zip(row, flags, strict=True)) for flags in options]
        found.append(options[int(np.argmax(logs))])
    return np.array(found)


RULES = {
    "implies": (implies(("topics", "l0"), ("topics", "l1")), lambda f: not f[0] or f[1]),
    "excludes": (excludes(("topics", "l0"), ("topics", "l2")), lambda f: not (f[0] and f[2])),
    "at most two": (at_most(2, "topics"), lambda f: sum(f) <= 2),
}


@pytest.mark.parametrize("name", RULES)
def test_linked_labels_are_what_enumeration_gives(name):
    constraint, rule = RULES[name]
    chances = RNG.random((60, 4))
    labels = made(chances, [constraint])
    assert (held(labels) == best(chances, [rule])).all()
    options = [flags for flags in product([False, True], repeat=4) if rule(flags)]
    weights = np.array([[np.prod(np.where(flags, row, 1 - row)) for flags in options] for row in chances])
    wanted = (weights / weights.sum(axis=1, keepdims=True)) @ np.array(options, dtype=float)
    assert np.allclose(labels["topics"], wanted)


def test_rules_that_are_met_later():
    chances = RNG.random((40, 30))
    rules = [at_most(4, "topics"), implies(("topics", "l0"), ("topics", "l1"), ("topics", "l2"))]
    labels = made(chances, rules)
    assert len(labels.joint) == 30, "too many subsets to enumerate"
    given = held(labels)
    assert (given.sum(axis=1) <= 4).all()
    assert (~given[:, 0] | given[:, 1] | given[:, 2]).all()
    top = np.argsort(-chances, axis=1)[:, :4]
    only = held(made(chances, rules[:1]))
    assert all(set(np.flatnonzero(row)) == set(top[at]) for at, row in enumerate(only)), "the most probable four"


def test_thresholds_are_the_best_for_f1_in_expectation():
    chances = np.sort(RNG.beta(0.4, 2.0, 200))[:, None]
    (threshold,) = f1_thresholds(chances)
    expected = [2 * chances[k:].sum() / (len(chances) - k + chances.sum()) for k in range(len(chances))]
    assert np.isclose(threshold, max(expected) / 2)
    labels = made(chances)
    assert [len(one) for one in labels.decide(metric="f1")] == (chances[:, 0] > threshold).astype(int).tolist()


def test_decisions_for_f1_obey_the_logic():
    chances = RNG.random((40, 4))
    for constraint, rule in RULES.values():
        given = made(chances, [constraint]).decide(metric="f1")
        assert all(rule([f"l{at}" in one for at in range(4)]) for one in given)


@pytest.mark.parametrize(
    "call",
    [
        lambda labels: labels.rebalance("min", "topics"),
        lambda labels: labels.guarantee(0.9, "topics"),
        lambda labels: labels.decide(metric="f1", label="l0"),
        lambda labels: labels.decide(cost=[[0, 1], [1, 0]]),
    ],
)
def test_what_looks_at_one_label_says_so(call):
    with pytest.raises(AssayError, match="any subset of th"):
        call(made(RNG.random((5, 2))))


def test_files_and_tables(tmp_path):
    for constraints in ((), [at_most(2, "topics")]):
        labels = made(RNG.random((20, 3)), constraints)
        again = Labels.from_parquet(labels.to_parquet(tmp_path / "labels.parquet"))
        for one, other in zip(labels.joint, again.joint, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-7)
        table = labels.to_pandas()
        assert list(table) == ["topics", "topics=l0", "topics=l1", "topics=l2", "confidence"]
        assert table["topics"].tolist() == labels.to_arrow()["topics"].to_pylist()


def test_confidence_is_that_of_the_least_sure_label():
    labels = made(np.array([[0.9, 0.2], [0.99, 0.5]]))
    assert len(labels.confident(0.8, "topics")) == 1
