"""Whether to train an end model on hand labels, on the labels of a label model, or on both: cross-fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.progress import Progress
from assay.endmodel.predictor import Predictor
from assay.endmodel.sklearn_model import SklearnEndModel
from assay.errors import AssayError, UnidentifiableError
from assay.evaluation import BOTH, HAND_LABELS, LABELS, TrainingComparison
from assay.gold import CheckedLabels, GoldItems, HandLabels
from assay.labels import Labels
from assay.model import LabelModel
from assay.votes import Votes, as_votes, of_some, rows_named

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_LONGER = 10
"""How many times as many epochs hand labels alone may get: they make few steps an epoch."""
_FEWEST = 10
"""With fewer hand labels, there is nothing to compare."""

Choice = Callable[[Labels], Labels]


def compare_training(
    model: Predictor[Any],
    data: Any,
    votes: Any,
    gold: Any,
    *,
    label_model: LabelModel | None = None,
    choose: Choice | None = None,
    folds: int = 5,
    seed: int = 0,
    progress: bool = True,
) -> TrainingComparison:
    """Train an end model on hand labels alone, on labels alone, and on both; and score each on unseen hand labels.

    Items with gold are dealt into folds. For each fold, models are trained without its items, on

    - *hand labels alone*: the gold of the other folds,
    - *labels alone*: the labels of a label model that knows of no gold; left out if without gold there is none,
    - *both*: the labels of a label model that has learned from the gold of the other folds, in which
      those items have their gold;

    and label the fold. So there are three trainings for each fold.

    Parameters
    ----------
    model
        The end model, :class:`assay.EndModel` or :class:`assay.SklearnEndModel`; it need not be fitted, and stays as
        it is. On hand labels alone an ``EndModel`` gets more epochs, up to ten times as many, since a few
        items make few steps an epoch.
    data
        The items, as the end model takes them.
    votes
        The votes of sources on all of these items.
    gold
        Hand labels of some items, in any of the shapes that :meth:`assay.LabelModel.fit` takes.
    label_model
        The label model, with its settings; by default ``LabelModel()``.
    choose
        Which of the labels to train on, as in ``lambda labels: labels.confident(0.8)``. By default those of
        items with votes.
    folds
        How many there are; less if there are fewer items with gold.
    seed
        Determines which items are in which fold.
    progress
        Whether to show progress on a terminal.

    Raises
    ------
    AssayError
        If there are fewer than ten items whose outcome gold settles.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from assay.simulate import flat_world
    >>> drawn = flat_world(sources=6, seed=3).draw(1000)
    >>> rng = np.random.default_rng(0)
    >>> features = np.eye(2)[drawn.gold] + rng.normal(size=(1000, 2))
    >>> gold = np.where(np.arange(1000) < 40, drawn.gold, -1)
    >>> model = SklearnEndModel(LogisticRegression())
    >>> found = compare_training(model, features, drawn.votes, gold)
    >>> found.to_pandas()["items"].tolist()
    [32, 992, 992]
    >>> found.best is None
    True
    """
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 2:
        raise AssayError(f"folds must be an integer of 2 or more, but is {folds!r}")
    given = as_votes(votes)
    known = GoldItems.among(given, gold)
    settled = _settled(known)
    if settled.sum() < _FEWEST:
        raise AssayError(
            f"there are {int(settled.sum())} items whose outcome the hand labels settle, and it takes {_FEWEST} "
            "or more to compare trainings; label more items"
        )
    pick = (lambda labels: labels.voted(given)) if choose is None else choose
    knowing = LabelModel() if label_model is None else label_model
    fold = _dealt(known, min(folds, int(settled.sum())), seed)
    count = int(fold.max()) + 1
    trial = _Trial(model, data, given, gold, known, settled, knowing, pick)
    parts: dict[str, tuple[FloatArray, ...]] = {}
    sizes: dict[str, list[int]] = {}
    with Progress("comparing", total=3 * count, show=progress, unit="trainings") as bar:
        alone = trial.labels_alone()
        for number in range(count):
            held = fold == number
            for name, labels in trial.labels(held, alone).items():
                bar.describe(f"fold {number + 1} of {count}: {name}")
                found = trial.said(labels, held, name)
                whole = parts.setdefault(name, tuple(np.zeros((len(known), part.shape[1])) for part in found))
                for joint, part in zip(whole, found, strict=True):
                    joint[held] = part
                sizes.setdefault(name, []).append(len(labels))
                bar.advance(1)
    return TrainingComparison.of(
        {name: _scored(known, joint, given) for name, joint in parts.items()},
        folds=count,
        trained_on={name: round(float(np.mean(size))) for name, size in sizes.items()},
    )


def _settled(known: GoldItems) -> BoolArray:
    """(items with gold,): whether it leaves one outcome in every component."""
    parts = [known.allowed(index).sum(axis=1) == 1 for index in range(len(known.votes.label_space.components))]
    return np.asarray(np.all(parts, axis=0))


def _dealt(known: GoldItems, folds: int, seed: int) -> IntArray:
    """(items with gold,): their folds, in each of which gold is about as it is in the whole."""
    shuffled = np.random.default_rng(seed).permutation(len(known))
    cast = known.truth.cast
    # By the first thing that gold says, which is all unless any subset of labels may apply.
    first = cast.codes[np.minimum(cast.starts[:-1], max(len(cast.codes) - 1, 0))]
    order = shuffled[np.argsort(first[shuffled], kind="stable")]
    fold = np.empty(len(known), dtype=np.int64)
    fold[order] = np.arange(len(known)) % folds
    return fold


def _fresh(model: Any) -> Any:
    """The same settings, nothing learned."""
    return type(model)(**model.get_params(deep=False))


@dataclass(frozen=True, eq=False)
class _Trial:
    """What all trainings share."""

    model: Predictor[Any]
    data: Any
    votes: Votes
    gold: Any
    known: GoldItems
    settled: BoolArray
    label_model: LabelModel
    choose: Choice

    def labels_alone(self) -> Labels | None:
        """The labels of votes alone; None if these do not suffice to learn anything."""
        try:
            return self._labels(_fresh(self.label_model), None)
        except UnidentifiableError:
            return None

    def labels(self, held: BoolArray, alone: Labels | None) -> Mapping[str, Labels]:
        """What to train on if some of the gold items are held out."""
        without = np.ones(len(self.votes), dtype=bool)
        without[self.known.rows[held]] = False
        # What all of the gold makes learnable, four fifths of it may not.
        model = _fresh(self.label_model).set_params(allow_unidentifiable=True)
        found = {HAND_LABELS: self._gold_alone(held)}
        if alone is not None:
            found[LABELS] = _dropping(self.choose(alone), without)
        return {**found, BOTH: _dropping(self.choose(self._labels(model, self._gold_but(held))), without)}

    def _labels(self, model: LabelModel, gold: Any) -> Labels:
        return model.fit(self.votes, gold, progress=False).label(self.votes, progress=False)

    def _gold_but(self, held: BoolArray) -> Any:
        """The gold of the items that are not held out; hand labels stay such, since they know how they were chosen."""
        if isinstance(self.gold, HandLabels):
            rows = rows_named(self.votes.items, len(self.votes), [one.item for one in self.gold.said])
            kept = ~np.isin(rows, self.known.rows[held])
            said = tuple(one for one, is_kept in zip(self.gold.said, kept.tolist(), strict=True) if is_kept)
            return replace(self.gold, said=said)
        return of_some(self.votes, self.known.truth.take(~held), self.known.rows[~held])

    def _gold_alone(self, held: BoolArray) -> Labels:
        chosen = np.zeros(len(self.votes), dtype=bool)
        taught = ~held & self.settled
        chosen[self.known.rows[taught]] = True
        parts = range(len(self.votes.label_space.components))
        joint = tuple(self.known.allowed(index)[taught].astype(np.float64) for index in parts)
        return Labels(self.votes.tasks, joint, kept=chosen)

    def said(self, labels: Labels, held: BoolArray, name: str) -> tuple[FloatArray, ...]:
        """Per component: the labels of held-out items by a model that was trained on some labels."""
        model = _fresh(self.model)
        if isinstance(model, SklearnEndModel):
            model.fit(self.data, labels)
        else:
            if name == HAND_LABELS:
                steps = -(-len(self.votes) // len(labels))
                model.set_params(epochs=model.get_params(deep=False)["epochs"] * min(_LONGER, steps))
            model.fit(self.data, labels, progress=False)
            if model.interrupted_:
                raise KeyboardInterrupt
        rows = self.known.rows[held]
        return tuple(part[rows] for part in model.label(self.data).joint)


def _dropping(labels: Labels, rows: BoolArray) -> Labels:
    """Those of the labels whose rows of the data are in a mask."""
    return labels.where(rows if labels.kept is None else rows[labels.kept])


def _scored(known: GoldItems, joint: tuple[FloatArray, ...], votes: Votes) -> Labels:
    """Labels of the items with gold alone, as predictions that gold checks."""
    parts = range(len(votes.label_space.components))
    allowed = tuple(known.allowed(index) for index in parts)
    checked = CheckedLabels(np.arange(len(known)), allowed, joint, known.weights)
    return replace(Labels(votes.tasks, joint), gold=checked)
