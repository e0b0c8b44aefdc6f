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

_TEXTS_AT_ONCE = 32


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

    def linear_layers(self) -> list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
        """Per layer its weight (inputs, outputs) and its bias, as arrays."""
        found = []
        for part in self.layers:
            if isinstance(part, SparseLinear | nn.Linear):
                weight, bias = (tensor.detach().cpu().numpy() for tensor in (part.weight, part.bias))
                found.append((np.ascontiguousarray(weight if isinstance(part, SparseLinear) else weight.T), bias))
        return found

    def sparse_weights(self) -> list[nn.Parameter]:
        """The weights that have sparse gradients."""
        return [part.weight for part in self.modules() if isinstance(part, SparseLinear)]


class Standardize(nn.Module):
    """Features with mean 0 and standard deviation 1."""

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
        sizes = [embedding, *[2 * hidden] * (depth - 1)]
        self.forwards, self.backwards = (
            nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes) for _ in range(2)
        )

    def forward(self, batch: Tokens) -> Tensor:
        """(items, 2 · hidden)."""
        order = torch.argsort(batch.lengths, stable=True)
        # On a CPU, texts of about the same length at a time, so that little of the work is for padding.
        groups = torch.split(order, len(order) if batch.words.is_cuda else _TEXTS_AT_ONCE)
        found = torch.cat([self._largest(batch.words[rows], batch.lengths[rows].clamp(min=1)) for rows in groups])
        largest: Tensor = found[torch.argsort(order)]
        return largest

    def _largest(self, words: Tensor, lengths: Tensor) -> Tensor:
        """(items, 2 · hidden) of texts (items, longest).

        Two LSTMs, one of which reads reversed texts: padding then comes last for both and
        changes nothing. A packed bidirectional LSTM gives the same, and learns several
        times slower on a CPU.
        """
        longest = int(lengths.max())
        place = torch.arange(longest, device=words.device)
        last = lengths.to(words.device)[:, None] - 1
        outside = place > last
        reversed_place = torch.where(outside, place, last - place)[:, :, None]

        def turned(values: Tensor) -> Tensor:
            return torch.gather(values, 1, reversed_place.expand(-1, -1, values.shape[2]))

        values = self.embedding(words[:, :longest])
        for onwards, back in zip(self.forwards, self.backwards, strict=True):
            values = torch.cat([onwards(values)[0], turned(back(turned(values))[0])], dim=2)
        largest: Tensor = values.masked_fill(outside[:, :, None], -torch.inf).amax(dim=1)
        return largest
