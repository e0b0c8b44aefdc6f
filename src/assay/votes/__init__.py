"""The votes of all sources on all items."""

from assay.votes.bare_matrix import aligned, as_votes, on_the_same_task
from assay.votes.encoding import canonical, intern, is_missing, recode, smallest, value_table
from assay.votes.item_names import Names, index_names, item_names, rows_named, unknown_items
from assay.votes.levels import bare, given_levels
from assay.votes.pieces import Piece, is_in_pieces, pieces_of, read, schema_of
from assay.votes.probabilities import TOLERATED, SoftReader, best_of, not_probabilities, probability_table
from assay.votes.schema import HasSchema, OutcomeSets, Schema
from assay.votes.sparse_codes import CodeArray, SparseCodes
from assay.votes.summary import compare_with_gold, contradictions, set_counts, summarize, wilson
from assay.votes.truth import by_name
from assay.votes.votes import Fault, Votes

__all__ = [
    "TOLERATED",
    "CodeArray",
    "Fault",
    "HasSchema",
    "Names",
    "OutcomeSets",
    "Piece",
    "Schema",
    "SoftReader",
    "SparseCodes",
    "Votes",
    "aligned",
    "as_votes",
    "bare",
    "best_of",
    "by_name",
    "canonical",
    "compare_with_gold",
    "contradictions",
    "given_levels",
    "index_names",
    "intern",
    "is_in_pieces",
    "is_missing",
    "item_names",
    "not_probabilities",
    "on_the_same_task",
    "pieces_of",
    "probability_table",
    "read",
    "recode",
    "rows_named",
    "schema_of",
    "set_counts",
    "smallest",
    "summarize",
    "unknown_items",
    "value_table",
    "wilson",
]
