"""Whatever fails while a file is read names the file, as an error of ours; what is not about the file passes."""

import json

import polars as pl
import pytest

from assay._core.reading import is_file, reading
from assay.errors import AssayError, DataError, VoteError

PanicException = type("PanicException", (BaseException,), {})  # as polars raises it

FAILURES = [KeyError("x"), TypeError("x"), OverflowError("x"), MemoryError(), PanicException("x"), VoteError("x")]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_any_failure_is_ours(failure):
    said = r"^a\.json is not a valid list of votes, or it is damaged: "
    with pytest.raises(DataError, match=said), reading("a.json", "list of votes", DataError):
        raise failure


def test_nesting_without_end():
    with pytest.raises(AssayError, match="nested too deeply"), reading("a.json", "list"):
        json.loads("[" * 100_000)


@pytest.mark.parametrize("other", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_who_stops_the_program_stops_it(other):
    with pytest.raises(other), reading("a.json", "list"):
        raise other


def test_an_error_that_names_the_file_is_not_told_twice():
    with pytest.raises(VoteError, match=r"^a\.json has no votes$"), reading("a.json", "list", VoteError):
        raise VoteError("a.json has no votes")


def test_the_panics_of_polars_are_known_by_their_name():
    assert pl.exceptions.PanicException.__name__ == "PanicException"
    assert not issubclass(pl.exceptions.PanicException, Exception)


def test_files_that_cannot_be(tmp_path):
    assert not is_file(tmp_path / ("x" * 5_000))
    assert not is_file(f"{tmp_path}/a\0b")
