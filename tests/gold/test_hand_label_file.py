"""The file of hand labels: appended, never lost, and read exactly."""

from __future__ import annotations

import json
import multiprocessing
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, HandAnswer
from assay.gold import append_answer, read_answers, write_answers

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
SAID = (
    HandAnswer("doc-1", "ann", {"entity": "Person", "person": None}, at=AT, chosen="random", chance=0.25),
    HandAnswer(17, "bob", at=AT),
    HandAnswer(17, "bob", is_undo=True, at=AT),
    HandAnswer("Übung\n", "Zoë", {"t": "„ja“"}, at=AT, chosen="useful"),
)


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "new folder" / "hand_labels.jsonl"
    for one in SAID:
        append_answer(target, one)
    return target


def test_what_is_written_is_read(path):
    assert read_answers(path) == SAID
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(SAID)


def test_a_file_written_anew_is_what_appending_gives(path, tmp_path):
    other = tmp_path / "anew.jsonl"
    for _ in range(2):
        write_answers(other, SAID)
        assert other.read_bytes() == path.read_bytes()


def test_an_answer_has_the_time_of_writing_if_none_is_given(tmp_path):
    before = datetime.now(UTC).replace(microsecond=0)
    append_answer(tmp_path / "a.jsonl", HandAnswer(1, "ann"))
    (one,) = read_answers(tmp_path / "a.jsonl")
    assert before <= one.at <= datetime.now(UTC)


@given(st.data())
def test_wherever_a_process_is_killed_only_the_line_in_hand_is_lost_and_writing_goes_on(tmp_path_factory, data):
    target = tmp_path_factory.mktemp("cut") / "hand.jsonl"
    for one in SAID:
        append_answer(target, one)
    whole = target.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    target.write_bytes(whole[:cut])
    ends = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]
    # A line that lacks nothing but its end is whole.
    kept = sum(end - 1 <= cut for end in ends)
    assert read_answers(target) == SAID[:kept]
    append_answer(target, SAID[1])
    assert read_answers(target) == (*SAID[:kept], SAID[1])
    assert target.read_bytes().endswith(b"\n")


def _many(target, name):
    for number in range(40):
        append_answer(target, HandAnswer(number, name))


def test_several_processes_may_write_to_one_file(tmp_path):
    target = tmp_path / "hand.jsonl"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_many, args=(target, name)) for name in ("ann", "bob")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    said = read_answers(target)
    assert [one.item for one in said if one.by == "ann"] == [*range(40)]
    assert [one.item for one in said if one.by == "bob"] == [*range(40)]


GOOD = {"item": 1, "answer": {"t": "a"}, "by": "ann", "at": "2026-03-01T09:30:00Z"}


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ({"item": 1.5}, "'item' must be a name or a row number, but is 1.5"),
        ({"item": True}, "'item' must be"),
        ({"answer": {}}, "'answer' must be an object of task: label, but is {}"),
        ({"answer": {"t": 3}}, "'answer' must be"),
        ({"answer": None}, "'answer' must be"),
        ({"skipped": True}, "needs one of"),
        ({"by": ""}, "'by' must be the name of who said it"),
        ({"at": "yesterday"}, "yesterday"),
        ({"at": None}, "'at' must be a time"),
        ({"chosen": "lucky"}, "'chosen' must be 'random' or 'useful', but is 'lucky'"),
        ({"chance": 0}, "'chance' must be a number above 0"),
        ({"chance": 1.1}, "'chance' must be"),
        ({"chance": float("nan")}, "'chance' must be"),
        ({"chanse": 0.5}, "unknown field 'chanse'"),
    ],
)
def test_a_line_that_is_not_as_it_should_be_is_an_error_with_its_number(tmp_path, change, advice):
    target = tmp_path / "hand.jsonl"
    target.write_text(f"{json.dumps(GOOD)}\n{json.dumps({**GOOD, **change})}\n{json.dumps(GOOD)}\n")
    with pytest.raises(DataError, match=r"hand\.jsonl, line 2 is not a hand label") as caught:
        read_answers(target)
    assert advice in str(caught.value)


@pytest.mark.parametrize("line", [b'{"item": 1', b"[1]", b"null", b"\xff\xfe", b'{"item": 1}'])
def test_a_broken_line_in_the_middle_is_an_error(tmp_path, line):
    target = tmp_path / "hand.jsonl"
    target.write_bytes(line + b"\n" + json.dumps(GOOD).encode() + b"\n")
    with pytest.raises(DataError, match="line 1 is not a hand label"):
        read_answers(target)


def test_blank_lines_do_no_harm_and_a_time_without_zone_is_utc(tmp_path):
    target = tmp_path / "hand.jsonl"
    target.write_text("\n" + json.dumps({**GOOD, "at": "2026-03-01T09:30:00"}) + "\n\n")
    assert read_answers(target) == (HandAnswer(1, "ann", {"t": "a"}, at=AT),)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        read_answers(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="cannot read"):
        read_answers(tmp_path)
    with pytest.raises(DataError, match="cannot write"):
        append_answer(tmp_path, HandAnswer(1, "ann"))
