"""End models on disk: one safetensors file, with JSON in its header."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assay._core.reading import reading
from assay._core.stored_arrays import of_type
from assay.endmodel.embeddings import Embeddings
from assay.endmodel.encoder import Encoder, Learned, tuples_restored
from assay.endmodel.features import Features
from assay.endmodel.fitted import FittedNetwork, device_of
from assay.endmodel.heads import Heads
from assay.endmodel.lstm import BiLSTM
from assay.endmodel.ngrams import NGrams
from assay.endmodel.own_module import OwnModule, as_encoder
from assay.endmodel.tensor_file import part_of, read_tensors, under, write_tensors
from assay.endmodel.training import TrainingState
from assay.errors import AssayError
from assay.tasks import TaskGraph

_FORMAT = 2
_KIND = "an end model"
_ENCODERS: dict[str, type[Encoder]] = {
    kind.__name__: kind for kind in (NGrams, BiLSTM, Features, Embeddings, OwnModule)
}


@dataclass(frozen=True, eq=False)
class StoredEndModel:
    """What a file of an end model holds."""

    settings: Mapping[str, Any]
    """Those of the model, without its tasks and its encoder."""
    encoder: Encoder
    fitted: FittedNetwork
    state: TrainingState
    """How training ended."""
    interrupted: bool

    def write(self, path: str | Path) -> Path:
        """Write all of it to one file, which is there whole, or not at all."""
        learned = self.fitted.reader.learned()
        said = {
            "format": _FORMAT,
            "settings": json.loads(json.dumps(self.settings, default=list)),
            "tasks": self.fitted.tasks.to_dict(),
            "encoder": {"kind": type(self.encoder).__name__, "settings": self.encoder.settings()},
            "reader": learned.said,
            "history": self.state.history,
            "best_score": self.state.best_score,
            "interrupted": self.interrupted,
            "scales": self.fitted.scales,
        }
        arrays = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in learned.arrays.items()}
        tensors = under("weights", self.fitted.network.state_dict()) | under("reader", arrays)
        return write_tensors(path, _KIND, said, tensors)

    @classmethod
    def read(cls, path: str | Path, own: Any, device: str) -> StoredEndModel:
        """What was written; ``own`` is the user's own encoder, whose code is not in the file."""
        said, tensors = read_tensors(path, _KIND)
        if said.get("format") != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (end model format {said.get('format')})")
        with reading(path, "end model file"):
            settings = tuples_restored(said["settings"])
            encoder = _encoder(path, said["encoder"], own)
            arrays = {name: tensor.numpy() for name, tensor in part_of("reader", tensors).items()}
            reader = encoder.restore(Learned(said["reader"], arrays))
            heads = Heads(TaskGraph.from_dict(said["tasks"]), settings["not_applicable"])
            layers = encoder.layers if settings["layers"] is None else settings["layers"]
            fitted = FittedNetwork.untrained(heads, reader, layers, settings["dropout"], device_of(device))
            fitted.network.load_state_dict(part_of("weights", tensors))
            history = of_type(list[dict[str, int | float]], said["history"])
            state = TrainingState(0.0, best_score=of_type(float, said["best_score"]), history=history)
            interrupted = of_type(bool, said["interrupted"])
            fitted = fitted.calibrated(_scales(said, len(fitted.tasks.label_space.components)))
        fitted.network.eval()
        return cls(settings, encoder, fitted, state, interrupted)


def _encoder(path: str | Path, said: Mapping[str, Any], own: Any) -> Encoder:
    """The encoder that a file tells of, made with the user's own part of it."""
    kind, settings = _ENCODERS[said["kind"]], said["settings"]
    if kind is OwnModule:
        if own is None:
            raise AssayError(f"{path} was trained with an encoder of your own: EndModel.load(path, encoder=module)")
        return as_encoder(own)
    if kind is Embeddings:
        if own is None:
            raise AssayError(
                f"{path} was trained with embeddings by {settings['called']}: EndModel.load(path, encoder=function)"
            )
        return own if isinstance(own, Embeddings) else Embeddings.from_settings(own, settings)
    return kind(**tuples_restored(settings))


def _scales(said: Mapping[str, Any], components: int) -> tuple[float, ...]:
    """Per component its scale; files of earlier versions have none."""
    scales: tuple[float, ...] = of_type(tuple[float, ...], said.get("scales", ()))
    if scales and (len(scales) != components or not all(0 < scale < np.inf for scale in scales)):
        raise ValueError(f"expected a positive scale for each of {components} components, but got {scales}")
    return scales
