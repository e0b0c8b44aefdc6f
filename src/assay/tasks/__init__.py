"""The questions, the logic between them, and the outcomes that these leave."""

from assay.tasks.compiler import MAX_OUTCOMES, MAX_SUBSETS
from assay.tasks.constraints import Constraint, Label, at_most, excludes, implies
from assay.tasks.graph import TaskGraph, task_graph_declared_last
from assay.tasks.label_sets import LabelSet, as_label_set, none_of, one_of
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace, Vote, level_text, texts_of
from assay.tasks.many_labels import labels_of_questions, negated, question
from assay.tasks.many_votes import votes_for
from assay.tasks.task import Task

__all__ = [
    "MAX_OUTCOMES",
    "MAX_SUBSETS",
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
    "at_most",
    "excludes",
    "implies",
    "labels_of_questions",
    "level_text",
    "negated",
    "none_of",
    "one_of",
    "question",
    "task_graph_declared_last",
    "texts_of",
    "votes_for",
]
