"""What to beat: majority votes, data programming on each task by itself, and Dawid-Skene.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.baselines.confusion_tables": ["DawidSkene", "dawid_skene"],
    "assay.baselines.each_task_alone": ["DataProgramming", "codes_of_task", "data_programming", "task_by_task"],
    "assay.baselines.majority": [
        "HierarchicalMajorityVote",
        "MajorityVote",
        "by_majority",
        "hierarchical_majority_vote",
        "majority_vote",
    ],
}

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

if TYPE_CHECKING:
    from assay.baselines.confusion_tables import DawidSkene, dawid_skene
    from assay.baselines.each_task_alone import DataProgramming, codes_of_task, data_programming, task_by_task
    from assay.baselines.majority import (
        HierarchicalMajorityVote,
        MajorityVote,
        by_majority,
        hierarchical_majority_vote,
        majority_vote,
    )

__getattr__ = lazy_names(globals(), _HOMES)
