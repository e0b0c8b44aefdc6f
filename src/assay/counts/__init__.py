"""What a label model is fitted on: additive counts of votes, and the graph of dependent sources."""

from assay.counts.cliques import MAX_CONFIGURATIONS, Clique, Design, Layout, layout_of, tied
from assay.counts.counting import count, needs_counting_in_pieces, tally_of
from assay.counts.evidence import Evidence
from assay.counts.patterns import SKETCH_SIZE, Patterns
from assay.counts.source_graph import Dependency, SourceGraph
from assay.counts.statistics import (
    Indicator,
    Statistics,
    by_label,
    clique_indicators,
    minimal,
    omega_of,
    single_indicators,
)
from assay.counts.tally import MAX_VALUES, Tally, hashes_of, sums_by_source

__all__ = [
    "MAX_CONFIGURATIONS",
    "MAX_VALUES",
    "SKETCH_SIZE",
    "Clique",
    "Dependency",
    "Design",
    "Evidence",
    "Indicator",
    "Layout",
    "Patterns",
    "SourceGraph",
    "Statistics",
    "Tally",
    "by_label",
    "clique_indicators",
    "count",
    "hashes_of",
    "layout_of",
    "minimal",
    "needs_counting_in_pieces",
    "omega_of",
    "single_indicators",
    "sums_by_source",
    "tally_of",
    "tied",
]
