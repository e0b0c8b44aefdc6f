"""What people said, merged into gold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, HandAnswer, HandLabels, LabelModel, VoteError, Votes
from assay.gold import append_answer
from assay.simulate import flat_world

AT = datetime(2026, 3, 1, tzinfo=UTC)


def say(item, by="ann", /, undo=False, after=0, chance=None, chosen=None, **answer):
    return HandAnswer(item, by, answer or None, undo, AT + timedelta(seconds=after), chosen, chance)


ANSWERS = st.one_of(
    st.just({}),
    st.just({"entity": "Organization"}),
    st.builds(lambda kind: {"entity": "Person", "person": kind}, st.sampled_from(["Doctor", "Lawyer"])),
    st.just({"entity": "Person"}),
)
SAID = st.lists(
    st.builds(lambda item, by, answer: say(item, by, **answer), st.integers(0, 3), st.sampled_from("abc"), ANSWERS)
)


@given(SAID, st.data())
def test_what_is_taken_back_was_never_said(said, data):
    item, by, answer = data.draw(st.integers(0, 3)), data.draw(st.sampled_from("abc")), data.draw(ANSWERS)
    taken_back = [*said, say(item, by, **answer), say(item, by, undo=True)]
    assert set(map(str, HandLabels.of(taken_back).said)) == set(map(str, HandLabels.of(said).said))


@given(SAID, st.randoms())
def test_gold_does_not_depend_on_the_order_of_people(said, random):
    """Only the order of what each of them said counts."""
    by_person = {name: [one for one in said if one.by == name] for name in "abc"}
    order = list("abc")
    random.shuffle(order)
    other = HandLabels.of([one for name in order for one in by_person[name]])
    assert other.answers == HandLabels.of(said).answers


@given(SAID)
def test_gold_is_never_what_cannot_be(entities_said):
    tasks = assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], ("entity", "Person")),
        ]
    )
    votes = Votes.from_columns(tasks, {"s": [None] * 4})
    hand = HandLabels.of(entities_said)
    gold = votes.gold(hand)
    assert int((gold.codes >= 0).sum()) == len(hand)
    contested = {(row["item"], row["task"]) for row in hand.disagreements.to_dict("records")}
    for item, answer in hand.answers.items():
        for task, label in answer.items():
            given = [one.answer[task] for one in hand.said if one.item == item and task in (one.answer or {})]
            assert label in given
            assert (len(set(given)) > 1) == ((item, task) in contested)


def test_the_last_answer_of_each_person_counts():
    hand = HandLabels.of([say(1, t="a"), say(1, t="b"), say(2, t="a"), say(2)])
    assert hand.answers == {1: {"t": "b"}}
    assert hand.skipped == (2,)
    assert repr(hand) == "HandLabels(1 item labeled by ann, 1 skipped)"


def test_answers_that_do_not_contradict_each_other_are_taken_together():
    hand = HandLabels.of([say(1, "ann", entity="Person"), say(1, "bob", entity="Person", person="Doctor")])
    assert hand.answers == {1: {"entity": "Person", "person": "Doctor"}}
    assert hand.disagreements.empty


def test_a_majority_of_all_who_answered_settles_a_disagreement():
    said = [say(1, "ann", t="a"), say(1, "bob", t="b"), say(2, "ann", t="a"), say(1, "dan")]
    hand = HandLabels.of(said)
    assert hand.answers == {2: {"t": "a"}}
    assert hand.disagreements.to_dict("list") == {
        "item": [1, 1],
        "task": ["t", "t"],
        "label": ["a", "b"],
        "people": ["ann", "bob"],
        "gold": [False, False],
    }
    settled = HandLabels.of([*said, say(1, "cem", t="b")])
    assert settled.answers == {2: {"t": "a"}, 1: {"t": "b"}} or settled.answers == {1: {"t": "b"}, 2: {"t": "a"}}
    assert settled.disagreements["gold"].tolist() == [False, True]
    assert "1 disputed" in repr(settled)
    people = settled.summary(by="person")
    assert people.loc["ann"].tolist() == [2, 0, 1, 1]
    assert people.loc["dan"].tolist() == [0, 1, 0, 0]


def test_files_of_several_people_merge_and_of_one_person_the_latest_counts(tmp_path):
    files = {
        "ann.jsonl": [say(1, after=5, t="b"), say(2, t="a")],
        "bob.jsonl": [say(2, "bob", t="a")],
        "old.jsonl": [say(1, after=1, t="a"), say(3, t="a"), say(3, undo=True)],
    }
    for name, said in files.items():
        for one in said:
            append_answer(tmp_path / name, one)
    for names in (sorted(files), sorted(files)[::-1]):
        hand = HandLabels.read([tmp_path / name for name in names])
        assert hand.answers == {1: {"t": "b"}, 2: {"t": "a"}}
        assert set(hand.people) == {"ann", "bob"}
    assert HandLabels.read(tmp_path / "bob.jsonl").answers == {2: {"t": "a"}}


def test_nothing_can_be_taken_back_that_was_not_said(tmp_path):
    append_answer(tmp_path / "a.jsonl", say(1, undo=True))
    with pytest.raises(DataError, match=r"a\.jsonl: ann takes back an answer about item 1, but there is none"):
        HandLabels.read(tmp_path / "a.jsonl")


def test_gold_by_name_for_whatever_takes_gold(entities):
    votes = Votes.from_columns(entities, {"s": pd.Series(["Person", "Doctor", None], index=["x", "y", "z"])})
    hand = HandLabels.of([say("y", entity="Person", person="Lawyer"), say("x", entity="Organization")])
    gold = votes.gold(hand)
    assert gold.names == ("gold",)
    assert gold.to_pandas()["gold"].tolist() == ["entity=Organization", "entity=Person, person=Lawyer", None]
    assert votes.summary(hand)[["correct", "incorrect"]].to_numpy().tolist() == [[0, 2]]
    labels = assay.MajorityVote().fit(votes).label(votes)
    assert assay.evaluate(labels, HandLabels.of([say("y", entity="Person", person="Doctor")])).accuracy == 1.0


def test_a_model_learns_from_hand_labels_as_from_any_gold():
    drawn = flat_world(sources=6, seed=3).draw(600)
    names = np.array([f"i{row}" for row in range(600)])
    votes = Votes.from_codes(drawn.votes.tasks, drawn.votes.codes, drawn.votes.names, drawn.votes.values, names)
    task = votes.tasks.tasks[0]
    rows = [5, 500, 17]
    hand = HandLabels.of([say(f"i{row}", **{task.name: task.labels[drawn.gold[row]]}) for row in rows])
    plain = np.full(600, -1)
    plain[rows] = drawn.gold[rows]
    one, other = (LabelModel().fit(votes, gold).predict_proba(votes) for gold in (hand, plain))
    assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        (say("q", entity="Person"), "a hand label is about items that are not there: 'q'; items are called 'x', 'y'"),
        (say(0, entity="Person"), "not there: 0"),
        (say("x", entity="Persn"), "the hand label of item 'x', by ann: .* Did you mean 'Person'"),
        (say("x", entiti="Person"), "by ann: there is no task 'entiti'"),
        (say("x", entity="Organization", person="Doctor"), "by ann: no feasible outcome"),
    ],
)
def test_unknown_items_and_labels_are_errors(entities, said, advice):
    votes = Votes.from_columns(entities, {"s": pd.Series(["Person", None], index=["x", "y"])})
    with pytest.raises(VoteError, match=advice):
        votes.gold(HandLabels.of([said]))


def test_labels_of_a_file_that_do_not_fit_are_told_with_their_lines(tmp_path, entities):
    votes = Votes.from_columns(entities, {"s": pd.Series(["Person", None], index=["x", "y"])})
    path = tmp_path / "said.jsonl"
    for one in (say("x", entity="Person"), say("q", entity="Person")):
        append_answer(path, one)
    with pytest.raises(VoteError, match=r"not there: 'q'.*\(.*said\.jsonl, line 2: mend these lines, or remove them\)"):
        votes.gold(HandLabels.read(path))
    append_answer(tmp_path / "b.jsonl", say("x", entity="Persn"))
    with pytest.raises(VoteError, match=r"'Persn'.*b\.jsonl, line 1"):
        votes.gold(HandLabels.read(tmp_path / "b.jsonl"))


def test_a_part_of_the_data_has_a_part_of_the_labels(entities):
    votes = Votes.from_columns(entities, {"s": pd.Series(["Person", None], index=["x", "y"])})
    hand = HandLabels.of([say("x", entity="Person"), say("y", entity="Person")])
    part = votes.take([1])
    assert part.gold(hand.within(part)).codes.tolist() == [[0]]
    with pytest.raises(VoteError, match="not there: 'x'"):
        part.gold(hand)


def test_weights_are_one_over_the_chance():
    votes = Votes.from_matrix([[0], [1], [0], [1]])
    said = [say(0, chance=0.5, label="1"), say(1, label="0"), say(2, chance=0.1), say(0, "bob", chance=0.2, label="1")]
    assert HandLabels.of(said).weights(votes).tolist() == [2.0, 1.0, 1.0, 1.0]
    with pytest.raises(VoteError, match="not there: 9"):
        HandLabels.of([say(9, chance=0.5, label="1")]).weights(votes)


def test_tables():
    hand = HandLabels.of([say("x", chosen="random", t="a"), say("y", chosen="useful", t="a"), say("z", t="b", u="c")])
    assert hand.summary().loc[("t", "a")].tolist() == [2, 1, 1]
    assert hand.to_pandas().loc["z"].tolist() == ["b", "c"]
    assert hand.to_pandas().loc["x"].tolist() == ["a", None]
    assert HandLabels.of([]).summary().empty
    assert HandLabels.of([]).to_pandas().empty
    assert HandLabels.of([]).summary(by="person").empty
    with pytest.raises(assay.AssayError, match="by must be 'label' or 'person'"):
        hand.summary(by="item")
