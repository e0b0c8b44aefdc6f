"""A crowd in one line: from a long table of items, workers and labels to labels, skills and agreement."""

from assay.aggregation.aggregation import Aggregation, aggregate, pooled

__all__ = ["Aggregation", "aggregate", "pooled"]
