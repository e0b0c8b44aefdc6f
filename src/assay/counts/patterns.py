"""Vote patterns: the distinct rows of votes with their counts, or a sample of them if there are too many.

The likelihood of votes depends only on their distinct rows. With few sources these
are few, whatever the number of items. With many sources nearly every item has a row
of its own; then a :class:`Sketch` keeps the rows with the lowest hashes, up to a
fixed size, and all frequent rows. Which rows these are depends only on the votes,
not on their order or partitioning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.stored_arrays import stored_array
from assay._core.threads import parallel_map
from assay.votes import CodeArray, Schema, SparseCodes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

SKETCH_SIZE = 2**21
"""The most that a sketch holds: a pattern counts as one, and each of its votes as one more."""
_BUCKET_BITS = 20
_FREQUENT = 1 / 4_096
"""Patterns that make up this share of the items are frequent; a sketch misses none of them."""
_MARGIN = 4
"""How many times as many patterns are collected from each part as would be needed if no row repeated itself."""
_MANY = 10_000
"""From this many hashes on, they are sorted by a compiled loop."""
EVERYTHING = np.uint64(2**64 - 1)
"""The limit of a sketch that has all patterns: no hash is higher."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Rows of votes, each with the number of items that it represents."""

    rows: SparseCodes
    counts: FloatArray
    """(patterns,)."""
    sampling_weights: FloatArray | None = None
    """(patterns,): how many items each sampled item represents; None if the patterns are not a sample."""

    @classmethod
    def of(cls, codes: CodeArray) -> Patterns:
        """The distinct rows of (items, sources) codes, in an order that depends only on the rows.

        >>> patterns = Patterns.of(np.array([[0, 1], [1, 1], [0, 1]]))
        >>> sorted(zip(patterns.counts.tolist(), patterns.codes.tolist()))
        [(1.0, [1, 1]), (2.0, [0, 1])]
        """
        hashes = row_hashes(codes, multipliers([str(j) for j in range(codes.shape[1])]))
        keys, counts, first = distinct(hashes)
        order = np.argsort(keys)
        return cls(SparseCodes.of(codes, first[order]), counts[order].astype(float))

    @classmethod
    def weighted(cls, codes: CodeArray, counts: npt.NDArray[Any]) -> Patterns:
        """The rows of (patterns, sources) codes, unchanged, with their counts."""
        return cls(SparseCodes.of(codes), np.asarray(counts, dtype=float))

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: Patterns) -> Patterns:
        """The patterns of both, concatenated."""
        weights = [self.sampling_weights, other.sampling_weights]
        sampled = [
            np.ones(len(part)) if known is None else known for part, known in zip((self, other), weights, strict=True)
        ]
        return Patterns(
            SparseCodes.concat([self.rows, other.rows]),
            np.concatenate([self.counts, other.counts]),
            None if all(known is None for known in weights) else np.concatenate(sampled),
        )

    @property
    def codes(self) -> CodeArray:
        """(patterns, sources), in which −1 abstains."""
        return self.rows.dense()

    @property
    def items(self) -> float:
        """The number of items."""
        return float(self.counts.sum())

    @property
    def size(self) -> int:
        """A measure of work: a pattern counts as one, and each of its votes as one more."""
        return len(self.rows) + len(self.rows.sources)

    def select(self, sources: Sequence[int] | IntArray) -> Patterns:
        """The votes of some sources."""
        return replace(self, rows=self.rows.select(sources))

    @property
    def seen(self) -> FloatArray:
        """(patterns,): how many items each was observed on; fewer than it represents if the patterns are a sample."""
        weights = self.sampling_weights
        return self.counts if weights is None else self.counts / np.maximum(weights, 1.0)

    def thinned(self, size: int) -> Patterns:
        """A sample of at most about this size that keeps all frequent patterns.

        The others are taken from the front, so their order must be random.
        """
        return self if self.size <= size else self.take(*self.sample(size))

    def sample(self, size: int) -> tuple[IntArray, FloatArray]:
        """Which patterns :meth:`thinned` takes, and their new counts."""
        cost = 1 + np.diff(self.rows.starts)
        return sample_of(self.counts, cost, self.counts > _FREQUENT * self.items, size)

    def take(self, chosen: IntArray, counts: FloatArray) -> Patterns:
        """A sample of the patterns, with new counts."""
        known = self.sampling_weights
        return Patterns(self.rows.take(chosen), counts, np.ones(len(chosen)) if known is None else known[chosen])


def sample_of(counts: FloatArray, cost: IntArray, frequent: BoolArray, size: int) -> tuple[IntArray, FloatArray]:
    """A sample of about ``size`` in total, the frequent patterns and the first of the others, and their new counts.

    Frequent patterns keep their counts; the others are scaled up to represent all infrequent ones.
    """
    room = max(size - int(cost[frequent].sum()), size // 2)
    taken = ~frequent & (np.cumsum(np.where(frequent, 0, cost)) <= room)
    chosen = np.flatnonzero(taken | frequent)
    scale = counts[~frequent].sum() / max(counts[taken].sum(), 1e-300)
    return chosen, counts[chosen] * np.where(frequent[chosen], 1.0, scale)


@dataclass(frozen=True, eq=False)
class Sketch:
    """Additive vote patterns: exact if they are few, a sample of bounded size if they are many."""

    keys: Hashes
    """(patterns,): the hashes of their rows, ascending."""
    counts: IntArray
    """(patterns,): how many items have each. Exact."""
    rows: SparseCodes
    limit: np.uint64 = EVERYTHING
    """All patterns with a hash up to this are in the sketch."""
    buckets: IntArray | None = None
    """The number of items by the leading bits of their hash, once some patterns were dropped."""
    frequent: Sketch | None = None
    """Patterns above the limit that are kept because their bucket has many items."""
    size: int = SKETCH_SIZE
    """The maximum size."""

    @classmethod
    def zero(cls, width: int, size: int = SKETCH_SIZE, dtype: npt.DTypeLike = np.int8) -> Sketch:
        """No items."""
        return cls(
            np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64), SparseCodes.empty(width, dtype), size=size
        )

    @classmethod
    def exact(cls, keys: Hashes, counts: IntArray, rows: SparseCodes, size: int = SKETCH_SIZE) -> Sketch:
        """The sketch of distinct rows of votes with their hashes and counts, which fit into it."""
        order = _ascending(keys)
        return cls(keys[order], counts[order], rows.take(order), size=size)

    @classmethod
    def of(
        cls,
        hashes: Hashes,
        listed: Callable[[IntArray], SparseCodes],
        votes: int,
        size: int = SKETCH_SIZE,
        highest: np.uint64 = EVERYTHING,
    ) -> Sketch:
        """The sketch of some items.

        Parameters
        ----------
        hashes
            (items,): the hashes of their rows.
        listed
            Returns the votes of rows, given their numbers, in that order.
        votes
            The total number of votes cast.
        size
            The maximum size of the sketch.
        highest
            Patterns with a higher hash are not looked for.
        """
        limit = min(highest, _guess(hashes, 1 + votes / max(len(hashes), 1), size))
        buckets: IntArray | None = None
        while True:
            if limit < EVERYTHING and buckets is None:
                # Most likely these will be needed, too; each takes a core.
                buckets, (keys, counts, first) = _bucket_counts_and_distinct(hashes, limit)
            else:
                keys, counts, first = distinct(hashes, limit)
            order = _ascending(keys)
            keys, counts, rows = keys[order], counts[order], listed(first[order])
            whole = limit == EVERYTHING
            if limit >= highest or len(rows) + len(rows.sources) > size:
                break
            limit = min(highest, EVERYTHING if int(limit) >= 2**62 else np.uint64(4 * int(limit)))
        if whole and len(rows) + len(rows.sources) <= size:
            return cls(keys, counts, rows, size=size)
        buckets = _bucket_counts(hashes) if buckets is None else buckets
        return cls(keys, counts, rows, limit, buckets, size=size)._bounded()

    @property
    def items(self) -> int:
        """The number of items."""
        return int((self.counts if self.buckets is None else self.buckets).sum())

    @property
    def is_exact(self) -> bool:
        """Whether the sketch has all patterns."""
        return self.buckets is None

    def expected_limit(self, items: int) -> np.uint64:
        """A hash above which there will be no room left for patterns, if these are the first of so many items.

        A guess with a wide margin, where few patterns repeat; everything where many do.
        """
        alone = np.count_nonzero(self.counts == 1)
        if self.buckets is None or 2 * alone < len(self.counts):
            return EVERYTHING
        share = _MARGIN * self.items / max(items, 1)
        return EVERYTHING if share >= 1 else np.uint64(int(share * int(self.limit)))

    def __add__(self, other: Sketch) -> Sketch:
        joined, order = _joined(self, other)
        limit = min(self.limit, other.limit)
        buckets = None
        if self.buckets is not None or other.buckets is not None:
            buckets = self._all_buckets + other._all_buckets
        frequent = [part for part in (self.frequent, other.frequent) if part is not None]
        known = None if not frequent else frequent[0] if len(frequent) == 1 else _merged(*frequent)
        size = min(self.size, other.size)
        return replace(joined, limit=limit, buckets=buckets, frequent=known, size=size)._bounded(order)

    @property
    def _all_buckets(self) -> IntArray:
        if self.buckets is not None:
            return self.buckets
        return np.bincount(_bucket_of(self.keys), weights=self.counts, minlength=2**_BUCKET_BITS).astype(np.int64)

    def _bounded(self, ascending: IntArray | None = None) -> Sketch:
        """The patterns of lowest hash, up to the maximum size.

        ``ascending`` are the patterns by their hash, so that sorting and truncating take one pass; None if they are
        in that order already.
        """
        lengths, keys = np.diff(self.rows.starts), self.keys
        if ascending is not None:
            lengths, keys = lengths[ascending], keys[ascending]
        room = int(np.searchsorted(np.cumsum(1 + lengths), self.size, side="right"))
        kept = min(room, int(np.searchsorted(keys, self.limit, side="right")))
        lowest = self._first(kept) if ascending is None else self._part(ascending[:kept])
        if kept == len(keys) and self.buckets is None:
            return replace(lowest, limit=self.limit, frequent=self.frequent)
        limit = self.limit if kept == len(keys) else min(self.limit, np.uint64(int(keys[kept]) - 1))
        smaller = replace(lowest, limit=limit, buckets=self._all_buckets, frequent=None, size=self.size)
        above = kept + np.flatnonzero(smaller.crowded[_bucket_of(keys[kept:])])
        known = self._part(above if ascending is None else ascending[above])
        if self.frequent is not None:
            still = smaller.crowded[_bucket_of(self.frequent.keys)]
            known = _merged(known, self.frequent._part(np.flatnonzero(still)))
        return replace(smaller, frequent=known)

    def _first(self, kept: int) -> Sketch:
        """The first patterns, without copying their votes."""
        return Sketch(self.keys[:kept], self.counts[:kept], self.rows.block(0, kept), size=self.size)

    def _part(self, chosen: IntArray) -> Sketch:
        return Sketch(self.keys[chosen], self.counts[chosen], self.rows.take(chosen), size=self.size)

    @cached_property
    def crowded(self) -> BoolArray:
        """(buckets,): those above the limit with a frequent pattern, or many infrequent ones."""
        assert self.buckets is not None
        many: BoolArray = self.buckets > _FREQUENT * self.buckets.sum()
        many[: int(self.limit >> np.uint64(64 - _BUCKET_BITS)) + 1] = False
        return many

    @property
    def needs_second_pass(self) -> bool:
        """Whether some frequent patterns may not have been counted over all items."""
        return self.buckets is not None and bool(self.crowded.any())

    def with_frequent(self, frequent: Sketch) -> Sketch:
        """The same with frequent patterns that were counted over all items."""
        return replace(self, frequent=frequent)

    def patterns(self) -> Patterns:
        """The patterns, each with the number of items that it represents; these sum to all items."""
        if self.buckets is None:
            return Patterns(self.rows, self.counts.astype(float))
        assert self.frequent is not None
        _, group = np.unique(bucket := _bucket_of(self.frequent.keys), return_inverse=True)
        counted = np.bincount(group, weights=self.frequent.counts)
        # A pattern that was not counted over all items represents all of its bucket.
        frequent = self.frequent.counts * self.buckets[bucket] / np.maximum(counted, 1)[group]
        # The others represent all infrequent patterns.
        often = self.counts > _FREQUENT * self.items
        if often.all():
            often = np.zeros_like(often)  # no other pattern could represent the rest
        rare = self.items - frequent.sum() - self.counts[often].sum()
        weights: FloatArray = np.where(often, 1.0, float(rare) / max(int(self.counts[~often].sum()), 1))
        counts: FloatArray = self.counts.astype(float) * weights
        if not len(frequent):
            return Patterns(self.rows, counts, weights)
        return Patterns(
            SparseCodes.concat([self.rows, self.frequent.rows]),
            np.concatenate([counts, frequent]),
            np.concatenate([weights, np.ones(len(frequent))]),
        )

    @property
    def pattern_keys(self) -> Hashes:
        """(patterns,): the hashes of the rows of :meth:`patterns`."""
        return self.keys if self.frequent is None else np.concatenate([self.keys, self.frequent.keys])

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """Its contents, for a file."""
        arrays: dict[str, npt.NDArray[Any]] = {
            f"{name} keys": self.keys,
            f"{name} counts": self.counts,
            f"{name} starts": self.rows.starts,
            f"{name} sources": self.rows.sources,
            f"{name} codes": self.rows.codes,
            f"{name} limit": np.array(self.limit),
            f"{name} size": np.array(self.size),
        }
        if self.buckets is not None:
            arrays[f"{name} buckets"] = self.buckets
        return arrays | ({} if self.frequent is None else self.frequent.arrays(f"frequent {name}"))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str, schema: Schema, items: int) -> Sketch:
        """The sketch that :meth:`arrays` describes, of so many items; raises KeyError or ValueError if it is not valid.

        An error of ours is raised if its votes do not fit the schema.
        """
        keys = stored_array(arrays, f"{name} keys", (None,), np.uint64)
        if (keys[1:] <= keys[:-1]).any():
            raise ValueError(f"'{name} keys' must be in ascending order, but are not")
        counts = stored_array(arrays, f"{name} counts", (len(keys),), np.int64, low=1, high=items)
        rows = SparseCodes.checked(schema, *(arrays[f"{name} {part}"] for part in ("starts", "sources", "codes")))
        if len(rows) != len(keys):
            raise ValueError(f"there must be a row of votes for each of '{name} keys', but there are {len(rows)}")
        buckets = None
        if f"{name} buckets" in arrays:
            buckets = stored_array(arrays, f"{name} buckets", (2**_BUCKET_BITS,), np.int64, low=0, high=items)
        frequent = None
        if f"frequent {name} keys" in arrays:
            frequent = cls.from_arrays(arrays, f"frequent {name}", schema, items)
        if (buckets is None) != (frequent is None):
            raise ValueError("a sample of vote patterns must have both buckets and frequent patterns")
        size = int(stored_array(arrays, f"{name} size", (), np.int64, low=0))
        limit = np.uint64(stored_array(arrays, f"{name} limit", (), np.uint64))
        return cls(keys, counts, rows, limit, buckets, frequent, size)


def patterns_in(crowded: BoolArray, hashes: Hashes, listed: Callable[[IntArray], SparseCodes]) -> Sketch:
    """The patterns of some items that are in crowded buckets, for :meth:`Sketch.with_frequent`."""
    rows = np.flatnonzero(crowded[_bucket_of(hashes)])
    keys, counts, first = distinct(hashes[rows])
    order = np.argsort(keys)
    return Sketch(keys[order], counts[order], listed(rows[first[order]]), size=2**62)


def multipliers(names: Sequence[str]) -> Hashes:
    """(sources,): the factor of each source's votes in the hash of a row; depends only on its name."""
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64) | np.uint64(1)


def row_hashes(codes: CodeArray, factors: Hashes) -> Hashes:
    """(items,): the hashes of the rows of (items, sources) codes."""
    from assay._core import hash_loops

    hashes = np.empty(len(codes), dtype=np.uint64)
    hash_loops.hash_rows(codes.T, factors, hashes)
    return hashes


def distinct(hashes: Hashes, limit: np.uint64 = EVERYTHING) -> tuple[Hashes, IntArray, IntArray]:
    """The distinct hashes up to a limit, their counts and first positions, in the order of the latter."""
    from assay._core import hash_loops

    room = len(hashes)
    if limit < EVERYTHING:
        room = int(np.count_nonzero(hashes <= limit))
    keys = np.empty(room, dtype=np.uint64)
    counts, first = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    found = hash_loops.distinct(hashes, limit, keys, counts, first)
    return keys[:found], counts[:found], first[:found]


def _guess(hashes: Hashes, cost: float, size: int) -> np.uint64:
    """A limit that admits slightly more patterns than fit, if rows hardly ever repeat."""
    if len(hashes) * cost <= size:
        return EVERYTHING
    some = hashes[: 2**14]
    if 2 * len(distinct(some)[0]) < len(some):
        return EVERYTHING
    share = 1.2 * size / (cost * len(hashes))
    return EVERYTHING if share >= 0.7 else np.uint64(int(share * 2**64))


def _bucket_of(hashes: Hashes) -> IntArray:
    return (hashes >> np.uint64(64 - _BUCKET_BITS)).astype(np.int64)


def _bucket_counts(hashes: Hashes) -> IntArray:
    """(buckets,): the number of items by the leading bits of their hash."""
    from assay._core import hash_loops

    buckets = np.zeros(2**_BUCKET_BITS, dtype=np.int64)
    hash_loops.count_into_buckets(hashes, 64 - _BUCKET_BITS, buckets)
    return buckets


def _bucket_counts_and_distinct(hashes: Hashes, limit: np.uint64) -> tuple[IntArray, tuple[Hashes, IntArray, IntArray]]:
    """Both at the same time."""
    found: dict[bool, Any] = {}

    def find(buckets: bool) -> None:
        found[buckets] = _bucket_counts(hashes) if buckets else distinct(hashes, limit)

    parallel_map(find, (False, True))
    return found[True], found[False]


def _ascending(keys: Hashes) -> IntArray:
    """(patterns,): the positions of distinct hashes, ascending by hash."""
    if len(keys) < _MANY:
        return np.argsort(keys)
    from assay._core import hash_loops

    highest = int(keys.max())
    shift = max(highest.bit_length() - len(keys).bit_length(), 0)
    order = np.empty(len(keys), dtype=np.int64)
    hash_loops.order_by_hash(keys, shift, np.zeros((highest >> shift) + 2, dtype=np.int64), order)
    return order


def _merged(one: Sketch, other: Sketch) -> Sketch:
    """The patterns of both, with added counts."""
    joined, order = _joined(one, other)
    return joined._part(order)


def _joined(one: Sketch, other: Sketch) -> tuple[Sketch, IntArray]:
    """The patterns of one and then of the other, and which of them to take, by hash: of two that are the same, the
    first, which has the counts of both."""
    keys, counts = np.concatenate([one.keys, other.keys]), np.concatenate([one.counts, other.counts])
    order = np.argsort(keys, kind="stable")  # which is fast on two sorted parts
    again = np.flatnonzero(keys[order[1:]] == keys[order[:-1]]) + 1
    counts[order[again - 1]] += counts[order[again]]
    counts[order[again]] = 0
    rows = SparseCodes.concat([one.rows, other.rows])
    return Sketch(keys, counts, rows, size=one.size), np.delete(order, again)
