"""What a label model is fitted on: additive counts of votes, and the graph of dependent sources.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.counts.block_counts": ["Overlaps", "hashes_of", "sums_by_source"],
    "assay.counts.cliques": ["MAX_CONFIGURATIONS", "Clique", "Design", "Layout", "layout_of", "tied"],
    "assay.counts.counting": ["count", "needs_counting_in_pieces", "tally_of"],
    "assay.counts.evidence": ["Evidence"],
    "assay.counts.patterns": ["SKETCH_SIZE", "Patterns"],
    "assay.counts.source_graph": ["Dependency", "SourceGraph"],
    "assay.counts.statistics": [
        "Indicator",
        "Statistics",
        "by_label",
        "clique_indicators",
        "minimal",
        "omega_of",
        "single_indicators",
    ],
    "assay.counts.tally": ["MAX_TABLED", "MAX_VALUES", "Tally"],
}

__all__ = [
    "MAX_CONFIGURATIONS",
    "MAX_TABLED",
    "MAX_VALUES",
    "SKETCH_SIZE",
    "Clique",
    "Dependency",
    "Design",
    "Evidence",
    "Indicator",
    "Layout",
    "Overlaps",
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

if TYPE_CHECKING:
    from assay.counts.block_counts import Overlaps, hashes_of, sums_by_source
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
    from assay.counts.tally import MAX_TABLED, MAX_VALUES, Tally

__getattr__ = lazy_names(globals(), _HOMES)
