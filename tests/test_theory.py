"""The bounds of the two theorems: what they scale with, when they are infinite, and that they hold."""

import dataclasses
import math
from collections.abc import Sequence
from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import assay
from assay.counts.cliques import layout_of
from assay.counts.patterns import Patterns
from assay.counts.source_graph import SourceGraph
from assay.counts.statistics import Indicator, Statistics, clique_indicators
from assay.model.estimate.rank_one import complete
from assay.simulate import World, flat_world
from assay.theory import (
    EstimationBound,
    bound_for,
    completion_gain,
    completion_matrix,
    estimation_bound,
    generalization_bound,
    minimal,
    omega_of,
)

TERMS = {
    "d_o": 6,
    "r": 2,
    "n": 1000,
    "sigma_s": 0.2,
    "lambda_min": 0.1,
    "kappa": 4.0,
    "lambda_max_k": 12.0,
    "precision_min": 0.3,
    "sigma_max_m_pinv": 0.5,
}
PAIRS = [("0", "1"), ("2", "3"), ("4", "5")]


@st.composite
def masks(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(1, 7))
    upper = np.zeros((size, size), dtype=bool)
    for i, j in combinations(range(size), 2):
        upper[i, j] = draw(st.booleans())
    return upper | upper.T


def names(count: int) -> list[str]:
    return [str(j) for j in range(count)]


def every_pattern(world: World) -> tuple[np.ndarray, np.ndarray]:
    """(patterns, sources): all that can be voted, and (patterns, 2): how likely it is with each outcome."""
    codes = np.array(list(product(*(range(len(source.values)) for source in world.sources))), dtype=np.int32)
    return codes, np.exp(world.log_likelihood(codes)) * world.balance


def draw(world: World, items: int, seed: int) -> Patterns:
    """Votes as counts of patterns, which is quick for any number of items."""
    codes, chance = every_pattern(world)
    share = chance.sum(axis=1)
    return Patterns.weighted(codes, np.random.default_rng(seed).multinomial(items, share / share.sum()))


def true_moments(world: World, indicators: Sequence[Indicator]) -> np.ndarray:
    """(indicators, 2): E[ψ, Y] by summing over everything that can happen."""
    codes, chance = every_pattern(world)
    rows = [
        np.logical_and.reduce([codes[:, s] == v for s, v in zip(i.sources, i.values, strict=True)]) for i in indicators
    ]
    return np.array(rows) @ chance


def counted(world: World, patterns: Patterns) -> tuple[Statistics, SourceGraph]:
    graph = SourceGraph(names(len(world.sources)), world.dependencies)
    layout = layout_of(world.draw(1).votes.schema, 0, graph)
    return Statistics.count(patterns, clique_indicators(layout)), graph


def algorithm_1(statistics: Statistics, omega: np.ndarray, balance: np.ndarray) -> np.ndarray:
    """(indicators, 2): E[ψ, Y] as the paper's Algorithm 1 finds it; which outcome is which is left open."""
    covariance = statistics.covariance
    inverse = np.linalg.inv(covariance)
    z, _ = complete(-inverse, np.ones_like(inverse), np.ones_like(inverse), omega, np.ones(len(inverse)))
    c = (1 + z @ covariance @ z) / balance.prod()
    first = covariance @ z / np.sqrt(c) + balance[0] * statistics.rates
    return np.column_stack([first, statistics.rates - first])


def error_and_bound(world: World, items: int, seed: int) -> tuple[float, EstimationBound]:
    everything, graph = counted(world, draw(world, items, seed))
    statistics = everything.keep(minimal(everything))
    found = algorithm_1(statistics, omega_of(statistics.indicators, graph), world.balance)
    truth = true_moments(world, statistics.indicators)
    error = min(np.linalg.norm(found - truth), np.linalg.norm(found[:, ::-1] - truth))
    return float(error), bound_for(everything, graph, world.balance)


# Laws of the formula


@pytest.mark.parametrize(("term", "grows"), [
    ("d_o", True), ("r", True), ("n", False), ("sigma_s", False), ("lambda_min", False), ("kappa", True),
    ("lambda_max_k", True), ("precision_min", False), ("sigma_max_m_pinv", True),
])  # fmt: skip
def test_every_term_counts_and_in_the_right_direction(term, grows):
    bound = EstimationBound(**TERMS)
    larger = dataclasses.replace(bound, **{term: TERMS[term] * 2})
    assert (larger.value > bound.value) is grows
    assert larger.value != bound.value


@given(st.integers(1, 10**9), st.integers(1, 1000))
def test_it_falls_as_the_root_of_the_number_of_items(items, factor):
    bound = EstimationBound(**TERMS).with_items(items)
    assert bound.with_items(items * factor).value == pytest.approx(bound.value / math.sqrt(factor))


def test_the_value_is_the_formula_of_the_theorem():
    rng = np.random.default_rng(0)
    votes = rng.random((500, 4)) < 0.5
    sigma, z = np.cov(votes.T.astype(float)), rng.normal(size=4)
    omega = ~np.eye(4, dtype=bool)
    bound = estimation_bound(sigma, omega, items=77, outcome_variance=0.21, z=z, outcomes=3)
    inverse = np.linalg.inv(sigma)
    a = np.sqrt(4 / 0.21 + (4 / 0.21) ** 2 * np.linalg.norm(inverse + np.outer(z, z), 2))
    b = np.linalg.norm(inverse, 2) ** 2 / min(abs(inverse[i, j]) for i, j in combinations(range(4), 2))
    low = np.linalg.eigvalsh(sigma)[0]
    expected = 16 * 2 * 16 * np.sqrt(32 * np.pi / 77) * a * b / np.sqrt(2)
    expected *= (3 * 2 * a / low + 1) * (np.linalg.cond(sigma) + 1 / low)
    assert (bound.a, bound.b, bound.value) == pytest.approx((a, b, expected))
    same = estimation_bound(sigma, omega, items=77, outcome_variance=0.21, k_o=inverse + np.outer(z, z), outcomes=3)
    assert same.value == pytest.approx(bound.value)


def test_every_term_is_printed():
    text = str(EstimationBound(**TERMS))
    assert all(symbol in text for symbol in ["d_O", "Σ_S", "λ_min(Σ_O)", "κ(Σ_O)", "λ_max(K_O)", "(Σ_O⁻¹)_min"])
    assert all(symbol in text for symbol in ["σ_max(M_Ω⁺)", "\n  a ", "\n  b ", "\n  n ", "\n  r "])


# M_Ω


@given(masks())
def test_the_completion_matrix_is_that_of_loops(omega):
    size = len(omega)
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size) if omega[i, j]]
    assert completion_matrix(omega).tolist() == [[1.0 if s in pair else 0.0 for s in range(size)] for pair in pairs]


@given(masks())
def test_the_gain_is_the_largest_singular_value_of_the_pseudoinverse_or_infinite(omega):
    matrix = completion_matrix(omega)
    if len(matrix) and np.linalg.matrix_rank(matrix) == len(omega):
        assert completion_gain(omega) == pytest.approx(np.linalg.norm(np.linalg.pinv(matrix), 2))
    else:
        assert completion_gain(omega) == math.inf


@pytest.mark.parametrize("sources", [3, 4, 10, 40])
@pytest.mark.parametrize("values", [1, 2, 5])
def test_independent_sources_have_the_closed_form(sources, values):
    of = np.repeat(np.arange(sources), values)
    assert completion_gain(of[:, None] != of) == pytest.approx(1 / math.sqrt(values * (sources - 2)))


def test_adding_pairs_to_omega_never_hurts():
    rng = np.random.default_rng(1)
    omega = np.zeros((6, 6), dtype=bool)
    gains = []
    for i, j in rng.permutation(list(combinations(range(6), 2))):
        omega[i, j] = omega[j, i] = True
        gains.append(completion_gain(omega))
    assert gains[0] == math.inf
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(gains))


@given(masks())
def test_the_spectral_bound_on_the_gain_has_a_root_that_the_paper_leaves_out(omega):
    """(d_min + λ_min(Adj))^(−1/2), where the paper has the power −1, which independent sources already exceed."""
    slack = omega.sum(axis=1).min() + np.linalg.eigvalsh(omega.astype(float))[0]
    if slack > 1e-9:
        assert completion_gain(omega) <= slack**-0.5 + 1e-9
    assert completion_gain(~np.eye(10, dtype=bool)) > 1 / (9 - 1)


def test_omega_are_the_pairs_that_share_no_clique():
    graph = SourceGraph(names(5), [("0", "1"), ("1", "2")])
    sets = [(0,), (1,), (2,), (3,), (0, 1), (1, 2)]
    omega = omega_of([Indicator(s, (0,) * len(s)) for s in sets], graph)
    for u, v in product(range(len(sets)), repeat=2):
        assert omega[u, v] == (not any(set(sets[u]) | set(sets[v]) <= set(clique) for clique in graph.cliques))


# Infinite, and says why


@pytest.mark.parametrize("edges", [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 3), (0, 3)]])
def test_a_rank_deficient_completion_makes_it_infinite(edges):
    omega = nx.to_numpy_array(nx.Graph(edges)) > 0
    covariance = np.full(omega.shape, 0.05) + 0.2 * np.eye(len(omega))
    bound = estimation_bound(covariance, omega, items=10, outcome_variance=0.25, z=np.ones(len(omega)))
    assert bound.value == math.inf
    assert "odd cycle" in bound.why_infinite
    assert bound.why_infinite in str(bound)


def test_a_singular_covariance_or_a_random_source_makes_it_infinite():
    omega = ~np.eye(3, dtype=bool)
    copies = estimation_bound(np.full((3, 3), 0.25), omega, items=10, outcome_variance=0.25, z=np.ones(3))
    assert copies.value == math.inf
    assert "singular" in copies.why_infinite
    coins = estimation_bound(0.25 * np.eye(3), omega, items=10, outcome_variance=0.25, z=np.zeros(3))
    assert coins.value == math.inf
    assert "random" in coins.why_infinite


@pytest.mark.parametrize("dependencies", [[], [("0", "1")]])
def test_two_groups_of_sources_are_not_enough(dependencies):
    world = flat_world(sources=2 + len(dependencies), seed=1)
    bound = bound_for(world.draw(100).votes, SourceGraph(names(len(world.sources)), dependencies), [0.5, 0.5])
    assert bound.value == math.inf
    assert "odd cycle" in bound.why_infinite


@pytest.mark.parametrize("matrix", [np.full((4, 3), -1), np.zeros((4, 3), dtype=int), np.zeros((1, 1), dtype=int)])
def test_votes_that_tell_nothing_have_an_infinite_bound(matrix):
    assert bound_for(assay.Votes.from_matrix(matrix, cardinality=2), None, [0.5, 0.5]).value == math.inf


# From votes, and that it holds


def test_sources_that_abstain_have_two_indicators_each_and_others_one():
    matrix = np.random.default_rng(0).integers(-1, 2, size=(300, 4))
    matrix[:, 0] = matrix[:, 0] > 0
    bound = bound_for(assay.Votes.from_matrix(matrix), None, [0.4, 0.6])
    assert bound.d_o == 1 + 3 * 2
    assert bound.sigma_s == pytest.approx(0.24)
    assert bound.n == 300


def test_votes_and_their_counts_give_the_same():
    world = flat_world(sources=6, copies=PAIRS, seed=3)
    graph = SourceGraph(names(6), PAIRS)
    votes = world.draw(5000).votes
    layout = layout_of(votes.schema, 0, graph)
    codes = layout.codes(votes)
    statistics = Statistics.count(Patterns.of(codes), clique_indicators(layout))
    assert bound_for(votes, graph, world.balance) == bound_for(statistics, graph, world.balance)
    assert bound_for(votes, graph, world.balance, items=7).n == 7


@pytest.mark.parametrize("copies", [[], PAIRS])
def test_the_terms_from_votes_come_near_those_of_the_truth(copies):
    world = flat_world(sources=7, copies=copies, seed=2)
    everything, graph = counted(world, draw(world, 1_000_000, seed=0))
    indicators = everything.keep(minimal(everything)).indicators
    moments = true_moments(world, indicators)
    rates = moments.sum(axis=1)
    pairs = [
        tuple(sorted({*zip(u.sources, u.values, strict=True), *zip(v.sources, v.values, strict=True)}))
        for u, v in product(indicators, repeat=2)
    ]
    joint = true_moments(world, tuple(Indicator(*map(tuple, zip(*pair, strict=True))) for pair in pairs)).sum(axis=1)
    sigma = joint.reshape(len(rates), -1) - np.outer(rates, rates)
    cross = moments[:, 0] - world.balance[0] * rates
    variance = float(world.balance.prod())
    k_o = np.linalg.inv(sigma - np.outer(cross, cross) / variance)
    omega = omega_of(indicators, graph)
    assert np.abs(k_o[omega]).max() < 1e-8  # what Algorithm 1 rests on
    exact = estimation_bound(sigma, omega, items=1_000_000, outcome_variance=variance, k_o=k_o)
    found = bound_for(everything, graph, world.balance)
    for term in ("lambda_min", "kappa", "lambda_max_k", "sigma_max_m_pinv", "a"):
        assert getattr(found, term) == pytest.approx(getattr(exact, term), rel=0.05)
    assert found.precision_min == pytest.approx(exact.precision_min, abs=0.02)


@pytest.mark.parametrize(("sources", "copies"), [(3, []), (8, []), (7, PAIRS)])
def test_the_bound_holds_and_the_error_falls_at_its_rate(sources, copies):
    items = np.array([20_000, 200_000, 2_000_000])
    errors = np.empty((8, len(items)))
    for seed in range(len(errors)):
        world = flat_world(sources=sources, copies=copies, accuracy=(0.7, 0.9), seed=seed)
        for column, n in enumerate(items):
            errors[seed, column], bound = error_and_bound(world, int(n), seed)
            assert errors[seed, column] < bound.value
    slope = np.polyfit(np.log(items), np.log(errors).mean(axis=0), 1)[0]
    assert -0.6 < slope < -0.4


# Theorem 1


def test_theorem_1_adds_what_training_leaves_and_what_labels_add():
    bound = generalization_bound(0.01, outcomes=4, gamma=0.05)
    assert bound.label_noise == pytest.approx(0.16)
    assert bound.value == pytest.approx(0.21)
    assert generalization_bound(EstimationBound(**TERMS), outcomes=2).estimation_error == EstimationBound(**TERMS).value


def rare_voters(sources: int, lean: float = 0.1, votes: float = 0.1) -> tuple[float, float]:
    """What labels lose whose parameters are the wrong way round, and Theorem 1's bound on it.

    Half of the sources vote for each class, an item gets few votes, and these are
    hardly better than chance.
    """
    rate, half = votes / sources, np.arange(sources // 2 + 1)
    more = binom.pmf(half, sources // 2, 2 * rate * (1 + lean))
    less = binom.pmf(half, sources // 2, 2 * rate * (1 - lean))
    lost = float(np.abs(np.outer(more, less) - np.outer(less, more)).sum() / 2)
    error = math.sqrt(2 * sources) * 2 * lean * rate
    return lost, generalization_bound(error, outcomes=2).value


def test_theorem_1_as_the_docstring_warns_fails_for_hundreds_of_rare_voters():
    lost, bound = rare_voters(20)
    assert lost < bound
    lost, bound = rare_voters(400)
    assert lost > 1.5 * bound


# Refusals


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"covariance": np.eye(2)}, "as large as omega"),
        ({"omega": np.ones((3, 3))}, "omega must be"),
        ({"omega": [True, False]}, "omega must be"),
        ({"outcome_variance": 0.3}, "1/4"),
        ({"items": 0}, "items must be at least 1"),
        ({"outcomes": 1}, "outcomes at least 2"),
        ({"z": None}, "either z or k_o"),
        ({"z": np.ones(2)}, "there are 3 indicators"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    good = {"covariance": 0.25 * np.eye(3), "omega": ~np.eye(3, dtype=bool), "items": 5, "outcome_variance": 0.25}
    arguments = {**good, "z": np.ones(3), **change}
    with pytest.raises(assay.DataError, match=message):
        estimation_bound(arguments.pop("covariance"), arguments.pop("omega"), **arguments)


def test_problems_that_the_theorem_is_not_about_are_refused(letters):
    three = assay.Votes.from_columns(letters, {"a": ("letter", ["A"]), "b": ("letter", ["B"])})
    with pytest.raises(assay.VoteError, match="two outcomes, but these votes are on 3"):
        bound_for(three, None, [0.5, 0.5])
    votes = flat_world(sources=5).draw(50).votes
    with pytest.raises(assay.VoteError, match="sum to one"):
        bound_for(votes, None, [0.2, 0.3, 0.5])
    with pytest.raises(assay.VoteError, match="meet in the truth alone"):
        bound_for(votes, SourceGraph(names(5), [("0", "1"), ("1", "2")]), [0.5, 0.5])
    with pytest.raises(assay.DataError, match="must not be negative"):
        generalization_bound(-1, outcomes=2)
