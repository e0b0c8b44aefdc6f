"""The end model: settings and assembly; the work is done in the other files of this room."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay._core.threads import thread_count
from assay.endmodel.encoder import Encoder, Learned, Reader
from assay.endmodel.features import Features
from assay.endmodel.heads import Heads, NotApplicable
from assay.endmodel.lstm import BiLSTM
from assay.endmodel.ngrams import NGrams
from assay.endmodel.own_module import OwnModule
from assay.endmodel.predictor import Predictor, checked_labels, rows_of
from assay.errors import AssayError, DataError
from assay.evaluation import as_gold
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels
from assay.tasks import TaskGraph

try:
    import torch

    from assay.endmodel.inputs import Inputs
    from assay.endmodel.loss import log_probabilities
    from assay.endmodel.network import Network
    from assay.endmodel.stepper import seed_torch, stepper_of
    from assay.endmodel.tensor_file import part_of, read_tensors, under, write_tensors
    from assay.endmodel.training import Checkpoint, Schedule, Standing, quiet_torch, train
except ModuleNotFoundError as missing:
    if missing.name not in ("torch", "safetensors"):
        raise
    raise AssayError(
        f"assay.EndModel needs {missing.name}, which is not installed: pip install 'assay[torch]'. "
        "assay.SklearnEndModel does without."
    ) from missing

if TYPE_CHECKING:
    import pandas as pd
    from torch import nn

_FORMAT = 2
_ROWS_AT_ONCE = 4_096
_ENCODERS: dict[str, type[Encoder]] = {kind.__name__: kind for kind in (NGrams, BiLSTM, Features, OwnModule)}


@dataclass(frozen=True)
class _Fitted:
    """All that was learned."""

    tasks: TaskGraph
    heads: Heads
    reader: Reader
    network: Network
    device: torch.device

    def label(self, inputs: Inputs) -> Labels:
        """Labels for every item."""
        parts = []
        with torch.no_grad():
            for start in range(0, len(inputs), _ROWS_AT_ONCE):
                rows = np.arange(start, min(start + _ROWS_AT_ONCE, len(inputs)))
                scores = self.network(inputs.batch(rows, self.device))
                parts.append(log_probabilities(scores, self.heads.slices).cpu().numpy())
        return self.heads.labels(np.concatenate(parts) if parts else np.zeros((0, self.heads.width)))


class EndModel(Predictor):
    """A multi-task network that learns from probabilistic labels, and then labels items from their data alone.

    It minimises the loss that is expected under the label model's probabilities. An
    encoder and some layers are shared by all tasks, and each task has a head of its
    own; the joint over outcomes is composed from the heads, so that no prediction
    contradicts the task graph.

    Parameters
    ----------
    tasks
        The task graph, the same as that of the labels.
    encoder
        How items are read: :class:`assay.NGrams` (the default) or :class:`assay.BiLSTM` for
        texts, :class:`assay.Features` for rows of numbers, dense or sparse, or any
        ``torch.nn.Module`` that takes a batch of items and gives (items, features).
    layers
        The sizes of the shared layers between the encoder and the heads. By default those
        that go with the encoder: none, or (200, 50) for the LSTM.
    not_applicable
        ``"masked"``: a task is learned from items that it applies to, and only from as
        much of each as that is probable. ``"outcome"``: N/A is one more label of its head.
    epochs
        The most passes over the data.
    batch_size
        How many items make a step.
    learning_rate
        The rate of Adam at the start.
    l2
        How strongly weights are drawn to zero.
    dropout
        The share of features, and of units of the shared layers, that a step leaves out.
        Sparse features are all kept.
    frozen_epochs
        How many epochs the learning rate is left as it is.
    patience
        After how many epochs without a lower loss or a higher dev score it is divided by ten.
    stop_after
        After how many epochs without a higher dev score training stops.
    seed
        For the first weights, the order of the items, and dropout. Same seed, same weights.
    device
        ``"auto"``: a GPU if there is one, else the CPU. Or the name of a PyTorch device.

    Attributes
    ----------
    history_
        DataFrame: per epoch the training loss, the dev score if there are dev items, the
        learning rate and the seconds it took.
    dev_score_
        The best dev score: the micro accuracy over outcomes of the weights that were kept.
    interrupted_
        Whether training was cut short by Ctrl-C.

    Examples
    --------
    >>> import assay
    >>> tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
    >>> texts = ["lunch at noon?", "win a prize now", "see you at noon", "a prize for you"] * 10
    >>> labels = assay.Labels(tasks, (np.array([[0.9, 0.1], [0.2, 0.8]] * 20),))
    >>> model = EndModel(tasks, epochs=5).fit(texts, labels)
    >>> model.predict(["you win a prize", "noon?"])["mail"].tolist()
    ['spam', 'ham']
    """

    history_: pd.DataFrame
    dev_score_: float | None
    interrupted_: bool

    def __init__(
        self,
        tasks: TaskGraph,
        *,
        encoder: Encoder | nn.Module | None = None,
        layers: Sequence[int] | None = None,
        not_applicable: NotApplicable = "masked",
        epochs: int = 10,
        batch_size: int = 128,
        learning_rate: float = 1e-2,
        l2: float = 1e-5,
        dropout: float = 0.1,
        frozen_epochs: int = 5,
        patience: int = 10,
        stop_after: int = 20,
        seed: int = 0,
        device: str = "auto",
    ) -> None:
        self.tasks = tasks
        self.encoder = encoder
        self.layers = layers
        self.not_applicable = not_applicable
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l2 = l2
        self.dropout = dropout
        self.frozen_epochs = frozen_epochs
        self.patience = patience
        self.stop_after = stop_after
        self.seed = seed
        self.device = device

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    # Learning

    def fit(
        self,
        data: Any,
        labels: Labels,
        *,
        dev: tuple[Any, Any] | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_seconds: float = 30.0,
        progress: bool = True,
    ) -> Self:
        """Learn from items and their labels.

        Ctrl-C ends training early and keeps the best weights so far; ``interrupted_`` is then True.

        Parameters
        ----------
        data
            The items, as the encoder takes them: a list of texts, an array or sparse matrix,
            a table, or a path to a file of rows.
        labels
            :class:`assay.Labels` of these items. If some were left out, by
            :meth:`assay.Labels.rebalance` for one, give the data of all items all the same.
        dev
            Items with gold, ``(data, gold)``, for early stopping: the weights that label them
            best are kept. Gold has any of the shapes that :func:`assay.evaluate` takes.
        checkpoint
            A file that is written from time to time. If it is there already, training goes
            on from it, and ends with the same weights as if it had never been interrupted.
        checkpoint_seconds
            How long to train between two checkpoints.
        progress
            Whether to show progress on a terminal.
        """
        self._check_settings()
        checked = checked_labels(labels, self.tasks)
        encoder = self._encoder
        reader = encoder.learn(data)
        inputs = reader.read(data)
        rows = rows_of(checked, len(inputs))
        heads = Heads(self.tasks, self.not_applicable)
        # Laid out like the data, so that a batch needs its row numbers alone.
        targets = np.zeros((len(inputs), heads.width), dtype=np.float32)
        targets[rows] = heads.targets(checked)
        device = _device(self.device)
        with quiet_torch(thread_count()):
            seed_torch(self.seed, device)
            layers = encoder.layers if self.layers is None else tuple(self.layers)
            network = Network(reader, layers, heads.width, self.dropout).to(device)
            fitted = _Fitted(self.tasks, heads, reader, network, device)
            standing, interrupted = train(
                network,
                stepper_of(network, inputs, targets, heads.slices, self.l2),
                rows,
                self._schedule,
                score=None if dev is None else self._scorer(fitted, *dev),
                checkpoint=None
                if checkpoint is None
                else Checkpoint(Path(checkpoint), self._purpose(reader, inputs, targets, rows), checkpoint_seconds),
                progress=progress,
            )
        return self._learned(fitted, standing, interrupted)

    def _learned(self, fitted: _Fitted, standing: Standing, interrupted: bool) -> Self:
        import pandas as pd

        self._fitted = fitted
        self._standing = standing
        self.history_ = pd.DataFrame(standing.history)
        self.dev_score_ = standing.best_score if standing.best_score >= 0 else None
        self.interrupted_ = interrupted
        return self

    def _scorer(self, fitted: _Fitted, data: Any, gold: Any) -> Any:
        inputs = fitted.reader.read(data)
        truth = as_gold(self.tasks, gold, len(inputs))
        numbers = [outcome_numbers(truth, index) for index in range(len(self.tasks.label_space.components))]
        if not any((part >= 0).any() for part in numbers):
            raise DataError("the dev items need gold that settles the outcome of some of them")
        return lambda: micro_accuracy(fitted.label(inputs).joint, numbers)

    def _purpose(self, reader: Reader, inputs: Inputs, targets: Any, rows: Any) -> str:
        """A digest of what is trained on what: a checkpoint of something else is no use."""
        learned = reader.learned()
        settings = {name: value for name, value in self.get_params().items() if name not in ("tasks", "encoder")}
        said = [settings, self.tasks.to_dict(), type(self._encoder).__name__, self._encoder.settings(), learned.said]
        digest = hashlib.sha256(json.dumps([*said, len(inputs)], default=list).encode())
        for array in (targets, rows, *learned.arrays.values()):
            digest.update(array.tobytes())
        return digest.hexdigest()

    # Labeling

    def label(self, data: Any) -> Labels:
        """Labels for every item, as :meth:`assay.LabelModel.label` gives them; they never contradict the task graph.

        ``data`` has the shape that :meth:`fit` was given.
        """
        fitted = self._known
        with quiet_torch(thread_count()):
            return fitted.label(fitted.reader.read(data))

    # On disk

    def save(self, path: str | Path) -> Path:
        """Write the model to one safetensors file, with JSON in its header; :meth:`load` restores it exactly.

        Of an encoder of your own the weights are written, but not its code.
        """
        fitted = self._known
        learned = fitted.reader.learned()
        settings = {name: value for name, value in self.get_params().items() if name not in ("tasks", "encoder")}
        said = {
            "format": _FORMAT,
            "settings": json.loads(json.dumps(settings, default=list)),
            "tasks": fitted.tasks.to_dict(),
            "encoder": {"kind": type(self._encoder).__name__, "settings": self._encoder.settings()},
            "reader": learned.said,
            "history": self._standing.history,
            "best_score": self._standing.best_score,
            "interrupted": self.interrupted_,
        }
        arrays = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in learned.arrays.items()}
        tensors = under("weights", fitted.network.state_dict()) | under("reader", arrays)
        return write_tensors(path, "an end model", said, tensors)

    @classmethod
    def load(cls, path: str | Path, *, encoder: nn.Module | None = None, device: str = "auto") -> Self:
        """A model from a file that :meth:`save` wrote; it predicts the same bits.

        Parameters
        ----------
        encoder
            Your own encoder, if the model was trained with one; its weights come from the file.
        device
            As for the model itself.
        """
        said, tensors = read_tensors(path, "an end model")
        if said.get("format") != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (end model format {said.get('format')})")
        try:
            kind = _ENCODERS[said["encoder"]["kind"]]
            if kind is OwnModule and encoder is None:
                raise AssayError(f"{path} was trained with an encoder of your own: EndModel.load(path, encoder=module)")
            own = encoder if encoder is not None else kind(**_hashable(said["encoder"]["settings"]))
            model = cls(TaskGraph.from_dict(said["tasks"]), encoder=own, **_hashable(said["settings"]))
            model.device = device
            arrays = {name: tensor.numpy() for name, tensor in part_of("reader", tensors).items()}
            reader = model._encoder.restore(Learned(said["reader"], arrays))
            heads = Heads(model.tasks, model.not_applicable)
            layers = model._encoder.layers if model.layers is None else tuple(model.layers)
            network = Network(reader, layers, heads.width, model.dropout)
            network.load_state_dict(part_of("weights", tensors))
            standing = Standing(0.0, best_score=said["best_score"], history=said["history"])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise AssayError(f"{path} is not a sound file of an end model: {error}") from error
        place = _device(device)
        fitted = _Fitted(model.tasks, heads, reader, network.to(place).eval(), place)
        return model._learned(fitted, standing, said["interrupted"])

    # Checking what comes in

    @property
    def _known(self) -> _Fitted:
        if not hasattr(self, "_fitted"):
            raise AssayError("this EndModel has not learned yet; call fit(data, labels) first")
        return self._fitted

    @property
    def _encoder(self) -> Encoder:
        if self.encoder is None:
            return NGrams()
        if isinstance(self.encoder, Encoder):
            return self.encoder
        if isinstance(self.encoder, torch.nn.Module):
            return OwnModule(self.encoder)
        raise AssayError(
            "encoder must be assay.NGrams(...), assay.BiLSTM(...), assay.Features(...) or a torch.nn.Module, "
            f"but is {self.encoder!r}"
        )

    @property
    def _schedule(self) -> Schedule:
        return Schedule(**{name: getattr(self, name) for name in Schedule.__dataclass_fields__})

    def _check_settings(self) -> None:
        if not isinstance(self.tasks, TaskGraph):
            raise AssayError(f"expected the task graph first, EndModel(tasks, ...), but got {self.tasks!r}")
        for name in ("epochs", "batch_size", "patience", "stop_after"):
            _check(name, getattr(self, name), "a whole number from 1", lambda v: isinstance(v, int) and v >= 1)
        for name in ("frozen_epochs", "seed"):
            _check(name, getattr(self, name), "a whole number from 0", lambda v: isinstance(v, int) and v >= 0)
        _check("learning_rate", self.learning_rate, "a positive number", lambda v: 0 < v < np.inf)
        _check("l2", self.l2, "a number from 0", lambda v: 0 <= v < np.inf)
        _check("dropout", self.dropout, "a share below 1", lambda v: 0 <= v < 1)
        sizes = () if self.layers is None else self.layers
        _check("layers", sizes, "sizes from 1", lambda v: all(isinstance(size, int) and size >= 1 for size in v))


def _check(name: str, value: Any, wanted: str, is_sound: Any) -> None:
    try:
        sound = is_sound(value)
    except TypeError:
        sound = False
    if not sound:
        raise AssayError(f"{name} must be {wanted}, but is {value!r}")


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise AssayError(f"the device {name!r} cannot be used: {str(error).splitlines()[0]}") from error


def _hashable(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as they were before JSON made lists of tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
