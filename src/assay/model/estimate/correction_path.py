"""The path of corrections by gold, from no change to votes that are hardly shrunk, and how far to go on it.

What is corrected, and why, is told in :mod:`assay.model.estimate.gold_corrections`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.counts import Design, Evidence
from assay.model.estimate.prediction_powered import effective_count, prediction_powered
from assay.model.estimate.shifting import shift_to
from assay.model.parameters import TINY
from assay.model.scoring import Scoring, centred, effective_share, softmax
from assay.votes import SparseCodes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Loss = Callable[[FloatArray], tuple[float, FloatArray]]
"""A value to be least, and its slope."""
Bounds = list[tuple[float | None, float | None]]

_LEAST_LIKELY = 1e-3
"""The least probability of gold that counts, so that one item does not decide."""


_TIED = 1e-9
"""Outcomes whose scores differ by less are tied."""
_UNWEIGHTED = 3
"""So many candidates come before other models of the votes are tried."""
_DENSE = 2**21
"""Up to so many cells, a plain matrix is faster than a sparse one."""


@dataclass(frozen=True, kw_only=True)
class CorrectionSettings:
    """Settings of the gold corrections; chosen on simulated votes."""

    penalties: tuple[float, ...] = (10.0, 3.0, 1.0, 0.3, 0.1)
    """Of squared weights of votes, from strong to weak: one candidate each."""
    prior: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, -3.0, -5.0)
    """The log-prior of the candidates: no change, only the slope, slope and balance, other models of the votes besides
    if there are any, then each of the penalties."""
    models: float = 3.0
    """The penalty of the squared share of each other model of the votes."""
    other_outcomes: float = 4.0
    """The factor of the penalty for what a vote adds to outcomes in other ways than for or against those it names."""
    slope: float = 4.0
    """The penalty of the squared logarithm of the slope."""
    balance: float = 10.0
    """The penalty of what is added to all items, beyond the estimated balance."""
    discounts: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0)
    """Factors of the discount for correlated votes that are tried."""
    discount: float = 1.0
    """The penalty of another discount."""
    risk: float = 150.0
    """By how much the log-weight of a candidate falls with each share of items that it may cost;"""
    errors: float = 1.64
    """what it may cost is this number of standard errors below what it gains on unseen gold,"""
    errors_of_few: float = 10.0
    """and this number over the number of labels more."""
    folds: int = 5
    max_steps: int = 60
    most_weights: int = 50_000
    """With more joint votes in gold times outcomes than this, votes only count for or against what they name."""
    patterns: int = 8_000
    """The most vote patterns that mean predictions are computed on."""


@dataclass(frozen=True, eq=False)
class GoldVotes:
    """Items of one component with gold: their votes, and the outcomes that gold allows."""

    design: Design
    said: SparseCodes
    """Their votes, as values of the layout."""
    allowed: BoolArray
    """(items, outcomes)."""
    weights: FloatArray
    """(items,): how many items each stands for, up to a factor."""

    def __len__(self) -> int:
        return len(self.allowed)


@dataclass(frozen=True, eq=False)
class Change:
    """A point on the way from no change to weights that are hardly shrunk."""

    slope: float
    discount: float
    shift: FloatArray
    """(outcomes,)."""
    weights: FloatArray
    """(joint votes in gold, outcomes)."""
    models: FloatArray
    """(other models,): how much is added of what each one's log-odds are beyond the first one's."""

    @classmethod
    def mean(cls, changes: Sequence[Change], shares: FloatArray) -> Change:
        """The weighted mean, which is that of the log-odds if discounts are the same."""
        pairs = list(zip(shares.tolist(), changes, strict=True))
        return cls(
            sum(share * one.slope for share, one in pairs),
            sum(share * one.discount for share, one in pairs),
            np.sum([share * one.shift for share, one in pairs], axis=0),
            np.sum([share * one.weights for share, one in pairs], axis=0),
            np.sum([share * one.models for share, one in pairs], axis=0),
        )


@dataclass(frozen=True, eq=False)
class CorrectionProblem:
    """Gold items with the same votes and the same gold are one group; folds split groups."""

    scoring: Scoring
    others: tuple[Scoring, ...]
    settings: CorrectionSettings
    told: float
    # Items with votes
    all_logs: FloatArray
    all_beyond: FloatArray
    """(other models, patterns with votes, outcomes): what each one's centred log-odds are beyond the first one's."""
    all_votes: IntArray
    all_columns: sparse.csr_array
    shares: FloatArray
    # Groups of items with gold
    logs: FloatArray
    """(groups, outcomes): centred log-odds that votes and balance give."""
    beyond: FloatArray
    """(other models, groups, outcomes)."""
    votes: IntArray
    """(groups,): by how many cliques."""
    columns: sparse.csr_array
    """(groups, joint votes in gold)."""
    active: IntArray
    """(joint votes in gold,): their columns in the design matrix."""
    directions: FloatArray
    """(joint votes in gold, outcomes): for or against what each names."""
    voters: IntArray
    """(joint votes in gold,): the source, or clique of sources, that casts each, numbered from zero."""
    allowed: BoolArray
    """(groups, outcomes)."""
    of_item: IntArray
    """(items,): the group of each."""
    fold: IntArray
    """(items,)."""
    counts: FloatArray
    """(groups, folds): items."""
    standing_for: FloatArray
    """(groups, folds): the sum of their sampling weights."""
    spread: float
    """The effective number of items over the number of items."""

    @classmethod
    def of(
        cls,
        scoring: Scoring,
        others: Sequence[Scoring],
        evidence: Evidence,
        gold: GoldVotes,
        teaching: IntArray,
        named: FloatArray,
        told: float,
        settings: CorrectionSettings,
    ) -> CorrectionProblem:
        """Of the items whose gold says something, number ``teaching``; other parameters as of ``corrected``."""
        some = evidence.sample(settings.patterns)
        voted = np.flatnonzero(np.diff(some.design.starts) > 0)
        shares = some.counts[voted] / max(float(some.counts[voted].sum()), TINY)
        matrix = gold.design.matrix.tocsr()[teaching]
        matrix.sort_indices()
        allowed, weights = gold.allowed[teaching], gold.weights[teaching]
        keys = [
            row.tobytes() + matrix.indices[start:stop].tobytes()
            for row, (start, stop) in zip(allowed, pairwise(matrix.indptr), strict=True)
        ]
        # Sorted by gold and votes, and dealt in turn: every fold is like the whole, whatever the order of the items.
        _, first, of_item = np.unique(np.array(keys, dtype=object), return_index=True, return_inverse=True)
        folds = min(settings.folds, len(keys))
        order = np.lexsort((weights, of_item))
        fold = np.empty(len(keys), dtype=np.int64)
        fold[order] = np.arange(len(keys)) % folds
        counts, standing_for = np.zeros((len(first), folds)), np.zeros((len(first), folds))
        np.add.at(counts, (of_item, fold), 1.0)
        np.add.at(standing_for, (of_item, fold), weights)
        groups = matrix[first]
        active = np.unique(groups.indices).astype(np.int64)
        says = named[active]
        says = says - says.mean(axis=1, keepdims=True)
        says /= np.maximum(np.ptp(says, axis=1, keepdims=True), TINY)
        cliques = np.searchsorted(scoring.layout.offsets, active, side="right")
        logs, *of_others = (centred(one.log_joint(gold.design)[teaching[first]]) for one in (scoring, *others))
        all_logs, *all_of_others = (centred(one.log_joint(some.design)[voted]) for one in (scoring, *others))
        return cls(
            scoring=scoring,
            others=tuple(others),
            settings=settings,
            told=told,
            all_logs=all_logs,
            all_beyond=_beyond(all_logs, all_of_others),
            all_votes=np.diff(some.design.starts)[voted],
            all_columns=some.design.matrix.tocsr()[voted][:, active],
            shares=shares,
            logs=logs,
            beyond=_beyond(logs, of_others),
            votes=np.diff(groups.indptr),
            columns=groups[:, active],
            active=active,
            directions=says,
            voters=np.unique(cliques, return_inverse=True)[1],
            allowed=allowed[first],
            of_item=of_item,
            fold=fold,
            counts=counts,
            standing_for=standing_for,
            spread=effective_count(weights) / len(weights),
        )

    @property
    def outcomes(self) -> int:
        """How many there are."""
        return int(self.logs.shape[1])

    # Cross-fitting

    def cross_fitted(self) -> tuple[Change, FloatArray]:
        """The change that gold makes, and (items, outcomes) labels by changes that have not seen the item's fold."""
        folds = np.arange(self.counts.shape[1])
        paths = [self.path(folds != fold) for fold in folds]
        unseen = np.array([self._on_unseen(path, self.counts[:, fold]) for fold, path in enumerate(paths)])
        found = np.empty((len(self.fold), self.outcomes))
        for fold, path in enumerate(paths):
            # A candidate's weight, too, must not know the gold that it is to predict.
            mixed = Change.mean(path, self._believed(path, unseen[folds != fold].sum(axis=0)))
            mine = self.fold == fold
            found[mine] = self.labels(mixed)[self.of_item[mine]]
        whole = self.path(folds >= 0)
        return Change.mean(whole, self._believed(whole, unseen.sum(axis=0))), found

    def _on_unseen(self, path: Sequence[Change], counts: FloatArray) -> FloatArray:
        """(4, candidates): of gold that they were not fitted on, its log-probability, the items that a candidate gets
        right and no change gets wrong, minus the reverse, what is at stake where the two differ, and all items."""
        labels = np.array([self.labels(change) for change in path])
        likely = np.log(np.maximum((labels * self.allowed).sum(axis=-1), _LEAST_LIKELY))
        decided = _decided(labels)
        right = (decided * self.allowed).sum(axis=-1)
        at_stake = _at_stake(decided, labels[0])
        return np.array(
            [likely @ counts, (right - right[0]) @ counts, at_stake @ counts, np.full(len(path), counts.sum())]
        )

    def _believed(self, path: Sequence[Change], unseen: FloatArray) -> FloatArray:
        """(candidates,): their weights."""
        settings = self.settings
        likely, gained, at_stake, items = unseen
        n = float(items[0])
        # Gold may happen to hold no item of a large group that a candidate decides differently.
        error = np.sqrt(np.maximum(at_stake, n * self._changed_decisions(path))) / n
        risk = np.maximum((settings.errors + settings.errors_of_few / n) * error - gained / n, 0.0)
        prior = settings.prior if self.others else (*settings.prior[:_UNWEIGHTED], *settings.prior[_UNWEIGHTED + 1 :])
        logs = likely + np.array(prior) - settings.risk * risk
        return np.asarray(softmax(logs[None])[0][0])

    def _changed_decisions(self, path: Sequence[Change]) -> FloatArray:
        """(candidates,): what is at stake where all items with votes get another label than without a change."""
        decided = _decided(np.array([self._all_logs(change) for change in path]))
        return np.asarray(_at_stake(decided, self.all_labels(path[0])) @ self.shares)

    def path(self, folds: BoolArray) -> list[Change]:
        """From no change to weights that are hardly shrunk, fitted on some folds."""
        counts, standing_for = self.counts[:, folds].sum(axis=1), self.standing_for[:, folds].sum(axis=1)
        none = np.zeros((len(self.active), self.outcomes))
        unchanged = Change(1.0, self.scoring.discount, np.zeros(self.outcomes), none, np.zeros(len(self.others)))
        discount, slope = self._sureness(counts)
        surer = replace(unchanged, slope=slope, discount=discount)
        start = self._balanced(surer, counts, standing_for)
        found = [unchanged, surer, start]
        if self.others:
            start = self._balanced(self._with_other_models(start, counts), counts, standing_for)
            found.append(start)
        point = None
        for penalty in self.settings.penalties:
            point, change = self._weighted(start, penalty, counts, point)
            found.append(change)
        return found

    # Steps of the path

    def _sureness(self, counts: FloatArray) -> tuple[float, float]:
        """The discount for correlated votes and the slope that make gold most probable."""
        from scipy.optimize import minimize_scalar

        known = self.scoring.discount
        best = (np.inf, known, 1.0)
        for factor in self.settings.discounts if known > 0 else (1.0,):
            scaled = self.logs * effective_share(self.votes, factor * known)[:, None]

            def loss(log_slope: float, scaled: FloatArray = scaled) -> float:
                right = (softmax(np.exp(log_slope) * scaled)[0] * self.allowed).sum(axis=1)
                return float(
                    -(counts @ np.log(np.maximum(right, TINY))) + 0.5 * self.settings.slope * log_slope * log_slope
                )

            found = minimize_scalar(loss, bounds=(-2.5, 2.5), method="bounded")
            best = min(best, (found.fun + self.settings.discount * abs(factor - 1), factor * known, np.exp(found.x)))
        return best[1], float(best[2])

    def _balanced(self, change: Change, counts: FloatArray, standing_for: FloatArray) -> Change:
        """The change with the class balance that gold tells, weighed against what the votes tell."""
        unshifted = replace(change, shift=np.zeros(self.outcomes))
        if not np.isfinite(self.told):
            return unshifted
        mean = self.shares @ self.all_labels(unshifted)
        estimate = prediction_powered(mean, self.labels(unshifted), self.allowed, standing_for)
        items = float(counts.sum()) * self.spread
        wanted = np.maximum((items * estimate + self.told * mean) / (items + self.told), 1e-3 / self.outcomes)
        effective = effective_share(self.all_votes, change.discount)
        return replace(change, shift=shift_to(self._all_logs(unshifted), effective, self.shares, wanted / wanted.sum()))

    def _with_other_models(self, start: Change, counts: FloatArray) -> Change:
        """Shares of other models of the votes: as much as gold speaks for them, and none if it speaks against them.

        Slope and balance are fitted with them, or a share would stand in for these.
        """
        settings, outcomes = self.settings, self.outcomes
        factor, allowed = effective_share(self.votes, start.discount), self.allowed.T
        logs, beyond = self.logs.T, self.beyond.transpose(0, 2, 1)
        penalties = np.repeat([settings.slope, settings.balance, settings.models], [1, outcomes, len(self.others)])

        def loss(at: FloatArray) -> tuple[float, FloatArray]:
            log_slope, shift, shares = at[0], at[1 : 1 + outcomes], at[1 + outcomes :]
            slope = start.slope * np.exp(log_slope)
            scaled = slope * (logs + np.tensordot(shares, beyond, 1))
            right, excess = _right_and_excess(factor * (scaled + (start.shift + shift)[:, None]), allowed)
            pull = (counts * factor) * excess
            slopes = [[(pull * scaled).sum()], pull.sum(axis=1), slope * np.tensordot(beyond, pull, 2)]
            value = -float(counts @ np.log(right)) + 0.5 * float(penalties @ (at * at))
            return value, np.concatenate(slopes) + penalties * at

        bounds: Bounds = [(-2.5, 2.5), *[(None, None)] * outcomes, *[(0.0, 1.0)] * len(self.others)]
        found = self._minimised(loss, np.zeros(len(bounds)), bounds)
        slope = start.slope * float(np.exp(found[0]))
        return replace(start, slope=slope, models=slope * found[1 + outcomes :])

    def _minimised(self, loss: Loss, first: FloatArray, bounds: Bounds | None = None) -> FloatArray:
        from scipy.optimize import minimize

        # The result is a mean over candidates; more digits would change nothing.
        found = minimize(
            loss,
            first,
            jac=True,
            bounds=bounds,
            method="L-BFGS-B",
            options={"maxiter": self.settings.max_steps, "ftol": 1e-6},
        )
        return np.asarray(found.x)

    def _weighted(
        self, start: Change, penalty: float, counts: FloatArray, point: FloatArray | None
    ) -> tuple[FloatArray, Change]:
        """Weights of votes with a penalty, from those with a stronger one."""
        settings, outcomes, columns = self.settings, self.outcomes, self.columns
        width = len(self.active)
        free = width * outcomes <= settings.most_weights
        voters = int(self.voters.max(initial=-1)) + 1
        sizes = [1, outcomes, voters, width, width * outcomes if free else 0]
        ends = np.cumsum(sizes)[:-1]
        strengths = (settings.slope, settings.balance, penalty, penalty, penalty * settings.other_outcomes)
        penalties = np.repeat(strengths, sizes)
        factor = effective_share(self.votes, start.discount)
        given, directions, allowed = self._logs(start).T.copy(), self.directions.T, self.allowed.T
        times, times_transposed = _products(columns)

        def weights_of(shared: FloatArray, own: FloatArray, other: FloatArray) -> FloatArray:
            weights = (shared[self.voters] + own) * directions
            return weights + other.reshape(outcomes, width) if free else weights

        def loss(at: FloatArray) -> tuple[float, FloatArray]:
            log_slope, shift, *votes = np.split(at, ends)
            scaled = np.exp(log_slope[0]) * given
            right, excess = _right_and_excess(factor * (scaled + shift[:, None] + times(weights_of(*votes))), allowed)
            pull = (counts * factor) * excess
            per_vote = times_transposed(pull)
            named = (per_vote * directions).sum(axis=0)
            slopes = [
                [(pull * scaled).sum()],
                pull.sum(axis=1),
                np.bincount(self.voters, named, minlength=voters),
                named,
                per_vote.ravel() if free else [],
            ]
            value = -float(counts @ np.log(right)) + 0.5 * float(penalties @ (at * at))
            return value, np.concatenate(slopes) + penalties * at

        first = np.zeros(int(sum(sizes))) if point is None else point
        found = self._minimised(loss, first)
        log_slope, shift, *votes = np.split(found, ends)
        extra = float(np.exp(log_slope[0]))
        change = Change(
            slope=start.slope * extra,
            discount=start.discount,
            shift=extra * start.shift + shift,
            weights=weights_of(*votes).T,
            models=extra * start.models,
        )
        return found, change

    # What a change gives

    def labels(self, change: Change) -> FloatArray:
        """(groups, outcomes)."""
        return softmax(self._logs(change) * effective_share(self.votes, change.discount)[:, None])[0]

    def _logs(self, change: Change) -> FloatArray:
        """(groups, outcomes): before the discount."""
        of_votes = change.slope * self.logs + np.tensordot(change.models, self.beyond, 1)
        return np.asarray(of_votes + change.shift + self.columns @ change.weights)

    def balance_of(self, change: Change) -> FloatArray:
        """(outcomes,): the mean label of all items with votes."""
        return np.asarray(self.shares @ self.all_labels(change))

    def all_labels(self, change: Change) -> FloatArray:
        """(patterns with votes, outcomes)."""
        return softmax(self._all_logs(change) * effective_share(self.all_votes, change.discount)[:, None])[0]

    def _all_logs(self, change: Change) -> FloatArray:
        """(patterns with votes, outcomes): before the discount, which changes no decision."""
        of_votes = change.slope * self.all_logs + np.tensordot(change.models, self.all_beyond, 1)
        return np.asarray(of_votes + change.shift + self.all_columns @ change.weights)

    def scored(self, change: Change, without_votes: FloatArray) -> Scoring:
        """The scoring with a change."""
        scoring, layout = self.scoring, self.scoring.layout
        added = np.zeros((int(layout.offsets[-1]), self.outcomes))
        added[self.active] = change.weights
        shares = np.append(change.slope - change.models.sum(), change.models)
        models = scoring, *self.others
        logs = tuple(
            np.tensordot(shares, tables, 1) + np.vstack([added[start:stop], np.zeros((1, self.outcomes))])
            for tables, (start, stop) in zip(
                zip(*(one.logs for one in models), strict=True), pairwise(layout.offsets), strict=True
            )
        )
        prior = np.tensordot(shares, [np.log(np.maximum(one.prior, TINY)) for one in models], 1) + change.shift
        return replace(
            scoring,
            prior=softmax(prior[None])[0][0],
            logs=logs,
            without_votes=without_votes,
            discount=change.discount,
            is_bayes=False,
        )


def _right_and_excess(logs: FloatArray, allowed: BoolArray) -> tuple[FloatArray, FloatArray]:
    """(groups,): the probability of what gold allows; (outcomes, groups): the posterior less what it is by gold.

    Of (outcomes, groups). Outcomes come first: there are few of them, and sums over a short last axis are slow.
    """
    chances = np.exp(logs - logs.max(axis=0))
    posterior = chances / chances.sum(axis=0)
    within = posterior * allowed
    right = np.maximum(within.sum(axis=0), TINY)
    return right, posterior - within / right


def _beyond(logs: FloatArray, others: Sequence[FloatArray]) -> FloatArray:
    """(others, …): what they are more than the first."""
    return np.array([other - logs for other in others]).reshape(len(others), *logs.shape)


def _decided(scores: FloatArray) -> FloatArray:
    """(…, outcomes): the share of each outcome in the label that is given: one, or less where several are tied."""
    best = scores >= scores.max(axis=-1, keepdims=True) - _TIED
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def _at_stake(decided: FloatArray, labels: FloatArray) -> FloatArray:
    """(candidates, items): how much less probable a candidate's label is than the first one's, as the first sees it.

    Nothing where they are the same, and hardly anything where the first one was of two minds.
    """
    return np.asarray(np.maximum(((decided[0] - decided) * labels).sum(axis=-1), 0.0))


def _products(
    columns: sparse.csr_array,
) -> tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]:
    """What multiplies (outcomes, columns) by the transposed matrix, and (outcomes, rows) by the matrix itself."""
    if columns.shape[0] * columns.shape[1] <= _DENSE:
        dense = columns.toarray()
        return lambda weights: weights @ dense.T, lambda pull: pull @ dense
    return lambda weights: (columns @ weights.T).T, lambda pull: (columns.T @ pull.T).T
