"""One step of training: the gradient of the noise-aware loss on a batch, and a step of Adam against it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from assay.endmodel.inputs import Inputs, SparseInputs
from assay.endmodel.loss import noise_aware_loss
from assay.endmodel.network import Network
from assay.endmodel.sparse_kernels import adam, expected_loss, find_touched, gradient, multiply
from assay.endmodel.sparse_layer import RowAdam, SparseLinear

IntArray = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class Stepper(ABC):
    """Changes a network's weights, and remembers what Adam needs to."""

    @abstractmethod
    def step(self, rows: IntArray, rate: float, seed: int) -> float:
        """Learn from some items; returns their loss before the step. What is random in it follows from the seed."""

    @abstractmethod
    def use(self, inputs: Inputs, targets: Floats) -> None:
        """Learn from other items from now on."""

    @abstractmethod
    def state(self) -> dict[str, Tensor]:
        """All that it remembers."""

    @abstractmethod
    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what another one remembered."""


def seed_torch(seed: int, device: torch.device) -> None:
    """Begin random numbers anew, here and on one device.

    ``torch.manual_seed`` does so on every kind of device there could be, and where one has not
    been used yet it keeps a note of each call for good: too slow for every step.
    """
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.manual_seed(seed)


def stepper_of(network: Network, inputs: Inputs, targets: Floats, heads: Sequence[slice], l2: float) -> Stepper:
    """The fastest way to train a network where it is."""
    layer = network.only_layer
    if layer is not None and layer.weight.device.type == "cpu" and isinstance(inputs, SparseInputs):
        return LinearStepper(layer, inputs, targets, heads, l2)
    return TorchStepper(network, inputs, targets, heads, l2)


class TorchStepper(Stepper):
    """Any network, by automatic differentiation."""

    def __init__(self, network: Network, inputs: Inputs, targets: Floats, heads: Sequence[slice], l2: float) -> None:
        self._network, self._inputs, self._targets, self._heads = network, inputs, targets, heads
        self._device = next(network.parameters()).device
        sparse = network.sparse_weights()
        dense = [weight for weight in network.parameters() if all(weight is not other for other in sparse)]
        self._optimizers: list[torch.optim.Optimizer] = [torch.optim.Adam(dense, weight_decay=l2)]
        if sparse:
            self._optimizers.append(RowAdam(sparse, lr=0.0, l2=l2))

    def step(self, rows: IntArray, rate: float, seed: int) -> float:
        """Learn from some items."""
        seed_torch(seed, self._device)
        scores = self._network(self._inputs.batch(rows, self._device))
        loss = noise_aware_loss(scores, torch.from_numpy(self._targets[rows]).to(self._device), self._heads)
        for optimizer in self._optimizers:
            optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for optimizer in self._optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        return loss.item()

    def use(self, inputs: Inputs, targets: Floats) -> None:
        """Learn from other items from now on."""
        self._inputs, self._targets = inputs, targets

    def state(self) -> dict[str, Tensor]:
        """The moments of each weight."""
        return {
            f"{at} {weight} {name}": value
            for at, optimizer in enumerate(self._optimizers)
            for weight, kept in optimizer.state_dict()["state"].items()
            for name, value in kept.items()
        }

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from these moments."""
        for at, optimizer in enumerate(self._optimizers):
            kept: dict[int, dict[str, Tensor]] = {}
            for key, value in state.items():
                owner, weight, name = key.split(" ")
                if int(owner) == at:
                    kept.setdefault(int(weight), {})[name] = value
            optimizer.load_state_dict({"state": kept, "param_groups": optimizer.state_dict()["param_groups"]})


class LinearStepper(Stepper):
    """A network that is linear in sparse features, by compiled loops: the same steps, several times faster."""

    def __init__(
        self, layer: SparseLinear, inputs: SparseInputs, targets: Floats, heads: Sequence[slice], l2: float
    ) -> None:
        self._inputs, self._targets, self._l2 = inputs, targets, l2
        self._ends = np.array([head.stop for head in heads])
        self._weight = layer.weight.detach().numpy()
        self._bias = layer.bias.detach().numpy()[None]
        self._place = np.full(len(self._weight), -1, dtype=np.int32)
        self._touched = np.empty(len(self._weight), dtype=np.int64)
        self._count = np.zeros(1)
        self._moments = {
            name: np.zeros_like(array)
            for name, array in (
                ("weight mean", self._weight), ("weight square", self._weight),
                ("bias mean", self._bias), ("bias square", self._bias),
            )
        }  # fmt: skip

    def step(self, rows: IntArray, rate: float, seed: int) -> float:
        """Learn from some items."""
        inputs, width = self._inputs, self._weight.shape[1]
        sparse = (inputs.starts, inputs.columns, inputs.values, rows)
        scores = np.repeat(self._bias, len(rows), axis=0)
        multiply(*sparse, self._weight, 0, width, scores)
        upstream = np.empty_like(scores)
        loss = expected_loss(scores, self._targets, rows, self._ends, upstream)
        touched = self._touched[: find_touched(inputs.starts, inputs.columns, rows, self._place, self._touched)]
        slope = np.zeros((len(touched), width), dtype=np.float32)
        gradient(*sparse, self._place, 0, width, upstream, slope)
        self._place[touched] = -1
        self._count += 1
        self._move("weight", touched, slope, self._weight, rate)
        self._move("bias", np.zeros(1, dtype=np.int64), upstream.sum(axis=0, keepdims=True), self._bias, rate)
        return float(loss)

    def _move(self, name: str, touched: IntArray, slope: Floats, weight: Floats, rate: float) -> None:
        mean, square = self._moments[f"{name} mean"], self._moments[f"{name} square"]
        adam(touched, slope, weight, mean, square, 0, weight.shape[1], rate, self._l2, self._count[0])

    def use(self, inputs: Inputs, targets: Floats) -> None:
        """Learn from other items from now on."""
        assert isinstance(inputs, SparseInputs)
        self._inputs, self._targets = inputs, targets

    def state(self) -> dict[str, Tensor]:
        """The moments, and how many steps were taken."""
        return {name: torch.from_numpy(array) for name, array in (*self._moments.items(), ("count", self._count))}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from these moments."""
        self._count[:] = state["count"].numpy()
        for name, array in self._moments.items():
            array[:] = state[name].numpy()
