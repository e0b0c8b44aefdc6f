"""What can be learned from votes, and what would help: one code for each kind of problem.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.checks.checking": ["Learnability", "check", "check_tally", "left_out", "with_models"],
    "assay.checks.copies": ["duplicate_groups", "inside_another", "nearly_alike"],
    "assay.checks.drift_tests": ["Drift", "drift", "drift_table"],
    "assay.checks.identifiability": ["parts_of"],
    "assay.checks.problems": ["CODES", "CheckReport", "Code", "Problem", "in_order"],
    "assay.checks.unrelated_gold": ["gold_beside_votes"],
    "assay.checks.vote_counts": ["VoteCounts", "count_votes"],
    "assay.checks.wording": ["HAND_LABELS"],
}

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
    "gold_beside_votes",
    "in_order",
    "inside_another",
    "left_out",
    "nearly_alike",
    "parts_of",
    "with_models",
]

if TYPE_CHECKING:
    from assay.checks.checking import Learnability, check, check_tally, left_out, with_models
    from assay.checks.copies import duplicate_groups, inside_another, nearly_alike
    from assay.checks.drift_tests import Drift, drift, drift_table
    from assay.checks.identifiability import parts_of
    from assay.checks.problems import CODES, CheckReport, Code, Problem, in_order
    from assay.checks.unrelated_gold import gold_beside_votes
    from assay.checks.vote_counts import VoteCounts, count_votes
    from assay.checks.wording import HAND_LABELS

__getattr__ = lazy_names(globals(), _HOMES)
