"""Agreement beyond chance: that of brute force, and centred with the right variance where sources are independent."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.checks import agreement
from assay.checks.agreement import BORROWED, among_votes, with_abstentions
from assay.checks.vote_counts import count_votes
from assay.counts import Tally
from assay.simulate import flat_world, task_world


def counts_of(codes, classes=2):
    (counts,) = count_votes(Tally.of(assay.Votes.from_matrix(codes, cardinality=classes)))
    return counts


def by_hand(one, other, all_of_one, all_of_other):
    """Excess and variance of two columns of class numbers, in which −1 abstains and scores nothing."""
    kinds = sorted({*all_of_one, *all_of_other})
    a, b = (
        {kind: (np.sum(here == kind) + BORROWED * np.mean(every == kind)) / (len(one) + BORROWED) for kind in kinds}
        for here, every in ((one, all_of_one), (other, all_of_other))
    )
    score = {(x, y): 0.0 if min(x, y) < 0 else 0.5 if x == y else -0.5 for x in kinds for y in kinds}
    by_row = {x: sum(b[y] * score[x, y] for y in kinds) for x in kinds}
    by_column = {y: sum(a[x] * score[x, y] for x in kinds) for y in kinds}
    mean = sum(a[x] * by_row[x] for x in kinds)
    centred = {(x, y): score[x, y] - by_row[x] - by_column[y] + mean for x in kinds for y in kinds}
    excess = sum(centred[x, y] for x, y in zip(one, other, strict=True))
    return excess, len(one) * sum(a[x] * b[y] * centred[x, y] ** 2 for x in kinds for y in kinds)


def told(found, pair):
    return pytest.approx(found.excess[pair], abs=1e-8), pytest.approx(found.variance[pair], abs=1e-8)


@given(st.integers(1, 50), st.integers(2, 6), st.integers(2, 4), st.floats(0.2, 1), st.integers(0, 99))
def test_agreement_among_votes_is_that_of_brute_force(n, m, k, density, seed):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((n, m)) < density, rng.integers(k, size=(n, m)), -1)
    codes = codes[:, (codes >= 0).any(axis=0)]
    if not codes.size:
        return
    found = among_votes(counts_of(codes, k))
    for i, j in permutations(range(codes.shape[1]), 2):
        both = (codes[:, i] >= 0) & (codes[:, j] >= 0)
        every = [codes[codes[:, source] >= 0, source] for source in (i, j)]
        excess, variance = by_hand(codes[both, i], codes[both, j], *every)
        assert (excess if variance > 1e-9 else 0, variance) == told(found, (i, j))


def test_abstentions_count_where_votes_cannot_disagree():
    rng = np.random.default_rng(0)
    free = rng.integers(2, size=(200, 2))
    single = np.where(rng.random((200, 3)) < 0.3, [0, 0, 1], -1)
    codes = np.column_stack([free, single])
    counts = counts_of(codes)
    votes = among_votes(counts)
    found = with_abstentions(counts, votes)
    assert found.excess[0, 1] == votes.excess[0, 1]
    for i, j in ((2, 3), (2, 4), (4, 3)):  # two that say one thing each: who abstains counts for both
        assert by_hand(codes[:, i], codes[:, j], codes[:, i], codes[:, j]) == told(found, (i, j))
    for i, j in ((2, 0), (4, 1)):  # one of them, where the other votes
        assert by_hand(codes[:, i], codes[:, j], codes[:, i], codes[:, j]) == told(found, (i, j))
        assert found.excess[i, j] == found.excess[j, i]
    assert not votes.variance[2:].any()


def test_votes_on_a_label_are_compared_with_votes_on_what_it_refines(entities):
    counts = count_votes(Tally.of(task_world(entities, ["entity", "person", "org"]).draw(3000).votes))[0]
    votes = among_votes(counts)
    assert not votes.variance[0].any()
    found = with_abstentions(counts, votes)
    assert (found.excess[0, 1:] / np.sqrt(found.variance[0, 1:]) > 5).all()


@pytest.mark.parametrize("kind", ["dense", "sparse", "one-sided", "mixed", "unbalanced"])
@pytest.mark.parametrize("many_values", [False, True])
def test_independent_sources_have_no_agreement_beyond_chance(kind, many_values, monkeypatch):
    if many_values:
        monkeypatch.setattr("assay.counts.tally.MAX_VALUES", 1)
    rng = np.random.default_rng(7)
    scores = []
    for _ in range(40):
        codes = (rng.random((400, 6)) < (0.1 if kind == "unbalanced" else 0.5)).astype(int)
        if kind in ("one-sided", "mixed"):
            few = slice(None) if kind == "one-sided" else slice(3)
            codes[:, few] = np.where(rng.random((400, 6)) < 0.3, np.arange(6) % 2, -1)[:, few]
        if kind == "sparse":
            codes[rng.random(codes.shape) > 0.1] = -1
        counts = counts_of(codes)
        found = with_abstentions(counts, among_votes(counts))
        some = np.triu(found.variance > 0, 1)
        scores.append(found.excess[some] / np.sqrt(found.variance[some]))
    scores = np.concatenate(scores)
    assert len(scores) >= 400
    assert abs(scores.mean()) < 4 / np.sqrt(len(scores))
    assert scores.std() == pytest.approx(1, abs=0.12)


@pytest.mark.parametrize("polarity", ["all", "one"])
def test_work_in_parts_changes_nothing(polarity, monkeypatch):
    votes = flat_world(sources=7, polarity=polarity, coverage=0.4).draw(500).votes
    (counts,) = count_votes(Tally.of(votes))
    at_once = with_abstentions(counts, among_votes(counts))
    monkeypatch.setattr(agreement, "CELLS_AT_ONCE", 1)
    in_parts = with_abstentions(counts, among_votes(counts))
    np.testing.assert_allclose(in_parts.excess, at_once.excess)
    np.testing.assert_allclose(in_parts.variance, at_once.variance)


def test_with_too_many_values_good_sources_still_agree(monkeypatch):
    monkeypatch.setattr("assay.counts.tally.MAX_VALUES", 1)
    for polarity in ("all", "one"):
        votes = flat_world(sources=6, polarity=polarity, coverage=0.3, accuracy=(0.8, 0.9)).draw(3000).votes
        (counts,) = count_votes(Tally.of(votes))
        found = with_abstentions(counts, among_votes(counts))
        apart = ~np.eye(6, dtype=bool)
        assert (found.excess[apart] > 2 * np.sqrt(found.variance[apart])).all()
