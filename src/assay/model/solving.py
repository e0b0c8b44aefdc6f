"""From counts to a fitted label model: dependencies, the check, and each component's fit."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay._core.memory import check_memory
from assay._core.threads import one_blas_thread
from assay.checks import HAND_LABELS, CheckReport, check_tally, gold_beside_votes, in_order
from assay.counts import Dependency, Evidence, Layout, SourceGraph, layout_of
from assay.errors import UnidentifiableError, VoteError
from assay.gold import GoldItems
from assay.model.counted import Counted
from assay.model.dependencies import LearnedDependencies
from assay.model.estimate import GoldVotes, fit_merged, with_gold
from assay.model.estimate.methods import MOMENTS
from assay.model.fitted import FittedComponent
from assay.model.settings import ModelSettings, balances_for, knowledge_for
from assay.votes import Schema

_UNIDENTIFIED = ("A101", "A106")
"""The problems that leave accuracies open: sources that trade off against each other, or hardly agree at all."""

_BYTES_PER_CELL = 144
"""The memory of a fit for each value and outcome, measured on simulated votes."""


def dependencies_of(
    counted: Counted, settings: ModelSettings, progress: bool
) -> tuple[Sequence[Dependency], LearnedDependencies | None]:
    """The dependencies between sources, declared or learned, and the result of learning them, if any."""
    if settings.dependencies == "auto":
        from assay.model.dependencies import strong_dependencies

        with one_blas_thread():
            found = strong_dependencies(counted.tally)
    elif settings.dependencies == "learn":
        from assay.model.dependencies import learn_from_tally

        found = learn_from_tally(counted.tally, seed=settings.seed, progress=progress)
    else:
        return list(settings.dependencies), None
    return found.pairs, found


def check_of(counted: Counted, dependencies: Sequence[Dependency], settings: ModelSettings) -> CheckReport:
    """The result of :func:`assay.check` for these settings, and with what gold there is."""
    with one_blas_thread():
        report = check_tally(
            counted.tally,
            dependencies,
            settings.class_balance,
            _labeled_by_hand(counted),
            by_moments=settings.method in MOMENTS,
        )
    if counted.gold is None or settings.adversarial:
        return report
    return in_order([*report.problems, *gold_beside_votes(counted.gold.votes, counted.gold.truth)])


def checked(counted: Counted, dependencies: Sequence[Dependency], settings: ModelSettings) -> CheckReport:
    """The same; raises if the model is not identifiable, unless that is allowed."""
    report = check_of(counted, dependencies, settings)
    if not report.ok and not settings.allow_unidentifiable:
        # A clique with too many joint votes (A005) cannot be fitted at all.
        override = "" if "A005" in report.codes else "\nLabelModel(allow_unidentifiable=True) fits it anyway."
        raise UnidentifiableError(f"the model is not identifiable from these votes:\n{report}{override}")
    return report


def _labeled_by_hand(counted: Counted) -> list[str]:
    """The tasks with gold for enough items."""
    if counted.gold is None:
        return []
    components = counted.tally.schema.label_space.components
    items = [int((~counted.gold.allowed(index).all(axis=1)).sum()) for index in range(len(components))]
    return [task for one, count in zip(components, items, strict=True) if count >= HAND_LABELS for task in one.tasks]


def unidentified(report: CheckReport, questions: Collection[str] = ()) -> frozenset[str]:
    """Sources whose accuracies the votes do not tell, as the check says: on tasks of which one label applies."""
    found = [problem for problem in report.problems if problem.code in _UNIDENTIFIED]
    return frozenset(
        name for problem in found if not any(task in questions for task in problem.tasks) for name in problem.sources
    )


def gold_votes(gold: GoldItems, component: int, layout: Layout) -> GoldVotes:
    """The items with gold, in the terms of one component."""
    own, votes = layout.own(gold.votes)
    rows = own.rows(votes.cast)
    return GoldVotes(layout.design(rows), rows, gold.allowed(component), gold.weights)


def check_size(schema: Schema) -> None:
    """Refuse a fit that would not fit into memory, before anything of it is computed.

    Raises
    ------
    VoteError
        If there are too many outcomes; the error says what to do about it.
    """
    if schema.is_taken_apart and len(schema.label_space.components) > 1:
        for place in schema.places:
            check_size(place.schema)
        return
    for component, sets in zip(schema.label_space.components, schema.outcome_sets, strict=True):
        cells = sum(int((of_code >= 0).sum()) + 1 for of_code in sets.of_code) * len(component)
        check_memory(
            _BYTES_PER_CELL * cells,
            f"a label model of {len(component):,} outcomes",
            "merge rare labels, or make a hierarchy of tasks and fit its levels one by one",
            VoteError,
        )


def solve(counted: Counted, dependencies: Sequence[Dependency], settings: ModelSettings) -> tuple[FittedComponent, ...]:
    """Fit every component of the label space."""
    schema = counted.tally.schema
    graph = SourceGraph(schema.names, dependencies)
    solved = []
    balances = balances_for(settings, schema.tasks)
    with one_blas_thread():
        for index in range(len(schema.label_space.components)):
            layout = layout_of(schema, index, graph)
            known = knowledge_for(settings, schema, index, layout, balances)
            fit = fit_merged(
                Evidence.of(counted.tally, layout),
                known,
                method=settings.method,
                max_steps=settings.max_steps,
                seed=settings.seed,
            )
            if counted.gold is not None and len(counted.gold):
                fit = with_gold(fit, known, gold_votes(counted.gold, index, layout))
            solved.append(FittedComponent(fit))
    return tuple(solved)
