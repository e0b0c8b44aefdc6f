"""Columns and arrays: what pyarrow's own conversions give, without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from assay._core.arrow_arrays import as_array, as_column, text_column

TYPES = ["i1", "i2", "i4", "i8", "u1", "u8", "f4", "f8", ">i4"]


@given(st.data(), st.sampled_from(TYPES), st.integers(0, 9))
def test_numbers_are_the_same_there_and_back(data, kind, size):
    values = data.draw(arrays.arrays(kind, size))
    column = as_column(values)
    assert np.isnan(values).any() or column.equals(pa.array(values.astype(values.dtype.newbyteorder("="))))
    back = as_array(column)
    assert back.dtype == values.dtype.newbyteorder("=")
    np.testing.assert_array_equal(back, values)


@given(st.lists(st.booleans(), max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_what_is_missing_is_null_there_and_nan_here(missing, start, stop):
    """In any part of a column too, wherever in a byte its bits begin."""
    values, mask = np.arange(len(missing)) / 4, np.array(missing, dtype=bool)
    column = as_column(values, mask)
    assert column.equals(pa.array(values, mask=mask))
    np.testing.assert_array_equal(as_array(column.slice(start, stop)), column.slice(start, stop).to_numpy(False))


@pytest.mark.parametrize("chunks", [[], [[1, 2]], [[1, 2], [], [3]]])
def test_chunks_are_one_array(chunks):
    column = pa.chunked_array(chunks, type=pa.int16())
    assert as_array(column).tolist() == [number for chunk in chunks for number in chunk]
    assert as_array(column).dtype == np.int16


@pytest.mark.parametrize("values", [[True, False], ["a", "né"], [1, None]])
def test_other_columns_are_converted_as_pyarrow_does(values):
    column = pa.array(values)
    np.testing.assert_array_equal(as_array(column), column.to_numpy(zero_copy_only=False))
    np.testing.assert_array_equal(as_array(as_column(np.array(values, dtype=object))), as_array(column))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=5))
def test_texts(texts):
    assert text_column(texts).equals(pa.array(texts, type=pa.string()))


def test_votes_are_written_and_read_without_pandas(tmp_path):
    program = f"""
import sys, assay
columns = {{"a": ["x", None], "b": [("x", 0.9), None]}}
votes = assay.Votes.from_columns(assay.TaskGraph.flat("letter", ["x", "y"]), columns)
votes.to_parquet({str(tmp_path / "votes.parquet")!r})
assert assay.Votes.from_parquet({str(tmp_path / "votes.parquet")!r}) == votes
print("pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
