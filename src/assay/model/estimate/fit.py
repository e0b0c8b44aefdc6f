"""The fit of one component: moments, then EM, then the robust model as far as EM does not count; then intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Statistics, single_indicators
from assay.model.estimate.balance import balance_from_overlaps
from assay.model.estimate.balance_belief import BalanceBelief, BalanceOf
from assay.model.estimate.completion import from_inverse_covariance
from assay.model.estimate.covariance import from_covariance
from assay.model.estimate.e_step import leaves_out
from assay.model.estimate.em import expectation_maximization
from assay.model.estimate.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.methods import MOMENTS, EMSettings, Method
from assay.model.estimate.named_labels import (
    LEAST_SOURCES,
    equally_accurate,
    exchangeable,
    told_share,
    with_silence,
)
from assay.model.estimate.robust import RobustSettings, robust
from assay.model.estimate.self_assessment import SelfAssessment, self_assessment
from assay.model.estimate.solver import SolverOutcome
from assay.model.estimate.start import from_majority
from assay.model.estimate.tilting import held_back, mean_posterior, of_voted_items, tilted, wanted_balance
from assay.model.estimate.uncertainty import (
    Interval,
    accuracies,
    accuracy_intervals,
    checked_intervals,
    mixed_intervals,
    rising_intervals,
    widened,
)
from assay.model.parameters import Parameters, better_than_random
from assay.model.scoring import Scoring

FloatArray = npt.NDArray[np.float64]


_MOST_INDICATORS = 400
"""With more values than this, moments are slow and too noisy to be a good start."""

_START, _FIRST_STAGE = 2**16, 2**17
"""The sizes of the samples for a majority vote and for the first stage of EM."""

_LAST_STEPS = 2
"""Steps of the robust model on all patterns, after it has converged on a sample of them."""

_TOLD = 0.5
"""From this on the votes tell the class balance."""

_TRIAL_STEPS = 12
"""Steps from each start before only the better one is continued."""

Solvers = dict[str, SolverOutcome]


@dataclass(frozen=True, eq=False)
class Candidate:
    """One model of the votes, fitted, and how much it counts."""

    parameters: Parameters
    scoring: Scoring
    weight: float = 1.0
    described: Parameters | None = None
    """The parameters among the items that were given, if the others are among all items, those without votes too."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The fit of one component: parameters, scoring, solver outcomes, and uncertainty."""

    parameters: Parameters
    scoring: Scoring
    solvers: Solvers
    evidence: Evidence | None = None
    """What it was fitted on; None if the intervals and the assessment are given."""
    candidates: tuple[Candidate, ...] = ()
    """The models that it is the weighted mean of; and one without weight, if the votes do not follow it."""
    balance_known: bool = False
    known_intervals: list[Interval] | None = None
    known_assessment: SelfAssessment | None = None
    goodness_of_fit: GoodnessOfFit | None = None
    """How well independent sources explain the votes, if that was tested."""
    em_weight: float = 1.0
    """How much of it is EM's, from 0 to 1; what is not is the robust model's."""
    names_labels: bool = False
    """Whether sources name labels, of which any subset may apply."""
    balance_told: float = 1.0
    """How far the votes tell the class balance, from 0 to 1."""
    balance_contradicted: bool = False
    """Whether the votes tell quite another class balance than is known, so that this counts for more."""
    uncorrected: Scoring | None = None
    """The scoring before it was corrected by gold, if it was."""
    held_out: FloatArray | None = None
    """(items with gold, outcomes): their labels without their own gold, if there is any."""
    checked: tuple[FloatArray, ...] | None = None
    """Per source (values, 2): how many of its votes gold shows to be right, and to be wrong, if there is any."""

    merged: Fit | None = None
    """The fit that this is made from, in which outcomes that no vote tells apart are one, if there are many."""

    @classmethod
    def of(cls, candidates: Sequence[Candidate], solvers: Solvers, evidence: Evidence, **others: Any) -> Fit:
        """The mean of one or two candidates."""
        first, *rest = (one for one in candidates if one.weight > 0)
        parameters = first.parameters if first.described is None else first.described
        scoring = replace(first.scoring, without_votes=parameters.balance)
        for other in rest:
            parameters = parameters.mixed(first.weight, other.parameters)
            scoring = Scoring.pooled(first.weight, scoring, other.scoring)
        return cls(parameters, scoring, solvers, evidence, tuple(candidates), **others)

    def balance_of(self, items: BalanceOf) -> FloatArray:
        """(outcomes,): the class balance of all items, or of the labels of those with votes."""
        assert self.evidence is not None
        if items == "all" and self.evidence.silent_items:
            return self.parameters.balance
        return mean_posterior(self.scoring, self.evidence)

    def tilted(self, belief: BalanceBelief, *, em_weight: float, trust: float) -> Fit:
        """The same with labels that agree with what is believed of the class balance, as far as it counts."""
        assert self.evidence is not None
        told = mean_posterior(self.scoring, self.evidence)
        wanted = wanted_balance(told, belief, em_weight=em_weight, trust=trust)
        if belief.of == "all":
            of_all = wanted_balance(self.parameters.balance, belief, em_weight=em_weight, trust=trust)
            wanted = of_voted_items(of_all, self.parameters, self.evidence)
        return replace(self, scoring=tilted(self.scoring, self.evidence, wanted, held_back=held_back(belief)))

    @property
    def statistics(self) -> Statistics | None:
        """The counts of single votes and co-votes."""
        return None if self.evidence is None else self.evidence.statistics

    @cached_property
    def assessment(self) -> SelfAssessment:
        """The model's own estimate of how good its labels are. Computed on first access."""
        if self.known_assessment is not None:
            return self.known_assessment
        if self.merged is not None and self.uncorrected is None:
            return self.merged.assessment
        assert self.evidence is not None
        return self_assessment(
            self.parameters,
            self.scoring,
            self.evidence,
            balance_is_known=self.knows_balance,
            silence_votes=self.names_labels,
        )

    @property
    def knows_balance(self) -> bool:
        """Whether the class balance is given, or the votes tell it."""
        return self.balance_known or self.balance_told >= _TOLD

    @cached_property
    def intervals(self) -> list[Interval]:
        """Per source (values,): accuracy, and the bounds of its 95% interval. Computed on first access."""
        if self.known_intervals is not None:
            return self.known_intervals
        if self.merged is not None:
            # Accuracies are of votes, which do not know how many outcomes there are.
            return (
                self.merged.intervals
                if self.checked is None
                else checked_intervals(self.merged.intervals, self.checked)
            )
        assert self.evidence is not None
        counted = [one for one in self.candidates if one.weight > 0]
        found = mixed_intervals(
            [
                accuracy_intervals(one.parameters, one.scoring, self.evidence, balance_known=self.balance_known)
                for one in counted
            ],
            [one.weight for one in counted],
        )
        if not self.is_consistent:
            found = self._with_model_error(found)
        found = rising_intervals(found, self.parameters.layout)
        return found if self.checked is None else checked_intervals(found, self.checked)

    @property
    def is_consistent(self) -> bool:
        """Whether the votes are consistent with the model, beyond what is tolerated for the sake of labels."""
        fits, evidence = self.goodness_of_fit, self.evidence
        if fits is None and evidence is not None and evidence.statistics is not None:
            tested, nothing = self.candidates[0].parameters, Knowledge.none(evidence.layout)
            if "robust" in self.solvers:
                # It has no likelihood of its own; but where EM fits the votes, it is near EM.
                tested, _ = _em_by_stages(evidence, nothing, EMSettings(), seed=0)
            fits = goodness_of_fit(tested, evidence, nothing.signs)
        return fits is not None and fits.consistent

    def _with_model_error(self, found: list[Interval]) -> list[Interval]:
        """Intervals that also cover what other models of the same votes say: this one is not exact."""
        assert self.evidence is not None
        few = self.evidence.thinned(_START)
        majority = from_majority(few, Knowledge.none(few.layout), EMSettings())
        return widened(found, [accuracies(model) for model in (*(one.parameters for one in self.candidates), majority)])


def fit_component(
    evidence: Evidence,
    known: Knowledge,
    *,
    method: Method = "auto",
    max_steps: int = EMSettings.max_steps,
    seed: int = 0,
) -> Fit:
    """Fit one component.

    Parameters
    ----------
    evidence
        The counted votes.
    known
        Prior knowledge.
    method
        As for :class:`assay.LabelModel`, like ``max_steps`` and ``seed``.
    """
    found, told = _of_votes(evidence, known, method, max_steps, seed)
    if known.balance is not None:
        belief = known.balance
        if method not in MOMENTS and not known.names_labels:
            voted = float(evidence.counts.sum()) - evidence.silent_items
            belief = belief.against(found.balance_of(belief.of), voted)
        if belief is not known.balance:
            found, told = _of_votes(evidence, replace(known, balance=belief), method, max_steps, seed)
            found = replace(found, balance_contradicted=True)
        found = found.tilted(belief, em_weight=told.by_em, trust=told.by_robust)
    if known.names_labels and not known.ignore_abstentions:
        found = replace(found, scoring=with_silence(found.scoring))
    return found


class _Told(NamedTuple):
    """How far the votes tell the class balance, from 0 to 1."""

    by_em: float
    """As far as EM fits them."""
    by_robust: float
    """Where it does not."""


def _of_votes(evidence: Evidence, known: Knowledge, method: Method, max_steps: int, seed: int) -> tuple[Fit, _Told]:
    """The fit before labels are made to agree with what is known of the class balance."""
    em = EMSettings(max_steps=max_steps)
    solvers: Solvers = {}
    fits, candidates = None, list[Candidate]()
    weight = {"auto": 0.0, "robust": 0.0}.get(method, 1.0)
    # Without counts of co-votes the fit of EM cannot be tested; with that many values robust is safer.
    untold = known.names_labels and len(evidence.layout.graph.components) < LEAST_SOURCES
    if untold:
        alike = equally_accurate(evidence, ignore_abstentions=known.ignore_abstentions)
        candidates.append(Candidate(alike, Scoring.bayes(alike)))
        weight = 1.0
    elif method == "em" or (method == "auto" and evidence.statistics is not None):
        parameters, solvers["em"] = _em_by_stages(evidence, known, em, seed)
        if method == "auto":
            fits = goodness_of_fit(parameters, evidence, known.signs)
            if fits is not None and fits.misfits and known.balance is not None:
                # What is said of the balance may be what does not fit; that is no reason to doubt the sources.
                free, _ = _em_by_stages(evidence, replace(known, balance=None), em, seed)
                fits = goodness_of_fit(free, evidence, known.signs)
            if fits is not None and known.balance is not None and known.balance.strength == "exact":
                # No label can be more frequent than it is known to be.
                fits = replace(fits, left_over=0.0)
            weight = 0.0 if fits is None else fits.weight
        scoring = Scoring.bayes(parameters)
        if fits is not None and fits.correlation > 0:
            scoring = replace(scoring, discount=RobustSettings().discount(fits.correlation))
        described = parameters.among_voted() if leaves_out(parameters, evidence) else None
        candidates.append(Candidate(parameters, scoring, weight, described))
    elif method in MOMENTS:
        parameters, solvers = _moments(evidence, known, em, method, seed)
        candidates.append(Candidate(parameters, Scoring.bayes(parameters)))
    trust = 0.0 if untold else 1.0
    if weight < 1 and known.names_labels:
        parameters, solvers["em of alike sources"] = _em_by_stages(evidence, known, exchangeable(em), seed)
        candidates.append(Candidate(parameters, Scoring.bayes(parameters), 1 - weight))
    elif weight < 1:
        parameters, scoring, solvers["robust"], trust = _robust_by_stages(
            evidence, known, RobustSettings(), doubts=fits is not None and fits.misfits
        )
        candidates.append(Candidate(parameters, scoring, 1 - weight))
    if weight == 0:
        # What does not count needs not to have converged.
        solvers.pop("em", None)
    found = Fit.of(
        candidates,
        solvers,
        evidence,
        balance_known=known.balance is not None,
        known_intervals=_unknown_intervals(candidates[0].parameters) if untold else None,
        goodness_of_fit=fits,
        em_weight=weight,
        names_labels=known.names_labels,
        balance_told=0.0 if untold else weight + (1 - weight) * trust,
    )
    if known.names_labels and not untold and (share := told_share(evidence)) < 1:
        alike = equally_accurate(evidence, ignore_abstentions=known.ignore_abstentions)
        pooled = Scoring.pooled(share, found.scoring, Scoring.bayes(alike))
        found = replace(found, parameters=found.parameters.mixed(share, alike), scoring=pooled)
    return found, _Told(0.0 if untold else weight, trust)


def _unknown_intervals(parameters: Parameters) -> list[Interval]:
    """The intervals of accuracies that are assumed, not learned: any would explain the votes."""
    return [(found, np.zeros(len(found)), np.ones(len(found))) for found in accuracies(parameters)]


def _moments(
    evidence: Evidence, known: Knowledge, em: EMSettings, method: Method, seed: int
) -> tuple[Parameters, Solvers]:
    """One of the moment methods."""
    solvers: Solvers = {}
    if not evidence.layout.masks:
        return from_majority(evidence.thinned(_START), known, em), solvers
    balance, outcome = _balance(evidence, known, seed)
    if outcome is not None:
        solvers["balance"] = outcome
    if balance is None:
        balance = from_majority(evidence.thinned(_START), known, em).balance
    if method == "completion":
        parameters, solvers["completion"] = from_inverse_covariance(evidence, balance, known.signs)
    else:
        statistics = evidence.count(single_indicators(evidence.layout))
        parameters, solvers["covariance"] = from_covariance(evidence.layout, statistics, balance, known.signs)
    return replace(parameters, ignore_abstentions=known.ignore_abstentions), solvers


def _robust_by_stages(
    evidence: Evidence, known: Knowledge, settings: RobustSettings, *, doubts: bool
) -> tuple[Parameters, Scoring, SolverOutcome, float]:
    """The robust model, mostly on a small sample of the patterns where there are many."""
    if not _is_large(evidence):
        return robust(evidence, known, settings, doubts=doubts)
    near, _, ended, _ = robust(evidence.thinned(_FIRST_STAGE), known, settings)
    final, scoring, last, trust = robust(evidence, known, replace(settings, max_steps=_LAST_STEPS), near, doubts=doubts)
    return final, scoring, replace(ended, steps=ended.steps + last.steps), trust


def _em_by_stages(
    evidence: Evidence, known: Knowledge, settings: EMSettings, seed: int
) -> tuple[Parameters, SolverOutcome]:
    """EM on a small sample of the patterns first, if there are many, so that all of them take only a few steps."""
    if not _is_large(evidence):
        return _moments_then_em(evidence, known, settings, seed)
    some = evidence.thinned(_FIRST_STAGE)
    # Neither stage needs to converge to more than a fraction of its sampling error.
    near, ended = _moments_then_em(some, known, replace(settings, no_gain=0.1, patience=3), seed)
    final, last = expectation_maximization(near, evidence, known, replace(settings, no_gain=0.01, patience=2))
    return final, replace(last, steps=last.steps + ended.steps)


def _is_large(evidence: Evidence) -> bool:
    """Whether there are enough patterns to start with a sample of them."""
    return evidence.patterns.size > _FIRST_STAGE


def _moments_then_em(
    evidence: Evidence, known: Knowledge, settings: EMSettings, seed: int
) -> tuple[Parameters, SolverOutcome]:
    """EM from two starts, moments and a majority vote; the one with the higher likelihood after a few steps continues.

    Moments are consistent, but noisy if votes are few; a majority vote is neither, but never far off.
    """
    layout = evidence.layout
    majority = from_majority(evidence, known, settings)
    starts = [majority]
    if len(layout.graph.components) >= 3 and len(layout.all_masks) <= _MOST_INDICATORS:
        balance, _ = _balance(evidence.thinned(_START // 2), known, seed)
        statistics = evidence.count(single_indicators(layout))
        moments, _ = from_covariance(layout, statistics, majority.balance if balance is None else balance, known.signs)
        starts.append(replace(moments, ignore_abstentions=known.ignore_abstentions))
    trial = replace(settings, max_steps=_TRIAL_STEPS)
    tried = [expectation_maximization(start, evidence, known, trial) for start in starts]
    # Permuted outcomes may fit better by chance; but sources are better than random on average.
    plausible = [attempt for attempt in tried if better_than_random(attempt[0], known.signs)] or tried[:1]
    ahead, outcome = max(plausible, key=lambda attempt: attempt[1].objective)
    if outcome.converged:
        return ahead, outcome
    final, ended = expectation_maximization(ahead, evidence, known, settings)
    return final, replace(ended, steps=ended.steps + outcome.steps)


def _balance(evidence: Evidence, known: Knowledge, seed: int) -> tuple[FloatArray | None, SolverOutcome | None]:
    """The class balance, given or from overlaps if these determine it; and the outcome of the solver, if any."""
    if known.balance is not None and known.balance.vector is not None:
        return known.balance.vector, None
    return balance_from_overlaps(evidence, seed)
