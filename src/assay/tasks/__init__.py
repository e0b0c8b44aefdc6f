"""The questions, the logic between them, and the outcomes that these leave."""

from assay.tasks.compiler import MAX_OUTCOMES
from assay.tasks.constraints import Constraint, Label, excludes, implies
from assay.tasks.graph import TaskGraph, task_graph_declared_last
from assay.tasks.label_sets import LabelSet, as_label_set, none_of, one_of
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace, Vote, level_text, texts_of
from assay.tasks.task import Task

__all__ = [
    "MAX_OUTCOMES",
    "NOT_APPLICABLE",
    "Component",
    "Constraint",
    "Label",
    "LabelSet",
    "LabelSpace",
    "Task",
    "TaskGraph",
    "Vote",
    "as_label_set",
    "excludes",
    "implies",
    "level_text",
    "none_of",
    "one_of",
    "task_graph_declared_last",
    "texts_of",
]
