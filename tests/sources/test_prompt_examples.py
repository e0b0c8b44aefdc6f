"""Examples from gold: true, a few for each answer, the same each time, and never the item that is asked about."""

import random

import pandas as pd
import pytest

import assay
from assay import HandAnswer, HandLabels, PromptSettings, Task, TaskGraph, gold_examples, none_of, one_of, prompt
from assay.errors import SourceError, VoteError
from tests.support.model_server import ModelServer

MAIL = TaskGraph.flat("mail", ["Ham", "Spam"])
ENTITY = TaskGraph(
    [
        Task("entity", ["Person", "Organization"]),
        Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
    ]
)
ROWS = [{"id": f"i{number}", "text": f"comment {number}"} for number in range(40)]
GOLD = ["Spam" if number % 3 == 0 else "Ham" for number in range(40)]
ANSWERS = {"yes": "Spam", "no": "Ham"}


def shown(examples, answers=ANSWERS, template="{text}", **more):
    return dict(prompt(template, answers=answers, examples=examples, name="p", **more).conversation.examples)


@pytest.mark.parametrize("per_answer", [1, 3])
def test_each_answer_has_as_many_and_all_are_true(per_answer):
    found = shown(gold_examples(ROWS, GOLD, tasks=MAIL, per_answer=per_answer))
    assert sorted(found.values()) == ["no"] * per_answer + ["yes"] * per_answer
    assert all((answer == "yes") == (int(text.split()[1]) % 3 == 0) for text, answer in found.items())


def test_the_choice_depends_on_texts_and_seed_alone():
    pairs = list(zip(ROWS, GOLD, strict=True))
    random.Random(0).shuffle(pairs)
    rows, gold = zip(*pairs, strict=True)
    one = shown(gold_examples(ROWS, GOLD, tasks=MAIL))
    assert list(one.items()) == list(shown(gold_examples(iter(rows), gold, tasks=MAIL)).items())
    assert one != shown(gold_examples(ROWS, GOLD, tasks=MAIL, seed=1))


def test_no_item_is_shown_its_own_answer():
    source = prompt("{text}", answers=ANSWERS, examples=gold_examples(ROWS, GOLD, tasks=MAIL), name="p")
    rows = [*ROWS, *ROWS[:5]]  # some texts twice
    with ModelServer() as server:
        settings = PromptSettings(base_url=server.base_url, model="m")
        assay.apply(source, rows, MAIL, prompts=settings, progress=False)
        for body in server.bodies:
            *before, question = [message["content"] for message in body["messages"]]
            assert question not in before
            assert sorted(before[1::2]) == ["no", "no", "yes", "yes"]  # another one takes its place
        assert len(server.bodies) == 40
    assert len(source.example_items) == 6
    assert {row["text"] for number, row in enumerate(ROWS) if number in source.example_items} > set(
        dict(source.conversation.examples)
    )


def test_own_examples_are_not_shown_to_themselves_either():
    source = prompt("{text}", answers=ANSWERS, examples=[({"text": "a"}, "yes"), ({"text": "b"}, "no")], name="p")
    with ModelServer() as server:
        settings = PromptSettings(base_url=server.base_url, model="m")
        assay.apply(source, [{"text": "a"}], MAIL, prompts=settings, progress=False)
        assert [message["content"] for message in server.bodies[0]["messages"]] == ["b", "no", "a"]


def test_items_are_known_by_name():
    hand = HandLabels.of([HandAnswer(f"i{number}", by="ann", answer={"mail": GOLD[number]}) for number in (3, 4, 6, 7)])
    source = prompt(
        "{text}", answers=ANSWERS, examples=gold_examples(ROWS, hand, tasks=MAIL, id="id", per_answer=1), name="p"
    )
    assert source.example_items == ("i3", "i4", "i6", "i7")
    series = pd.Series({"i5": "Ham", "i9": "Spam"})
    assert shown(gold_examples(ROWS, series, tasks=MAIL, id="id")) == {"comment 5": "no", "comment 9": "yes"}
    with pytest.raises(VoteError, match="i77"):
        gold_examples(ROWS, pd.Series({"i77": "Ham"}), tasks=MAIL, id="id")


def test_the_finest_true_answer_is_shown_and_abstaining_where_all_are_wrong():
    rows = [{"text": name} for name in ("doctor", "lawyer", "firm", "somebody")]
    gold = [{"person": "Doctor"}, {"person": "Lawyer"}, {"entity": "Organization"}, {"entity": "Person"}]
    examples = gold_examples(rows, gold, tasks=ENTITY, per_answer=5)
    assert shown(examples, {"a doctor": "Doctor", "a person": "Person", "no": None}) == {
        "doctor": "a doctor", "lawyer": "a person", "somebody": "a person", "firm": "no",
    }  # fmt: skip
    assert shown(examples, {"either": one_of("Doctor", "Lawyer"), "not a person": {"entity": "Organization"}}) == {
        "doctor": "either", "lawyer": "either", "somebody": "either", "firm": "not a person",
    }  # fmt: skip
    # Gold that is coarser than all answers tells nothing.
    assert "somebody" not in shown(examples, {"doctor": "Doctor", "lawyer": "Lawyer"})
    assert shown(examples, {"law": none_of("Doctor"), "medicine": none_of("Lawyer")}, task="person") == {
        "doctor": "medicine", "lawyer": "law",
    }  # fmt: skip


def test_several_questions_are_answered_as_json():
    rows = [{"text": name} for name in ("doctor", "lawyer", "firm")]
    gold = [{"person": "Doctor"}, {"person": "Lawyer"}, {"entity": "Organization"}]
    questions = {
        "entity": {"person": "Person", "company": "Organization"},
        "person": {"doctor": "Doctor", "lawyer": "Lawyer", "neither": None},
    }
    examples = gold_examples(rows, gold, tasks=ENTITY, per_answer=1)
    found = prompt("{text}", questions=questions, examples=examples, name="p").conversation.examples
    assert dict(found)["firm"] == '{"entity": "company", "person": "neither"}'
    assert dict(found)["doctor"] == '{"entity": "person", "person": "doctor"}'


def test_labels_of_which_any_subset_may_apply():
    topics = TaskGraph([Task("topics", ["sports", "money"], multiple=True)])
    rows = [{"text": name} for name in ("match", "bank", "both", "none")]
    gold = [["sports"], ["money"], ["sports", "money"], []]
    found = shown(gold_examples(rows, gold, tasks=topics, per_answer=5), {"yes": "sports", "no": None})
    assert found == {"match": "yes", "both": "yes", "bank": "no", "none": "no"}


def test_written_answers_are_shown_as_they_are_written():
    assert set(shown(gold_examples(ROWS, GOLD, tasks=MAIL), soft=False).values()) == {
        '{"answer": "yes"}', '{"answer": "no"}',
    }  # fmt: skip


def test_what_cannot_be_is_refused():
    with pytest.raises(SourceError, match="of two answers at least"):
        shown(gold_examples(ROWS, ["Ham"] * 40, tasks=MAIL))
    with pytest.raises(SourceError, match="of 0 items with gold, none answers"):
        shown(gold_examples(ROWS, [None] * 40, tasks=MAIL))
    with pytest.raises(SourceError, match="per_answer must be"):
        gold_examples(ROWS, GOLD, tasks=MAIL, per_answer=0)
    rows = [{"text": None}, {"text": "a"}, {"text": "b"}]
    assert shown(gold_examples(rows, ["Spam", "Ham", "Spam"], tasks=MAIL)) == {"a": "no", "b": "yes"}
