"""Outcomes that no vote tells apart: fitted as one, and alike in all that is said of them."""

from functools import cache

import numpy as np
import pytest

import assay
from assay import LabelModel, Task, TaskGraph, Votes
from assay.counts import SourceGraph, layout_of
from assay.model.estimate import merged_outcomes
from assay.model.estimate.balance_belief import BalanceBelief, Statement
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.merged_outcomes import Merged

LEAVES, ITEMS = 72, 1_500


@pytest.fixture(autouse=True)
def _merged_from_here_on(monkeypatch):
    """A hierarchy that is just large enough."""
    monkeypatch.setattr(merged_outcomes, "MANY", LEAVES)


def tree():
    """Eight labels, and nine below each of them."""
    coarse = [f"c{at}" for at in range(8)]
    fine = [Task(f"below {label}", [f"{label}.{at}" for at in range(9)], parent=("top", label)) for label in coarse]
    return TaskGraph([Task("top", coarse), *fine])


def drawn(named=2, seed=0):
    """Votes of three coarse sources, and of four that name only the first few leaves below each label."""
    rng = np.random.default_rng(seed)
    tasks = tree()
    truth = rng.integers(0, LEAVES, ITEMS)
    columns = {}
    for source in range(7):
        said = np.where(rng.random(ITEMS) < 0.75, truth, rng.integers(0, LEAVES, ITEMS))
        speaks = rng.random(ITEMS) < 0.6
        if source < 3:
            labels = [("top", f"c{at // 9}") for at in said]
        else:
            speaks &= said % 9 < named
            labels = [(f"below c{at // 9}", f"c{at // 9}.{at % 9}") for at in said]
        columns[f"s{source}"] = [label if there else None for label, there in zip(labels, speaks, strict=True)]
    return Votes.from_columns(tasks, columns), truth


VOTES, TRUTH = drawn()


@cache
def fitted():
    return LabelModel().fit(VOTES)


def layout():
    return layout_of(VOTES.schema, 0, SourceGraph(VOTES.names))


def parts_of(merged):
    return [np.flatnonzero(merged.number == part) for part in range(len(merged.first))]


class TestWhichAreOne:
    def test_those_that_all_votes_treat_alike(self):
        merged = Merged.of(layout(), Knowledge.none(layout()))
        masks = layout().all_masks
        assert len(merged.first) == 8 * 3
        for part in parts_of(merged):
            assert (masks[:, part] == masks[:, part[:1]]).all()
            assert merged.share[part].sum() == pytest.approx(1)
        assert len(np.unique(masks[:, merged.first], axis=1).T) == len(merged.first)

    def test_what_is_said_of_some_tells_them_apart(self):
        rare = np.arange(LEAVES) == 8
        belief = BalanceBelief(statements=(Statement(rare, np.ones(LEAVES, dtype=bool), 0.01, 0.02),))
        merged = Merged.of(layout(), Knowledge(signs=np.ones(7), balance=belief))
        assert len(merged.first) == 8 * 3 + 1
        assert merged.share[8] == 1

    def test_a_known_balance_tells_how_large_a_part_each_is(self):
        shares = np.arange(1, LEAVES + 1) / np.arange(1, LEAVES + 1).sum()
        known = Knowledge(signs=np.ones(7), balance=BalanceBelief.of_vector(shares))
        merged = Merged.of(layout(), known)
        assert len(merged.first) == 8 * 3
        together = merged.knowledge(known).balance.vector
        np.testing.assert_allclose(together[merged.number] * merged.share, shares)

    def test_few_outcomes_and_those_that_differ_are_left_alone(self, monkeypatch):
        every, _ = drawn(named=9)
        whole = layout_of(every.schema, 0, SourceGraph(every.names))
        assert Merged.of(whole, Knowledge.none(whole)) is None
        monkeypatch.setattr(merged_outcomes, "MANY", LEAVES + 1)
        assert Merged.of(layout(), Knowledge.none(layout())) is None


class TestFits:
    def test_nothing_is_said_that_nobody_said(self):
        found = fitted().predict_proba(VOTES)
        assert found.shape == (ITEMS, LEAVES)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        for part in parts_of(Merged.of(layout(), Knowledge.none(layout()))):
            assert (found[:, part] == found[:, part[:1]]).all()

    def test_labels_are_no_worse_than_one_by_one(self, monkeypatch):
        def score(fit):
            shares = fit.label(VOTES)["top"][np.arange(ITEMS), TRUTH // 9]
            joint = fit.predict_proba(VOTES)[np.arange(ITEMS), TRUTH]
            return [np.log(np.maximum(part, 1e-9)).mean() for part in (shares, joint)]

        together = score(fitted())
        monkeypatch.setattr(merged_outcomes, "MANY", LEAVES + 1)
        assert all(here > apart - 0.05 for here, apart in zip(together, score(LabelModel().fit(VOTES)), strict=True))

    def test_the_order_of_labels_does_not_matter(self):
        turned = TaskGraph(
            [Task(t.name, t.labels[::-1], parent=t.parents[0] if t.parents else None) for t in tree().tasks]
        )
        columns = {
            name: [None if value is None else dict([value]) for value in _pairs(VOTES, name)] for name in VOTES.names
        }
        votes = Votes.from_columns(turned, columns)
        found = LabelModel().fit(votes).label(votes)
        np.testing.assert_allclose(found["top"][:, 7::-1], fitted().label(VOTES)["top"][:, :8], atol=1e-6)

    def test_saved_explained_and_taught_as_any_other(self, tmp_path):
        again = LabelModel.load(fitted().save(tmp_path / "model.npz"))
        assert np.array_equal(again.predict_proba(VOTES), fitted().predict_proba(VOTES))
        assert again.sources_.equals(fitted().sources_)
        assert again.advice_ == fitted().advice_
        assert fitted().class_balance_.sum() == pytest.approx(1)
        outcomes = VOTES.label_space.outcomes
        gold = [outcomes[at] if row < 150 else None for row, at in enumerate(TRUTH)]
        taught = LabelModel().fit(VOTES, gold)
        assert (taught.predict(VOTES)[:150] == TRUTH[:150]).all()
        assert assay.evaluate(taught.label(VOTES)).cross_fitted == 150

    @pytest.mark.parametrize("said", [{"c0.8": 0.2}, {"top": {"c1": (0.3, 0.4)}}], ids=str)
    def test_what_is_known_of_the_balance_holds(self, said):
        told = LabelModel(class_balance=said, balance_strength="exact").fit(VOTES)
        found = told.predict_proba(VOTES)[VOTES.voted].mean(axis=0)
        if "top" in said:
            assert found[9:18].sum() > 0.2
        else:
            assert found[8] / found[:9].sum() == pytest.approx(0.2, abs=0.05)


def _pairs(votes, name):
    """The (task, label) that a source says of each item."""
    column = votes.names.index(name)
    return [None if code < 0 else votes.values[column][code].labels[0] for code in votes.codes[:, column].tolist()]
