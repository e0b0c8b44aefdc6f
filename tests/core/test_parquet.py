"""Parquet files are written whole or not at all, and read whole or refused."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import VoteError
from assay._core.parquet import read_parquet, write_parquet

TABLE = pa.table({"a": list(range(500)), "b": [f"text {i}" for i in range(500)]})


def test_what_is_written_is_read(tmp_path):
    path = write_parquet(TABLE, tmp_path / "new" / "rows.parquet")
    assert read_parquet(path).equals(TABLE)


def test_a_file_that_is_written_over_is_read_anew(tmp_path):
    """Also in the same moment, and with the same size: what is kept of a footer is found by its bytes."""
    path = tmp_path / "rows.parquet"
    for number in range(20):
        table = TABLE.slice(number, 100).replace_schema_metadata({b"assay.number": b"%02d" % number})
        write_parquet(table, path)
        found = read_parquet(path)
        assert found.equals(table)
        assert found.schema.metadata[b"assay.number"] == b"%02d" % number


def test_a_table_that_cannot_be_written_leaves_the_old_file(tmp_path):
    path = write_parquet(TABLE, tmp_path / "rows.parquet")
    with pytest.raises(AttributeError):
        write_parquet("no table", path)
    assert read_parquet(path).equals(TABLE)
    assert [each.name for each in tmp_path.iterdir()] == ["rows.parquet"]


@given(st.data())
def test_any_file_that_is_cut_short_is_refused_by_name(tmp_path_factory, data):
    path = write_parquet(TABLE, tmp_path_factory.mktemp("cut") / "rows.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(VoteError, match=r"rows\.parquet is not a valid Parquet file"):
        read_parquet(path)


def test_no_file(tmp_path):
    with pytest.raises(VoteError, match="there is no file"):
        read_parquet(tmp_path / "none.parquet")


def test_one_changed_bit_is_noticed_or_changes_nothing(tmp_path):
    columns = {"a": [0.1, 0.2, 0.3] * 20, "b": ["x", None, "y"] * 20}
    table = pa.table(columns).replace_schema_metadata({b"assay.x": b"{}"})
    path = write_parquet(table, tmp_path / "table.parquet")
    raw = path.read_bytes()
    noticed = 0
    for bit in np.random.default_rng(0).integers(8 * len(raw), size=400).tolist():
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            again = read_parquet(path)
            assert again.equals(table)
            assert again.schema.metadata[b"assay.x"] == b"{}"
        except VoteError:
            noticed += 1
    assert noticed > 200


def test_files_without_checksums_can_be_read(tmp_path):
    table = pa.table({"a": [0.1, 0.2]})
    pq.write_table(table, tmp_path / "table.parquet")
    assert read_parquet(tmp_path / "table.parquet").equals(table)
