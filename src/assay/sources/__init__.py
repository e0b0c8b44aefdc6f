"""How votes are made: functions, rules, and applying them to rows.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.sources.applying": ["apply"],
    "assay.sources.base": ["Source", "flatten"],
    "assay.sources.classifiers": ["classifier"],
    "assay.sources.columns": ["column"],
    "assay.sources.crowds": ["crowd", "crowd_notes"],
    "assay.sources.dictionaries": ["dictionary"],
    "assay.sources.fingerprints": ["Fingerprint", "fingerprint"],
    "assay.sources.functions": ["FunctionSource", "source"],
    "assay.sources.hints": ["Hint", "dependency_hints"],
    "assay.sources.kept_votes": ["KeptVotes", "Reuse"],
    "assay.sources.keyword_lists": ["keywords"],
    "assay.sources.naming": ["names_in"],
    "assay.sources.patterns": ["check_pattern", "places_of"],
    "assay.sources.preprocessing": ["preprocess"],
    "assay.sources.prompt_examples": ["GoldExamples", "gold_examples"],
    "assay.sources.prompt_forecast": ["PromptCost", "PromptCosts", "costs_of_requests", "prompt_costs"],
    "assay.sources.prompts": ["PromptSource", "prompt"],
    "assay.sources.regexes": ["regex"],
    "assay.sources.rule": ["Recipe", "Rule"],
    "assay.sources.thresholds": ["threshold"],
}

__all__ = [
    "Fingerprint",
    "FunctionSource",
    "GoldExamples",
    "Hint",
    "KeptVotes",
    "PromptCost",
    "PromptCosts",
    "PromptSource",
    "Recipe",
    "Reuse",
    "Rule",
    "Source",
    "apply",
    "check_pattern",
    "classifier",
    "column",
    "costs_of_requests",
    "crowd",
    "crowd_notes",
    "dependency_hints",
    "dictionary",
    "fingerprint",
    "flatten",
    "gold_examples",
    "keywords",
    "names_in",
    "places_of",
    "preprocess",
    "prompt",
    "prompt_costs",
    "regex",
    "source",
    "threshold",
]

if TYPE_CHECKING:
    from assay.sources.applying import apply
    from assay.sources.base import Source, flatten
    from assay.sources.classifiers import classifier
    from assay.sources.columns import column
    from assay.sources.crowds import crowd, crowd_notes
    from assay.sources.dictionaries import dictionary
    from assay.sources.fingerprints import Fingerprint, fingerprint
    from assay.sources.functions import FunctionSource, source
    from assay.sources.hints import Hint, dependency_hints
    from assay.sources.kept_votes import KeptVotes, Reuse
    from assay.sources.keyword_lists import keywords
    from assay.sources.naming import names_in
    from assay.sources.patterns import check_pattern, places_of
    from assay.sources.preprocessing import preprocess
    from assay.sources.prompt_examples import GoldExamples, gold_examples
    from assay.sources.prompt_forecast import PromptCost, PromptCosts, costs_of_requests, prompt_costs
    from assay.sources.prompts import PromptSource, prompt
    from assay.sources.regexes import regex
    from assay.sources.rule import Recipe, Rule
    from assay.sources.thresholds import threshold

__getattr__ = lazy_names(globals(), _HOMES)
