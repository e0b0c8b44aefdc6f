r"""The bounds of the paper's two theorems, term by term.

Theorem 2 bounds what Algorithm 1 gets wrong, for :math:`n` items:

.. math::

   E\|\hat\mu - \mu^*\| \le 16 (r - 1) d_O^2 \sqrt{32 \pi / n}\; a\, b\, \sigma_{\max}(M_\Omega^+)
   \left(3 \sqrt{d_O}\, a\, \lambda_{\min}^{-1}(\Sigma_O) + 1\right)
   \left(\kappa(\Sigma_O) + \lambda_{\min}^{-1}(\Sigma_O)\right),

   a = \left(d_O / \Sigma_S + (d_O / \Sigma_S)^2 \lambda_{\max}(K_O)\right)^{1/2}, \qquad
   b = \|\Sigma_O^{-1}\|^2 / (\Sigma_O^{-1})_{\min},

and Theorem 1 what the end model then loses: :math:`\gamma + 4 |\mathcal{Y}| \|\hat\mu - \mu^*\|`.

Both are worst cases, many orders of magnitude above what is measured. They say what
makes a problem hard and how the error falls; for "how many items" use
:func:`assay.plan`, which extrapolates measured error bars.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from assay.counts import Patterns, SourceGraph, Statistics, clique_indicators, layout_of, minimal, omega_of
from assay.errors import DataError, VoteError
from assay.model.estimate import complete
from assay.votes import as_votes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_SINGULAR = 1e-12
"""A covariance matrix is singular if its smallest eigenvalue is a smaller part of its largest than this."""


@dataclass(frozen=True)
class EstimationBound:
    r"""Theorem 2: how far the estimated parameters are from the true ones, at most, on average.

    >>> bound = EstimationBound(d_o=3, r=2, n=100, sigma_s=0.25, lambda_min=0.1, kappa=2.0,
    ...     lambda_max_k=11.0, precision_min=0.5, sigma_max_m_pinv=1.0)
    >>> bound.with_items(400).value / bound.value
    0.5
    """

    d_o: int
    r""":math:`d_O`: how many observable indicators there are."""
    r: int
    r""":math:`r = |\mathcal{Y}|`: how many outcomes there are."""
    n: int
    """:math:`n`: how many items were voted on."""
    sigma_s: float
    r""":math:`\Sigma_S`: the variance of the indicator of the truth, P(Y)(1 − P(Y)). A rare outcome makes it small."""
    lambda_min: float
    r""":math:`\lambda_{\min}(\Sigma_O)`: small if indicators nearly repeat each other, or nearly never hold."""
    kappa: float
    r""":math:`\kappa(\Sigma_O)`: largest eigenvalue over smallest."""
    lambda_max_k: float
    r""":math:`\lambda_{\max}(K_O)`, of the votes' block of the inverse covariance of votes and truth together.

    Large if the votes and the truth nearly determine one of the votes."""
    precision_min: float
    r""":math:`(\Sigma_O^{-1})_{\min}`: the smallest size of an entry on :math:`\Omega`, the only ones that are used.

    Near zero if a source is near random guessing."""
    sigma_max_m_pinv: float
    r""":math:`\sigma_{\max}(M_\Omega^+)`: how much the completion magnifies errors of single entries.

    Small if most sources are independent of most others; see :func:`completion_gain`."""

    @property
    def a(self) -> float:
        r""":math:`a`: with :math:`\lambda_{\min}^{-1}(\Sigma_O)`, a bound on :math:`\|z\|`."""
        share = self.d_o / self.sigma_s
        return math.sqrt(share + share**2 * self.lambda_max_k)

    @property
    def b(self) -> float:
        r""":math:`b`: how much relative errors of the inverse exceed errors of the covariance."""
        if not self.lambda_min or not self.precision_min:
            return math.inf
        return self.lambda_min**-2 / self.precision_min

    @property
    def value(self) -> float:
        r"""The bound on :math:`E\|\hat\mu - \mu^*\|`; infinite if the problem is not identified."""
        if self.why_infinite:
            return math.inf
        scale = 16 * (self.r - 1) * self.d_o**2 * math.sqrt(32 * math.pi / self.n)
        size = 3 * math.sqrt(self.d_o) * self.a / self.lambda_min + 1
        return scale * self.a * self.b * self.sigma_max_m_pinv * size * (self.kappa + 1 / self.lambda_min)

    @property
    def why_infinite(self) -> str:
        """What makes the bound infinite; empty if it is not."""
        if math.isinf(self.sigma_max_m_pinv):
            return (
                "M_Ω is rank deficient: each part of the inverse graph needs an odd cycle, e.g. three sources "
                "that are independent of each other given the truth"
            )
        if not self.lambda_min:
            return "Σ_O is singular: an indicator never varies, or others determine it"
        if not self.precision_min:
            return "an entry of the inverse covariance on Ω is zero: a source is no better than random guessing"
        return ""

    def with_items(self, n: int) -> EstimationBound:
        """The same problem with another number of items."""
        return replace(self, n=n)

    def __str__(self) -> str:
        terms = {
            "d_O": self.d_o,
            "r": self.r,
            "n": self.n,
            "Σ_S": self.sigma_s,
            "λ_min(Σ_O)": self.lambda_min,
            "κ(Σ_O)": self.kappa,
            "λ_max(K_O)": self.lambda_max_k,
            "(Σ_O⁻¹)_min": self.precision_min,
            "σ_max(M_Ω⁺)": self.sigma_max_m_pinv,
            "a": self.a,
            "b": self.b,
        }
        lines = [f"E‖μ̂ − μ*‖ ≤ {self.value:.3g}", *(f"  {name:<12} {term:.4g}" for name, term in terms.items())]
        return "\n".join([*lines, self.why_infinite] if self.why_infinite else lines)


@dataclass(frozen=True)
class GeneralizationBound:
    """Theorem 1: how much an end model trained on the labels loses against the best one, at most."""

    gamma: float
    r""":math:`\gamma`: what training itself leaves, were the label model exact."""
    r: int
    r""":math:`|\mathcal{Y}|`: how many outcomes there are."""
    estimation_error: float
    r""":math:`\|\hat\mu - \mu^*\|`."""

    @property
    def label_noise(self) -> float:
        r""":math:`4 |\mathcal{Y}| \|\hat\mu - \mu^*\|`: what inexact labels add."""
        return 4 * self.r * self.estimation_error

    @property
    def value(self) -> float:
        """The bound on the expected loss beyond that of the best model, for a loss between 0 and 1."""
        return self.gamma + self.label_noise


def generalization_bound(
    estimation_error: float | EstimationBound, *, outcomes: int, gamma: float = 0.0
) -> GeneralizationBound:
    r"""Theorem 1: what an end model trained on the labels loses against the best one, at most.

    It is :math:`\gamma + 4 |\mathcal{Y}| \|\hat\mu - \mu^*\|`. The theorem assumes a loss
    between 0 and 1, that the label model can express the truth, and that the votes
    tell all that the features tell about the truth. Its proof takes a Lipschitz
    property of log-linear parameters for one of the moments :math:`\mu`: with more
    than about a hundred sources that each vote rarely the bound can be exceeded, so
    take it as a rule of thumb there.

    Parameters
    ----------
    estimation_error
        The distance of the parameters from the true ones, or Theorem 2's bound on it.
    outcomes
        How many outcomes there are.
    gamma
        What the training leaves, were the label model exact.

    >>> generalization_bound(0.006, outcomes=2, gamma=0.01).value
    0.058
    """
    error = estimation_error.value if isinstance(estimation_error, EstimationBound) else float(estimation_error)
    if not error >= 0 or not gamma >= 0 or outcomes < 1:
        raise DataError(
            "estimation_error and gamma must not be negative and outcomes must be at least 1, but got "
            f"estimation_error={error}, gamma={gamma}, outcomes={outcomes}"
        )
    return GeneralizationBound(float(gamma), int(outcomes), error)


def estimation_bound(
    covariance: npt.ArrayLike,
    omega: npt.ArrayLike,
    *,
    items: int,
    outcome_variance: float,
    z: npt.ArrayLike | None = None,
    k_o: npt.ArrayLike | None = None,
    outcomes: int = 2,
) -> EstimationBound:
    r"""Theorem 2: the expected distance of the parameters that Algorithm 1 finds from the true ones, at most.

    It is stated for the rank-one class-conditional model (exact for two outcomes), a
    dependency graph whose cliques meet in the truth alone, and a class balance that
    is known. The example has three independent sources that are right four times in
    five, and two even classes.

    Parameters
    ----------
    covariance
        (d, d): :math:`\Sigma_O`, the covariance of the indicators.
    omega
        (d, d) booleans, symmetric: :math:`\Omega`, the pairs of indicators that
        share no clique.
    items
        How many items there are.
    outcome_variance
        :math:`\Sigma_S`, the variance of the indicator of one outcome.
    z
        (d,): the vector of the completion, :math:`K_O = \Sigma_O^{-1} + z z^T`.
    k_o
        (d, d): :math:`K_O` itself. Give this or ``z``.
    outcomes
        How many outcomes there are.

    >>> covariance = np.where(np.eye(3), 0.25, 0.09)
    >>> with_truth = np.full(3, 0.15)
    >>> k_o = np.linalg.inv(covariance - np.outer(with_truth, with_truth) / 0.25)
    >>> bound = estimation_bound(covariance, ~np.eye(3, dtype=bool), items=10_000, outcome_variance=0.25, k_o=k_o)
    >>> print(bound)
    E‖μ̂ − μ*‖ ≤ 1.14e+08
      d_O          3
      r            2
      n            1e+04
      Σ_S          0.25
      λ_min(Σ_O)   0.16
      κ(Σ_O)       2.688
      λ_max(K_O)   6.25
      (Σ_O⁻¹)_min  1.308
      σ_max(M_Ω⁺)  1
      a            30.2
      b            29.86
    """
    sigma = np.asarray(covariance, dtype=np.float64)
    known = _mask(omega)
    size = len(known)
    if sigma.shape != (size, size) or not np.allclose(sigma, sigma.T):
        raise DataError(f"covariance must be symmetric and as large as omega, {known.shape}, but has {sigma.shape}")
    if not 0 < outcome_variance <= 0.25:
        raise DataError(
            "outcome_variance must be above 0 and at most 1/4, the largest variance of an indicator, "
            f"but is {outcome_variance}"
        )
    if items < 1 or outcomes < 2:
        raise DataError(f"items must be at least 1 and outcomes at least 2, but got items={items}, outcomes={outcomes}")
    if (z is None) == (k_o is None):
        raise DataError("give either z or k_o")
    given = np.asarray(k_o if z is None else z, dtype=np.float64)
    if given.shape != ((size, size) if z is None else (size,)):
        raise DataError(
            f"there are {size} indicators, so z must have shape ({size},) and k_o shape ({size}, {size}), "
            f"but got {given.shape}"
        )
    if z is None:
        largest = float(np.linalg.eigvalsh(given)[-1])
    else:
        largest = _largest_of_joint(sigma, given)
    return _bound(sigma, known, items, outcome_variance, largest, outcomes)


def bound_for(
    votes: Any,
    graph: SourceGraph | None,
    balance: Sequence[float] | FloatArray,
    *,
    items: int | None = None,
) -> EstimationBound:
    r"""Theorem 2 for votes on two outcomes, each term estimated from the votes.

    The theorem is stated for two outcomes (for more, its rank-one model is not
    exact), for dependent sources in cliques that meet in the truth alone, and for a
    class balance that is known. Anything else is an error here.

    The smallest of many noisy entries, :math:`(\Sigma_O^{-1})_{\min}`, tends to come out
    too small, so with few items the bound is larger still than with the true terms.

    Parameters
    ----------
    votes
        The votes, or a matrix of class numbers with −1 for abstain; or the counts of the indicators of all cliques.
    graph
        The sources' dependencies; ``None`` if they are independent.
    balance
        (2,): the shares of the two outcomes.
    items
        The number of items to bound the error for; as many as were counted by default.

    >>> from assay.simulate import flat_world
    >>> votes = flat_world(sources=5, seed=1).draw(20_000).votes
    >>> bound = bound_for(votes, None, [0.5, 0.5])
    >>> bound.d_o, round(bound.sigma_max_m_pinv, 3)
    (5, 0.577)
    """
    shares = np.asarray(balance, dtype=np.float64)
    if shares.shape != (2,) or not (shares > 0).all() or not math.isclose(shares.sum(), 1, abs_tol=1e-6):
        raise VoteError(
            f"Theorem 2 is about two outcomes; balance must be two positive numbers that sum to one, but is {balance!r}"
        )
    if not isinstance(votes, Statistics):
        statistics, graph = _counted(votes, graph)
    else:
        last = max((source for indicator in votes.indicators for source in indicator.sources), default=-1)
        statistics, graph = votes, graph or SourceGraph([str(j) for j in range(last + 1)])
    if not graph.has_singleton_separators:
        raise VoteError(
            "Theorem 2 requires cliques of dependent sources that meet in the truth alone, but some share a source; "
            "bound the problem of graph.completed() instead"
        )
    kept = statistics.keep(minimal(statistics))
    known = omega_of(kept.indicators, graph)
    largest = math.inf  # K_O is not determined if z is not
    if _spectrum(kept.covariance)[0] and math.isfinite(completion_gain(known)):
        precision: FloatArray = np.asarray(np.linalg.inv(kept.covariance))
        even = np.ones_like(precision)
        # Cliques that meet in the truth alone leave Ω connected, so one sign is free, and K_O does not depend on it.
        z, _ = complete(-precision, even, even, known, even[0])
        largest = _largest_of_joint(kept.covariance, z)
    return _bound(
        kept.covariance, known, statistics.items if items is None else items, float(shares.prod()), largest, 2
    )


def completion_matrix(omega: npt.ArrayLike) -> FloatArray:
    r"""(pairs, d): :math:`M_\Omega`, a row for each pair in :math:`\Omega`, with ones at its two indicators.

    >>> completion_matrix([[False, True, True], [True, False, False], [True, False, False]])
    array([[1., 1., 0.],
           [1., 0., 1.]])
    """
    known = _mask(omega)
    pairs = np.argwhere(np.triu(known))
    matrix = np.zeros((len(pairs), len(known)))
    np.put_along_axis(matrix, pairs, 1.0, axis=1)
    return matrix


def completion_gain(omega: npt.ArrayLike) -> float:
    r""":math:`\sigma_{\max}(M_\Omega^+)`, one over the smallest singular value of :math:`M_\Omega`.

    It is infinite if :math:`M_\Omega` is rank deficient, i.e. if some connected part of
    :math:`\Omega` has no odd cycle: sizes can then be traded between its two sides.
    For m independent sources with k indicators each it is :math:`1/\sqrt{k(m-2)}`.

    >>> round(completion_gain(~np.eye(6, dtype=bool)), 9)
    0.5
    >>> completion_gain([[False, True], [True, False]])
    inf
    """
    known = _mask(omega)
    graph = nx.from_numpy_array(known.astype(np.int64))
    # Whether the rank is full is a matter of the graph alone, so no tolerance decides it.
    if not len(known) or any(nx.is_bipartite(graph.subgraph(part)) for part in nx.connected_components(graph)):
        return math.inf
    gram = np.diag(known.sum(axis=1)) + known  # M^T M, without the pairs × d matrix
    return float(1 / np.sqrt(np.linalg.eigvalsh(gram.astype(np.float64))[0]))


def _counted(given: Any, graph: SourceGraph | None) -> tuple[Statistics, SourceGraph]:
    """Counts of all cliques of votes on two outcomes, and the dependencies of those sources that vote."""
    votes = as_votes(given)
    outcomes = len(votes.label_space.only)
    if outcomes != 2:
        raise VoteError(f"Theorem 2 is about two outcomes, but these votes are on {outcomes}")
    layout = layout_of(votes.schema, 0, graph or SourceGraph(votes.names))
    codes = layout.codes(votes)
    return Statistics.count(Patterns.of(codes), clique_indicators(layout)), layout.graph


def _bound(
    covariance: FloatArray, omega: BoolArray, items: int, outcome_variance: float, lambda_max_k: float, outcomes: int
) -> EstimationBound:
    low, high = _spectrum(covariance)
    smallest = float(np.abs(np.linalg.inv(covariance)[omega]).min(initial=math.inf)) if low else 0.0
    return EstimationBound(
        d_o=len(covariance),
        r=outcomes,
        n=items,
        sigma_s=outcome_variance,
        lambda_min=low,
        kappa=high / low if low else math.inf,
        lambda_max_k=lambda_max_k,
        precision_min=smallest,
        sigma_max_m_pinv=completion_gain(omega),
    )


def _largest_of_joint(covariance: FloatArray, z: FloatArray) -> float:
    """The largest eigenvalue of K_O = Σ_O⁻¹ + z zᵀ; infinite if the covariance is singular."""
    if not _spectrum(covariance)[0]:
        return math.inf
    return float(np.linalg.eigvalsh(np.linalg.inv(covariance) + np.outer(z, z))[-1])


def _spectrum(covariance: FloatArray) -> tuple[float, float]:
    """The smallest eigenvalue, exactly zero if the matrix is singular, and the largest."""
    if not len(covariance):
        return 0.0, 0.0
    values = np.linalg.eigvalsh(covariance)
    return (float(values[0]) if values[0] > _SINGULAR * values[-1] else 0.0), float(values[-1])


def _mask(omega: npt.ArrayLike) -> BoolArray:
    known = np.asarray(omega, dtype=bool)
    if known.ndim != 2 or known.shape[0] != known.shape[1] or (known != known.T).any() or known.diagonal().any():
        raise DataError(
            "omega must be a square, symmetric matrix of booleans with a diagonal of False, "
            f"but has shape {known.shape}"
        )
    return known
