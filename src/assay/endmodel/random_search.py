"""Random search: train with settings drawn at random, and keep those that label the dev items best."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._core.arguments import random_numbers
from assay._core.atomic_files import read_json, write_json
from assay._core.progress import Progress
from assay._core.reading import reading
from assay._core.stored_arrays import of_type
from assay._core.threads import thread_count
from assay.endmodel.encoder import Encoder
from assay.endmodel.model import EndModel
from assay.endmodel.predictor import labels_to_learn_from
from assay.engine import Local, Processes
from assay.errors import AssayError, near_miss
from assay.labels import Labels

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Between:
    """A search range: a number between two others, by default uniform on a logarithmic scale.

    >>> 1e-3 <= Between(1e-3, 1e-1).draw(np.random.default_rng(0)) <= 1e-1
    True
    """

    low: float
    high: float
    log: bool = True

    def __post_init__(self) -> None:
        if not (self.low < self.high and (self.low > 0 or not self.log)):
            least = "a positive number" if self.log else "a number"
            raise AssayError(f"Between takes {least} and a higher one, but got {self.low!r} and {self.high!r}")

    def draw(self, rng: np.random.Generator) -> float:
        """One such number."""
        if self.log:
            return float(np.exp(rng.uniform(np.log(self.low), np.log(self.high))))
        return float(rng.uniform(self.low, self.high))


Space = Mapping[str, Between | Sequence[Any]]
SPACE: Space = {
    "learning_rate": Between(1e-3, 3e-2),
    "l2": Between(1e-6, 1e-3),
    "dropout": [0.0, 0.1, 0.25, 0.5],
    "layers": [None, (64,), (200, 50)],
}
"""What :func:`search` draws from by default. ``layers=None`` stands for those that go with the encoder."""


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found. Made by :func:`assay.search`."""

    model: EndModel
    """The model with the best dev score, trained."""
    settings: dict[str, Any]
    """Its settings that were searched for."""
    trials: pd.DataFrame
    """Every trial: its settings, dev score, epochs and seconds; the best first."""


def search(
    model: EndModel,
    data: Any,
    labels: Any,
    *,
    dev: tuple[Any, Any],
    space: Space | None = None,
    trials: int = 10,
    seed: int = 0,
    workers: int | None = None,
    folder: str | Path | None = None,
    progress: bool = True,
) -> Search:
    """Train with settings drawn at random, and keep the model with the best micro accuracy on dev items.

    Parameters
    ----------
    model
        The end model whose other settings all trials share.
    data, labels
        As for :meth:`assay.EndModel.fit`.
    dev
        Items with gold, ``(data, gold)``.
    space
        Setting -> a list of values, or :class:`assay.endmodel.Between` two numbers. By default the
        learning rate, the ℓ2 regularisation, dropout and the sizes of the shared layers.
    trials
        The number of trials.
    seed
        For the settings that are drawn. Same seed, same settings.
    workers
        How many processes train at a time; by default as many as there are cores.
    folder
        Where every trial is recorded, with its model. A search that was interrupted goes on
        from there: what is recorded is not run again.
    progress
        Whether to show progress on a terminal.

    Examples
    --------
    >>> import assay
    >>> tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
    >>> texts = ["lunch at noon?", "win a prize now", "see you at noon", "a prize for you"] * 5
    >>> labels = assay.Labels(tasks, (np.array([[0.9, 0.1], [0.2, 0.8]] * 10),))
    >>> dev = (["at noon", "prize"], ["ham", "spam"])
    >>> space = {"learning_rate": assay.endmodel.Between(1e-3, 1e-1), "l2": [0.0, 1e-4]}
    >>> found = search(assay.EndModel(tasks, epochs=3), texts, labels, dev=dev, space=space, trials=2, workers=1)
    >>> len(found.trials), sorted(found.settings)
    (2, ['l2', 'learning_rate'])
    """
    import pandas as pd

    given = labels_to_learn_from(labels, model.tasks)
    where = _checked_space(model, SPACE if space is None else space)
    if trials < 1:
        raise AssayError(f"trials must be a positive integer, but is {trials!r}")
    drawn = [_draw(where, (seed, number)) for number in range(trials)]
    with _place(folder) as home:
        _check_purpose(home, model, given, where, seed)
        todo = [(number, settings) for number, settings in enumerate(drawn) if not _record(home, number).exists()]
        many = max(1, min(thread_count() if workers is None else workers, len(todo)))
        job = _Trial(model, data, given, dev, home, max(1, thread_count() // many))
        with Progress("searching", trials, show=progress, unit="trials") as bar:
            bar.advance(trials - len(todo))
            best = -1.0
            for score in (Processes(many) if many > 1 else Local()).map(job, todo):
                best = max(best, score)
                bar.advance(1)
                bar.describe(f"searching  best dev {best:.4f}")
        records = [_read_record(home, number) for number in range(trials)]
        winner = max(range(trials), key=lambda number: (records[number]["figures"]["dev_score"], -number))
        own = None if model.encoder is None or isinstance(model.encoder, Encoder) else model.encoder
        found = EndModel.load(_model_file(home, winner), encoder=own, device=model.device)
    rows = [{"trial": number, **record["settings"], **record["figures"]} for number, record in enumerate(records)]
    table = pd.DataFrame(rows).sort_values("dev_score", ascending=False, kind="stable").reset_index(drop=True)
    return Search(found, drawn[winner], table)


@dataclass(frozen=True)
class _Trial:
    """Run one trial and record it; what a worker runs."""

    model: EndModel
    data: Any
    labels: Labels
    dev: tuple[Any, Any]
    home: Path
    threads: int

    def __call__(self, piece: tuple[int, dict[str, Any]]) -> float:
        number, settings = piece
        model = EndModel(**{**self.model.get_params(deep=False), **settings})
        checkpoint = self.home / f"trial-{number:03}.checkpoint"
        with _threads(self.threads):
            model.fit(self.data, self.labels, dev=self.dev, checkpoint=checkpoint, progress=False)
        if model.interrupted_:
            raise KeyboardInterrupt
        model.save(_model_file(self.home, number))
        assert model.dev_score_ is not None
        seconds = float(model.history_["seconds"].sum())
        figures = {"dev_score": model.dev_score_, "epochs": len(model.history_), "seconds": seconds}
        # Written last: a trial that has a record is done.
        write_json(_record(self.home, number), {"settings": settings, "figures": figures})
        checkpoint.unlink()
        return model.dev_score_


def _record(home: Path, number: int) -> Path:
    return home / f"trial-{number:03}.json"


def _read_record(home: Path, number: int) -> dict[str, Any]:
    path = _record(home, number)
    said = read_json(path, "record of a trial")
    with reading(path, "record of a trial"):
        of_type(float, said["figures"]["dev_score"])
        return of_type(dict[str, dict[str, Any]], said)  # type: ignore[no-any-return]


def _model_file(home: Path, number: int) -> Path:
    return home / f"trial-{number:03}.safetensors"


def _draw(space: Space, seed: tuple[int, int]) -> dict[str, Any]:
    rng = random_numbers(*seed)
    return {
        name: values.draw(rng) if isinstance(values, Between) else values[int(rng.integers(len(values)))]
        for name, values in space.items()
    }


def _checked_space(model: EndModel, space: Space) -> Space:
    known = [name for name in model.get_params(deep=False) if name not in ("tasks", "device")]
    for name, values in space.items():
        if name not in known:
            raise AssayError(f"the space names {name!r}, which is not a setting of EndModel. {near_miss(name, known)}")
        if not isinstance(values, Between) and (not isinstance(values, list | tuple) or not values):
            raise AssayError(f"the space of {name!r} must be a list of values or Between(low, high), but is {values!r}")
    return space


@contextmanager
def _place(folder: str | Path | None) -> Iterator[Path]:
    """The folder for the records, or one for as long as the search takes."""
    if folder is not None:
        yield Path(folder)
        return
    with TemporaryDirectory() as temporary:
        yield Path(temporary)


def _check_purpose(home: Path, model: EndModel, labels: Labels, space: Space, seed: int) -> None:
    """A folder holds the trials of one search only; how many they are may change."""
    path = home / "search.json"
    settings = {name: repr(value) for name, value in model.get_params(deep=False).items() if name != "tasks"}
    digest = hashlib.sha256()
    for joint in labels.joint:
        digest.update(joint.tobytes())
    purpose = {
        "model": settings,
        "tasks": model.tasks.to_dict(),
        "space": {name: repr(values) for name, values in space.items()},
        "seed": seed,
        "labels": digest.hexdigest(),
    }
    if not path.exists():
        write_json(path, purpose)
        return
    before = read_json(path, "record of a search; remove the folder, or search in another")
    if before != json.loads(json.dumps(purpose)):
        changed = [name for name in purpose if before.get(name) != json.loads(json.dumps(purpose[name]))]
        raise AssayError(
            f"{home} holds the trials of another search (other {', '.join(changed)}); search in another folder"
        )


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let this process use this many threads; workers share the cores."""
    before = os.environ.get("ASSAY_THREADS")
    os.environ["ASSAY_THREADS"] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ["ASSAY_THREADS"]
        else:
            os.environ["ASSAY_THREADS"] = before
