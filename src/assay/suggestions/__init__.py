"""What to look at and then decide: logic between tasks that votes show, sources that a language model proposes."""

from assay.suggestions.rule_answers import Refused
from assay.suggestions.sources import SourceSuggestion, SuggestedSource, suggest_sources, suggestion_costs
from assay.suggestions.task_graph import Implication, TaskSuggestion, suggest_task_graph

__all__ = [
    "Implication",
    "Refused",
    "SourceSuggestion",
    "SuggestedSource",
    "TaskSuggestion",
    "suggest_sources",
    "suggest_task_graph",
    "suggestion_costs",
]
