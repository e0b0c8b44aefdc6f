"""Data of any kind, as batches of rows.

Tables become polars frames, files are read piece by piece, and everything else
that can be iterated is taken as rows.
"""

from __future__ import annotations

import collections
import hashlib
import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.batch_size import BATCH_SIZE
from assay._core.readers import frames, parquet_rows
from assay._core.reading import is_failure, is_file
from assay._core.urls import Url, place_of
from assay.errors import DataError, near_miss

_MOST_ROWS = 2**31 - 1
"""More rows at a time than this no reader can be asked for."""


class Batch:
    """Some consecutive rows, as columns for rules and as objects for functions; each made once.

    A batch lives as long as all sources need it, and so do the results of shared
    preprocessing in ``memo``. It is made of a frame, of columns that have no place
    in one, or of objects.
    """

    def __init__(
        self,
        frame: pl.DataFrame | None = None,
        *,
        columns: dict[str, list[Any]] | None = None,
        objects: list[Any] | None = None,
    ) -> None:
        self.start = 0
        """The number of the first row in all the data."""
        self.memo: dict[tuple[int, int], Any] = {}
        self.frame = frame
        self._columns = columns
        self._objects = objects
        self._rows: list[Any] | None = objects
        self._series: dict[str | Callable[[Any], Any], pl.Series] = {}
        self.failed: dict[Callable[[Any], Any], dict[int, Exception]] = {}
        """Per function that columns were computed by: the rows it failed on, and why."""

    @classmethod
    def of_records(cls, records: list[Any]) -> Batch:
        """A batch of dicts, whose keys become columns, or of any other objects."""
        if not all(isinstance(record, Mapping) for record in records):
            return cls(objects=records)
        names = dict.fromkeys(name for record in records for name in record)
        if not names:  # rows without columns are still rows
            return cls(objects=records)
        return cls(columns={str(name): [record.get(name) for record in records] for name in names})

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: the data, and nothing that is made from it."""
        return {**self.__dict__, "memo": {}, "_rows": self._objects, "_series": {}, "failed": {}}

    def __len__(self) -> int:
        if self.frame is not None:
            return len(self.frame)
        if self._columns is not None:
            return max((len(column) for column in self._columns.values()), default=0)
        return len(self._objects or ())

    @property
    def rows(self) -> list[Any]:
        """The rows as objects: ``row.text`` and ``row["text"]`` both work on those of a table."""
        if self._rows is None:
            columns = self._columns
            if columns is None:
                assert self.frame is not None
                columns = {series.name: series.to_list() for series in self.frame.get_columns()}
            self._rows = list(map(_row_class(tuple(columns)), *columns.values()))
        return self._rows

    def record(self, number: int) -> dict[str, Any]:
        """One row, by its number within the batch, as names and values; a row without names is called ``value``."""
        if self.frame is not None:
            return self.frame.row(number, named=True)
        if self._columns is not None:
            return {name: column[number] for name, column in self._columns.items()}
        row = self.rows[number]
        if isinstance(row, Mapping):
            return {str(name): value for name, value in row.items()}
        return dict(vars(row)) if hasattr(row, "__dict__") else {"value": row}

    def digest(self) -> bytes | None:
        """Tells these rows from any others; None if they are objects of which that cannot be told.

        >>> one, other = (Batch(pl.DataFrame({"text": texts})) for texts in (["a", "b"], ["a", "c"]))
        >>> one.digest() == other.digest(), Batch(objects=[object()]).digest()
        (False, None)
        """
        if self.frame is not None:
            if any(dtype == pl.Object for dtype in self.frame.dtypes):
                return None
            stream = io.BytesIO()
            self.frame.write_ipc_stream(stream)
            return hashlib.sha256(stream.getbuffer()).digest()
        stream = io.BytesIO()
        values = _PlainValues(stream, protocol=5)
        values.fast = True  # equal values have equal bytes, whether they are one object or two
        try:
            values.dump((self._columns, self._objects))
        except Exception:  # whatever objects do when they are looked at
            return None
        return hashlib.sha256(stream.getbuffer()).digest()

    def column(self, on: str | Callable[[Any], Any]) -> pl.Series:
        """A column by name, or computed from the rows by a function; missing where the function fails."""
        if on not in self._series:
            self._series[on] = self._find(on) if isinstance(on, str) else self._computed(on)
        return self._series[on]

    def _computed(self, function: Callable[[Any], Any]) -> pl.Series:
        values, failed = [], {}
        for number, row in enumerate(self.rows, start=self.start):
            try:
                values.append(function(row))
            except Exception as error:
                failed[number] = error
                values.append(None)
        self.failed[function] = failed
        return _series("", values)

    def _find(self, name: str) -> pl.Series:
        columns = self.frame.columns if self.frame is not None else self._columns
        if columns is None:
            return _series(name, [self._attribute(number, name) for number in range(len(self))])
        if name not in columns:
            raise DataError(f"the data has no column {name!r}. {near_miss(name, columns)}")
        return self.frame[name] if self.frame is not None else _series(name, self._columns[name])  # type: ignore[index]

    def _attribute(self, number: int, name: str) -> Any:
        row = self.rows[number]
        if hasattr(row, name):
            return getattr(row, name)
        if isinstance(row, str | bytes | int | float | None):
            raise DataError(f"rows are {type(row).__name__}, which have no column {name!r}; give dicts or a table")
        known = [attribute for attribute in dir(row) if not attribute.startswith("_")]
        raise DataError(f"row {self.start + number} has no attribute {name!r}. {near_miss(name, known)}")


class _PlainValues(pickle.Pickler):
    """Describes values that are nothing but data, and refuses others. Nothing ever reads it."""

    def reducer_override(self, thing: Any) -> Any:
        if (thing if isinstance(thing, type) else type(thing)).__module__ not in _DATA_MODULES and thing is not _scalar:
            raise TypeError(f"{type(thing).__name__} is more than data")
        return NotImplemented


_DATA_MODULES = ("numpy", "numpy._core.multiarray", "datetime", "decimal", "uuid")
"""Whose objects are values like any other."""
_scalar = np.float64(0).__reduce__()[0]
"""What makes a number of NumPy again."""


def batches(data: Any, size: int = BATCH_SIZE) -> Iterator[Batch]:
    """Any data as batches of at most ``size`` rows.

    Parameters
    ----------
    data
        A pandas, polars or any other dataframe; an Arrow table or stream; a DuckDB
        relation; a Hugging Face dataset; an iterable of dicts or objects; or a path
        to a ``.csv``, ``.jsonl`` or ``.parquet`` file, which may be a URL that fsspec can read.
    """
    start = 0
    empty = None
    for batch in _pieces(data, min(size, _MOST_ROWS)):
        if len(batch):
            batch.start = start
            start += len(batch)
            yield batch
        elif batch.frame is not None and batch.frame.columns:
            empty = batch
    if not start and empty is not None:
        # Without rows there are still columns, which a source may miss.
        yield empty


def records_at(data: Any, numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Some rows of any data, by number, as names and values; reads no further than it must.

    >>> records_at([{"text": "a"}, {"text": "b"}, {"text": "c"}], [2, 0])
    {0: {'text': 'a'}, 2: {'text': 'c'}}
    """
    wanted = sorted(set(numbers))
    found: dict[int, dict[str, Any]] = {}
    if not wanted:
        return found
    for batch in batches(data):
        inside = [number for number in wanted if batch.start <= number < batch.start + len(batch)]
        found |= {number: batch.record(number - batch.start) for number in inside}
        if batch.start + len(batch) > wanted[-1]:
            break
    return found


def row_count(data: Any) -> int | None:
    """How many rows there are, where that can be known without reading them."""
    if isinstance(data, str | Path):
        path = place_of(data)
        if path.suffix == ".parquet" and (isinstance(path, Url) or is_file(path)):
            try:
                if isinstance(path, Url):
                    return parquet_rows(path)
                return int(pl.scan_parquet(path).select(pl.len()).collect().item())
            except BaseException as error:  # reported when it is read
                if not is_failure(error):
                    raise
                return None
        return None
    try:
        return len(data)
    except TypeError:
        return None


def as_polars(table: Any) -> pl.DataFrame:
    """A whole table as a polars frame: any dataframe, Arrow, a dict of columns, or a path."""
    if isinstance(table, Mapping):
        try:
            return pl.DataFrame({name: _series(str(name), list(column)) for name, column in table.items()})
        except pl.exceptions.ShapeError as error:
            raise DataError(f"the columns have different lengths: {error}") from error
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        whole = _from_pandas(table)
        return as_polars(whole._columns) if whole.frame is None else whole.frame
    frames = []
    for batch in batches(table):
        if batch.frame is None:
            raise DataError(f"expected a table, but got {type(table).__name__}; give a dataframe or a dict of columns")
        frames.append(batch.frame)
    return pl.concat(frames) if frames else pl.DataFrame()


def positions_in(values: pl.Series, among: pl.Series) -> npt.NDArray[np.int64]:
    """(n,): where each value is found in ``among``, whose values are distinct; −1 where it is not."""
    positions = pl.DataFrame({"key": among, "position": pl.arange(0, len(among), eager=True, dtype=pl.Int64)})
    found = pl.DataFrame({"key": values}).join(positions, on="key", how="left", maintain_order="left")["position"]
    return found.fill_null(-1).to_numpy()


def _pieces(data: Any, size: int) -> Iterator[Batch]:
    if isinstance(data, str | Path):
        yield from (Batch(frame) for frame in frames(place_of(data), size))
    elif isinstance(data, pl.LazyFrame):
        yield from (Batch(frame) for frame in data.collect_batches(chunk_size=size, maintain_order=True))
    elif isinstance(data, pl.DataFrame):
        yield from (Batch(frame) for frame in data.iter_slices(size))
    elif hasattr(data, "with_format") and hasattr(data, "iter"):  # a Hugging Face dataset
        yield from (_from_arrow(piece) for piece in data.with_format("arrow").iter(batch_size=size))
    elif isinstance(data, pl.Series) or (hasattr(data, "iloc") and not hasattr(data, "columns")):
        raise DataError("cannot read rows from a single series; make it a table with .to_frame(), or a list")
    elif hasattr(data, "iloc"):  # pandas and its kin
        for start in range(0, len(data), size):
            yield _from_pandas(data.iloc[start : start + size])
    elif hasattr(data, "__arrow_c_stream__"):
        yield from _stream(data, size)
    elif isinstance(data, Mapping):
        yield from _pieces(as_polars(data), size)
    elif _is_dataframe(data):
        import narwhals as nw

        yield from _pieces(nw.from_native(data).lazy().collect().to_polars(), size)
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        rows = iter(data)
        while piece := list(islice(rows, size)):
            yield Batch.of_records(piece)
    else:
        raise DataError(
            f"cannot read rows from {type(data).__name__}; expected a dataframe, an Arrow table or stream, "
            "an iterable of dicts or objects, or a path to a .csv, .jsonl or .parquet file"
        )


def _is_dataframe(data: Any) -> bool:
    import narwhals as nw

    return not isinstance(nw.from_native(data, pass_through=True), type(data))


def _from_arrow(table: Any) -> Batch:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return Batch(frame)


def _from_pandas(table: Any) -> Batch:
    try:
        return Batch(pl.from_pandas(table))
    except Exception:  # columns of arbitrary objects have no Arrow type: their rows are still rows
        if not table.columns.is_unique:
            raise DataError(
                f"two columns are called {table.columns[table.columns.duplicated()][0]!r}; rename one of them"
            ) from None
        table = table.astype(object).where(table.notna(), None)
        return Batch(columns={str(name): table[name].tolist() for name in table.columns})


def _stream(data: Any, size: int) -> Iterator[Batch]:
    """An Arrow stream regrouped to ``size`` rows, holding no more than that and one piece of the stream."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    count = 0
    for piece in pa.RecordBatchReader.from_stream(data):
        while len(piece):
            room = min(size - count, len(piece))
            held.append(piece.slice(0, room))
            piece, count = piece.slice(room), count + room
            if count == size:
                yield _from_arrow(pa.Table.from_batches(held))
                held, count = [], 0
    if held:
        yield _from_arrow(pa.Table.from_batches(held))


def _series(name: str, values: list[Any]) -> pl.Series:
    for candidate in (values, [None if isinstance(v, float) and v != v else v for v in values]):
        try:
            return pl.Series(name, candidate)
        except (TypeError, pl.exceptions.PolarsError):  # NaN among strings is how pandas marks missing ones
            continue
    return pl.Series(name, values, dtype=pl.Object)


def _row_class(names: tuple[str, ...]) -> type[Any]:
    """A named tuple whose fields can be asked for by attribute and, whatever they are called, by item."""
    base: Any = collections.namedtuple("Row", names, rename=True)  # type: ignore[misc]  # noqa: PYI024  known at run time only
    positions = {name: position for position, name in enumerate(names)}

    class Row(base):
        __slots__ = ()
        _names = names

        def __getitem__(self, key: str | int) -> Any:  # type: ignore[override]
            if isinstance(key, str):
                if key not in positions:
                    raise KeyError(f"no column {key!r}. {near_miss(key, names)}")
                return tuple.__getitem__(self, positions[key])
            return tuple.__getitem__(self, key)

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"no column {name!r}. {near_miss(name, names)}")

    return Row
