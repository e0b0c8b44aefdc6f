"""What a network reads: all items at once, of which batches are picked by number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from assay.endmodel.sparse_layer import SparseRows

IntArray = npt.NDArray[np.int64]


class Inputs(ABC):
    """Items that a network reads."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def batch(self, rows: IntArray, device: torch.device) -> Any:
        """What the network is given for some items."""

    @abstractmethod
    def row_bytes(self, row: int) -> bytes:
        """What tells one item from others."""


@dataclass(frozen=True, eq=False)
class SparseInputs(Inputs):
    """Items with sparse features; a batch is a view of them."""

    starts: IntArray
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def batch(self, rows: IntArray, device: torch.device) -> SparseRows:
        """The rows, where they are."""
        return SparseRows(self.starts, self.columns, self.values, rows, device)

    def row_bytes(self, row: int) -> bytes:
        """Its features and their values."""
        own = slice(self.starts[row], self.starts[row + 1])
        return self.columns[own].tobytes() + self.values[own].tobytes()


@dataclass(frozen=True, eq=False)
class DenseInputs(Inputs):
    """Items as rows of an array, or of a tensor of any shape."""

    rows: Any

    def __len__(self) -> int:
        return len(self.rows)

    def batch(self, rows: IntArray, device: torch.device) -> torch.Tensor:
        """A copy of the rows, as numbers are stored for the network."""
        picked = self.rows[torch.from_numpy(rows)] if isinstance(self.rows, torch.Tensor) else self.rows[rows]
        tensor = picked if isinstance(picked, torch.Tensor) else torch.from_numpy(picked)
        return tensor.to(device, torch.float32 if tensor.is_floating_point() else tensor.dtype)

    def row_bytes(self, row: int) -> bytes:
        """Its numbers."""
        return bytes(np.asarray(self.rows[row]).tobytes())


@dataclass(frozen=True, eq=False)
class Tokens:
    """Some texts as word numbers (items, longest), with the length of each."""

    words: torch.Tensor
    lengths: torch.Tensor

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class TokenInputs(Inputs):
    """Texts as word numbers, one after the other."""

    starts: IntArray
    words: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def batch(self, rows: IntArray, device: torch.device) -> Tokens:
        """The texts, padded with zeros to the longest of them."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        table = np.zeros((len(rows), int(lengths.max(initial=1))), dtype=np.int64)
        inside = np.arange(table.shape[1]) < lengths[:, None]
        sources = self.starts[rows][:, None] + np.arange(table.shape[1])
        table[inside] = self.words[sources[inside]]
        return Tokens(torch.from_numpy(table).to(device), torch.from_numpy(lengths))

    def row_bytes(self, row: int) -> bytes:
        """Its words."""
        return self.words[self.starts[row] : self.starts[row + 1]].tobytes()
