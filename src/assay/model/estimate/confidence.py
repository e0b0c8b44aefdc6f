r"""What levels of confidence are taken to mean before votes tell: a source that is surer is right more often.

A soft source says a label at one of several levels. Level :math:`\ell` of :math:`q` is expected to be worth
:math:`w_\ell = (2 \ell - 1) / q` times the average vote for the label, in log-odds: the surest votes almost twice as
much, the least sure nearly nothing. What votes tell of the accuracies of levels is shrunk toward that, and then made
to rise with confidence, by pooling neighbours that do not. This gives the shares of levels among the right votes for a
label, and among the wrong ones, toward which its votes under every outcome are shrunk. Only the order of levels counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from assay.counts import Layout

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_OWN_LEVEL = 20.0
"""The prior that a level is worth as much as its rank says, in votes."""
_OWN_LABEL = 20.0
"""The prior that the votes for a label are as accurate as the average vote, in votes."""
_SPLIT = 100.0
"""The prior that a source is as sure under every outcome that makes a label right, and under every one that makes it
wrong, in votes for the label per outcome."""
_SURE = 1e-3
"""No level is taken to be right, or wrong, more often than this short of always."""


@dataclass(frozen=True, eq=False)
class LevelsOfValues:
    """The levels of confidence among some values: all those of some sources, concatenated."""

    label: IntArray
    """(values,): equal for the levels of one label, which are consecutive and rise."""
    chance: FloatArray
    """(values,): how often a random vote would be right."""

    @classmethod
    def of(cls, masks: BoolArray, label: IntArray) -> LevelsOfValues:
        """From (values, outcomes) the outcomes that each value allows."""
        return cls(label, np.clip(masks.mean(axis=1), _SURE, 1 - _SURE))

    def part(self, values: IntArray) -> LevelsOfValues:
        """All values of some sources."""
        return LevelsOfValues(np.unique(self.label[values], return_inverse=True)[1].reshape(-1), self.chance[values])

    @cached_property
    def any(self) -> bool:
        """Whether some label has several levels."""
        return bool(len(self.places))

    @cached_property
    def counts(self) -> IntArray:
        """(labels,): how many values each has."""
        return np.bincount(self.label) if len(self.label) else np.empty(0, dtype=np.int64)

    @cached_property
    def starts(self) -> IntArray:
        """(labels,): the first value of each."""
        return np.asarray(np.cumsum(self.counts) - self.counts)

    @cached_property
    def places(self) -> IntArray:
        """(labels with levels, most levels): their values; −1 beyond the last."""
        several = np.flatnonzero(self.counts > 1)
        at = np.arange(int(self.counts.max(initial=0)))
        return np.where(at < self.counts[several, None], self.starts[several, None] + at, -1)

    @cached_property
    def weight(self) -> FloatArray:
        """(values,): what each is worth, as a multiple of the average vote for its label."""
        rank = np.arange(len(self.label)) - self.starts[self.label]
        found: FloatArray = (2 * rank + 1) / self.counts[self.label]
        return found

    def shares(self, used: FloatArray, hits: FloatArray, average: float | FloatArray) -> tuple[FloatArray, FloatArray]:
        """How often each value is used when its label is right, and when it is wrong; in the shape of ``used``.

        Both are a value's use, divided among the levels of its label by their accuracies. ``hits`` is how much
        of its use is right, and ``average`` the accuracy of the average vote, for all values or for each.
        """
        if not self.any:
            return used, used
        of_label = np.broadcast_to(average, used.shape).ravel()[self.starts]
        right, wrong = self._shares(used.ravel(), hits.ravel(), of_label)
        return right.reshape(used.shape), wrong.reshape(used.shape)

    def _shares(self, used: FloatArray, hits: FloatArray, average: FloatArray) -> tuple[FloatArray, FloatArray]:
        of_label: FloatArray = np.bincount(self.label, weights=used).astype(float)
        right_of_label = np.bincount(self.label, weights=hits)
        usual = (right_of_label + _OWN_LABEL * average) / (of_label + _OWN_LABEL)
        odds = np.maximum(logit(np.clip(usual, _SURE, 1 - _SURE))[self.label] - logit(self.chance), 0.0)
        centre = expit(logit(self.chance) + self.weight * odds)
        accuracy = (hits + _OWN_LEVEL * centre) / (used + _OWN_LEVEL)
        accuracy = np.clip(self.rising(accuracy, used + _OWN_LEVEL), _SURE, 1 - _SURE)
        return self._divided(used * accuracy, of_label), self._divided(used * (1 - accuracy), of_label)

    def shrunk(self, votes: FloatArray, masks: BoolArray, shares: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Expected votes, (…, values, outcomes), with the levels of each label shrunk toward its shares of them."""
        if not self.any:
            return votes
        flat, allowed = votes.reshape(len(self.label), -1), masks.reshape(len(self.label), -1)
        wanted = np.where(allowed, shares[0].reshape(-1, 1), shares[1].reshape(-1, 1))
        total = np.add.reduceat(flat, self.starts, axis=0)[self.label]
        prior = wanted / np.maximum(np.add.reduceat(wanted, self.starts, axis=0)[self.label], 1e-300)
        found: FloatArray = (flat + _SPLIT * prior) * total / np.maximum(total + _SPLIT, 1e-300)
        return found.reshape(votes.shape)

    def _divided(self, parts: FloatArray, totals: FloatArray) -> FloatArray:
        """(values,): the totals of labels, divided among their levels in proportion to their parts."""
        of_label = np.bincount(self.label, weights=parts)[self.label]
        found: FloatArray = parts / np.maximum(of_label, 1e-300) * totals[self.label]
        return found

    def rising(self, numbers: FloatArray, weights: FloatArray) -> FloatArray:
        """(values,): the nearest numbers that do not fall from one level of a label to the next.

        Isotonic regression, by its formula: the largest over starts of the smallest over ends of the means between.
        """
        found = numbers.copy()
        there = self.places >= 0
        weight = np.where(there, weights[self.places], 1e-12)
        sums = np.cumsum(np.where(there, numbers[self.places], 0.0) * weight, axis=1)
        totals = np.cumsum(weight, axis=1)
        before, weight_before = sums - np.where(there, numbers[self.places], 0.0) * weight, totals - weight
        # (labels, starts, ends): the means between.
        means = (sums[:, None, :] - before[:, :, None]) / (totals[:, None, :] - weight_before[:, :, None] + 1e-300)
        levels = np.arange(self.places.shape[1])
        valid = (levels[:, None] <= levels[None]) & there[:, None, :] & there[:, :, None]
        ends = np.where(valid, means, np.inf)
        smallest = np.minimum.accumulate(ends[:, :, ::-1], axis=2)[:, :, ::-1]
        smallest = np.where(valid, smallest, -np.inf)
        best = smallest.max(axis=1)
        found[self.places[there]] = best[there]
        return found


def levels_of(layout: Layout, signs: FloatArray) -> LevelsOfValues:
    """The levels of all sources of a layout; an adversarial source is not surer of what is right."""
    label = layout.label_of_value
    source = np.repeat(np.arange(len(layout.masks)), np.diff(layout.value_offsets))
    apart = np.flatnonzero(signs[source] < 0)
    if len(apart):
        starts = np.diff(label, prepend=-1) > 0
        starts[apart] = True
        label = np.cumsum(starts) - 1
    return LevelsOfValues.of(layout.all_masks, label)
