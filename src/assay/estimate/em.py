r"""Expectation-maximization on the decomposable model.

With a chordal source graph the model is

.. math:: P(Y, \lambda) = P(Y) \prod_C P(\lambda_{C \setminus S} \mid \lambda_S, Y),

and given expected counts every factor has its maximum in closed form, whatever
the separators. Three pulls keep rare votes sane and are too weak to bias common
ones; each is worth a number of votes:

* how often a source votes is drawn to be the same for every outcome;
* what it says is drawn to the class-conditional fit, in which outcomes that make
  the same values right share one parameter;
* that fit is drawn to the average source.

Steps are doubled up by SQUAREM (Varadhan and Roland, 2008), which follows the
direction that two steps agree on for as long as the likelihood grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.cliques import Clique, Layout, tied
from assay.estimate.outcome import SolverOutcome
from assay.parameters import TINY, Parameters, normalised
from assay.posterior import log_joint, softmax

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


_NO_GAIN, _PATIENCE = 1e-3, 8
"""A gain in log-likelihood, over all items, that means nothing; and how many of them in a row end the search."""


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What is believed of a source beforehand: that a vote of it is right this often."""

    accuracy: float
    strength: float = 20.0
    """What the belief is worth, in votes for each outcome."""


@dataclass(frozen=True, kw_only=True)
class EMSettings:
    """How to run expectation-maximization."""

    balance: FloatArray | None = None
    """(outcomes,): the class balance if it is known; else it is learned."""
    even_coverage: float = 5.0
    """The pull to vote equally often for every outcome, in votes."""
    class_conditional: float = 10.0
    """The pull to the class-conditional fit, in votes for each outcome."""
    average_source: float = 20.0
    """The pull of that fit to the average source, in votes."""
    even_balance: float = 1.0
    """The pull to an even class balance, in items for each outcome."""
    beliefs: Mapping[int, Belief] = field(default_factory=dict)
    """Per source what is believed of it, in the place of the average source."""
    applies: Sequence[BoolArray] | None = None
    """Per source the outcomes its tasks apply to, for local accuracies; None ties globally."""
    max_steps: int = 1_000
    tolerance: float = 1e-6
    """Stop when no probability moves by more than this, or when the likelihood has stopped growing."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is seen: distinct vote patterns, how often each occurs, and gold where there is some."""

    design: sparse.csr_array
    """(patterns, configurations)."""
    counts: FloatArray
    """(patterns,)."""
    log_allowed: FloatArray | None = None
    """(patterns, outcomes): 0 where gold allows the outcome, −∞ where it does not."""

    def responsibilities(self, parameters: Parameters) -> tuple[FloatArray, float]:
        """The E-step: (patterns, outcomes) posteriors, and the log-likelihood of all items."""
        logs = log_joint(parameters, self.design)
        if self.log_allowed is not None:
            logs = logs + self.log_allowed
        posterior, evidence = softmax(logs)
        return posterior, float(self.counts @ evidence)


def expectation_maximization(
    start: Parameters, evidence: Evidence, settings: EMSettings
) -> tuple[Parameters, SolverOutcome]:
    """Parameters of locally greatest posterior density, from a start."""
    maximize = Maximizer(start.layout, settings, start.ignore_abstentions)

    def step(parameters: Parameters) -> tuple[Parameters, float]:
        posterior, likelihood = evidence.responsibilities(parameters)
        return maximize(evidence.design, posterior * evidence.counts[:, None]), likelihood

    steps = still = 0
    likelihood = -np.inf
    before, here = start, step(start)[0]
    while steps < settings.max_steps:
        reached_before = likelihood
        after, likelihood = step(here)
        steps += 1
        still = still + 1 if abs(likelihood - reached_before) < _NO_GAIN else 0
        if still == _PATIENCE or _distance(here, after) < settings.tolerance:
            return after, SolverOutcome("converged", steps, likelihood)
        leap = _leap(before, here, after)
        before, here = here, after
        if leap is not None:
            if settings.balance is not None:
                leap = leap.with_balance(settings.balance)
            landed, reached = step(leap)
            steps += 1
            if reached >= likelihood:
                before, here = leap, landed
    return here, SolverOutcome("max_steps", steps, likelihood)


class Maximizer:
    """The M-step: parameters from expected counts."""

    def __init__(self, layout: Layout, settings: EMSettings, ignore_abstentions: bool = False) -> None:
        self.layout = layout
        self.settings = settings
        self.ignore_abstentions = ignore_abstentions
        self.ties = [tied(layout, clique, settings.applies) for clique in layout.cliques]
        self.voters = [
            np.unique(clique.voting, axis=0, return_inverse=True)[1].reshape(-1) for clique in layout.cliques
        ]

    def __call__(self, design: sparse.csr_array, weighted: FloatArray) -> Parameters:
        """Parameters from (patterns, outcomes) counts of items."""
        totals = weighted.sum(axis=0)
        spoken = np.asarray(design.T @ weighted)
        expected = []
        for index in range(len(self.layout.cliques)):
            block = spoken[self.layout.offsets[index] : self.layout.offsets[index + 1]]
            expected.append(np.vstack([block, np.maximum(totals - block.sum(axis=0), 0)]))
        average = self._average_accuracy(expected)
        joint = tuple(self._table(index, counts, totals, average) for index, counts in enumerate(expected))
        return Parameters(self.layout, self._balance(totals), joint, self.ignore_abstentions)

    def _balance(self, totals: FloatArray) -> FloatArray:
        if self.settings.balance is not None:
            return self.settings.balance
        raised = totals + self.settings.even_balance
        balance: FloatArray = raised / raised.sum()
        return balance

    def _average_accuracy(self, expected: list[FloatArray]) -> float:
        """How often a vote of a single source is right, where it can be."""
        right = votes = 1e-9
        for clique, counts in zip(self.layout.cliques, expected, strict=True):
            if len(clique.sources) == 1:
                masks = self.layout.masks[clique.sources[0]]
                able = masks.any(axis=0)
                right += float((counts[:-1] * masks)[:, able].sum())
                votes += float(counts[:-1][:, able].sum())
        return right / votes

    def _table(self, index: int, counts: FloatArray, totals: FloatArray, average: float) -> FloatArray:
        """(configurations, outcomes): P(joint vote | outcome), in two stages: who votes, and what they say."""
        clique, tie, voters = self.layout.cliques[index], self.ties[index], self.voters[index]
        voting = np.zeros((int(voters.max()) + 1, counts.shape[1]))
        np.add.at(voting, voters, counts)
        usual = voting.sum(axis=1) / max(float(voting.sum()), TINY)
        pull = self.settings.even_coverage / max(1 - float(usual[voters[-1]]), TINY)
        rates = (voting + pull * usual[:, None]) / (totals + pull)
        centre = self._class_conditional(clique, counts, voting[voters], tie, average)
        centre = centre / _sums(centre, voters)[voters]
        strength = self.settings.class_conditional
        said = (counts + strength * centre) / (voting[voters] + strength)
        return normalised(rates[voters] * said)

    def _class_conditional(
        self, clique: Clique, counts: FloatArray, chances: FloatArray, tie: IntArray, average: float
    ) -> FloatArray:
        """What voters say if outcomes that make the same values right are alike."""
        said = np.bincount(tie.ravel(), weights=counts.ravel())[tie]
        could = np.bincount(tie.ravel(), weights=chances.ravel())[tie]
        if len(clique.sources) > 1:
            even = 1e-3
            return np.asarray((said + even / clique.size) / (could + even))
        source = clique.sources[0]
        belief = self.settings.beliefs.get(source)
        accuracy, strength = (
            (average, self.settings.average_source)
            if belief is None
            else (
                belief.accuracy,
                belief.strength,
            )
        )
        typical = typical_source(self.layout.masks[source], counts[:-1].sum(axis=1), accuracy)
        return np.asarray((said + strength * typical) / (could + strength))


def typical_source(masks: BoolArray, frequency: FloatArray, accuracy: float) -> FloatArray:
    """(values + 1, outcomes): what a source of a given accuracy says when it votes; the last row, abstain, is one.

    Right and wrong values each share their part as often as the source uses them.
    """
    used = (frequency + 1e-9)[:, None]
    right, wrong = masks * used, ~masks * used
    able, fallible = masks.any(axis=0), (~masks).any(axis=0)
    share = np.where(able, np.where(fallible, accuracy, 1.0), 0.0)
    said = share * right / np.maximum(right.sum(axis=0), TINY) + (1 - share) * wrong / np.maximum(
        wrong.sum(axis=0), TINY
    )
    return np.vstack([said, np.ones(masks.shape[1])])


def _sums(table: FloatArray, groups: IntArray) -> FloatArray:
    sums = np.zeros((int(groups.max()) + 1, table.shape[1]))
    np.add.at(sums, groups, table)
    return sums


def _distance(one: Parameters, other: Parameters) -> float:
    moved = [float(np.abs(a - b).max()) for a, b in zip(one.joint, other.joint, strict=True)]
    return max([*moved, float(np.abs(one.balance - other.balance).max())])


def _leap(before: Parameters, here: Parameters, after: Parameters) -> Parameters | None:
    """SQUAREM's extrapolation in logarithms, or None where two steps do not agree on a longer one."""
    first, second, third = (_packed(parameters) for parameters in (before, here, after))
    change = second - first
    bend = (third - second) - change
    length = float(np.sqrt((change @ change) / max(float(bend @ bend), 1e-300)))
    if length <= 1:
        return None
    return _unpacked(first + 2 * length * change + length**2 * bend, before)


def _packed(parameters: Parameters) -> FloatArray:
    tables = [table.ravel() for table in parameters.joint]
    logs: FloatArray = np.log(np.maximum(np.concatenate([*tables, parameters.balance]), TINY))
    return logs


def _unpacked(logs: FloatArray, like: Parameters) -> Parameters:
    values = np.exp(np.clip(logs, np.log(TINY), 0))
    joint, at = [], 0
    for table in like.joint:
        joint.append(normalised(values[at : at + table.size].reshape(table.shape)))
        at += table.size
    balance = values[at:] / values[at:].sum()
    return Parameters(like.layout, balance, tuple(joint), like.ignore_abstentions)
