"""Texts as bags of n-grams: hashed, and weighted by how rare they are (TF-IDF)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.stored_arrays import stored_array
from assay._core.threads import parallel_map, ranges, thread_count
from assay.endmodel.encoder import Encoder, Learned, Reader
from assay.endmodel.hashed_texts import AT_ONCE, HashedPart, HashedTexts
from assay.endmodel.ngram_kernels import (
    checksum_table,
    count_ngrams,
    hash_ngrams,
    pack,
    weigh_ngrams,
    word_characters,
)
from assay.errors import AssayError

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import SparseInputs

IntArray = npt.NDArray[np.int64]
_NONE = (1, 0)
"""The lengths of no n-grams at all."""
_WORTH_THREADS = 512
_MOST_AHEAD = 20_000_000
"""Of texts with more characters than this no hashes are kept: these take up 14 to 21 bytes a character."""
_MOST_LISTED = 2**24
"""Of no more buckets than this there are tables."""


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
        counter = NGramCounter(self)
        for part in self.parts(data):
            counter.add_hashed(part)
        return counter.reader()

    def learn_and_read(self, data: Any) -> tuple[NGramReader, SparseInputs]:
        """Both at once: each text is hashed once, unless that would take up too much memory."""
        ahead = self.read_ahead(data)
        reader = self.learn(ahead)
        return reader, reader.read(ahead)

    def read_ahead(self, data: Any) -> Any:
        """Texts of which only n-grams are left, which :meth:`learn` and a reader take in place of texts.

        If that would take up too much memory, the data as it is.
        """
        from assay.endmodel.texts import texts_of

        if isinstance(data, HashedTexts):
            return data
        texts = texts_of(data, self.column)
        return HashedTexts.of(self, texts) if sum(map(len, texts)) <= _MOST_AHEAD else texts

    def parts(self, data: Any) -> Iterator[HashedPart]:
        """The n-grams of :data:`AT_ONCE` texts at a time."""
        from assay.endmodel.texts import texts_of

        if isinstance(data, HashedTexts):
            yield from data.parts(self)
            return
        texts = texts_of(data, self.column)
        for at in range(0, len(texts), AT_ONCE):
            yield HashedPart(*self.counts(texts[at : at + AT_ONCE]))

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
        read = [text.lower() for text in texts] if self.lowercase else texts
        codes = np.frombuffer("".join(read).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        ends = np.cumsum(np.fromiter(map(len, read), dtype=np.int64, count=len(read)))
        known, table = word_characters(), checksum_table()
        of_words, of_characters = (_NONE if given is None else given for given in (self.words, self.characters))
        parts = ranges(len(texts), thread_count() if len(texts) >= _WORTH_THREADS else 1)
        most = np.empty(len(texts), dtype=np.int64)
        parallel_map(lambda p: count_ngrams(codes, ends, known, p.start, p.stop, of_words, of_characters, most), parts)
        begins = np.cumsum(most) - most
        hashes, times = np.empty(most.sum(), dtype=np.int64), np.empty(most.sum(), dtype=np.float32)
        sizes = np.empty(len(texts), dtype=np.int64)
        parallel_map(
            lambda p: hash_ngrams(
                codes,
                ends,
                known,
                table,
                p.start,
                p.stop,
                of_words,
                of_characters,
                self.buckets,
                begins,
                hashes,
                times,
                sizes,
            ),
            parts,
        )
        starts = np.concatenate([[0], np.cumsum(sizes)])
        own_hashes, own_times = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.float32)
        parallel_map(
            lambda p: pack(begins, sizes, hashes, times, starts, p.start, p.stop, own_hashes, own_times), parts
        )
        return starts, own_hashes, own_times


class NGramCounter:
    """Counts in how many texts each n-gram is, part by part; what it holds does not grow with the number of texts."""

    def __init__(self, encoder: NGrams) -> None:
        self._encoder = encoder
        self._texts = 0
        self._table = np.zeros(2 * encoder.buckets if encoder.buckets <= _MOST_LISTED else 0, dtype=np.int64)
        self._counts: Counter[int] = Counter()
        """In place of the table, where that would be too large."""

    def add(self, texts: list[str]) -> None:
        """Count more texts."""
        self.add_hashed(HashedPart(*self._encoder.counts(texts)))

    def add_hashed(self, part: HashedPart) -> None:
        """Count more texts, by their n-grams."""
        self._texts += len(part)
        if len(self._table):
            self._table += np.bincount(part.hashes, minlength=len(self._table))
        else:
            self._counts.update(part.hashes.tolist())

    def reader(self) -> NGramReader:
        """What was learned from all of them."""
        if len(self._table):
            kinds = np.flatnonzero(self._table)
            found = self._table[kinds]
        else:
            kinds = np.array(sorted(self._counts), dtype=np.int64)
            found = np.array([self._counts[kind] for kind in kinds.tolist()], dtype=np.int64)
        kept = found >= self._encoder.min_count
        if not kept.any():
            raise AssayError(
                f"none of the {self._texts} texts has an n-gram that is in {self._encoder.min_count} or more of them; "
                "lower min_count, or look at the texts"
            )
        rarity = np.log((1 + self._texts) / (1 + found[kept])) + 1
        return NGramReader(self._encoder, kinds[kept], rarity.astype(np.float32))


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
        from assay.endmodel.inputs import SparseInputs

        return SparseInputs(*self.rows(data))

    def rows(self, data: Any) -> tuple[IntArray, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """The same as a CSR matrix: where rows begin, columns, values."""
        sizes = [np.zeros(1, dtype=np.int64)]
        columns, values = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.float32)]
        for part in self.encoder.parts(data):
            starts, own, weights = self._read(part)
            sizes.append(np.diff(starts))
            columns.append(own)
            values.append(weights)
        return np.cumsum(np.concatenate(sizes)), np.concatenate(columns), np.concatenate(values)

    def _read(self, part: HashedPart) -> tuple[IntArray, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        columns = self._columns(part.hashes)
        known = columns >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[part.starts]
        columns, times = columns[known], part.times[known]
        values = np.empty(len(columns), dtype=np.float32)
        parts = ranges(len(part), thread_count() if len(part) >= _WORTH_THREADS else 1)
        is_character = self.kinds >= self.encoder.buckets
        parallel_map(
            lambda p: weigh_ngrams(starts, columns, times, self.rarity, is_character, p.start, p.stop, values), parts
        )
        return starts, columns, values

    def _columns(self, hashes: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
        """The column of each n-gram, −1 for those that were not seen in training."""
        if self._column_of is not None:
            listed: npt.NDArray[np.int32] = self._column_of[hashes]
            return listed
        columns = np.minimum(np.searchsorted(self.kinds, hashes), len(self.kinds) - 1)
        return np.where(self.kinds[columns] == hashes, columns, -1).astype(np.int32)

    @cached_property
    def _column_of(self) -> npt.NDArray[np.int32] | None:
        """(hashes,): their columns, unless there are too many to list."""
        if self.encoder.buckets > _MOST_LISTED:
            return None
        listed = np.full(2 * self.encoder.buckets, -1, dtype=np.int32)
        listed[self.kinds] = np.arange(len(self.kinds), dtype=np.int32)
        return listed

    def body(self) -> nn.Module:
        """Nothing: the first layer reads n-grams."""
        from torch import nn

        return nn.Identity()

    def learned(self) -> Learned:
        """The n-grams and their rarity."""
        return Learned({}, {"kinds": self.kinds, "rarity": self.rarity})


def _is_range(lengths: Any) -> bool:
    """Whether these are two positive integers, the first no larger."""
    if not isinstance(lengths, tuple) or len(lengths) != 2 or not all(isinstance(length, int) for length in lengths):
        return False
    return bool(1 <= lengths[0] <= lengths[1])
