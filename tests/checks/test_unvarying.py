"""Workers who always click the same button are told of; honest workers and rules that know one label are not."""

import numpy as np
import pytest

import assay


def warned_of(votes):
    return {name for problem in assay.check(votes).problems if problem.code == "A306" for name in problem.sources}


def crowd(rng, labels, spammers=0, rare=0, items=600, workers=30, each=5):
    """A long table: some workers always say the same, and some have a few votes only."""
    truth = rng.choice(labels, items, p=rng.dirichlet(np.full(labels, 3.0)))
    skill = rng.uniform(0.5, 0.95, workers)
    right = rng.random((items, workers)) < skill
    wrong = (truth[:, None] + rng.integers(1, labels, (items, workers))) % labels
    said = np.where(right, truth[:, None], wrong)
    said[:, :spammers] = np.arange(spammers) % labels
    asked = rng.random((items, workers)).argsort(axis=1) < each
    asked[:, workers - rare :] &= rng.random((items, rare)) < 0.15
    return assay.Votes.from_matrix(np.where(asked, said, -1), labels=[*"abcd"[:labels]])


def with_one_sided(rng, ratio, items):
    """Eight sources that say several labels, and one that says one, so many times as often where it is true."""
    truth = rng.choice(3, items, p=rng.dirichlet(np.full(3, 4.0)))
    right = rng.random((items, 8)) < rng.uniform(0.6, 0.9, 8)
    said = np.where(right, truth[:, None], rng.integers(0, 3, (items, 8)))
    codes = np.where(rng.random((items, 8)) < rng.uniform(0.2, 0.9, 8), said, -1)
    seldom = rng.uniform(0.02, 0.15)
    speaks = rng.random(items) < np.where(truth == 1, seldom * ratio, seldom)
    return assay.Votes.from_matrix(np.column_stack([codes, np.where(speaks, 1, -1)]), labels=["a", "b", "c"])


def test_workers_who_always_say_the_same_are_mostly_found_and_nobody_else_is():
    found, others = 0, set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        warned = warned_of(crowd(rng, int(rng.integers(2, 5)), spammers=2, rare=6))
        found += len(warned & {"0", "1"})
        others |= warned - {"0", "1"}
    assert found > 30  # of 60
    assert not others


def test_honest_crowds_are_not_warned_of():
    for seed in range(30):
        rng = np.random.default_rng(100 + seed)
        assert not warned_of(crowd(rng, int(rng.integers(2, 5)), rare=10, items=300))


@pytest.mark.parametrize(("ratio", "most"), [(2, 4), (4, 0), (6, 0)])
def test_rules_that_know_one_label_are_spared(ratio, most):
    drawn = (with_one_sided(np.random.default_rng(seed), ratio, 500 + 1500 * (seed % 2)) for seed in range(40))
    assert sum(bool(warned_of(votes)) for votes in drawn) <= most


def test_where_most_sources_say_one_label_nothing_is_told():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1000)
    rules = [np.where((truth == side) & (rng.random(1000) < 0.4), side, -1) for side in (0, 1, 0, 1)]
    clicks = np.where(rng.random(1000) < 0.5, 0, -1)
    varying = np.where(rng.random(1000) < 0.8, truth, 1 - truth)
    assert not warned_of(assay.Votes.from_matrix(np.column_stack([*rules, varying, clicks]), labels=["a", "b"]))
