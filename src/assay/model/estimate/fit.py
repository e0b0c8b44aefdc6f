"""One component's fit: moments, then expectation-maximization, then what real votes need; then error bars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Statistics, single_indicators
from assay.model.estimate.balance import balance_from_overlaps
from assay.model.estimate.completion import from_inverse_covariance
from assay.model.estimate.covariance import from_covariance
from assay.model.estimate.em import EMSettings, expectation_maximization
from assay.model.estimate.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.robust import RobustSettings, robust
from assay.model.estimate.self_assessment import SelfAssessment, self_assessment
from assay.model.estimate.solver import SolverOutcome
from assay.model.estimate.start import from_majority
from assay.model.estimate.uncertainty import Interval, accuracy_intervals
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring

FloatArray = npt.NDArray[np.float64]

Method = Literal["auto", "robust", "em", "completion", "covariance"]
METHODS: tuple[Method, ...] = ("auto", "robust", "em", "completion", "covariance")

_MOST_INDICATORS = 400
"""With more values than this, moments are noisier than they are worth as a start, and slow."""

_START, _FIRST_STAGE = 2**16, 2**17
"""The sizes of the samples that a majority vote and the first stage of EM look at."""

_LAST_STEPS = 2
"""How many steps of the robust model all patterns are good for after a sample of them has settled it."""

_TRIAL_STEPS = 12
"""How many steps each start gets before the better one goes on."""

Solvers = dict[str, SolverOutcome]


@dataclass(frozen=True, eq=False)
class Fit:
    """What was learned about one component, how items are scored with it, how the solvers ended, and how sure it is."""

    parameters: Parameters
    scoring: Scoring
    solvers: Solvers
    evidence: Evidence | None = None
    """What it was learned from; None where what follows from it is known."""
    balance_known: bool = False
    known_intervals: list[Interval] | None = None
    known_assessment: SelfAssessment | None = None
    goodness_of_fit: GoodnessOfFit | None = None
    """How well independent sources explain the votes, if that was looked at."""

    @property
    def statistics(self) -> Statistics | None:
        """How often single votes were cast, alone and together."""
        return None if self.evidence is None else self.evidence.statistics

    @cached_property
    def assessment(self) -> SelfAssessment:
        """What the model expects of its labels. Worked out when first asked for."""
        if self.known_assessment is not None:
            return self.known_assessment
        assert self.evidence is not None
        return self_assessment(self.parameters, self.scoring, self.evidence)

    @cached_property
    def intervals(self) -> list[Interval]:
        """Per source (values,): accuracy, and the ends of its 95% interval. Worked out when first asked for."""
        if self.known_intervals is not None:
            return self.known_intervals
        assert self.evidence is not None
        return accuracy_intervals(self.parameters, self.scoring, self.evidence, balance_known=self.balance_known)


def fit_component(
    evidence: Evidence, known: Knowledge, *, method: Method = "auto", max_steps: int = 2_000, seed: int = 0
) -> Fit:
    """Learn one component's parameters.

    Parameters
    ----------
    evidence
        The votes, counted.
    known
        What is known besides.
    method
        As for :class:`assay.LabelModel`, like ``max_steps`` and ``seed``.
    """
    em = EMSettings(max_steps=max_steps)
    solvers: Solvers = {}
    scoring, fits = None, None
    match method:
        case "auto":
            # Without the counts of co-votes there is no telling, and many sources with few votes each are seldom alike.
            if evidence.statistics is not None:
                parameters, solvers["em"] = _em_by_stages(evidence, known, em, seed)
                fits = goodness_of_fit(parameters, evidence)
            if fits is None or not fits.good:
                parameters, scoring, outcome = _robust_by_stages(evidence, known)
                solvers = {"robust": outcome}
        case "em":
            parameters, solvers["em"] = _em_by_stages(evidence, known, em, seed)
        case "robust":
            parameters, scoring, solvers["robust"] = _robust_by_stages(evidence, known)
        case "completion" | "covariance":
            parameters, solvers = _moments(evidence, known, em, method, seed)
    return Fit(
        parameters,
        Scoring.bayes(parameters) if scoring is None else scoring,
        solvers,
        evidence,
        balance_known=known.balance is not None,
        goodness_of_fit=fits,
    )


def _moments(
    evidence: Evidence, known: Knowledge, em: EMSettings, method: Method, seed: int
) -> tuple[Parameters, Solvers]:
    """One of the moment methods alone."""
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


def _robust_by_stages(evidence: Evidence, known: Knowledge) -> tuple[Parameters, Scoring, SolverOutcome]:
    """The robust model, mostly on a small sample of the patterns where there are many."""
    settings = RobustSettings()
    if not _is_large(evidence):
        return robust(evidence, known, settings)
    near, _, ended = robust(evidence.thinned(_FIRST_STAGE), known, settings)
    final, scoring, last = robust(evidence, known, replace(settings, max_steps=_LAST_STEPS), near)
    return final, scoring, replace(ended, steps=ended.steps + last.steps)


def _em_by_stages(
    evidence: Evidence, known: Knowledge, settings: EMSettings, seed: int
) -> tuple[Parameters, SolverOutcome]:
    """EM on a small sample of the patterns first, where there are many: what is left for all of them is a few steps."""
    if not _is_large(evidence):
        return _moments_then_em(evidence, known, settings, seed)
    some = evidence.thinned(_FIRST_STAGE)
    # Neither stage needs to be solved to more than a fraction of what its patterns can tell.
    near, ended = _moments_then_em(some, known, replace(settings, no_gain=0.1, patience=3), seed)
    final, last = expectation_maximization(near, evidence, known, replace(settings, no_gain=0.01, patience=2))
    return final, replace(last, steps=last.steps + ended.steps)


def _is_large(evidence: Evidence) -> bool:
    """Whether patterns are so many that a sample of them comes first; gold is never left out of one."""
    return evidence.patterns.size > _FIRST_STAGE and evidence.log_allowed is None


def _moments_then_em(
    evidence: Evidence, known: Knowledge, settings: EMSettings, seed: int
) -> tuple[Parameters, SolverOutcome]:
    """EM from two starts, the moments' and the majority vote's; the one that is ahead after a few steps goes on.

    Moments are consistent but noisy when votes are few; a majority vote is neither,
    but it is never far off. Which start is better shows in the likelihood.
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
    # Exchanging outcomes may fit better by chance; but sources are better than random on average.
    plausible = [attempt for attempt in tried if better_than_random(attempt[0], known.signs)] or tried[:1]
    ahead, outcome = max(plausible, key=lambda attempt: attempt[1].objective)
    if outcome.converged:
        return ahead, outcome
    final, ended = expectation_maximization(ahead, evidence, known, settings)
    return final, replace(ended, steps=ended.steps + outcome.steps)


def better_than_random(parameters: Parameters, signs: FloatArray) -> bool:
    """Whether votes make what they allow more probable, on average over votes; adversarial sources the other way."""
    lift = 0.0
    for source, masks in enumerate(parameters.layout.masks):
        spoken = parameters.conditionals[source][:-1] * parameters.balance
        lift += signs[source] * float((spoken * masks).sum() - spoken.sum(axis=1) @ (masks @ parameters.balance))
    return lift > 0


def _balance(evidence: Evidence, known: Knowledge, seed: int) -> tuple[FloatArray | None, SolverOutcome | None]:
    """The class balance: as given, or from overlaps, if these tell it; and how the solver ended that was asked."""
    if known.balance is not None:
        return known.balance, None
    return balance_from_overlaps(evidence, seed)
