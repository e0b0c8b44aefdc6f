"""Training on a stream: items are dealt to disk, and come back part by part in each epoch, shuffled."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from assay._core.progress import Progress
from assay.endmodel.calibration import random_keys, scales_of
from assay.endmodel.encoder import Encoder, Reader
from assay.endmodel.fitted import FittedNetwork
from assay.endmodel.fitting import Scorer
from assay.endmodel.heads import ClassWeights, Heads
from assay.endmodel.inputs import Inputs
from assay.endmodel.ngrams import NGramCounter, NGramReader, NGrams
from assay.endmodel.predictor import labels_to_learn_from
from assay.endmodel.spool import Spool, SpoolWriter, StoredItems, share_of
from assay.endmodel.stepper import Stepper, seed_torch, stepper_of
from assay.endmodel.streams import aligned, gold_of, label_parts, row_total, text_parts
from assay.endmodel.training import Blocks, Checkpoint, Schedule, TrainingState, train
from assay.errors import AssayError
from assay.gold import CheckedLabels

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
_HELD_SHARE, _HELD = 0.1, 10_000
"""How many items are held out to calibrate by: their share, and no more than about so many."""
_SEEN = 20_000_000
"""After as many items no further epoch begins: large data needs few passes."""


@dataclass(frozen=True)
class StreamSettings:
    """What is said of the network, apart from what is trained on."""

    layers: tuple[int, ...]
    dropout: float
    l2: float
    schedule: Schedule
    class_weights: ClassWeights | None
    calibrate: bool
    device: torch.device
    progress: bool


def fit_streamed(
    data: Any,
    labels: Any,
    encoder: Encoder,
    heads: Heads,
    settings: StreamSettings,
    *,
    described: Any,
    scorer: Scorer | None = None,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = 30.0,
) -> tuple[FittedNetwork, TrainingState, bool]:
    """A network trained on a stream, how it went, and whether it was cut short by Ctrl-C.

    ``described`` says, for JSON, all that decides what is learned besides the items: checkpoints are of that alone.
    """
    if not isinstance(encoder, NGrams):
        raise AssayError(
            f"streamed training reads texts as assay.NGrams(...), but the encoder is {type(encoder).__name__}; "
            "give all items at once, as a list or with stream=False"
        )
    with _folder(checkpoint) as folder:
        reader, spool = _dealt(data, labels, encoder, heads, folder, settings)
        gold = gold_of(labels)
        items = _Items(heads, reader, spool, gold, settings)
        passes = min(settings.schedule.epochs, max(1, -(-_SEEN // max(items.count, 1))))
        schedule = replace(settings.schedule, epochs=passes)
        seed_torch(schedule.seed, settings.device)
        fitted = FittedNetwork.untrained(heads, reader, settings.layers, settings.dropout, settings.device)
        first = items.inputs_of(0)
        stepper = stepper_of(fitted.network, *first, heads.slices, settings.l2)
        point = None
        if checkpoint is not None:
            point = Checkpoint(checkpoint, _purpose(described, reader, spool), checkpoint_seconds)
        with ThreadPoolExecutor(1, thread_name_prefix="assay-stream") as ahead:
            state, interrupted = train(
                fitted.network,
                stepper,
                _SpooledBlocks(items, stepper, ahead),
                schedule,
                score=None if scorer is None else scorer(fitted),
                checkpoint=point,
                progress=settings.progress,
            )
        if settings.calibrate and not interrupted:
            fitted = fitted.calibrated(items.scales(fitted))
    return fitted, state, interrupted


def _dealt(
    data: Any, labels: Any, encoder: NGrams, heads: Heads, folder: Path, settings: StreamSettings
) -> tuple[NGramReader, Spool]:
    """One pass over the stream: n-grams are counted, also those of items without labels, and items dealt into parts."""
    expected = row_total(labels)
    counter = NGramCounter(encoder)
    with (
        Progress("reading", expected, show=settings.progress, unit="items") as bar,
        SpoolWriter(folder, heads.tasks, expected, settings.schedule.seed) as writer,
    ):
        for part in aligned(text_parts(data, encoder.column), label_parts(labels)):
            if len(part.labels):
                checked = labels_to_learn_from(part.labels, heads.tasks)
                writer.add(replace(part, labels=checked))
            counter.add(part.texts)
            bar.advance(len(part.texts))
        spool = writer.finish()
    if not spool.items:
        raise AssayError("there are no labels to learn from; were all items left out?")
    return counter.reader(), spool


@dataclass(frozen=True, eq=False)
class _Items:
    """Items on disk: those to train on, and those that are held out."""

    heads: Heads
    reader: Reader
    spool: Spool
    gold: CheckedLabels | None
    settings: StreamSettings

    @cached_property
    def held_out(self) -> tuple[BoolArray, ...]:
        """Per part (items,): which of them are not trained on: a share of all, and all with gold."""
        if not self.settings.calibrate:
            return tuple(np.zeros(len(rows), dtype=bool) for rows in self.spool.rows)
        share = min(_HELD_SHARE, _HELD / self.spool.items)
        # Another seed than that by which items are dealt: each part has its share.
        keys = [random_keys(rows.astype(np.uint64), self.settings.schedule.seed + 1) for rows in self.spool.rows]
        held = [share_of(each, share) for each in keys]
        if self.gold is not None:
            held = [own | np.isin(rows, self.gold.rows) for own, rows in zip(held, self.spool.rows, strict=True)]
        found = tuple(held)
        # Of a handful of items none can be spared.
        return found if not all(own.all() for own in found) else tuple(np.zeros_like(own) for own in found)

    @cached_property
    def sizes(self) -> list[int]:
        """Per part how many items it has to train on."""
        return [int((~own).sum()) for own in self.held_out]

    @property
    def count(self) -> int:
        """How many items there are to train on."""
        return sum(self.sizes)

    @cached_property
    def factors(self) -> Floats:
        """(width,): by what targets are multiplied."""
        shares = np.zeros(self.heads.width)
        if self.settings.class_weights is not None:
            for number in range(len(self.sizes)):
                shares += self.heads.targets(self.trained_on(number).labels).sum(axis=0, dtype=np.float64)
        return self.heads.factors(shares, self.settings.class_weights)

    def trained_on(self, number: int) -> StoredItems:
        """The items of a part to train on."""
        return self.spool.read(number).where(~self.held_out[number])

    def inputs_of(self, number: int) -> tuple[Inputs, Floats]:
        """What a network reads of a part, and what it is to learn."""
        items = self.trained_on(number)
        return self.reader.read(items.texts), self.heads.targets(items.labels) * self.factors

    def scales(self, fitted: FittedNetwork) -> tuple[float, ...]:
        """Per component the scale that calibrates a network, from what is held out."""
        parts = [self.spool.read(number).where(own) for number, own in enumerate(self.held_out) if own.any()]
        if not parts:
            return ()
        found = []
        for part in parts:
            inputs = self.reader.read(part.texts)
            found.append(fitted.log_joint(inputs, np.arange(len(inputs))))
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows)
        joint = [np.concatenate(each)[order] for each in zip(*found, strict=True)]
        labels = [np.concatenate(each)[order] for each in zip(*(part.labels.joint for part in parts), strict=True)]
        gold = self.gold
        if gold is not None:
            here = np.isin(gold.rows, rows)
            gold = gold.take(here, np.searchsorted(rows[order], gold.rows[here])) if here.any() else None
        return scales_of(joint, labels, np.arange(len(rows)), gold)


class _SpooledBlocks(Blocks):
    """The parts of an epoch, in an order of its own; while one is learned from, the next is read."""

    def __init__(self, items: _Items, stepper: Stepper, ahead: ThreadPoolExecutor) -> None:
        self._items, self._stepper, self._ahead = items, stepper, ahead
        self._next: tuple[int, Future[tuple[Inputs, Floats]]] | None = None

    def _order(self, epoch: int) -> list[int]:
        parts = np.random.default_rng((self._items.settings.schedule.seed, epoch)).permutation(len(self._items.sizes))
        return [number for number in parts.tolist() if self._items.sizes[number]]

    def sizes(self, epoch: int) -> list[int]:
        """How many items each part has to train on."""
        return [self._items.sizes[number] for number in self._order(epoch)]

    def open(self, epoch: int, number: int) -> IntArray:
        """Learn from a part."""
        order = self._order(epoch)
        part = order[number]
        if self._next is not None and self._next[0] == part:
            inputs, targets = self._next[1].result()
        else:
            inputs, targets = self._items.inputs_of(part)
        following = order[number + 1] if number + 1 < len(order) else self._order(epoch + 1)[0]
        self._next = following, self._ahead.submit(self._items.inputs_of, following)
        self._stepper.use(inputs, targets)
        return np.random.default_rng((self._items.settings.schedule.seed, epoch, part)).permutation(len(targets))


def _purpose(described: Any, reader: Reader, spool: Spool) -> str:
    """A digest of what is trained on what: a checkpoint of something else is no use."""
    digest = hashlib.sha256(json.dumps([described, spool.digest], default=list).encode())
    for array in reader.learned().arrays.values():
        digest.update(array.tobytes())
    return digest.hexdigest()


@contextmanager
def _folder(checkpoint: Path | None) -> Iterator[Path]:
    """Where parts are kept while they are trained on: beside the checkpoint, or where temporary files are."""
    if checkpoint is None:
        with TemporaryDirectory(prefix="assay-") as temporary:
            yield Path(temporary)
        return
    folder = checkpoint.with_name(f"{checkpoint.name}.items")
    # What training that was killed has left behind.
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise AssayError(f"cannot write to {folder}: {error.strerror}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
