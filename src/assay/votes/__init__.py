"""The votes of all sources on all items."""

from assay.votes.bare_matrix import aligned, as_votes, on_the_same_task
from assay.votes.encoding import canonical, intern, is_missing, recode, smallest, value_table
from assay.votes.item_names import Names, index_names, item_names, rows_named, stored_items, unknown_items
from assay.votes.pieces import Piece, is_in_pieces, pieces_of, read, schema_of
from assay.votes.schema import HasSchema, OutcomeSets, Schema
from assay.votes.sparse_codes import CodeArray, SparseCodes
from assay.votes.summary import compare_with_gold, contradictions, set_counts, summarize, wilson
from assay.votes.truth import by_name
from assay.votes.votes import Fault, Votes

__all__ = [
    "CodeArray",
    "Fault",
    "HasSchema",
    "Names",
    "OutcomeSets",
    "Piece",
    "Schema",
    "SparseCodes",
    "Votes",
    "aligned",
    "as_votes",
    "by_name",
    "canonical",
    "compare_with_gold",
    "contradictions",
    "index_names",
    "intern",
    "is_in_pieces",
    "is_missing",
    "item_names",
    "on_the_same_task",
    "pieces_of",
    "read",
    "recode",
    "rows_named",
    "schema_of",
    "set_counts",
    "smallest",
    "stored_items",
    "summarize",
    "unknown_items",
    "value_table",
    "wilson",
]
