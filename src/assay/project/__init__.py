"""A project folder: its settings, its steps from data to labels, what it keeps."""

from assay.project.balance_option import class_balance_from
from assay.project.comparison import Comparison, compare
from assay.project.comparison_tables import change_tables
from assay.project.end_model import compare_methods, predict, train
from assay.project.pipeline import (
    Run,
    apply_sources,
    check_votes,
    current_votes,
    gold_votes,
    hints_of,
    learned_dependencies,
    run,
    stored_votes,
    votes_path,
)
from assay.project.project import Project
from assay.project.reporting import write_report

__all__ = [
    "Comparison",
    "Project",
    "Run",
    "apply_sources",
    "change_tables",
    "check_votes",
    "class_balance_from",
    "compare",
    "compare_methods",
    "current_votes",
    "gold_votes",
    "hints_of",
    "learned_dependencies",
    "predict",
    "run",
    "stored_votes",
    "train",
    "votes_path",
    "write_report",
]
