"""What to beat: majority votes, data programming on each task by itself, and Dawid-Skene."""

from assay.baselines.confusion_tables import DawidSkene, dawid_skene
from assay.baselines.each_task_alone import DataProgramming, codes_of_task, data_programming, task_by_task
from assay.baselines.majority import (
    HierarchicalMajorityVote,
    MajorityVote,
    by_majority,
    hierarchical_majority_vote,
    majority_vote,
)

__all__ = [
    "DataProgramming",
    "DawidSkene",
    "HierarchicalMajorityVote",
    "MajorityVote",
    "by_majority",
    "codes_of_task",
    "data_programming",
    "dawid_skene",
    "hierarchical_majority_vote",
    "majority_vote",
    "task_by_task",
]
