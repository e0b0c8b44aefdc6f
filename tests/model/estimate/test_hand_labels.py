"""A fit that has learned from hand labels."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import SourceGraph
from assay.counts import layout_of
from assay.gold import GoldItems
from assay.model.estimate.hand_labels import checked_votes
from assay.model.solving import gold_votes
from assay.simulate import flat_world
from tests.support.strategies import partial_vectors, said

DRAWN = flat_world(sources=6, seed=5).draw(1_000)
GOLD = np.where(np.arange(1_000) < 120, DRAWN.gold, -1)


@given(said(), st.data())
def test_votes_are_right_if_gold_leaves_nothing_else_and_wrong_if_it_leaves_none_of_it(given_votes, data):
    votes = given_votes.votes
    gold = [data.draw(st.none() | partial_vectors(given_votes.tasks)) for _ in range(len(votes))]
    known = GoldItems.among(votes, gold)
    for index, component in enumerate(votes.label_space.components):
        layout = layout_of(votes.schema, index, SourceGraph(votes.names))
        found = checked_votes(layout, gold_votes(known, index, layout))
        for at, source in enumerate(layout.sources):
            counts = np.zeros((len(layout.masks[at]), 2))
            codes = layout.codes(known.votes)[:, at]
            for item, value in enumerate(codes):
                if value >= 0:
                    allowed = set(np.flatnonzero(known.allowed(index)[item]))
                    named = set(np.flatnonzero(layout.masks[at][value]))
                    counts[value] += [allowed <= named, not allowed & named]
            np.testing.assert_array_equal(found[at], counts, err_msg=f"{component.tasks}, {votes.names[source]}")


def test_accuracies_are_known_better_with_gold():
    without, told = (assay.LabelModel().fit(DRAWN.votes, gold).sources_ for gold in (None, GOLD))
    assert (told["high"] - told["low"]).mean() < 0.9 * (without["high"] - without["low"]).mean()
    shown = DRAWN.votes.summary(DRAWN.gold)["accuracy"].to_numpy()
    found = told.groupby("source", sort=False)["accuracy"].mean().to_numpy()
    assert np.abs(found - shown).max() < 0.08


def test_a_balance_that_is_certain_holds_whatever_gold_says():
    model = assay.LabelModel(class_balance=[0.3, 0.7], balance_strength="exact").fit(DRAWN.votes, GOLD)
    free = np.setdiff1d(np.flatnonzero((DRAWN.votes.codes >= 0).any(axis=1)), np.arange(120))
    np.testing.assert_allclose(model.predict_proba(DRAWN.votes)[free].mean(axis=0), [0.3, 0.7], atol=0.03)


def test_the_class_balance_is_that_of_the_labels():
    model = assay.LabelModel().fit(DRAWN.votes, GOLD)
    np.testing.assert_allclose(model.class_balance_, model.predict_proba(DRAWN.votes).mean(axis=0), atol=0.03)
