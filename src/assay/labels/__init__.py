"""Labels: posterior probabilities per item; what they say of all items, what gold says of them, what to decide.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.labels.files": ["StoredLabels", "write_labels"],
    "assay.labels.guarantee": ["Guarantee", "gold_checks", "supported_threshold"],
    "assay.labels.labels": ["Labels"],
    "assay.labels.linking": ["put_together"],
    "assay.labels.probabilities": ["most_probable"],
    "assay.labels.refined": ["KINDS", "Refined"],
    "assay.labels.shares": ["balance_table"],
    "assay.labels.some_rows": ["label_parts", "labels_of_rows"],
    "assay.labels.label_subsets": ["subsets"],
    "assay.labels.tables": ["check_ending", "write_table"],
}

__all__ = [
    "KINDS",
    "Guarantee",
    "Labels",
    "Refined",
    "StoredLabels",
    "balance_table",
    "check_ending",
    "gold_checks",
    "label_parts",
    "labels_of_rows",
    "most_probable",
    "put_together",
    "subsets",
    "supported_threshold",
    "write_labels",
    "write_table",
]

if TYPE_CHECKING:
    from assay.labels.files import StoredLabels, write_labels
    from assay.labels.guarantee import Guarantee, gold_checks, supported_threshold
    from assay.labels.label_subsets import subsets
    from assay.labels.labels import Labels
    from assay.labels.linking import put_together
    from assay.labels.probabilities import most_probable
    from assay.labels.refined import KINDS, Refined
    from assay.labels.shares import balance_table
    from assay.labels.some_rows import label_parts, labels_of_rows
    from assay.labels.tables import check_ending, write_table

__getattr__ = lazy_names(globals(), _HOMES)
