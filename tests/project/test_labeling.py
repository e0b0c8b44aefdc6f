"""Labeling by keyboard, key by key: what is written down is what was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import HandAnswer, HandLabels
from assay.project import Labeling, Queued, press
from assay.project.labeling import KEYS, QUIT, SKIP, UNDO, UNKNOWN, VOTES, codes_of
from tests.support.strategies import task_graphs

QUEUE = tuple(Queued(row, "random", 0.5) for row in range(4))


@pytest.fixture
def start(entities):
    return Labeling.start(entities, QUEUE)


def typed(state, keys):
    """The state after some keys, and all that was to be written down."""
    notes = []
    for key in keys:
        state, note = press(state, key)
        notes += [note] if note else []
    return state, notes


def as_file(notes):
    """What a file would say, once the notes are in it."""
    return HandLabels.of(HandAnswer(n.queued.row, "ann", n.answer, n.kind == "undo") for n in notes)


@given(task_graphs(), st.lists(st.sampled_from([*"12345", UNKNOWN, SKIP, "u", VOTES, KEYS, "ü"]), max_size=30))
def test_state_and_file_agree_whatever_is_typed(tasks, keys):
    """Every item is asked about until the file says something about it, and what it says can be true."""
    state, notes = typed(Labeling.start(tasks, QUEUE), keys)
    hand = as_file(notes)
    assert [one.row for one in state.queue] == [row for row in range(4) if row not in {s.item for s in hand.said}]
    assert (state.answered, state.skipped) == (len(hand), len(hand.skipped))
    assert 1 <= state.number <= state.total + 1
    for answer in hand.answers.values():
        assert tasks.label_space.vote(answer)


@given(task_graphs(), st.lists(st.sampled_from([*"123", UNKNOWN, SKIP]), max_size=20))
def test_undo_undoes(tasks, keys):
    before = Labeling.start(tasks, QUEUE)
    state, notes = typed(before, keys)
    while state.past or state.choices or state.typed:
        state, more = typed(state, "u")
        notes += more
    assert (state.queue, state.past, state.choices) == (before.queue, (), ())
    assert not as_file(notes).said


def test_down_the_hierarchy(start):
    state, notes = typed(start, "1")
    assert not notes
    assert state.question.task == "person"
    assert state.options == {"1": "Doctor", "2": "Lawyer"}
    state, notes = typed(state, "2")
    assert notes[0].answer == {"entity": "Person", "person": "Lawyer"}
    assert (notes[0].kind, notes[0].queued) == ("answer", QUEUE[0])
    assert state.current == QUEUE[1]
    assert (state.number, state.total) == (2, 4)


def test_who_does_not_know_deeper_leaves_a_partial_answer(start):
    assert typed(start, "10")[1][0].answer == {"entity": "Person"}


def test_who_knows_nothing_skips(start):
    assert typed(start, "0")[1] == typed(start, " ")[1]
    assert typed(start, "0")[1][0].kind == "skipped"


def test_unrelated_tasks_are_asked_one_after_the_other(pair):
    start = Labeling.start(pair, QUEUE)
    assert typed(start, "02")[1][0].answer == {"food": "cold"}
    assert typed(start, "12")[1][0].answer == {"mood": "good", "food": "cold"}


@pytest.mark.parametrize("key", UNDO)
def test_undo_goes_back_one_step(start, key):
    state, notes = typed(start, ["1", key])
    assert (state.question.task, notes) == ("entity", [])
    state, notes = typed(start, ["1", "1", key])
    assert [note.kind for note in notes] == ["answer", "undo"]
    assert state.current == QUEUE[0]
    assert typed(start, key)[0].message == "there is nothing to take back"


def test_an_answer_of_an_earlier_session_can_be_taken_back(entities):
    earlier = Queued(77, "useful", 0.1)
    state, notes = typed(Labeling.start(entities, QUEUE, [(earlier, False)]), "u")
    assert notes[0].queued == state.current == earlier
    assert state.number == 1
    assert state.total == 5


def test_votes_are_hidden_until_asked_for_and_for_the_next_item_again(start):
    assert not start.shows_votes
    state, _ = typed(start, "v")
    assert state.shows_votes
    assert not typed(state, "v")[0].shows_votes
    assert not typed(state, " ")[0].shows_votes
    assert not typed(state, " u")[0].shows_votes


def test_keys_that_mean_nothing_say_so(start):
    state, notes = typed(start, "9")
    assert (state.message, notes) == ("'9' is no key here; ? lists the keys", [])
    assert typed(state, "1")[0].message == ""
    assert typed(start, KEYS)[0].shows_keys
    assert typed(start, QUIT)[0].has_quit


def test_after_the_last_item_one_can_still_take_back(start):
    state, _ = typed(start, "    ")
    assert state.current is None
    assert "all items are done" in typed(state, "1")[0].message
    assert typed(state, "u")[0].current == QUEUE[3]


@pytest.mark.parametrize("count", [2, 58, 59, 300])
def test_every_label_has_keys_of_its_own(count):
    codes = codes_of(count)
    assert len(set(codes)) == count
    assert len({len(code) for code in codes}) == 1
    assert not set("".join(codes)) & {*UNDO, SKIP, VOTES, KEYS, QUIT, UNKNOWN}


def test_labels_of_two_keys():
    tasks = assay.TaskGraph.flat("many", [f"label {number}" for number in range(100)])
    start = Labeling.start(tasks, QUEUE)
    state, notes = typed(start, "1")
    assert (state.typed, notes) == ("1", [])
    assert typed(state, "3")[1][0].answer == {"many": "label 2"}
    assert typed(state, "u")[0].typed == ""
    assert "no key here" in typed(start, ["Z", "Z"])[0].message
