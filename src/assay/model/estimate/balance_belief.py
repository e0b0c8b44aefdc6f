"""What is believed of the class balance of one component: figures and ranges for shares of its outcomes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

BalanceStrength = float | Literal["exact"] | None
BalanceOf = Literal["all", "voted"]

BELIEF_ITEMS = 50.0
"""What a belief of unstated strength is worth, in items with known labels: log-odds with an error of about 0.3."""
_CONTRADICTED, _OVERRULED = 1.0, 2.0
"""How far votes may be from a belief of unstated strength, in log-odds, until it is taken to be worth more; and from
where on it holds."""
_RARE = 0.01
"""Shares below this are not told apart, when it is asked how far votes are from a belief."""
_LEAST = 1e-12
"""No outcome is less probable than this, so that any share can be reached by scaling."""
_SETTLED = 1e-12
_MAX_CYCLES = 3_000


class Statement(NamedTuple):
    """low ≤ P(Y ∈ outcomes | Y ∈ among) ≤ high; a figure if the two ends are the same."""

    outcomes: BoolArray
    """(outcomes,): those whose share is told of; some of ``among``, but not all."""
    among: BoolArray
    """(outcomes,): what it is a share of."""
    low: float
    high: float

    @property
    def is_figure(self) -> bool:
        """Whether it leaves no room."""
        return self.low == self.high

    def share(self, balance: FloatArray) -> float:
        """P(Y ∈ outcomes | Y ∈ among) in a class balance."""
        return float(balance[self.outcomes].sum() / balance[self.among].sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class BalanceBelief:
    """Statements about the class balance of one component, and how much they count.

    >>> spam, all_ = np.array([True, False, False]), np.ones(3, dtype=bool)
    >>> belief = BalanceBelief(statements=(Statement(spam, all_, 0.1, 0.2),))
    >>> belief.nearest(np.array([0.5, 0.375, 0.125])).round(3).tolist()
    [0.2, 0.6, 0.2]
    """

    statements: tuple[Statement, ...]
    strength: BalanceStrength = None
    """How many items they are worth; ``"exact"``: they hold; None: to be weighed against what the votes tell."""
    of: BalanceOf = "all"
    """Whether they are about all items, or about those with votes."""

    @classmethod
    def of_vector(cls, balance: FloatArray, *, strength: BalanceStrength = None, of: BalanceOf = "all") -> Self:
        """A figure for every outcome."""
        everything = np.ones(len(balance), dtype=bool)
        figures = (
            Statement(np.arange(len(balance)) == outcome, everything, float(share), float(share))
            for outcome, share in enumerate(balance)
        )
        return cls(statements=tuple(figures), strength=strength, of=of)

    @cached_property
    def vector(self) -> FloatArray | None:
        """(outcomes,): the class balance, if figures determine all of it; else None."""
        size = len(self.statements[0].outcomes)
        balance = np.full(size, np.nan)
        equations = [np.ones(size)]
        for one in self.statements:
            if one.is_figure and one.among.all() and one.outcomes.sum() == 1:
                balance[one.outcomes] = one.low
            elif one.is_figure:
                equations.append(one.outcomes - one.low * one.among)
        unknown = np.isnan(balance)
        if unknown.any():
            # Everything sums to one, and the outcomes of a figure minus its share of their part to nothing.
            sums = np.array(equations)
            rest = np.eye(len(sums))[0] - sums[:, ~unknown] @ balance[~unknown]
            balance[unknown], _, rank, _ = np.linalg.lstsq(sums[:, unknown], rest, rcond=None)
            if rank < unknown.sum() or (balance <= 0).any():
                return None
        return balance

    @property
    def items(self) -> float:
        """What it is worth, in items with known labels; infinite if it is exact."""
        if self.strength == "exact":
            return np.inf
        return BELIEF_ITEMS if self.strength is None else float(self.strength)

    def updated(self, counts: FloatArray) -> FloatArray:
        """(outcomes,): the class balance after this many items per outcome, with the belief as a prior."""
        total = float(counts.sum())
        told = _positive(counts / max(total, _LEAST))
        believed = self.nearest(told)
        if not np.isfinite(self.items):
            return believed
        found: FloatArray = (total * told + self.items * believed) / (total + self.items)
        return found

    def against(self, told: FloatArray, items: float) -> Self:
        """The belief, worth more if nobody said how much and ``items`` that were voted on tell quite another balance.

        Whoever says 95% is wrong by a factor of two or three at most. A model that takes difficult items for a class of
        their own, as all sources are less often right on them, is wrong by any factor, however many items there are.
        """
        if self.strength is not None:
            return self
        believed = self.nearest(told)
        distance = float(np.abs(_log_odds_of(told) - _log_odds_of(believed)).max())
        way = (distance - _CONTRADICTED) / (_OVERRULED - _CONTRADICTED)
        if way <= 0:
            return self
        return replace(self, strength="exact" if way >= 1 else max(BELIEF_ITEMS, items * way / (1 - way)))

    def holds(self, balance: FloatArray, tolerance: float = 1e-6) -> bool:
        """Whether a class balance agrees with all statements."""
        return all(one.low - tolerance <= one.share(balance) <= one.high + tolerance for one in self.statements)

    def nearest(self, balance: FloatArray) -> FloatArray:
        """(outcomes,): the class balance nearest to a given one that agrees with all statements.

        Where they are about shares of all outcomes it is the I-projection, which minimises KL(b ‖ balance), found by
        iterative scaling; ranges are passed over if they hold without, as in Dykstra's algorithm. A statement about
        a part of the outcomes scales within the part and leaves the share of the part itself alone (Jeffrey's rule),
        so that what is said of one task does not change what its parents are taken for.

        If statements contradict each other the result does not :meth:`holds`.
        """
        if self.vector is not None:
            return self.vector.copy()
        found = _positive(np.array(balance, dtype=float))
        shifts = [0.0] * len(self.statements)
        for _ in range(_MAX_CYCLES):
            before = found
            for at, statement in enumerate(self.statements):
                found, shifts[at] = _scaled(found, statement, shifts[at])
            found = _positive(found)
            if np.abs(found - before).max() <= _SETTLED:
                break
        return found


def _positive(balance: FloatArray) -> FloatArray:
    """A balance without zeros."""
    if balance.min() >= _LEAST and abs(balance.sum() - 1) <= _LEAST:
        return balance
    floored = np.maximum(balance, _LEAST)
    return np.asarray(floored / floored.sum())


def _scaled(balance: FloatArray, statement: Statement, shift: float) -> tuple[FloatArray, float]:
    """A balance scaled so that one statement holds, and by how much that shifted its log-odds.

    ``shift`` is what the statement did a cycle ago. It is taken back first, so that a range which others
    bring about has no effect in the end.
    """
    rest = statement.among & ~statement.outcomes
    inside, outside = balance[statement.outcomes].sum(), balance[rest].sum()
    now = float(np.log(inside / outside))
    without = now - shift
    wanted = min(max(without, _log_odds(statement.low)), _log_odds(statement.high))
    if wanted == now:
        return balance, shift
    share = 1 / (1 + np.exp(-wanted))
    scaled = balance.copy()
    scaled[statement.outcomes] *= share * (inside + outside) / inside
    scaled[rest] *= (1 - share) * (inside + outside) / outside
    return scaled, wanted - without


def _log_odds_of(balance: FloatArray) -> FloatArray:
    """(outcomes,): log-odds of the shares, among which rare ones are all alike."""
    shares = np.clip(balance, _RARE, 1 - _RARE)
    found: FloatArray = np.log(shares / (1 - shares))
    return found


def _log_odds(share: float) -> float:
    if share in (0, 1):
        return np.inf if share else -np.inf
    return float(np.log(share / (1 - share)))
