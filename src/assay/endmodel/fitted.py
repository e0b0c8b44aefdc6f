"""What an end model has learned: a network, and how to read data for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch

from assay.endmodel.calibration import scaled
from assay.endmodel.encoder import Reader
from assay.endmodel.heads import Heads
from assay.endmodel.inputs import Inputs
from assay.endmodel.loss import log_probabilities
from assay.endmodel.network import Network
from assay.errors import AssayError
from assay.labels import Labels
from assay.tasks import TaskGraph

_ROWS_AT_ONCE = 4_096


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A network, the reader that was learned with it, and the heads that make labels of its scores."""

    heads: Heads
    reader: Reader
    network: Network
    device: torch.device
    scales: tuple[float, ...] = ()
    """Per component by what its log-probabilities are multiplied; empty if they are taken as they are."""

    @classmethod
    def untrained(
        cls, heads: Heads, reader: Reader, layers: Sequence[int], dropout: float, device: torch.device
    ) -> FittedNetwork:
        """With first weights, drawn from PyTorch's random numbers."""
        return cls(heads, reader, Network(reader, layers, heads.width, dropout).to(device), device)

    @property
    def tasks(self) -> TaskGraph:
        """The task graph of the labels."""
        return self.heads.tasks

    def calibrated(self, scales: tuple[float, ...]) -> FittedNetwork:
        """The same with these scales."""
        return replace(self, scales=scales)

    def label(self, inputs: Inputs) -> Labels:
        """Labels for every item."""
        joint = self.log_joint(inputs, np.arange(len(inputs)))
        scales = self.scales or (1.0,) * len(joint)
        return Labels(self.tasks, tuple(map(scaled, joint, scales)))

    def log_joint(self, inputs: Inputs, rows: npt.NDArray[np.int64]) -> list[npt.NDArray[np.float64]]:
        """Per component (rows, outcomes): what the network itself says of some items."""
        parts = [np.zeros((0, self.heads.width), dtype=np.float32)]
        with torch.no_grad():
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                scores = self.network(inputs.batch(rows[start : start + _ROWS_AT_ONCE], self.device))
                parts.append(log_probabilities(scores, self.heads.slices).cpu().numpy())
        return self.heads.log_joint(np.concatenate(parts))


def device_of(name: str) -> torch.device:
    """The device of this name; of ``"auto"``, a GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise AssayError(f"the device {name!r} cannot be used: {str(error).splitlines()[0]}") from error
