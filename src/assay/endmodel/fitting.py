"""Training on some items: the network that is kept, and others with a part held out, to calibrate it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from assay.endmodel.calibration import held_out_parts, scales_of
from assay.endmodel.encoder import Reader
from assay.endmodel.fitted import FittedNetwork
from assay.endmodel.heads import Heads
from assay.endmodel.inputs import Inputs
from assay.endmodel.stepper import seed_torch, stepper_of
from assay.endmodel.training import Checkpoint, OneBlock, Schedule, TrainingState, train
from assay.labels import Labels

IntArray = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Scorer = Callable[[FittedNetwork], Callable[[], float]]


@dataclass(frozen=True, eq=False)
class Fitting:
    """Items as a network reads them, with what it is to learn, and how."""

    heads: Heads
    reader: Reader
    inputs: Inputs
    targets: Floats
    """(items, width): laid out like the data, so that a batch needs its row numbers alone."""
    layers: Sequence[int]
    dropout: float
    l2: float
    schedule: Schedule
    device: torch.device
    progress: bool

    def train(
        self, rows: IntArray, scorer: Scorer | None, checkpoint: Checkpoint | None
    ) -> tuple[FittedNetwork, TrainingState, bool]:
        """A network that was trained on some rows, how it went, and whether it was cut short by Ctrl-C."""
        seed_torch(self.schedule.seed, self.device)
        fitted = FittedNetwork.untrained(self.heads, self.reader, self.layers, self.dropout, self.device)
        stepper = stepper_of(fitted.network, self.inputs, self.targets, self.heads.slices, self.l2)
        score = None if scorer is None else scorer(fitted)
        state, interrupted = train(
            fitted.network,
            stepper,
            OneBlock(rows, self.schedule.seed),
            self.schedule,
            score=score,
            checkpoint=checkpoint,
            progress=self.progress,
        )
        return fitted, state, interrupted

    def scales(
        self, labels: Labels, rows: IntArray, after: TrainingState, checkpoint: Checkpoint | None
    ) -> tuple[float, ...] | None:
        """Per component the scale that calibrates a network which was trained on all rows; None if cut short by Ctrl-C.

        Parameters
        ----------
        labels, rows
            What was learned from, and which rows of the data it belongs to.
        after
            How training on all rows went: parts are trained on for as many epochs.
        checkpoint
            That of training on all rows, beside which others are kept.
        """
        contents = [self.inputs.row_bytes(row) + self.targets[row].tobytes() for row in rows.tolist()]
        parts = held_out_parts(contents, labels.gold, self.schedule.seed)
        found = []
        kept = []
        for number, part in enumerate(parts):
            beside = None if checkpoint is None else _beside(checkpoint, number)
            # As many steps as with all items, since weights grow with every step.
            epochs = max(1, round(after.best_epoch * len(part) / (~part).sum()))
            again = replace(self, schedule=replace(self.schedule, epochs=epochs))
            fitted, _, interrupted = again.train(rows[~part], None, beside)
            if interrupted:
                return None
            found.append(fitted.log_joint(self.inputs, rows[part]))
            kept += [] if beside is None else [beside.path]
        held = np.concatenate([np.flatnonzero(part) for part in parts]) if parts else np.zeros(0, dtype=np.int64)
        outcomes = [joint.shape[1] for joint in labels.joint]
        joint = [
            np.concatenate([np.zeros((0, size)), *(part[index] for part in found)])
            for index, size in enumerate(outcomes)
        ]
        scales = scales_of(joint, labels.joint, held, labels.gold)
        for path in kept:
            path.unlink(missing_ok=True)
        return scales


def _beside(checkpoint: Checkpoint, number: int) -> Checkpoint:
    path = Path(checkpoint.path)
    return replace(checkpoint, path=path.with_name(f"{path.name}.held_out_{number}"))
