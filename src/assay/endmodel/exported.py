"""End models without PyTorch: the same probabilities from plain arrays, for serving."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import read_arrays, write_arrays
from assay._core.reading import is_file, reading
from assay._core.stored_arrays import of_type, stored_array
from assay.endmodel.calibration import scaled
from assay.endmodel.encoder import Learned, tuples_restored
from assay.endmodel.features import FeatureReader, Features
from assay.endmodel.heads import Heads
from assay.endmodel.ngrams import NGramReader, NGrams
from assay.endmodel.texts import texts_of
from assay.errors import AssayError
from assay.labels import Labels
from assay.tasks import TaskGraph

Floats = npt.NDArray[np.float32]
_FORMAT = 1
_KIND = "exported end model"
_ROWS_AT_ONCE = 4_096


@dataclass(frozen=True, eq=False)
class ExportedEndModel:
    """What :meth:`assay.EndModel.export` wrote: it labels items with NumPy alone.

    >>> import tempfile, assay
    >>> tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
    >>> model = assay.EndModel(tasks, epochs=3).fit(["win a prize", "at noon"] * 9, ["spam", "ham"] * 9)
    >>> served = ExportedEndModel.load(model.export(Path(tempfile.mkdtemp()) / "model.npz"))
    >>> served.label(["a prize", "noon"]).names("mail").tolist()
    ['spam', 'ham']
    """

    heads: Heads
    reader: NGramReader | FeatureReader
    layers: tuple[tuple[Floats, Floats], ...]
    """Per layer its weight (inputs, outputs) and its bias (outputs,); between two of them is a rectifier."""
    scales: tuple[float, ...]

    @property
    def tasks(self) -> TaskGraph:
        """The task graph of the labels."""
        return self.heads.tasks

    def label(self, data: Any) -> Labels:
        """Labels for every item; ``data`` has the shape that the end model takes."""
        joint = self.heads.log_joint(self._log_probabilities(data))
        return Labels(self.tasks, tuple(map(scaled, joint, self.scales or (1.0,) * len(joint))))

    def predict_proba(self, data: Any) -> npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]:
        """(items, outcomes); a list of those, one a component, where tasks are unrelated."""
        found = list(self.label(data).joint)
        return found[0] if len(found) == 1 else found

    def _log_probabilities(self, data: Any) -> Floats:
        """(items, width): per head the logs of its probabilities."""
        first = self._first(data)
        parts = [np.zeros((0, self.heads.width), dtype=np.float32)]
        for start in range(0, first.shape[0], _ROWS_AT_ONCE):
            values = first[start : start + _ROWS_AT_ONCE]
            for number, (weight, bias) in enumerate(self.layers):
                values = np.asarray(values @ weight) + bias
                if number + 1 < len(self.layers):
                    values = np.maximum(values, 0)
            parts.append(np.concatenate([_log_softmax(values[:, head]) for head in self.heads.slices], axis=1))
        return np.concatenate(parts)

    def _first(self, data: Any) -> Any:
        """What the first layer reads."""
        if isinstance(self.reader, NGramReader):
            from scipy.sparse import csr_matrix

            texts = texts_of(data, self.reader.encoder.column)
            starts, columns, values = self.reader.rows(texts)
            return csr_matrix((values, columns, starts), shape=(len(texts), self.reader.width))
        matrix = self.reader.matrix(data)
        if self.reader.shape is None:
            return matrix
        mean, spread = self.reader.shape
        return (matrix - mean) / spread

    def write(self, path: str | Path) -> Path:
        """Write it to one ``.npz`` file of plain arrays, with JSON for the rest."""
        learned = self.reader.learned()
        arrays = {f"reader.{name}": array for name, array in learned.arrays.items()}
        for number, (weight, bias) in enumerate(self.layers):
            arrays |= {f"weight.{number}": weight, f"bias.{number}": bias}
        said = {
            "kind": _KIND,
            "format": _FORMAT,
            "tasks": self.tasks.to_dict(),
            "not_applicable": self.heads.not_applicable,
            "encoder": {"kind": type(self.reader.encoder).__name__, "settings": self.reader.encoder.settings()},
            "reader": learned.said,
            "layers": len(self.layers),
            "scales": self.scales,
        }
        return write_arrays(path, {**said, "digest": _digest(arrays)}, arrays)

    @classmethod
    def load(cls, path: str | Path) -> ExportedEndModel:
        """A model from a file that :meth:`assay.EndModel.export` wrote; PyTorch is not needed."""
        if not is_file(path):
            raise AssayError(f"there is no file {path}")
        said, arrays = read_arrays(path, _KIND)
        if said.get("kind") != _KIND or said.get("format") != _FORMAT:
            raise AssayError(f"{path} is no {_KIND}, or one of another version of Assay")
        with reading(path, _KIND):
            if said["digest"] != _digest(arrays):
                raise ValueError("it does not hold what was written to it")
            kinds: dict[str, type[NGrams | Features]] = {"NGrams": NGrams, "Features": Features}
            encoder = kinds[said["encoder"]["kind"]](**tuples_restored(said["encoder"]["settings"]))
            own = {name.removeprefix("reader."): array for name, array in arrays.items() if name.startswith("reader.")}
            reader = encoder.restore(Learned(said["reader"], own))
            heads = Heads(TaskGraph.from_dict(said["tasks"]), said["not_applicable"])
            layers = _layers(arrays, of_type(int, said["layers"]), reader.width, heads.width)
            scales = of_type(tuple[float, ...], said["scales"])
            if scales and len(scales) != len(heads.tasks.label_space.components):
                raise ValueError(f"expected a scale for each component, but got {scales}")
        return cls(heads, reader, layers, scales)


def exported(
    heads: Heads, reader: Any, layers: Sequence[tuple[Floats, Floats]], scales: tuple[float, ...]
) -> ExportedEndModel:
    """A network of linear layers over n-grams or features, as plain arrays; others cannot be exported."""
    if not isinstance(reader, NGramReader | FeatureReader):
        raise AssayError(
            f"an end model that reads items by {type(reader.encoder).__name__} cannot be exported as plain arrays: "
            "only those over assay.NGrams(...) and assay.Features(...) can; serve others with EndModel.load"
        )
    return ExportedEndModel(heads, reader, tuple(layers), scales)


def _layers(arrays: Mapping[str, npt.NDArray[Any]], count: int, inputs: int, width: int) -> tuple[Any, ...]:
    found, size = [], inputs
    for number in range(count):
        weight = stored_array(arrays, f"weight.{number}", (size, None), np.float32)
        size = weight.shape[1]
        found.append((weight, stored_array(arrays, f"bias.{number}", (size,), np.float32)))
    if not found or size != width:
        raise ValueError(f"the last layer must have {width} outputs, but has {size}")
    return tuple(found)


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found


def _digest(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
