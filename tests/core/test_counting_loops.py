"""The compiled loops over votes, against NumPy."""

import numpy as np
from hypothesis import given

from assay._core.counting_loops import count_sets, list_votes
from tests.support.strategies import matrices


def by_source(matrix):
    return np.ascontiguousarray(np.array(matrix, dtype=np.int8).T)


def listed(codes):
    """The votes of (sources, items), cast one by one."""
    sources, items = codes.shape
    starts = np.empty(items + 1, np.int64)
    who, said = np.empty(sources * items + 1, np.int32), np.empty(sources * items + 1, np.int8)
    list_votes(codes, np.arange(items), starts, who, said)
    return starts, who[: starts[-1]], said[: starts[-1]]


@given(matrices(max_rows=12))
def test_votes_are_listed_row_by_row(matrix):
    rows = np.array(matrix)
    starts, who, said = listed(by_source(matrix))
    item, source = np.nonzero(rows >= 0)
    assert starts.tolist() == [0, *np.cumsum((rows >= 0).sum(axis=1))]
    assert who.tolist() == source.tolist()
    assert said.tolist() == rows[item, source].tolist()


@given(matrices(max_rows=8))
def test_sets_are_counted_row_by_row(matrix):
    counts = np.zeros((len(matrix), 3), np.int32)
    count_sets(by_source(matrix).astype(np.int32), counts)
    assert counts.tolist() == [[row.count(said) for said in range(3)] for row in matrix]
