"""Votes on disk: read back as they were, readable by others, and refused if damaged."""

from __future__ import annotations

import json
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import AssayError, VoteError, Votes
from assay.votes.votes import Fault
from tests.support.strategies import said


@given(said(), st.booleans(), st.booleans())
def test_parquet_round_trip(tmp_path_factory, given_votes, with_items, with_faults):
    votes = given_votes.votes
    votes = Votes.from_codes(
        votes.tasks,
        votes.codes,
        votes.names,
        votes.values,
        np.array([f"item {i}" for i in range(len(votes))], dtype=object) if with_items else None,
        (Fault("s0", 3, 1, "ValueError: é"),) if with_faults else (),
    )
    path = tmp_path_factory.mktemp("votes") / "votes.parquet"
    again = Votes.from_parquet(votes.to_parquet(path))
    assert again == votes
    assert again.codes.dtype == votes.codes.dtype
    assert again.faults == votes.faults
    assert again.summary().equals(votes.summary())


@pytest.mark.parametrize(
    "items",
    [
        [1, 2],
        ["a", "b"],
        [1.5, 2.5],
        [datetime(2024, 1, 1), datetime(2024, 1, 2)],
        np.array(["2024-01-01T00:00:00.000000001", "2024-01-02"], dtype="datetime64[ns]"),
    ],
)
def test_items_of_any_kind_survive_parquet(tmp_path, items):
    long = pl.DataFrame({"item": items, "worker": ["w", "w"], "label": ["x", "y"]})
    votes = Votes.from_long(long)
    again = Votes.from_parquet(votes.to_parquet(tmp_path / "votes.parquet"))
    assert again == votes
    assert again.items is not None
    assert again.items.tolist() == votes.items.tolist()


def test_the_file_is_readable_by_others(tmp_path, entities):
    labels = {"coarse": ["Person", None, "Organization"], "fine": ["Doctor", "Lawyer", None]}
    votes = Votes.from_columns(entities, labels)
    path = votes.to_parquet(tmp_path / "new folder" / "votes.parquet")
    with_none = pd.read_parquet(path).astype(object)
    assert {name: with_none[name].where(with_none[name].notna(), None).tolist() for name in with_none} == labels
    assert pl.read_parquet(path).cast(pl.String).to_dict(as_series=False) == labels
    assert pq.read_table(path).column("fine").to_pylist() == labels["fine"]


def test_a_source_called_item_does_not_clash_with_the_items(tmp_path):
    votes = Votes.from_long({"item": ["a"], "worker": ["item"], "label": ["x"]})
    assert Votes.from_parquet(votes.to_parquet(tmp_path / "votes.parquet")) == votes


def rewritten(path, change):
    """The file after another program changed its table."""
    table = pq.read_table(path)
    pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), path, row_group_size=2)
    return path


def test_other_programs_may_reorder_the_dictionaries(tmp_path):
    votes = Votes.from_matrix([[0, 2], [1, -1], [2, 0], [-1, 1], [0, 0]], labels=["x", "y", "z"])
    path = votes.to_parquet(tmp_path / "votes.parquet")

    def reversed_dictionaries(table):
        columns = {}
        for name in table.column_names:
            values = table.column(name).to_pylist()
            order = pa.array(["z", "y", "x"])
            codes = pa.array([None if value is None else "zyx".index(value) for value in values], type=pa.int32())
            columns[name] = pa.DictionaryArray.from_arrays(codes, order)
        return pa.table(columns)

    assert Votes.from_parquet(rewritten(path, reversed_dictionaries)) == votes

    def plain_texts(table):
        return pa.table(
            {name: pa.array(table.column(name).to_pylist(), pa.large_string()) for name in table.column_names}
        )

    assert Votes.from_parquet(rewritten(path, plain_texts)) == votes

    def other_columns(table):
        return table.select(table.column_names[::-1]).append_column("note", pa.array(["-"] * len(table)))

    assert Votes.from_parquet(rewritten(path, other_columns)) == votes


KEY = b"assay.votes"


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored | {"version": 99},
        lambda stored: stored | {"tasks": {}},
        lambda stored: stored | {"tasks": "label"},
        lambda stored: stored | {"sources": stored["sources"][:1] * 2},
        lambda stored: stored | {"sources": [{"name": "0"}]},
        lambda stored: stored | {"sources": [{"name": "9", "values": []}]},
        lambda stored: stored | {"sources": [{"name": "0", "values": [{"label": "x"}]}]},
        lambda stored: stored | {"sources": [{"name": "0", "values": [{"label": "nope"}]}]},
        lambda stored: stored | {"sources": []},
        lambda stored: stored | {"items": "nowhere"},
        lambda stored: stored | {"faults": [{"what": 1}]},
        lambda stored: stored | {"faults": None},
        lambda stored: [stored],
        lambda stored: None,
    ],
)
def test_damaged_metadata_is_refused(tmp_path, damage):
    path = Votes.from_matrix([[0, 1], [1, -1]], labels=["x", "y"]).to_parquet(tmp_path / "votes.parquet")
    table = pq.read_table(path)
    stored = json.dumps(damage(json.loads(table.schema.metadata[KEY])))
    pq.write_table(table.replace_schema_metadata({KEY: stored.encode()}), path)
    with pytest.raises(VoteError, match=r"votes\.parquet"):
        Votes.from_parquet(path)


def test_columns_of_the_wrong_kind_are_refused(tmp_path):
    votes = Votes.from_matrix([[0], [1]], labels=["x", "y"])
    for column in (pa.array([1, 2]), pa.array(["x", "w"]), pa.array([["x"], ["y"]]), pa.array([{"a": 1}, {"a": 2}])):
        path = rewritten(votes.to_parquet(tmp_path / "votes.parquet"), lambda _, column=column: pa.table({"0": column}))
        with pytest.raises(VoteError, match=r"votes\.parquet"):
            Votes.from_parquet(path)


@given(st.data())
def test_a_cut_or_scrambled_file_is_refused_or_read_right(tmp_path_factory, data):
    votes = Votes.from_matrix([[0, 1], [1, -1]] * 20, labels=["x", "y"])
    path = votes.to_parquet(tmp_path_factory.mktemp("cut") / "votes.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(VoteError):
        Votes.from_parquet(path)


def test_foreign_and_missing_files_are_refused(tmp_path):
    foreign = tmp_path / "foreign.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(foreign)
    with pytest.raises(VoteError, match=r"is not a votes file written by Assay.*from_columns"):
        Votes.from_parquet(foreign)
    text = tmp_path / "text.parquet"
    text.write_text("hello")
    with pytest.raises(VoteError, match="is not a valid Parquet file, or it is damaged"):
        Votes.from_parquet(text)
    with pytest.raises(VoteError, match="there is no file"):
        Votes.from_parquet(tmp_path / "none.parquet")
    with pytest.raises(AssayError, match="cannot write"):
        Votes.from_matrix([[0]]).to_parquet(tmp_path)
