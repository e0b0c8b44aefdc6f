"""Votes by component: each vote is in every component that it speaks about, and nowhere else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay import Task, TaskGraph, Votes
from assay.votes.split import SplitVotes

TASKS = TaskGraph([Task(f"t{at}", ["a", "b", "c"]) for at in range(4)])
NAMES = TASKS.names


@st.composite
def rows(draw):
    """What two sources say of some items: labels of some of the tasks, or nothing."""
    said = st.dictionaries(st.sampled_from(NAMES), st.sampled_from("abc"), max_size=4)
    return draw(st.lists(st.tuples(said, said), min_size=1, max_size=8))


@given(rows())
def test_each_component_has_what_is_said_of_it(said):
    columns = {f"s{at}": [row[at] or None for row in said] for at in range(2)}
    votes = Votes.from_columns(TASKS, columns)
    split = SplitVotes.of(votes.schema, votes.cast)
    for index, task in enumerate(NAMES):
        own = votes.schema.places[index].schema
        part = Votes(own, split.of_component(index, len(own.names), np.int8))
        table = part.to_pandas()
        for at, name in enumerate(columns):
            expected = [row[at].get(task) for row in said]
            found = table[name].tolist() if name in table else [None] * len(said)
            assert found == expected


@given(rows())
def test_the_numbers_are_those_of_the_votes_cast(said):
    votes = Votes.from_columns(TASKS, {f"s{at}": [row[at] or None for row in said] for at in range(2)})
    split = SplitVotes.of(votes.schema, votes.cast)
    found = [set() for _ in votes.cast.codes]
    for index, numbers in split.spoken_about():
        assert (np.diff(numbers) > 0).all()
        for number in numbers.tolist():
            found[number].add(NAMES[index])
    for number, (source, code) in enumerate(zip(votes.cast.sources, votes.cast.codes, strict=True)):
        assert found[number] == set(votes.values[source][code].tasks)
