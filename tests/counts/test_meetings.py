"""Pairs of sources that meet, against tables of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Tally, VoteError, Votes
from assay.checks import checking, vote_counts
from assay.counts import meetings, tally
from assay.simulate import flat_world
from assay.votes import SparseCodes
from tests.support.strategies import matrices


@pytest.fixture
def listed(monkeypatch):
    """All co-votes are listed, however few sources there are."""
    tabled(monkeypatch)
    for module in (tally, vote_counts, checking):
        monkeypatch.setattr(module, "MAX_TABLED", 0)


def tabled(monkeypatch):
    """Co-votes are counted by source, however few values there are."""
    for module in (tally, checking):
        monkeypatch.setattr(module, "MAX_VALUES", 0)


def counted(codes):
    cast = SparseCodes.of(np.array(codes, dtype=np.int64))
    return meetings.Meetings.of(cast.width, cast.starts, cast.sources, cast.codes)


def parts_of(found):
    return [part.tolist() for part in (found.pairs, found.overlap, found.agreement)]


@given(matrices(max_rows=12), st.integers(1, 9))
def test_a_list_has_what_a_table_has(matrix, at_once):
    codes = np.array(matrix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meetings, "_AT_ONCE", at_once)
        found = counted(codes)
    everybody = np.arange(codes.shape[1])
    votes = (codes >= 0).astype(int)
    agree = sum((codes == value).astype(int).T @ (codes == value) for value in range(codes.max(initial=0) + 1))
    np.testing.assert_array_equal(found.table(found.overlap, everybody), votes.T @ votes)
    np.testing.assert_array_equal(found.table(found.agreement, everybody), agree)
    assert len(found.pairs) <= meetings.most_meetings(SparseCodes.of(codes).starts, codes.shape[1])


@given(matrices(max_rows=12), st.data())
def test_any_partition_has_the_same_sum(matrix, data):
    codes = np.array(matrix)
    cut = data.draw(st.integers(0, len(codes)))
    one, other = counted(codes[:cut]), counted(codes[cut:])
    assert parts_of(one + other) == parts_of(other + one) == parts_of(counted(codes))


@given(matrices(max_rows=12), st.data())
def test_some_sources_have_a_part_of_the_table(matrix, data):
    codes = np.array(matrix)
    some = np.array(sorted(data.draw(st.sets(st.integers(0, codes.shape[1] - 1)))), dtype=np.int64)
    found = counted(codes)
    whole = found.table(found.overlap, np.arange(codes.shape[1]))
    np.testing.assert_array_equal(found.table(found.overlap, some), whole[np.ix_(some, some)])
    one, other = np.nonzero(np.triu(whole[np.ix_(some, some)], 1))
    assert sorted(zip(*(part.tolist() for part in found.met(some)), strict=True)) == list(zip(one, other, strict=True))


def votes_of_some(seed=3, sources=12):
    return flat_world(sources=sources, coverage=0.3, classes=3, seed=seed).draw(600).votes


def test_a_tally_of_lists_is_that_of_tables(monkeypatch, tmp_path):
    votes = votes_of_some()
    tabled(monkeypatch)
    expected = Tally.of(votes)
    for module in (tally, vote_counts, checking):
        monkeypatch.setattr(module, "MAX_TABLED", 0)
    found = Tally.of(votes)
    assert found.counted_overlaps is None
    halves = Tally.of(votes.take(slice(0, 250))) + Tally.of(votes.take(slice(250, 600)))
    loaded = Tally.load(found.save(tmp_path / "counts.npz"))
    for one in (found, halves, loaded):
        for name in ("overlap", "agreement"):
            np.testing.assert_array_equal(getattr(one.overlaps(0), name), getattr(expected.overlaps(0), name))
        assert one.covered.tolist() == expected.covered.tolist()
        assert one.votes_on(0).tolist() == expected.overlaps(0).overlap.diagonal().tolist()
        assert parts_of(one.meetings[0]) == parts_of(found.meetings[0])
    assert [found.corresponds(0, 0, j) for j in range(12)] == [expected.corresponds(0, 0, j) for j in range(12)]


@pytest.mark.parametrize("seed", range(3))
def test_the_label_model_learns_the_same_from_lists(monkeypatch, seed):
    votes = votes_of_some(seed)
    tabled(monkeypatch)
    expected = assay.LabelModel().fit(votes)
    assert not any("copies were looked for among" in note for note in expected.notes_)
    for module in (tally, vote_counts, checking):
        monkeypatch.setattr(module, "MAX_TABLED", 0)
    found = assay.LabelModel().fit(votes)
    np.testing.assert_array_equal(found.predict_proba(votes), expected.predict_proba(votes))
    assert found.sources_.equals(expected.sources_)
    assert any("copies were looked for among" in note for note in found.notes_)


def test_the_check_of_many_sources_finds_what_it_can(monkeypatch):
    codes = np.full((400, 9), -1)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    for source in range(7):
        rows = np.arange(0, 200) if source < 4 else np.arange(200, 390)
        codes[rows, source] = np.where(rng.random(len(rows)) < 0.8, truth[rows], 1 - truth[rows])
    codes[:, 3] = codes[:, 2]  # a copy
    codes[390:, 7] = 1  # meets nobody; the last one never votes
    votes = Votes.from_matrix(codes, cardinality=2)
    tabled(monkeypatch)
    expected = {problem.code: problem.sources for problem in assay.check(votes).problems}
    for module in (tally, vote_counts, checking):
        monkeypatch.setattr(module, "MAX_TABLED", 0)
    found = {problem.code: problem.sources for problem in assay.check(votes).problems}
    assert {"A102", "A301", "A303", "A305"} <= set(found)
    assert {code: expected[code] for code in found} == found


def test_files_of_impossible_meetings_are_refused(listed, tmp_path):
    found = Tally.of(votes_of_some())
    arrays = found.arrays()
    for name, wrong in {
        "pairs 0": arrays["pairs 0"][::-1].copy(),
        "agreement 0": arrays["overlap 0"] + 1,
        "overlap 0": arrays["overlap 0"][:-1],
    }.items():
        with pytest.raises((ValueError, KeyError)):
            Tally.from_arrays(found.schema, {**arrays, name: wrong})


def test_a_table_of_too_many_sources_is_refused_with_advice(listed, monkeypatch):
    found = Tally.of(votes_of_some())
    monkeypatch.setattr("assay._core.memory.memory_bytes", lambda: 1_000)
    with pytest.raises(VoteError, match=r"a table of the co-votes of 12 sources needs .*votes\.select"):
        found.overlaps(0)
