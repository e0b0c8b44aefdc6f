"""Texts read word by word, forwards and backwards: the paper's encoder."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.stored_arrays import of_type
from assay.endmodel.encoder import Encoder, Learned, Reader
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import TokenInputs

_TOKEN = re.compile(r"\w+|[^\w\s]")
_FIRST_WORD = 2
"""Word numbers from here on are words; 0 is padding and 1 any word that was not seen in training."""


@dataclass(frozen=True, kw_only=True)
class BiLSTM(Encoder):
    """Texts read by a bidirectional LSTM over word embeddings, pooled by their maximum.

    Parameters
    ----------
    embedding
        The size of a word's vector; that of the file, if ``vectors`` names one.
    hidden
        The size of the LSTM in each direction.
    depth
        The number of LSTM layers, 1 or 2.
    vectors
        A word2vec or fastText text file of pretrained vectors: a word and its numbers in each
        line. Vectors of words that it does not have start at random.
    vocabulary
        The maximum size of the vocabulary; the most frequent words are kept.
    min_count
        Words that occur less often than this are left out of the vocabulary.
    longest
        Texts are truncated after this many words.
    lowercase
        Whether texts are converted to lowercase.
    column
        The column of texts, where data is given as a table, a file or rows.

    >>> BiLSTM(embedding=8).learn(["a rose is a rose", "an apple"]).words
    ('a', 'rose', 'an', 'apple', 'is')
    """

    embedding: int = 100
    hidden: int = 150
    depth: int = 1
    vectors: str | None = None
    vocabulary: int = 30_000
    min_count: int = 1
    longest: int = 400
    lowercase: bool = True
    column: str = "text"
    layers = (200, 50)

    def __post_init__(self) -> None:
        for name in ("embedding", "hidden", "vocabulary", "min_count", "longest"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise AssayError(f"{name} must be a positive integer, but is {getattr(self, name)!r}")
        if self.depth not in (1, 2):
            raise AssayError(f"depth must be 1 or 2, but is {self.depth!r}")

    def learn(self, data: Any) -> TextReader:
        """Find out which words there are, and look up their vectors."""
        from assay.endmodel.texts import texts_of

        counts = Counter(word for text in texts_of(data, self.column) for word in self.split(text))
        kept = sorted(
            (word for word, count in counts.items() if count >= self.min_count), key=lambda w: (-counts[w], w)
        )
        words = tuple(kept[: self.vocabulary])
        return TextReader(self, words, None if self.vectors is None else _vectors(Path(self.vectors), words))

    def restore(self, learned: Learned) -> TextReader:
        """The reader that had learned this."""
        # The vectors are part of the weights by now; only their size matters here.
        words, size = of_type(tuple[str, ...], learned.said["words"]), of_type(int, learned.said["embedding"])
        known = None if self.vectors is None else np.zeros((len(words), size), dtype=np.float32)
        return TextReader(self, words, known)

    def split(self, text: str) -> list[str]:
        """The words of a text, and its punctuation marks."""
        return _TOKEN.findall(text.lower() if self.lowercase else text)[: self.longest]


@dataclass(frozen=True, eq=False)
class TextReader(Reader):
    """Knows words by number."""

    encoder: BiLSTM
    words: tuple[str, ...]
    vectors: npt.NDArray[np.float32] | None
    """(words, embedding), from a file; NaN where it does not have a word."""
    is_sparse = False

    @property
    def width(self) -> int:  # type: ignore[override]
        """Both directions."""
        return 2 * self.encoder.hidden

    @property
    def embedding(self) -> int:
        """The size of a word's vector."""
        return self.encoder.embedding if self.vectors is None else self.vectors.shape[1]

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=_FIRST_WORD)}

    def read(self, data: Any) -> TokenInputs:
        """Texts as word numbers."""
        from assay.endmodel.inputs import TokenInputs
        from assay.endmodel.texts import texts_of

        number_of = self._number_of
        texts = [self.encoder.split(text) for text in texts_of(data, self.encoder.column)]
        starts = np.cumsum([0, *map(len, texts)])
        numbers = [number_of.get(word, _FIRST_WORD - 1) for text in texts for word in text]
        return TokenInputs(starts, np.array(numbers, dtype=np.int64))

    def body(self) -> nn.Module:
        """Embeddings and the LSTM."""
        from assay.endmodel.network import WordReader

        return WordReader(
            len(self.words) + _FIRST_WORD, self.embedding, self.encoder.hidden, self.encoder.depth, self.vectors
        )

    def learned(self) -> Learned:
        """The words; their vectors are weights."""
        return Learned({"words": list(self.words), "embedding": self.embedding}, {})


def _vectors(path: Path, words: tuple[str, ...]) -> npt.NDArray[np.float32]:
    """(words, size): the vectors that a word2vec or fastText text file has for some words; NaN for the others."""
    number_of = {word: number for number, word in enumerate(words)}
    found: npt.NDArray[np.float32] | None = None
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                parts = line.rstrip().split(" ")
                if number == 1 and len(parts) == 2:
                    continue  # how many words, and the size of their vectors
                if found is None:
                    found = np.full((len(words), len(parts) - 1), np.nan, dtype=np.float32)
                if len(parts) != found.shape[1] + 1:
                    raise DataError(
                        f"{path}, line {number}: expected a word and {found.shape[1]} numbers, "
                        f"but there are {len(parts) - 1}"
                    )
                if parts[0] in number_of:
                    found[number_of[parts[0]]] = [float(part) for part in parts[1:]]
    except OSError as error:
        raise DataError(f"cannot read the word vectors in {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise DataError(f"{path}, line {number}: expected numbers after the word: {error}") from error
    if found is None or not found.shape[1]:
        raise DataError(f"{path} has no word vectors; expected a word and its numbers in each line")
    return found
