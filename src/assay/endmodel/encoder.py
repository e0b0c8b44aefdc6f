"""What every encoder is: settings that learn from data how to read it, and what they learned."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import Inputs

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Learned:
    """All that a reader has learned, as it is stored: names and numbers, and arrays."""

    said: Mapping[str, Any]
    arrays: Arrays


class Reader(ABC):
    """Reads data the way that was learned from the training data."""

    width: int
    """How many features an item has when it comes out of :meth:`body`."""
    is_sparse: bool
    """Whether these are sparse, so that the first layer has to be."""

    @abstractmethod
    def read(self, data: Any) -> Inputs:
        """Data as a network takes it, checked."""

    @abstractmethod
    def body(self) -> nn.Module:
        """The part of the network that makes features of what was read."""

    @abstractmethod
    def learned(self) -> Learned:
        """What is needed to read alike elsewhere."""


class Encoder(ABC):
    """Settings of a way to read data."""

    layers: tuple[int, ...] = ()
    """The sizes of the shared layers above it, if the model does not set them."""

    @abstractmethod
    def learn(self, data: Any) -> Reader:
        """Look at the training data, and read it."""

    def learn_and_read(self, data: Any) -> tuple[Reader, Inputs]:
        """Both at once, where that saves work."""
        reader = self.learn(data)
        return reader, reader.read(data)

    def read_ahead(self, data: Any) -> Any:
        """Data that is read in parts again and again, in a form that makes this cheap: by default as it is."""
        return data

    @abstractmethod
    def restore(self, learned: Learned) -> Reader:
        """The reader that had learned this."""

    def settings(self) -> dict[str, Any]:
        """The settings, by name, as JSON has them."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


def named(arrays: Arrays, *names: str) -> list[npt.NDArray[Any]]:
    """Some arrays by name, each laid out on its own."""
    return [np.ascontiguousarray(arrays[name]) for name in names]


def tuples_restored(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they were before JSON made lists of tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
