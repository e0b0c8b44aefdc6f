"""Votes in bulk, and whether two tallies hold the same counts."""

from dataclasses import replace

import numpy as np

from assay.votes.votes import Votes

CLASSES = 3


def votes_of(matrix):
    return Votes.from_matrix(np.array(matrix), cardinality=CLASSES)


def as_list(votes):
    """The same votes, kept as a list of those that were cast."""
    return replace(votes, store=votes.cast)


def same_sketch(one, other):
    same = np.array_equal(one.keys, other.keys) and np.array_equal(one.counts, other.counts)
    same &= np.array_equal(one.rows.dense(), other.rows.dense()) and one.limit == other.limit
    return same and (one.buckets is None) == (other.buckets is None)


def same(one, other):
    return (
        one.items == other.items
        and np.array_equal(one.single, other.single)
        and np.array_equal(one.covered, other.covered)
        and (one.pair is None or np.array_equal(one.pair, other.pair))
        and same_sketch(one.sketch, other.sketch)
    )


def bulk(items, sources, *, seed=0, coverage=0.4, classes=2):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, (items, sources)).astype(np.int8)
    codes[rng.random((items, sources)) > coverage] = -1
    return codes
