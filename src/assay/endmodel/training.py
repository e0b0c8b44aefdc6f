"""Training, as in the paper's appendix: Adam, a learning rate that falls on plateaus, and the best weights at the end.

Which items come in which batch, and what dropout drops, follows from the seed, the
epoch and the batch alone. So training that went on from a checkpoint ends with the
same bits as training that was never interrupted.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from assay._core.progress import Progress
from assay._core.reading import reading
from assay._core.stored_arrays import of_type
from assay.endmodel.network import Network
from assay.endmodel.stepper import Stepper
from assay.endmodel.tensor_file import part_of, read_tensors, under, write_tensors
from assay.errors import AssayError

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long to train, and how fast."""

    epochs: int
    batch_size: int
    learning_rate: float
    frozen_epochs: int
    patience: int
    stop_after: int
    seed: int


@dataclass
class TrainingState:
    """Where training stands; with the weights, all that is needed to go on."""

    rate: float
    """The learning rate."""
    epoch: int = 0
    block: int = 0
    batch: int = 0
    """Of the block."""
    loss: float = 0.0
    """Added up over the items of this epoch."""
    best_loss: float = sys.float_info.max
    best_score: float = -1.0
    since_better: int = 0
    """Epochs since the training loss or the dev score was better than ever, or the learning rate was cut."""
    since_best: int = 0
    """Epochs since the dev score was better than ever."""
    history: list[dict[str, float]] = field(default_factory=list)

    @property
    def best_epoch(self) -> int:
        """After how many epochs the weights were the best: those with the highest dev score, or the last ones."""
        scores = [epoch["dev_score"] for epoch in self.history if "dev_score" in epoch]
        return scores.index(max(scores)) + 1 if scores else self.epoch

    def is_over(self, schedule: Schedule) -> bool:
        """Whether there is nothing left to do."""
        return self.epoch >= schedule.epochs or self.since_best >= schedule.stop_after

    def end_epoch(self, loss: float, score: float | None, seconds: float, schedule: Schedule) -> bool:
        """Record an epoch, and cut the learning rate on a plateau; returns whether the weights are the best so far."""
        told = {} if score is None else {"dev_score": score}
        self.history.append({"epoch": self.epoch + 1, "loss": loss, **told, "rate": self.rate, "seconds": seconds})
        is_best = score is not None and score > self.best_score
        is_better = is_best or loss < self.best_loss
        self.best_loss = min(self.best_loss, loss)
        self.best_score = self.best_score if score is None else max(self.best_score, score)
        self.since_better = 0 if is_better else self.since_better + 1
        self.since_best = 0 if is_best or score is None else self.since_best + 1
        self.epoch, self.block, self.batch, self.loss = self.epoch + 1, 0, 0, 0.0
        if self.epoch >= schedule.frozen_epochs and self.since_better >= schedule.patience:
            self.rate /= 10
            self.since_better = 0
        return is_best


class Blocks(ABC):
    """The items of an epoch, in blocks that come one after the other."""

    @abstractmethod
    def sizes(self, epoch: int) -> list[int]:
        """How many items each block has, in the order of an epoch."""

    @abstractmethod
    def open(self, epoch: int, number: int) -> IntArray:
        """Let a block's items be those that are learned from; returns their rows, in the order of the epoch."""


@dataclass(frozen=True, eq=False)
class OneBlock(Blocks):
    """Some of the items that are in memory."""

    rows: IntArray
    seed: int

    def sizes(self, epoch: int) -> list[int]:
        """All of them at once."""
        return [len(self.rows)]

    def open(self, epoch: int, number: int) -> IntArray:
        """All of them, shuffled."""
        return np.random.default_rng((self.seed, epoch)).permutation(self.rows)


@dataclass(frozen=True)
class Checkpoint:
    """A file from which training goes on; ``purpose`` says what it must be a checkpoint of."""

    path: Path
    purpose: str
    seconds: float
    """How long to train between two checkpoints."""

    def read(self) -> tuple[TrainingState, dict[str, Tensor]] | None:
        """Where training stood, if it was interrupted."""
        if not self.path.exists():
            return None
        said, tensors = read_tensors(self.path, "a checkpoint")
        if said["purpose"] != self.purpose:
            raise AssayError(
                f"{self.path} is a checkpoint of other data, labels or settings than these; "
                "give another path, or remove it to train from the start"
            )
        with reading(self.path, "checkpoint"):
            return of_type(TrainingState, said["standing"]), tensors

    def write(self, state: TrainingState, tensors: Mapping[str, Tensor]) -> None:
        """Keep where training stands."""
        write_tensors(self.path, "a checkpoint", {"purpose": self.purpose, "standing": asdict(state)}, tensors)


def train(
    network: Network,
    stepper: Stepper,
    blocks: Blocks,
    schedule: Schedule,
    *,
    score: Callable[[], float] | None = None,
    checkpoint: Checkpoint | None = None,
    progress: bool = True,
) -> tuple[TrainingState, bool]:
    """Train a network on blocks of items, and leave it with the best weights.

    Parameters
    ----------
    score
        What is to be high on the dev items; without it the last weights are the best.

    Returns
    -------
    TrainingState, bool
        How it went, and whether it was cut short by Ctrl-C.
    """
    state = TrainingState(schedule.learning_rate)
    best: dict[str, Tensor] = {}
    stored = None if checkpoint is None else checkpoint.read()
    if stored is not None:
        state, tensors = stored
        assert checkpoint is not None
        with reading(checkpoint.path, "checkpoint"):
            network.load_state_dict(part_of("weights", tensors))
            stepper.restore(part_of("stepper", tensors))
        best = part_of("best", tensors)
    items = sum(blocks.sizes(0))
    saved = time.monotonic()

    def save() -> None:
        assert checkpoint is not None
        tensors = under("weights", network.state_dict()) | under("stepper", stepper.state()) | under("best", best)
        checkpoint.write(state, tensors)

    with (
        _interrupt_noted() as interrupted,
        Progress("training", schedule.epochs * items, show=progress, unit="items") as bar,
    ):
        bar.advance(state.epoch * items)
        while not state.is_over(schedule) and not interrupted():
            network.train()
            sizes = blocks.sizes(state.epoch)
            batches = [-(-size // schedule.batch_size) for size in sizes]
            bar.advance(sum(sizes[: state.block]))
            began = time.monotonic()
            while state.block < len(sizes) and not interrupted():
                order = blocks.open(state.epoch, state.block)
                moment = state.epoch * sum(batches) + sum(batches[: state.block])
                while state.batch < batches[state.block] and not interrupted():
                    own = order[state.batch * schedule.batch_size : (state.batch + 1) * schedule.batch_size]
                    seed = schedule.seed * 1_000_003 + moment + state.batch
                    state.loss += len(own) * stepper.step(own, state.rate, seed)
                    state.batch += 1
                    bar.advance(len(own))
                    if checkpoint is not None and time.monotonic() - saved >= checkpoint.seconds:
                        save()
                        saved = time.monotonic()
                if state.batch == batches[state.block]:
                    state.block, state.batch = state.block + 1, 0
            if state.block < len(sizes):
                break
            network.eval()
            loss = state.loss / items
            if not math.isfinite(loss):
                raise AssayError(
                    f"training diverged in epoch {state.epoch + 1}: the loss is {loss}; "
                    f"lower learning_rate, which is {state.rate:g}, or scale the features"
                )
            found = None if score is None else score()
            if state.end_epoch(loss, found, time.monotonic() - began, schedule):
                best = {name: tensor.clone() for name, tensor in network.state_dict().items()}
            bar.describe(f"training  loss {loss:.4f}" + ("" if found is None else f"  dev {found:.4f}"))
        was_interrupted = not state.is_over(schedule)
    if checkpoint is not None:
        save()
    if best:
        network.load_state_dict(best)
    network.eval()
    return state, was_interrupted


@contextmanager
def _interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C be noted rather than break off a step halfway; pressed twice, it breaks off."""
    pressed = threading.Event()

    def note(number: int, frame: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def quiet_torch(threads: int) -> Iterator[None]:
    """Use this many threads, and leave PyTorch's settings and random numbers as they were."""
    before = torch.get_num_threads()
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices):
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)
