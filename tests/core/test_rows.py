from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay._core.rows import Batch, as_polars, batches, positions_in, records_at, row_count

TABLE = pl.DataFrame({"text": ["a", "b", None, "d", "e"], "class": [1, 2, 3, 4, 5]})


@given(st.integers(1, 7), st.lists(st.integers(0, 4), max_size=4))
def test_batches_are_consecutive_and_no_larger_than_asked(size, lengths):
    frame = pl.DataFrame({"x": range(sum(lengths))}, schema={"x": pl.Int64})
    parts, start = [], 0
    for length in lengths:
        parts.append(frame[start : start + length])
        start += length
    stream = pl.concat([frame[:0], *parts], rechunk=False).to_arrow().to_reader()
    for data in (frame, frame.to_pandas(), frame.to_arrow(), stream, frame.rows(named=True), iter(frame.rows())):
        made = list(batches(data, size))
        assert [batch.start for batch in made] == list(range(0, len(frame), size))
        assert [len(batch) for batch in made] == [min(size, len(frame) - batch.start) for batch in made]
        assert [row[0] if isinstance(row, tuple) else row["x"] for b in made for row in b.rows] == list(
            range(len(frame))
        )


def test_rows_are_asked_by_attribute_and_by_item():
    (batch,) = batches(TABLE)
    row = batch.rows[0]
    assert (row.text, row["text"], row["class"], row[0], *row) == ("a", "a", 1, "a", "a", 1)
    assert batch.rows is batch.rows
    assert batch.rows[2].text is None
    with pytest.raises(AttributeError, match=r"no column 'txt'. Did you mean 'text'"):
        row.txt  # noqa: B018
    with pytest.raises(KeyError, match="Did you mean 'text'"):
        row["txt"]


@given(
    st.lists(
        st.sampled_from(["a", "class", "_x", "_0", "_1", "field_0", "count", "index", "a b", "1", ""]),
        unique=True,
        min_size=1,
    )
)
def test_columns_may_be_called_anything(names):
    (batch,) = batches({name: [number] for number, name in enumerate(names)})
    row = batch.rows[0]
    assert [row[name] for name in names] == list(range(len(names)))
    for number, name in enumerate(names):
        if name in ("a", "field_0", "count", "index"):
            assert getattr(row, name) == number


def test_records_may_lack_keys_and_even_have_none():
    (batch,) = batches([{"a": 1}, {"b": "x"}])
    assert [(row.a, row.b) for row in batch.rows] == [(1, None), (None, "x")]
    assert [len(batch) for batch in batches([{}, {}])] == [2]


def test_objects_stay_what_they_are():
    things = [object(), "text", {"a": 1}]
    (batch,) = batches(things)
    assert batch.rows == things


def test_columns_are_found_once_and_by_near_miss():
    (batch,) = batches(TABLE)
    assert batch.column("text") is batch.column("text")
    with pytest.raises(DataError, match=r"no column 'tex'. Did you mean 'text'"):
        batch.column("tex")
    assert batch.column(lambda row: row["class"] * 2).to_list() == [2, 4, 6, 8, 10]


def test_a_function_that_fails_leaves_a_gap_and_a_note():
    batch = Batch(TABLE)
    batch.start = 10

    def upper(row):
        return row.text.upper()

    assert batch.column(upper).to_list() == ["A", "B", None, "D", "E"]
    assert {row: type(error) for row, error in batch.failed[upper].items()} == {12: AttributeError}


def test_a_batch_travels_without_what_was_made_from_it():
    for batch in (Batch(TABLE), Batch.of_records(TABLE.rows(named=True)), Batch(objects=[1, 2])):
        batch.rows  # noqa: B018
        batch.memo[0, 0] = lambda: "cannot be pickled"
        again = pickle.loads(pickle.dumps(batch))
        assert again.memo == {}
        assert [tuple(row) if isinstance(row, tuple) else row for row in again.rows] == batch.rows


def test_row_counts_where_they_are_known(tmp_path):
    TABLE.write_parquet(tmp_path / "rows.parquet")
    TABLE.write_csv(tmp_path / "rows.csv")
    assert row_count(TABLE) == row_count(tmp_path / "rows.parquet") == row_count([1] * 5) == 5
    assert row_count(tmp_path / "rows.csv") is row_count(iter([1])) is row_count(TABLE.lazy()) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 3 is not JSON"),
        ('{"text": "c"', "line 3 is not JSON"),
        ('{"text": "c"} {"text": "d"}', "line 3 is not JSON"),
        ("[1, 2]", "line 3 is not a JSON object, but a list"),
        ('"text"', "line 3 is not a JSON object, but a string"),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_a_broken_line_is_named(tmp_path, line, message, last):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(['{"text": "a"}', "", line, *([] if last else ['{"text": "e"}'])]) + "\n")
    with pytest.raises(DataError, match=rf"rows\.jsonl: {message}"):
        list(batches(path))


def test_files_are_read_whatever_their_last_line_brings(tmp_path):
    csv, jsonl = tmp_path / "rows.csv", tmp_path / "rows.jsonl"
    csv.write_text("id\n" + "1\n" * 2000 + "last\n")
    jsonl.write_text('{"id": 1}\n' * 2000 + '\n{"id": 2, "note": "last"}\n')
    assert as_polars(csv)["id"].to_list()[-1] == "last"
    assert as_polars(jsonl)["note"].to_list()[-2:] == [None, "last"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_damaged_files_are_refused(tmp_path, suffix):
    path = tmp_path / f"rows.{suffix}"
    path.write_bytes(b"\xff\xfe\x00junk,\n\x00\x01,2,3,4\n")
    with pytest.raises(DataError, match=rf"cannot read .*rows\.{suffix}"):
        list(batches(path))
    assert row_count(path) is None


def test_tables_of_any_kind_become_polars():
    for table in (TABLE, TABLE.lazy(), TABLE.to_arrow(), TABLE.to_pandas(), TABLE.to_dict(as_series=False)):
        assert as_polars(table).equals(TABLE)
    assert as_polars({"a": range(3)})["a"].to_list() == [0, 1, 2]
    with pytest.raises(DataError, match="expected a table, but got list"):
        as_polars([1, 2])


def test_long_tables_may_change_type_on_the_way():
    late = pd.DataFrame({"label": np.array([None] * 40_000 + ["x"], dtype=object)})
    assert as_polars(late)["label"].to_list()[-1] == "x"


def test_pandas_columns_must_have_different_names():
    with pytest.raises(DataError, match="two columns are called 'a'; rename one"):
        list(batches(pd.DataFrame([[1, 2]], columns=["a", "a"])))


def test_missing_stays_missing_beside_columns_of_objects():
    table = pd.DataFrame({"text": ["a", None], "score": [1.5, np.nan], "tags": [{1}, {"x"}]})
    (batch,) = batches(table)
    assert [(row.text, row.score, row.tags) for row in batch.rows] == [("a", 1.5, {1}), (None, None, {"x"})]
    assert batch.column("text").dtype == pl.String


@given(st.lists(st.none() | st.integers(0, 9), max_size=8), st.lists(st.integers(0, 9), unique=True))
def test_positions(values, among):
    found = positions_in(pl.Series(values, dtype=pl.Int64), pl.Series(among, dtype=pl.Int64))
    assert found.tolist() == [among.index(value) if value in among else -1 for value in values]


class Thing:
    def __init__(self, text):
        self.text = text


@pytest.mark.parametrize(
    "data",
    [
        TABLE,
        TABLE.to_pandas(),
        TABLE.to_arrow(),
        TABLE.rows(named=True),
        iter(TABLE.rows(named=True)),
        pd.DataFrame({"text": ["a", "b", None, "d", "e"], "class": [1, 2, 3, 4, 5], "any": [{1}, {2}, {3}, {4}, {5}]}),
    ],
    ids=["polars", "pandas", "arrow", "dicts", "iterator", "objects"],
)
def test_rows_by_number(data):
    found = records_at(data, [3, 1, 3])
    assert list(found) == [1, 3]
    assert {number: (row["text"], row["class"]) for number, row in found.items()} == {1: ("b", 2), 3: ("d", 4)}


def test_rows_without_columns_by_number():
    assert records_at(["a", "b"], [1]) == {1: {"value": "b"}}
    assert records_at([Thing("a"), Thing("b")], [1]) == {1: {"text": "b"}}
    assert records_at(["a"], []) == {}


def test_no_more_is_read_than_must_be():
    def rows():
        yield from ({"text": str(number)} for number in range(40_000))
        raise AssertionError("read too far")

    assert records_at(rows(), [5]) == {5: {"text": "5"}}
