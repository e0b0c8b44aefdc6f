"""The network: what an encoder makes of the items, shared layers, and one head a task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from assay.endmodel.encoder import Reader
from assay.endmodel.inputs import Tokens
from assay.endmodel.sparse_layer import SparseLinear


class Network(nn.Module):
    """(items, width): a score for every label of every head.

    All heads are one matrix, of which each task has its columns.
    """

    def __init__(self, reader: Reader, layers: Sequence[int], width: int, dropout: float) -> None:
        super().__init__()
        self.body = reader.body()
        sizes = [reader.width, *layers, width]
        parts: list[nn.Module] = []
        for number, (size, outputs) in enumerate(pairwise(sizes)):
            if number or not reader.is_sparse:
                parts += [nn.Dropout(dropout), nn.Linear(size, outputs)]
            else:
                parts.append(SparseLinear(size, outputs))
            if number < len(layers):
                parts.append(nn.ReLU())
        if isinstance(parts[0], SparseLinear) and layers:
            parts[0].scatter()
        self.layers = nn.Sequential(*parts)

    def forward(self, batch: Any) -> Tensor:
        """Scores of a batch of what the reader reads."""
        scores: Tensor = self.layers(self.body(batch))
        return scores

    @property
    def only_layer(self) -> SparseLinear | None:
        """The one layer of a network that is linear in sparse features."""
        first = self.layers[0]
        return first if isinstance(first, SparseLinear) and len(self.layers) == 1 else None

    def sparse_weights(self) -> list[nn.Parameter]:
        """The weights that have sparse gradients."""
        return [part.weight for part in self.modules() if isinstance(part, SparseLinear)]


class Standardize(nn.Module):
    """Features with mean 0 and deviation 1."""

    mean: Tensor
    spread: Tensor

    def __init__(self, mean: Tensor, spread: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("spread", spread)

    def forward(self, batch: Tensor) -> Tensor:
        """(items, features)."""
        return (batch - self.mean) / self.spread


class WordReader(nn.Module):
    """A bidirectional LSTM over word embeddings; the largest value that each unit takes in a text."""

    def __init__(
        self, words: int, embedding: int, hidden: int, depth: int, vectors: npt.NDArray[np.float32] | None
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding, padding_idx=0)
        if vectors is not None:
            known = torch.from_numpy(vectors)
            with torch.no_grad():
                own = self.embedding.weight[words - len(known) :]
                own.copy_(torch.where(torch.isnan(known), own * 0.1, known))
        self.lstm = nn.LSTM(embedding, hidden, depth, batch_first=True, bidirectional=True)

    def forward(self, batch: Tokens) -> Tensor:
        """(items, 2 · hidden)."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(batch.words), batch.lengths.clamp(min=1), batch_first=True, enforce_sorted=False
        )
        found, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, padding_value=-torch.inf)
        largest: Tensor = found.amax(dim=1)
        return largest
