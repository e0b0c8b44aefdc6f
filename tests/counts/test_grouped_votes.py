"""Votes of several sources in one number: taken apart again, they are the votes."""

import numpy as np
import pytest

from assay import Votes
from assay.counts import Evidence, SourceGraph, Tally, layout_of
from assay.simulate import flat_world


def evidence_of(votes: Votes, *pairs: tuple[str, str]) -> Evidence:
    tally = Tally.of(votes)
    return Evidence.of(tally, layout_of(tally.schema, 0, SourceGraph(tally.names, list(pairs))))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_numbers_are_the_votes_of_each_group(classes):
    evidence = evidence_of(flat_world(classes=classes, sources=13, coverage=0.9, seed=2).draw(500).votes)
    grouped = evidence.grouped
    said, start = np.full((len(evidence.patterns), 13), -1), 0
    for group, end in enumerate(grouped.ends.tolist()):
        left = grouped.numbers[:, group].astype(np.int64)
        for source in range(start, end):
            left, digit = np.divmod(left, grouped.values[source] + 1)
            said[:, source] = digit - 1
        assert not left.any()
        start = end
    np.testing.assert_array_equal(said, evidence.patterns.codes)


def test_dependent_sources_and_few_votes_are_not_grouped():
    votes = flat_world(sources=12, coverage=0.9, seed=2).draw(500).votes
    assert evidence_of(votes).grouped is not None
    assert evidence_of(votes, (votes.names[0], votes.names[1])).grouped is None
    assert evidence_of(flat_world(sources=40, coverage=0.05, seed=2).draw(500).votes).grouped is None
