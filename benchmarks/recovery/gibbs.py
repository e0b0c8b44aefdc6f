"""Data programming by Gibbs sampling (Ratner et al., 2016), compiled: what Algorithm 1 is timed against.

The model is the factor graph of the original for a binary truth Y, given here by
its weights θ:

    P(Λ, Y) ∝ exp(θᵀφ(Λ, Y)), with φ made of
        accuracy      1{Λ_j = Y}        one a source
        propensity    1{Λ_j votes}      one a source that sometimes abstains
        correlation   1{Λ_j = Λ_k}      one a declared pair of dependent sources

and it is trained as in the original, by stochastic gradient on the marginal
likelihood. For every item one Gibbs chain has the votes clamped and samples Y;
another, which goes on from epoch to epoch, samples the votes and Y. An item's
gradient is the difference of its factors in the two:

    θ ← θ + step · (φ(Λ, Y) − φ(Λ', Y')).

So an epoch visits every variable once. EPOCHS and DECAY are those of the tutorial of
the Snorkel that trained this way (epochs=100, decay=0.95), and the start is its
accuracy weight of one. Its step of 0.1 / n leaves the weights far from the optimum
here, so STEP is one of about the least error. On these easy problems 20 to 30 epochs
with a faster decay come near the same error.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import networkx as nx
import numba
import numpy as np
import numpy.typing as npt

EPOCHS = 100
DECAY = 0.95
STEP = 20.0
"""The step, times the number of items."""
START = 1.0
"""The weight of every accuracy factor in the beginning."""

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Trained:
    """The weights after training, and how long that took."""

    accuracy: FloatArray
    propensity: FloatArray
    correlation: FloatArray
    pairs: npt.NDArray[np.int64]
    abstains: npt.NDArray[np.bool_]
    seconds: float

    def moments(self) -> FloatArray:
        """(sources, 2, 2): P(Λ_j = v, Y = y), exactly, by enumerating each group of dependent sources."""
        groups: nx.Graph[int] = nx.Graph()
        groups.add_nodes_from(range(len(self.accuracy)))
        groups.add_edges_from(self.pairs.tolist())
        found = np.zeros((len(self.accuracy), 2, 2))
        for part in nx.connected_components(groups):
            members = sorted(part)
            inside = [(i, j, w) for (i, j), w in zip(self.pairs.tolist(), self.correlation, strict=True) if i in part]
            domains = [(-1, 0, 1) if self.abstains[j] else (0, 1) for j in members]
            for y in range(2):
                chances = []
                for said in product(*domains):
                    vote = dict(zip(members, said, strict=True))
                    energy = sum(
                        self.accuracy[j] * (v == y) + self.propensity[j] * (v >= 0 and self.abstains[j])
                        for j, v in vote.items()
                    ) + sum(w * (vote[i] == vote[j]) for i, j, w in inside)
                    chances.append((vote, math.exp(energy)))
                total = sum(chance for _, chance in chances)
                for vote, chance in chances:
                    for j, v in vote.items():
                        if v >= 0:
                            found[j, v, y] += 0.5 * chance / total
        return found


def train(
    votes: npt.NDArray[np.integer],
    pairs: Sequence[tuple[int, int]] = (),
    *,
    epochs: int = EPOCHS,
    step: float = STEP,
    decay: float = DECAY,
    seed: int = 0,
) -> Trained:
    """Train on votes, (items, sources): 0, 1, or −1 for abstain."""
    n, m = votes.shape
    seen = np.ascontiguousarray(votes, dtype=np.int8)
    abstains = (seen < 0).any(axis=0)
    edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    neighbour, edge_of, first = _adjacency(m, edges)
    accuracy, propensity, correlation = np.full(m, START), np.zeros(m), np.zeros(len(edges))
    began = time.perf_counter()
    _train(
        seen,
        abstains,
        edges,
        neighbour,
        edge_of,
        first,
        accuracy,
        propensity,
        correlation,
        epochs,
        step / n,
        decay,
        seed,
    )
    return Trained(accuracy, propensity, correlation, edges, abstains, time.perf_counter() - began)


def compile_now() -> None:
    """Compile, so that no timing has to."""
    train(np.array([[0, 1, -1], [1, 1, 0]]), [(0, 1)], epochs=1)


def _adjacency(m: int, edges: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], ...]:
    """Per source its neighbours and the edges to them, one source after the other."""
    lists: list[list[tuple[int, int]]] = [[] for _ in range(m)]
    for number, (i, j) in enumerate(edges.tolist()):
        lists[i].append((j, number))
        lists[j].append((i, number))
    flat = np.array([pair for part in lists for pair in part], dtype=np.int64).reshape(-1, 2)
    first = np.concatenate([[0], np.cumsum([len(part) for part in lists])]).astype(np.int64)
    return flat[:, 0].copy(), flat[:, 1].copy(), first


@numba.njit(cache=False, fastmath=True)
def _train(
    seen, abstains, edges, neighbour, edge_of, first, accuracy, propensity, correlation, epochs, step, decay, seed
):
    np.random.seed(seed)  # noqa: NPY002 - the generator that compiled code has
    n, m = seen.shape
    votes = seen.copy()  # the free chain's
    truth = np.empty(n, dtype=np.int8)
    for i in range(n):
        truth[i] = 1 if np.random.random() < 0.5 else 0  # noqa: NPY002
    for _ in range(epochs):
        for i in range(n):
            lean = 0.0
            for j in range(m):
                if seen[i, j] == 1:
                    lean += accuracy[j]
                elif seen[i, j] == 0:
                    lean -= accuracy[j]
            clamped = 1 if np.random.random() * (1.0 + math.exp(-lean)) < 1.0 else 0  # noqa: NPY002

            lean = 0.0
            y = truth[i]
            for j in range(m):
                zero, one, none = 0.0, 0.0, -propensity[j]
                if y == 1:
                    one += accuracy[j]
                else:
                    zero += accuracy[j]
                for at in range(first[j], first[j + 1]):
                    said = votes[i, neighbour[at]]
                    if said == 0:
                        zero += correlation[edge_of[at]]
                    elif said == 1:
                        one += correlation[edge_of[at]]
                    else:
                        none += correlation[edge_of[at]]
                up = math.exp(one - zero)
                if abstains[j]:
                    away = math.exp(none - zero)
                    draw = np.random.random() * (1.0 + up + away)  # noqa: NPY002
                    votes[i, j] = 0 if draw < 1.0 else (1 if draw < 1.0 + up else -1)
                else:
                    votes[i, j] = 0 if np.random.random() * (1.0 + up) < 1.0 else 1  # noqa: NPY002
                if votes[i, j] == 1:
                    lean += accuracy[j]
                elif votes[i, j] == 0:
                    lean -= accuracy[j]
            free = 1 if np.random.random() * (1.0 + math.exp(-lean)) < 1.0 else 0  # noqa: NPY002
            truth[i] = free

            for j in range(m):
                accuracy[j] += step * ((seen[i, j] == clamped) - (votes[i, j] == free))
                if abstains[j]:
                    propensity[j] += step * ((seen[i, j] >= 0) - (votes[i, j] >= 0))
            for e in range(len(edges)):
                a, b = edges[e, 0], edges[e, 1]
                correlation[e] += step * ((seen[i, a] == seen[i, b]) - (votes[i, a] == votes[i, b]))
        step *= decay
