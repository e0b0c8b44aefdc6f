"""What a label model learns from: counts of votes that add, and the graph of dependent sources."""

from assay.counts.cliques import MAX_CONFIGURATIONS, Clique, Design, Layout, Reading, layout_of, reading_of, tied
from assay.counts.counting import count, needs_counting_in_pieces, tally_of
from assay.counts.files import described, description
from assay.counts.patterns import SKETCH_SIZE, Patterns, sample_of
from assay.counts.source_graph import Dependency, SourceGraph
from assay.counts.statistics import (
    Indicator,
    Observed,
    Statistics,
    clique_indicators,
    minimal,
    omega_of,
    single_indicators,
)
from assay.counts.tally import MAX_VALUES, Tally, hashes_of

__all__ = [
    "MAX_CONFIGURATIONS",
    "MAX_VALUES",
    "SKETCH_SIZE",
    "Clique",
    "Dependency",
    "Design",
    "Indicator",
    "Layout",
    "Observed",
    "Patterns",
    "Reading",
    "SourceGraph",
    "Statistics",
    "Tally",
    "clique_indicators",
    "count",
    "described",
    "description",
    "hashes_of",
    "layout_of",
    "minimal",
    "needs_counting_in_pieces",
    "omega_of",
    "reading_of",
    "sample_of",
    "single_indicators",
    "tally_of",
    "tied",
]
