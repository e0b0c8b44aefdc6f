"""What does not fit into memory is refused before it is gone."""

import time

import numpy as np
import pytest
from scipy import sparse

import assay
from assay import LabelModel, VoteError, Votes
from assay._core import memory


def test_very_many_sources_that_all_meet_are_refused_at_once():
    """Memory is needed for those that meet: all of 200,000 who vote on the same item."""
    who = np.arange(200_000)
    votes = Votes.from_long({"item": who * 0, "who": who, "what": who % 2}, item="item", source="who", label="what")
    began = time.monotonic()
    for use in (LabelModel().fit, assay.count, assay.check):
        with pytest.raises(VoteError, match=r"200,000 sources needs about [\d,]+ GiB .*votes\.select"):
            use(votes)
    assert time.monotonic() - began < 20


def test_very_many_outcomes_are_refused_at_once(monkeypatch):
    monkeypatch.setattr(memory, "memory_bytes", lambda: 2**31)
    matrix = np.random.default_rng(0).integers(0, 2_000, (50, 6))
    with pytest.raises(VoteError, match=r"2,000 outcomes needs about 3 GiB of memory, but this machine has 2; merge"):
        LabelModel(cardinality=2_000).fit(matrix)


def test_a_sparse_matrix_too():
    rows = sparse.csr_matrix(np.ones((1, 400_000)))
    with pytest.raises(VoteError, match="400,000 sources"):
        LabelModel(cardinality=2).fit(rows)


def test_very_many_sources_that_hardly_meet_are_not():
    who = np.arange(50_000)
    votes = Votes.from_long({"item": who // 2, "who": who, "what": who % 2}, item="item", source="who", label="what")
    assert assay.count(votes).items == 25_000
