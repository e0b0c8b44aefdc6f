"""A network of the user's own as the encoder."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.endmodel.embeddings import Embeddings
from assay.endmodel.encoder import Encoder, Learned, Reader
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import DenseInputs


@dataclass(frozen=True, eq=False)
class OwnModule(Encoder):
    """Wraps a ``torch.nn.Module`` that takes a batch of items and gives (items, features)."""

    module: nn.Module

    def learn(self, data: Any) -> OwnReader:
        """Find out how many features it gives, from one item."""
        import torch

        inputs = _rows(data)
        if not len(inputs):
            raise DataError("expected items to learn from, but there are none")
        module = deepcopy(self.module).cpu().eval()
        with torch.no_grad():
            features = module(inputs.batch(np.zeros(1, dtype=np.int64), torch.device("cpu")))
        if not isinstance(features, torch.Tensor) or features.ndim != 2 or len(features) != 1:
            came = tuple(features.shape) if isinstance(features, torch.Tensor) else type(features).__name__
            raise AssayError(f"the encoder must give a tensor of items × features, but for one item it gave {came}")
        return OwnReader(self, features.shape[1])

    def restore(self, learned: Learned) -> OwnReader:
        """The reader that had learned this."""
        return OwnReader(self, int(learned.said["width"]))

    def settings(self) -> dict[str, Any]:
        """None that could be stored: the module comes with the program."""
        return {}


@dataclass(frozen=True, eq=False)
class OwnReader(Reader):
    """Knows how many features the module gives."""

    encoder: OwnModule
    width: int
    is_sparse = False

    def read(self, data: Any) -> DenseInputs:
        """An array or tensor of items, as it is."""
        return _rows(data)

    def body(self) -> nn.Module:
        """A copy of the module, so that the user's stays as it was."""
        return deepcopy(self.encoder.module)

    def learned(self) -> Learned:
        """The number of features."""
        return Learned({"width": self.width}, {})


def as_encoder(given: Any) -> Encoder:
    """An encoder as it is; a module of the user's own, or a function from texts to vectors, wrapped as one."""
    import torch

    if isinstance(given, Encoder):
        return given
    if isinstance(given, torch.nn.Module):
        return OwnModule(given)
    if callable(given) and not isinstance(given, type):
        return Embeddings(given)
    raise AssayError(
        "encoder must be assay.NGrams(...), assay.Embeddings(...), assay.BiLSTM(...), assay.Features(...), a "
        f"torch.nn.Module or a function from texts to vectors, but is {given!r}"
    )


def _rows(data: Any) -> DenseInputs:
    import torch

    from assay.endmodel.inputs import DenseInputs

    if not isinstance(data, torch.Tensor | np.ndarray):
        data = np.asarray(data)
    if isinstance(data, np.ndarray) and data.dtype.kind not in "fiub":
        raise DataError(f"an encoder of your own reads arrays or tensors of numbers, but got {data.dtype} values")
    tensor = data if isinstance(data, torch.Tensor) else torch.from_numpy(np.ascontiguousarray(data))
    if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
        row = int((~torch.isfinite(tensor.reshape(len(tensor), -1))).any(dim=1).nonzero()[0])
        raise DataError(f"expected finite numbers, but row {row} has others; fill them in, or drop these rows")
    return DenseInputs(tensor)
