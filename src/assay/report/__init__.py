"""What a run gave, to look at: one page, charts, tables in the terminal.

Names are loaded when they are first used: charts need altair, everything else does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.report.asking": ["AskingPlan", "AskingStep", "CostPerItem", "asking_plan", "expected_gains"],
    "assay.report.asking_section": ["asking_table"],
    "assay.report.attached": ["html_of", "plots_of"],
    "assay.report.contested": ["ContestedItem", "Contribution", "contributions_of"],
    "assay.report.evidence": ["EvidenceFacts", "evidence_facts", "evidence_rows"],
    "assay.report.facts": ["SourceFacts", "ValueFacts", "outcome_texts"],
    "assay.report.hand_labels": ["HandLabelFacts", "Promise"],
    "assay.report.methods": ["evaluate_methods"],
    "assay.report.page": ["security_policy", "style_sheet"],
    "assay.report.plots": ["DependencyPlots", "EvaluationPlots", "LabelPlots", "ModelPlots", "VotePlots"],
    "assay.report.priorities": ["Priority"],
    "assay.report.report": ["ITEMS", "Report"],
    "assay.report.terminal": [
        "comparison_table",
        "dependencies_table",
        "evidence_table",
        "guarantee_text",
        "percent",
        "plain_table",
        "score_table",
        "shares_table",
        "show",
        "labels_table",
        "skills_table",
        "sources_table",
        "summary_table",
        "training_table",
    ],
}

__all__ = [
    "ITEMS",
    "AskingPlan",
    "AskingStep",
    "ContestedItem",
    "Contribution",
    "CostPerItem",
    "DependencyPlots",
    "EvaluationPlots",
    "EvidenceFacts",
    "HandLabelFacts",
    "LabelPlots",
    "ModelPlots",
    "Priority",
    "Promise",
    "Report",
    "SourceFacts",
    "ValueFacts",
    "VotePlots",
    "asking_plan",
    "asking_table",
    "comparison_table",
    "contributions_of",
    "dependencies_table",
    "evaluate_methods",
    "evidence_facts",
    "evidence_rows",
    "evidence_table",
    "expected_gains",
    "guarantee_text",
    "html_of",
    "labels_table",
    "outcome_texts",
    "percent",
    "plain_table",
    "plots_of",
    "score_table",
    "security_policy",
    "shares_table",
    "show",
    "skills_table",
    "sources_table",
    "style_sheet",
    "summary_table",
    "training_table",
]

if TYPE_CHECKING:
    from assay.report.asking import AskingPlan, AskingStep, CostPerItem, asking_plan, expected_gains
    from assay.report.asking_section import asking_table
    from assay.report.attached import html_of, plots_of
    from assay.report.contested import ContestedItem, Contribution, contributions_of
    from assay.report.evidence import EvidenceFacts, evidence_facts, evidence_rows
    from assay.report.facts import SourceFacts, ValueFacts, outcome_texts
    from assay.report.hand_labels import HandLabelFacts, Promise
    from assay.report.methods import evaluate_methods
    from assay.report.page import security_policy, style_sheet
    from assay.report.plots import DependencyPlots, EvaluationPlots, LabelPlots, ModelPlots, VotePlots
    from assay.report.priorities import Priority
    from assay.report.report import ITEMS, Report
    from assay.report.terminal import (
        comparison_table,
        dependencies_table,
        evidence_table,
        guarantee_text,
        labels_table,
        percent,
        plain_table,
        score_table,
        shares_table,
        show,
        skills_table,
        sources_table,
        summary_table,
        training_table,
    )

__getattr__ = lazy_names(globals(), _HOMES)
