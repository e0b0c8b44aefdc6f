"""What can be chosen of the estimation, apart from what computes it: settings are read without loading any method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Method = Literal["auto", "robust", "em", "completion", "covariance"]
METHODS: tuple[Method, ...] = ("auto", "robust", "em", "completion", "covariance")
MOMENTS = ("completion", "covariance")
"""Methods that use only moments of the votes."""


@dataclass(frozen=True, kw_only=True)
class EMSettings:
    """Settings of expectation-maximization; the priors are pseudo-counts."""

    even_coverage: float = 50.0
    """The prior that a source votes equally often for all outcomes about which it can be right, in votes."""
    class_conditional: float = 5.0
    """The prior centred on the class-conditional fit, in votes per outcome."""
    average_source: float = 20.0
    """The prior centred on the average source, in votes per outcome."""
    average_lift: float = 10.0
    """The prior that a source which cannot name every outcome is like the average such source, in votes."""
    even_balance: float = 1.0
    """The prior centred on a uniform class balance, in items per outcome."""
    max_steps: int = 2_000
    tolerance: float = 1e-6
    """Stop when no probability changes by more than this, or when the likelihood has stopped growing."""
    no_gain: float = 1e-4
    """A change in log-likelihood, over all items, that counts as none."""
    patience: int = 20
    """Stop after this number of consecutive steps without a gain."""
