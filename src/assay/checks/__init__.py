"""What can be learned from votes, and what would help: one code for each kind of problem."""

from assay.checks.census import Census, censuses
from assay.checks.compiler import CheckReport, Problem, check, check_tally
from assay.checks.copies import duplicate_groups, inside_another, nearly_alike

__all__ = [
    "Census",
    "CheckReport",
    "Problem",
    "censuses",
    "check",
    "check_tally",
    "duplicate_groups",
    "inside_another",
    "nearly_alike",
]
