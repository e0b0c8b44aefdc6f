"""Assay: many noisy label sources in; checked, consistent, probabilistic labels out.

The names below are loaded when they are first used, so that ``import assay`` is
quick and brings in nothing that a program does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay._core import views
from assay._core.foreign_names import INSTEAD_OF_NAMES
from assay._core.lazy_names import lazy_names

__version__ = "0.2.0"

_HOMES = {
    "assay.errors": [
        "AssayError",
        "CheckWarning",
        "DataError",
        "FaultWarning",
        "NotFittedError",
        "ProjectError",
        "SourceError",
        "TaskError",
        "UnidentifiableError",
        "VoteError",
    ],
    "assay.tasks": ["LabelSpace", "Task", "TaskGraph", "Vote", "at_most", "excludes", "implies", "none_of", "one_of"],
    "assay.votes": ["Votes"],
    "assay.gold": ["HandAnswer", "HandLabels"],
    "assay.annotations": ["Annotation", "Annotations", "read_annotations"],
    "assay.counts": ["SourceGraph", "Tally", "count"],
    "assay.sources": [
        "KeptVotes",
        "apply",
        "classifier",
        "column",
        "crowd",
        "dependency_hints",
        "dictionary",
        "gold_examples",
        "keywords",
        "preprocess",
        "prompt",
        "prompt_costs",
        "regex",
        "source",
        "threshold",
    ],
    "assay.llm": ["PromptSettings"],
    "assay.labels": ["Labels"],
    "assay.checks": ["check"],
    "assay.model": ["LabelModel", "next_items"],
    "assay.model.dependencies": ["LearnedDependencies", "learn_dependencies"],
    "assay.baselines": [
        "DataProgramming",
        "DawidSkene",
        "HierarchicalMajorityVote",
        "MajorityVote",
        "data_programming",
        "dawid_skene",
        "hierarchical_majority_vote",
        "majority_vote",
    ],
    "assay.aggregation": ["Aggregation", "aggregate"],
    "assay.theory": ["estimation_bound", "generalization_bound"],
    "assay.planner": ["plan"],
    "assay.suggestions": ["SourceSuggestion", "TaskSuggestion", "suggest_sources", "suggest_task_graph"],
    "assay.evaluation": ["evaluate", "over_trials"],
    "assay.endmodel.refinement": ["refine"],
    "assay.report": ["Report"],
    "assay.project": ["compare"],
    "assay.endmodel": [
        "BiLSTM",
        "Embeddings",
        "EndModel",
        "ExportedEndModel",
        "Features",
        "NGrams",
        "NeighbourModel",
        "SklearnEndModel",
        "compare_training",
        "search",
    ],
}

_MODULES = (
    "baselines",
    "endmodel",
    "engine",
    "errors",
    "evaluation",
    "planner",
    "project",
    "report",
    "simulate",
    "theory",
)
"""Public modules, whose names are written out: ``assay.engine.Dask``."""

__all__ = [*sorted(name for names in _HOMES.values() for name in names), "__version__"]

if TYPE_CHECKING:
    from assay import baselines, endmodel, engine, errors, evaluation, planner, project, report, simulate, theory
    from assay.aggregation import Aggregation, aggregate
    from assay.annotations import Annotation, Annotations, read_annotations
    from assay.baselines import (
        DataProgramming,
        DawidSkene,
        HierarchicalMajorityVote,
        MajorityVote,
        data_programming,
        dawid_skene,
        hierarchical_majority_vote,
        majority_vote,
    )
    from assay.checks import check
    from assay.counts import SourceGraph, Tally, count
    from assay.endmodel import (
        BiLSTM,
        Embeddings,
        EndModel,
        ExportedEndModel,
        Features,
        NeighbourModel,
        NGrams,
        SklearnEndModel,
        compare_training,
        search,
    )
    from assay.endmodel.refinement import refine
    from assay.errors import (
        AssayError,
        CheckWarning,
        DataError,
        FaultWarning,
        NotFittedError,
        ProjectError,
        SourceError,
        TaskError,
        UnidentifiableError,
        VoteError,
    )
    from assay.evaluation import evaluate, over_trials
    from assay.gold import HandAnswer, HandLabels
    from assay.labels import Labels
    from assay.llm import PromptSettings
    from assay.model import LabelModel, next_items
    from assay.model.dependencies import LearnedDependencies, learn_dependencies
    from assay.planner import plan
    from assay.project import compare
    from assay.report import Report
    from assay.sources import (
        KeptVotes,
        apply,
        classifier,
        column,
        crowd,
        dependency_hints,
        dictionary,
        gold_examples,
        keywords,
        preprocess,
        prompt,
        prompt_costs,
        regex,
        source,
        threshold,
    )
    from assay.suggestions import SourceSuggestion, TaskSuggestion, suggest_sources, suggest_task_graph
    from assay.tasks import LabelSpace, Task, TaskGraph, Vote, at_most, excludes, implies, none_of, one_of
    from assay.theory import estimation_bound, generalization_bound
    from assay.votes import Votes

__getattr__ = lazy_names(globals(), _HOMES, _MODULES, INSTEAD_OF_NAMES)


def __dir__() -> list[str]:
    return __all__


def _plots_of(thing: Any) -> object:
    from assay.report import plots_of

    return plots_of(thing)


def _html_of(thing: Any) -> str:
    from assay.report import html_of

    return html_of(thing)


views.provide(plots=_plots_of, html=_html_of)
