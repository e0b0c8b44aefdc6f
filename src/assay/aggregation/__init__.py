"""A crowd in one line: from a long table of items, workers and labels to labels, skills and agreement."""

from assay.aggregation.aggregation import Aggregation, aggregate, pooled
from assay.aggregation.crowd_table import in_words_of_crowds

__all__ = ["Aggregation", "aggregate", "in_words_of_crowds", "pooled"]
