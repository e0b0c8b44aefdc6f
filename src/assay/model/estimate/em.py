r"""Expectation-maximization on the decomposable model.

With a chordal source graph the model is

.. math:: P(Y, \lambda) = P(Y) \prod_C P(\lambda_{C \setminus S} \mid \lambda_S, Y),

and given expected counts every factor has its maximum in closed form, whatever
the separators. Priors regularise rare votes and are too weak to bias common
ones; the strength of each is a pseudo-count in votes:

* how often a source votes is shrunk toward the same rate for all outcomes about
  which it can be right, and for all others; if it cannot name every outcome, the ratio of the two is shrunk
  toward that of the average such source;
* its votes are shrunk toward the class-conditional fit, in which outcomes that make
  the same values right share one parameter;
* its votes are shrunk toward those of the average source. Accuracies with a standard
  deviation of about 0.1, as is usual, correspond to a prior of about twenty votes. The members of a clique
  together are shrunk toward one average source.

Items without votes are often left out. If there are none, votes are truncated data, and the E-step adds those that the
model expects to have been left out.

EM is accelerated by SQUAREM (Varadhan and Roland, 2008), which extrapolates from two
steps, as long as the likelihood grows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map
from assay.counts import Design, Evidence, Layout, tied
from assay.model.estimate.confidence import LevelsOfValues, levels_of
from assay.model.estimate.knowledge import Belief, Knowledge
from assay.model.estimate.methods import EMSettings
from assay.model.estimate.solver import SolverOutcome
from assay.model.parameters import TINY, Parameters, normalised
from assay.model.scoring import Scoring, softmax

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


_LEAST_CHANCE = 1e-3
"""The least probability of a value, and the pseudo-count of a joint vote, in the prior of a clique."""

MOST_UNSEEN = 0.8
"""The largest share of all items that can have been left out because nobody votes on them."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected counts."""

    votes: FloatArray
    """(configurations, outcomes): items with the configuration and the outcome."""
    totals: FloatArray
    """(outcomes,): items with the outcome."""
    likelihood: float = 0.0
    """The log-likelihood of all items."""
    silent: FloatArray | float = 0.0
    """(outcomes,): items without votes among the totals."""

    def with_unseen(self, scoring: Scoring) -> Expected:
        """The same with the items without votes that were left out, as many as the model expects there to be."""
        share, items = unseen_share(scoring), float(self.totals.sum())
        unseen = items * share / (1 - share) * softmax(scoring.base[None])[0][0]
        likelihood = self.likelihood - items * float(np.log1p(-share))
        return Expected(self.votes, self.totals + unseen, likelihood, unseen)

    def with_silent(self, scoring: Scoring, evidence: Evidence) -> Expected:
        """The same, with the items without votes told apart."""
        return replace(self, silent=evidence.silent_items * softmax(scoring.base[None])[0][0])

    @classmethod
    def given(cls, design: Design, weighted: FloatArray, likelihood: float = 0.0) -> Expected:
        """From the (patterns, outcomes) expected number of items."""
        return cls(np.asarray(design.matrix.T @ weighted), weighted.sum(axis=0), likelihood)


def responsibilities(scoring: Scoring, evidence: Evidence) -> tuple[FloatArray, float]:
    """(patterns, outcomes) posteriors, and the log-likelihood of all items."""
    posterior, likelihood = softmax(scoring.log_joint(evidence.design))
    return posterior, float(evidence.counts @ likelihood)


def expected_counts(parameters: Parameters, evidence: Evidence) -> Expected:
    """The E-step. If no item is without votes, those that were left out are expected too: votes are truncated data."""
    scoring = Scoring.bayes(parameters)
    expected = _expected_counts(scoring, evidence)
    if leaves_out(parameters, evidence):
        return expected.with_unseen(scoring)
    return expected.with_silent(scoring, evidence)


def unseen_share(scoring: Scoring) -> float:
    """The share of all items on which nobody votes."""
    return min(float(np.exp(scoring.base).sum()), MOST_UNSEEN)


def leaves_out(parameters: Parameters, evidence: Evidence) -> bool:
    """Whether items without votes were left out, and would have been informative."""
    return evidence.voted_only and not parameters.ignore_abstentions


def _expected_counts(scoring: Scoring, evidence: Evidence) -> Expected:
    from assay._core import scoring_loops

    design, counts = evidence.design, evidence.counts
    gains, base = scoring.gains, scoring.base
    # Log-odds against the first outcome, which then needs no computation of its own.
    leads, lead = np.ascontiguousarray(gains[:, 1:] - gains[:, :1]), base[1:] - base[0]
    step = scoring_loops.expect_two if len(base) == 2 else scoring_loops.expect
    parts = evidence.parts
    votes, totals = np.zeros((len(parts), *leads.shape)), np.zeros((len(parts), len(lead)))

    def add(piece: tuple[int, slice]) -> float:
        part, rows = piece
        starts = design.starts[rows.start : rows.stop + 1]
        return float(step(starts, design.columns, counts[rows], leads, lead, votes[part], totals[part]))

    excess = sum(parallel_map(add, enumerate(parts)))
    others, rest = votes.sum(axis=0), totals.sum(axis=0)
    items = float(counts.sum())
    return Expected(
        np.column_stack([np.maximum(evidence.seen - others.sum(axis=1), 0), others]),
        np.append(max(items - rest.sum(), 0.0), rest),
        excess + float(evidence.seen @ gains[:, 0]) + items * float(base[0]),
    )


def expectation_maximization(
    start: Parameters, evidence: Evidence, known: Knowledge, settings: EMSettings
) -> tuple[Parameters, SolverOutcome]:
    """A local maximum a posteriori of the parameters, from a start."""
    maximize = Maximizer(start.layout, known, settings, leaves_out=evidence.voted_only)

    def step(parameters: Parameters) -> tuple[Parameters, float]:
        expected = expected_counts(parameters, evidence)
        return maximize(expected), expected.likelihood

    steps = still = 0
    likelihood = -np.inf
    before, here = start, step(start)[0]
    while steps < settings.max_steps:
        reached_before = likelihood
        after, likelihood = step(here)
        steps += 1
        still = still + 1 if abs(likelihood - reached_before) < settings.no_gain else 0
        if still == settings.patience or here.distance(after) < settings.tolerance:
            return after, SolverOutcome("converged", steps, likelihood)
        ahead = _extrapolated(before, here, after)
        before, here = here, after
        if ahead is not None:
            if known.balance is not None:
                ahead = ahead.with_balance(here.balance)
            after_ahead, likelihood_ahead = step(ahead)
            steps += 1
            if likelihood_ahead >= likelihood:
                before, here = ahead, after_ahead
    return here, SolverOutcome("max_steps", steps, likelihood)


class Maximizer:
    """The M-step: parameters from expected counts.

    Sources without dependencies are updated together, those with the same number of
    values in one array; cliques of several sources one by one.
    """

    def __init__(self, layout: Layout, known: Knowledge, settings: EMSettings, *, leaves_out: bool = False) -> None:
        """``leaves_out``: items without votes were left out of those that are counted."""
        self.layout = layout
        self.leaves_out = leaves_out
        self.known = known
        self.settings = settings
        levels = levels_of(layout, known.signs)
        alone: dict[int, list[int]] = {}
        self.cliques: dict[int, _Together] = {}
        for index, clique in enumerate(layout.cliques):
            if len(clique.sources) == 1:
                alone.setdefault(len(layout.masks[clique.sources[0]]), []).append(index)
            else:
                voters = np.unique(clique.voting, axis=0, return_inverse=True)[1].reshape(-1)
                members = tuple(
                    _Member(
                        clique.digits[:, at],
                        layout.masks[source],
                        known.beliefs.get(source),
                        levels.part(np.arange(layout.value_offsets[source], layout.value_offsets[source + 1])),
                    )
                    for at, source in enumerate(clique.sources)
                )
                self.cliques[index] = _Together(tied(layout, clique, known.applies), voters, members)
        self.alone = [_Alone.of(layout, indices, known, levels) for indices in alone.values()]

    def __call__(self, expected: Expected) -> Parameters:
        """Parameters from expected counts."""
        totals, expected_votes = expected.totals, expected.votes
        tables: dict[int, FloatArray] = {}
        counted = [(group, expected_votes[group.rows]) for group in self.alone]
        blocks = {
            index: expected_votes[self.layout.offsets[index] : self.layout.offsets[index + 1]] for index in self.cliques
        }
        said = [(group.masks, votes) for group, votes in counted]
        if not said:
            # Copies count several times here; but there are no others.
            said = [pair for index, clique in self.cliques.items() for pair in clique.said(blocks[index])]
        average, lift = _average_accuracy(said), _average_lift(said, totals)
        for group, votes in counted:
            found = group.tables(votes, totals, average, lift, self.settings)
            tables.update(zip(group.indices, found, strict=True))
        for index, clique in self.cliques.items():
            tables[index] = clique.table(blocks[index], totals, average, self.settings)
        joint = tuple(tables[index] for index in range(len(self.layout.cliques)))
        balance = self._balance(expected)
        return Parameters(self.layout, balance, joint, ignore_abstentions=self.known.ignore_abstentions)

    def _balance(self, expected: Expected) -> FloatArray:
        raised = expected.totals + self.settings.even_balance
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

    def tables(
        self, votes: FloatArray, totals: FloatArray, average: float, lift: float, settings: EMSettings
    ) -> FloatArray:
        """(sources, values + 1, outcomes): P(vote | outcome), from expected votes, (sources, values, outcomes).

        ``average`` and ``lift`` are those of the average source, see :func:`_average_accuracy`, :func:`_average_lift`.
        """
        voting = votes.sum(axis=1, keepdims=True)
        used = votes.sum(axis=2)
        rates = np.zeros_like(voting)
        able: BoolArray = np.asarray(emitted_masks(self.masks, used).any(axis=1, keepdims=True))
        believed = ~np.isnan(self.beliefs[:, 0])
        fired = _shrunk_to_lift(voting, able, totals, lift, settings.average_lift)
        for among in (able, ~able):
            coverage = (fired * among).sum(axis=2, keepdims=True) / np.maximum(
                (totals * among).sum(axis=2, keepdims=True), TINY
            )
            pseudo_items = settings.even_coverage / np.maximum(coverage, TINY)
            rates += among * (fired + settings.even_coverage * (coverage > 0)) / (totals + pseudo_items)
        said = np.zeros_like(votes)
        could = np.zeros_like(votes)
        for kind in np.unique(self.kinds):
            same_kind = self.kinds == kind
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
        able = emitted_masks(masks, expected.sum(axis=2)).any(axis=1, keepdims=True)
        right += float((expected * masks).sum())
        votes += float((expected * able).sum())
    return right / votes


def _average_lift(said: list[tuple[BoolArray, FloatArray]], totals: FloatArray) -> float:
    """How much more often the average source that cannot name every outcome votes where it can be right than elsewhere.

    From the masks of sources and their expected votes, (sources, values, outcomes) each.
    """
    right = usual_right = wrong = usual_wrong = 1e-3
    for masks, expected in said:
        able = emitted_masks(masks, expected.sum(axis=2)).any(axis=1)
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
    cast = voting.sum(axis=2, keepdims=True)
    inside, outside = (totals * able).sum(axis=2, keepdims=True), (totals * ~able).sum(axis=2, keepdims=True)
    odds = lift * inside / np.maximum(outside, TINY)
    centre = np.where(
        able, odds / (1 + odds) * totals / np.maximum(inside, TINY), totals / (1 + odds) / np.maximum(outside, TINY)
    )
    shrunk = (voting + strength * centre) * cast / np.maximum(cast + strength, TINY)
    return np.where(able.all(axis=2, keepdims=True), voting, shrunk)


@dataclass(frozen=True, eq=False)
class _Member:
    """A source of a clique."""

    says: IntArray
    """(configurations,): its value in each; the last one is abstain."""
    masks: BoolArray
    """(values, outcomes)."""
    belief: Belief | None
    """The user's prior, if any."""
    levels: LevelsOfValues
    """The levels of confidence among its values."""

    def votes(self, counts: FloatArray) -> FloatArray:
        """(values, outcomes): its expected votes, from those of the clique."""
        sums = np.zeros((len(self.masks) + 1, counts.shape[1]))
        np.add.at(sums, self.says[: len(counts)], counts)
        return sums[:-1]

    def able(self, counts: FloatArray) -> BoolArray:
        """(outcomes,): those about which it can be right, with the values that it emits."""
        return np.asarray(emitted_masks(self.masks, self.votes(counts).sum(axis=1)).any(axis=0))

    def moved(self, counts: FloatArray, belief: Belief) -> FloatArray:
        """(configurations, outcomes): counts shrunk toward a prior; coverage and other votes stay fixed."""
        votes = self.votes(counts)
        voting = votes.sum(axis=0)
        typical = self.typical(votes, belief.accuracy)
        wanted = (votes + belief.strength * typical) * voting / np.maximum(voting + belief.strength, TINY)
        factor = np.vstack([wanted / np.maximum(votes, TINY), np.ones((1, counts.shape[1]))])
        shifted: FloatArray = counts * factor[self.says]
        return shifted

    def typical(self, votes: FloatArray, accuracy: float) -> FloatArray:
        """(values, outcomes): P(value | vote, outcome) of a source with some accuracy that emits these values."""
        used, hits = votes.sum(axis=1)[None], (votes * self.masks).sum(axis=1)[None]
        shares = self.levels.shares(used, hits, accuracy)
        return np.asarray(typical_source(self.masks[None], used, np.array([[accuracy]]), shares)[0])

    def lift(self, counts: FloatArray, accuracy: float) -> FloatArray:
        """(configurations, outcomes): the log-odds that its vote adds if it is a source like others."""
        votes = self.votes(counts)
        logs = np.log(np.maximum(self.typical(votes, accuracy), _LEAST_CHANCE))
        return np.vstack([logs - logs.mean(axis=1, keepdims=True), np.zeros((1, logs.shape[1]))])[self.says]


@dataclass(frozen=True, eq=False)
class _Together:
    """A clique of dependent sources."""

    tie: IntArray
    """(configurations, outcomes): equal where the class-conditional model ties parameters."""
    voters: IntArray
    """(configurations,): equal where the same sources vote."""
    members: tuple[_Member, ...]

    def said(self, block: FloatArray) -> list[tuple[BoolArray, FloatArray]]:
        """The masks of each member and its expected votes, as of one source, (1, values, outcomes)."""
        return [(member.masks[None], member.votes(block)[None]) for member in self.members]

    def table(self, block: FloatArray, totals: FloatArray, average: float, settings: EMSettings) -> FloatArray:
        """(configurations, outcomes): P(joint vote | outcome), in two stages: who votes, and for what."""
        counts = np.vstack([block, np.maximum(totals - block.sum(axis=0), 0)])
        for member in self.members:
            if member.belief is not None:
                counts = member.moved(counts, member.belief)
        voting = _sums(counts, self.voters)
        able = np.stack([member.able(counts) for member in self.members])
        group = np.unique(able, axis=1, return_inverse=True)[1].reshape(-1)
        usual = _sums(voting.T, group)[group].T / np.maximum(_sums(totals[:, None], group)[group, 0], TINY)
        spoken = np.maximum(1 - usual[self.voters[-1]], TINY)
        even_items, one_items = settings.even_coverage / spoken, settings.average_source / spoken
        rates = voting + even_items * usual + one_items * self._voting_as_one_source(counts, voting, totals)
        rates = rates / (totals + even_items + one_items)
        said = np.bincount(self.tie.ravel(), weights=counts.ravel())[self.tie]
        could = np.bincount(self.tie.ravel(), weights=voting[self.voters].ravel())[self.tie]
        even = 1e-3
        centre = (said + even / len(counts)) / (could + even)
        centre = centre / _sums(centre, self.voters)[self.voters]
        tying, one = settings.class_conditional, settings.average_source
        drawn = counts + tying * centre + one * self._as_one_source(counts, average)
        return normalised(rates[self.voters] * drawn / (voting[self.voters] + tying + one))

    def _voting_as_one_source(self, counts: FloatArray, voting: FloatArray, totals: FloatArray) -> FloatArray:
        """(sets of voters, outcomes): P(who votes | outcome) if all members together are one source."""
        logs = np.zeros_like(voting)
        for member in self.members:
            rate = np.clip(member.votes(counts).sum(axis=0) / np.maximum(totals, TINY), 1e-6, 1 - 1e-6)
            speaks = np.zeros(len(voting), dtype=bool)
            speaks[self.voters] = member.says < len(member.masks)
            logs += np.where(speaks[:, None], np.log(rate), np.log1p(-rate)) / len(self.members)
        chance = (voting.sum(axis=1, keepdims=True) + _LEAST_CHANCE) * np.exp(logs)
        found: FloatArray = chance / chance.sum(axis=0)
        return found

    def _as_one_source(self, counts: FloatArray, average: float) -> FloatArray:
        """(configurations, outcomes): P(joint vote | who votes, outcome) if all members are one average source.

        Their log-odds are averaged, not added: the prior does not count what a group says several times.
        """
        voting = np.stack([member.says < len(member.masks) for member in self.members])
        lift = sum(member.lift(counts, average) for member in self.members)
        seen = counts.sum(axis=1, keepdims=True) + _LEAST_CHANCE
        chance = seen * np.exp(lift / np.maximum(voting.sum(axis=0), 1)[:, None])
        found: FloatArray = chance / _sums(chance, self.voters)[self.voters]
        return found


def typical_source(
    masks: BoolArray, used: FloatArray, accuracy: FloatArray, shares: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """(sources, values, outcomes): P(value | vote, outcome) of sources with given accuracies, (sources, 1).

    The probability of being right is distributed over the right values in proportion to their
    use, (sources, values); likewise that of being wrong. A value that is listed but never emitted gets none.
    ``shares`` is the use of values when they are right, and when they are wrong: levels of confidence differ in that.
    """
    right, wrong = (
        allowed * (share + 1e-9)[:, :, None] for allowed, share in zip((masks, ~masks), shares, strict=True)
    )
    able, fallible = emitted_masks(masks, used).any(axis=1), emitted_masks(~masks, used).any(axis=1)
    share = np.where(able, np.where(fallible, accuracy, 1.0), 0.0)[:, None, :]
    rightly = right / np.maximum(right.sum(axis=1, keepdims=True), TINY)
    wrongly = wrong / np.maximum(wrong.sum(axis=1, keepdims=True), TINY)
    typical: FloatArray = share * rightly + (1 - share) * wrongly
    return typical


def emitted_masks(masks: BoolArray, used: FloatArray) -> BoolArray:
    """The same masks, (…, values, outcomes), without the values that a source never emits; all if it emits none."""
    emitted = used > 0
    emitted |= ~emitted.any(axis=-1, keepdims=True)
    found: BoolArray = masks & emitted[..., None]
    return found


def _sums(table: FloatArray, groups: IntArray) -> FloatArray:
    sums = np.zeros((int(groups.max()) + 1, table.shape[1]))
    np.add.at(sums, groups, table)
    return sums


def _extrapolated(before: Parameters, here: Parameters, after: Parameters) -> Parameters | None:
    """SQUAREM's extrapolation in log space, or None if it is no longer than a step of EM."""
    first, second, third = (parameters.log_vector for parameters in (before, here, after))
    change = second - first
    bend = (third - second) - change
    length = float(np.sqrt((change @ change) / max(float(bend @ bend), 1e-300)))
    if length <= 1:
        return None
    return before.from_log_vector(first + 2 * length * change + length**2 * bend)
