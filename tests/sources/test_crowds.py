"""Workers of a crowd, each a source."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, SourceError
from tests.support.rules import labels

cells = st.dictionaries(
    st.tuples(st.integers(0, 5), st.sampled_from(["ann", "bob", "cy"])), st.sampled_from("ABC"), min_size=1
)


@given(cells, st.lists(st.none() | st.integers(0, 7), max_size=8), st.booleans())
def test_crowd(said, keys, as_text):
    table = {"item": [i for i, _ in said], "worker": [w for _, w in said], "label": list(said.values())}
    workers = assay.crowd(table, key="id", prefix="crowd ")
    assert [worker.name for worker in workers] == [f"crowd {name}" for name in sorted(set(table["worker"]))]
    for worker in workers:
        expected = [said.get((key, worker.name.removeprefix("crowd "))) for key in keys]
        ids = [None if key is None else str(key) for key in keys] if as_text else keys
        assert labels(worker, id=ids) == expected


def test_crowd_leaves_out_what_is_missing_and_refuses_a_change_of_mind():
    table = pd.DataFrame({"item": ["a", "a", None], "worker": [1, 1, 1], "label": ["A", "A", "B"]})
    (worker,) = assay.crowd(table, key="id")
    assert labels(worker, id=["a", "b"]) == ["A", None]
    with pytest.raises(SourceError, match="worker 1 labels item 'a' in two ways; keep one"):
        assay.crowd(table.fillna("a"), key="id")
    with pytest.raises(SourceError, match=r"no column 'worker'. Did you mean 'workers'"):
        assay.crowd(table.rename(columns={"worker": "workers"}), key="id")
    (numbered,) = assay.crowd({"item": [1], "worker": ["w"], "label": ["A"]}, key="id")
    with pytest.raises(DataError, match="'w' knows items as Int64, but column 'id' holds String"):
        labels(numbered, id=["x"])
