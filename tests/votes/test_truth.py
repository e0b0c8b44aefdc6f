"""True labels in any shape."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import TaskError, VoteError, Votes
from assay.votes.summary import wilson
from tests.support.strategies import full_vectors, said


def test_gold_may_come_in_any_shape(entities):
    votes = Votes.from_columns(entities, {"coarse": ["Person", "Person", "Person"], "fine": ["Doctor", "Doctor", None]})
    outcomes = [0, 2, -1]
    shapes = [
        outcomes,
        np.array(outcomes),
        [np.int64(number) for number in outcomes],
        pd.Series(outcomes),
        pd.Series([0, 2, None]),
        pd.Series([0, 2, None], dtype="Int64"),
        np.array([0.0, 2.0, np.nan]),
        [0, 2, None],
        pd.Series({1: "Hospital", 0: "Doctor"}),
        pd.Series({1: 2, 0: 0}),
        pd.DataFrame({"entity": ["Person", "Organization", None], "person": ["Doctor", None, None]}),
        pd.DataFrame({"entity": ["Organization", "Person"], "person": [None, "Doctor"]}, index=[1, 0]),
        ["Doctor", "Hospital", None],
        [entities.label_space.outcomes[0], entities.label_space.outcomes[2], None],
        {"entity": ["Person", "Organization", None], "person": ["Doctor", None, None]},
        {"entity": pd.Series(["Person", "Organization", None]), "person": np.array(["Doctor", None, None])},
        Votes.from_columns(entities, {"truth": ["Doctor", "Hospital", None]}),
    ]
    for gold in shapes:
        table = votes.summary(gold=gold)
        assert table["correct"].tolist() == [1, 1]
        assert table["incorrect"].tolist() == [1, 1]
        assert table["accuracy"].tolist() == [0.5, 0.5]
        assert table["accuracy_low"].tolist() == [wilson(1, 2)[0]] * 2


def test_gold_that_is_coarser_than_a_vote_leaves_it_open(entities):
    votes = Votes.from_columns(entities, {"fine": ["Doctor", "Office"]})
    table = votes.summary(gold=["Person", "Person"])
    assert table[["correct", "incorrect"]].to_numpy().tolist() == [[0, 1]]
    assert votes.summary(gold=[None, None])["accuracy"].isna().all()


def test_gold_may_speak_of_tasks_that_no_source_labels(pair):
    votes = Votes.from_columns(pair, {"s": ("mood", ["good", "bad"])})
    table = votes.summary(gold=[{"mood": "good", "food": "cold"}, {"food": "cold"}])
    assert table[["correct", "incorrect"]].to_numpy().tolist() == [[1, 0]]


def test_gold_that_does_not_fit_is_refused(entities, pair):
    votes = Votes.from_columns(entities, {"s": ["Person", None]})
    for gold, advice in [
        (["Person"], "each of the 2 items"),
        ([0, 4], "outcome numbers from 0 to 3, or -1, but got 4"),
        ([0.5, 1.0], "expected a label name, but got 0.5"),
        ([True, False], "expected a label name, but got True"),
        (pd.Series(["Person"]), "each of the 2 items"),
        (pd.Series({2: "Person"}), "gold is about items that are not there: 2; items have no names"),
        (pd.Series(["Person"] * 3, index=[0, 1, 0]), "the index must have .* rows 0 and 2 are both 0"),
        (["Person", "Dog"], "no task has the label 'Dog'"),
        ({"entity": ["Person"], "org": [None, None]}, "lengths are {'entity': 1, 'org': 2}"),
        ({"entiti": ["Person", None]}, "Did you mean 'entity'"),
        (Votes.from_columns(pair, {"s": ["bad", "bad"]}), "on the same tasks"),
        (Votes.from_columns(entities, {"a": [None, None], "b": [None, None]}), "votes of one source, but it has 2"),
    ]:
        with pytest.raises(VoteError, match=advice):
            votes.summary(gold=gold)
    with pytest.raises(TaskError, match="never made"):
        Votes.from_columns(pair, {"s": ["bad"]}).summary(gold=[0])


@given(said(min_rows=1), st.data())
def test_the_truth_is_always_right(given_votes, data):
    """A source that says part of the true outcome is never wrong."""
    truth = [data.draw(st.sampled_from(full_vectors(given_votes.tasks))) for _ in given_votes.rows]
    names = data.draw(st.lists(st.sampled_from(given_votes.tasks.names), min_size=1, unique=True))
    oracle = Votes.from_columns(given_votes.tasks, {"oracle": [{name: row[name] for name in names} for row in truth]})
    assert oracle.summary(gold=truth)["incorrect"].tolist() == [0]


@given(st.permutations(range(5)), st.integers(1, 5))
def test_gold_by_name_is_gold_in_order(order, count):
    votes = Votes.from_matrix(pd.DataFrame([[0]] * 5, index=list("abcde")))
    labels = pd.Series(["0", "1", "1", "0", "1"], index=list("abcde"))
    chosen = labels.iloc[list(order)[:count]]
    expected = [label if name in chosen.index else None for name, label in labels.items()]
    for gold in (chosen, chosen.to_frame("label"), {"label": chosen}, chosen.map(int)):
        found = votes.gold(gold)
        assert found.to_pandas()["gold"].tolist() == expected
        assert found.items is None or found.items.tolist() == list("abcde")


def test_gold_of_named_items_must_name_items(entities):
    votes = Votes.from_columns(entities, {"s": pd.Series(["Person", None], index=["x", "y"])})
    with pytest.raises(VoteError, match="gold is about items that are not there: 'z'; items are called 'x', 'y'"):
        votes.gold(pd.Series(["Person", "Person"], index=["x", "z"]))
    # An index that only numbers rows is none.
    assert votes.gold(pd.Series(["Person", None])).codes.tolist() == votes.gold(["Person", None]).codes.tolist()


def test_votes_of_one_source_may_be_gold_by_name():
    votes = Votes.from_matrix(pd.DataFrame([[0], [1], [1]], index=list("abc")), labels=["cat", "dog"])
    truth = {"item": ["c", "a"], "worker": ["expert"] * 2, "label": ["cat", "dog"]}
    gold = votes.gold(Votes.from_long(truth, votes.tasks))
    assert gold.to_pandas()["expert"].tolist() == ["dog", None, "cat"]


def test_items_without_names_take_gold_in_order_whatever_its_index():
    """A matrix of votes is often made from a table whose index it has lost."""
    votes = Votes.from_matrix([[0], [1], [1]])
    assert votes.gold(pd.Series([1, 0, 1], index=[7, 7, 3])).codes[:, 0].tolist() == [1, 0, 1]


def test_gold_by_number_is_matched_by_number_where_items_are_called_so():
    """An index that only numbers rows looks like the names 0, 1, 2, …: where items are called so, it is these."""
    order = np.random.default_rng(0).permutation(20)
    labels = np.array(["cat", "dog"], dtype=object)[np.arange(20) % 2]
    table = {"item": np.repeat(order, 2), "worker": ["ann", "bob"] * 20, "label": np.repeat(labels[order], 2)}
    votes = Votes.from_long(pd.DataFrame(table))
    everything, first = pd.Series(labels), pd.Series(labels[:5])
    assert votes.gold(everything).to_pandas()["gold"].tolist() == labels[votes.items].tolist()
    known = votes.gold(first).to_pandas()["gold"]
    assert [known[name] for name in range(5)] == labels[:5].tolist()
    assert known.notna().sum() == 5
    assert votes.gold(pd.DataFrame({"label": labels})) == votes.gold(everything)


def test_an_index_that_only_counts_names_no_items_and_the_error_says_how_to():
    """Of a part of the data whose index was reset, it would be about the wrong ones."""
    votes = Votes.from_matrix([[0, 1], [1, 1], [0, 0]])
    with pytest.raises(VoteError, match=r"index=list\(range\(2\)\)"):
        votes.gold(pd.Series([1, 0]))
    first = pd.Series([1, 0], index=list(range(2)))
    assert votes.gold(first).to_pandas()["gold"].tolist() == ["1", "0", None]


def test_gold_as_a_dict_from_items_to_labels():
    table = {"item": ["a", "a", "b", "b"], "worker": ["ann", "bob"] * 2, "label": ["cat", "dog", "dog", "dog"]}
    votes = Votes.from_long(table)
    by_item = votes.gold({"b": "dog"})
    assert by_item == votes.gold(pd.Series({"b": "dog"}))
    assert by_item.to_pandas()["gold"].tolist() == [None, "dog"]
    with pytest.raises(VoteError, match="'c'"):
        votes.gold({"c": "dog"})
