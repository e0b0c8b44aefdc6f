"""The end model: settings and assembly; the work is done in the other files of this room."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from assay._core.extras import how_to_install
from assay._core.threads import thread_count
from assay.endmodel.embeddings import Embeddings, Encode
from assay.endmodel.encoder import Encoder, Reader
from assay.endmodel.exported import exported
from assay.endmodel.heads import ClassWeights, Heads
from assay.endmodel.ngrams import NGrams
from assay.endmodel.own_module import OwnModule, as_encoder
from assay.endmodel.predictor import Predictor, labels_to_learn_from, rows_of, settled_outcomes
from assay.endmodel.settings import NetworkSettings, NotApplicable
from assay.engine import Engine, engine_of
from assay.errors import AssayError, DataError
from assay.gold import micro_accuracy
from assay.labels import Labels
from assay.tasks import TaskGraph

try:
    from assay.endmodel.files import StoredEndModel
    from assay.endmodel.fitted import FittedNetwork, device_of
    from assay.endmodel.fitting import Fitting
    from assay.endmodel.inputs import Inputs
    from assay.endmodel.streamed_fitting import StreamSettings, fit_streamed
    from assay.endmodel.streams import is_stream, row_parts
    from assay.endmodel.training import Checkpoint, Schedule, TrainingState, quiet_torch
except ModuleNotFoundError as missing:
    if missing.name not in ("torch", "safetensors"):
        raise
    raise AssayError(
        f"assay.EndModel needs {missing.name}, which is not installed: {how_to_install('torch')}. "
        "assay.SklearnEndModel does without."
    ) from missing

if TYPE_CHECKING:
    import pandas as pd
    from torch import nn


@dataclass(frozen=True)
class _LabelPart:
    """Label some rows; runs on a worker."""

    fitted: FittedNetwork

    def __call__(self, part: tuple[Any, Any]) -> Labels:
        rows, names = part
        with quiet_torch(thread_count()):
            return replace(self.fitted.label(self.fitted.reader.read(rows)), items=names)


class EndModel(Predictor[FittedNetwork]):
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
        How items are read: :class:`assay.NGrams` (the default), :class:`assay.Embeddings` beside them or
        :class:`assay.BiLSTM` for texts, :class:`assay.Features` for rows of numbers, dense or sparse, or any
        ``torch.nn.Module`` that takes a batch of items and gives (items, features). A function from
        texts to vectors stands for ``Embeddings(function)``.
    layers
        The sizes of the shared layers between the encoder and the heads. By default those
        that go with the encoder: none, or (200, 50) for the LSTM.
    not_applicable
        ``"masked"``: a task is learned from items that it applies to, and only from as
        much of each as that is probable. ``"outcome"``: N/A is one more label of its head.
    epochs
        The maximum number of passes over the data.
    batch_size
        The number of items in a training step.
    learning_rate
        The learning rate of Adam at the start.
    l2
        The strength of the ℓ2 regularisation (weight decay).
    dropout
        The share of features, and of units of the shared layers, that a step leaves out.
        Sparse features are all kept.
    frozen_epochs
        The number of epochs before the learning rate may fall.
    patience
        After how many epochs without a lower loss or a higher dev score the learning rate is divided by ten.
    stop_after
        After how many epochs without a higher dev score training stops.
    class_weights
        How much labels count in the loss: None, all as they are; ``"balanced"``, rare labels of a task count as much in
        all as frequent ones; or per task and label, as in ``{"mail": {"spam": 5.0}}``. Weights make rare labels
        found more often, and mistaken for more often; probabilities are then no longer those of the data's own
        class balance.
    calibrate
        Whether probabilities are calibrated: scaled, without changing a decision, so that confidence fits what labels
        say of items that a second training leaves out (a fifth of them, at most 10,000), and gold where labels
        carry some. It takes about as long as training once more, or twice more with gold.
    seed
        For the initial weights, the order of the items, dropout, and which items are held out. Same seed, same weights.
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
    >>> model.predict(["you win a prize", "noon?"])
    array([1, 0])
    >>> model.label(["you win a prize", "noon?"]).names("mail").tolist()
    ['spam', 'ham']
    """

    history_: pd.DataFrame
    dev_score_: float | None
    interrupted_: bool

    def __init__(
        self,
        tasks: TaskGraph,
        *,
        encoder: Encoder | nn.Module | Encode | None = None,
        layers: Sequence[int] | None = NetworkSettings.layers,
        not_applicable: NotApplicable = NetworkSettings.not_applicable,
        epochs: int = NetworkSettings.epochs,
        batch_size: int = NetworkSettings.batch_size,
        learning_rate: float = NetworkSettings.learning_rate,
        l2: float = NetworkSettings.l2,
        dropout: float = NetworkSettings.dropout,
        frozen_epochs: int = NetworkSettings.frozen_epochs,
        patience: int = NetworkSettings.patience,
        stop_after: int = NetworkSettings.stop_after,
        class_weights: ClassWeights | None = NetworkSettings.class_weights,
        calibrate: bool = NetworkSettings.calibrate,
        seed: int = NetworkSettings.seed,
        device: str = NetworkSettings.device,
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
        self.class_weights = class_weights
        self.calibrate = calibrate
        self.seed = seed
        self.device = device

    # Learning

    def fit(
        self,
        data: Any,
        labels: Any,
        *,
        dev: tuple[Any, Any] | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_seconds: float = 30.0,
        stream: bool | None = None,
        progress: bool = True,
    ) -> Self:
        """Learn from items and their labels.

        Ctrl-C ends training early and keeps the best weights so far; ``interrupted_`` is then True.

        Texts may be more than fit into memory. Streamed, they are read once, dealt to disk in parts at random, and
        n-grams are hashed anew in each epoch, so that memory does not depend on their number. What calibrates is then
        never trained on: a tenth of the items, at most about 10,000, and all with gold. Large data needs few
        passes: no epoch begins after 20 million items.

        Parameters
        ----------
        data
            The items, as the encoder takes them: a list of texts, an array or sparse matrix,
            a table, or a path to a file of rows. Of texts also a function that gives them part by part, as a
            generator does: lists of texts, or tables.
        labels
            :class:`assay.Labels` of these items. If some were left out, by
            :meth:`assay.Labels.rebalance` for one, give the data of all items all the same.
            Or an array (items, outcomes) of probabilities; or true labels in any of the shapes
            that :func:`assay.evaluate` takes, of which those that settle no outcome are left out. Streamed, also a
            path to a file that :meth:`assay.Labels.to_parquet` wrote, or a function that gives labels part by part.
        dev
            Items with gold, ``(data, gold)``, for early stopping: the weights that label them
            best are kept. Gold has any of the shapes that :func:`assay.evaluate` takes.
        checkpoint
            A file that is written from time to time. If it is there already, training goes
            on from it, and ends with the same weights as if it had never been interrupted.
        checkpoint_seconds
            How long to train between two checkpoints.
        stream
            Whether the items are streamed, which takes the encoder :class:`assay.NGrams`. By default texts of a
            function are, and of files of more than 100 MB.
        progress
            Whether to show progress on a terminal.
        """
        self._check_settings()
        encoder = self._encoder
        heads = Heads(self.tasks, self.not_applicable)
        heads.check_weights(self.class_weights)
        layers = encoder.layers if self.layers is None else tuple(self.layers)
        device = device_of(self.device)
        scorer = None if dev is None else lambda fitted: _scorer(fitted, *dev)
        if is_stream(data) and isinstance(encoder, NGrams) if stream is None else stream:
            settings = StreamSettings(
                layers, self.dropout, self.l2, self._schedule, self.class_weights, self.calibrate, device, progress
            )
            with quiet_torch(thread_count()):
                return self._learned(
                    *fit_streamed(
                        data,
                        labels,
                        encoder,
                        heads,
                        settings,
                        described=self._described(encoder),
                        scorer=scorer,
                        checkpoint=None if checkpoint is None else Path(checkpoint),
                        checkpoint_seconds=checkpoint_seconds,
                    )
                )
        checked = labels_to_learn_from(labels, self.tasks)
        reader, inputs = encoder.learn_and_read(data)
        rows = rows_of(checked, len(inputs), data)
        own = heads.targets(checked)
        targets = np.zeros((len(inputs), heads.width), dtype=np.float32)
        targets[rows] = own * heads.factors(own.sum(axis=0, dtype=np.float64), self.class_weights)
        fitting = Fitting(
            heads, reader, inputs, targets, layers, self.dropout, self.l2, self._schedule, device, progress
        )
        point = None
        if checkpoint is not None:
            point = Checkpoint(Path(checkpoint), self._purpose(reader, inputs, targets, rows), checkpoint_seconds)
        with quiet_torch(thread_count()):
            fitted, state, interrupted = fitting.train(rows, scorer, point)
            if self.calibrate and not interrupted:
                scales = fitting.scales(checked, rows, state, point)
                interrupted = scales is None
                fitted = fitted.calibrated(scales or ())
        return self._learned(fitted, state, interrupted)

    def _learned(self, fitted: FittedNetwork, state: TrainingState, interrupted: bool) -> Self:
        import pandas as pd

        self._fitted = fitted
        self._state = state
        self.history_ = pd.DataFrame(state.history)
        self.dev_score_ = state.best_score if state.best_score >= 0 else None
        self.interrupted_ = interrupted
        return self

    def _purpose(self, reader: Reader, inputs: Inputs, targets: Any, rows: Any) -> str:
        """A digest of what is trained on what: a checkpoint of something else is no use."""
        learned = reader.learned()
        said = [*self._described(self._encoder), learned.said, len(inputs)]
        digest = hashlib.sha256(json.dumps(said, default=list).encode())
        for array in (targets, rows, *learned.arrays.values()):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def _described(self, encoder: Encoder) -> list[Any]:
        """All that decides what is learned besides the items, for JSON."""
        return [self._own_settings, self.tasks.to_dict(), type(encoder).__name__, encoder.settings()]

    def read_ahead(self, data: Any) -> Any:
        """Data for models of these settings that are each given some of its rows; what it holds is for them alone."""
        # A model that was made of this one may look at the data itself.
        return self._encoder.read_ahead(data) if type(self) is EndModel else data

    # Labeling

    def label_parts(
        self, data: Any, *, id: str | None = None, engine: Engine | Literal["local"] = "local"
    ) -> Iterator[Labels]:
        """Labels for every item, part by part: memory does not depend on the number of items.

        Parameters
        ----------
        data
            A path to a file of rows, a table, rows, or a function that gives parts of them.
        id
            The column of the items' names, if they are to have any.
        engine
            Where to label: ``"local"``, or a cluster as ``assay.engine.Dask(client)``. The labels do not depend on it.

        >>> import assay
        >>> tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
        >>> model = EndModel(tasks, epochs=1).fit(["win a prize", "at noon"] * 9, ["spam", "ham"] * 9)
        >>> parts = lambda: iter([["a prize", "noon"], ["at noon", "win"]])
        >>> [part.names("mail").tolist() for part in model.label_parts(parts)]
        [['spam', 'ham'], ['ham', 'spam']]
        """
        yield from engine_of(engine).map(_LabelPart(self._known), row_parts(data, id))

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

        Of an encoder of your own the weights are written, but not its code; of a function that gives embeddings its
        name, and what it makes of one text, by which :meth:`load` knows whether it is the same.
        """
        stored = StoredEndModel(self._own_settings, self._encoder, self._known, self._state, self.interrupted_)
        return stored.write(path)

    def export(self, path: str | Path) -> Path:
        """Write the model as plain arrays to one ``.npz`` file, for serving without PyTorch.

        :class:`assay.ExportedEndModel` reads it, and gives the same probabilities up to rounding. It takes a model
        over :class:`assay.NGrams` or :class:`assay.Features`, with any shared layers.
        """
        fitted = self._known
        return exported(fitted.heads, fitted.reader, fitted.network.linear_layers(), fitted.scales).write(path)

    @classmethod
    def load(
        cls, path: str | Path, *, encoder: nn.Module | Embeddings | Encode | None = None, device: str = "auto"
    ) -> Self:
        """A model from a file that :meth:`save` wrote; it predicts the same bits.

        Parameters
        ----------
        encoder
            Your own encoder, if the model was trained with one: a module, whose weights come from the file, or the
            function that gives embeddings.
        device
            As for the model itself.
        """
        stored = StoredEndModel.read(path, encoder, device)
        own = stored.encoder.module if isinstance(stored.encoder, OwnModule) else stored.encoder
        try:
            model = cls(stored.fitted.tasks, encoder=own, **{**stored.settings, "device": device})
        except TypeError as error:
            raise AssayError(f"{path} is not a valid end model file: {error}") from error
        return model._learned(stored.fitted, stored.state, stored.interrupted)

    # Checking what comes in

    @property
    def _own_settings(self) -> dict[str, Any]:
        """The settings, without the tasks and the encoder, which are described in other ways."""
        return {name: value for name, value in self.get_params(deep=False).items() if name not in ("tasks", "encoder")}

    @property
    def _encoder(self) -> Encoder:
        return NGrams() if self.encoder is None else as_encoder(self.encoder)

    @property
    def _schedule(self) -> Schedule:
        return Schedule(**{name: getattr(self, name) for name in Schedule.__dataclass_fields__})

    def _check_settings(self) -> None:
        if not isinstance(self.tasks, TaskGraph):
            raise AssayError(f"expected the task graph first, EndModel(tasks, ...), but got {self.tasks!r}")
        for name in ("epochs", "batch_size", "patience", "stop_after"):
            _check(name, getattr(self, name), "a positive integer", lambda v: isinstance(v, int) and v >= 1)
        for name in ("frozen_epochs", "seed"):
            _check(name, getattr(self, name), "an integer, 0 or more", lambda v: isinstance(v, int) and v >= 0)
        _check("calibrate", self.calibrate, "True or False", lambda v: isinstance(v, bool))
        _check("learning_rate", self.learning_rate, "a positive number", lambda v: 0 < v < np.inf)
        _check("l2", self.l2, "a number, 0 or more", lambda v: 0 <= v < np.inf)
        _check("dropout", self.dropout, "a number from 0 to below 1", lambda v: 0 <= v < 1)
        sizes = () if self.layers is None else self.layers
        _check("layers", sizes, "positive integers", lambda v: all(isinstance(size, int) and size >= 1 for size in v))


def _scorer(fitted: FittedNetwork, data: Any, gold: Any) -> Callable[[], float]:
    """Scores a network, as it is by then, on dev items."""
    inputs = fitted.reader.read(data)
    truth = settled_outcomes(fitted.tasks, gold, len(inputs))
    if not any((part >= 0).any() for part in truth):
        raise DataError("the dev items need gold that settles the outcome of some of them")
    return lambda: micro_accuracy(fitted.label(inputs).joint, truth)


def _check(name: str, value: Any, wanted: str, is_valid: Callable[[Any], bool]) -> None:
    try:
        valid = is_valid(value)
    except TypeError:
        valid = False
    if not valid:
        raise AssayError(f"{name} must be {wanted}, but is {value!r}")
