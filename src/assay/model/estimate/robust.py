r"""A model for real votes: robust where sources are sparse, one-sided and not independent.

Maximum likelihood fails on real votes for three reasons. Sources that only ever emit one
value look better the more often they vote, so that a frequent one dominates all others.
The class balance that explains such votes best is not the true one. And sources with
correlated errors are treated as independent evidence. So here

* the probability of a vote is factored into coverage and the distribution over values,

  .. math:: P(\lambda_j = v \mid y) = c_j(y) \, r_j(v \mid y),

  and abstentions carry no information during EM. A source that can name every outcome has the same coverage
  for all. Any other is described by the share :math:`x_j` of its votes that fall on outcomes it
  can name: :math:`c_j(y) \propto x_j / e_j` there and :math:`(1 - x_j) / (1 - e_j)` elsewhere, where :math:`e_j`
  is the probability of those outcomes. Dividing by it penalises outcomes that are named
  often. The share is strongly shrunk toward that of the average such source, since one-sided votes hardly tell
  which of their sources are better, with lower odds for sources that vote often. It is never below :math:`e_j`: no
  such source is worse than chance;
* the values of a source have a Dirichlet prior centred on its one-coin model, which in turn is shrunk toward
  the pooled one. The concentrations are estimated from the votes (empirical Bayes);
* the class balance counts as far as the votes identify it: items with three votes that
  could have been different do, others do not, and a handful of sources may well share their errors. During EM
  it enters with trust :math:`\tau`, as :math:`\tau \log P(y)`. Labels count it, and abstentions, in full, but as far as
  it is not trusted all weights are shrunk toward a majority vote in which all votes are equally accurate, and nearly
  all the way if it is not trusted at all. What is known of it is weighed against what the votes tell;
* dependent sources have no joint tables either: *n* votes of a clique of them on one item count as
  :math:`n / (1 + \rho (n - 1))`, where :math:`\rho` is the correlation of their votes that the truth does not
  explain. Copies count once, without a parameter for each joint vote, which sparse votes do not identify;
* *n* votes on one item count as :math:`n / (1 + \rho (n - 1))`, the effective number of independent votes
  if votes on one item have the correlation :math:`\rho`. A small one is assumed during EM; the one that
  best predicts each vote from the others on its item discounts the reported probabilities, which
  makes them less confident and changes no decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import digamma

from assay._core.threads import parallel_map
from assay.counts import Evidence, Layout
from assay.model.estimate.confidence import levels_of
from assay.model.estimate.e_step import Expected
from assay.model.estimate.goodness_of_fit import shared_correlation
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.residuals import clique_correlations
from assay.model.estimate.solver import SolverOutcome
from assay.model.estimate.spread_groups import SpreadGroup
from assay.model.estimate.start import soft_majority, voted_for
from assay.model.estimate.tilting import wanted_balance
from assay.model.parameters import (
    TINY,
    Parameters,
    better_than_random,
    blocks,
    independent,
    normalised_tables,
    table_sums,
)
from assay.model.scoring import Scoring, effective_share

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


_MANY_CELLS = 2**17
"""Tables of values and outcomes with so many cells are large."""
_LEAST_WEIGHT = 0.2
"""The least weight of a vote in a majority vote, in log-odds."""
_MANY_BESIDE = 5
"""An outcome without a source of its own is not taken for rare, if it is one of this many that a coarse vote allows."""


@dataclass(frozen=True, kw_only=True)
class RobustSettings:
    """Settings of the robust model. The same for all data; none was tuned on a single dataset."""

    share_strength: float = 1_000.0
    """The prior centred on the average source, for one that cannot name every outcome; a pseudo-count in votes."""
    coverage_slope: float = -0.3
    """The slope of the prior log-odds of such a source in the logarithm of its coverage."""
    learning_correlation: float = 0.05
    """The correlation of votes on one item that is assumed during EM."""
    correlated_votes: int = 4
    """Votes on an item beyond this number and one are not discounted further during EM."""
    unseen_correlation: float = 0.1
    """The correlation that discounts reported probabilities in addition to the estimated one."""
    seen_correlation: float = 2.0
    """The factor of the estimated correlation in the discount of reported probabilities."""
    most_correlation: float = 0.5
    """The most that reported probabilities are discounted by."""
    identified: float = 0.5
    """The share of votes on items with three free votes above which the balance is fully trusted."""
    many: float = 6.0
    """The effective number of sources above which the balance is fully trusted;"""
    many_doubted: float = 20.0
    """the same for labels, if sources have more in common than the truth explains."""
    alike: float = 0.95
    """The shrinkage of labels toward a majority vote if the balance is not trusted at all."""
    alike_accuracy: float = 0.8
    """The share of votes that are right in that majority vote, which makes its labels as confident as they are."""
    start_even: float = 0.3
    """The pseudo-votes of an item that all outcomes share in the initial soft majority vote."""
    max_steps: int = 60
    """Where it has not settled by then, more steps made labels worse, on simulated hierarchies."""
    tolerance: float = 2e-4
    """Stop when no expected share of an outcome among the votes for a value changes by more than this."""
    settled: float = 1e-3
    """After the last step, it has converged all the same if these shares change by less than this on average."""

    def discount(self, correlation: float) -> float:
        """What reported probabilities are discounted by, from the estimated correlation of votes on one item."""
        return min(self.unseen_correlation + self.seen_correlation * correlation, self.most_correlation)


def robust(
    evidence: Evidence,
    known: Knowledge,
    settings: RobustSettings,
    start: Parameters | None = None,
    *,
    doubts: bool = False,
) -> tuple[Parameters, Scoring, SolverOutcome, float]:
    """Parameters, a scoring, how the solver ended, and how far the votes identify the class balance, from 0 to 1.

    By EM from a soft majority vote or from other parameters. ``doubts``: sources are known to have more in common
    than the truth explains.
    """
    model = _Model(evidence, known, settings)
    trust, groups = model.trust, SpreadGroup.of(evidence)
    if start is None:
        expected = _start(evidence, known, settings)
    else:
        expected = _expected(_scoring_for_em(start, evidence, groups, trust), evidence, settings)
    seen = np.maximum(evidence.seen, 1.0)[:, None]
    steps, moved = 0, np.inf
    while steps < settings.max_steps and moved >= settings.tolerance:
        steps += 1
        before = expected.votes / seen
        parameters = model(expected)
        scoring = _scoring_for_em(parameters, evidence, groups, trust)
        expected = _expected(scoring, evidence, settings)
        changes = np.abs(expected.votes / seen - before)
        moved = float(changes.max(initial=0.0))
    # At the end, what still moves may be rare values that hardly matter to any label.
    typical = float((changes * seen).sum() / seen.sum()) if changes.size else 0.0
    status = "converged" if moved < settings.tolerance or typical < settings.settled else "unsettled"
    discount = settings.discount(shared_correlation(scoring, evidence))
    if doubts:
        trust *= min(1.0, model.effective_sources / settings.many_doubted)
    if not better_than_random(parameters, known.signs):
        # By its own account votes are more often wrong than right: it has exchanged outcomes, and tells nothing.
        trust = 0.0
    final = _shrunk_to_majority(
        parameters, evidence, groups, known, settings.alike * (1 - trust), settings.alike_accuracy
    )
    return parameters, replace(final, discount=discount), SolverOutcome(status, steps, moved), trust


def _scoring_for_em(parameters: Parameters, evidence: Evidence, groups: Sequence[SpreadGroup], trust: float) -> Scoring:
    """Scoring in which abstentions add nothing, and the balance only as much as it is trusted."""
    logs = _weights(parameters, evidence, groups, abstentions=False)
    return _scoring(parameters, logs, _tempered(parameters.balance, trust))


def _scoring(parameters: Parameters, logs: tuple[FloatArray, ...], prior: FloatArray) -> Scoring:
    return Scoring(parameters.layout, prior, logs, parameters.balance, scores_silence=False, is_bayes=False)


def _weights(
    parameters: Parameters, evidence: Evidence, groups: Sequence[SpreadGroup], *, abstentions: bool
) -> tuple[FloatArray, ...]:
    """Per clique (configurations, outcomes): what the votes of its sources add, discounted by their correlation.

    A source of several cliques is counted in the first one. With ``abstentions``, these count too.
    """
    layout = parameters.layout
    if layout.all_single and layout.cliques:
        ends = np.cumsum([len(table) for table in parameters.conditionals])
        whole = np.log(np.maximum(np.concatenate(parameters.conditionals), TINY))
        if not abstentions:
            whole[ends - 1] = 0.0
        return blocks(whole, ends)
    tables = [np.log(np.maximum(table, TINY)) for table in parameters.conditionals]
    correlations = clique_correlations(parameters, evidence)
    spread = {
        source: float(worth)
        for group in groups
        for source, worth in zip(group.members, group.worth(correlations), strict=True)
    }
    found = []
    for index, (clique, correlation) in enumerate(zip(layout.cliques, correlations, strict=True)):
        added = np.zeros((clique.size, layout.outcomes))
        worth = effective_share(clique.voting.sum(axis=1), correlation)[:, None]
        for position, source in enumerate(clique.sources):
            if layout.first_clique[source] == index:
                says, votes = clique.digits[:, position], clique.voting[:, [position]]
                added += np.where(votes, spread.get(source, worth), float(abstentions)) * tables[source][says]
        found.append(added)
    return tuple(found)


def _shrunk_to_majority(
    parameters: Parameters,
    evidence: Evidence,
    groups: Sequence[SpreadGroup],
    known: Knowledge,
    shrinkage: float,
    accuracy: float,
) -> Scoring:
    """Scoring shrunk toward a majority vote: all votes are equally accurate; abstentions and the balance do not count.

    Abstentions and the balance would diverge during EM; after it they count, as far as they are not shrunk.
    """
    layout = parameters.layout
    added = _weights(parameters, evidence, groups, abstentions=True)
    logs = [log - log.mean(axis=1, keepdims=True) for log in added]
    said = np.vstack([np.empty((0, layout.outcomes)), *(log[:-1] for log in logs)])
    worth = layout.by_source(levels_of(layout, known.signs).weight[:, None])
    alike = [_equally_accurate(masks, layout, accuracy) for masks in voted_for(layout, known.signs)]
    points = layout.sum_over_voters([each * one for each, one in zip(worth, alike, strict=True)])
    points -= points.mean(axis=1, keepdims=True)
    shrunk = (1 - shrinkage) * said + shrinkage * points
    blocks = [shrunk[start:stop] for start, stop in pairwise(layout.offsets)]
    weight = tuple(np.vstack([block, (1 - shrinkage) * log[-1:]]) for block, log in zip(blocks, logs, strict=True))
    balance = (1 - shrinkage) * parameters.balance + shrinkage * _with_unnamed(parameters.balance, evidence)
    return _scoring(parameters, weight, _tempered(balance, 1 - shrinkage))


def _with_unnamed(balance: FloatArray, evidence: Evidence) -> FloatArray:
    """The class balance in which an outcome that is only ever part of coarse votes is as frequent as those beside it.

    EM divides coarse votes equally, and outcomes with sources of their own get finer votes besides, so that the others
    look rare. But an item without a finer vote is rather one of those that nobody could have named. Among few outcomes
    one without a source may well be rare, so these are left alone.
    """
    layout = evidence.layout
    used = np.unique(layout.all_masks[_by_value(layout) @ evidence.seen > 0], axis=0)
    each = np.ones(len(balance), dtype=np.int64) if layout.sizes is None else layout.sizes
    none = int(each.sum()) + 1
    sizes = np.where(used, layout.counted(used).sum(axis=1, keepdims=True), none)
    finest = sizes.min(axis=0, initial=none)
    raised = balance.copy()
    for outcome in np.flatnonzero((finest >= _MANY_BESIDE) & (finest < none)):
        beside = used[sizes[:, outcome] == finest[outcome]].any(axis=0)
        mean = (
            float(balance[beside].mean()) if layout.sizes is None else float(balance[beside].sum() / each[beside].sum())
        )
        raised[outcome] = max(balance[outcome], mean * int(each[outcome]))
    normal: FloatArray = raised / raised.sum()
    return normal


def _equally_accurate(masks: BoolArray, layout: Layout, accuracy: float) -> FloatArray:
    """(values, outcomes): the log-odds of what each value allows, if a vote is right with this probability."""
    allowed = layout.counted(masks).sum(axis=1, keepdims=True)
    others = layout.counted(np.ones(layout.outcomes, dtype=bool)).sum() - allowed
    odds = accuracy / (1 - accuracy) * np.maximum(others, 0.5) / np.maximum(allowed, 1)
    # A vote for most outcomes says little, but never the opposite.
    found: FloatArray = masks * np.maximum(np.log(odds), _LEAST_WEIGHT)
    return found


def _tempered(balance: FloatArray, trust: float) -> FloatArray:
    """The class balance to the power of ``trust``, normalised."""
    raised = balance**trust
    normal: FloatArray = raised / raised.sum()
    return normal


def _start(evidence: Evidence, known: Knowledge, settings: RobustSettings) -> Expected:
    """Expected counts under a soft majority vote."""
    labels = soft_majority(evidence.layout, evidence.design, known.signs, settings.start_even)
    return Expected.given(evidence.design, labels * evidence.counts[:, None])


def _expected(scoring: Scoring, evidence: Evidence, settings: RobustSettings) -> Expected:
    """The E-step, in which votes on one item are discounted for their correlation."""
    from assay._core import scoring_loops, wide_loops

    gains, base = scoring.gains, scoring.base
    is_wide = len(base) >= wide_loops.MANY
    step = wide_loops.expect_discounted_many if is_wide else scoring_loops.expect_discounted
    parts = evidence.parts
    votes = np.zeros((len(parts), *gains.shape))
    totals = np.zeros((len(parts), len(base)))

    def add(piece: tuple[int, slice]) -> None:
        part, rows = piece
        step(
            evidence.design.starts[rows.start : rows.stop + 1],
            evidence.design.columns,
            evidence.counts[rows],
            gains,
            base,
            settings.learning_correlation,
            settings.correlated_votes,
            votes[part],
            totals[part],
        )

    parallel_map(add, enumerate(parts))
    return Expected(votes.sum(axis=0), totals.sum(axis=0))


class _Model:
    """The M-step, and the properties of the sources that it needs."""

    def __init__(self, evidence: Evidence, known: Knowledge, settings: RobustSettings) -> None:
        layout = self.layout = evidence.layout
        self.evidence = evidence
        self.known = known
        self.settings = settings
        self.by_value = _by_value(layout)
        sizes = np.diff(layout.value_offsets)
        self.source = np.repeat(np.arange(len(sizes)), sizes)
        self.first = layout.value_offsets[:-1]
        self.masks = layout.all_masks
        self.signs = known.signs
        self.used = self.by_value @ evidence.seen
        self.items = float(evidence.counts.sum())
        self.votes = self._by_source(self.used[:, None])[:, 0]
        emitted = self.used > 0
        self.able = self._by_source((self.masks & emitted[:, None]).astype(float)) > 0
        voted = self.votes > 0
        self.several = (self._by_source(emitted[:, None].astype(float))[:, 0] > 1) & voted
        self.limited = ~self.able.all(axis=1) & voted
        # The probability of being right is distributed over the right values in proportion to their use; so is wrong.
        self.levels = levels_of(layout, known.signs)
        self.right, self.wrong = self._divided(self.used, self.used)
        fallible = self._by_source((~self.masks).astype(float)) > 0
        self.infallible = (self.able & ~fallible)[self.source]
        self.cells = self.several[self.source][:, None] & self.able[self.source] & emitted[:, None]
        believed = [known.beliefs.get(source) for source in range(len(sizes))]
        self.belief = np.array([np.nan if b is None else b.accuracy for b in believed])
        self.belief_strength = np.array([0.0 if b is None else b.strength for b in believed])
        self.row_strength = self.coin_strength = 10.0

    def _by_source(self, cells: FloatArray) -> FloatArray:
        """Sums over the values of each source."""
        if not len(self.first):
            return np.zeros((0, cells.shape[1]))
        return np.asarray(np.add.reduceat(cells, self.first, axis=0))

    def _divided(self, rightly: FloatArray, wrongly: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(values, outcomes): what being right, and being wrong, is distributed by, from (values,) uses."""
        right, wrong = self.masks * (rightly + 1e-3)[:, None], ~self.masks * (wrongly + 1e-3)[:, None]
        return (
            right / np.maximum(self._by_source(right), TINY)[self.source],
            wrong / np.maximum(self._by_source(wrong), TINY)[self.source],
        )

    @cached_property
    def all_count(self) -> bool:
        """Whether all values are emitted, and tell something of all outcomes."""
        return bool(self.cells.all())

    @cached_property
    def tilt(self) -> FloatArray:
        """(sources,): the factor of a source's prior odds for its coverage."""
        logs = np.log(np.maximum(self.votes, 1.0) / max(self.items, 1.0))
        if self.limited.any():
            logs = logs - np.average(logs[self.limited], weights=self.votes[self.limited])
        return np.exp(self.settings.coverage_slope * logs)

    @property
    def effective_sources(self) -> float:
        """The number of sources with equally many votes that would be as diverse."""
        return float(self.votes.sum() ** 2 / max(float(self.votes @ self.votes), TINY))

    @cached_property
    def trust(self) -> float:
        """How far the votes identify the class balance: by items with three votes that could have been different."""
        evidence = self.evidence
        # A joint vote is free if one of its votes is, and counts as one.
        free = self.by_value.T @ self.several[self.source].astype(float) > 0
        before = np.concatenate([[0], np.cumsum(free[evidence.design.columns])])
        votes = before[evidence.design.starts[1:]] - before[evidence.design.starts[:-1]]
        cast = float(evidence.counts @ np.diff(evidence.design.starts))
        informative = float((evidence.counts * votes * (votes >= 3)).sum())
        share = informative / max(cast, TINY)
        return min(1.0, share / self.settings.identified) * min(1.0, self.effective_sources / self.settings.many)

    def __call__(self, expected: Expected) -> Parameters:
        """Parameters from expected counts."""
        balance = (expected.totals + TINY) / (expected.totals + TINY).sum()
        if self.known.balance is not None:
            balance = wanted_balance(balance, self.known.balance, em_weight=0.0, trust=self.trust)
        votes = self.by_value @ expected.votes
        source_votes = self._by_source(votes)
        chance = self._rows(votes, source_votes) * self._coverage(source_votes, balance)[self.source]
        ends = self.layout.value_offsets[1:]
        silence = np.maximum(1 - table_sums(chance, ends), 0)
        whole = np.insert(chance, ends, silence, axis=0)
        tables = normalised_tables(blocks(whole, ends + np.arange(1, len(ends) + 1)))
        return independent(self.layout, balance, tables)

    def _coverage(self, source_votes: FloatArray, balance: FloatArray) -> FloatArray:
        """(sources, outcomes): P(the source votes | outcome)."""
        usual = np.minimum(self.votes / max(self.items, 1.0), 0.999)[:, None]
        nameable = np.clip((self.able * balance).sum(axis=1), TINY, 1 - TINY)
        named = np.minimum((source_votes * self.able).sum(axis=1), self.votes)
        strength = np.where(np.isnan(self.belief), self.settings.share_strength, self.belief_strength)
        # Sources are exchangeable, not votes.
        weight = (self.limited & (self.signs > 0)) / (self.votes + self.settings.share_strength)
        up = ((weight * named).sum() + 1e-3) / ((weight * self.votes * nameable).sum() + 1e-3)
        down = ((weight * (self.votes - named)).sum() + 1e-3) / ((weight * self.votes * (1 - nameable)).sum() + 1e-3)
        odds = (up / down) ** self.signs * self.tilt**self.signs * nameable / (1 - nameable)
        centre = np.where(np.isnan(self.belief), odds / (1 + odds), self.belief)
        share = (named + strength * centre) / np.maximum(self.votes + strength, TINY)
        share = np.where(self.signs > 0, np.maximum(share, nameable), share)
        share = np.clip(share, 1e-6, 1 - 1e-6)
        lift = np.where(self.able, (share / nameable)[:, None], ((1 - share) / (1 - nameable))[:, None])
        informative = self.limited[:, None] & (not self.known.ignore_abstentions)
        coverage: FloatArray = np.minimum(usual * np.where(informative, lift, 1.0), 0.999)
        return coverage

    def _rows(self, votes: FloatArray, source_votes: FloatArray) -> FloatArray:
        """(values, outcomes): P(value | the source votes, outcome)."""
        counted = votes if self.all_count else np.where(self.cells, votes, 0.0)
        hits = self._by_source(counted * self.masks).sum(axis=1)
        total = self._by_source(counted).sum(axis=1)
        counts = self.several & (self.signs > 0)
        pooled = (hits[counts].sum() + 1) / (total[counts].sum() + 2)
        pairs = np.stack([hits, np.maximum(total - hits, 0)], axis=1)[counts]
        self.coin_strength = _concentration(
            self.coin_strength, pairs, np.broadcast_to([pooled, 1 - pooled], pairs.shape), pairs.sum(axis=1)
        )
        typical = np.where(self.signs > 0, pooled, 1 - pooled)
        centre = np.where(np.isnan(self.belief), typical, self.belief)
        strength = np.where(np.isnan(self.belief), self.coin_strength, self.belief_strength)
        coin = (hits + strength * centre) / np.maximum(total + strength, TINY)
        part = np.where(self.infallible, 1.0, np.where(self.able[self.source], coin[self.source][:, None], 0.0))
        if self.levels.any:
            # Of levels of confidence it is learned which are used when right, and which when wrong.
            right = (votes * self.masks).sum(axis=1)
            shares = self.levels.shares(votes.sum(axis=1), right, float(pooled))
            self.right, self.wrong = self._divided(*shares)
            votes = self.levels.shrunk(votes, self.masks, shares)
        mean = part * self.right + (1 - part) * self.wrong
        # A cell without votes adds nothing; where there are many, most have none.
        cells = self.cells if votes.size < _MANY_CELLS else self.cells & (votes > 0)
        self.row_strength = _concentration(
            self.row_strength, votes[cells], mean[cells], source_votes[self.able & self.several[:, None]]
        )
        s = np.maximum(self.row_strength, self.belief_strength)[:, None]
        rows = (votes + s[self.source] * mean) / np.maximum(source_votes + s, TINY)[self.source]
        if self.all_count:
            return np.asarray(np.maximum(rows, TINY))
        emitted = (self.used > 0)[:, None]
        # A source with one value emits it whenever it votes.
        only = ~self.several[self.source][:, None]
        return np.maximum(np.where(emitted, np.where(only, 1.0, rows), 0.0), TINY)


def _by_value(layout: Layout) -> sparse.csr_array:
    """(values, configurations): ones where a joint vote of a source's first clique includes its value."""
    first = layout.value_offsets
    rows, columns = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for source, index in enumerate(layout.first_clique):
        clique = layout.cliques[index]
        says = clique.digits[:-1, clique.sources.index(source)]
        voting = np.flatnonzero(says < len(layout.masks[source]))
        rows.append(first[source] + says[voting])
        columns.append(layout.offsets[index] + voting)
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (int(first[-1]), int(layout.offsets[-1]))
    return sparse.csr_array((np.ones(len(row)), (row, column)), shape=shape)


def _concentration(strength: float, counts: FloatArray, means: FloatArray, totals: FloatArray) -> float:
    """The Dirichlet concentration of rows of counts around their means: two steps of Minka's fixed point."""
    total = totals[totals > 1e-6]
    if len(total) < 2:
        return strength
    mean = np.maximum(means, 1e-6)
    for _ in range(2):
        up = float((mean * (digamma(counts + strength * mean) - digamma(strength * mean))).sum())
        down = float((digamma(total + strength) - digamma(strength)).sum())
        strength = float(np.clip(strength * up / max(down, 1e-12), 1.0, 2_000.0))
    return strength
