"""What hand labels change: laws of the corrections, on votes with known parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import SourceGraph, Tally, Votes
from assay.counts import Evidence, layout_of
from assay.gold import GoldItems
from assay.model.estimate.balance_belief import BalanceBelief
from assay.model.estimate.correction_path import CorrectionProblem, CorrectionSettings, GoldVotes
from assay.model.estimate.gold_corrections import corrected
from assay.model.estimate.hand_labels import other_models
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.start import voted_for
from assay.model.estimate.tilting import mean_posterior
from assay.model.scorer import posterior
from assay.model.solving import gold_votes
from assay.simulate import flat_world

DRAWN = flat_world(sources=6, classes=3, coverage=0.6, seed=5).draw(1_500)
UNEVEN = flat_world(sources=6, classes=3, accuracy=(0.4, 0.9), coverage=0.7, seed=3).draw(1_500)


def gold_for(votes: Votes, truth: np.ndarray, rows: np.ndarray) -> np.ndarray:
    gold = np.full(len(votes), -1)
    gold[rows] = truth[rows]
    return gold


def problem(votes: Votes, gold) -> tuple:
    """Scoring, evidence and gold of a fitted model's only component."""
    fitted = assay.LabelModel(allow_unidentifiable=True).fit(votes).fitted_
    fit = fitted.components[0].fit
    layout = layout_of(votes.schema, 0, SourceGraph(votes.names) if fitted.learned is None else fitted.learned.graph)
    named = layout.sum_over_voters(voted_for(layout, np.ones(len(layout.masks))))
    return fit.scoring, Evidence.of(Tally.of(votes), layout), gold_votes(GoldItems.among(votes, gold), 0, layout), named


class TestLaws:
    def test_labels_without_news_change_little(self):
        """Votes that follow the model, and gold drawn from its own labels."""
        chances = assay.LabelModel().fit(DRAWN.votes).predict_proba(DRAWN.votes)
        rng = np.random.default_rng(2)
        truth = (rng.random(len(chances))[:, None] > chances.cumsum(axis=1)).sum(axis=1)
        scoring, evidence, gold, named = problem(
            DRAWN.votes, gold_for(DRAWN.votes, truth, rng.permutation(1_500)[:200])
        )
        found = corrected(scoring, evidence, gold, named, told=200.0)
        codes = DRAWN.votes.codes
        moved = np.abs(posterior(found.scoring, codes) - posterior(scoring, codes)).mean()
        assert moved < 0.04

    @settings(max_examples=10)
    @given(st.integers(0, 1_000))
    def test_the_order_of_items_does_not_matter(self, seed):
        rng = np.random.default_rng(seed)
        scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, np.arange(60)))
        order = rng.permutation(len(gold))
        shuffled = GoldVotes(gold.design.take(order), gold.said.take(order), gold.allowed[order], gold.weights[order])
        one = corrected(scoring, evidence, gold, named, told=30.0)
        other = corrected(scoring, evidence, shuffled, named, told=30.0)
        for a, b in zip(one.scoring.logs, other.scoring.logs, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-9)
        # Items with the same votes and the same gold may change places between folds.
        assert sorted(one.held_out.round(6).tolist()) == sorted(other.held_out.round(6).tolist())

    def test_sources_that_mislead_are_found_out(self):
        """A source that is always wrong about one class: votes alone do not tell, gold does."""
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 2, 3_000)
        columns = [np.where(rng.random(3_000) < 0.6, truth, 1 - truth) for _ in range(3)]
        fooled = np.where(rng.random(3_000) < 0.95, 1 - truth, truth)
        votes = Votes.from_matrix(np.column_stack([*columns, fooled]))
        rows = rng.permutation(3_000)[:150]
        scoring, evidence, gold, named = problem(votes, gold_for(votes, truth, rows))
        found = corrected(scoring, evidence, gold, named, told=30.0)
        rest = np.setdiff1d(np.arange(3_000), rows)
        right = (posterior(found.scoring, votes.codes).argmax(axis=1) == truth)[rest].mean()
        assert right > 0.93

    def test_held_out_labels_are_as_right_as_those_of_other_items(self):
        held_out, others = [], []
        for seed in range(12):
            rng = np.random.default_rng(seed)
            rows = rng.permutation(1_500)[:150]
            scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, rows))
            found = corrected(scoring, evidence, gold, named, told=45.0)
            held_out.append((gold.allowed[np.arange(150), found.held_out.argmax(axis=1)]).mean())
            rest = np.setdiff1d(np.arange(1_500), rows)
            labels = posterior(found.scoring, DRAWN.votes.codes)[rest]
            others.append((labels.argmax(axis=1) == DRAWN.gold[rest]).mean())
        # Items without votes are scored by the class balance in one of the two, so a point of tolerance.
        assert np.mean(held_out) == pytest.approx(np.mean(others), abs=0.02)

    def test_a_large_group_is_not_turned_by_chance(self):
        """Half of the items have one and the same vote, which is right more often than any other label would be."""
        rng = np.random.default_rng(1)
        n = 4_000
        truth = np.where(rng.random(n) < 0.45, 0, rng.integers(1, 4, n))
        said = np.where(rng.random(n) < 0.5, 0, -1)
        others = np.column_stack(
            [np.where((rng.random(n) < 0.5) & (truth == k), k, -1) for k in range(4) for _ in range(2)]
        )
        votes = Votes.from_matrix(np.column_stack([said, others]), cardinality=4)
        alone = (said == 0) & (others < 0).all(axis=1)
        turned = 0
        for seed in range(8):
            rows = np.random.default_rng(seed).permutation(n)[:20]
            scoring, evidence, gold, named = problem(votes, gold_for(votes, truth, rows))
            before = posterior(scoring, votes.codes[alone][:1]).argmax()
            after = posterior(
                corrected(scoring, evidence, gold, named, told=60.0).scoring, votes.codes[alone][:1]
            ).argmax()
            turned += int(before != after)
        assert turned <= 1


class TestOtherModels:
    def misled(self, rows: np.ndarray) -> tuple:
        """A scoring that takes the best sources for the worst and the other way round, the fitted one, and the rest."""
        scoring, evidence, gold, named = problem(UNEVEN.votes, gold_for(UNEVEN.votes, UNEVEN.gold, rows))
        order = np.argsort([np.ptp(log) for log in scoring.logs])
        swapped = list(scoring.logs)
        for weak, strong in zip(order, order[::-1], strict=True):
            swapped[weak] = scoring.logs[strong]
        return replace(scoring, logs=tuple(swapped)), scoring, evidence, gold, named

    def test_gold_tells_which_model_of_the_votes_is_right(self):
        rest, codes = np.arange(60, 1_500), UNEVEN.votes.codes
        wrong, right, evidence, gold, named = self.misled(np.arange(60))

        def accuracy(scoring) -> float:
            return float((posterior(scoring, codes).argmax(axis=1) == UNEVEN.gold)[rest].mean())

        alone = corrected(wrong, evidence, gold, named, told=45.0).scoring
        told = corrected(wrong, evidence, gold, named, told=45.0, others=[right]).scoring
        assert accuracy(wrong) < accuracy(right) - 0.04
        assert accuracy(told) > accuracy(alone) + 0.01
        assert accuracy(told) > accuracy(right) - 0.01

    def test_a_worse_model_does_little_harm(self):
        rest, codes = np.arange(60, 1_500), UNEVEN.votes.codes
        wrong, right, evidence, gold, named = self.misled(np.arange(60))
        labels = (
            posterior(corrected(right, evidence, gold, named, told=45.0, others=others).scoring, codes)[rest]
            for others in ([], [wrong])
        )
        one, other = ((chances.argmax(axis=1) == UNEVEN.gold[rest]).mean() for chances in labels)
        assert other == pytest.approx(one, abs=0.005)

    def test_the_scoring_gives_the_labels_that_were_cross_fitted(self):
        """What is a sum of models while candidates are compared is one sum over votes in the end."""
        wrong, right, evidence, gold, named = self.misled(np.arange(200))
        only_models = CorrectionSettings(penalties=(), prior=(-1e9, -1e9, -1e9, 0.0))
        found = CorrectionProblem.of(wrong, [right], evidence, gold, np.arange(200), named, 45.0, only_models)
        change, _ = found.cross_fitted()
        assert change.models.sum() > 0.2
        scored = posterior(found.scored(change, wrong.without_votes), UNEVEN.votes.codes[:200])
        voted = (UNEVEN.votes.codes[:200] >= 0).any(axis=1)
        np.testing.assert_allclose(scored[voted], found.labels(change)[found.of_item[voted]], atol=1e-12)

    def test_the_same_model_again_changes_nothing(self):
        scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, np.arange(60)))
        one, other = (
            corrected(scoring, evidence, gold, named, told=45.0, others=others, settings=settings).scoring
            for others, settings in (
                ([], CorrectionSettings(penalties=(), prior=(-1e9, -1e9, 0.0, 0.0))),
                ([scoring], CorrectionSettings(penalties=(), prior=(-1e9, -1e9, 0.0, -1e9))),
            )
        )
        for a, b in zip(one.logs, other.logs, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-9)

    def test_all_models_know_a_balance_that_is_given(self):
        fit = assay.LabelModel(class_balance=[0.5, 0.3, 0.2], balance_strength="exact").fit(DRAWN.votes)
        part = fit.fitted_.components[0].fit
        # As if the votes had been of two minds.
        doubted = replace(part, candidates=tuple(replace(one, weight=0.5) for one in part.candidates))
        told = BalanceBelief.of_vector(np.array([0.5, 0.3, 0.2]), strength="exact")
        others = other_models(doubted, Knowledge(signs=np.ones(6), balance=told))
        assert others
        for one in others:
            shares = mean_posterior(one, part.evidence)
            np.testing.assert_allclose(shares, mean_posterior(part.scoring, part.evidence), atol=1e-3)


class TestEdges:
    def test_gold_that_says_nothing_about_the_component(self):
        scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, np.arange(5)))
        nothing = replace(gold, allowed=np.ones_like(gold.allowed))
        found = corrected(scoring, evidence, nothing, named, told=30.0)
        np.testing.assert_array_equal(found.scoring.prior, scoring.prior)
        assert found.held_out.shape == (5, 3)
        np.testing.assert_allclose(found.held_out.sum(axis=1), 1)

    @pytest.mark.parametrize("items", [1, 2, 3, 6])
    def test_a_handful(self, items):
        scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, np.arange(items)))
        found = corrected(scoring, evidence, gold, named, told=30.0)
        np.testing.assert_allclose(found.held_out.sum(axis=1), 1)
        assert np.isfinite(found.scoring.gains).all()

    def test_a_certain_balance_is_not_moved(self):
        scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, np.arange(80)))
        only_balance = CorrectionSettings(penalties=(), prior=(-1e9, -1e9, 0.0))
        found = corrected(scoring, evidence, gold, named, told=np.inf, settings=only_balance)
        ratio = np.log(found.scoring.prior) / np.log(scoring.prior)
        np.testing.assert_allclose(
            np.diff(np.log(found.scoring.prior)), np.diff(np.log(scoring.prior)) * ratio_of(found, scoring)
        )
        assert np.isfinite(ratio).all()

    def test_too_many_outcomes_for_free_weights(self):
        scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, np.arange(200)))
        bound = corrected(scoring, evidence, gold, named, told=30.0, settings=CorrectionSettings(most_weights=0))
        assert np.isfinite(bound.scoring.gains).all()
        assert bound.held_out.shape == (200, 3)

    def test_coarse_gold_settles_what_it_can(self):
        """Gold that only rules out an outcome still makes it less probable elsewhere."""
        scoring, evidence, gold, named = problem(DRAWN.votes, gold_for(DRAWN.votes, DRAWN.gold, np.arange(300)))
        coarse = replace(gold, allowed=np.tile([True, True, False], (300, 1)))
        found = corrected(scoring, evidence, coarse, named, told=30.0)
        before, after = (posterior(one, DRAWN.votes.codes)[:, 2].mean() for one in (scoring, found.scoring))
        assert after < before / 2


def ratio_of(found, scoring) -> float:
    """The slope of a corrected scoring, from what its first clique adds."""
    return float(np.ptp(found.scoring.logs[0][0]) / np.ptp(scoring.logs[0][0]))
