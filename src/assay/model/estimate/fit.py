"""One component's fit: moments, then expectation-maximization, then what real votes need; then error bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from assay.counts import Layout, Observed, Patterns, Statistics, single_indicators
from assay.model.estimate.balance import balance_from_overlaps
from assay.model.estimate.completion import from_inverse_covariance
from assay.model.estimate.covariance import from_covariance
from assay.model.estimate.em import Belief, EMSettings, Evidence, expectation_maximization
from assay.model.estimate.goodness_of_fit import Fitness, fitness
from assay.model.estimate.robust import RobustSettings, robust
from assay.model.estimate.self_assessment import Outlook, outlook
from assay.model.estimate.solver import SolverOutcome
from assay.model.estimate.start import from_majority
from assay.model.estimate.uncertainty import Interval, accuracy_intervals
from assay.model.parameters import Parameters

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

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


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What one component's fit is told."""

    method: Method = "auto"
    balance: FloatArray | None = None
    signs: FloatArray
    """(sources,): +1, or −1 for a source declared adversarial."""
    beliefs: Mapping[int, Belief] = field(default_factory=dict)
    applies: tuple[BoolArray, ...] | None = None
    ignore_abstentions: bool = False
    max_steps: int = 2_000
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Fit:
    """What was learned about one component, how the solvers ended, and how sure it is."""

    parameters: Parameters
    solvers: dict[str, SolverOutcome]
    evidence: Evidence | None = None
    """What it was learned from; None where the intervals are known."""
    balance_known: bool = False
    known_intervals: list[Interval] | None = None
    statistics: Statistics | None = None
    """How often single votes were cast, alone and together."""
    known_outlook: Outlook | None = None
    fitness: Fitness | None = None
    """How well independent sources explain the votes, if that was looked at."""

    @cached_property
    def outlook(self) -> Outlook:
        """What the model expects of its labels. Worked out when first asked for."""
        if self.known_outlook is not None:
            return self.known_outlook
        assert self.evidence is not None
        return outlook(self.parameters, self.evidence, self.statistics)

    @cached_property
    def intervals(self) -> list[Interval]:
        """Per source (values,): accuracy, and the ends of its 95% interval. Worked out when first asked for."""
        if self.known_intervals is not None:
            return self.known_intervals
        assert self.evidence is not None
        return accuracy_intervals(self.parameters, self.evidence, balance_known=self.balance_known)


def fit_component(layout: Layout, observed: Observed, gold: BoolArray | None, settings: FitSettings) -> Fit:
    """Learn one component's parameters.

    Parameters
    ----------
    observed
        The votes, counted.
    gold
        (patterns, outcomes): the outcomes that gold allows, if some items have gold.
    """
    em = EMSettings(
        balance=settings.balance,
        beliefs=settings.beliefs,
        applies=settings.applies,
        max_steps=settings.max_steps,
    )
    patterns = observed.patterns
    with np.errstate(divide="ignore"):
        log_allowed = None if gold is None else np.log(gold.astype(float))
    evidence = Evidence(layout.design(patterns.rows), patterns.counts, log_allowed, patterns.spread)
    solvers: dict[str, SolverOutcome] = {}
    fits = None
    match settings.method:
        case "auto":
            # Without the counts of co-votes there is no telling, and many sources with few votes each are seldom alike.
            if observed.single is not None:
                parameters, solvers["em"] = _em_by_stages(layout, observed, evidence, em, settings)
                fits = fitness(parameters, observed.single, evidence)
            if fits is None or not fits.good:
                parameters, outcome = _robust_by_stages(layout, patterns, evidence, settings)
                solvers = {"robust": outcome}
        case "em":
            parameters, solvers["em"] = _em_by_stages(layout, observed, evidence, em, settings)
        case "robust":
            parameters, solvers["robust"] = _robust_by_stages(layout, patterns, evidence, settings)
        case "completion" | "covariance":
            parameters, solvers = _moments(layout, observed, em, settings)
    return Fit(parameters, solvers, evidence, settings.balance is not None, statistics=observed.single, fitness=fits)


def _moments(
    layout: Layout, observed: Observed, em: EMSettings, settings: FitSettings
) -> tuple[Parameters, dict[str, SolverOutcome]]:
    """One of the moment methods alone."""
    solvers: dict[str, SolverOutcome] = {}
    majority = _majority(layout, observed.patterns, em, settings)
    if not layout.masks:
        return majority(), solvers
    balance = _balance(layout, observed, observed.patterns, majority, settings, solvers)
    if settings.method == "completion":
        parameters, solvers["completion"] = from_inverse_covariance(layout, observed, balance, settings.signs)
    else:
        statistics = observed.count(single_indicators(layout))
        parameters, solvers["covariance"] = from_covariance(layout, statistics, balance, settings.signs)
    return replace(parameters, ignore_abstentions=settings.ignore_abstentions), solvers


def _robust_by_stages(
    layout: Layout, patterns: Patterns, evidence: Evidence, settings: FitSettings
) -> tuple[Parameters, SolverOutcome]:
    """The robust model, mostly on a small sample of the patterns where there are many."""
    known = RobustSettings(
        balance=settings.balance,
        signs=settings.signs,
        beliefs=settings.beliefs,
        ignore_abstentions=settings.ignore_abstentions,
    )
    if patterns.size <= _FIRST_STAGE or evidence.log_allowed is not None:
        return robust(layout, evidence, known)
    sample = patterns.thinned(_FIRST_STAGE)
    some = Evidence(layout.design(sample.rows), sample.counts, None, sample.spread)
    near, ended = robust(layout, some, known)
    final, last = robust(layout, evidence, replace(known, max_steps=_LAST_STEPS), near)
    return final, replace(ended, steps=ended.steps + last.steps)


def _em_by_stages(
    layout: Layout, observed: Observed, evidence: Evidence, em: EMSettings, settings: FitSettings
) -> tuple[Parameters, SolverOutcome]:
    """EM on a small sample of the patterns first, where there are many: what is left for all of them is a few steps."""
    patterns = observed.patterns
    if patterns.size <= _FIRST_STAGE or evidence.log_allowed is not None:
        return _moments_then_em(layout, observed, patterns, evidence, em, settings)
    sample = patterns.thinned(_FIRST_STAGE)
    some = Evidence(layout.design(sample.rows), sample.counts, None, sample.spread)
    # Neither stage needs to be solved to more than a fraction of what its patterns can tell.
    near, ended = _moments_then_em(layout, observed, sample, some, replace(em, no_gain=0.1, patience=3), settings)
    final, last = expectation_maximization(near, evidence, replace(em, no_gain=0.01, patience=2))
    return final, replace(last, steps=last.steps + ended.steps)


def _moments_then_em(
    layout: Layout,
    observed: Observed,
    patterns: Patterns,
    evidence: Evidence,
    em: EMSettings,
    settings: FitSettings,
) -> tuple[Parameters, SolverOutcome]:
    """EM from two starts, the moments' and the majority vote's; the one that is ahead after a few steps goes on.

    Moments are consistent but noisy when votes are few; a majority vote is neither,
    but it is never far off. Which start is better shows in the likelihood.
    """
    majority = from_majority(layout, patterns, evidence.design, em, settings.signs, settings.ignore_abstentions)
    starts = [majority]
    indicators = sum(len(masks) for masks in layout.masks)
    if len(layout.graph.components) >= 3 and indicators <= _MOST_INDICATORS:
        few = patterns.thinned(_START // 2)
        balance = _balance(layout, observed, few, lambda: majority, settings, {})
        statistics = observed.count(single_indicators(layout))
        moments, _ = from_covariance(layout, statistics, balance, settings.signs)
        starts.append(replace(moments, ignore_abstentions=settings.ignore_abstentions))
    trial = replace(em, max_steps=_TRIAL_STEPS)
    tried = [expectation_maximization(start, evidence, trial) for start in starts]
    # Exchanging outcomes may fit better by chance; but sources are better than random on average.
    plausible = [attempt for attempt in tried if better_than_random(attempt[0], settings.signs)] or tried[:1]
    ahead, outcome = max(plausible, key=lambda attempt: attempt[1].objective)
    if outcome.converged:
        return ahead, outcome
    final, ended = expectation_maximization(ahead, evidence, em)
    return final, replace(ended, steps=ended.steps + outcome.steps)


def better_than_random(parameters: Parameters, signs: FloatArray) -> bool:
    """Whether votes make what they allow more probable, on average over votes; adversarial sources the other way."""
    lift = 0.0
    for source, masks in enumerate(parameters.layout.masks):
        spoken = parameters.conditionals[source][:-1] * parameters.balance
        lift += signs[source] * float((spoken * masks).sum() - spoken.sum(axis=1) @ (masks @ parameters.balance))
    return lift > 0


def _majority(layout: Layout, patterns: Patterns, em: EMSettings, settings: FitSettings) -> Callable[[], Parameters]:
    """Gives the parameters under which a majority vote, on a sample, is right."""

    def start() -> Parameters:
        few = patterns.thinned(_START)
        return from_majority(layout, few, layout.design(few.rows), em, settings.signs, settings.ignore_abstentions)

    return start


def _balance(
    layout: Layout,
    observed: Observed,
    patterns: Patterns,
    majority: Callable[[], Parameters],
    settings: FitSettings,
    solvers: dict[str, SolverOutcome],
) -> FloatArray:
    """The class balance: as given, from overlaps, or else that of the majority vote."""
    if settings.balance is not None:
        return settings.balance
    balance, solvers["balance"] = balance_from_overlaps(layout, patterns, settings.seed, observed.single)
    return majority().balance if balance is None else balance
