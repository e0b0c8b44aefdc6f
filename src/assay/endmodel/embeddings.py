"""Texts as vectors of any encoder, given as a function, beside n-grams in one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.progress import Progress
from assay._core.stored_arrays import of_type, stored_array
from assay.endmodel.embedding_cache import EmbeddingCache
from assay.endmodel.encoder import Encoder, Learned, Reader, tuples_restored
from assay.endmodel.features import FeatureReader, Features
from assay.endmodel.ngrams import NGramReader, NGrams
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import Inputs

Floats = npt.NDArray[np.float32]
Encode = Callable[[list[str]], Any]
_PROBE = "The quick brown fox jumps over the lazy dog."
"""What an encoder makes of this tells it from others."""
_CLOSE = 1e-2
"""Vectors that differ by less, relative to their length, are of the same encoder: rounding differs by batch."""


@dataclass(frozen=True)
class Embeddings(Encoder):
    """Texts as vectors of an encoder of yours, beside n-grams.

    Embeddings of a pretrained encoder tell what texts mean, n-grams which words they have; one linear model, or
    perceptron, reads both.

    Parameters
    ----------
    encode
        A function that takes a list of texts and gives an array (texts, numbers), as ``SentenceTransformer.encode``
        does. A missing text is given as ``""``.
    ngrams
        The n-grams beside them; None for embeddings alone, which are standardised.
    weight
        The length of embeddings beside n-grams, on average and after they were centred; words and characters of a text
        have length one each.
    cache
        A file in which vectors are kept by the content of the texts, so that each is computed once; None for no file.
        If the function's vectors change, those that are kept are replaced.
    name
        What the encoder is called in the cache; by default the function's own name.
    batch_size
        How many texts the function is given at a time.

    >>> lengths = lambda texts: [[len(text), text.count(" ")] for text in texts]
    >>> Embeddings(lengths, ngrams=NGrams(words=(1, 1), characters=None)).learn(["a rose is a rose", "an apple"]).width
    7
    """

    encode: Encode
    ngrams: NGrams | None = field(default_factory=NGrams)
    weight: float = 2.0
    cache: str | Path | None = None
    name: str | None = None
    batch_size: int = 256
    column: str = "text"
    """The column of texts, where data is given as a table, a file or rows."""

    def __post_init__(self) -> None:
        if not callable(self.encode):
            raise AssayError(f"expected a function from texts to vectors, but got {self.encode!r}")
        if not (isinstance(self.weight, int | float) and 0 < self.weight < np.inf):
            raise AssayError(f"weight must be a positive number, but is {self.weight!r}")
        if not isinstance(self.batch_size, int) or self.batch_size < 1:
            raise AssayError(f"batch_size must be a positive integer, but is {self.batch_size!r}")
        if self.cache is not None and "<" in self.called:
            raise AssayError(
                f"vectors of {self.called} cannot be kept: it has no name; say Embeddings(..., name='...')"
            )

    @property
    def called(self) -> str:
        """The name of the encoder."""
        function = getattr(self.encode, "__func__", self.encode)
        own = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '<unnamed>')}"
        return own if self.name is None else self.name

    def learn(self, data: Any) -> Reader:
        """Find out which n-grams there are, and how vectors are spread."""
        return self.learn_and_read(data)[0]

    def learn_and_read(self, data: Any) -> tuple[Reader, Inputs]:
        """Both at once, so that vectors are computed once."""
        from assay.endmodel.texts import texts_of

        texts = texts_of(data, self.column)
        vectors = self.vectors(texts)
        probe = self.probe()
        if self.ngrams is None:
            alone = EmbeddingReader(self, probe, Features().learn(vectors))
            return alone, alone.read_vectors(vectors)
        centre = vectors.mean(axis=0)
        length = float(np.sqrt(((vectors - centre) ** 2).sum(axis=1, dtype=np.float64).mean()))
        # Vectors that are all the same tell nothing, whatever their scale.
        factor = np.float32(self.weight / length if length > 1e-6 else 0.0)
        beside = BesideReader(self, probe, self.ngrams.learn(texts), centre, factor)
        return beside, beside.read_both(texts, vectors)

    def restore(self, learned: Learned) -> Reader:
        """The reader that had learned this, if this is the encoder that it had learned with."""
        width = of_type(int, learned.said["vector"])
        probe = stored_array(learned.arrays, "probe", (width,), np.float32)
        if not _same(probe, self.probe()):
            raise AssayError(
                f"the encoder {self.called} gives other vectors than the one that the model was trained with; "
                "load it with the same encoder"
            )
        if self.ngrams is None:
            inner = Learned(
                {"width": width, "sparse": False}, {name: learned.arrays[name] for name in ("mean", "spread")}
            )
            return EmbeddingReader(self, probe, Features().restore(inner))
        factor = stored_array(learned.arrays, "factor", (1,), np.float32, low=0)[0]
        centre = stored_array(learned.arrays, "centre", (width,), np.float32)
        return BesideReader(self, probe, self.ngrams.restore(learned), centre, factor)

    def settings(self) -> dict[str, Any]:
        """All but the function, which comes with the program."""
        own = None if self.ngrams is None else self.ngrams.settings()
        kept = {name: getattr(self, name) for name in ("weight", "batch_size", "column")}
        return {"ngrams": own, "called": self.called, **kept}

    @classmethod
    def from_settings(cls, encode: Encode, said: Mapping[str, Any]) -> Embeddings:
        """What :meth:`settings` told of, with the function."""
        own = said["ngrams"]
        if own is not None:
            own = NGrams(**tuples_restored(own))
        return cls(encode, own, **{name: said[name] for name in ("weight", "batch_size", "column")})

    def vectors(self, texts: list[str]) -> Floats:
        """(texts, numbers): kept ones where there are some; each text that is new is encoded once."""
        wanted = list(dict.fromkeys(texts))
        if self.cache is None:
            found: dict[str, Floats] = {}
            for some, vectors in self._encoded(wanted):
                found.update(zip(some, vectors, strict=True))
        else:
            with EmbeddingCache(Path(self.cache), self.called) as cache:
                self._check_cache(cache)
                found = cache.get(wanted)
                for some, vectors in self._encoded([text for text in wanted if text not in found]):
                    cache.put(some, vectors)
                    found.update(zip(some, vectors, strict=True))
        width = len(next(iter(found.values()))) if found else len(self.probe())
        wrong = next((vector for vector in found.values() if len(vector) != width), None)
        if wrong is not None:
            raise DataError(f"the encoder {self.called} gave vectors of {width} and of {len(wrong)} numbers")
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), width)

    def probe(self) -> Floats:
        """(numbers,): what the encoder makes of a text that never changes."""
        found: Floats = self._checked([_PROBE])[0]
        return found

    def _check_cache(self, cache: EmbeddingCache) -> None:
        """Empty a cache that another encoder of the same name has filled."""
        known, own = cache.probe(), self.probe()
        if known is None or not _same(known, own):
            cache.begin(own)

    def _encoded(self, texts: list[str]) -> Any:
        """Texts and their vectors, batch by batch."""
        with Progress("embedding", len(texts), show=len(texts) > 10 * self.batch_size, unit="texts") as bar:
            for start in range(0, len(texts), self.batch_size):
                some = texts[start : start + self.batch_size]
                yield some, self._checked(some)
                bar.advance(len(some))

    def _checked(self, texts: list[str]) -> Floats:
        try:
            given = self.encode(list(texts))
            vectors = np.ascontiguousarray(given, dtype=np.float32)
        except AssayError:
            raise
        except Exception as error:
            raise DataError(
                f"the encoder {self.called} failed on {len(texts)} texts, of which the first is {texts[0][:60]!r}: "
                f"{type(error).__name__}: {error}"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise DataError(
                f"the encoder {self.called} must give texts × numbers, but gave {vectors.shape} for {len(texts)} texts"
            )
        if not np.isfinite(vectors).all():
            row = int((~np.isfinite(vectors)).any(axis=1).argmax())
            raise DataError(f"the encoder {self.called} gave a number that is not finite for {texts[row][:60]!r}")
        return vectors


@dataclass(frozen=True, eq=False)
class EmbeddingReader(Reader):
    """Embeddings alone, standardised."""

    encoder: Embeddings
    probe: Floats
    features: FeatureReader
    is_sparse = False

    @property
    def width(self) -> int:  # type: ignore[override]
        """The size of a vector."""
        return self.features.width

    def read(self, data: Any) -> Inputs:
        """The vectors of texts."""
        from assay.endmodel.texts import texts_of

        return self.read_vectors(self.encoder.vectors(texts_of(data, self.encoder.column)))

    def read_vectors(self, vectors: Floats) -> Inputs:
        """Vectors as they are."""
        return self.features.read(vectors)

    def body(self) -> nn.Module:
        """Standardises them."""
        return self.features.body()

    def learned(self) -> Learned:
        """How vectors are spread."""
        return Learned({"vector": self.width}, {**self.features.learned().arrays, "probe": self.probe})


@dataclass(frozen=True, eq=False)
class BesideReader(Reader):
    """N-grams, and embeddings beside them."""

    encoder: Embeddings
    probe: Floats
    ngrams: NGramReader
    centre: Floats
    factor: np.float32
    """By what vectors are multiplied once they are centred."""
    is_sparse = True

    @property
    def width(self) -> int:  # type: ignore[override]
        """N-grams first, then the numbers of a vector."""
        return self.ngrams.width + len(self.centre)

    def read(self, data: Any) -> Inputs:
        """Texts as n-grams and vectors."""
        from assay.endmodel.texts import texts_of

        texts = texts_of(data, self.encoder.column)
        return self.read_both(texts, self.encoder.vectors(texts))

    def read_both(self, texts: list[str], vectors: Floats) -> Inputs:
        """Each text's n-grams, and after them its vector."""
        from assay.endmodel.inputs import SparseInputs

        grams = self.ngrams.read(texts)
        size = len(self.centre)
        starts = grams.starts + size * np.arange(len(grams.starts))
        columns = np.empty(starts[-1], dtype=np.int32)
        values = np.empty(starts[-1], dtype=np.float32)
        at = starts[1:, None] - size + np.arange(size)
        is_gram = np.ones(starts[-1], dtype=bool)
        is_gram[at] = False
        columns[is_gram], values[is_gram] = grams.columns, grams.values
        columns[at], values[at] = (
            self.ngrams.width + np.arange(size, dtype=np.int32),
            (vectors - self.centre) * self.factor,
        )
        return SparseInputs(starts, columns, values)

    def body(self) -> nn.Module:
        """Nothing: the first layer reads both."""
        return self.ngrams.body()

    def learned(self) -> Learned:
        """The n-grams, and how vectors are spread."""
        own = self.ngrams.learned()
        arrays = {**own.arrays, "centre": self.centre, "factor": np.array([self.factor]), "probe": self.probe}
        return Learned({**own.said, "vector": len(self.centre)}, arrays)


def _same(one: Floats, other: Floats) -> bool:
    """Whether two vectors are those of the same text by the same encoder."""
    if one.shape != other.shape:
        return False
    return bool(np.linalg.norm(one - other) <= _CLOSE * max(float(np.linalg.norm(one)), 1e-6))
