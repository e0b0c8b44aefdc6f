"""Texts as bags of n-grams: hashed, and weighed by how rare they are (TF-IDF)."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from assay.endmodel.encoder import Encoder, Learned, Reader, named
from assay.errors import AssayError

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import SparseInputs

IntArray = npt.NDArray[np.int64]
_WORD = re.compile(r"\w+")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, kw_only=True)
class NGrams(Encoder):
    """Texts as bags of n-grams, hashed and weighed by TF-IDF: the fast default.

    Without shared layers above it, the end model is linear in the n-grams; with
    ``EndModel(..., layers=(200, 50))`` it is a multi-layer perceptron.

    Parameters
    ----------
    shortest, longest
        How many neighbouring units an n-gram has.
    unit
        ``"word"``, or ``"character"``, which are counted with the spaces around words.
    buckets
        How many different hashes there are. Only those seen in training take up memory.
    min_count
        An n-gram that is in fewer texts than this is left out.
    lowercase
        Whether capital letters are the same as small ones.
    column
        The column of texts, where data is given as a table, a file or rows.

    >>> NGrams(longest=1).learn(["a rose is a rose", "an apple"]).width
    5
    """

    shortest: int = 1
    longest: int = 2
    unit: Literal["word", "character"] = "word"
    buckets: int = 2**20
    min_count: int = 1
    lowercase: bool = True
    column: str = "text"

    def __post_init__(self) -> None:
        if self.unit not in ("word", "character"):
            raise AssayError(f"unit must be 'word' or 'character', but is {self.unit!r}")
        if not 1 <= self.shortest <= self.longest:
            raise AssayError(
                f"an n-gram has from shortest to longest units, at least one, "
                f"but these are {self.shortest!r} and {self.longest!r}"
            )
        if self.buckets < 1 or self.min_count < 1:
            raise AssayError(
                f"buckets and min_count are whole numbers from 1, but are {self.buckets!r} and {self.min_count!r}"
            )

    def learn(self, data: Any) -> NGramReader:
        """Find out which n-grams there are, and how rare they are."""
        from assay.endmodel.inputs import texts_of

        texts = texts_of(data, self.column)
        _, hashes, _ = self.counts(texts)
        kinds, found = np.unique(hashes, return_counts=True)
        kept = found >= self.min_count
        if not kept.any():
            raise AssayError(
                f"none of the {len(texts)} texts has an n-gram that is in {self.min_count} or more of them; "
                "lower min_count, or look at the texts"
            )
        rarity = np.log((1 + len(texts)) / (1 + found[kept])) + 1
        return NGramReader(self, kinds[kept], rarity.astype(np.float32))

    def restore(self, learned: Learned) -> NGramReader:
        """The reader that had learned this."""
        kinds, rarity = named(learned.arrays, "kinds", "rarity")
        return NGramReader(self, kinds, rarity)

    def counts(self, texts: list[str]) -> tuple[IntArray, IntArray, npt.NDArray[np.float32]]:
        """Which n-grams each text has, and how often: where texts begin, hashes, counts."""
        units, sizes = self._units(texts)
        row = np.repeat(np.arange(len(texts)), sizes)
        pairs = []
        code = units
        for length in range(1, self.longest + 1):
            last = row[length - 1 :]
            first = row[: len(last)]
            inside = first == last
            if length > 1:
                code = _mixed(code[: len(last)], units[length - 1 :])
            if length >= self.shortest:
                hashed = (code[inside] % np.uint64(self.buckets)).astype(np.int64)
                pairs.append(first[inside] * self.buckets + hashed)
        both, times = np.unique(np.concatenate(pairs), return_counts=True)
        starts = np.searchsorted(both, np.arange(len(texts) + 1) * self.buckets)
        return starts.astype(np.int64), both % self.buckets, times.astype(np.float32)

    def _units(self, texts: list[str]) -> tuple[npt.NDArray[np.uint64], IntArray]:
        """A hash for each unit of each text, and how many units each text has."""
        numbers: dict[str, int] = {}
        found: list[int] = []
        sizes = np.empty(len(texts), dtype=np.int64)
        for row, text in enumerate(texts):
            words = _WORD.findall(text.lower() if self.lowercase else text)
            units = words if self.unit == "word" else " ".join(["", *words, ""])
            found += [numbers.setdefault(unit, len(numbers)) for unit in units]
            sizes[row] = len(units)
        # Not Python's hash, which differs from one process to the next.
        hashes = np.array([zlib.crc32(unit.encode()) for unit in numbers], dtype=np.uint64)
        return (hashes * _MIX)[np.array(found, dtype=np.int64)] if found else hashes[:0], sizes


@dataclass(frozen=True, eq=False)
class NGramReader(Reader):
    """Knows n-grams and how rare they are."""

    encoder: NGrams
    kinds: IntArray
    """(features,): the hashes seen in training, ascending."""
    rarity: npt.NDArray[np.float32]
    """(features,): the inverse document frequencies."""
    is_sparse = True

    @property
    def width(self) -> int:  # type: ignore[override]
        """The number of n-grams."""
        return len(self.kinds)

    def read(self, data: Any) -> SparseInputs:
        """Texts as rows of length one; n-grams that were not seen in training are left out."""
        from assay.endmodel.inputs import SparseInputs, texts_of

        starts, hashes, times = self.encoder.counts(texts_of(data, self.encoder.column))
        columns = np.minimum(np.searchsorted(self.kinds, hashes), len(self.kinds) - 1)
        known = self.kinds[columns] == hashes
        starts = np.concatenate([[0], np.cumsum(known)])[starts]
        columns = columns[known].astype(np.int32)
        values = times[known] * self.rarity[columns]
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        norms = np.sqrt(np.bincount(row, values.astype(np.float64) ** 2, minlength=len(starts) - 1))
        return SparseInputs(starts, columns, (values / norms[row]).astype(np.float32))

    def body(self) -> nn.Module:
        """Nothing: the first layer reads n-grams."""
        from torch import nn

        return nn.Identity()

    def learned(self) -> Learned:
        """The n-grams and their rarity."""
        return Learned({}, {"kinds": self.kinds, "rarity": self.rarity})


def _mixed(left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A hash of two in a row; which comes first matters."""
    mixed = (left ^ (left >> np.uint64(29))) * _MIX + right
    return mixed ^ (mixed >> np.uint64(32))
