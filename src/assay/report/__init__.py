"""What a run gave, to look at: one page, charts, tables in the terminal."""

from assay.report.contested import ContestedItem
from assay.report.facts import SourceFacts, ValueFacts
from assay.report.plots import DependencyPlots, EvaluationPlots, LabelPlots, ModelPlots, VotePlots
from assay.report.priorities import Priority
from assay.report.report import ITEMS, Report
from assay.report.terminal import (
    comparison_table,
    dependencies_table,
    percent,
    plain_table,
    score_table,
    show,
    sources_table,
    summary_table,
)

__all__ = [
    "ITEMS",
    "ContestedItem",
    "DependencyPlots",
    "EvaluationPlots",
    "LabelPlots",
    "ModelPlots",
    "Priority",
    "Report",
    "SourceFacts",
    "ValueFacts",
    "VotePlots",
    "comparison_table",
    "dependencies_table",
    "percent",
    "plain_table",
    "score_table",
    "show",
    "sources_table",
    "summary_table",
]
