"""A project folder: its settings, its steps from data to labels, what it keeps."""

from assay.project.advice_in_toml import check_in_toml, in_toml
from assay.project.asking import plan_before, plan_for
from assay.project.balance_option import class_balance_from
from assay.project.comparison import Comparison, compare
from assay.project.comparison_tables import change_tables
from assay.project.confident import Confident, confident_labels
from assay.project.end_model import compare_methods, predict, train
from assay.project.exchange import Annotated, Imported, annotate, export_labels, import_annotations
from assay.project.hand_labels import Answers, ItemShown, Queued, queue, shown_items
from assay.project.kept_answers import AnswersKept, answers_kept, forget_answers
from assay.project.labeling import Labeling, Note, press
from assay.project.labeling_terminal import Labeled, label_by_hand, queue_rows, queue_table
from assay.project.pipeline import (
    Run,
    apply_sources,
    check_votes,
    costs_of,
    current_votes,
    gold_votes,
    hand_labels_of,
    hints_of,
    kept_votes,
    learned_dependencies,
    run,
    stored_votes,
    votes_path,
)
from assay.project.project import Project
from assay.project.prompt_tables import costs_table, kept_table
from assay.project.reporting import write_report
from assay.project.run_tables import reuse_text, runs_table
from assay.project.runs import ChangedLabels, RunRecord, changed_labels, runs_of, runs_to_compare
from assay.project.source_file import DeclaredSource, SourceFile, read_sources, source_toml
from assay.project.suggested_file import (
    refuse_existing,
    suggest,
    suggest_costs,
    suggestion_table,
    suggestion_toml,
    write_suggestion,
)
from assay.project.training_comparison import compare_training, stored_comparison
from assay.project.unsure import Unsure, least_sure, unsure_items

__all__ = [
    "Annotated",
    "Answers",
    "AnswersKept",
    "ChangedLabels",
    "Comparison",
    "Confident",
    "DeclaredSource",
    "Imported",
    "ItemShown",
    "Labeled",
    "Labeling",
    "Note",
    "Project",
    "Queued",
    "Run",
    "RunRecord",
    "SourceFile",
    "Unsure",
    "annotate",
    "answers_kept",
    "apply_sources",
    "change_tables",
    "changed_labels",
    "check_in_toml",
    "check_votes",
    "class_balance_from",
    "compare",
    "compare_methods",
    "compare_training",
    "confident_labels",
    "costs_of",
    "costs_table",
    "current_votes",
    "export_labels",
    "forget_answers",
    "gold_votes",
    "hand_labels_of",
    "hints_of",
    "import_annotations",
    "in_toml",
    "kept_table",
    "kept_votes",
    "label_by_hand",
    "learned_dependencies",
    "least_sure",
    "plan_before",
    "plan_for",
    "predict",
    "press",
    "queue",
    "queue_rows",
    "queue_table",
    "read_sources",
    "refuse_existing",
    "reuse_text",
    "run",
    "runs_of",
    "runs_table",
    "runs_to_compare",
    "shown_items",
    "source_toml",
    "stored_comparison",
    "stored_votes",
    "suggest",
    "suggest_costs",
    "suggestion_table",
    "suggestion_toml",
    "train",
    "unsure_items",
    "votes_path",
    "write_report",
    "write_suggestion",
]
