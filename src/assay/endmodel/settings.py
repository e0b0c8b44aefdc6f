"""The settings of :class:`assay.EndModel`, apart from it, so that they can be read and checked without PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NotApplicable = Literal["masked", "outcome"]


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """All settings of :class:`assay.EndModel` but its tasks and its encoder, with their defaults.

    >>> NetworkSettings(epochs=3).batch_size
    128
    """

    layers: tuple[int, ...] | None = None
    not_applicable: NotApplicable = "masked"
    epochs: int = 10
    batch_size: int = 128
    learning_rate: float = 1e-2
    l2: float = 1e-5
    dropout: float = 0.1
    frozen_epochs: int = 5
    patience: int = 10
    stop_after: int = 20
    class_weights: Literal["balanced"] | dict[str, dict[str, float]] | None = None
    calibrate: bool = True
    seed: int = 0
    device: str = "auto"
