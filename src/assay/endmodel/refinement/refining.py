"""Refining labels: votes say what they say, and the data of an item says more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.progress import Progress
from assay.endmodel.predictor import rows_of
from assay.endmodel.refinement.cross_fitting import CrossFitting, Joint
from assay.endmodel.refinement.gold_layer import FEWEST, LEVELS, GoldEvidence, GoldLayer, learned_on_gold, levels_of
from assay.endmodel.refinement.held_out_sources import GROUPS, MOST_ITEMS, Group, groups_of
from assay.endmodel.refinement.layers import HeldOutVotes, Weights, independent_weights, log_lift, log_votes, softmax
from assay.endmodel.refinement.views import View, views_of
from assay.errors import AssayError
from assay.gold import CheckedLabels, GoldItems
from assay.labels import KINDS, Labels, Refined
from assay.model import LabelModel
from assay.votes import Votes, on_the_same_task

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

GROUP_FOLDS = 2
"""Folds of a model that is only trained to see what data is worth."""
GOLD_ALONE_TIMES = 10
"""How often a model that learns from gold alone is shown each item: a few hundred make too few steps of training.

Beside votes, items with gold teach once, like all others. Both were chosen on simulated texts."""
_SURE = 2.0
"""How many standard errors better data, or another round, must foresee held-out votes, to be believed."""


def refine(
    votes: Any,
    data: Any,
    labels: Labels,
    *,
    gold: Any = None,
    model: Any = None,
    label_model: LabelModel | None = None,
    rounds: int = 2,
    folds: int = 5,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    progress: bool = True,
) -> Labels:
    """Labels from votes and data together.

    An end model learns from the labels, fold by fold, and says what it thinks of items that it was not trained on. Its
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
        The settings of the label model, for labels without some of the sources; by default ``LabelModel()``.
    rounds
        At most how often a model learns: the second one from the refined labels. A round that is not
        better by what it foresees of held-out votes is dropped.
    folds
        How many parts items are dealt into; each is labeled by a model that was trained on the others.
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
    if _teaching(known, has_votes).astype(bool).sum() < 2 * folds:
        note = f"there are too few items with votes to train on in {folds} folds: labels are what they were"
        return _finished(known, has_votes, _Found.nothing(known, views), [note])
    folder = None if checkpoint is None else Path(checkpoint)
    by_gold = folds if _settled(known).sum() >= FEWEST else 0
    most = len(views) * (rounds * (folds + GROUP_FOLDS * GROUPS) + by_gold)
    with Progress("refining", total=most, show=progress, unit="trainings") as bar:
        work = _Work(
            given,
            known,
            views,
            [view.digest() for view in views],
            has_votes,
            folds,
            seed,
            CrossFitting(labels.tasks, seed, folder, bar),
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


@dataclass(frozen=True, eq=False)
class _Found:
    """What a round gave."""

    said: tuple[Joint, ...]
    """Per view, and component (items, outcomes): out-of-fold predictions."""
    weights: tuple[Weights, ...]
    """Per component."""
    names: tuple[str, ...]
    """Of the views."""

    @classmethod
    def nothing(cls, labels: Labels, views: Sequence[View]) -> _Found:
        """The data says nothing."""
        none = tuple(Weights(1.0, ()) for _ in labels.joint)
        return cls((), none, tuple(view.name for view in views))

    def lifts(self, component: int) -> list[FloatArray]:
        """Per view (items, outcomes)."""
        return [log_lift(view[component]) for view in self.said]


@dataclass(frozen=True, eq=False)
class _Work:
    """What all rounds share."""

    votes: Votes
    labels: Labels
    views: tuple[View, ...]
    digests: list[str]
    has_votes: BoolArray
    folds: int
    seed: int
    fitting: CrossFitting
    label_model: LabelModel

    def rounds(self, count: int) -> tuple[_Found, list[str]]:
        """Learn, and learn again from what came of it, as long as that is believed."""
        sample = self._sample()
        groups = list(groups_of(self.votes, sample, self.labels, self.label_model, self.seed))
        found = _Found.nothing(self.labels, self.views)
        notes: list[str] = []
        taught, group_labels = self.labels.joint, [group.joint for group in groups]
        believed: list[FloatArray] | None = None
        everything = np.arange(len(self.labels))
        for number in range(1, count + 1):
            title = f"round {number}"
            foreseen = self._foreseen(groups, group_labels, sample, title)
            said = self._said(taught, everything, _teaching(self.labels, self.has_votes), self.folds, title)
            held_out = [self._held_out(at, groups, foreseen) for at in self._components]
            weights = tuple(self._weights(at, said, held_out[at]) for at in self._components)
            gains = [_log_likelihoods(held_out[at], weights[at]) for at in self._components]
            before = believed
            if before is None:
                alone = [_without_data(parts, self._items(groups), len(self.views)) for parts in held_out]
                before = [_log_likelihoods(held_out[at], alone[at]) for at in self._components]
            better = [_is_better(after, earlier) for after, earlier in zip(gains, before, strict=True)]
            if believed is not None and not any(better):
                notes.append(f"round {number} foresees held-out votes no better than the one before, and was dropped")
                break
            if believed is None:
                weights = tuple(
                    each if is_better or not len(gain) else Weights(1.0, (0.0,) * len(self.views))
                    for each, is_better, gain in zip(weights, better, gains, strict=True)
                )
            found = _Found(said, weights, tuple(view.name for view in self.views))
            believed = gains
            if not any(any(each.data) for each in weights):
                notes.append("the data does not foresee votes that it was not taught by: labels are what the votes say")
                break
            taught = _refined(self.labels, found)
            group_labels = [group.refined(weights, part) for group, part in zip(groups, foreseen, strict=True)]
        if not groups:
            notes.append("there are too few sources to hold any out: votes and data were taken to be independent")
        return found, notes

    def with_gold_alone(self, found: _Found) -> _Found:
        """The same, and beside each view what it says if it learns from items with gold and from no others.

        It has no weight as yet: that is for gold to say.
        """
        settled = _settled(self.labels)
        if not found.said or settled.sum() < FEWEST:
            return found
        everything = np.arange(len(self.labels))
        said = self._said(
            self.labels.joint, everything, GOLD_ALONE_TIMES * settled.astype(np.int64), self.folds, "gold alone"
        )
        weights = tuple(Weights(each.votes, (*each.data, *[0.0] * len(said))) for each in found.weights)
        return _Found((*found.said, *said), weights, (*found.names, *(f"{name}, by gold" for name in found.names)))

    @property
    def _components(self) -> range:
        return range(len(self.labels.joint))

    def _held_out(self, at: int, groups: Sequence[Group], foreseen: Sequence[Sequence[Joint]]) -> list[HeldOutVotes]:
        return [group.held_out(at, said) for group, said in zip(groups, foreseen, strict=True)]

    def _items(self, groups: Sequence[Group]) -> int:
        return int(np.mean([group.has_votes.sum() for group in groups])) if groups else 0

    def _sample(self) -> IntArray:
        voted = np.flatnonzero(self.has_votes)
        if len(voted) <= MOST_ITEMS:
            return voted
        return np.sort(np.random.default_rng([self.seed, 1]).choice(voted, MOST_ITEMS, replace=False))

    def _foreseen(
        self, groups: Sequence[Group], labels: Sequence[Joint], sample: IntArray, title: str
    ) -> list[tuple[Joint, ...]]:
        """Per group and view: what models that were taught without the group's sources say of the sample."""
        return [
            self._said(
                joint, sample, group.has_votes.astype(np.int64), GROUP_FOLDS, f"{title}, sources {at + 1} held out"
            )
            for at, (group, joint) in enumerate(zip(groups, labels, strict=True))
        ]

    def _said(self, joint: Joint, rows: IntArray, teaches: IntArray, folds: int, title: str) -> tuple[Joint, ...]:
        return tuple(
            self.fitting.predictions(view, digest, joint, rows, teaches, folds, title)
            for view, digest in zip(self.views, self.digests, strict=True)
        )

    def _weights(self, component: int, said: Sequence[Joint], held_out: Sequence[HeldOutVotes]) -> Weights:
        joint, voted = self.labels.joint[component], self.has_votes
        balance = joint.mean(axis=0) if voted.all() else joint[~voted].mean(axis=0)
        lifts = [log_lift(view[component]) for view in said]
        guess = independent_weights(joint[voted], [lift[voted] for lift in lifts], balance)
        pooled = _pooled(held_out)
        if pooled is None:
            return guess
        return pooled.best_weights(guess, min(int(voted.sum()), MOST_ITEMS))


def _pooled(parts: Sequence[HeldOutVotes]) -> HeldOutVotes | None:
    if not parts:
        return None
    views = range(len(parts[0].data))
    return HeldOutVotes(
        np.concatenate([part.votes for part in parts]),
        tuple(np.concatenate([part.data[view] for part in parts]) for view in views),
        np.concatenate([part.likelihood for part in parts]),
    )


def _without_data(parts: Sequence[HeldOutVotes], items: int, views: int) -> Weights:
    """The weights if only votes may say anything."""
    pooled = _pooled([replace(part, data=()) for part in parts])
    found = Weights(1.0, ()) if pooled is None else pooled.best_weights(Weights(1.0, ()), items)
    return Weights(found.votes, (0.0,) * views)


def _log_likelihoods(parts: Sequence[HeldOutVotes], weights: Weights) -> FloatArray:
    return np.concatenate([np.empty(0), *(part.log_likelihoods(weights) for part in parts)])


def _is_better(after: FloatArray, before: FloatArray) -> bool:
    """Whether held-out votes are foreseen better, beyond chance; without any, that is taken on trust."""
    if not len(after):
        return True
    gain = after - before
    error = gain.std() / np.sqrt(len(gain))
    return bool(gain.mean() > _SURE * error)


def _teaching(labels: Labels, has_votes: BoolArray) -> IntArray:
    """(items,): how often each item is learned from."""
    return (_settled(labels) | has_votes).astype(np.int64)


def _settled(labels: Labels) -> BoolArray:
    """(items,): whether gold leaves a single outcome."""
    found = np.zeros(len(labels), dtype=bool)
    if labels.gold is not None:
        found[labels.gold.rows] = np.all([allowed.sum(axis=1) == 1 for allowed in labels.gold.allowed], axis=0)
    return found


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


def _refined(labels: Labels, found: _Found) -> Joint:
    """Per component (items, outcomes): what the next round learns from; gold stays what it is."""
    joint = []
    for at, (part, weights) in enumerate(zip(labels.joint, found.weights, strict=True)):
        refined = softmax(weights.log_posterior(log_votes(part), found.lifts(at)))
        if labels.gold is not None:
            refined[labels.gold.rows] = part[labels.gold.rows]
        joint.append(refined)
    return tuple(joint)


def _finished(labels: Labels, has_votes: BoolArray, found: _Found, notes: list[str]) -> Labels:
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


def _component(labels: Labels, at: int, part: FloatArray, found: _Found) -> tuple[FloatArray, FloatArray, GoldLayer]:
    """(items, outcomes) labels of one component, those of gold items without their gold, and the layer behind them."""
    weights, lifts, gold = found.weights[at], found.lifts(at), labels.gold
    logs = log_votes(part)
    level = levels_of(lifts, weights) if lifts else np.zeros(len(part), dtype=np.int64)
    if gold is None or not lifts:
        layer = GoldLayer(weights, np.zeros(LEVELS), np.zeros(part.shape[1]))
        said = np.empty((0, part.shape[1])) if gold is None else gold.held_out[at]
    else:
        evidence = GoldEvidence(
            log_votes(gold.held_out[at]),
            tuple(lift[gold.rows] for lift in lifts),
            level[gold.rows],
            gold.allowed[at],
            gold.weights,
        )
        layer, said = learned_on_gold(evidence, weights, 0)
    if not lifts:
        return part, said, layer
    refined = softmax(layer.log_posterior(logs, lifts, level))
    if gold is not None:
        refined[gold.rows] = _within(said, gold.allowed[at])
    return refined, said, layer
