"""Names of items, from a column or an index, whatever becomes of their rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, VoteError
from assay.sources.naming import names_in

TASKS = assay.TaskGraph.flat("mail", ["ham", "spam"])
PRIZE = assay.keywords(["prize"], "spam", on="text", name="prize")


def table(names) -> pl.DataFrame:
    return pl.DataFrame({"id": names, "text": ["a prize" if at % 2 else "hello" for at in range(len(names))]})


@given(st.lists(st.text(max_size=5), min_size=1, unique=True), st.integers(1, 5))
def test_names_are_those_of_the_column_however_rows_are_cut(names, size):
    votes = assay.apply(PRIZE, table(names), TASKS, id="id", batch_size=size)
    assert votes.items.tolist() == names
    assert votes.store.dense().tolist() == assay.apply(PRIZE, table(names), TASKS).codes.tolist()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_names_come_from_files_and_stay_with_votes_labels_and_their_files(kind, tmp_path):
    names = [f"doc-{number}" for number in range(50)]
    frame = table(names)
    path = tmp_path / f"data.{kind}"
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[kind](path)
    votes = assay.apply(PRIZE, path, TASKS, id="id", batch_size=7, workers=2)
    assert votes.items.tolist() == names
    assert assay.Votes.from_parquet(votes.to_parquet(tmp_path / "votes.parquet")) == votes
    labels = assay.MajorityVote().fit(votes).label(votes)
    assert assay.Labels.from_parquet(labels.to_parquet(tmp_path / "labels.parquet")).items.tolist() == names
    assert names_in(path, "id").tolist() == names
    assert names_in(path, "name") is None


def test_a_repeated_name_is_refused_with_its_rows():
    with pytest.raises(VoteError, match=r"the column 'id' must have a value of its own .* rows 1 and 4 are both 'b'"):
        assay.apply(PRIZE, table(["a", "b", "c", "d", "b"]), TASKS, id="id", batch_size=2)


@pytest.mark.parametrize("names", [["a", "b", None, "d"], [0.0, 1.0, float("nan"), 2.0]])
def test_a_missing_name_is_refused_with_its_row(names):
    with pytest.raises(VoteError, match="the column 'id' must have a value for each item, but row 2 has none"):
        assay.apply(PRIZE, table(names), TASKS, id="id", batch_size=2)


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(DataError, match=r"no column 'idd'\. Did you mean 'id'"):
        assay.apply(PRIZE, table(["a"]), TASKS, id="idd")
    with pytest.raises(DataError, match="id must be the name of a column, but got 3"):
        assay.apply(PRIZE, table(["a"]), TASKS, id=3)


def test_names_of_several_kinds_are_texts():
    rows = [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}, {"id": "x", "text": "prize"}]
    assert assay.apply(PRIZE, rows, TASKS, id="id", batch_size=2).items.tolist() == ["1", "2", "x"]


def test_no_rows_have_no_names():
    assert assay.apply(PRIZE, table([]), TASKS, id="id").items.tolist() == []


def test_the_index_of_pandas_names_items_unless_it_only_numbers_them():
    frame = table(range(6)).to_pandas()
    assert assay.apply(PRIZE, frame, TASKS).items is None
    assert assay.apply(PRIZE, frame[frame["text"] == "a prize"], TASKS).items.tolist() == [1, 3, 5]
    assert assay.apply(PRIZE, frame[2:4], TASKS).items.tolist() == [2, 3]
    lettered = frame.set_index(pd.Index(list("abcdef")))
    assert assay.apply(PRIZE, lettered, TASKS, batch_size=2).items.tolist() == list("abcdef")
    assert assay.apply(PRIZE, frame[2:4].assign(name=["x", "y"]), TASKS, id="name").items.tolist() == ["x", "y"]
    days = frame.set_index(pd.date_range("2024-01-01", periods=6))
    assert assay.apply(PRIZE, days, TASKS).items[0] == "2024-01-01 00:00:00"


def test_an_index_that_repeats_is_refused_with_advice_before_any_work_is_done():
    frame = table(range(3)).to_pandas()
    asked = []

    @assay.source(task="mail")
    def counting(row):
        asked.append(row)

    with pytest.raises(VoteError, match=r"the index must .* rows 0 and 3 are both 0; call .reset_index\(drop=True\)"):
        assay.apply(counting, pd.concat([frame, frame]), TASKS)
    assert not asked
    assert assay.apply(PRIZE, pd.concat([frame, frame], ignore_index=True), TASKS).items is None


def test_unsigned_and_huge_numbers():
    assert assay.apply(PRIZE, table(pl.Series([3, 1], dtype=pl.UInt64)), TASKS, id="id").items.dtype == np.int64
    huge = [{"id": 2**70, "text": "a"}, {"id": 1, "text": "b"}]
    assert assay.apply(PRIZE, huge, TASKS, id="id").items.tolist() == [str(2**70), "1"]
