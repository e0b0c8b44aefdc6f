"""What to label by hand next: part of it at random, part of it where labels change the most.

Every item has a known chance to be chosen, above zero. Weighted by one over that, hand labels tell what a random
sample would: how good labels are, and how common each one is.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.arguments import random_numbers
from assay.counts import hashes_of
from assay.errors import AssayError
from assay.gold import Kind
from assay.model.fitted import Fitted
from assay.model.label_model import LabelModel
from assay.model.usefulness import Doubts, UsefulnessSettings, labels_wanted
from assay.votes import Votes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

RANDOM = 0.4
"""The share of items that is chosen at random, unless the user wants another."""
ALL_RANDOM = 20
"""With fewer items with gold than this, all are chosen at random: what is useful is not known yet."""
_MOST_KNOWN = 1_000
"""The most distinct vote patterns with gold that are taken into account."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Items to label by hand, in random order, and how they were chosen."""

    rows: IntArray
    """(items,): their row numbers."""
    kinds: tuple[Kind, ...]
    """Per item ``"random"`` or ``"useful"``. All items are equally likely to be chosen as a random one."""
    chances: FloatArray
    """(items,): the probability that the item was chosen, as either kind."""

    def __len__(self) -> int:
        return len(self.rows)


def next_items(
    model: LabelModel, votes: Any, n: int = 20, *, gold: Any = None, random: float | None = None, seed: int = 0
) -> IntArray:
    """The items to label by hand next.

    Part of them is a random sample, which scores and shares need. The others are drawn from groups of items with the
    same votes, preferably from those whose labels would change the most decisions: large groups, or groups that share
    votes with many others, about which the model is unsure, and that have few labels yet. While hardly any item has
    gold, all are drawn at random.

    Label them, fit the model again with all gold, and ask for the next ones: batches of about 20 are a good size.

    Parameters
    ----------
    model
        A fitted label model. Items whose gold it has learned from are not chosen again.
    votes
        What :meth:`assay.LabelModel.predict_proba` takes: :class:`assay.Votes`, or a matrix of class numbers.
    n
        How many items; there are fewer if fewer have no gold.
    gold
        True labels that the model does not know of yet, in any form that :meth:`assay.Votes.summary` takes. Items that
        have them are not chosen, either.
    random
        The share of items that is chosen at random, from 0 to 1. With 0 some items have no chance at all to be chosen,
        so that hand labels cannot tell how good labels are. By default 0.4, and 1 while fewer than 20 items have gold.
    seed
        For the draw, 0 or more: the same seed gives the same items, as long as no more of them have gold.

    Returns
    -------
    array
        (n,): row numbers, in random order.

    Raises
    ------
    AssayError
        If all items have gold, or a number is out of its range.

    Examples
    --------
    >>> import assay
    >>> from assay.simulate import flat_world
    >>> world = flat_world(sources=6, seed=3).draw(1000)
    >>> model = assay.LabelModel().fit(world.votes)
    >>> gold = np.full(1000, -1)
    >>> for batch in range(3):
    ...     rows = assay.next_items(model, world.votes, n=20)
    ...     gold[rows] = world.gold[rows]  # label them by hand
    ...     model = assay.LabelModel().fit(world.votes, gold)
    >>> int((gold >= 0).sum())
    60
    """
    return choice_of(model, votes, n, gold=gold, random=random, seed=seed).rows


def choice_of(
    model: LabelModel,
    votes: Any,
    n: int = 20,
    *,
    gold: Any = None,
    asked: BoolArray | None = None,
    random: float | None = None,
    seed: int = 0,
) -> Choice:
    """The items to label by hand next, with how each was chosen; see :func:`next_items`.

    ``asked`` (items,) are items that count as if they had gold, though what it is may not be known yet.
    """
    if not isinstance(model, LabelModel):
        raise AssayError(f"expected a fitted LabelModel, but got {type(model).__name__}")
    _check(n, random, seed)
    fitted = model.fitted_
    given = fitted.aligned(votes)
    is_open = ~_with_gold(fitted, given, gold)
    if asked is not None:
        is_open &= ~asked
    if not is_open.any():
        raise AssayError(f"all {len(given):,} items have gold: there is none left to label")
    labeled = max(int((~is_open).sum()), 0 if fitted.gold is None else len(fitted.gold))
    share = random if random is not None else 1.0 if labeled < ALL_RANDOM else RANDOM
    n = min(n, int(is_open.sum()))
    # Batches that are drawn with the same seed are independent of each other.
    rng = random_numbers(seed, labeled)
    patterns = _Patterns.of(fitted, given)
    at_random = np.where(is_open, share * n / is_open.sum(), 0.0)
    useful = np.zeros(len(given)) if share == 1 else _usefulness(fitted, given, patterns, is_open, (1 - share) * n)
    chances = inclusion_chances(at_random + useful, n, is_open)
    rows = rng.permutation(drawn(chances, patterns.place[patterns.of_item], rng))
    # An item may be chosen as either kind; marked in this proportion, those marked random are a random sample.
    is_random = rng.random(len(rows)) * chances[rows] < at_random[rows]
    return Choice(rows, tuple("random" if flag else "useful" for flag in is_random), chances[rows])


def _check(n: Any, random: Any, seed: Any) -> None:
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise AssayError(f"n must be the number of items to choose, 1 or more, but is {n!r}")
    is_number = isinstance(random, Real) and not isinstance(random, bool)
    if random is not None and not (is_number and 0 <= float(random) <= 1):
        raise AssayError(f"random must be the share of items chosen at random, from 0 to 1, but is {random!r}")
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise AssayError(f"seed must be a number, 0 or more, but is {seed!r}")


def _with_gold(fitted: Fitted, votes: Votes, gold: Any) -> BoolArray:
    """(items,): which have gold that the model has learned from, or that it does not know of yet."""
    known = np.zeros(len(votes), dtype=bool)
    if fitted.gold is not None:
        known[fitted.gold.found_in(votes)[1]] = True
    if gold is not None:
        known |= votes.gold(gold).voted
    return known


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The distinct rows of votes."""

    votes: Votes
    """Of one item each."""
    of_item: IntArray
    """(items,): the pattern of each item."""
    items: IntArray
    """(patterns,): how many items have each."""
    doubt: FloatArray
    """(patterns,): the probability that the most probable outcome is not the true one, summed over components."""
    place: IntArray
    """(patterns,): in an order in which neighbours have similar labels."""

    @classmethod
    def of(cls, fitted: Fitted, votes: Votes) -> _Patterns:
        _, first, of_item, items = np.unique(
            hashes_of(votes), return_index=True, return_inverse=True, return_counts=True
        )
        distinct = votes.take(first)
        chances = [part.scorer(distinct) for part in fitted.components]
        doubt = np.sum([1 - part.max(axis=1) for part in chances], axis=0)
        order = np.lexsort((doubt, *(part.argmax(axis=1) for part in reversed(chances))))
        return cls(distinct, of_item, items, doubt, np.argsort(order))


def _usefulness(fitted: Fitted, votes: Votes, patterns: _Patterns, is_open: BoolArray, n: float) -> FloatArray:
    """(items,): the chance of each to be chosen as useful, at most n in total; the same for the same votes."""
    used = UsefulnessSettings()
    looked_at = np.argsort(-patterns.doubt * patterns.items, kind="stable")[: used.patterns]
    items = patterns.items[looked_at].astype(float)
    room = np.bincount(patterns.of_item[is_open], minlength=len(patterns.items))[looked_at].astype(float)
    known, labels = _distinct(_known_votes(fitted, votes, ~is_open))
    some = patterns.votes.take(looked_at)
    doubts = [Doubts.of(part, some, known, labels, used) for part in fitted.components if part.layout.outcomes > 1]
    each = np.zeros(len(patterns.items))
    each[looked_at] = labels_wanted(doubts, items, room, n, used) / np.maximum(room, 1.0)
    return np.where(is_open, each[patterns.of_item], 0.0)


def _known_votes(fitted: Fitted, votes: Votes, has_gold: BoolArray) -> Votes:
    """The votes on items that have gold: those in ``votes``, and others that the model has learned from."""
    here = votes.take(has_gold)
    if fitted.gold is None:
        return here
    elsewhere = np.ones(len(fitted.gold), dtype=bool)
    elsewhere[fitted.gold.found_in(votes)[0]] = False
    if not elsewhere.any():
        return here
    others = fitted.gold.votes.take(elsewhere).like(votes)
    # Items need no names here, and those of the two might be the same.
    return Votes.concat([Votes(votes.schema, part.store) for part in (here, others)])


def _distinct(votes: Votes) -> tuple[Votes, FloatArray]:
    """The distinct rows of votes, and how many items have each; the most frequent, if there are too many."""
    _, first, counts = np.unique(hashes_of(votes), return_index=True, return_counts=True)
    often = np.argsort(-counts, kind="stable")[:_MOST_KNOWN]
    return votes.take(first[often]), counts[often].astype(float)


def inclusion_chances(scores: FloatArray, n: int, is_open: BoolArray) -> FloatArray:
    """(items,): the chance of each to be among ``n`` items: in proportion to its score, and at most 1.

    If only some open items have a score above zero, and these are fewer than ``n``, the others share the rest.

    >>> inclusion_chances(np.array([3.0, 1.0, 1.0, 0.0]), 2, np.array([True] * 4)).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    scores = np.where(is_open, scores, 0.0)
    if (scores > 0).sum() < n:
        scores = np.where(scores > 0, scores, np.where(is_open, 1e-6 * max(float(scores.max()), 1.0), 0.0))
    certain = np.zeros(len(scores), dtype=bool)
    while True:
        rest = n - int(certain.sum())
        total = float(scores[~certain].sum())
        chances = np.where(certain, 1.0, scores * (rest / total) if total > 0 else 0.0)
        more = ~certain & (chances >= 1)
        if not more.any():
            return chances
        certain |= more


def drawn(chances: FloatArray, order_by: IntArray, rng: np.random.Generator) -> IntArray:
    """Rows drawn by systematic sampling: each with its chance, and as many as all chances sum to, an integer.

    Neighbours, by ``order_by`` and at random within, are seldom drawn together, so that the sample is spread over
    all kinds of items.

    >>> drawn(np.full(10, 0.5), np.arange(10) // 5, np.random.default_rng(0)).shape
    (5,)
    """
    certain = np.flatnonzero(chances >= 1)
    rest = np.flatnonzero((chances > 0) & (chances < 1))
    n = round(float(chances[rest].sum()))
    if not n:
        return certain
    rest = rest[np.lexsort((rng.random(len(rest)), order_by[rest]))]
    ends = np.cumsum(chances[rest])
    places = (rng.random() + np.arange(n)) * (ends[-1] / n)
    return np.concatenate([certain, rest[np.searchsorted(ends, places, side="right").clip(max=len(rest) - 1)]])
