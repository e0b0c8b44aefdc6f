r"""Algorithm 1: source accuracies from the inverse covariance of observable cliques.

With singleton separators :math:`K_O = \hat\Sigma_O^{-1} + Z Z^T` vanishes on
:math:`\Omega`, the pairs of indicators that share no clique (the paper's equation
on the matrix completion form). So :math:`Z` is found by completing
:math:`-\hat\Sigma_O^{-1}` on :math:`\Omega`: rank one for two outcomes, as in
Algorithm 1, and rank :math:`r - 1` for more, as in the appendix. With

.. math:: F = \hat\Sigma_O Z (I + Z^T \hat\Sigma_O Z)^{-1/2}, \qquad \Sigma_{OS} = F U \Sigma_S^{1/2},

which for one column is the algorithm's :math:`\hat\Sigma_O \hat z / \sqrt{\hat c}`,
:math:`U` is any orthogonal matrix. We take the one that comes closest to what three-way
overlaps tell, or else to the class-conditional fit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.sparse import csgraph

from assay.counts import (
    Clique,
    Evidence,
    Indicator,
    Layout,
    Statistics,
    clique_indicators,
    minimal,
    omega_of,
    single_indicators,
)
from assay.errors import VoteError
from assay.model.estimate.balance import mixture_from_overlaps
from assay.model.estimate.covariance import expand_tied, slopes_from_covariance
from assay.model.estimate.levenberg_marquardt import least_squares
from assay.model.estimate.rank_one import complete
from assay.model.estimate.solver import SolverOutcome
from assay.model.parameters import Parameters, normalised

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

_DEPENDENT = 1e-7
"""A column is left out if the share of its variance that others do not explain is below this."""
_MAX_STEPS = 500
_FACTOR_ROUNDS = 30
_MOST_UNKNOWNS = 1_500
"""With more unknowns than this, second-order steps take too long."""
_NO_GAIN = 1e-10
"""Of the weighted sum of squares, in which an entry that only sampling errors change counts as one."""


def from_inverse_covariance(
    evidence: Evidence, balance: FloatArray, signs: FloatArray
) -> tuple[Parameters, SolverOutcome]:
    """Parameters by Algorithm 1; in several steps if there are non-singleton separators.

    Each step takes one clique of every group of dependent sources, so that these have
    singleton separators, and solves for those; together the steps cover every clique
    (the paper's appendix A.1, multi-step approach). So there must be three groups.
    """
    layout = evidence.layout
    joint: dict[Clique, FloatArray] = {}
    outcomes = []
    by_group = [
        [clique for clique in layout.cliques if set(clique.sources) <= set(part)] for part in layout.graph.components
    ]
    for turn in range(max((len(cliques) for cliques in by_group), default=0)):
        chosen = [cliques[min(turn, len(cliques) - 1)] for cliques in by_group]
        tables, outcome = _one_step(chosen, evidence, balance, signs)
        joint.update(tables)
        outcomes.append(outcome)
    tables_in_order = tuple(joint[clique] for clique in layout.cliques)
    worst = next((outcome for outcome in outcomes if not outcome.converged), outcomes[0])
    if _groups_that_vote(evidence) < 3:
        worst = replace(worst, status="too_few_groups")
    return Parameters(layout, balance, tables_in_order), worst


def _groups_that_vote(evidence: Evidence) -> int:
    """How many groups of dependent sources vote at all; Ω is bipartite with two, whatever their cliques."""
    voting = set(np.unique(evidence.patterns.rows.sources).tolist())
    return sum(not voting.isdisjoint(part) for part in evidence.layout.graph.components)


def _one_step(
    chosen: list[Clique], evidence: Evidence, balance: FloatArray, signs: FloatArray
) -> tuple[dict[Clique, FloatArray], SolverOutcome]:
    """The tables of some cliques with singleton separators."""
    sources = sorted(source for clique in chosen for source in clique.sources)
    part = evidence.of_sources(sources)
    tables, outcome = solve(part, balance, signs[sources])
    found = {}
    for clique in chosen:
        members = tuple(sources.index(source) for source in clique.sources)
        found[clique] = next(t for c, t in zip(part.layout.cliques, tables, strict=True) if c.sources == members)
    return found, outcome


def solve(evidence: Evidence, balance: FloatArray, signs: FloatArray) -> tuple[list[FloatArray], SolverOutcome]:
    """Per clique (configurations, outcomes): P(joint vote | outcome), for a graph with singleton separators."""
    layout = evidence.layout
    if not layout.graph.has_singleton_separators:
        raise VoteError("Algorithm 1 needs a source graph with singleton separators")
    everything = evidence.count(clique_indicators(layout))
    kept = _independent(everything.covariance, minimal(everything))
    statistics = everything.keep(kept)
    template = _class_conditional_moments(evidence, everything, balance, signs)
    apart = omega_of(statistics.indicators, layout.graph)
    inverse: FloatArray = np.asarray(np.linalg.inv(statistics.covariance), dtype=np.float64)
    scale = np.sqrt(np.outer(inverse.diagonal(), inverse.diagonal()) + inverse**2) / np.sqrt(max(statistics.items, 1))
    guess = np.array([template[indicator] for indicator in statistics.indicators]).reshape(len(kept), len(balance))
    cross_guess = (guess - np.outer(statistics.rates, balance))[:, :-1]
    if layout.outcomes == 2:
        leaning = inverse @ cross_guess[:, 0]
        z, outcome = complete(-inverse, np.ones_like(inverse), scale, apart, np.sign(leaning))
        completed = z[:, None]
    else:
        completed, outcome = _low_rank(inverse, scale, apart, statistics.covariance, layout.outcomes - 1)
    if layout.outcomes > 2:
        cross_guess = _turned_to(evidence, statistics, balance, cross_guess)
    cross = _cross_covariance(statistics.covariance, completed, balance, cross_guess)
    moments = cross + np.outer(statistics.rates, balance[:-1])
    moments = np.column_stack([moments, statistics.rates - moments.sum(axis=1)])
    known = dict(zip(statistics.indicators, moments, strict=True))
    rates = dict(zip(everything.indicators, everything.rates, strict=True))
    return [_expanded(layout, clique, known, rates, template, balance) for clique in layout.cliques], outcome


def _low_rank(
    inverse: FloatArray, deviation: FloatArray, apart: BoolArray, covariance: FloatArray, rank: int
) -> tuple[FloatArray, SolverOutcome]:
    """Z of rank r − 1: the weighted least-squares fit on Ω, from the factors that groups have in common."""
    from scipy import optimize

    start = _from_factors(inverse, _common_factors(covariance, apart, rank))
    squared = np.where(apart, deviation**-2.0, 0.0)
    scale = float(np.sum(squared * inverse**2)) + 1e-300

    def value(flat: FloatArray) -> float:
        z = flat.reshape(start.shape)
        return float(np.sum(squared * (inverse + z @ z.T) ** 2))

    def slope(flat: FloatArray) -> FloatArray:
        z = flat.reshape(start.shape)
        return np.asarray(2 * ((squared * (inverse + z @ z.T)) @ z).ravel())

    def relative(flat: FloatArray) -> tuple[float, FloatArray]:
        return value(flat) / scale, 2 * slope(flat) / scale

    def normal_equations(flat: FloatArray) -> tuple[FloatArray, FloatArray]:
        z = flat.reshape(start.shape)
        curvature = 2 * np.einsum("ij,ja,ib->iajb", squared, z, z)
        own = np.arange(len(z))
        curvature[own, :, own] += 2 * np.einsum("ij,ja,jb->iab", squared, z, z)
        return slope(flat), curvature.reshape(flat.size, flat.size)

    if start.size <= _MOST_UNKNOWNS:
        found = least_squares(value, normal_equations, start.ravel(), no_gain=_NO_GAIN, max_steps=_MAX_STEPS)
        at, reached, steps, converged = found.at, found.value, found.steps, found.converged
    else:
        ended = optimize.minimize(relative, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _MAX_STEPS})
        at, reached, steps, converged = ended.x, ended.fun * scale, int(ended.nit), bool(ended.success)
    return at.reshape(start.shape), SolverOutcome("converged" if converged else "max_steps", steps, reached / scale)


def _common_factors(covariance: FloatArray, apart: BoolArray, rank: int) -> FloatArray:
    """(indicators, rank): F with F Fᵀ ≈ Σ between independent groups, by iterated principal factors.

    With every group whitened by itself, sampling errors are alike everywhere.
    """
    whitened, root = np.zeros_like(covariance), np.zeros_like(covariance)
    _, group_of = csgraph.connected_components((~apart).astype(np.int8), directed=False)
    for group in range(int(group_of.max(initial=-1)) + 1):
        inside = np.ix_(group_of == group, group_of == group)
        values, vectors = np.linalg.eigh(covariance[inside])
        scale = np.sqrt(np.maximum(values, _DEPENDENT * values[-1]))
        whitened[inside], root[inside] = (vectors / scale) @ vectors.T, (vectors * scale) @ vectors.T
    between = np.where(apart, whitened @ covariance @ whitened, 0.0)
    filled, factors = between, np.zeros((len(covariance), rank))
    for _ in range(_FACTOR_ROUNDS):
        values, vectors = linalg.eigh(filled, subset_by_index=(max(len(filled) - rank, 0), len(filled) - 1))
        factors[:, : len(values)] = vectors * np.sqrt(np.maximum(values, 0.0))
        last, filled = filled, np.where(apart, between, factors @ factors.T)
        if np.abs(filled - last).max(initial=0.0) < 1e-6:
            break
    return root @ factors


def _from_factors(inverse: FloatArray, factors: FloatArray) -> FloatArray:
    """Z = Σ⁻¹ F (I − Fᵀ Σ⁻¹ F)^(−1/2), kept finite where sampling errors make F explain everything."""
    explained = factors.T @ inverse @ factors
    values, vectors = np.linalg.eigh((explained + explained.T) / 2)
    return np.asarray(inverse @ factors @ (vectors / np.sqrt(np.maximum(1 - values, 1e-6))) @ vectors.T)


def _turned_to(evidence: Evidence, statistics: Statistics, balance: FloatArray, cross_guess: FloatArray) -> FloatArray:
    """The covariance of single votes with the truth that three-way overlaps tell, or the guess where they do not."""
    mixture, _ = mixture_from_overlaps(evidence)
    if mixture is None:
        return cross_guess
    place = {indicator: at for at, indicator in enumerate(single_indicators(evidence.layout))}
    rows = np.array([place.get(indicator, -1) for indicator in statistics.indicators])
    together = np.maximum(mixture.said[rows], 0.0) * balance
    # The given balance may differ from the mixture's, but how often a value is emitted is known.
    together *= (statistics.rates / np.maximum(together.sum(axis=1), 1e-300))[:, None]
    told = together - np.outer(statistics.rates, balance)
    return np.where(rows[:, None] >= 0, told, 0.0)[:, :-1]


def _cross_covariance(
    covariance: FloatArray, completed: FloatArray, balance: FloatArray, cross_guess: FloatArray
) -> FloatArray:
    """(indicators, outcomes − 1): the covariance of votes with the truth, rotated to be closest to a guess."""
    inner = np.eye(completed.shape[1]) + completed.T @ covariance @ completed
    explained = covariance @ completed @ np.asarray(linalg.inv(linalg.sqrtm(inner)).real)
    root = np.asarray(linalg.sqrtm(_hidden_covariance(balance)).real)
    turn, _ = linalg.orthogonal_procrustes(explained, cross_guess @ np.linalg.pinv(root))
    return np.asarray(explained @ turn @ root)


def _hidden_covariance(balance: FloatArray) -> FloatArray:
    """Σ_S: the covariance of the indicators of all outcomes but the last."""
    shares = balance[:-1]
    return np.diag(shares) - np.outer(shares, shares)


def _independent(covariance: FloatArray, candidates: IntArray) -> IntArray:
    """The candidates that are linearly independent of earlier ones, by a Cholesky factorisation in their order."""
    variances = covariance[candidates, candidates]
    try:
        whole = linalg.cholesky(covariance[np.ix_(candidates, candidates)], lower=True, check_finite=False)
        if (whole.diagonal() ** 2 > _DEPENDENT * variances).all():
            return candidates
    except linalg.LinAlgError:
        pass  # some are linearly dependent; find out which, one by one
    chosen: list[int] = []
    factor = np.zeros((len(candidates), len(candidates)))
    for index in candidates:
        size = len(chosen)
        variance = covariance[index, index]
        solved = linalg.solve_triangular(
            factor[:size, :size], covariance[chosen, index], lower=True, check_finite=False
        )
        left = variance - float(solved @ solved)
        if left > _DEPENDENT * variance:
            factor[size, :size], factor[size, size] = solved, np.sqrt(left)
            chosen.append(int(index))
    return np.array(chosen, dtype=np.int64)


def _class_conditional_moments(
    evidence: Evidence, everything: Statistics, balance: FloatArray, signs: FloatArray
) -> dict[Indicator, FloatArray]:
    """(outcomes,) per indicator: E[ψ, Y = y] of the class-conditional fit; joint votes scaled to their rate."""
    layout = evidence.layout
    statistics = evidence.count(single_indicators(layout))
    slopes, _ = slopes_from_covariance(layout, statistics, balance, signs)
    tables = expand_tied(layout, statistics, balance, slopes)
    found = {}
    for indicator, rate in zip(everything.indicators, everything.rates, strict=True):
        chance = balance.copy()
        for source, value in zip(indicator.sources, indicator.values, strict=True):
            chance = chance * tables[source][value]
        found[indicator] = rate * chance / max(float(chance.sum()), 1e-300)
    return found


def _expanded(
    layout: Layout,
    clique: Clique,
    known: dict[Indicator, FloatArray],
    rates: dict[Indicator, float],
    template: dict[Indicator, FloatArray],
    balance: FloatArray,
) -> FloatArray:
    """(configurations, outcomes): the table of a clique from the moments of its minimal indicators.

    The last digit of each source first stands for "any value"; inclusion–exclusion
    along each source then turns it into "abstains".
    """
    if len(clique.sources) == 1:
        return _expanded_alone(clique.sources[0], clique.size - 1, known, rates, template, balance)
    table = np.empty((*clique.shape, layout.outcomes))
    for number, digits in enumerate(clique.digits):
        voting = clique.voting[number]
        members = tuple(np.array(clique.sources)[voting].tolist())
        indicator = Indicator(members, tuple(digits[voting].tolist()))
        if not members:
            moment = balance
        elif indicator in known:
            moment = known[indicator]
        else:
            # Never observed, or determined by the others up to noise: distributed as in the class-conditional fit.
            moment = rates[indicator] * template[indicator] / max(float(template[indicator].sum()), 1e-300)
        table[tuple(digits)] = moment
    _recover_references(layout, clique, known, table)
    for axis in range(len(clique.shape)):
        moved = np.moveaxis(table, axis, 0)
        moved[-1] -= moved[:-1].sum(axis=0)
    flat = table.reshape(clique.size, layout.outcomes)
    return normalised(np.maximum(flat, 0.0) / np.maximum(balance, 1e-12))


def _expanded_alone(
    source: int,
    values: int,
    known: dict[Indicator, FloatArray],
    rates: dict[Indicator, float],
    template: dict[Indicator, FloatArray],
    balance: FloatArray,
) -> FloatArray:
    """The same for a single source, the most common case."""
    indicators = [Indicator((source,), (value,)) for value in range(values)]
    left_out = [value for value, indicator in enumerate(indicators) if indicator not in known]
    table = np.empty((values + 1, len(balance)))
    for value, indicator in enumerate(indicators):
        if value in left_out:
            table[value] = rates[indicator] * template[indicator] / max(float(template[indicator].sum()), 1e-300)
        else:
            table[value] = known[indicator]
    if len(left_out) == 1 and abs(float(table[:-1].sum()) - float(balance.sum())) < 1e-9:
        table[left_out[0]] = balance - np.delete(table[:-1], left_out[0], axis=0).sum(axis=0)
    table[-1] = balance - table[:-1].sum(axis=0)
    return normalised(np.maximum(table, 0.0) / np.maximum(balance, 1e-12))


def _recover_references(layout: Layout, clique: Clique, known: dict[Indicator, FloatArray], table: FloatArray) -> None:
    """Fill in the value that was left out for a source that never abstains: the remainder of "any value"."""
    for position, source in enumerate(clique.sources):
        values = range(len(layout.masks[source]))
        left_out = [v for v in values if Indicator((source,), (v,)) not in known]
        moved = np.moveaxis(table, position, 0)
        total = sum(float(moved[(v, *(-1,) * (len(clique.shape) - 1))].sum()) for v in values)
        whole = float(moved[(-1,) * len(clique.shape)].sum())
        if len(left_out) == 1 and abs(total - whole) < 1e-9:
            others = [v for v in values if v != left_out[0]]
            moved[left_out[0]] = moved[-1] - moved[others].sum(axis=0)
