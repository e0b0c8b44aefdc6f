"""The votes of all sources on all items."""

from assay.votes.bare_matrix import aligned, as_votes, on_the_same_task
from assay.votes.encoding import canonical, intern, recode, smallest, value_table
from assay.votes.pieces import Piece, is_in_pieces, pieces_of, read, schema_of
from assay.votes.schema import HasSchema, OutcomeSets, Schema
from assay.votes.sparse_codes import CodeArray, SparseCodes
from assay.votes.summary import compare_with_gold, contradictions, set_counts, summarize, wilson
from assay.votes.votes import Fault, Votes

__all__ = [
    "CodeArray",
    "Fault",
    "HasSchema",
    "OutcomeSets",
    "Piece",
    "Schema",
    "SparseCodes",
    "Votes",
    "aligned",
    "as_votes",
    "canonical",
    "compare_with_gold",
    "contradictions",
    "intern",
    "is_in_pieces",
    "on_the_same_task",
    "pieces_of",
    "read",
    "recode",
    "schema_of",
    "set_counts",
    "smallest",
    "summarize",
    "value_table",
    "wilson",
]
