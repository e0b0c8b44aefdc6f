"""What every source said about every item."""

from assay.votes.encoding import canonical, intern, recode, smallest, value_table
from assay.votes.pieces import Piece, is_in_pieces, no_votes, pieces_of, read
from assay.votes.sparse import Codes, Listed
from assay.votes.summary import contradictions, counts_of_sets, judged, set_blocks, summarize, wilson
from assay.votes.votes import Fault, OutcomeSets, Votes

__all__ = [
    "Codes",
    "Fault",
    "Listed",
    "OutcomeSets",
    "Piece",
    "Votes",
    "canonical",
    "contradictions",
    "counts_of_sets",
    "intern",
    "is_in_pieces",
    "judged",
    "no_votes",
    "pieces_of",
    "read",
    "recode",
    "set_blocks",
    "smallest",
    "summarize",
    "value_table",
    "wilson",
]
