"""The questions, the logic between them, and the outcomes that these leave."""

from assay.tasks.constraints import Constraint, excludes, implies
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace, Vote, texts_of
from assay.tasks.task_graph import Task, TaskGraph, latest_task_graph

__all__ = [
    "NOT_APPLICABLE",
    "Component",
    "Constraint",
    "LabelSpace",
    "Task",
    "TaskGraph",
    "Vote",
    "excludes",
    "implies",
    "latest_task_graph",
    "texts_of",
]
