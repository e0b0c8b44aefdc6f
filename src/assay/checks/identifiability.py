"""When accuracies and the class balance are determined by the votes at all.

The *inverse graph* joins two sources that are independent given the truth and
vote on the same items: only such pairs tell about each other's accuracy. A
connected part of it that has an odd cycle determines the accuracies of its
sources up to one common sign (the paper's M_Ω then has full rank).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

EXACT_OUTCOMES = 8
"""Up to this many outcomes the Kruskal rank is found by trying all sets of columns."""
EXACT_SPLITS = 3_000
"""If there are at most this many ways of splitting the sources into three views, all are tried."""


@dataclass(frozen=True)
class Part:
    """A connected part of an inverse graph."""

    members: tuple[int, ...]
    sides: tuple[tuple[int, ...], tuple[int, ...]] | None
    """If it has no odd cycle: the two sides that all its edges run between."""


def parts_of(joined: BoolArray | sparse.csr_array) -> tuple[Part, ...]:
    """The connected parts of a graph given by its (sources, sources) matrix, a table or a sparse one.

    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> parts_of(path)
    (Part(members=(0, 1, 2), sides=((0, 2), (1,))),)
    """
    size = joined.shape[0]
    if isinstance(joined, np.ndarray) and size:
        # Mostly there is nothing to search: nobody is joined; or all are within two steps of the first, and two of
        # those next to it are joined to each other.
        if not joined.any():
            return tuple(Part((member,), ((member,), ())) for member in range(size))
        near = joined[0] | joined[:, 0]
        beside = joined[near]
        if beside[:, near].any() and (near | beside.any(axis=0) | (np.arange(size) == 0)).all():
            return (Part(tuple(range(size)), None),)
    edges = sparse.csr_array(joined.astype(np.int8))
    _, part_of = csgraph.connected_components(edges, directed=False)
    # In two copies of the graph, with every edge leading to the other copy, the
    # copies of a part hang together exactly if it has an odd cycle.
    _, copy_of = csgraph.connected_components(sparse.bmat([[None, edges], [edges, None]]), directed=False)
    has_odd_cycle = copy_of[:size] == copy_of[size:]
    found = []
    for members in np.split(np.argsort(part_of, kind="stable"), np.cumsum(np.bincount(part_of)))[:-1]:
        first = copy_of[members] == copy_of[members[0]]
        sides = (tuple(members[first].tolist()), tuple(members[~first].tolist()))
        found.append(Part(tuple(members.tolist()), None if has_odd_cycle[members[0]] else sides))
    return tuple(found)


def independence_number(independent: BoolArray) -> int:
    """How many sources are independent of each other, all at once: 0, 1, 2, or 3 for three and more.

    The source graph is chordal, hence perfect: its complement has a triangle as
    soon as it has an odd cycle.

    >>> independence_number(~np.eye(3, dtype=bool)), independence_number(~np.eye(2, dtype=bool))
    (3, 2)
    """
    if not independent.any():
        return min(len(independent), 1)
    if (independent.sum(axis=1) == len(independent) - 1).sum() >= 3:
        return 3  # the usual case, quickly: three sources that depend on nobody
    return 3 if any(part.sides is None for part in parts_of(independent)) else 2


def independent_groups(tied: BoolArray) -> list[list[int]]:
    """Groups of sources that are independent of each other given the truth.

    These are the connected parts of the source graph. If there are fewer than
    three, single sources that have no edge between them take their place: they
    are independent given the truth and all the others.
    """
    groups = [list(part.members) for part in parts_of(tied)]
    return groups if len(groups) >= 3 else [[source] for source in _independent_set(tied)]


def _independent_set(tied: BoolArray) -> list[int]:
    """The most sources without an edge between them: in a chordal graph some neighbourhood is always a clique."""
    left = np.ones(len(tied), dtype=bool)
    chosen = []
    while left.any():
        for source in np.flatnonzero(left):
            near = np.flatnonzero(tied[source] & left)
            if tied[np.ix_(near, near)].sum() == len(near) * (len(near) - 1):
                break
        chosen.append(int(source))
        left[source] = False
        left[tied[source]] = False
    return sorted(chosen)


@dataclass(frozen=True, eq=False)
class View:
    """Which outcomes some sources, seen as one, tell apart.

    Each source's P(vote | outcome) is made of a constant and of the indicators of
    its sets, and a view's is made of the products of these. If no two sets of a
    source cross, that is every function of its classes; so only sources with
    crossing sets need to be kept apart.
    """

    classes: IntArray
    """(outcomes,): equal where they always say the same. Numbered in the order of the outcomes."""
    plain: IntArray
    """(outcomes,): the same for the sources without crossing sets alone."""
    crossing: tuple[BoolArray, ...] = ()
    """The sets of each other source, (sets, outcomes)."""

    @classmethod
    def of(cls, masks: BoolArray) -> View:
        """The view of one source, from the sets that it says, (sets, outcomes)."""
        classes = classes_of(masks)
        if _cross(masks):
            return cls(classes, np.zeros_like(classes), (masks,))
        return cls(classes, classes)

    def __add__(self, other: View) -> View:
        return View(_met(self.classes, other.classes), _met(self.plain, other.plain), self.crossing + other.crossing)

    @property
    def distinct(self) -> int:
        """How many outcomes it tells apart."""
        return int(self.classes.max(initial=-1)) + 1

    @property
    def key(self) -> tuple[bytes, ...]:
        """Equal for views that are."""
        return (self.classes.tobytes(), self.plain.tobytes(), *sorted(masks.tobytes() for masks in self.crossing))

    def kruskal_rank(self) -> int:
        """The largest k so that any k columns of P(votes | outcome) are independent, for almost all accuracies.

        With many outcomes and crossing sets it is a lower bound.

        >>> View.of(np.array([[1, 0, 0], [0, 1, 0]], dtype=bool)).kruskal_rank()
        3
        >>> View.of(np.array([[1, 0, 0]], dtype=bool)).kruskal_rank()
        1
        """
        size = len(self.classes)
        if self.distinct < size:
            return 1
        if int(self.plain.max(initial=0)) + 1 == size:
            return size
        if size > EXACT_OUTCOMES:
            return 2  # distinct columns that add up to the same are not multiples of each other
        rows = (np.arange(size)[:, None] == self.plain).astype(float)
        for masks in self.crossing:
            factor = np.vstack([np.ones(size), masks.astype(float)])
            rows = (rows[:, None, :] * factor[None]).reshape(-1, size)
            rows = np.linalg.qr(rows, mode="r")
        return _kruskal_rank(rows)


def classes_of(masks: BoolArray) -> IntArray:
    """(outcomes,): equal for outcomes that are in the same of some sets, (sets, outcomes).

    >>> classes_of(np.array([[0, 0, 1], [0, 0, 1]], dtype=bool)).tolist()
    [0, 0, 1]
    """
    columns = np.ascontiguousarray(np.packbits(masks, axis=0).T)
    if not columns.shape[1]:
        return np.zeros(len(columns), dtype=np.int64)
    return _numbered(columns.view(f"V{columns.shape[1]}").reshape(-1))


def _numbered(kinds: npt.NDArray[np.generic]) -> IntArray:
    """Kinds as numbers in the order of first appearance."""
    _, first, kind_of = np.unique(kinds, return_index=True, return_inverse=True)
    numbers: IntArray = np.argsort(np.argsort(first))[kind_of.reshape(-1)].astype(np.int64)
    return numbers


def _met(one: IntArray, other: IntArray) -> IntArray:
    return _numbered(one * (int(other.max(initial=0)) + 1) + other)


def _cross(masks: BoolArray) -> bool:
    """Whether two sets share outcomes without one being inside the other."""
    if (masks.sum(axis=0) <= 1).all():
        return False
    numbers = masks.astype(np.float32)
    shared = numbers @ numbers.T
    sizes = shared.diagonal()
    return bool(((shared > 0) & (shared < np.minimum(sizes[:, None], sizes[None]))).any())


def _kruskal_rank(matrix: npt.NDArray[np.float64]) -> int:
    """By trying all sets of columns."""
    size = int(matrix.shape[1])
    for k in range(1, size + 1):
        if any(np.linalg.matrix_rank(matrix[:, chosen]) < k for chosen in combinations(range(size), k)):
            return k - 1
    return size


def meets_kruskal(groups: Sequence[View]) -> bool:
    """Whether the groups can be split into three views whose Kruskal ranks add up to 2r + 2.

    Then the distribution of the votes of all three determines the class balance.
    The search is exhaustive for few groups and greedy for many, and does not
    depend on their order.
    """
    if not groups:
        return False
    size = len(groups[0].classes)
    same: dict[tuple[bytes, ...], list[View]] = {}
    for group in groups:
        same.setdefault(group.key, []).append(group)
    nothing = View(np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64))
    # Three that are alike go one into each view; more than that add nothing.
    base, rest = nothing, []
    for key in sorted(same):
        alike = same[key]
        if len(alike) >= 3:
            base = base + alike[0]
        else:
            rest += alike
    rest.sort(key=lambda view: -view.distinct)
    if _enough([base] * 3) or not rest:
        return _enough([base] * 3)
    if 3 ** len(rest) <= EXACT_SPLITS:
        return any(_enough(_split(base, rest, places)) for places in product(range(3), repeat=len(rest)))
    return _enough(_greedy(base, rest))


def _split(base: View, rest: Sequence[View], places: Sequence[int]) -> list[View]:
    views = [base] * 3
    for place, view in zip(places, rest, strict=True):
        views[place] = views[place] + view
    return views


def _greedy(base: View, rest: Sequence[View]) -> list[View]:
    """Each group where it adds most, and among those where least is known so far."""
    views = [base] * 3
    for group in rest:
        grown = [view + group for view in views]
        gains = [(new.distinct - view.distinct, -view.distinct) for new, view in zip(grown, views, strict=True)]
        place = gains.index(max(gains))
        views[place] = grown[place]
    return views


def _enough(views: Sequence[View]) -> bool:
    return sum(view.kruskal_rank() for view in views) >= 2 * len(views[0].classes) + 2


def rarely_separated(groups: Sequence[View]) -> BoolArray:
    """(outcomes, outcomes): pairs that fewer than three groups tell apart.

    In any three views one then gives both the same column, and its Kruskal rank is one.
    """
    size = len(groups[0].classes)
    times = np.zeros((size, size), dtype=np.int32)
    classes, counts = np.unique(np.stack([group.classes for group in groups]), axis=0, return_counts=True)
    for row, count in zip(classes, counts, strict=True):
        times += (row[:, None] != row[None]) * np.int32(min(count, 3))
    return (times < 3) & ~np.eye(size, dtype=bool)
