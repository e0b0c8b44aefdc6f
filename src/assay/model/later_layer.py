"""Fitting sources that were asked only where others leave the model unsure: a layer over the others, or all together.

If one of them cannot name every outcome, its silence tells something where it was asked. Then what is learned of
those asked later is learned from a fit of all sources to the items that they were asked about, and added to what the
others tell, which is learned from all items.

Else the layer takes it that sources are independent given the truth. Where the votes of the others show that this does
not hold, all are fitted together, as if nobody had been chosen: what the robust model makes of that is less exact, but
less easily misled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from assay.checks import CheckReport
from assay.counts import Dependency, Evidence
from assay.errors import AssayError, UnidentifiableError
from assay.model.counted import Counted, counted_votes
from assay.model.dependencies import LearnedDependencies
from assay.model.estimate import with_gold
from assay.model.estimate.asked_later import with_later
from assay.model.estimate.silence_where_asked import assessed, with_answers
from assay.model.fitted import Fitted, FittedComponent
from assay.model.settings import ModelSettings, knowledge_for
from assay.model.solving import check_of, checked, dependencies_of, gold_votes, solve, unidentified
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
    except UnidentifiableError:
        return together
    if _silence_tells(together, later):
        always = [at for at in range(len(schema.names)) if at not in later]
        asked = aligned.take(aligned.silenced(always).voted)
        heard = counted_votes(asked, settings, like=schema, progress=progress)
        among, learned_among = dependencies_of(heard, settings, progress)
        pairs = [*between, *_without(among, always, schema)]
        whole = counted_votes(aligned, settings, gold=gold, like=schema, progress=progress)
        components = _with_silence(whole, counted, heard, pairs, later, settings)
        learned = _joined(learned, learned_among, pairs)
    else:
        components = solve(counted, between, settings)
        if min(part.fit.em_weight for part in components) < _CONSISTENT:
            return together
        components = tuple(_layered(part, later, aligned, others, counted) for part in components)
    open_ = unidentified(report, labels_of_questions(schema.tasks.multiple))
    return Fitted(schema, together.uses, components, report, learned, open_, together.gold)


def _silence_tells(fitted: Fitted, later: Sequence[int]) -> bool:
    """Whether one of some sources names some outcomes of a component, and not all of them."""
    for sets in fitted.schema.outcome_sets:
        for source in later:
            emitted = sets.of_code[source][:-1][fitted.uses[source][:-1] > 0]
            named = sets.masks[emitted[emitted >= 0]].any(axis=0)
            if named.any() and not named.all():
                return True
    return False


def _with_silence(
    whole: Counted,
    others: Counted,
    heard: Counted,
    dependencies: Sequence[Dependency],
    later: Sequence[int],
    settings: ModelSettings,
) -> tuple[FittedComponent, ...]:
    """The fit in which silence counts where somebody was asked.

    From all votes, those of the others, and all votes on the items that those asked later were asked about.
    """
    schema, built = whole.tally.schema, []
    # What is known of the class balance is not about the items that are hard to tell.
    unknown = {name: getattr(ModelSettings, name) for name in ("class_balance", "balance_strength", "balance_of")}
    there = ModelSettings(**{**_settings(settings), **unknown})
    parts = zip(solve(Counted(others.tally), dependencies, settings), solve(heard, dependencies, there), strict=True)
    for index, (part, asked) in enumerate(parts):
        sources = [at for at, source in enumerate(part.sources.tolist()) if source in later]
        fit = with_answers(part.fit, asked.fit, sources, Evidence.of(whole.tally, part.layout))
        if whole.gold is not None and len(whole.gold):
            known = knowledge_for(settings, schema, index, part.layout)
            fit = with_gold(fit, known, gold_votes(whole.gold, index, part.layout))
        built.append(FittedComponent(assessed(fit)))
    return tuple(built)


def _settings(given: ModelSettings) -> dict[str, Any]:
    return {one.name: getattr(given, one.name) for one in fields(ModelSettings)}


def _joined(
    learned: LearnedDependencies | None, among: LearnedDependencies | None, used: Sequence[Dependency]
) -> LearnedDependencies | None:
    """What was learned of the dependencies of the others, and of those between the sources asked later."""
    if learned is None or among is None:
        return None
    new = (edge for edge in among.edges if edge.kept and edge.sources in used and edge.sources not in learned.pairs)
    return replace(learned, edges=(*learned.edges, *new))


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
