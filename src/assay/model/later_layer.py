"""Fitting sources that were asked only where others leave the model unsure: a layer over the others, or all together.

The layer takes it that sources are independent given the truth. Where the votes of the others show that this does not
hold, all are fitted together, as if nobody had been chosen: what the robust model makes of that is less exact, but
less easily misled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.checks import CheckReport
from assay.counts import Dependency
from assay.errors import AssayError, UnidentifiableError
from assay.model.counted import Counted, counted_votes
from assay.model.estimate.asked_later import with_later
from assay.model.fitted import Fitted, FittedComponent
from assay.model.settings import ModelSettings
from assay.model.solving import check_of, checked, dependencies_of, solve, unidentified
from assay.tasks import labels_of_questions
from assay.votes import Schema, Votes

_CONSISTENT = 0.5
"""From this weight of EM on, votes are taken to be consistent with sources that are independent given the truth."""


def in_layers(together: Fitted, votes: Votes, gold: Any, settings: ModelSettings, progress: bool) -> Fitted:
    """The fit in two layers, or the given one, of all sources together, if the votes do not allow for layers."""
    schema = together.schema
    if schema.tasks.multiple:
        raise AssayError("asked_later does not work with tasks of which any subset of labels may apply (multiple=True)")
    later = sorted({schema.position(name) for name in settings.asked_later})
    aligned = together.aligned(votes)
    others = aligned.silenced(later)
    counted = counted_votes(others, settings, gold=gold, like=schema, progress=progress)
    try:
        dependencies, learned = dependencies_of(counted, settings, progress)
        between = _without(dependencies, later, schema)
        report = _about_others(checked(counted, between, settings), {schema.names[at] for at in later})
        components = solve(counted, between, settings)
    except UnidentifiableError:
        return together
    if min(part.fit.em_weight for part in components) < _CONSISTENT:
        return together
    built = tuple(_layered(part, later, aligned, others, counted) for part in components)
    open_ = unidentified(report, labels_of_questions(schema.tasks.multiple))
    return Fitted(schema, together.uses, built, report, learned, open_, together.gold)


def check_others(votes: Votes, gold: Any, settings: ModelSettings, progress: bool) -> CheckReport:
    """What a check finds in the votes of those who were not asked later."""
    later = [votes.position(name) for name in settings.asked_later]
    counted = counted_votes(votes.silenced(later), settings, gold=gold, progress=progress)
    dependencies, _ = dependencies_of(counted, settings, progress)
    report = check_of(counted, _without(dependencies, later, votes.schema), settings)
    return _about_others(report, {votes.names[at] for at in later})


def _layered(
    part: FittedComponent, later: Sequence[int], votes: Votes, others: Votes, counted: Counted
) -> FittedComponent:
    layout, fit = part.layout, part.fit
    sources = [at for at, source in enumerate(part.sources.tolist()) if source in later]
    codes = layout.codes(votes)
    asked = (codes[:, sources] >= 0).any(axis=1)
    if not asked.any():
        return part
    told = part.scorer(others)
    gold_codes = None
    if counted.gold is not None and fit.held_out is not None:
        # No item's own gold counts in what is learned of those who vote on it.
        told[counted.gold.rows] = fit.held_out
        gold_codes = codes[counted.gold.rows]
    return FittedComponent(with_later(fit, sources, told[asked], codes[asked], gold_codes))


def _without(dependencies: Sequence[Dependency], later: Sequence[int], schema: Schema) -> list[Dependency]:
    """Dependencies between the other sources."""
    groups = [tuple(name for name in group if schema.position(name) not in later) for group in dependencies]
    return [group for group in groups if len(group) > 1]


def _about_others(report: CheckReport, later: set[str]) -> CheckReport:
    """What was found, without that those asked later do not vote, which is how it was meant."""
    return replace(
        report, problems=tuple(one for one in report.problems if not one.sources or set(one.sources) - later)
    )
