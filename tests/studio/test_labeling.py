"""Where people are who label in the browser: nothing is written twice, and nothing is lost."""

import pytest

from assay.errors import ProjectError
from assay.gold import HandLabels
from assay.project import Answers, Filter, Workbench, rows_found
from assay.studio.labeling import BATCH, Desks, key_of


@pytest.fixture
def contents(copy_of):
    return Workbench(copy_of).contents()


@pytest.fixture
def desks():
    return Desks()


def at(desks, contents, by="ann", wanted=None, is_random=False):
    return desks.at(contents, by, wanted, is_random)


def standing(contents, by="ann"):
    return Answers.of(contents.project, by).standing()


def label(desks, contents, desk):
    """Answers until the item has its label."""
    before = desk.state.current
    while desk.state.current == before:
        assert desks.press(contents, desk, "1", desk.version) == ""


def test_an_answer_is_on_disk_once_the_key_was_pressed(desks, contents):
    desk = at(desks, contents)
    for number in range(1, 4):
        row = desk.state.current.row
        label(desks, contents, desk)
        said = standing(contents)
        assert len(said) == number
        assert said[-1].item == contents.item(row)
        assert said[-1].answer == {"entity": "Person", "person": "Doctor"}


def test_a_key_of_a_tab_that_is_behind_does_nothing(desks, contents):
    desk = at(desks, contents)
    seen = desk.version
    assert desks.press(contents, desk, "1", seen) == ""
    state = desk.state
    assert "another tab" in desks.press(contents, desk, "1", seen)
    assert "another tab" in desks.press(contents, desk, "\b", seen)
    assert desk.state == state
    assert standing(contents) == []


def test_a_tab_that_is_a_whole_batch_behind_is_told_too(desks, contents):
    desk = at(desks, contents)
    seen = desk.version
    while at(desks, contents) is desk:
        assert desks.press(contents, desk, " ", desk.version) == ""
    new = at(desks, contents)
    assert len(standing(contents)) == BATCH
    assert "another tab" in desks.press(contents, new, " ", seen)
    assert len(standing(contents)) == BATCH


def test_a_tab_from_before_a_restart_is_told_too(desks, contents):
    seen = at(desks, contents).version
    again = Desks()
    assert "another tab" in again.press(contents, at(again, contents), " ", seen)
    assert standing(contents) == []


def test_after_a_batch_come_others(desks, contents):
    asked = []
    for _ in range(2 * BATCH):
        desk = at(desks, contents)
        asked.append(desk.state.current.row)
        desks.press(contents, desk, " ", desk.version)
    assert len(set(asked)) == 2 * BATCH


def test_people_have_their_own_desks_and_see_what_others_left(desks, contents):
    ann, bob = at(desks, contents), at(desks, contents, by="bob")
    assert ann is not bob
    label(desks, contents, ann)
    assert bob.state.answered == 0
    assert standing(contents, "bob") == []
    label(desks, contents, bob)
    assert [one.by for one in HandLabels.read(contents.project.hand_labels[0]).said] == ["ann", "bob"]


def test_who_comes_back_goes_on_with_the_next(desks, contents):
    desk = at(desks, contents)
    rows = [queued.row for queued in desk.state.queue]
    label(desks, contents, desk)
    again = at(Desks(), contents)
    assert again.state.current.row == rows[1]
    assert again.state.answered == 1


def test_what_was_said_in_another_session_can_be_taken_back(desks, contents):
    label(desks, contents, at(desks, contents))
    item = standing(contents)[0].item
    again = Desks()
    desk = at(again, contents)
    assert again.press(contents, desk, "\b", desk.version) == "taken back"
    assert standing(contents) == []
    assert contents.item(desk.state.current.row) == item


def test_the_queue_of_a_filter_has_its_items_in_its_order(desks, contents):
    wanted = Filter(only="conflict", order="unsure")
    rows = rows_found(contents, wanted)
    desk = at(desks, contents, wanted=wanted)
    assert [queued.row for queued in desk.state.queue] == rows[:BATCH].tolist()
    # That such an item was asked for says nothing about the others.
    assert {queued.chance for queued in desk.state.queue} == {None}


def test_random_ones_have_a_chance(desks, contents):
    desk = at(desks, contents, is_random=True)
    assert {queued.kind for queued in desk.state.queue} == {"random"}
    assert {queued.chance for queued in desk.state.queue} == {BATCH / len(contents)}


def test_without_votes_it_is_said_what_to_do(copy_of, desks):
    for path in (copy_of / "out").glob("votes*"):
        path.unlink()
    with pytest.raises(ProjectError, match="write a source and run the project"):
        at(desks, Workbench(copy_of).contents())


@pytest.mark.parametrize(
    ("pressed", "key"),
    [("1", "1"), ("?", "?"), ("Space", " "), ("Backspace", "\b"), ("ArrowLeft", "left"), ("ArrowRight", "right"),
     ("Enter", ""), ("F5", ""), ("", ""), (None, ""), ("12", "")],
)  # fmt: skip
def test_keys_of_browsers(pressed, key):
    assert key_of(pressed) == key
