"""Whoever takes votes takes a bare matrix of class numbers too, and does the same with it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

import assay
from assay.simulate import flat_world

DRAWN = flat_world(classes=3, sources=6, accuracy=(0.6, 0.9), coverage=0.6, seed=5).draw(300, 1)
CODES = np.asarray(DRAWN.votes.codes)
GOLD = DRAWN.gold

BARE = {
    "lists": CODES.tolist(),
    "array": CODES,
    "floats": CODES.astype(float),
    "csr": sparse.csr_array(CODES.astype(np.int64) + 1),
    "coo": sparse.coo_array(CODES.astype(np.int64) + 1),
}
VOTES = assay.Votes.from_matrix(CODES)

VOTERS = {
    "LabelModel": assay.LabelModel,
    "MajorityVote": assay.MajorityVote,
    "HierarchicalMajorityVote": assay.HierarchicalMajorityVote,
    "DawidSkene": assay.DawidSkene,
    "DataProgramming": assay.DataProgramming,
}
FEATURES = np.eye(3)[GOLD] + np.random.default_rng(0).normal(size=(len(GOLD), 3))
LINEAR = assay.SklearnEndModel(LogisticRegression())
HAND = assay.HandLabels.of([assay.HandAnswer(5, by="ann", answer={"label": "2"}, chance=0.5)])
FITTED = {name: make().fit(VOTES) for name, make in VOTERS.items()}


def counts(tally: assay.Tally) -> dict[str, Any]:
    return {name: array.tolist() for name, array in tally.arrays().items()}


def learned(found: assay.LearnedDependencies) -> Any:
    return found.names, found.edges, found.pairs


def told(report: assay.Report) -> Any:
    """What a report says of sources, of methods and of contested items."""
    return [repr(getattr(report, name)) for name in ("items", "cast", "methods", "sources", "components", "contested")]


CALLS: dict[str, Callable[[Any], Any]] = {
    "check": lambda votes: str(assay.check(votes)),
    "count": lambda votes: counts(assay.count(votes)),
    "majority_vote": assay.majority_vote,
    "hierarchical_majority_vote": assay.hierarchical_majority_vote,
    "dawid_skene": assay.dawid_skene,
    "data_programming": assay.data_programming,
    "learn_dependencies": lambda votes: learned(assay.learn_dependencies(votes, resamples=2, progress=False)),
    "Labels.voted": lambda votes: FITTED["LabelModel"].label(VOTES).voted(votes).kept,
    "Report.of": lambda votes: told(assay.Report.of(FITTED["LabelModel"], votes, gold=GOLD)),
    "next_items": lambda votes: assay.next_items(FITTED["LabelModel"], votes, n=7),
    "HandLabels.gold_for": lambda votes: HAND.gold_for(votes).codes,
    "HandLabels.weights": HAND.weights,
    "HandLabels.within": lambda votes: HAND.within(votes).said,
    "LabelModel.partial_fit": lambda votes: assay.LabelModel().partial_fit(votes).partial_fit(votes).class_balance_,
    "LabelModel.check": lambda votes: str(assay.LabelModel().check(votes)),
    "LabelModel.explain": lambda votes: str(FITTED["LabelModel"].explain(votes, 5)),
    "LabelModel.fit with gold": lambda votes: assay.LabelModel().fit(votes, GOLD).class_balance_,
    "refine": lambda votes: assay.refine(
        votes, FEATURES, FITTED["LabelModel"].label(VOTES), model=LINEAR, rounds=1, progress=False
    ).joint[0],
    **{f"{name}.fit": lambda votes, m=make: m().fit(votes).predict_proba(VOTES) for name, make in VOTERS.items()},
    **{f"{name}.predict_proba": FITTED[name].predict_proba for name in VOTERS},
    **{f"{name}.predict": FITTED[name].predict for name in VOTERS},
    **{f"{name}.label": lambda votes, m=model: m.label(votes).joint[0] for name, model in FITTED.items()},
    **{f"{name}.score": lambda votes, m=model: m.score(votes, GOLD) for name, model in FITTED.items()},
}
NEED_VOTES = {
    # Labels of several tasks, which a matrix does not have.
    "suggest_task_graph",
    # Trains an end model several times: tests/endmodel/test_training_comparison.py.
    "compare_training",
    # Beside the sources that made them, so there are votes.
    "dependency_hints",
    # Counts what it is given at once; assay.count takes everything.
    "Tally.of",
}
EXPECTED = {}


def same(one: Any, other: Any) -> None:
    if isinstance(one, np.ndarray | float):
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


@pytest.mark.parametrize("kind", BARE)
@pytest.mark.parametrize("name", CALLS)
def test_a_bare_matrix_is_the_votes_that_it_holds(name, kind):
    if name not in EXPECTED:
        EXPECTED[name] = CALLS[name](VOTES)
    same(CALLS[name](BARE[kind]), EXPECTED[name])


def public_functions_over_votes() -> set[str]:
    """By their signatures: whatever has a parameter that is called votes."""
    found = set()
    for name in assay.__all__:
        thing = getattr(assay, name)
        if inspect.isfunction(thing) and "votes" in inspect.signature(thing).parameters:
            found.add(name)
        if inspect.isclass(thing):
            for method in (method for method in dir(thing) if not method.startswith("_")):
                function = inspect.getattr_static(thing, method)
                function = getattr(function, "__func__", function)
                if inspect.isfunction(function) and "votes" in inspect.signature(function).parameters:
                    found.add(f"{name}.{method}")
    return found


def test_nobody_is_forgotten():
    assert public_functions_over_votes() - NEED_VOTES <= set(CALLS)
    assert public_functions_over_votes() >= NEED_VOTES


@pytest.mark.parametrize("name", VOTERS)
def test_few_votes_are_a_list_and_the_same(name):
    """In a matrix so sparse that it is never laid out."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    codes = np.where(rng.random((400, 60)) < 0.75, truth[:, None], 1 - truth[:, None])
    codes[rng.random((400, 60)) > 0.08] = -1
    matrix = sparse.csr_array(codes.astype(np.int64) + 1)
    votes = assay.Votes.from_matrix(matrix)
    assert votes.is_sparse
    bare, wrapped, laid_out = (VOTERS[name]().fit(given) for given in (matrix, votes, codes))
    np.testing.assert_array_equal(bare.predict_proba(matrix), wrapped.predict_proba(votes))
    np.testing.assert_allclose(bare.predict_proba(matrix), laid_out.predict_proba(codes), atol=1e-9)


# In scikit-learn


@pytest.mark.parametrize("name", VOTERS)
def test_votes_can_be_searched_over(name):
    grid = {"method": ["em", "robust"]} if name == "LabelModel" else {"cardinality": [None]}
    by_votes, by_matrix = (
        GridSearchCV(VOTERS[name](), grid, cv=3, error_score="raise").fit(given, GOLD) for given in (VOTES, CODES)
    )
    np.testing.assert_array_equal(by_votes.cv_results_["mean_test_score"], by_matrix.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(by_votes.predict(VOTES), by_matrix.predict(CODES))


def test_votes_can_be_cross_validated():
    scores = [cross_val_score(assay.LabelModel(), given, GOLD, cv=3, error_score="raise") for given in (VOTES, CODES)]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("listed", [False, True])
def test_rows_of_votes_are_taken_as_of_an_array(listed):
    votes = assay.Votes.from_matrix(sparse.csr_array((300, 60), dtype=np.int64)) if listed else VOTES
    assert votes.is_sparse == listed
    for rows in (slice(3, 9), [5, 2, 2], np.arange(300) % 7 == 0, np.array([0, -1])):
        assert votes[rows] == votes.take(rows)


LARGE = {
    "few sources": (20_000, 6, 2),
    "many sources": (3_000, 70, 2),
    "several classes": (3_000, 30, 4),
    "with near-copies": (4_000, 12, 2),
}


def large(kind: str) -> np.ndarray:
    """A matrix of bytes that is large enough to be left where it lies."""
    items, sources, classes = LARGE[kind]
    codes = flat_world(classes=classes, sources=sources, coverage=0.5, seed=1).draw(items, 2).votes.codes
    matrix = np.ascontiguousarray(codes, dtype=np.int8)
    matrix[:5] = -1
    if kind == "with near-copies":
        matrix[: 9 * items // 10, 1] = matrix[: 9 * items // 10, 0]
    return matrix


@pytest.mark.parametrize("kind", LARGE)
def test_a_matrix_that_is_not_copied_is_the_votes_that_it_holds_bit_for_bit(kind):
    matrix, classes = large(kind), LARGE[kind][2]
    votes = assay.Votes.from_matrix(matrix, cardinality=classes)
    model, expected = (assay.LabelModel(cardinality=classes).fit(given) for given in (matrix, votes))
    assert model.predict_proba(matrix).tobytes() == expected.predict_proba(votes).tobytes()
    assert counts(assay.count(matrix)) == counts(assay.count(votes))
    labels = model.label(matrix)
    same(labels.joint[0], expected.label(votes).joint[0])
    same(labels.has_votes, votes.voted)
    assert model.converged_ == expected.converged_


@pytest.mark.parametrize("kind", LARGE)
def test_labels_do_not_depend_on_the_number_of_threads_or_the_order_of_rows(kind, monkeypatch):
    matrix, classes = large(kind), LARGE[kind][2]
    order = np.random.default_rng(0).permutation(len(matrix))
    whole = assay.LabelModel(cardinality=classes).fit(matrix).predict_proba(matrix)
    monkeypatch.setenv("ASSAY_THREADS", "3")
    alone = assay.LabelModel(cardinality=classes).fit(matrix[order]).predict_proba(matrix[order])
    np.testing.assert_allclose(alone, whole[order], rtol=0, atol=1e-9)


def test_what_was_learned_does_not_change_with_the_matrix():
    matrix = large("many sources")
    kept = matrix.copy()
    gold = np.where(np.arange(len(matrix)) < 50, 1, -1)
    model = assay.LabelModel(cardinality=2).fit(matrix, gold)
    before = model.predict_proba(kept)
    votes = assay.Votes.from_matrix(matrix)
    assert matrix.flags.writeable
    matrix[:] = -1
    same(model.predict_proba(kept), before)
    same(np.asarray(votes.codes), kept)


@pytest.mark.parametrize(("code", "message"), [(-2, "map every abstention to -1"), (5, "below 2")])
@pytest.mark.parametrize("place", [(0, 0), (-1, -1)])
def test_codes_that_mean_nothing_are_refused_wherever_they_are(code, message, place):
    matrix = large("many sources")
    model = assay.LabelModel(cardinality=2).fit(matrix)
    matrix[place] = code
    for call in (assay.LabelModel(cardinality=2).fit, model.predict_proba, model.label):
        with pytest.raises(assay.VoteError, match=message):
            call(matrix)
