"""Refining labels: votes say what they say, and the data of an item says more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.progress import Progress
from assay.endmodel.predictor import rows_of
from assay.endmodel.refinement.cross_fitting import CrossFitting
from assay.endmodel.refinement.gold_layer import FEWEST, LEVELS, GoldEvidence, GoldLayer, learned_on_gold, levels_of
from assay.endmodel.refinement.held_out_sources import GROUPS
from assay.endmodel.refinement.layers import log_lift, softmax
from assay.endmodel.refinement.rounds import DEALS, GOLD_FOLDS, GROUP_FOLDS, Found, Work, settled_by_gold, teaching
from assay.endmodel.refinement.views import views_of
from assay.errors import AssayError
from assay.gold import CheckedLabels, GoldItems
from assay.labels import KINDS, Labels, Refined
from assay.model import LabelModel
from assay.votes import Votes, on_the_same_task

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def refine(
    votes: Any,
    data: Any,
    labels: Labels,
    *,
    gold: Any = None,
    model: Any = None,
    label_model: LabelModel | None = None,
    rounds: int = 2,
    folds: int = 2,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    progress: bool = True,
) -> Labels:
    """Labels from votes and data together.

    End models learn from the labels, each on half of the items, and say what they think of the other half. Their
    log-odds are added to those of the votes, as one more source that is honest about what it is: taught by these very
    votes. So what either is worth is measured on votes that neither has seen, of sources that are held out in turn;
    and if there is gold, on gold. Gold also teaches a model of its own, which has no part in the errors of the votes.
    Where the data does not foresee held-out votes better than other votes do, labels stay what they were. Items
    without votes get labels from the data alone.

    ``labels.refined`` says what came of it, ``labels.evidence`` what each label rests on,
    :meth:`assay.Labels.changes` which items changed, and :meth:`assay.LabelModel.explain` why.

    Parameters
    ----------
    votes
        The votes that the labels were made from.
    data
        A row for each item: texts, an array or sparse matrix, a table, or a path to a file of rows. Or several
        views of the items, as a dict of these, with a dict of models.
    labels
        :class:`assay.Labels` of all items, as :meth:`assay.LabelModel.label` gives them.
    gold
        True labels of some items, in any of the shapes that :meth:`assay.LabelModel.fit` takes, if the label model
        has not learned from them already: those that it has are used anyway.
    model
        The end model, with its settings; it stays as it is. By default :class:`assay.EndModel` over n-grams for
        texts and over the numbers themselves for arrays. :class:`assay.NeighbourModel` needs no training.
        Or a dict of models, one for each view of the data.
    label_model
        The settings of the label model, for labels without some of the sources; by default ``LabelModel()``. If it
        was told a class balance, refined labels stay near that.
    rounds
        At most how often a model learns: the second one from the refined labels. A round that is not
        better by what it foresees of held-out votes is dropped.
    folds
        How many parts items are dealt into, four times; each is labeled by models that were trained on the others.
    seed
        Determines folds and groups of sources.
    checkpoint
        A folder in which the predictions of each fold are kept; interrupted work then goes on where it was. It
        may be deleted afterwards.
    progress
        Whether to show progress on a terminal.

    >>> import assay
    >>> from assay.simulate import flat_world
    >>> from sklearn.linear_model import LogisticRegression
    >>> drawn = flat_world(sources=6, seed=3).draw(2000)
    >>> features = np.eye(2)[drawn.gold] + np.random.default_rng(0).normal(size=(2000, 2))
    >>> labels = assay.LabelModel().fit(drawn.votes).label(drawn.votes)
    >>> better = refine(drawn.votes, features, labels, model=assay.SklearnEndModel(LogisticRegression()))
    >>> before, after = ((part.joint[0].argmax(axis=1) == drawn.gold).mean() for part in (labels, better))
    >>> bool(after > before)
    True
    """
    _check(labels, rounds, folds)
    given = votes if isinstance(votes, Votes) else on_the_same_task(votes, labels.tasks)
    if len(given) != len(labels):
        raise AssayError(
            f"expected the votes that the labels were made from, but there are {len(given):,} items with votes and "
            f"{len(labels):,} labels; refine labels of all items, before any are dropped"
        )
    views = views_of(data, model, labels.tasks, len(labels))
    rows_of(labels, len(labels), data)
    known = _with_gold(given, labels, gold)
    has_votes = np.diff(given.cast.starts) > 0
    if teaching(known, has_votes).astype(bool).sum() < 2 * folds:
        note = f"there are too few items with votes to train on in {folds} folds: labels are what they were"
        return _finished(known, has_votes, Found.nothing(known, views), [note])
    folder = None if checkpoint is None else Path(checkpoint)
    by_gold = GOLD_FOLDS if settled_by_gold(known).sum() >= FEWEST else 0
    most = len(views) * (rounds * (DEALS * folds + GROUP_FOLDS * GROUPS) + by_gold)
    with Progress("refining", total=most, show=progress, unit="trainings") as bar:
        work = Work(
            given,
            known,
            views,
            [view.digest() for view in views],
            has_votes,
            folds,
            seed,
            CrossFitting(labels.tasks, folder, bar),
            LabelModel() if label_model is None else label_model,
        )
        found, notes = work.rounds(rounds)
        found = work.with_gold_alone(found)
    return _finished(known, has_votes, found, notes)


def _check(labels: Any, rounds: Any, folds: Any) -> None:
    if not isinstance(labels, Labels):
        raise AssayError(
            "expected the labels to refine, assay.Labels, which LabelModel.label(votes) gives, "
            f"but got {type(labels).__name__}"
        )
    for name, value, least in (("rounds", rounds, 1), ("folds", folds, 2)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise AssayError(f"{name} must be an integer of {least} or more, but is {value!r}")


def _with_gold(votes: Votes, labels: Labels, gold: Any) -> Labels:
    """Labels that carry all gold: what they were taught with, and what is given now, which they never saw."""
    if gold is None:
        return labels
    items = GoldItems.among(votes, gold)
    seen = np.isin(items.rows, [] if labels.gold is None else labels.gold.rows)
    new = items.rows[~seen]
    if not len(new):
        return labels
    parts = range(len(labels.joint))
    allowed = tuple(items.allowed(at)[~seen] for at in parts)
    added = CheckedLabels(new, allowed, tuple(labels.joint[at][new] for at in parts), items.weights[~seen])
    joint = tuple(part.copy() for part in labels.joint)
    for at in parts:
        joint[at][new] = _within(joint[at][new], allowed[at])
    if labels.gold is None:
        return replace(labels, joint=joint, gold=added)
    merged = CheckedLabels.concat([labels.gold, added], [0, 0])
    order = np.argsort(merged.rows, kind="stable")
    every = np.ones(len(order), dtype=bool)
    ordered = CheckedLabels(
        merged.rows[order],
        tuple(part[order] for part in merged.allowed),
        tuple(part[order] for part in merged.held_out),
        merged.weights[order],
    )
    return replace(labels, joint=joint, gold=ordered.take(every, ordered.rows))


def _within(joint: FloatArray, allowed: BoolArray) -> FloatArray:
    """Probabilities of what gold allows."""
    left = joint * allowed
    left = np.where(left.sum(axis=1, keepdims=True) > 0, left, allowed)
    return np.asarray(left / left.sum(axis=1, keepdims=True))


def _finished(labels: Labels, has_votes: BoolArray, found: Found, notes: list[str]) -> Labels:
    """The refined labels, with what gold makes of them, and what they rest on."""
    joint, held_out, layers = [], [], []
    for at, part in enumerate(labels.joint):
        refined, said, layer = _component(labels, at, part, found)
        joint.append(refined)
        held_out.append(said)
        layers.append(layer)
    gold = labels.gold
    if gold is not None:
        gold = replace(gold, held_out=tuple(held_out))
        steps = {layer.step for layer in layers} - {"none"}
        if found.said:
            taught = "set" if steps else "change nothing about"
            notes = [*notes, f"{len(gold):,} items with gold {taught} what votes and data are worth"]
    speaks = bool(found.said) and any(any(layer.weights.data) for layer in layers)
    with_votes, without = ("votes and data", "data") if speaks else ("votes", "class balance")
    kinds = np.where(has_votes, KINDS.index(with_votes), KINDS.index(without)).astype(np.uint8)
    if gold is not None:
        kinds[gold.rows] = KINDS.index("gold")
    refined_from = Refined(
        kinds,
        tuple(layer.weights.votes for layer in layers),
        {name: tuple(layer.weights.data[at] for layer in layers) for at, name in enumerate(found.names) if found.said},
        tuple(notes),
    )
    return replace(labels, joint=tuple(joint), gold=gold, refined=refined_from)


def _component(labels: Labels, at: int, part: FloatArray, found: Found) -> tuple[FloatArray, FloatArray, GoldLayer]:
    """(items, outcomes) labels of one component, those of gold items without their gold, and the layer behind them."""
    weights, balance, lifts, gold = found.weights[at], found.balance[at], found.lifts(at), labels.gold
    level = levels_of(lifts, weights) if lifts else np.zeros(len(part), dtype=np.int64)
    if gold is None or not lifts:
        layer = GoldLayer(weights, np.zeros(LEVELS), np.zeros(part.shape[1]))
        said = np.empty((0, part.shape[1])) if gold is None else gold.held_out[at]
    else:
        evidence = GoldEvidence(
            balance,
            log_lift(gold.held_out[at], part.mean(axis=0)),
            tuple(lift[gold.rows] for lift in lifts),
            level[gold.rows],
            gold.allowed[at],
            gold.weights,
        )
        layer, said = learned_on_gold(evidence, weights, 0)
    if not lifts:
        return part, said, layer
    refined = softmax(layer.log_posterior(balance, log_lift(part), lifts, level))
    if gold is not None:
        refined[gold.rows] = _within(said, gold.allowed[at])
    return refined, said, layer
