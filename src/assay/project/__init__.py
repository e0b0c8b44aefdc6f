"""A project folder: its settings, its steps from data to labels, what it keeps.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.project.advice_in_toml": ["check_in_toml", "in_toml"],
    "assay.project.asking": ["plan_before", "plan_for"],
    "assay.project.balance_option": ["class_balance_from"],
    "assay.project.comparison": ["Comparison", "compare"],
    "assay.project.comparison_tables": ["change_tables"],
    "assay.project.confident": ["Confident", "confident_labels"],
    "assay.project.end_model": ["compare_methods", "predict", "train"],
    "assay.project.exchange": ["Annotated", "Imported", "annotate", "export_labels", "import_annotations"],
    "assay.project.hand_labels": ["Answers", "ItemShown", "Queued", "queue", "shown_items"],
    "assay.project.kept_answers": ["AnswersKept", "answers_kept", "forget_answers"],
    "assay.project.labeling": ["Labeling", "Note", "press"],
    "assay.project.labeling_terminal": ["Labeled", "label_by_hand", "queue_rows", "queue_table"],
    "assay.project.gold_files": ["gold_votes"],
    "assay.project.pipeline": [
        "Run",
        "apply_sources",
        "check_votes",
        "costs_of",
        "hints_of",
        "kept_votes",
        "learned_dependencies",
        "run",
    ],
    "assay.project.stored": ["current_votes", "hand_labels_of", "stored_votes", "votes_path"],
    "assay.project.project": ["Project"],
    "assay.project.prompt_tables": ["costs_table", "kept_table"],
    "assay.project.reporting": ["write_report"],
    "assay.project.run_tables": ["reuse_text", "runs_table"],
    "assay.project.runs": ["ChangedLabels", "RunRecord", "changed_labels", "runs_of", "runs_to_compare"],
    "assay.project.source_file": ["DeclaredSource", "SourceFile", "read_sources", "source_toml"],
    "assay.project.suggested_file": [
        "refuse_existing",
        "suggest",
        "suggest_costs",
        "suggestion_table",
        "suggestion_toml",
        "write_suggestion",
    ],
    "assay.project.training_comparison": ["compare_training", "stored_comparison"],
    "assay.project.unsure": ["Unsure", "least_sure", "unsure_items"],
}

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

if TYPE_CHECKING:
    from assay.project.advice_in_toml import check_in_toml, in_toml
    from assay.project.asking import plan_before, plan_for
    from assay.project.balance_option import class_balance_from
    from assay.project.comparison import Comparison, compare
    from assay.project.comparison_tables import change_tables
    from assay.project.confident import Confident, confident_labels
    from assay.project.end_model import compare_methods, predict, train
    from assay.project.exchange import Annotated, Imported, annotate, export_labels, import_annotations
    from assay.project.gold_files import gold_votes
    from assay.project.hand_labels import Answers, ItemShown, Queued, queue, shown_items
    from assay.project.kept_answers import AnswersKept, answers_kept, forget_answers
    from assay.project.labeling import Labeling, Note, press
    from assay.project.labeling_terminal import Labeled, label_by_hand, queue_rows, queue_table
    from assay.project.pipeline import (
        Run,
        apply_sources,
        check_votes,
        costs_of,
        hints_of,
        kept_votes,
        learned_dependencies,
        run,
    )
    from assay.project.project import Project
    from assay.project.prompt_tables import costs_table, kept_table
    from assay.project.reporting import write_report
    from assay.project.run_tables import reuse_text, runs_table
    from assay.project.runs import ChangedLabels, RunRecord, changed_labels, runs_of, runs_to_compare
    from assay.project.source_file import DeclaredSource, SourceFile, read_sources, source_toml
    from assay.project.stored import current_votes, hand_labels_of, stored_votes, votes_path
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

__getattr__ = lazy_names(globals(), _HOMES)
