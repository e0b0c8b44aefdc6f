"""What to train on: hand labels, the labels of a label model, or both; compared on items that no training had seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError
from assay.evaluation.figures import Figure, accuracy_figure, hits_and_counts
from assay.evaluation.scored import Scored
from assay.gold import Z
from assay.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]

HAND_LABELS, LABELS, BOTH = "hand labels alone", "labels alone", "both"
"""What an end model may be trained on."""


@dataclass(frozen=True)
class TrainingComparison:
    """End models that were trained on different labels, scored on the same hand-labeled items.

    Made by :func:`assay.compare_training`.
    """

    items: int
    """How many items they are scored on; none of them was in the training of the model that labels it."""
    folds: int
    """In how many parts these were held out."""
    accuracy: Mapping[str, Figure]
    """Per thing trained on: the share of outcomes that are right, with its 95% interval."""
    trained_on: Mapping[str, int]
    """The number of items trained on, in the mean over folds."""
    gains: Mapping[tuple[str, str], Figure]
    """Per pair, the more accurate first: how much more accurate, with a 95% interval: that of a paired difference."""

    @classmethod
    def of(cls, labels: Mapping[str, Labels], *, folds: int, trained_on: Mapping[str, int]) -> Self:
        """From labels of the same items, which carry their gold and the held-out predictions that are scored."""
        scored = {name: Scored.of(found) for name, found in labels.items()}
        accuracy = {name: accuracy_figure(found) for name, found in scored.items()}
        ranked = sorted(accuracy, key=lambda name: -accuracy[name].value)
        gains = {(one, other): _gain(scored[one], scored[other]) for one, other in combinations(ranked, 2)}
        hits = hits_and_counts(next(iter(scored.values())))[1]
        return cls(int((hits > 0).sum()), folds, accuracy, dict(trained_on), gains)

    @property
    def ranked(self) -> tuple[str, ...]:
        """What to train on, from the most to the least accurate."""
        return tuple(sorted(self.accuracy, key=lambda name: -self.accuracy[name].value))

    @property
    def best(self) -> str | None:
        """What to train on, if it is more accurate than anything else beyond the error of that; else None."""
        first, *others = self.ranked
        return first if all(self.gains[first, other].low > 0 for other in others) else None

    @property
    def advice(self) -> str:
        """Which to take, or that the hand labels do not tell."""
        first, *others = self.ranked
        if self.best is not None:
            ahead = [f"{_points(self.gains[first, other])} more accurate than on {other}" for other in others]
            return f"Train on {first}: {' and '.join(ahead)}, beyond what chance explains."
        ahead = [
            f"on {other} by {_points(gain)}, {'beyond chance' if gain.low > 0 else 'which may be chance'}"
            for other in others
            for gain in [self.gains[first, other]]
        ]
        return (
            f"{self.items:,} hand labels do not tell which to take: a model trained on {first} is ahead of one trained "
            f"{'; and of one trained '.join(ahead)}."
        )

    def to_pandas(self) -> pd.DataFrame:
        """Per thing trained on: *items* trained on, *accuracy*, *low* and *high*."""
        import pandas as pd

        rows = [
            {"items": self.trained_on[name], "accuracy": figure.value, "low": figure.low, "high": figure.high}
            for name, figure in self.accuracy.items()
        ]
        return pd.DataFrame(rows, index=pd.Index(list(self.accuracy), name="trained on"))

    def to_dict(self) -> dict[str, Any]:
        """Everything it says, for JSON."""
        return {
            "items": self.items,
            "folds": self.folds,
            "accuracy": {name: asdict(figure) for name, figure in self.accuracy.items()},
            "trained_on": dict(self.trained_on),
            "gains": [{"of": one, "over": other, **asdict(gain)} for (one, other), gain in self.gains.items()],
            "best": self.best,
            "advice": self.advice,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """What :meth:`to_dict` gave."""
        try:
            return cls(
                int(stored["items"]),
                int(stored["folds"]),
                {name: Figure(**figure) for name, figure in stored["accuracy"].items()},
                {name: int(count) for name, count in stored["trained_on"].items()},
                {
                    (gain["of"], gain["over"]): Figure(gain["value"], gain["low"], gain["high"])
                    for gain in stored["gains"]
                },
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            said = f"{type(error).__name__}: {error}"
            raise AssayError(f"this is not a stored comparison of trainings: {said}") from error


def _gain(one: Scored, other: Scored) -> Figure:
    """By how much more often the first is right, as a paired difference."""
    hits, counts = hits_and_counts(one)
    differences = hits - hits_and_counts(other)[0]
    return paired_difference(differences, counts, one.weights)


def paired_difference(differences: FloatArray, counts: FloatArray, weights: FloatArray) -> Figure:
    """The difference of two accuracies on the same items, with its 95% interval.

    Items on which both are right or both are wrong tell nothing of the difference, so it is surer than the two
    accuracies are. Half an item more of each of the four kinds keeps the interval honest where few items differ
    (Agresti and Min, 2005).

    Parameters
    ----------
    differences
        (items,): how many more outcomes of an item the first has right, mostly −1, 0 or 1.
    counts
        (items,): how many outcomes there are to get right.
    weights
        (items,): how many items each stands for, up to a factor.

    >>> found = paired_difference(np.array([1.0] * 9 + [-1.0] * 2 + [0.0] * 89), np.ones(100), np.ones(100))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.07, 0.003, 0.134)
    """
    counting = counts > 0
    if not counting.any():
        return Figure(0.0, -1.0, 1.0)
    parts = weights[counting] / weights[counting].sum()
    each = differences[counting] / float(parts @ counts[counting])
    size = 1 / float(parts @ parts)
    mean = size * float(parts @ each) / (size + 2)
    squares = (size * float(parts @ each**2) + 1) / (size + 2)
    half = Z * float(np.sqrt(max(squares - mean**2, 0.0) / (size + 2)))
    return Figure(float(parts @ each), max(mean - half, -1.0), min(mean + half, 1.0))


def _points(gain: Figure) -> str:
    low, high = (f"{100 * end:+.1f}".replace("-", "−") for end in (gain.low, gain.high))
    return f"{100 * gain.value:.1f} points ({low} to {high})"
