"""Workers of a crowd, each a source."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, SourceError
from assay.sources import crowd_notes
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
    with pytest.raises(SourceError, match=r"none is known to hold the workers.*worker='workers'"):
        assay.crowd(table.rename(columns={"worker": "workers"}), key="id")
    (numbered,) = assay.crowd({"item": [1], "worker": ["w"], "label": ["A"]}, key="id")
    with pytest.raises(DataError, match="'w' knows items as Int64, but column 'id' holds String"):
        labels(numbered, id=["x"])


def test_columns_of_crowd_kit_are_known_and_workers_without_a_name_are_told():
    table = pd.DataFrame({"task": ["a", "b", "b"], "worker": ["ann", None, "ann"], "label": ["A", "B", "B"]})
    with pytest.raises(SourceError, match="column 'worker' is empty in 1 of 3 rows, the first of them row 1"):
        assay.crowd(table, key="id")
    (worker,) = assay.crowd(table.dropna(), key="id")
    assert labels(worker, id=["a", "b", "c"]) == ["A", "B", None]


def test_items_that_the_data_does_not_have_are_told(tmp_path):
    table = pd.DataFrame({"task": ["a", "b", "b"], "worker": ["ann", "ann", "bob"], "label": ["A", "B", "B"]})
    table.to_csv(tmp_path / "votes.csv", index=False)
    workers = assay.crowd(tmp_path / "votes.csv", key="image")
    assert crowd_notes(workers, pd.DataFrame({"image": ["a", "b", "c"]})) == []
    (note,) = crowd_notes(workers, pd.DataFrame({"image": ["a", "c"]}))
    assert note.startswith("1 of 2 items of votes.csv are not in column 'image', such as 'b'")
    with pytest.raises(SourceError, match=r"no item of votes.csv is in column 'image': e.g. 'a' there, 'a.jpg' here"):
        crowd_notes(workers, pd.DataFrame({"image": ["a.jpg", "b.jpg"]}))
