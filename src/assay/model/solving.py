"""From counts to a fitted label model: dependencies, the check, and each component's fit."""

from __future__ import annotations

from collections.abc import Sequence

from assay._core.threads import one_blas_thread
from assay.checks import CheckReport, check_tally
from assay.counts import Dependency, SourceGraph, layout_of
from assay.errors import UnidentifiableError
from assay.model.counted import Counted
from assay.model.dependencies import LearnedDependencies, learn_from_tally
from assay.model.estimate import fit_component
from assay.model.fitted import FittedComponent
from assay.model.settings import MOMENTS, ModelSettings, knowledge_for


def dependencies_of(
    counted: Counted, settings: ModelSettings, progress: bool
) -> tuple[Sequence[Dependency], LearnedDependencies | None]:
    """The dependencies between sources, declared or learned, and the result of learning them, if any."""
    if settings.dependencies != "learn":
        return list(settings.dependencies), None
    learned = learn_from_tally(counted.unlabeled, seed=settings.seed, progress=progress)
    return learned.pairs, learned


def checked(counted: Counted, dependencies: Sequence[Dependency], settings: ModelSettings) -> CheckReport:
    """The result of :func:`assay.check`; raises if the model is not identifiable, unless that is allowed."""
    report = check_tally(counted.tally, dependencies, by_moments=settings.method in MOMENTS)
    if not report.ok and not settings.allow_unidentifiable:
        # A clique with too many joint votes (A005) cannot be fitted at all.
        override = "" if "A005" in report.codes else "\nLabelModel(allow_unidentifiable=True) fits it anyway."
        raise UnidentifiableError(f"the model is not identifiable from these votes:\n{report}{override}")
    return report


def solve(counted: Counted, dependencies: Sequence[Dependency], settings: ModelSettings) -> tuple[FittedComponent, ...]:
    """Fit every component of the label space."""
    schema = counted.tally.schema
    graph = SourceGraph(schema.names, dependencies)
    solved = []
    with one_blas_thread():
        for index in range(len(schema.label_space.components)):
            layout = layout_of(schema, index, graph)
            fit = fit_component(
                counted.evidence(index, layout),
                knowledge_for(settings, schema, index, layout),
                method=settings.method,
                max_steps=settings.max_steps,
                seed=settings.seed,
            )
            solved.append(FittedComponent(fit))
    return tuple(solved)
