"""Learning which sources depend on each other, from votes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay._core.arguments import random_numbers, whole_number
from assay._core.threads import one_blas_thread
from assay.counts import (
    MAX_VALUES,
    SKETCH_SIZE,
    Evidence,
    SourceGraph,
    Tally,
    layout_of,
    needs_counting_in_pieces,
    tally_of,
)
from assay.errors import AssayError, VoteError, listing
from assay.model.dependencies.learned import LearnedDependencies, LearnedEdge
from assay.model.dependencies.low_rank import sparse_and_low_rank
from assay.model.dependencies.problem import FloatArray, Pair, Problem
from assay.model.dependencies.pseudolikelihood import pseudolikelihood
from assay.model.dependencies.screening import learnable
from assay.model.dependencies.stability import stability
from assay.model.dependencies.stepwise import MAX_JOINT_VOTES, stepwise
from assay.model.estimate.residuals import residual_correlations
from assay.model.parameters import Parameters
from assay.votes import as_votes

__all__ = ["METHODS", "LearnedDependencies", "LearnedEdge", "Method", "learn_dependencies", "learn_from_tally"]

Method = Literal["residuals", "low-rank", "pseudolikelihood"]
METHODS: tuple[Method, ...] = ("residuals", "low-rank", "pseudolikelihood")

_MIN_ITEMS = 50


def learn_dependencies(
    votes: Any,
    *,
    method: Method = "residuals",
    false_discoveries: float = 0.01,
    min_confidence: float = 0.5,
    min_strength: float = 0.05,
    resamples: int = 20,
    max_joint_votes: int = MAX_JOINT_VOTES,
    cardinality: int | None = None,
    seed: int = 0,
    progress: bool = True,
) -> LearnedDependencies:
    """Find the sources that have more in common than the truth explains, without gold.

    Parameters
    ----------
    votes
        What :meth:`assay.LabelModel.fit` takes.
    method
        ``"residuals"`` tests the residual co-votes of each pair under a model, adds the strongest dependencies, refits
        and tests again. ``"low-rank"`` decomposes the inverse covariance into a sparse and a low-rank part.
        ``"pseudolikelihood"`` predicts each source from all others by penalised regression.
    false_discoveries
        The false discovery rate.
    min_confidence
        Dependencies that are found again in less than this share of the half-samples are reported, but not kept.
    min_strength
        Dependencies with a weaker correlation are reported, but not kept: they need items to fit and change little.
    resamples
        The number of half-samples to search, for the confidence; 0 for none, which is faster.
    max_joint_votes
        The most joint votes that a group of dependent sources may have. More would need more items to fit.
    cardinality
        The number of classes, where votes are given as a bare matrix.
    seed
        For the half-samples.
    progress
        Whether to show progress on a terminal.

    Returns
    -------
    LearnedDependencies
        ``.pairs`` for ``LabelModel(dependencies=...)``, ``.edges`` with strength and confidence, ``.graph``,
        ``.residuals``.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> world = flat_world(sources=12, copies=[(0, 1), (4, 5, 6)], copy_probability=0.6, seed=3)
    >>> learned = learn_dependencies(world.draw(3_000).votes, resamples=4)
    >>> sorted(learned.pairs) == world.dependencies
    True
    >>> print(learned.edges[0])
    0 – 1: correlation +0.58, confidence 100%
    """
    settings = _Settings(
        method, false_discoveries, min_confidence, min_strength, resamples, max_joint_votes, seed, progress
    )
    _check(settings)
    given = votes if needs_counting_in_pieces(votes) else as_votes(votes, cardinality)
    tally = tally_of(given, engine="local", size=SKETCH_SIZE, progress=progress)
    return _learned(tally, settings)


def learn_from_tally(tally: Tally, *, seed: int = 0, progress: bool = True) -> LearnedDependencies:
    """The same for counted votes, with the default settings."""
    return _learned(tally, _Settings(seed=seed, progress=progress))


@dataclass(frozen=True)
class _Settings:
    method: Method = "residuals"
    false_discoveries: float = 0.01
    min_confidence: float = 0.5
    min_strength: float = 0.05
    resamples: int = 20
    max_joint_votes: int = MAX_JOINT_VOTES
    seed: int = 0
    progress: bool = True


@dataclass(frozen=True, eq=False)
class _Part:
    """The result for one component."""

    sources: list[int]
    """The columns of its sources in the votes."""
    edges: dict[Pair, float]
    left_out: dict[Pair, float]
    confidence: dict[Pair, float] | None
    residuals: FloatArray
    untested: int
    """The number of pairs of sources that could not be tested."""

    @property
    def found(self) -> Iterator[tuple[Pair, float, str]]:
        """Every pair with its surprise, and why it was left out if it was."""
        yield from ((pair, surprise, "") for pair, surprise in self.edges.items())
        too_many = "the group would have too many joint votes"
        yield from ((pair, surprise, too_many) for pair, surprise in self.left_out.items())


def _learned(tally: Tally, settings: _Settings) -> LearnedDependencies:
    counted = [part for part, _, _ in tally.each_component()]
    if tally.items and not any(len(part.sketch.keys) for part in counted):
        raise VoteError("these counts have no vote patterns, which learning dependencies needs; count the votes again")
    names = tally.names
    if any(part.pair is None for part in counted):
        note = (
            f"dependencies are learned for up to {MAX_VALUES:,} values over all sources, "
            f"but there are {tally.schema.value_count:,}"
        )
        return LearnedDependencies(names, (), np.empty((0, 0)), (note,))
    # A table of all sources, of which most meet no others, would be too large.
    residuals = np.eye(len(names)) if tally.schema.value_count <= MAX_VALUES else np.empty((0, 0))
    edges: dict[tuple[str, str], LearnedEdge] = {}
    untested = pairs = 0
    rng = random_numbers(settings.seed)
    for index, component in enumerate(tally.tasks.label_space.components):
        if len(component) < 2:
            continue
        with one_blas_thread():
            part = _part(tally, index, settings, rng)
        if part is None:
            continue
        untested += part.untested
        pairs += len(part.sources) * (len(part.sources) - 1) // 2
        if residuals.size:
            here = np.ix_(part.sources, part.sources)
            stronger = np.abs(part.residuals) > np.abs(residuals[here])
            residuals[here] = np.where(stronger, part.residuals, residuals[here])
        for pair, surprise, why_not in part.found:
            edge = _edge(part, pair, surprise, why_not, names, settings)
            known = edges.get(edge.sources)
            if known is None or (edge.kept, edge.surprise) > (known.kept, known.surprise):
                edges[edge.sources] = edge
    notes = []
    if tally.items < _MIN_ITEMS:
        notes.append(f"{tally.items} items are too few to find dependencies reliably")
    if untested:
        notes.append(f"{untested:,} of {pairs:,} pairs of sources overlap too little to be tested")
    ordered = sorted(edges.values(), key=lambda edge: (not edge.kept, -edge.surprise, edge.sources))
    return learnable(LearnedDependencies(names, tuple(ordered), residuals, tuple(notes)), tally)


def _edge(
    part: _Part, pair: Pair, surprise: float, why_not: str, names: tuple[str, ...], settings: _Settings
) -> LearnedEdge:
    confidence = None if part.confidence is None else part.confidence.get(pair, 0.0)
    strength = float(part.residuals[pair])
    if not why_not and abs(strength) < settings.min_strength:
        why_not = "too weak to matter"
    if not why_not and confidence is not None and confidence < settings.min_confidence:
        why_not = "rarely found again in half-samples"
    one, other = sorted(part.sources[at] for at in pair)
    return LearnedEdge((names[one], names[other]), strength, surprise, confidence, not why_not, why_not)


def _part(tally: Tally, index: int, settings: _Settings, rng: np.random.Generator) -> _Part | None:
    counted, at, columns = tally.of_component(index)
    layout = layout_of(counted.schema, at, SourceGraph(counted.names))
    if len(layout.masks) < 3:
        return None
    problem = Problem(layout, Evidence.of(counted, layout).patterns)
    edges, left_out, parameters, again, untested = _searched(problem, settings)
    confidence = None
    if settings.resamples and edges:
        confidence = stability(problem, again, settings.resamples, rng, progress=settings.progress)
    return _Part(
        columns[layout.sources].tolist(),
        edges,
        left_out,
        confidence,
        residual_correlations(parameters, problem.statistics),
        untested,
    )


Search = Callable[[Problem], dict[Pair, float]]


def _searched(
    problem: Problem, settings: _Settings
) -> tuple[dict[Pair, float], dict[Pair, float], Parameters, Search, int]:
    """Pairs found, pairs left out, the fit with the former, a function to search again, and the number untested."""
    rate = settings.false_discoveries
    if settings.method == "residuals":
        room = settings.max_joint_votes
        whole = stepwise(problem, false_discoveries=rate, max_joint_votes=room)

        def again(half: Problem) -> dict[Pair, float]:
            found = stepwise(half, false_discoveries=rate, max_joint_votes=room, whole=whole)
            return found.edges | found.left_out

        untested = int((~whole.tests.testable)[np.triu_indices(problem.sources, 1)].sum())
        return whole.edges, whole.left_out, whole.parameters, again, untested
    method = sparse_and_low_rank if settings.method == "low-rank" else pseudolikelihood

    def search(some: Problem) -> dict[Pair, float]:
        return method(some, false_discoveries=rate)

    edges: dict[Pair, float] = {}
    left_out: dict[Pair, float] = {}
    for pair, score in search(problem).items():
        (edges if problem.has_room([*edges, pair], settings.max_joint_votes) else left_out)[pair] = score
    start, _ = problem.first_fit()
    parameters, _ = problem.refit([*edges], start, max_steps=100)
    return edges, left_out, parameters, search, 0


def _check(given: _Settings) -> None:
    if given.method not in METHODS:
        raise AssayError(f"method must be one of {listing(METHODS)}, but is {given.method!r}")
    if not 0 < given.false_discoveries < 1:
        raise AssayError(f"false_discoveries must be a share between 0 and 1, but is {given.false_discoveries!r}")
    for name in ("min_confidence", "min_strength"):
        share = getattr(given, name)
        if not 0 <= share <= 1:
            raise AssayError(f"{name} must be a share from 0 to 1, but is {share!r}")
    for name, least in (("resamples", 0), ("max_joint_votes", 4), ("seed", 0)):
        whole_number(name, getattr(given, name), least=least)
