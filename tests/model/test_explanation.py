"""Explanations: what each source contributed adds up to the posterior."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.simulate import flat_world, task_world

CHAIN = flat_world(classes=3, sources=6, copies=[(0, 1), (1, 2)], coverage=0.6, seed=1).draw(1500)
MODELS = {
    way: assay.LabelModel(method="em", dependencies=[(0, 1), (1, 2)], abstentions=way, cardinality=3).fit(CHAIN.votes)
    for way in ("informative", "ignored")
}
MODELS["robust"] = assay.LabelModel(method="robust", dependencies=[(0, 1), (1, 2)], cardinality=3).fit(CHAIN.votes)


def assert_adds_up(explanation, expected):
    table = explanation.table
    np.testing.assert_allclose(table.drop(index="total").sum(), table.loc["total"], atol=1e-9)
    assert table.notna().all(axis=None)
    assert table.index[-1] == "total"
    chances = np.exp(table.loc["total"].to_numpy())
    np.testing.assert_allclose(chances / chances.sum(), expected, atol=1e-9)
    np.testing.assert_allclose(explanation.posterior, expected, atol=1e-9)


@given(st.integers(0, len(CHAIN.votes) - 1), st.sampled_from(sorted(MODELS)))
def test_rows_add_up_and_their_softmax_is_the_posterior(row, way):
    model = MODELS[way]
    explanation = model.explain(CHAIN.votes, row)
    assert_adds_up(explanation, model.predict_proba(CHAIN.votes)[row])
    np.testing.assert_allclose(explanation.table.sum(axis=1), 0, atol=1e-9)


@given(st.integers(0, len(CHAIN.votes) - 1))
def test_every_source_that_voted_is_named_and_no_other(row):
    explanation = MODELS["informative"].explain(CHAIN.votes, row)
    named = {part.split(":")[0] for key in explanation.table.index if ":" in key for part in key.split(" + ")}
    assert named == {CHAIN.votes.names[j] for j in np.flatnonzero(CHAIN.votes.codes[row] >= 0)}


def test_dependent_sources_are_told_of_together():
    votes = np.array([[0, 1, -1, 2, -1, -1], [-1] * 6])
    table = MODELS["informative"].explain(votes, 0).table
    assert {"class balance", "0: 0 + 1: 1", "3: 2", "abstentions", "total"} <= set(table.index)
    assert MODELS["informative"].explain(votes, -1).table.index.tolist() == ["class balance", "total"]


def test_an_item_without_votes_has_the_class_balance():
    model = MODELS["informative"]
    assert_adds_up(model.explain(np.full((1, 6), -1), 0), model.class_balance_)


def test_ignored_abstentions_contribute_nothing():
    table = MODELS["ignored"].explain(np.array([[0, -1, -1, -1, -1, -1]]), 0).table
    np.testing.assert_allclose(table.loc["abstentions"], 0, atol=1e-9)


def test_hierarchical(entities):
    votes = task_world(entities, ["entity"] * 3 + ["person"] * 3 + ["org"] * 3, seed=1).draw(800).votes
    model = assay.LabelModel().fit(votes)
    explanation = model.explain(votes, 5)
    assert_adds_up(explanation, model.predict_proba(votes)[5])
    assert list(explanation.table.columns) == [
        "Person, Doctor",
        "Person, Lawyer",
        "Organization, Hospital",
        "Organization, Office",
    ]
    assert "total" in str(explanation)


def test_several_components_have_no_gaps(pair):
    rng = np.random.default_rng(0)
    columns = {f"m{j}": ("mood", rng.choice(["good", "bad"], 60).tolist()) for j in range(3)}
    columns |= {f"f{j}": ("food", rng.choice(["good", "cold", None], 60).tolist()) for j in range(3)}
    columns["both"] = [{"mood": "good", "food": "good"} if row % 2 else None for row in range(60)]
    votes = assay.Votes.from_columns(pair, columns)
    model = assay.LabelModel().fit(votes)
    for row in range(4):
        explanation = model.explain(votes, row)
        assert explanation.table.notna().all(axis=None)
        assert explanation.table.index[-1] == "total"
        np.testing.assert_allclose(explanation.table.drop(index="total").sum(), explanation.table.loc["total"])
        np.testing.assert_allclose(
            explanation.posterior, np.concatenate([part[row] for part in model.predict_proba(votes)])
        )


@pytest.mark.parametrize("row", [1500, -1501])
def test_no_such_row(row):
    with pytest.raises(assay.VoteError, match=f"there is no row {row}; there are 1500 items"):
        MODELS["informative"].explain(CHAIN.votes, row)


def test_an_item_with_a_name_is_shown_by_it():
    """Names may be numbers, and are not row numbers then."""
    table = pd.DataFrame([[0, 0, 1], [1, 1, 1], [0, 1, 0]] * 5, index=[7 * row for row in range(15)])
    model = assay.LabelModel(allow_unidentifiable=True).fit(table)
    found = model.explain(table, 2)
    assert found.item == 14
    assert str(found).startswith("item 14")
    assert "item 14" in found._repr_html_()
    assert model.explain(table.to_numpy(), 2).item is None
