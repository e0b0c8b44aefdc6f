"""Rounds of refining: models learn from labels, votes that they have not seen tell what they are worth, and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.endmodel.refinement.cross_fitting import CrossFitting, Joint
from assay.endmodel.refinement.gold_layer import FEWEST
from assay.endmodel.refinement.held_out_sources import MOST_ITEMS, Group, groups_of
from assay.endmodel.refinement.layers import (
    HeldOutVotes,
    Weights,
    independent_weights,
    log_chances,
    log_lift,
    log_shares,
    settled_balance,
    softmax,
)
from assay.endmodel.refinement.views import View
from assay.labels import Labels
from assay.model import LabelModel
from assay.votes import Votes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

GROUP_FOLDS = 2
"""Folds of a model that is only trained to see what data is worth."""
DEALS = 4
"""How often items are dealt into folds; an item is labeled by a model of each deal.

Four deals into halves train on as many items as one into five parts, and are better on simulated texts."""
GOLD_FOLDS = 5
"""Folds of a model that learns from gold alone, which is too little to learn from half of it."""
GOLD_ALONE_TIMES = 10
"""How often a model that learns from gold alone is shown each item: a few hundred make too few steps of training.

Beside votes, items with gold teach once, like all others. Both were chosen on simulated texts."""
_SURE = 2.0
"""How many standard errors better data, or another round, must foresee held-out votes, to be believed."""
VOTES_ALONE = Weights(1.0, ())
_APART = 1_000_003
"""Between the seeds of deals."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a round gave."""

    said: tuple[Joint, ...]
    """Per view, and component (items, outcomes): out-of-fold predictions."""
    weights: tuple[Weights, ...]
    """Per component."""
    balance: tuple[FloatArray, ...]
    """Per component (outcomes,): the logarithm of how common each outcome is."""
    names: tuple[str, ...]
    """Of the views."""

    @classmethod
    def nothing(cls, labels: Labels, views: Sequence[View]) -> Found:
        """The data says nothing."""
        none = (VOTES_ALONE,) * len(labels.joint)
        balance = tuple(log_shares(part) for part in labels.joint)
        return cls((), none, balance, tuple(view.name for view in views))

    def lifts(self, component: int) -> list[FloatArray]:
        """Per view (items, outcomes)."""
        return [log_lift(view[component]) for view in self.said]


@dataclass(frozen=True, eq=False)
class _Round:
    """What is compared of two rounds."""

    foreseen: Sequence[tuple[Joint, ...]]
    """Per group and view: what models say that were taught without the group's sources."""
    weights: tuple[Weights, ...]
    """Per component."""


@dataclass(frozen=True, eq=False)
class Work:
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

    def rounds(self, count: int) -> tuple[Found, list[str]]:
        """Learn, and learn again from what came of it, as long as that is believed."""
        gold = _settled_outcomes(self.labels)
        sample = self._sample(self.has_votes)
        groups = list(groups_of(self.votes, sample, self.label_model, gold, self.seed))
        found, notes = Found.nothing(self.labels, self.views), list[str]()
        taught, taught_groups = self.labels.joint, [group.joint for group in groups]
        judge, earlier = self.labels.joint, None
        for number in range(1, count + 1):
            foreseen = self._foreseen(groups, taught_groups, sample, f"round {number}")
            said = self._said_by_deals(taught, f"round {number}")
            guess = self._guess(said)
            # What held-out sources are worth is judged by labels, which are better once the data has a say in them.
            first = self._weights(guess, self._evidence(groups, foreseen, judge))
            judge = self._refined(self.labels.joint, said, first, self._balance(self.labels.joint, said, first))
            evidence = self._evidence(groups, foreseen, judge)
            weights = self._weights(guess, evidence)
            evidence_before = self._evidence(groups, earlier.foreseen if earlier else [()] * len(groups), judge)
            before = earlier.weights if earlier else self._weights((VOTES_ALONE,) * len(guess), evidence_before)
            gains = [
                _log_likelihoods(now, new) - _log_likelihoods(then, old)
                for now, new, then, old in zip(evidence, weights, evidence_before, before, strict=True)
            ]
            better = [_is_beyond_chance(gain) for gain in gains]
            if earlier is not None and not any(better):
                notes.append(f"round {number} foresees held-out votes no better than the one before, and was dropped")
                break
            mute = Weights(1.0, (0.0,) * len(self.views))
            weights = tuple(
                new if is_better or any(old.data) else mute
                for new, old, is_better in zip(weights, before, better, strict=True)
            )
            balance = self._balance(self.labels.joint, said, weights)
            found = Found(said, weights, balance, found.names)
            if not any(any(each.data) for each in weights):
                notes.append("the data does not foresee votes that it was not taught by: labels are what the votes say")
                break
            earlier = _Round(foreseen, weights)
            judge = taught = self._refined(self.labels.joint, said, weights, balance)
            taught_groups = [
                self._refined(group.joint, part, weights, self._balance(group.joint, part, weights))
                for group, part in zip(groups, foreseen, strict=True)
            ]
        if not groups:
            notes.append("there are too few sources to hold any out: votes and data were taken to be independent")
        return found, notes

    def with_gold_alone(self, found: Found) -> Found:
        """The same, and beside each view what it says if it learns from items with gold and from no others.

        It has no weight as yet: that is for gold to say.
        """
        settled = settled_by_gold(self.labels)
        if not found.said or settled.sum() < FEWEST:
            return found
        teaches = GOLD_ALONE_TIMES * settled.astype(np.int64)
        said = self._said(self.labels.joint, self._everything, teaches, GOLD_FOLDS, self.seed, "gold alone")
        weights = tuple(Weights(each.votes, (*each.data, *[0.0] * len(said))) for each in found.weights)
        names = (*found.names, *(f"{name}, by gold" for name in found.names))
        return Found((*found.said, *said), weights, found.balance, names)

    @property
    def _everything(self) -> IntArray:
        return np.arange(len(self.labels))

    def _sample(self, among: BoolArray) -> IntArray:
        """A random part of some items, if they are many."""
        rows = np.flatnonzero(among)
        if len(rows) <= MOST_ITEMS:
            return rows
        return np.sort(np.random.default_rng([self.seed, 1]).choice(rows, MOST_ITEMS, replace=False))

    def _foreseen(
        self, groups: Sequence[Group], labels: Sequence[Joint], sample: IntArray, title: str
    ) -> list[tuple[Joint, ...]]:
        """Per group and view: what models that were taught without the group's sources say of the sample."""
        return [
            self._said(
                joint,
                sample,
                group.has_votes.astype(np.int64),
                GROUP_FOLDS,
                self.seed,
                f"{title}, without sources {at + 1}",
            )
            for at, (group, joint) in enumerate(zip(groups, labels, strict=True))
        ]

    def _said_by_deals(self, taught: Joint, title: str) -> tuple[Joint, ...]:
        """Per view: the mean of what models say of all items that were taught by different deals of them."""
        teaches = teaching(self.labels, self.has_votes)
        deals = [
            self._said(
                taught, self._everything, teaches, self.folds, self.seed + _APART * deal, f"{title}, deal {deal + 1}"
            )
            for deal in range(DEALS)
        ]
        return _together(deals)

    def _said(
        self, joint: Joint, rows: IntArray, teaches: IntArray, folds: int, seed: int, title: str
    ) -> tuple[Joint, ...]:
        return tuple(
            self.fitting.predictions(view, digest, joint, rows, teaches, folds, seed, title)
            for view, digest in zip(self.views, self.digests, strict=True)
        )

    def _evidence(
        self, groups: Sequence[Group], foreseen: Sequence[Sequence[Joint]], judge: Joint
    ) -> list[list[HeldOutVotes]]:
        """Per component and group: held-out votes, from sources that are worth what labels say."""
        return [
            [group.evidence(at, said, judge[at]) for group, said in zip(groups, foreseen, strict=True)]
            for at in range(len(self.labels.joint))
        ]

    def _guess(self, said: Sequence[Joint]) -> tuple[Weights, ...]:
        """Per component: the weights if votes and data were independent."""
        found, voted = [], self.has_votes
        for at, joint in enumerate(self.labels.joint):
            balance = joint.mean(axis=0) if voted.all() else joint[~voted].mean(axis=0)
            found.append(independent_weights(joint[voted], [log_lift(view[at])[voted] for view in said], balance))
        return tuple(found)

    def _weights(self, guess: Sequence[Weights], evidence: Sequence[Sequence[HeldOutVotes]]) -> tuple[Weights, ...]:
        """Per component: what foresees held-out votes best, near a guess, which stands if there are none."""
        items = min(int(self.has_votes.sum()), MOST_ITEMS)
        pooled = [_pooled(parts) for parts in evidence]
        return tuple(
            each if votes is None else votes.best_weights(each, items)
            for each, votes in zip(guess, pooled, strict=True)
        )

    def _balance(self, joint: Joint, said: Sequence[Joint], weights: Sequence[Weights]) -> tuple[FloatArray, ...]:
        """Per component (outcomes,): log-shares; those of the labels where a user told them or the data is mute."""
        found = []
        rows = self._sample(np.ones(len(joint[0]), dtype=bool))
        for at, (part, each) in enumerate(zip(joint, weights, strict=True)):
            start = log_shares(part)
            if any(each.data) and self.label_model.class_balance is None:
                lifts = [log_lift(view[at][rows], view[at].mean(axis=0)) for view in said]
                start = settled_balance(each, start, log_lift(part[rows], part.mean(axis=0)), lifts)
            found.append(start)
        return tuple(found)

    def _refined(
        self, joint: Joint, said: Sequence[Joint], weights: Sequence[Weights], balance: Sequence[FloatArray]
    ) -> Joint:
        """Per component (items, outcomes): what the next round learns from."""
        return tuple(
            softmax(each.log_posterior(shares, log_lift(part), [log_lift(view[at]) for view in said]))
            for at, (part, each, shares) in enumerate(zip(joint, weights, balance, strict=True))
        )


def teaching(labels: Labels, has_votes: BoolArray) -> IntArray:
    """(items,): how often each item is learned from."""
    return (settled_by_gold(labels) | has_votes).astype(np.int64)


def settled_by_gold(labels: Labels) -> BoolArray:
    """(items,): whether gold leaves a single outcome."""
    found = np.zeros(len(labels), dtype=bool)
    if labels.gold is not None:
        found[labels.gold.rows] = np.all([allowed.sum(axis=1) == 1 for allowed in labels.gold.allowed], axis=0)
    return found


def _settled_outcomes(labels: Labels) -> list[dict[str, str | None] | None] | None:
    """(items,): the outcome that gold leaves, if it is a single one; None if there is no gold.

    How many items each stands for is left aside.
    """
    settled = settled_by_gold(labels)
    if labels.gold is None or not settled.any():
        return None
    found: list[dict[str, str | None] | None] = [None] * len(labels)
    parts = labels.tasks.label_space.components
    for at, row in enumerate(labels.gold.rows.tolist()):
        if settled[row]:
            outcomes = [
                part.outcomes[int(allowed[at].argmax())]
                for part, allowed in zip(parts, labels.gold.allowed, strict=True)
            ]
            found[row] = {task: label for outcome in outcomes for task, label in outcome.items()}
    return found


def _together(said: Sequence[Sequence[Joint]]) -> tuple[Joint, ...]:
    """Per view and component (items, outcomes): the geometric mean of what several models say."""
    return tuple(
        tuple(softmax(np.mean([log_chances(part) for part in parts], axis=0)) for parts in zip(*views, strict=True))
        for views in zip(*said, strict=True)
    )


def _pooled(parts: Sequence[HeldOutVotes]) -> HeldOutVotes | None:
    if not parts:
        return None
    views = range(len(parts[0].data))
    return HeldOutVotes(
        np.concatenate([part.balance for part in parts]),
        np.concatenate([part.votes for part in parts]),
        tuple(np.concatenate([part.data[view] for part in parts]) for view in views),
        np.concatenate([part.likelihood for part in parts]),
    )


def _log_likelihoods(parts: Sequence[HeldOutVotes], weights: Weights) -> FloatArray:
    return np.concatenate([np.empty(0), *(part.log_likelihoods(weights) for part in parts)])


def _is_beyond_chance(gain: FloatArray) -> bool:
    """Whether held-out votes are foreseen better; without any, that is taken on trust."""
    if not len(gain):
        return True
    error = gain.std() / np.sqrt(len(gain))
    return bool(gain.mean() > _SURE * error)
