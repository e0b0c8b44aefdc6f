"""The M-step: the most probable parameters given expected counts, shrunk as :mod:`assay.model.estimate.em` tells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.counts import Layout
from assay.model.estimate.confidence import LevelsOfValues, levels_of
from assay.model.estimate.dependent_tables import Dependent
from assay.model.estimate.e_step import Expected
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.methods import EMSettings
from assay.model.estimate.typical_source import able_outcomes, typical_source
from assay.model.parameters import TINY, Parameters

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Maximizer:
    """The M-step: parameters from expected counts.

    Sources without dependencies are updated together, those with the same number of
    values in one array; so are cliques of several sources, those of the same shape.
    """

    def __init__(self, layout: Layout, known: Knowledge, settings: EMSettings, *, leaves_out: bool = False) -> None:
        """``leaves_out``: items without votes were left out of those that are counted."""
        self.layout = layout
        self.leaves_out = leaves_out
        self.known = known
        self.settings = settings
        levels = levels_of(layout, known.signs)
        alone: dict[int, list[int]] = {}
        dependent: dict[tuple[int, ...], list[int]] = {}
        for index, clique in enumerate(layout.cliques):
            if clique.is_single:
                alone.setdefault(len(layout.masks[clique.sources[0]]), []).append(index)
            else:
                dependent.setdefault(clique.shape, []).append(index)
        self.alone = [_Alone.of(layout, indices, known, levels) for indices in alone.values()]
        self.dependent = [Dependent.of(layout, indices, known, levels) for indices in dependent.values()]

    def __call__(self, expected: Expected) -> Parameters:
        """Parameters from expected counts."""
        totals = expected.totals
        alone = [(group, expected.votes[group.rows]) for group in self.alone]
        dependent = [(group, expected.votes[group.rows]) for group in self.dependent]
        said = [(group.masks, votes) for group, votes in alone]
        if not said:
            # Copies count several times here; but there are no others.
            said = [pair for group, votes in dependent for pair in group.said(votes)]
        average, lift = _average_accuracy(said), _average_lift(said, totals)
        tables: dict[int, FloatArray] = {}
        for group, votes in alone:
            tables.update(zip(group.indices, group.tables(votes, totals, average, lift, self.settings), strict=True))
        for clique, votes in dependent:
            tables.update(zip(clique.indices, clique.tables(votes, totals, average, self.settings), strict=True))
        joint = tuple(tables[index] for index in range(len(self.layout.cliques)))
        balance = self._balance(expected)
        return Parameters(self.layout, balance, joint, ignore_abstentions=self.known.ignore_abstentions)

    def _balance(self, expected: Expected) -> FloatArray:
        each = self.settings.even_balance
        raised = expected.totals + (each if self.layout.sizes is None else each * self.layout.sizes)
        if self.known.balance is not None:
            # What is said of all items is said of those that were given, not of those that were left out before.
            about = raised
            if self.known.balance.of == "voted" or self.leaves_out:
                about = np.maximum(raised - expected.silent, TINY)
            raised = self.known.balance.updated(about) * (raised / about)
        balance: FloatArray = raised / raised.sum()
        return balance


@dataclass(frozen=True, eq=False)
class _Alone:
    """Independent sources with the same number of values."""

    indices: list[int]
    """Their cliques."""
    rows: IntArray
    """(sources, values): the columns of their votes in the design matrix."""
    masks: BoolArray
    """(sources, values, outcomes): the outcomes that each value allows."""
    kinds: IntArray
    """(sources, values, outcomes): equal where the class-conditional model ties parameters."""
    beliefs: FloatArray
    """(sources, 2): accuracy and strength of the user's prior, if any, else NaN."""
    levels: LevelsOfValues
    """The levels of confidence among their values."""

    @classmethod
    def of(cls, layout: Layout, indices: list[int], known: Knowledge, levels: LevelsOfValues) -> _Alone:
        sources = [layout.cliques[index].sources[0] for index in indices]
        masks = np.stack([layout.masks[source] for source in sources])
        kinds = masks.astype(np.int64)
        if known.applies is not None:
            kinds = kinds * 2 + np.stack([known.applies[source] for source in sources])[:, None, :]
        beliefs = np.full((len(sources), 2), np.nan)
        for at, source in enumerate(sources):
            if source in known.beliefs:
                beliefs[at] = known.beliefs[source].accuracy, known.beliefs[source].strength
        rows = layout.offsets[indices][:, None] + np.arange(masks.shape[1])
        values = layout.value_offsets[sources][:, None] + np.arange(masks.shape[1])
        return cls(indices, rows, masks, kinds, beliefs, levels.part(values.ravel()))

    @cached_property
    def same_kind(self) -> list[BoolArray]:
        """(sources, values, outcomes) each: where the class-conditional model ties parameters."""
        return [self.kinds == kind for kind in np.unique(self.kinds)]

    def tables(
        self, votes: FloatArray, totals: FloatArray, average: float, lift: float, settings: EMSettings
    ) -> FloatArray:
        """(sources, values + 1, outcomes): P(vote | outcome), from expected votes, (sources, values, outcomes).

        ``average`` and ``lift`` are those of the average source, see :func:`_average_accuracy`, :func:`_average_lift`.
        """
        voting = votes.sum(axis=1, keepdims=True)
        used = votes.sum(axis=2)
        rates = np.zeros_like(voting)
        able = able_outcomes(self.masks, used)[:, None, :]
        believed = ~np.isnan(self.beliefs[:, 0])
        fired = _shrunk_to_lift(voting, able, totals, lift, settings.average_lift)
        for among in (able,) if able.all() else (able, ~able):
            coverage = (fired * among).sum(axis=2, keepdims=True) / np.maximum(
                (totals * among).sum(axis=2, keepdims=True), TINY
            )
            pseudo_items = settings.even_coverage / np.maximum(coverage, TINY)
            rates += among * (fired + settings.even_coverage * (coverage > 0)) / (totals + pseudo_items)
        said = np.zeros_like(votes)
        could = np.zeros_like(votes)
        for same_kind in self.same_kind:
            said += same_kind * (votes * same_kind).sum(axis=2, keepdims=True)
            could += same_kind * (voting * same_kind).sum(axis=2, keepdims=True)
        accuracy = np.where(believed, self.beliefs[:, 0], average)[:, None]
        strength = np.where(believed, self.beliefs[:, 1], settings.average_source)[:, None, None]
        hits = (votes * self.masks).sum(axis=2)
        shares = self.levels.shares(used, hits, average)
        typical = typical_source(self.masks, used, accuracy, shares)
        votes = self.levels.shrunk(votes, self.masks, shares)
        centre = (said + strength * typical) / np.maximum(could + strength, TINY)
        centre = centre / np.maximum(centre.sum(axis=1, keepdims=True), TINY)
        tying = settings.class_conditional
        values = rates * (votes + tying * centre + strength * typical) / (voting + tying + strength)
        table = np.maximum(np.concatenate([values, 1 - values.sum(axis=1, keepdims=True)], axis=1), TINY)
        normal: FloatArray = table / table.sum(axis=1, keepdims=True)
        return normal


def _average_accuracy(said: list[tuple[BoolArray, FloatArray]]) -> float:
    """The share of votes that are right, on outcomes about which their sources can be.

    From the masks of sources and their expected votes, (sources, values, outcomes) each.
    """
    right = votes = 1e-9
    for masks, expected in said:
        able = able_outcomes(masks, expected.sum(axis=2))[:, None, :]
        right += float((expected * masks).sum())
        votes += float((expected * able).sum())
    return right / votes


def _average_lift(said: list[tuple[BoolArray, FloatArray]], totals: FloatArray) -> float:
    """How much more often the average source that cannot name every outcome votes where it can be right than elsewhere.

    From the masks of sources and their expected votes, (sources, values, outcomes) each.
    """
    right = usual_right = wrong = usual_wrong = 1e-3
    for masks, expected in said:
        able = able_outcomes(masks, expected.sum(axis=2))
        if able.all():
            continue
        voting = expected.sum(axis=1)
        limited = ~np.asarray(able).all(axis=1)
        cast = voting.sum(axis=1) * limited
        named = (voting * able).sum(axis=1) * limited
        nameable = (able * totals).sum(axis=1) / max(float(totals.sum()), TINY)
        right, wrong = right + float(named.sum()), wrong + float((cast - named).sum())
        usual_right += float((cast * nameable).sum())
        usual_wrong += float((cast * (1 - nameable)).sum())
    return (right / usual_right) / (wrong / usual_wrong)


def _shrunk_to_lift(
    voting: FloatArray, able: BoolArray, totals: FloatArray, lift: float, strength: float
) -> FloatArray:
    """(sources, 1, outcomes): how often each votes per outcome, shrunk toward the average source's lift.

    Only for sources that cannot name every outcome: for these it is what accuracy is for others.
    """
    if able.all():
        return voting
    cast = voting.sum(axis=2, keepdims=True)
    inside, outside = (totals * able).sum(axis=2, keepdims=True), (totals * ~able).sum(axis=2, keepdims=True)
    odds = lift * inside / np.maximum(outside, TINY)
    centre = np.where(
        able, odds / (1 + odds) * totals / np.maximum(inside, TINY), totals / (1 + odds) / np.maximum(outside, TINY)
    )
    shrunk = (voting + strength * centre) * cast / np.maximum(cast + strength, TINY)
    return np.where(able.all(axis=2, keepdims=True), voting, shrunk)
