"""Algorithm 1: exact on the population, in one step or several, and proper whatever the votes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.model.estimate import completion
from assay.model.estimate.completion import from_inverse_covariance, solve
from assay.simulate import flat_world, task_world
from tests.support.worlds import written_out


def fitted(whole):
    return from_inverse_covariance(whole.population(), whole.balance, np.ones(len(whole.layout.masks)))


def assert_recovered(whole, atol):
    parameters, outcome = fitted(whole)
    assert outcome.converged
    for table, clique in zip(parameters.joint, whole.layout.cliques, strict=True):
        np.testing.assert_allclose(table, whole.table(clique), atol=atol)


@pytest.mark.parametrize("coverage", [0.7, 1.0])
@pytest.mark.parametrize("copies", [[], [(0, 1)], [(0, 1), (2, 3)], [(0, 1, 2)]], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_clique_tables_of_binary_problems_with_singleton_separators(coverage, copies, seed):
    world = flat_world(sources=6, copies=copies, coverage=coverage, balance=[0.4, 0.6], seed=seed)
    assert_recovered(written_out(world), atol=1e-4)


@pytest.mark.parametrize("coverage", [0.7, 1.0])
@pytest.mark.parametrize("copies", [[(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 3)], [(0, 1, 2), (1, 2, 3)]], ids=str)
def test_chains_are_solved_in_several_steps(coverage, copies):
    whole = written_out(flat_world(sources=7 if coverage == 1 else 6, copies=copies, coverage=coverage, seed=3))
    assert not whole.layout.graph.has_singleton_separators
    assert_recovered(whole, atol=1e-4)


def test_unipolar_sources():
    world = flat_world(sources=7, polarity="one", coverage=0.35, copies=[(0, 2)], balance=[0.4, 0.6], seed=4)
    assert_recovered(written_out(world), atol=1e-4)


@pytest.mark.parametrize("classes", [3, 4])
@pytest.mark.parametrize("kind", ["class-conditional", "full"])
def test_rank_r_minus_1(classes, kind):
    world = flat_world(classes=classes, sources=4, kind=kind, coverage=0.8, seed=classes)
    assert_recovered(written_out(world), atol=1e-3)


DEPENDENT = {
    "pair": [(0, 1)],
    "two pairs": [(0, 1), (2, 3)],
    "chain": [(0, 1), (1, 2)],
    "chain of triples": [(0, 1, 2), (1, 2, 3)],
}


@pytest.mark.parametrize("copies", DEPENDENT.values(), ids=DEPENDENT)
@pytest.mark.parametrize("coverage", [0.7, 1.0])
def test_rank_r_minus_1_with_dependencies(copies, coverage):
    for seed in range(3):
        world = flat_world(classes=3, sources=8, copies=copies, coverage=coverage, seed=seed)
        drawn = world.draw(50_000, seed=seed + 50)
        settings = {"dependencies": world.dependencies, "class_balance": world.balance}
        model = assay.LabelModel(method="completion", **settings).fit(drawn.votes)
        assert model.converged_
        for found, expected in zip(model.conditionals_, world.conditionals, strict=True):
            np.testing.assert_allclose(found, expected, atol=0.03)
        best = (world.posterior(drawn.votes.codes).argmax(axis=1) == drawn.gold).mean()
        assert (model.predict(drawn.votes) == drawn.gold).mean() > best - 0.005


def test_many_unknowns_are_solved_for_without_second_order_steps(monkeypatch):
    world = flat_world(classes=3, sources=5, copies=[(0, 1)], kind="class-conditional", coverage=0.8, seed=3)
    whole = written_out(world)
    monkeypatch.setattr(completion, "_MOST_UNKNOWNS", 0)
    parameters, _ = fitted(whole)
    for table, clique in zip(parameters.joint, whole.layout.cliques, strict=True):
        np.testing.assert_allclose(table, whole.table(clique), atol=0.02)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("copies", [[(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (2, 3), (3, 4)]], ids=["two", "one"])
def test_fewer_than_three_groups_determine_nothing(classes, copies):
    """Some sources are independent given their neighbours, which Algorithm 1 does not use."""
    world = flat_world(classes=classes, sources=5, copies=copies, seed=1)
    votes = world.draw(2_000).votes
    settings = {"dependencies": world.dependencies, "class_balance": world.balance}
    assert assay.check(votes, world.dependencies).ok
    for method in ("completion", "covariance"):
        with pytest.raises(assay.UnidentifiableError, match="A006"):
            assay.LabelModel(method=method, **settings).fit(votes)
        model = assay.LabelModel(method=method, allow_unidentifiable=True, **settings).fit(votes)
        assert not model.converged_
        assert any("A006" in note for note in model.notes_)
        assert_proper(model, votes)
    assert assay.LabelModel(method="em", **settings).fit(votes).converged_


def test_hierarchies_are_labeled_as_well_as_with_a_given_balance(entities):
    labels = ["entity"] * 5 + ["person"] * 4 + ["org"] * 4
    for seed in range(4):
        world = task_world(entities, labels, balance=[0.3, 0.2, 0.3, 0.2], kind="class-conditional", seed=seed)
        drawn = world.draw(200_000, seed=seed + 100)
        scores = [
            (
                assay.LabelModel(method="completion", class_balance=balance).fit(drawn.votes).predict(drawn.votes)
                == drawn.gold
            ).mean()
            for balance in (None, world.balance)
        ]
        assert scores[0] > scores[1] - 0.01


def test_a_source_that_is_wrong_more_often_than_right():
    world = flat_world(sources=5, seed=6)
    flipped = world.draw(20_000)
    codes = flipped.votes.codes.copy()
    codes[:, 2] = 1 - codes[:, 2]
    model = assay.LabelModel(method="completion").fit(codes)
    assert (model.sources_["accuracy"][model.sources_["source"] == "2"] < 0.5).all()
    assert (model.sources_["accuracy"][model.sources_["source"] != "2"] > 0.5).all()


def test_one_step_wants_singleton_separators():
    whole = written_out(flat_world(sources=4, copies=[(0, 1), (1, 2)]))
    with pytest.raises(assay.VoteError, match="singleton separators"):
        solve(whole.population(), whole.balance, np.ones(4))


def one_task_sources(n, seed):
    """Sources of a hierarchy that each vote on one task, two of them dependent."""
    rng = np.random.default_rng(seed)
    entity, fine = rng.integers(2, size=n), rng.integers(2, size=n)

    def said(truth, labels):
        return [labels[t if rng.random() < 0.8 else 1 - t] for t in truth]

    columns = {f"e{j}": said(entity, ["Person", "Organization"]) for j in range(3)}
    for j in range(3):
        columns[f"p{j}"] = [
            label if of == 0 else None for label, of in zip(said(fine, ["Doctor", "Lawyer"]), entity, strict=True)
        ]
    columns["o0"] = [
        label if of == 1 else None for label, of in zip(said(fine, ["Hospital", "Office"]), entity, strict=True)
    ]
    columns["p1"] = [a if rng.random() < 0.7 else b for a, b in zip(columns["p0"], columns["p1"], strict=True)]
    return columns


@pytest.mark.parametrize("method", ["completion", "covariance", "em"])
def test_one_task_sources_with_dependencies(entities, method):
    votes = assay.Votes.from_columns(entities, one_task_sources(500, 0))
    model = assay.LabelModel(method=method, dependencies=[("p0", "p1"), ("e0", "p0")]).fit(votes)
    assert_proper(model, votes)


@pytest.mark.parametrize("method", ["completion", "covariance", "em"])
@pytest.mark.parametrize("spoil", ["unipolar", "never abstains", "constant", "never votes", "copy", "opposite", "once"])
def test_awkward_sources_with_dependencies_give_no_singular_matrix(method, spoil):
    votes = flat_world(sources=6, coverage=0.8, seed=8).draw(300).votes.codes.copy()
    ways = {
        "unipolar": np.where(votes[:, 0] == 1, 1, -1),
        "never abstains": np.abs(votes[:, 0]),
        "constant": np.zeros(300, int),
        "never votes": np.full(300, -1),
        "copy": votes[:, 1],
        "opposite": np.where(votes[:, 1] < 0, -1, 1 - votes[:, 1]),
        "once": np.where(np.arange(300) == 7, 1, -1),
    }
    votes[:, 0] = ways[spoil]
    for dependencies in ([(0, 1)], [(0, 1), (1, 2)], [(0, 1, 2)]):
        model = assay.LabelModel(method=method, dependencies=dependencies, allow_unidentifiable=True).fit(votes)
        assert_proper(model, votes)


@given(st.integers(0, 999), st.sampled_from([2, 3]))
def test_few_items_are_proper(seed, classes):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, classes, size=(int(rng.integers(1, 12)), 4))
    model = assay.LabelModel(
        method="completion", dependencies=[(0, 1)], cardinality=classes, allow_unidentifiable=True
    ).fit(codes)
    assert_proper(model, np.array(list(product(range(-1, classes), repeat=4))))


def assert_proper(model, votes):
    found = model.predict_proba(votes)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    for table in model.conditionals_:
        assert np.isfinite(table).all()
        np.testing.assert_allclose(table.sum(axis=0), 1)
    assert np.isfinite(model.sources_[["accuracy", "low", "high"]].to_numpy()).all()
