"""Assay: many noisy label sources in; checked, consistent, probabilistic labels out.

The names below are loaded when they are first used, so that ``import assay`` is
quick and brings in nothing that a program does not need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "errors": [
        "AssayError",
        "DataError",
        "ProjectError",
        "SourceError",
        "TaskError",
        "UnidentifiableError",
        "VoteError",
    ],
    "constraints": ["excludes", "implies"],
    "label_space": ["LabelSpace", "Vote"],
    "tasks": ["Task", "TaskGraph"],
    "votes": ["Votes"],
    "graph": ["SourceGraph"],
    "labels": ["Labels"],
    "model": ["LabelModel"],
    "checks": ["check"],
    "structure": ["learn_dependencies"],
    "structure.learned": ["LearnedDependencies"],
    "tally": ["Tally"],
    "counting": ["count"],
    "sources.function": ["preprocess", "source"],
    "sources.rules": ["column", "crowd", "dictionary", "keywords", "regex", "threshold"],
    "sources.apply": ["apply"],
    "sources.hints": ["dependency_hints"],
    "baselines": ["data_programming", "dawid_skene", "hierarchical_majority_vote", "majority_vote"],
    "theory": ["estimation_bound", "generalization_bound"],
    "planner": ["plan"],
    "suggestions": ["TaskSuggestion", "suggest_task_graph"],
    "evaluation": ["evaluate", "over_trials"],
    "report.report": ["Report"],
    "comparison": ["compare"],
    "endmodel.ngrams": ["NGrams"],
    "endmodel.lstm": ["BiLSTM"],
    "endmodel.features": ["Features"],
    "endmodel.model": ["EndModel"],
    "endmodel.sklearn_model": ["SklearnEndModel"],
    "endmodel.search": ["search"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME_OF), "__version__"]

if TYPE_CHECKING:
    from assay.baselines import data_programming, dawid_skene, hierarchical_majority_vote, majority_vote
    from assay.checks import check
    from assay.comparison import compare
    from assay.constraints import excludes, implies
    from assay.counting import count
    from assay.endmodel.features import Features
    from assay.endmodel.lstm import BiLSTM
    from assay.endmodel.model import EndModel
    from assay.endmodel.ngrams import NGrams
    from assay.endmodel.search import search
    from assay.endmodel.sklearn_model import SklearnEndModel
    from assay.errors import AssayError, DataError, ProjectError, SourceError, TaskError, UnidentifiableError, VoteError
    from assay.evaluation import evaluate, over_trials
    from assay.graph import SourceGraph
    from assay.label_space import LabelSpace, Vote
    from assay.labels import Labels
    from assay.model import LabelModel
    from assay.planner import plan
    from assay.report.report import Report
    from assay.sources.apply import apply
    from assay.sources.function import preprocess, source
    from assay.sources.hints import dependency_hints
    from assay.sources.rules import column, crowd, dictionary, keywords, regex, threshold
    from assay.structure import learn_dependencies
    from assay.structure.learned import LearnedDependencies
    from assay.suggestions import TaskSuggestion, suggest_task_graph
    from assay.tally import Tally
    from assay.tasks import Task, TaskGraph
    from assay.theory import estimation_bound, generalization_bound
    from assay.votes import Votes


def __getattr__(name: str) -> Any:
    if name == "engine":
        return import_module("assay.engine")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value = getattr(import_module(f"assay.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
