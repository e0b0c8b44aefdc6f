"""The votes of all sources on all items.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.votes.bare_matrix": ["aligned", "as_votes", "on_the_same_task"],
    "assay.votes.dense_codes": ["DenseCodes"],
    "assay.votes.encoding": ["canonical", "intern", "is_missing", "lookup", "recode", "smallest", "value_table"],
    "assay.votes.joining": ["side_by_side"],
    "assay.votes.krippendorff": ["Alpha", "krippendorff_alpha"],
    "assay.votes.levels": ["bare", "given_levels"],
    "assay.votes.long_form": ["item_column", "long_columns", "looks_long"],
    "assay.votes.names": [
        "Names",
        "index_names",
        "index_of",
        "item_names",
        "matched_rows",
        "rows_named",
        "stored_items",
        "unknown_items",
    ],
    "assay.votes.new_values": ["without_new_values"],
    "assay.votes.pieces": [
        "Piece",
        "at_once",
        "is_in_pieces",
        "map_pieces",
        "names_of",
        "pieces_of",
        "read",
        "schema_of",
    ],
    "assay.votes.possible_rows": ["PossibleRows"],
    "assay.votes.probabilities": ["TOLERATED", "SoftReader", "best_of", "not_probabilities", "probability_table"],
    "assay.votes.schema": ["HasSchema", "OutcomeSets", "Schema"],
    "assay.votes.several": ["cast_votes"],
    "assay.votes.sparse_codes": ["CodeArray", "SparseCodes"],
    "assay.votes.summary": [
        "SILENCE_AGAINST",
        "compare_with_gold",
        "contradictions",
        "set_counts",
        "summarize",
        "wilson",
    ],
    "assay.votes.truth": ["by_name", "of_some"],
    "assay.votes.votes": ["Fault", "Votes"],
}

__all__ = [
    "SILENCE_AGAINST",
    "TOLERATED",
    "Alpha",
    "CodeArray",
    "DenseCodes",
    "Fault",
    "HasSchema",
    "Names",
    "OutcomeSets",
    "Piece",
    "PossibleRows",
    "Schema",
    "SoftReader",
    "SparseCodes",
    "Votes",
    "aligned",
    "as_votes",
    "at_once",
    "bare",
    "best_of",
    "by_name",
    "canonical",
    "cast_votes",
    "compare_with_gold",
    "contradictions",
    "given_levels",
    "index_names",
    "index_of",
    "intern",
    "is_in_pieces",
    "is_missing",
    "item_column",
    "item_names",
    "krippendorff_alpha",
    "long_columns",
    "looks_long",
    "lookup",
    "map_pieces",
    "matched_rows",
    "names_of",
    "not_probabilities",
    "of_some",
    "on_the_same_task",
    "pieces_of",
    "probability_table",
    "read",
    "recode",
    "rows_named",
    "schema_of",
    "set_counts",
    "side_by_side",
    "smallest",
    "stored_items",
    "summarize",
    "unknown_items",
    "value_table",
    "wilson",
    "without_new_values",
]

if TYPE_CHECKING:
    from assay.votes.bare_matrix import aligned, as_votes, on_the_same_task
    from assay.votes.dense_codes import DenseCodes
    from assay.votes.encoding import canonical, intern, is_missing, lookup, recode, smallest, value_table
    from assay.votes.joining import side_by_side
    from assay.votes.krippendorff import Alpha, krippendorff_alpha
    from assay.votes.levels import bare, given_levels
    from assay.votes.long_form import item_column, long_columns, looks_long
    from assay.votes.names import (
        Names,
        index_names,
        index_of,
        item_names,
        matched_rows,
        rows_named,
        stored_items,
        unknown_items,
    )
    from assay.votes.new_values import without_new_values
    from assay.votes.pieces import Piece, at_once, is_in_pieces, map_pieces, names_of, pieces_of, read, schema_of
    from assay.votes.possible_rows import PossibleRows
    from assay.votes.probabilities import TOLERATED, SoftReader, best_of, not_probabilities, probability_table
    from assay.votes.schema import HasSchema, OutcomeSets, Schema
    from assay.votes.several import cast_votes
    from assay.votes.sparse_codes import CodeArray, SparseCodes
    from assay.votes.summary import SILENCE_AGAINST, compare_with_gold, contradictions, set_counts, summarize, wilson
    from assay.votes.truth import by_name, of_some
    from assay.votes.votes import Fault, Votes

__getattr__ = lazy_names(globals(), _HOMES)
