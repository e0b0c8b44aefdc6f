"""A linear layer over sparse features, and Adam for it: only features that a batch has are touched."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from assay._core.threads import parallel_map, ranges, thread_count
from assay.endmodel.sparse_kernels import KEEP_MEAN, KEEP_SQUARE, TINY, adam, find_touched, gradient, multiply

Floats = npt.NDArray[np.float32]
_WIDE = 32
"""Outputs that are worth a thread."""


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of a CSR matrix, by number; nothing is copied. On a GPU, ``device`` is where they are to go."""

    starts: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    values: Floats
    rows: npt.NDArray[np.int64]
    device: torch.device

    def __len__(self) -> int:
        return len(self.rows)

    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """The columns and values of the rows, one after the other, and where each row begins."""
        sizes = self.starts[self.rows + 1] - self.starts[self.rows]
        begins = np.cumsum(sizes) - sizes
        at = np.arange(sizes.sum()) + np.repeat(self.starts[self.rows] - begins, sizes)
        found = (self.columns[at].astype(np.int64), self.values[at], begins)
        columns, values, offsets = (torch.from_numpy(array).to(self.device) for array in found)
        return columns, values, offsets


class SparseLinear(nn.Module):
    """Linear in sparse features. Its weight has a row a feature, and gets a sparse gradient."""

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__()
        # From zero: where it is the only layer the loss is convex, and unseen features then stay silent.
        self.weight = nn.Parameter(torch.zeros(features, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self._place = np.full(features, -1, dtype=np.int32)

    def scatter(self) -> None:
        """Start from small random weights, for a layer that others follow."""
        nn.init.normal_(self.weight, std=1 / math.sqrt(self.weight.shape[1]))

    def forward(self, batch: SparseRows) -> Tensor:
        """(rows, outputs)."""
        if self.weight.device.type == "cpu":
            product: Tensor = _Product.apply(self.weight, batch, self._place)  # type: ignore[no-untyped-call]
        else:
            columns, values, offsets = batch.tensors()
            product = functional.embedding_bag(
                columns, self.weight, offsets, mode="sum", per_sample_weights=values, sparse=True
            )
        return product + self.bias


class _Product(torch.autograd.Function):
    """Sparse rows times the weight, by compiled loops."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, batch: SparseRows, place: npt.NDArray[np.int32]) -> Tensor:
        out = np.zeros((len(batch), weight.shape[1]), dtype=np.float32)
        table = weight.detach().numpy()
        rows = (batch.starts, batch.columns, batch.values, batch.rows)
        _by_outputs(weight.shape[1], lambda low, high: multiply(*rows, table, low, high, out))
        ctx.batch, ctx.place, ctx.size = batch, place, weight.shape
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *upstream: Any) -> tuple[Tensor, None, None]:
        batch, place = ctx.batch, ctx.place
        most = int((batch.starts[batch.rows + 1] - batch.starts[batch.rows]).sum())
        touched = np.empty(min(most, ctx.size[0]), dtype=np.int64)
        touched = touched[: find_touched(batch.starts, batch.columns, batch.rows, place, touched)]
        out = np.zeros((len(touched), ctx.size[1]), dtype=np.float32)
        above = upstream[0].contiguous().numpy()
        rows = (batch.starts, batch.columns, batch.values, batch.rows)
        _by_outputs(ctx.size[1], lambda low, high: gradient(*rows, place, low, high, above, out))
        place[touched] = -1
        listed = torch.sparse_coo_tensor(
            torch.from_numpy(touched)[None], torch.from_numpy(out), ctx.size, check_invariants=False
        )
        # Each row is listed once; in which order does not matter to us.
        return listed._coalesced_(True), None, None


class RowAdam(torch.optim.Optimizer):
    """Adam for weights with sparse gradients: a row moves, and is regularised, when a batch touches it."""

    def __init__(self, weights: Iterable[nn.Parameter], *, lr: float, l2: float) -> None:
        super().__init__(weights, {"lr": lr, "l2": l2})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Move the touched rows."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                if not state:
                    # A tensor, so that it is stored like the rest.
                    state["step"] = torch.zeros(())
                    state["exp_avg"] = torch.zeros_like(weight)
                    state["exp_avg_sq"] = torch.zeros_like(weight)
                state["step"] += 1
                move = _move_compiled if weight.device.type == "cpu" else _move
                moments = (state["exp_avg"], state["exp_avg_sq"])
                move(weight, weight.grad, moments, group["lr"], group["l2"], state["step"].item())


def _move_compiled(
    weight: Tensor, slope: Tensor, moments: tuple[Tensor, Tensor], rate: float, l2: float, step: float
) -> None:
    touched, own = slope._indices()[0].numpy(), slope._values().numpy()
    table, mean, square = (tensor.detach().numpy() for tensor in (weight, *moments))
    _by_outputs(weight.shape[1], lambda low, high: adam(touched, own, table, mean, square, low, high, rate, l2, step))


def _move(weight: Tensor, slope: Tensor, moments: tuple[Tensor, Tensor], rate: float, l2: float, step: float) -> None:
    """The same where there are no compiled loops."""
    listed, (mean, square) = slope.coalesce(), moments
    rows = listed.indices()[0]
    g = listed.values() + l2 * weight[rows]
    mean[rows] = KEEP_MEAN * mean[rows] + (1 - KEEP_MEAN) * g
    square[rows] = KEEP_SQUARE * square[rows] + (1 - KEEP_SQUARE) * g * g
    root = (square[rows] / (1 - KEEP_SQUARE**step)).sqrt()
    weight[rows] -= rate * (mean[rows] / (1 - KEEP_MEAN**step)) / (root + TINY)


def _by_outputs(outputs: int, job: Callable[[int, int], None]) -> None:
    """Share the outputs of a layer among threads, if there are enough of them."""
    parts = ranges(outputs, min(thread_count(), outputs // _WIDE))
    parallel_map(lambda part: job(part.start, part.stop), parts)
