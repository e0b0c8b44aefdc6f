"""Votes read with the schema of other votes: possible exactly where nothing that was emitted is unknown there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import TaskGraph, VoteError, Votes
from assay.votes.alignment import check_emitted, check_sources
from assay.votes.schema import Schema
from tests.support.counted import as_list
from tests.support.oracles import meaning
from tests.support.strategies import said

LETTERS = TaskGraph.flat("letter", ["A", "B", "C"])


def labels_of(votes: Votes) -> list[list[dict[str, str | None] | None]]:
    return [
        [None if code < 0 else dict(table[code].labels) for code, table in zip(row, votes.values, strict=True)]
        for row in votes.codes.tolist()
    ]


@given(said(min_rows=1), st.data(), st.booleans())
def test_the_votes_stay_what_they_were_under_other_tables(given_votes, data, listed):
    """Tables in another order, without values that were never emitted, with others; and fewer sources."""
    votes = given_votes.votes
    columns = data.draw(st.lists(st.sampled_from(range(len(votes.names))), min_size=1, unique=True))
    tables = []
    for j in columns:
        emitted = {votes.values[j][code] for code in votes.codes[:, j] if code >= 0}
        more = data.draw(st.lists(st.sampled_from([v for t in votes.values for v in t]))) if any(votes.values) else []
        tables.append(tuple(data.draw(st.permutations(sorted(emitted | set(more), key=str)))))
    schema = Schema(votes.tasks, tuple(votes.names[j] for j in columns), tuple(tables))
    made = (as_list(votes) if listed else votes).like(schema)
    assert made.schema == schema
    assert made.is_sparse == listed
    assert [[meaning(votes.tasks, vote) for vote in row] for row in labels_of(made)] == [
        [meaning(votes.tasks, row[j]) for j in columns] for row in given_votes.rows
    ]
    assert made.codes.dtype == schema.code_type or made.values == votes.values


@given(said(min_rows=1), st.data(), st.booleans())
def test_what_was_emitted_must_be_known(given_votes, data, listed):
    votes = given_votes.votes
    source = data.draw(st.sampled_from(range(len(votes.names))))
    table = votes.values[source]
    if not table:
        return
    gone = data.draw(st.sampled_from(table))
    tables = [*votes.values]
    tables[source] = tuple(vote for vote in table if vote != gone)
    schema = Schema(votes.tasks, votes.names, tuple(tables))
    store = votes.cast if listed else votes.store
    # Tables made from columns list only what occurs in them.
    with pytest.raises(VoteError, match=f"source '{votes.names[source]}' says .*not among the values"):
        check_emitted(votes.schema, schema, store.columns())
    silent = [np.full(len(votes), -1)] * len(votes.names)
    check_emitted(votes.schema, schema, silent)


def test_the_same_votes_are_given_back_as_they_are():
    votes = Votes.from_columns(LETTERS, {"s": ["A", "B"], "t": ["A", None]})
    assert votes.like(votes) is votes
    assert votes.like(votes.schema) is votes


def test_who_lacks_what():
    schema = Votes.from_columns(LETTERS, {"s": ["A"], "t": ["A"], "u": ["B"]}).schema
    check_sources(schema, schema.select([2, 0]))
    with pytest.raises(VoteError, match="lack sources that the model was fitted on: 's', 'u'"):
        check_sources(schema.select([1]), schema)
    other = Votes.from_columns(TaskGraph.flat("letter", ["A", "B"]), {"s": ["A"], "t": ["A"], "u": ["B"]}).schema
    with pytest.raises(VoteError, match="on other tasks"):
        check_sources(other, schema)


def test_the_value_that_is_not_known_is_named():
    votes = Votes.from_columns(LETTERS, {"s": ["A", "C"]})
    known = Votes.from_columns(LETTERS, {"s": ["A", "B"]})
    with pytest.raises(VoteError, match="source 's' says 'C', which is not among the values that the model was fitted"):
        votes.like(known)
    # Listed alone, it does no harm.
    assert votes.take([0]).like(known).to_pandas()["s"].tolist() == ["A"]
