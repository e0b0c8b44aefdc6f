"""What is counted of a block of votes, against NumPy."""

import numpy as np
import pytest

from assay import Votes
from assay.counts.block_counts import count_meetings, count_overlaps, emitted
from tests.support.counted import as_list, bulk


@pytest.fixture(scope="module")
def votes():
    return Votes.from_matrix(bulk(400, 6, classes=3), cardinality=3)


def test_each_value_as_often_as_it_is_emitted(votes):
    expected = [(votes.codes[:, source] == code).sum() for source in range(6) for code in range(3)]
    assert emitted(votes).tolist() == emitted(as_list(votes)).tolist() == expected


def test_sources_meet_and_agree_alike_in_tables_and_in_lists(votes):
    first = votes.schema.offsets
    overlaps, covered = count_overlaps(votes, first, 0)
    met, items = count_meetings(votes, first, 0)
    speaks = (votes.codes >= 0).astype(int)
    assert np.array_equal(overlaps.overlap, speaks.T @ speaks)
    same = [
        [((votes.codes[:, [a]] == votes.codes[:, [b]]) & (votes.codes[:, [a]] >= 0)).sum() for b in range(6)]
        for a in range(6)
    ]
    assert overlaps.agreement.tolist() == same
    assert covered == items == int(speaks.any(axis=1).sum())
    every = np.arange(6)
    assert np.array_equal(met.table(met.overlap, every), overlaps.overlap)
    assert np.array_equal(met.table(met.agreement, every), overlaps.agreement)
