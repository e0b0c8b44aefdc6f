"""Files are read piece by piece; where the pieces end must not show."""

import json

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay._core.readers
from assay._core.readers import csv_lines, decoded_bytes, frames
from assay.errors import DataError

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=5),
)
ROWS = st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), SCALARS, min_size=1), min_size=1, max_size=12)
# Fields that a CSV can hold without quoting, some of which look like numbers for a while.
FIELDS = st.sampled_from(["", "1", "-7", "0012", "2.5", "1e3", "true", "False", "x", "N/A", "12345678901234567890"])


@pytest.fixture(params=[1, 30, 16_000_000])
def block_bytes(request, monkeypatch):
    monkeypatch.setattr(assay._core.readers, "BLOCK_BYTES", request.param)
    return request.param


def read(path, rows=5):
    found = list(frames(path, rows))
    assert all(len(frame) <= rows for frame in found)
    assert len({tuple(frame.schema.items()) for frame in found}) <= 1, "one schema for the whole file"
    whole = pl.concat(found) if found else pl.DataFrame()
    return whole.select(sorted(whole.columns))


def in_blocks(path, size):
    whole = assay._core.readers.BLOCK_BYTES
    try:
        assay._core.readers.BLOCK_BYTES = size
        return read(path)
    finally:
        assay._core.readers.BLOCK_BYTES = whole


@given(rows=ROWS)
def test_jsonl_does_not_depend_on_the_blocks(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("f") / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    whole = in_blocks(path, 16_000_000)
    assert len(whole) == len(rows)
    for size in (1, 30):
        assert in_blocks(path, size).equals(whole)


@given(rows=st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=12))
def test_csv_does_not_depend_on_the_blocks(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("f") / "rows.csv"
    path.write_text("left,right\n" + "".join(f"{left},{right}\n" for left, right in rows), encoding="utf-8")
    whole = in_blocks(path, 16_000_000)
    assert len(whole) == len(rows)
    for size in (1, 30):
        assert in_blocks(path, size).equals(whole)


def test_an_identifier_that_turns_into_text_on_the_last_line(tmp_path, block_bytes):
    path = tmp_path / "rows.csv"
    path.write_text("id\n" + "".join(f"{i}\n" for i in range(50)) + "x51\n")
    assert read(path)["id"].to_list() == [*(str(i) for i in range(50)), "x51"]


def test_quoted_line_breaks(tmp_path, block_bytes):
    path = tmp_path / "rows.csv"
    path.write_text('id,text\n1,"two\nlines"\n2,"a ""quoted"" word"\n')
    assert read(path)["text"].to_list() == ["two\nlines", 'a "quoted" word']


def test_parquet_with_a_text_that_is_not_utf_8_is_refused(tmp_path):
    """As one flipped bit makes it; polars would take it, and panic when a source looks at the row."""
    path = tmp_path / "rows.parquet"
    table = pa.table({"text": ["whole", "broken"]})
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, table["text"].chunk(0).buffers()[1], pa.py_buffer(b"whole\xffroken")]
    )
    pq.write_table(pa.table({"text": broken}), path)
    with pytest.raises(DataError, match=r"cannot read .*rows\.parquet: .*UTF8"):
        list(frames(path, 10))


def test_parquet_of_one_row_group(tmp_path, block_bytes):
    path = tmp_path / "rows.parquet"
    frame = pl.DataFrame({"id": range(200), "text": [f"row {i}" for i in range(200)]})
    frame.write_parquet(path, row_group_size=1_000)
    assert read(path, rows=64).equals(frame)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("rows.jsonl", '{"a": 1}\n{"a": \n{"a": 3}\n', "line 2 is not JSON"),
        ("rows.jsonl", '{"a": 1}\n[1, 2]\n', "line 2"),
        ("rows.csv", "a,b\n1,2\n1,2,3\n", "line 3"),
        ("rows.csv", 'a,b\n1,"open\n', "line 2"),
        ("rows.parquet", "no parquet", "cannot read"),
        ("rows.xlsx", "", "expected a file that ends in"),
    ],
)
def test_a_broken_file_says_where(tmp_path, block_bytes, name, content, says):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=says):
        read(path)


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_an_empty_file_has_no_rows(tmp_path, name):
    (tmp_path / name).touch()
    assert read(tmp_path / name).is_empty()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"text,n\ra b,1\rc d,2\r", "lines end in a carriage return alone"),
        (b"\0" * 1_000, "not UTF-8 text: its first line has NUL bytes"),
        ("text,n\na,1\n".encode("utf-16"), "not UTF-8"),
    ],
    ids=["CR", "NUL", "UTF-16"],
)
def test_a_table_that_would_have_no_rows_is_refused(tmp_path, content, says):
    (tmp_path / "rows.csv").write_bytes(content)
    with pytest.raises(DataError, match=says):
        read(tmp_path / "rows.csv")


def test_a_table_without_rows_has_columns(tmp_path):
    (tmp_path / "rows.csv").write_text('text,"a\rb"\n')
    assert read(tmp_path / "rows.csv").columns == ["a\rb", "text"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.ndjson"])
def test_json_without_end_is_refused(tmp_path, name):
    (tmp_path / name).write_text("[" * 100_000)
    with pytest.raises(DataError, match="line 1 is not JSON"):
        read(tmp_path / name)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_what_separates_fields_is_told_by_the_header(tmp_path, block_bytes, mark):
    path = tmp_path / "rows.csv"
    lines = ['\ufeffid{0}text{0}"a, b; c"', '1{0}"one, two; three\tfour\nfive"{0}x', "2{0}{0}y", "3{0}plain{0}z"]
    path.write_text("\n".join(lines).replace("{0}", mark) + "\n", encoding="utf-8")
    found = pl.concat(list(frames(path, 10)))
    assert found.rows() == [(1, "one, two; three\tfour\nfive", "x"), (2, None, "y"), (3, "plain", "z")]
    assert csv_lines(path) == [2, 4, 5]


def test_a_row_with_too_many_fields_is_found_whatever_separates_them(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id;text\n1;a, b, c\n2;a;b\n")
    with pytest.raises(DataError, match="line 3 has 3 fields, but the header has 2"):
        list(frames(path, 10))


def test_a_compressed_file_is_as_large_as_what_it_holds(tmp_path):
    texts = [f"{number:06} " + "the same words again " * 20 for number in range(2_000)]
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"text": texts}).write_parquet(path, compression="zstd")
    assert path.stat().st_size < 0.1 * sum(map(len, texts))
    assert decoded_bytes(path) >= sum(map(len, texts))
    path.write_bytes(b"no Parquet")
    assert decoded_bytes(path) == 10
    (tmp_path / "rows.csv").write_text("text\n")
    assert decoded_bytes(tmp_path / "rows.csv") == 5
