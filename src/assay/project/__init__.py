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
    "assay.project.browsing": [
        "ANYTHING",
        "NOTHING",
        "ONLY",
        "ORDERS",
        "Filter",
        "ItemLine",
        "LabelShown",
        "item_lines",
        "rows_found",
    ],
    "assay.project.comparison": ["Comparison", "compare"],
    "assay.project.comparison_tables": ["change_tables"],
    "assay.project.confident": ["Confident", "confident_labels"],
    "assay.project.contents": ["Contents", "Workbench"],
    "assay.project.end_model": ["compare_methods", "predict", "train"],
    "assay.project.exchange": ["Annotated", "Imported", "annotate", "export_labels", "import_annotations"],
    "assay.project.gold_files": ["gold_votes"],
    "assay.project.hand_labels": ["Answers", "ItemShown", "Queued", "past_of", "queue", "queue_of", "shown_items"],
    "assay.project.items": ["ItemView", "item_view"],
    "assay.project.jobs": ["Job", "current_job", "start_job", "stop_job"],
    "assay.project.kept_answers": ["AnswersKept", "answers_kept", "forget_answers"],
    "assay.project.labeling": ["KEYS_IN_WORDS", "Labeling", "Note", "press"],
    "assay.project.labeling_terminal": ["Labeled", "label_by_hand", "queue_rows", "queue_table"],
    "assay.project.own_data": ["NewProject", "new_project"],
    "assay.project.pipeline": [
        "REPORT_FILE",
        "Run",
        "apply_sources",
        "check_votes",
        "costs_of",
        "hints_of",
        "kept_votes",
        "learned_dependencies",
        "run",
    ],
    "assay.project.project": ["Project"],
    "assay.project.prompt_tables": ["costs_table", "kept_table"],
    "assay.project.reporting": ["is_report_old", "write_report"],
    "assay.project.run_tables": ["reuse_text", "runs_table"],
    "assay.project.runs": [
        "NOT_APPLICABLE",
        "ChangedLabels",
        "RunRecord",
        "changed_labels",
        "run_folder",
        "runs_of",
        "runs_to_compare",
    ],
    "assay.project.source_file": ["DeclaredSource", "SourceFile", "read_sources", "source_toml"],
    "assay.project.source_overview": [
        "SourceLine",
        "declare_list",
        "declare_source",
        "made_source",
        "mistakes_of",
        "source_lines",
        "text_of_source",
        "switch_source",
        "version_of",
    ],
    "assay.project.steps": ["ENOUGH_LABELS", "Place", "Step", "next_steps"],
    "assay.project.stored": ["current_votes", "hand_labels_of", "stored_votes", "votes_path", "why_stale"],
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
    "assay.project.what_if": ["Estimate", "LeftOut", "Preview", "labels_of_sample", "left_out", "preview_source"],
    "assay.project.worth": ["LabelWorth", "label_worth", "learning_curve"],
}

__all__ = [
    "ANYTHING",
    "ENOUGH_LABELS",
    "KEYS_IN_WORDS",
    "NOTHING",
    "NOT_APPLICABLE",
    "ONLY",
    "ORDERS",
    "REPORT_FILE",
    "Annotated",
    "Answers",
    "AnswersKept",
    "ChangedLabels",
    "Comparison",
    "Confident",
    "Contents",
    "DeclaredSource",
    "Estimate",
    "Filter",
    "Imported",
    "ItemLine",
    "ItemShown",
    "ItemView",
    "Job",
    "LabelShown",
    "LabelWorth",
    "Labeled",
    "Labeling",
    "LeftOut",
    "NewProject",
    "Note",
    "Place",
    "Preview",
    "Project",
    "Queued",
    "Run",
    "RunRecord",
    "SourceFile",
    "SourceLine",
    "Step",
    "Unsure",
    "Workbench",
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
    "current_job",
    "current_votes",
    "declare_list",
    "declare_source",
    "export_labels",
    "forget_answers",
    "gold_votes",
    "hand_labels_of",
    "hints_of",
    "import_annotations",
    "in_toml",
    "is_report_old",
    "item_lines",
    "item_view",
    "kept_table",
    "kept_votes",
    "label_by_hand",
    "label_worth",
    "labels_of_sample",
    "learned_dependencies",
    "learning_curve",
    "least_sure",
    "left_out",
    "made_source",
    "mistakes_of",
    "new_project",
    "next_steps",
    "past_of",
    "plan_before",
    "plan_for",
    "predict",
    "press",
    "preview_source",
    "queue",
    "queue_of",
    "queue_rows",
    "queue_table",
    "read_sources",
    "refuse_existing",
    "reuse_text",
    "rows_found",
    "run",
    "run_folder",
    "runs_of",
    "runs_table",
    "runs_to_compare",
    "shown_items",
    "source_lines",
    "source_toml",
    "start_job",
    "stop_job",
    "stored_comparison",
    "stored_votes",
    "suggest",
    "suggest_costs",
    "suggestion_table",
    "suggestion_toml",
    "switch_source",
    "text_of_source",
    "train",
    "unsure_items",
    "version_of",
    "votes_path",
    "why_stale",
    "write_report",
    "write_suggestion",
]

if TYPE_CHECKING:
    from assay.project.advice_in_toml import check_in_toml, in_toml
    from assay.project.asking import plan_before, plan_for
    from assay.project.balance_option import class_balance_from
    from assay.project.browsing import (
        ANYTHING,
        NOTHING,
        ONLY,
        ORDERS,
        Filter,
        ItemLine,
        LabelShown,
        item_lines,
        rows_found,
    )
    from assay.project.comparison import Comparison, compare
    from assay.project.comparison_tables import change_tables
    from assay.project.confident import Confident, confident_labels
    from assay.project.contents import Contents, Workbench
    from assay.project.end_model import compare_methods, predict, train
    from assay.project.exchange import Annotated, Imported, annotate, export_labels, import_annotations
    from assay.project.gold_files import gold_votes
    from assay.project.hand_labels import Answers, ItemShown, Queued, past_of, queue, queue_of, shown_items
    from assay.project.items import ItemView, item_view
    from assay.project.jobs import Job, current_job, start_job, stop_job
    from assay.project.kept_answers import AnswersKept, answers_kept, forget_answers
    from assay.project.labeling import KEYS_IN_WORDS, Labeling, Note, press
    from assay.project.labeling_terminal import Labeled, label_by_hand, queue_rows, queue_table
    from assay.project.own_data import NewProject, new_project
    from assay.project.pipeline import (
        REPORT_FILE,
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
    from assay.project.reporting import is_report_old, write_report
    from assay.project.run_tables import reuse_text, runs_table
    from assay.project.runs import (
        NOT_APPLICABLE,
        ChangedLabels,
        RunRecord,
        changed_labels,
        run_folder,
        runs_of,
        runs_to_compare,
    )
    from assay.project.source_file import DeclaredSource, SourceFile, read_sources, source_toml
    from assay.project.source_overview import (
        SourceLine,
        declare_list,
        declare_source,
        made_source,
        mistakes_of,
        source_lines,
        switch_source,
        text_of_source,
        version_of,
    )
    from assay.project.steps import ENOUGH_LABELS, Place, Step, next_steps
    from assay.project.stored import current_votes, hand_labels_of, stored_votes, votes_path, why_stale
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
    from assay.project.what_if import Estimate, LeftOut, Preview, labels_of_sample, left_out, preview_source
    from assay.project.worth import LabelWorth, label_worth, learning_curve

__getattr__ = lazy_names(globals(), _HOMES)
