"""A project's end model: from the labels of a run to a trained model, its labels, and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay._core.progress import Progress
from assay._core.rows import as_polars, row_count
from assay._core.urls import Url
from assay.engine import connected
from assay.errors import ProjectError, UnidentifiableError, near_miss
from assay.evaluation import Evaluation
from assay.labels import Labels, StoredLabels, check_ending, label_parts, write_labels
from assay.project.extras import can_train
from assay.project.gold_files import check_gold, gold_from, gold_votes
from assay.project.modules import function_named
from assay.project.pipeline import label_model, votes_on
from assay.project.project import Project
from assay.project.provenance import (
    END_MODEL,
    LABELS,
    REFINED,
    REFINED_FILE,
    check_made_from,
    plain,
    record,
    records,
    stale,
)
from assay.project.refined_labels import stored_refined
from assay.project.stored import LABELS_FILE, stored, stored_label_model, stored_labels, stored_votes
from assay.report import evaluate_methods

if TYPE_CHECKING:
    from assay.endmodel import Encoder, EndModel, LabelStream
    from assay.votes import Votes

WITHOUT = "label model without hand labels"
EMBEDDINGS_FILE = "embeddings.sqlite"
MODEL_FILE, CHECKPOINT_FILE, PREDICTIONS_FILE = "endmodel.safetensors", "endmodel.checkpoint", "predictions.parquet"


@dataclass(frozen=True)
class Training:
    """What training gave."""

    model: EndModel
    items: int
    """How many items it was trained on."""
    path: Path
    refined: bool
    """Whether their labels were refined."""


def train(project: Project, *, fresh: bool = False, progress: bool = True) -> Training:
    """Train a project's end model on the labels of its last run, refined if that run did so, and keep it.

    Training that was interrupted is resumed, unless ``fresh``. A large file of texts, and its labels, are streamed.
    """
    from assay.endmodel import is_stream

    model = untrained(project)
    refined = (project.output / REFINED_FILE).is_file()
    stream = _streamed_labels(project, refined) if is_stream(project.data) else None
    at_once = None if stream is not None else _labels_at_once(project)
    checkpoint = project.output / CHECKPOINT_FILE
    if fresh:
        checkpoint.unlink(missing_ok=True)
    dev = None if project.dev is None else (project.dev[0], project.gold_in(project.dev[1]))
    labels = at_once if stream is None else stream.labels
    model.fit(project.data, labels, dev=dev, checkpoint=checkpoint, progress=progress)
    path = model.save(project.output / MODEL_FILE)
    record_end_model(project, path)
    if not model.interrupted_:
        checkpoint.unlink()
    return Training(model, stream.chosen if stream is not None else len(at_once or ()), path, refined)


def _labels_at_once(project: Project) -> Labels:
    """The labels of the last run that settings say to train on."""
    votes, labels = stored_votes(project), stored_labels(project)
    refined = stored_refined(project, len(labels))
    return to_train_on(project, votes, labels if refined is None else refined)


class _Chosen:
    """Labels of a file to train on, chosen part by part; how many they are is known once they were read."""

    def __init__(self, project: Project, stored: StoredLabels) -> None:
        self._project, self._stored = project, stored
        self.chosen = 0

    def parts(self) -> Iterator[Labels]:
        """Those of each part, which remember the rows they belong to."""
        held = held_out(self._project, self._stored.items)
        start = self.chosen = 0
        for part in label_parts(self._stored.path):
            found = _by_settings(self._project, part.where(~held[start : start + len(part)]), None)
            start += len(part)
            self.chosen += len(found)
            yield found

    @property
    def labels(self) -> LabelStream:
        """As an end model takes them."""
        from assay.endmodel import LabelStream

        held, gold = held_out(self._project, self._stored.items), self._stored.gold
        if gold is not None:
            gold = gold.take(~held[gold.rows], gold.rows[~held[gold.rows]])
        return LabelStream(self.parts, self._stored.items, gold)


def _streamed_labels(project: Project, refined: bool) -> _Chosen | None:
    """The labels of the last run, to be read part by part; None if a setting needs all of them at once."""
    path = project.output / LABELS_FILE
    if not path.is_file() or project.endmodel.rebalance != "none" or project.endmodel.encoder != "ngrams":
        return None
    if project.endmodel.embeddings is not None:
        return None
    check_made_from(project, LABELS, path)
    if refined:
        path = project.output / REFINED_FILE
        check_made_from(project, REFINED, path)
    stored = StoredLabels.of(path)
    knows_votes = stored.votes_column is not None or not project.endmodel.voted_only
    return _Chosen(project, stored) if stored.tasks == project.tasks and knows_votes else None


def record_end_model(project: Project, path: Path) -> None:
    """Note which labels an end model was trained on."""
    known = records(project.output)
    if LABELS in known:
        refined = known[REFINED]["file"] if REFINED in known else None
        come_from = {"labels": known[LABELS]["file"], REFINED: refined, "settings": plain(project.endmodel)}
        record(project.output, end_model=(path, come_from))


def has_current_end_model(project: Project) -> bool:
    """Whether there is an end model that was trained on the labels of the last run."""
    path = project.output / MODEL_FILE
    return path.is_file() and not any(stale(project.output, END_MODEL, path))


def untrained(project: Project) -> EndModel:
    """The end model with a project's settings."""
    from assay.endmodel import EndModel

    return EndModel(project.tasks, encoder=encoder_of(project), **project.endmodel.network)


def stored_model(project: Project) -> EndModel:
    """The end model that :func:`train` kept."""
    from assay.endmodel import Embeddings, EndModel

    def load(path: Path) -> EndModel:
        encoder = encoder_of(project)
        return EndModel.load(path, encoder=encoder if isinstance(encoder, Embeddings) else None)

    return stored(project, project.output / MODEL_FILE, load, "end model", "assay train")


@dataclass(frozen=True)
class Predictions:
    """Labels that an end model gave, on disk: those of a Parquet file may be more than fit into memory."""

    path: Path
    items: int

    @property
    def labels(self) -> Labels:
        """All of them."""
        return Labels.from_parquet(self.path)


def predict(
    project: Project, data: Path | None = None, out: Path | None = None, *, progress: bool = True
) -> Predictions:
    """Label data, by default the project's own, with its end model, and keep the labels, under the rows' names.

    Rows are read, labeled and written part by part.
    """
    path = check_ending(project.output / PREDICTIONS_FILE if out is None else out)
    rows = project.data if data is None else data
    model = stored_model(project)
    items = 0
    with (
        connected(project.engine) as engine,
        Progress("labeling", row_count(rows), show=progress, unit="rows") as bar,
    ):

        def parts() -> Iterator[Labels]:
            nonlocal items
            for part in model.label_parts(rows, id=project.id, engine=engine):
                items += len(part)
                yield part
                bar.advance(len(part))

        found = parts()
        first = next(found, None)
        if first is None:
            raise ProjectError(f"{rows} has no rows, so there is nothing to label")
        whole = chain([first], found)
        # Tables for people are small; a Parquet file may be larger than memory.
        written = write_labels(whole, path) if path.suffix == ".parquet" else Labels.concat(whole).to_file(path)
    return Predictions(written, items)


def compare_methods(project: Project, slice_by: str | None = None) -> dict[str, Evaluation]:
    """Majority votes, the label model and the end model, if there is one, against gold, on items held out of training.

    A project without gold is scored by its hand labels, cross-fitted: majority votes and the label model, with and
    without what it learned from them. An end model was trained on these very items, so it is
    left to :func:`assay.project.compare_training`.

    A project with ``[test]`` is scored on those rows alone, which nothing was learned from.

    ``slice_by`` names a column of the data, for each value of which items are scored separately.
    """
    if project.test is not None:
        return _on_test(project, *project.test, slice_by)
    votes, labels = stored_votes(project), stored_labels(project)
    _check_size("label model", labels, votes, project)
    gold = gold_votes(project, votes)
    if gold is None and labels.gold is None:
        raise ProjectError(
            f"there is nothing to evaluate against: label items by hand with 'assay label {project.folder}' and run "
            f"'assay run {project.folder}', or add [gold] with path = \"...\" to assay.toml"
        )
    held = held_out(project, len(votes))
    if not held.any():
        held = np.ones(len(votes), dtype=bool)
    slices = None if slice_by is None else _slices(project, project.data, slice_by, held)
    methods = {**_without_hand_labels(project, votes, labels), "label model": labels}
    refined = stored_refined(project, len(votes))
    if refined is not None:
        methods[REFINED] = refined
    if gold is not None and (project.output / MODEL_FILE).is_file():
        check_made_from(project, END_MODEL, project.output / MODEL_FILE)
        methods["end model"] = Labels.concat(stored_model(project).label_parts(project.data))
        _check_size("end model", methods["end model"], votes, project)
    chosen = {name: found.where(held) for name, found in methods.items()}
    return evaluate_methods(votes.take(held), chosen, None if gold is None else gold.take(held), slices=slices)


def _on_test(project: Project, data: Path, gold: Path, slice_by: str | None) -> dict[str, Evaluation]:
    """The methods on rows of their own: the sources vote on them, and the models that were learned label them."""
    check_gold(project)
    votes = votes_on(project, data)
    slices = None if slice_by is None else _slices(project, data, slice_by, np.ones(len(votes), dtype=bool))
    methods = {"label model": stored_label_model(project).label(votes, progress=False)}
    if can_train() and (project.output / MODEL_FILE).is_file():
        methods["end model"] = stored_model(project).label(data)
    return evaluate_methods(votes, methods, gold_from(project, gold, votes), slices=slices)


def _check_size(name: str, labels: Labels, votes: Votes, project: Project) -> None:
    if len(labels) != len(votes):
        raise ProjectError(
            f"the {name} has labels for {len(labels):,} items, but there are votes on {len(votes):,}; "
            f"run 'assay run {project.folder}' again"
        )


def _without_hand_labels(project: Project, votes: Votes, labels: Labels) -> dict[str, Labels]:
    """What the label model says that has not learned from hand labels; nothing if they taught none, or if all did."""
    if labels.gold is None:
        return {}
    try:
        model = label_model(project).fit(votes, progress=False)
    except UnidentifiableError:
        return {}
    return {WITHOUT: model.label(votes, progress=False)}


def held_out(project: Project, items: int) -> npt.NDArray[np.bool_]:
    """(items,): which items are kept from training, to score with; the same ones each time."""
    if project.gold is None:
        return np.zeros(items, dtype=bool)
    return np.random.default_rng(project.endmodel.seed).random(items) < project.endmodel.held_out


def to_train_on(project: Project, votes: Votes, labels: Labels) -> Labels:
    """The labels that a project's settings say to train on."""
    chosen = _by_settings(project, labels.where(~held_out(project, len(labels))), votes)
    settings = project.endmodel
    return chosen if settings.rebalance == "none" else chosen.rebalance(settings.rebalance, seed=settings.seed)


def _by_settings(project: Project, labels: Labels, votes: Votes | None) -> Labels:
    """Those of some labels that settings say to train on, as sure as these say; without rebalancing."""
    settings = project.endmodel
    chosen = labels.voted(votes) if settings.voted_only else labels
    chosen = chosen.confident(settings.min_confidence).tempered(settings.temperature)
    return chosen.hard() if settings.hard else chosen


def encoder_of(project: Project) -> Encoder:
    """The encoder that a project's settings name."""
    from assay.endmodel import BiLSTM, Embeddings, Features, NGrams

    settings = project.endmodel
    if settings.encoder == "features":
        return Features(columns=settings.columns)
    if len(settings.columns) != 1:
        raise ProjectError(f"[endmodel] columns must name one column of texts, but names {list(settings.columns)}")
    column = settings.columns[0]
    if settings.encoder == "lstm":
        return BiLSTM(column=column)
    ngrams = NGrams(column=column) if settings.encoder == "ngrams" else None
    if settings.embeddings is None:
        if ngrams is None:
            raise ProjectError('[endmodel] encoder = "embeddings" needs a function: embeddings = "module:function"')
        return ngrams
    return Embeddings(
        function_named(project.folder, settings.embeddings, "[endmodel] embeddings"),
        ngrams,
        weight=settings.embedding_weight,
        cache=project.output / EMBEDDINGS_FILE,
        name=settings.embeddings,
        column=column,
    )


def _slices(
    project: Project, data: Path | Url, column: str, held: npt.NDArray[np.bool_]
) -> Mapping[str, npt.NDArray[np.bool_]]:
    frame = as_polars(data)
    if column not in frame.columns:
        raise ProjectError(f"the data has no column {column!r} to slice by. {near_miss(column, frame.columns)}")
    if len(frame) != len(held):
        raise ProjectError(
            f"{data} has {len(frame):,} rows, but there are votes on {len(held):,} items; "
            f"run 'assay run {project.folder}' again"
        )
    values = frame[column].to_numpy()[held]
    return {f"{column}={value}": values == value for value in sorted(set(values.tolist()), key=str)}
