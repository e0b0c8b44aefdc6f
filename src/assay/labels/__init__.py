"""Labels: posterior probabilities per item; what they say of all items, what gold says of them, what to decide."""

from assay.labels.files import StoredLabels, write_labels
from assay.labels.guarantee import Guarantee, gold_checks, supported_threshold
from assay.labels.labels import Labels
from assay.labels.linking import put_together
from assay.labels.probabilities import most_probable
from assay.labels.refined import KINDS, Refined
from assay.labels.shares import balance_table
from assay.labels.some_rows import label_parts, labels_of_rows
from assay.labels.subsets import subsets
from assay.labels.tables import check_ending, write_table

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
