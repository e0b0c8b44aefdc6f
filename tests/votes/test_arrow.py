"""Votes on disk: read back as they were, readable by others, and refused if damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import assay
from assay import AssayError, Tally, VoteError, Votes
from assay.votes import pieces
from assay.votes.arrow import stored_rows
from assay.votes.votes import Fault
from tests.support.counted import as_list
from tests.support.sameness import same_counts
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
    texts = {name: [label or "" for label in column] for name, column in labels.items()}
    assert pd.read_parquet(path).astype(object).to_dict(orient="list") == texts
    assert pl.read_parquet(path).cast(pl.String).to_dict(as_series=False) == texts
    assert pq.read_table(path).column("fine").to_pylist() == texts["fine"]
    assert Votes.from_parquet(path).to_pandas().to_dict(orient="list") == labels


def test_some_sources_alone(tmp_path, entities):
    labels = {"coarse": ["Person", None, "Organization"], "fine": ["Doctor", "Lawyer", None]}
    votes = replace(Votes.from_columns(entities, labels), items=np.array(["a", "b", "c"]))
    path = votes.to_parquet(tmp_path / "votes.parquet")
    assert Votes.from_parquet(path, sources=["fine"]) == votes.select(["fine"])
    assert Votes.from_parquet(path, sources=["fine", "coarse"]) == votes.select(["fine", "coarse"])
    with pytest.raises(VoteError, match=r"there is no source 'fin'\. Did you mean 'fine'"):
        Votes.from_parquet(path, sources=["fin"])
    listed, _ = few()
    path = listed.to_parquet(tmp_path / "listed.parquet")
    assert Votes.from_parquet(path, sources=listed.names[2:4]) == listed.select(listed.names[2:4])


def test_values_that_fill_a_type_to_its_end(tmp_path):
    for classes in (126, 127, 128, 129):
        votes = Votes.from_matrix([[0, classes - 1], [classes - 1, -1]], cardinality=classes)
        assert Votes.from_parquet(votes.to_parquet(tmp_path / "votes.parquet")) == votes


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
            codes = pa.array(["zyx".index(value) if value else None for value in values], type=pa.int32())
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


# Votes that are kept as a list: two lists a row, who votes and what.


@given(said(), st.booleans(), st.booleans())
def test_a_list_comes_back_as_it_was_and_stays_a_list(tmp_path_factory, given_votes, with_items, with_faults):
    votes = replace(
        as_list(given_votes.votes),
        items=np.array([f"item {i}" for i in range(len(given_votes.rows))], dtype=object) if with_items else None,
        faults=(Fault("s0", 3, 1, "ValueError: é"),) if with_faults else (),
    )
    path = votes.to_parquet(tmp_path_factory.mktemp("votes") / "votes.parquet")
    again = Votes.from_parquet(path)
    assert again.is_sparse
    assert with_items or again == given_votes.votes
    assert again == votes
    assert again.cast.codes.dtype == votes.schema.code_type
    assert again.cast.sources.dtype == votes.cast.sources.dtype
    assert again.faults == votes.faults


def few(items=60, sources=40, *, seed=0):
    """Few votes, with names that are texts."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((items, sources)) < 0.06, rng.integers(1, 4, (items, sources)), 0)
    codes[5, :3] = [1, 2, 3]
    votes = Votes.from_matrix(
        sparse.csr_array(codes), labels=["x", "y", "z"], names=[f"s{number:02}" for number in range(sources)]
    )
    assert votes.is_sparse
    return votes, codes - 1


def names_in(votes, codes):
    """By hand: per item who votes, and what."""
    who = [[votes.names[j] for j in np.flatnonzero(row >= 0)] for row in codes]
    return who, [["xyz"[code] for code in row if code >= 0] for row in codes]


def test_lists_are_readable_by_others(tmp_path):
    votes, codes = few()
    path = votes.to_parquet(tmp_path / "votes.parquet")
    who, what = names_in(votes, codes)
    frame = pd.read_parquet(path)
    assert [list(row) for row in frame["source"]] == who
    assert [list(row) for row in frame["vote"]] == what
    table = pl.read_parquet(path).with_columns(pl.all().cast(pl.List(pl.String)))
    assert table.to_dict(as_series=False) == {"source": who, "vote": what}


def test_a_list_of_item_names_stands_beside_the_lists(tmp_path):
    votes, _ = few()
    votes = replace(votes, items=np.arange(len(votes)) * 10)
    path = votes.to_parquet(tmp_path / "votes.parquet")
    assert pq.read_table(path).column_names == ["item", "source", "vote"]
    assert Votes.from_parquet(path) == votes


def with_lists(path, change, kind=pa.large_list):
    """The file after another program wrote its lists anew; ``change`` is given who votes, and what."""

    def written(table):
        who, what = (table.column(name).to_pylist() for name in ("source", "vote"))
        change(who, what)
        return pa.table({"source": pa.array(who, kind(pa.string())), "vote": pa.array(what, kind(pa.string()))})

    return rewritten(path, written)


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list])
def test_other_programs_may_write_plain_lists(tmp_path, kind):
    votes, _ = few()
    path = with_lists(votes.to_parquet(tmp_path / "votes.parquet"), lambda who, what: None, kind)
    assert Votes.from_parquet(path) == votes


def test_a_list_that_is_missing_altogether_is_no_votes(tmp_path):
    votes, codes = few()

    def gone(who, what):
        who[5] = what[5] = None

    codes[5] = -1
    again = Votes.from_parquet(with_lists(votes.to_parquet(tmp_path / "votes.parquet"), gone))
    np.testing.assert_array_equal(again.codes, codes)


def swap(who, what):
    who[5][:2] = who[5][1::-1]


def twice(who, what):
    who[5][1] = who[5][0]


def stranger(who, what):
    who[5][1] = "nobody"


def nonsense(who, what):
    what[5][1] = "w"


def shorter(who, what):
    what[5] = what[5][:1]


def longer(who, what):
    who[5].append("s39")


def moved(who, what):
    what[6], what[5] = what[5][2:] + what[6], what[5][:2]


def no_vote(who, what):
    what[5][1] = None


def no_source(who, what):
    who[5][1] = None


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (swap, "the sources of an item are not in order, or one votes twice"),
        (twice, "the sources of an item are not in order, or one votes twice"),
        (stranger, "a vote is by source 'nobody'"),
        (nonsense, "has the value 'w', which its table does not list"),
        (shorter, "differ in length"),
        (longer, "differ in length"),
        (moved, "differ in length"),
        (no_vote, "lack a source or a value"),
        (no_source, "lack a source or a value"),
    ],
)
def test_damaged_lists_are_refused(tmp_path, damage, says):
    votes, _ = few()
    path = with_lists(votes.to_parquet(tmp_path / "votes.parquet"), damage)
    with pytest.raises(VoteError, match=rf"votes\.parquet is not a valid votes file, or it is damaged: .*({says})"):
        Votes.from_parquet(path)


def test_a_value_that_only_another_source_has_is_refused(tmp_path, letters):
    votes = as_list(Votes.from_columns(letters, {"s": ["A", None], "t": ["B", "C"]}))

    def exchanged(who, what):
        what[0] = ["B", "B"]

    path = with_lists(votes.to_parquet(tmp_path / "votes.parquet"), exchanged)
    with pytest.raises(VoteError, match="source 's' has the value 'B', which its table does not list"):
        Votes.from_parquet(path)


@pytest.mark.parametrize(
    "columns",
    [
        {"source": pa.array([["s00"]])},
        {"vote": pa.array([["x"]])},
        {"source": pa.array([[1]]), "vote": pa.array([["x"]])},
        {"source": pa.array(["s00"]), "vote": pa.array(["x"])},
        {"source": pa.array([None]), "vote": pa.array([None])},
    ],
)
def test_lists_of_the_wrong_kind_are_refused(tmp_path, columns):
    votes, _ = few()
    path = rewritten(votes.to_parquet(tmp_path / "votes.parquet"), lambda _: pa.table(columns))
    with pytest.raises(VoteError, match=r"votes\.parquet is not a valid votes file"):
        Votes.from_parquet(path)


@pytest.mark.parametrize(
    ("group", "at_once"),
    [
        (60, 1),
        (60, 13),
        (60, 1_000),
        (7, 1),
        (7, 7),
        (7, 13),
        (7, 1_000),
        (1, 1),
        (1, 1_000),
    ],
)
def test_lists_are_read_piece_by_piece(tmp_path, group, at_once):
    votes, _ = few()
    path = tmp_path / "votes.parquet"
    pq.write_table(votes.to_arrow(), path, row_group_size=group)
    parts = list(stored_rows(path, range(pq.ParquetFile(path).num_row_groups), lambda _: at_once))
    assert all(part.is_sparse and len(part) <= at_once for part in parts)
    assert Votes.concat(parts) == votes


def test_lists_in_several_row_groups_are_read_at_once(tmp_path):
    """As :meth:`Votes.to_parquet` writes them for more than 1,048,576 items."""
    votes, _ = few()
    path = tmp_path / "votes.parquet"
    pq.write_table(votes.to_arrow(), path, row_group_size=20)
    assert Votes.from_parquet(path) == votes


def test_counts_of_lists_in_a_file_are_those_in_memory(tmp_path, monkeypatch):
    votes, codes = few(items=300)
    expected = Tally.of(Votes.from_matrix(codes, labels=["x", "y", "z"], names=votes.names))
    path = tmp_path / "votes.parquet"
    pq.write_table(votes.to_arrow(), path, row_group_size=50)
    monkeypatch.setattr(pieces, "ITEMS_AT_ONCE", 70)
    assert same_counts(assay.count(path), expected)
    assert same_counts(assay.count(votes), expected)


# Files as they were written before there were lists: one column a source, whatever was in it.


def with_nulls(table):
    """A table of votes as earlier versions wrote it: an abstention is null."""
    said = json.loads(table.schema.metadata[KEY]) | {"version": 1}
    columns = {
        name: pa.array([text or None for text in table.column(name).to_pylist()], pa.string()).dictionary_encode()
        for name in table.column_names
    }
    return pa.table(columns).replace_schema_metadata({KEY: json.dumps(said).encode()})


def test_old_files_of_few_votes_are_still_read(tmp_path):
    votes, codes = few()
    table = with_nulls(Votes.from_matrix(codes, labels=["x", "y", "z"], names=votes.names).to_arrow())
    assert table.column_names == list(votes.names)
    pq.write_table(table, tmp_path / "votes.parquet")
    again = Votes.from_parquet(tmp_path / "votes.parquet")
    assert again == votes
    assert not again.is_sparse


def test_a_file_of_format_one_as_it_was_written(tmp_path):
    """Spelled out, so that it stays readable whatever the library writes today."""
    tasks = {
        "tasks": [{"name": "letter", "labels": ["A", "B"], "parents": []}],
        "components": [{"tasks": ["letter"], "outcomes": [[0], [1]]}],
    }
    stored = {
        "version": 1,
        "tasks": tasks,
        "sources": [
            {"name": "s", "values": [{"letter": "A"}, {"letter": "B"}]},
            {"name": "t", "values": [{"letter": "B"}]},
        ],
        "items": "item",
        "faults": [{"source": "t", "count": 1, "row": 0, "error": "KeyError: 'x'"}],
    }
    table = pa.table(
        {
            "item": pa.array(["one", "two"]),
            "s": pa.array(["B", None]).dictionary_encode(),
            "t": pa.array([None, "B"]).dictionary_encode(),
        }
    )
    path = tmp_path / "votes.parquet"
    pq.write_table(table.replace_schema_metadata({KEY: json.dumps(stored).encode()}), path)
    votes = Votes.from_parquet(path)
    assert votes.codes.tolist() == [[1, -1], [-1, 0]]
    assert votes.items.tolist() == ["one", "two"]
    assert votes.faults == (Fault("t", 1, 0, "KeyError: 'x'"),)


def test_sources_may_be_called_what_the_column_of_items_is_called(tmp_path):
    names = ("item", "item_", "item__", "_item_")
    votes = Votes.from_matrix(pd.DataFrame([[0, 1, 0, 1]], index=["a"]), names=names)
    again = Votes.from_parquet(votes.to_parquet(tmp_path / "votes.parquet"))
    assert again == votes
    assert again.names == names


def test_a_crowd_of_many_is_read_by_its_votes_and_not_by_its_sources(tmp_path, monkeypatch):
    """Else there would be as many pieces as workers, and each would look at the names of all of them."""
    monkeypatch.setattr(pieces, "VOTES_AT_ONCE", 10_000)
    rng = np.random.default_rng(0)
    long = {"item": np.arange(1_200) // 3, "worker": 7 * np.arange(1_200) % 600, "label": rng.integers(0, 2, 1_200)}
    votes = Votes.from_long(long)
    assert votes.is_sparse
    path = votes.to_parquet(tmp_path / "votes.parquet")
    found, items, _ = pieces.pieces_of(path)
    assert (len(list(found)), items) == (1, 400)
    assert [len(part) for piece in found for part in pieces.read(piece)] == [400]
