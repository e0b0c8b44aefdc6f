"""End models on disk: one safetensors file, with JSON in its header."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from assay._core.reading import reading
from assay._core.stored_arrays import of_type
from assay.endmodel.encoder import Encoder, Learned
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

if TYPE_CHECKING:
    from torch import nn

_FORMAT = 2
_KIND = "an end model"
_ENCODERS: dict[str, type[Encoder]] = {kind.__name__: kind for kind in (NGrams, BiLSTM, Features, OwnModule)}


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
    def read(cls, path: str | Path, module: nn.Module | None, device: str) -> StoredEndModel:
        """What was written; ``module`` is the user's own encoder, of which only the weights are in the file."""
        said, tensors = read_tensors(path, _KIND)
        if said.get("format") != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (end model format {said.get('format')})")
        with reading(path, "end model file"):
            settings = _tuples_restored(said["settings"])
            kind = _ENCODERS[said["encoder"]["kind"]]
            if kind is OwnModule and module is None:
                raise AssayError(f"{path} was trained with an encoder of your own: EndModel.load(path, encoder=module)")
            encoder = kind(**_tuples_restored(said["encoder"]["settings"])) if module is None else as_encoder(module)
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


def _scales(said: Mapping[str, Any], components: int) -> tuple[float, ...]:
    """Per component its scale; files of earlier versions have none."""
    scales = of_type(tuple[float, ...], said.get("scales", ()))
    if scales and (len(scales) != components or not all(0 < scale < np.inf for scale in scales)):
        raise ValueError(f"expected a positive scale for each of {components} components, but got {scales}")
    return scales


def _tuples_restored(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they were before JSON made lists of tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
