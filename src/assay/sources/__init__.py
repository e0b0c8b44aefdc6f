"""How votes are made: functions, rules, and applying them to rows."""

from assay.sources.applying import apply
from assay.sources.base import Source, flatten
from assay.sources.function import preprocess, source
from assay.sources.hints import Hint, dependency_hints
from assay.sources.rules import column, crowd, dictionary, keywords, regex, threshold

__all__ = [
    "Hint",
    "Source",
    "apply",
    "column",
    "crowd",
    "dependency_hints",
    "dictionary",
    "flatten",
    "keywords",
    "preprocess",
    "regex",
    "source",
    "threshold",
]
