"""Items on disk, dealt at random into parts that fit into memory: what training on a stream reads in each epoch.

A stream may be sorted, so that a buffer of its rows holds one label only. Dealt into parts by a random number for each
row, every part is a sample of all rows; parts come in another order in each epoch, and so do the rows of each.
"""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay._core.reading import reading
from assay.endmodel.calibration import random_keys
from assay.endmodel.streams import Part
from assay.labels import Labels
from assay.tasks import TaskGraph

IntArray = npt.NDArray[np.int64]
_ROWS = 32_768
"""About how many rows a part should have."""
_MOST_PARTS = 256
"""Each is an open file while items are dealt."""


@dataclass(frozen=True, eq=False)
class StoredItems:
    """The items of a part."""

    rows: IntArray
    """(items,): their numbers among all rows of the data."""
    texts: list[str]
    labels: Labels

    def where(self, chosen: npt.NDArray[np.bool_]) -> StoredItems:
        """Some of them."""
        texts = [text for text, is_chosen in zip(self.texts, chosen.tolist(), strict=True) if is_chosen]
        labels = Labels(self.labels.tasks, tuple(joint[chosen] for joint in self.labels.joint))
        return StoredItems(self.rows[chosen], texts, labels)


@dataclass(frozen=True, eq=False)
class Spool:
    """Parts on disk."""

    tasks: TaskGraph
    paths: tuple[Path, ...]
    checksums: tuple[int, ...]
    rows: tuple[IntArray, ...]
    """Per part the numbers of its rows."""
    digest: str
    """Of all that was written."""

    @property
    def items(self) -> int:
        """How many there are in all."""
        return sum(map(len, self.rows))

    def read(self, number: int) -> StoredItems:
        """The items of a part, if they are as they were written."""
        path = self.paths[number]
        with reading(path, "part of the items to train on"):
            raw = path.read_bytes()
            if crc32(raw) != self.checksums[number]:
                raise ValueError("it does not hold what was written to it")
            with pa.ipc.open_file(pa.BufferReader(raw)) as file:
                table = file.read_all()
        sizes = [len(component) for component in self.tasks.label_space.components]
        cells = table.column("joint").combine_chunks().flatten().to_numpy(zero_copy_only=False)
        joint = cells.reshape(-1, sum(sizes)).astype(np.float64)
        ends = np.cumsum(sizes)
        parts = tuple(joint[:, end - size : end] for end, size in zip(ends.tolist(), sizes, strict=True))
        return StoredItems(table.column("row").to_numpy(), table.column("text").to_pylist(), Labels(self.tasks, parts))


class SpoolWriter:
    """Deals items into parts on disk."""

    def __init__(self, folder: Path, tasks: TaskGraph, expected: int | None, seed: int) -> None:
        """Into as many parts as ``expected`` items need."""
        count = _MOST_PARTS if expected is None else max(1, min(_MOST_PARTS, -(-expected // _ROWS)))
        self._tasks, self._seed = tasks, seed
        self._width = sum(len(component) for component in tasks.label_space.components)
        self._paths = tuple(folder / f"part-{number:03}.arrow" for number in range(count))
        self._rows: list[list[IntArray]] = [[] for _ in self._paths]
        self._digest = hashlib.sha256()
        joint = pa.list_(pa.float32(), self._width)
        self._schema = pa.schema([("row", pa.int64()), ("text", pa.large_string()), ("joint", joint)])
        self._files = ExitStack()
        self._writers = [self._opened(path) for path in self._paths]

    def _opened(self, path: Path) -> Any:
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        file = self._files.enter_context(pa.OSFile(str(path), "wb"))
        return self._files.enter_context(pa.ipc.new_file(file, self._schema, options=options))

    def add(self, part: Part) -> None:
        """Deal the items of a part of the stream that have labels."""
        rows = part.start + part.rows
        joint = np.concatenate([each.astype(np.float32) for each in part.labels.joint], axis=1)
        texts = [_storable(part.texts[row]) for row in part.rows.tolist()]
        self._digest.update(rows.tobytes() + joint.tobytes())
        self._digest.update("\0".join(texts).encode())
        own = (random_keys(rows.astype(np.uint64), self._seed) % np.uint64(len(self._paths))).astype(np.int64)
        order = np.argsort(own, kind="stable")
        ends = np.cumsum(np.bincount(own, minlength=len(self._paths)))
        for number, chosen in enumerate(np.split(order, ends[:-1])):
            if len(chosen):
                columns = [
                    pa.array(rows[chosen]),
                    pa.array([texts[at] for at in chosen.tolist()], type=pa.large_string()),
                    pa.FixedSizeListArray.from_arrays(pa.array(joint[chosen].ravel()), self._width),
                ]
                self._writers[number].write_batch(pa.record_batch(columns, schema=self._schema))
                self._rows[number].append(rows[chosen])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

    def finish(self) -> Spool:
        """Close the files; what they hold."""
        self._files.close()
        empty = np.zeros(0, dtype=np.int64)
        rows = tuple(np.concatenate([empty, *each]) for each in self._rows)
        checksums = tuple(crc32(path.read_bytes()) for path in self._paths)
        return Spool(self._tasks, self._paths, checksums, rows, self._digest.hexdigest())


def _storable(text: str) -> str:
    """A text as UTF-8 has it: lone surrogates, which are no words, become question marks."""
    return text.encode("utf-8", "replace").decode() if _has_surrogate(text) else text


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def share_of(keys: npt.NDArray[np.uint64], share: float) -> npt.NDArray[np.bool_]:
    """(keys,): which of random keys belong to a share of all."""
    return np.asarray((keys >> np.uint64(11)) < np.uint64(share * 2**53))
