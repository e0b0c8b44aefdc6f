"""Texts of which only hashed n-grams are left, so that reading them again and again costs little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.endmodel.ngram_kernels import pack
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.endmodel.ngrams import NGrams

IntArray = npt.NDArray[np.int64]
AT_ONCE = 16_384
"""So many texts are read at a time."""
_MOST_SMALL = 2**31


@dataclass(frozen=True, eq=False)
class HashedPart:
    """The n-grams of some texts."""

    starts: IntArray
    """(texts + 1,): where those of each text begin."""
    hashes: npt.NDArray[np.integer]
    times: npt.NDArray[np.float32]
    """How often the text has each."""

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class HashedTexts:
    """Texts as an encoder has hashed them, in parts of :data:`AT_ONCE`; or some of them."""

    encoder: NGrams
    whole: tuple[HashedPart, ...]
    rows: IntArray | None = None
    """Which of all texts, in any order and any number of times; None for each once."""

    @classmethod
    def of(cls, encoder: NGrams, texts: list[str]) -> HashedTexts:
        """Hash texts, each once."""
        dtype = np.int32 if 2 * encoder.buckets <= _MOST_SMALL else np.int64
        parts = (HashedPart(*encoder.counts(texts[at : at + AT_ONCE])) for at in range(0, len(texts), AT_ONCE))
        return cls(encoder, tuple(replace(part, hashes=part.hashes.astype(dtype)) for part in parts))

    def __len__(self) -> int:
        return sum(map(len, self.whole)) if self.rows is None else len(self.rows)

    def take(self, rows: IntArray) -> HashedTexts:
        """Some of the texts."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def parts(self, encoder: NGrams) -> Iterator[HashedPart]:
        """The n-grams of :data:`AT_ONCE` texts at a time, for an encoder that must hash alike."""
        if _hashing(encoder) != _hashing(self.encoder):
            raise AssayError(f"texts that were hashed by {self.encoder} cannot be read by {encoder}; give the texts")
        if self.rows is None:
            yield from self.whole
            return
        for at in range(0, len(self.rows), AT_ONCE):
            yield self._picked(self.rows[at : at + AT_ONCE])

    def _picked(self, rows: IntArray) -> HashedPart:
        sizes = self._sizes[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        hashes, times = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.float32)
        for number, part in enumerate(self.whole):
            here = np.flatnonzero(rows // AT_ONCE == number)
            begins = part.starts[rows[here] % AT_ONCE]
            pack(begins, sizes[here], part.hashes, part.times, starts[here], 0, len(here), hashes, times)
        return HashedPart(starts, hashes, times)

    @property
    def _sizes(self) -> IntArray:
        """(all texts,): how many n-grams each has."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(part.starts) for part in self.whole)])


def _hashing(encoder: NGrams) -> tuple[object, ...]:
    """The settings that decide about hashes."""
    return encoder.words, encoder.characters, encoder.buckets, encoder.lowercase
