"""Texts as bags of n-grams: hashed, and weighted by how rare they are (TF-IDF)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.stored_arrays import stored_array
from assay.endmodel.encoder import Encoder, Learned, Reader
from assay.errors import AssayError

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import SparseInputs

IntArray = npt.NDArray[np.int64]
_WORD = re.compile(r"\w+")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, kw_only=True)
class NGrams(Encoder):
    """Texts as bags of n-grams, hashed and weighted by TF-IDF: the fast default.

    Words and pairs of words say what a text is about; runs of characters make words that
    look alike (``pay``, ``paying``, ``payment``) tell about each other, which matters where
    texts are short. Without shared layers above it, the end model is linear in the n-grams;
    with ``EndModel(..., layers=(200, 50))`` it is a multi-layer perceptron.

    Parameters
    ----------
    words
        The fewest and the most words that an n-gram of words has, or None for none.
    characters
        The same for n-grams of characters, which do not reach beyond a word and the spaces
        around it.
    buckets
        The number of hash buckets, for words and for characters each. Only those seen in training take up memory.
    min_count
        An n-gram that is in fewer texts than this is left out.
    lowercase
        Whether texts are converted to lowercase.
    column
        The column of texts, where data is given as a table, a file or rows.

    >>> NGrams(words=(1, 1), characters=None).learn(["a rose is a rose", "an apple"]).width
    5
    """

    words: tuple[int, int] | None = (1, 2)
    characters: tuple[int, int] | None = (2, 4)
    buckets: int = 2**20
    min_count: int = 1
    lowercase: bool = True
    column: str = "text"

    def __post_init__(self) -> None:
        for name, lengths in (("words", self.words), ("characters", self.characters)):
            if lengths is not None and not _is_range(lengths):
                raise AssayError(
                    f"{name} must be the fewest and the most {name} of an n-gram, such as (1, 2), or None, "
                    f"but is {lengths!r}"
                )
        if self.words is None and self.characters is None:
            raise AssayError("n-grams are of words, of characters or of both, but both are None")
        if self.buckets < 1 or self.min_count < 1:
            raise AssayError(
                f"buckets and min_count must be positive integers, but are {self.buckets!r} and {self.min_count!r}"
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
        kinds = stored_array(learned.arrays, "kinds", (None,), np.int64, low=0)
        rarity = stored_array(learned.arrays, "rarity", (len(kinds),), np.float32, low=0)
        if not len(kinds) or (np.diff(kinds) <= 0).any():
            raise ValueError("'kinds' must be in ascending order, and some")
        return NGramReader(self, kinds, rarity)

    def counts(self, texts: list[str]) -> tuple[IntArray, IntArray, npt.NDArray[np.float32]]:
        """Which n-grams each text has, and how often: where texts begin, hashes, counts.

        Hashes from ``buckets`` on are of characters.
        """
        hashes = 2 * self.buckets
        pairs = []
        if self.words is not None:
            units, sizes = self._words(texts)
            row = np.repeat(np.arange(len(texts)), sizes)
            pairs += [row[at] * hashes + found for at, found in self._hashed(units, row, self.words)]
        if self.characters is not None:
            units, word, row = self._characters(texts)
            pairs += [
                row[at] * hashes + self.buckets + found for at, found in self._hashed(units, word, self.characters)
            ]
        both, times = np.unique(np.concatenate(pairs), return_counts=True)
        starts = np.searchsorted(both, np.arange(len(texts) + 1) * hashes)
        return starts.astype(np.int64), both % hashes, times.astype(np.float32)

    def _hashed(
        self, units: npt.NDArray[np.uint64], within: IntArray, lengths: tuple[int, int]
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """For each length: where n-grams begin, and their hashes; ``within`` says what they may not reach beyond."""
        code = units
        for length in range(1, lengths[1] + 1):
            last = within[length - 1 :]
            if length > 1:
                code = _mixed(code[: len(last)], units[length - 1 :])
            if length >= lengths[0]:
                inside = np.flatnonzero(within[: len(last)] == last)
                yield inside, (code[inside] % np.uint64(self.buckets)).astype(np.int64)

    def _words(self, texts: list[str]) -> tuple[npt.NDArray[np.uint64], IntArray]:
        """A hash for each word of each text, and how many words each text has."""
        numbers: dict[str, int] = {}
        found: list[int] = []
        sizes = np.empty(len(texts), dtype=np.int64)
        for row, text in enumerate(texts):
            words = self._split(text)
            found += [numbers.setdefault(word, len(numbers)) for word in words]
            sizes[row] = len(words)
        # Not Python's hash, which differs from one process to the next.
        hashes = np.array([zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in numbers], dtype=np.uint64)
        return (hashes * _MIX)[np.array(found, dtype=np.int64)] if found else hashes, sizes

    def _characters(self, texts: list[str]) -> tuple[npt.NDArray[np.uint64], IntArray, IntArray]:
        """A hash for each character of each word with a space on both sides; the word and the text that it is in."""
        spaced = [[f" {word} " for word in self._split(text)] for text in texts]
        words = [word for text in spaced for word in text]
        codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        word = np.repeat(np.arange(len(words)), _sizes(len(each) for each in words))
        row = np.repeat(np.arange(len(texts)), _sizes(sum(map(len, text)) for text in spaced))
        return _mixed(codes.astype(np.uint64) * _MIX, codes.astype(np.uint64)), word, row

    def _split(self, text: str) -> list[str]:
        return _WORD.findall(text.lower() if self.lowercase else text)


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
        """Texts as rows, whose words and whose characters have length one each.

        N-grams that were not seen in training are left out.
        """
        from assay.endmodel.inputs import SparseInputs, texts_of

        starts, hashes, times = self.encoder.counts(texts_of(data, self.encoder.column))
        columns = np.minimum(np.searchsorted(self.kinds, hashes), len(self.kinds) - 1)
        known = self.kinds[columns] == hashes
        starts = np.concatenate([[0], np.cumsum(known)])[starts]
        columns = columns[known].astype(np.int32)
        values = times[known] * self.rarity[columns]
        part = 2 * np.repeat(np.arange(len(starts) - 1), np.diff(starts)) + (hashes[known] >= self.encoder.buckets)
        norms = np.sqrt(np.bincount(part, values.astype(np.float64) ** 2))
        return SparseInputs(starts, columns, (values / norms[part]).astype(np.float32))

    def body(self) -> nn.Module:
        """Nothing: the first layer reads n-grams."""
        from torch import nn

        return nn.Identity()

    def learned(self) -> Learned:
        """The n-grams and their rarity."""
        return Learned({}, {"kinds": self.kinds, "rarity": self.rarity})


def _sizes(lengths: Iterable[int]) -> IntArray:
    return np.fromiter(lengths, dtype=np.int64)


def _is_range(lengths: Any) -> bool:
    """Whether these are two positive integers, the first no larger."""
    if not isinstance(lengths, tuple) or len(lengths) != 2 or not all(isinstance(length, int) for length in lengths):
        return False
    return bool(1 <= lengths[0] <= lengths[1])


def _mixed(left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A hash of two in a row; which comes first matters."""
    mixed = (left ^ (left >> np.uint64(29))) * _MIX + right
    return mixed ^ (mixed >> np.uint64(32))
