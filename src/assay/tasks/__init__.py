"""The questions, the logic between them, and the outcomes that these leave."""

from assay.tasks.compiler import MAX_OUTCOMES
from assay.tasks.constraints import Constraint, excludes, implies
from assay.tasks.graph import TaskGraph, task_graph_declared_last
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace, Vote, level_text, texts_of
from assay.tasks.task import Task

__all__ = [
    "MAX_OUTCOMES",
    "NOT_APPLICABLE",
    "Component",
    "Constraint",
    "LabelSpace",
    "Task",
    "TaskGraph",
    "Vote",
    "excludes",
    "implies",
    "level_text",
    "task_graph_declared_last",
    "texts_of",
]
