"""What can be learned from votes, and what would help: one code for each kind of problem."""

from assay.checks.checking import Learnability, check, check_tally, with_models
from assay.checks.copies import duplicate_groups, inside_another, nearly_alike
from assay.checks.drift import Drift, drift, drift_table
from assay.checks.identifiability import parts_of
from assay.checks.problems import CODES, CheckReport, Code, Problem
from assay.checks.vote_counts import VoteCounts, count_votes
from assay.checks.wording import HAND_LABELS

__all__ = [
    "CODES",
    "HAND_LABELS",
    "CheckReport",
    "Code",
    "Drift",
    "Learnability",
    "Problem",
    "VoteCounts",
    "check",
    "check_tally",
    "count_votes",
    "drift",
    "drift_table",
    "duplicate_groups",
    "inside_another",
    "nearly_alike",
    "parts_of",
    "with_models",
]
