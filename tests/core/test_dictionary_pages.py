"""Columns of few texts are decoded to what pyarrow reads, or left to it."""

import string
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core.dictionary_pages import codes_of_texts

Texts = list[tuple[int, list[str]]]


def decoded(path: Path, texts: Texts, groups: list[int] | None = None) -> npt.NDArray[np.int8] | None:
    footer = pq.read_metadata(path)
    return codes_of_texts(path, footer, range(footer.num_row_groups) if groups is None else groups, texts)


def column(numbers: npt.NDArray[np.integer], texts: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(numbers), pa.array(texts))


def written(path: Path, numbers: npt.NDArray[np.integer], texts: list[list[str]], **options: object) -> Path:
    """(rows, columns) numbers of texts, in columns without nulls."""
    columns = [column(numbers[:, at], names) for at, names in enumerate(texts)]
    schema = pa.schema([pa.field(str(at), one.type, nullable=False) for at, one in enumerate(columns)])
    group = options.pop("row_group_size", None)
    with pq.ParquetWriter(path, schema, **{"compression": "zstd", "write_page_checksum": True, **options}) as file:
        file.write_table(pa.table(columns, schema), row_group_size=group)
    return path


def runs(rows: int, texts: int, stay: float, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Numbers that stay as they are in a share of the rows, so that some are packed and others run."""
    drawn = random.integers(0, texts, rows)
    changes = np.maximum.accumulate(np.where(random.random(rows) < stay, 0, np.arange(rows)))
    return drawn[changes]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@settings(max_examples=60)
@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 7, 8, 63, 64, 500, 3_001]),
    st.sampled_from(["zstd", "snappy", "none"]),
    st.sampled_from([40, 1_000, 2**20]),
    st.sampled_from([None, 64, 777]),
)
def test_it_is_what_was_written(folder, seed, rows, compression, page, group):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 128, size=4)
    texts = [[f"{number} {string.punctuation} é" for number in range(size)] for size in sizes]
    numbers = np.column_stack([runs(rows, size, random.choice([0, 0.5, 0.95, 1]), random) for size in sizes])
    options = {"compression": compression, "data_page_size": page, "row_group_size": group}
    path = written(folder / "some.parquet", numbers, texts, **options)

    found = decoded(path, list(enumerate(texts)))
    if found is None:
        assert page < 2**20, "only small pages are left to pyarrow"
        return
    assert np.array_equal(found, numbers)
    # The order of texts in a file is nobody's business, and columns may be left out.
    turned = [(1, texts[1][::-1]), (3, texts[3])]
    last = pq.read_metadata(path).num_row_groups - 1
    first = rows - pq.read_metadata(path).row_group(last).num_rows
    expected = np.column_stack([len(texts[1]) - 1 - numbers[:, 1], numbers[:, 3]])[first:]
    assert np.array_equal(decoded(path, turned, [last]), expected)


def test_damaged_files_are_left_to_pyarrow_or_read_as_they_were(folder):
    """Whichever byte changes: pages have checksums, and what a header says has to agree with the footer."""
    random = np.random.default_rng(0)
    texts = [["", "a", "b"], ["", "c"]]
    numbers = np.column_stack([runs(300, len(names), 0.3, random) for names in texts])
    path = written(folder / "whole.parquet", numbers, texts)
    whole, footer = path.read_bytes(), pq.read_metadata(path)
    refused = 0
    for at in range(4, len(whole) - footer.serialized_size - 8):
        for value in (whole[at] ^ 1, whole[at] ^ 128, 255):
            damaged = folder / "damaged.parquet"
            damaged.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            found = codes_of_texts(damaged, footer, [0], list(enumerate(texts)))
            assert found is None or np.array_equal(found, numbers)
            refused += found is None
    assert refused > 100


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"0": pa.array(["a", None, "b"]).dictionary_encode()}),
        pa.table({"0": pa.array([1, 2, 3])}),
        pa.table({"0": pa.array([["a"], ["b"], ["a"]])}),
        pa.table({"0": pa.array(["a", "b", "c"]).dictionary_encode()}),
        pa.table({"0": pa.array([b"a", b"\xff", b"a"])}),
        pa.table({"0": pa.array([], pa.string())}),
    ],
    ids=["nulls", "numbers", "lists", "another text", "no text", "no rows"],
)
def test_what_is_unusual_is_left_to_pyarrow(folder, table):
    path = folder / "unusual.parquet"
    fields = [field.with_nullable(table.column(0).null_count > 0) for field in table.schema]
    pq.write_table(table.cast(pa.schema(fields)), path)
    found = decoded(path, [(0, ["a", "b"])])
    assert found is None or not len(table)


def test_so_are_pages_in_another_encoding(folder):
    numbers = np.zeros((100, 1), dtype=np.int64)
    for options in ({"use_dictionary": False}, {"data_page_version": "2.0"}, {"compression": "gzip"}):
        path = written(folder / "plain.parquet", numbers, [["a"]], **options)
        assert decoded(path, [(0, ["a"])]) is None
    # A dictionary that has grown too large is given up halfway.
    long = [f"{number:>50}" for number in range(100)]
    path = written(folder / "half.parquet", np.arange(100)[:, None], [long], dictionary_pagesize_limit=1_000)
    found = decoded(path, [(0, long)])
    assert found is None or np.array_equal(found[:, 0], np.arange(100))
