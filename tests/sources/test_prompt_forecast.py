"""What prompts will cost, against what they cost."""

import json
from dataclasses import replace

import pytest

import assay
from assay import PromptSettings, TaskGraph, prompt, prompt_costs
from assay.llm import AnswerCache
from tests.support.local_model import started
from tests.support.model_server import ModelServer, Wrong, chance_of, completion, words

MAIL = TaskGraph.flat("mail", ["Ham", "Spam"])
ANSWERS = {"yes": "Spam", "no": "Ham"}
PRICES = {"m": {"input": 1000.0, "output": 4000.0}}


def rows(count, start=0):
    """Comments of very different lengths."""
    return [
        {"text": "word " * int(2 + 60 * chance_of(number) ** 2) + str(number)} for number in range(start, start + count)
    ]


def sources():
    return [
        prompt("Is this comment spam? Answer yes or no. {text}", answers=ANSWERS, name="soft"),
        prompt("Spam? {text}", answers=ANSWERS, soft=False, system="You look at comments on videos.", name="hard"),
        assay.keywords(["spam"], "Spam", on="text", name="free"),
    ]


def spent(server):
    """The tokens that the server counted, in and out."""
    return sum(words(json.loads(question)) for question in server.answered), sum(server.answered.values())


def test_with_a_tokenizer_tokens_are_known_within_five_percent():
    with ModelServer(tokenizer=True) as server:
        settings = PromptSettings(base_url=server.base_url, model="m", prices=PRICES)
        costs = prompt_costs(sources()[0], rows(400), prompts=settings)
        assert not server.asked
        assay.apply(sources()[0], rows(400), MAIL, prompts=settings, progress=False)
        tokens_in, tokens_out = spent(server)
    (one,) = costs.prompts
    assert (one.basis, one.questions, one.kept) == ("tokenizer", 400, 0)
    assert one.input_tokens == pytest.approx(tokens_in, rel=0.05)
    assert one.output_tokens == tokens_out
    assert costs.cost == pytest.approx((1000 * tokens_in + 4000 * tokens_out) / 1e6, rel=0.05)


def test_after_fifty_answers_tokens_are_known_within_fifteen_percent(tmp_path):
    with ModelServer() as server:
        settings = PromptSettings(base_url=server.base_url, model="m", cache=tmp_path / "a.sqlite", prices=PRICES)
        assert {one.basis for one in prompt_costs(sources(), rows(400), prompts=settings).prompts} == {"guess"}
        assay.apply(sources(), rows(25), MAIL, prompts=settings, progress=False)
        before = sum(spent(server))
        costs = prompt_costs(sources(), rows(400), prompts=settings)
        assay.apply(sources(), rows(400), MAIL, prompts=settings, progress=False)
        after = sum(spent(server))
    assert {one.basis for one in costs.prompts} == {"earlier answers"}
    assert [(one.questions, one.kept) for one in costs.prompts] == [(375, 25)] * 2
    assert costs.tokens == pytest.approx(after - before, rel=0.15)


def test_answers_are_foreseen_from_those_to_the_same_prompt(tmp_path):
    """A server that only takes a schema lets models write more than the answer; other prompts tell nothing of that."""
    first, second = sources()[:2]

    def wordy(body, before):
        if "grammar" in body:
            return Wrong("400", message="failed to parse grammar")
        return completion('{ "answer": "yes" }' + " ." * 20 if "response_format" in body else "yes", asked=body)

    def paid(server):
        asked = [(words(json.loads(question)), "response_format" in question) for question in server.answered]
        return sum(count for count, _ in asked), sum(24 if is_json else 1 for _, is_json in asked)

    with ModelServer(wordy, tokenizer=True) as server:
        settings = PromptSettings(base_url=server.base_url, model="m", cache=tmp_path / "a.sqlite", prices=PRICES)
        assay.apply([first], rows(100), MAIL, prompts=settings, progress=False)
        assay.apply([second], rows(10), MAIL, prompts=settings, progress=False)
        before = paid(server)
        costs = prompt_costs([first, second], rows(200), prompts=settings)
        assay.apply([first, second], rows(200), MAIL, prompts=settings, progress=False)
        tokens_in, tokens_out = (after - then for after, then in zip(paid(server), before, strict=True))
    assert sum(one.output_tokens for one in costs.prompts) == pytest.approx(tokens_out, rel=0.02)
    assert costs.tokens == pytest.approx(tokens_in + tokens_out, rel=0.05)


TONES = {"tone": {"friendly": "Friendly", "angry": "Angry"}, "topic": {"music": "Music", "somewhere else": "Money"}}
FORMS = {
    "soft": {"answers": ANSWERS},
    "whole answers": {"answers": {"not spam at all": "Ham", "not good, spam": "Spam"}},
    "hard": {"answers": {"unsolicited advertisement": "Spam", "fine": "Ham"}, "soft": False},
    "samples": {"answers": ANSWERS, "samples": 3},
    "several": {"questions": TONES},
}


def test_the_real_model_costs_what_was_foreseen_before_it_was_asked(tmp_path):
    """Whichever way it is asked, and however badly it would spell what it is forced to say."""
    tasks = TaskGraph([*MAIL.tasks, assay.Task("tone", ["Friendly", "Angry"]), assay.Task("topic", ["Music", "Money"])])
    given = [{"text": text} for text in ("subscribe to my channel", "what a song", "click here, and here, now")]
    with started() as model:
        for form, how in FORMS.items():
            source = prompt("Is this comment spam? Answer yes or no.\n\n{text}\n\nAnswer:", name=form, **how)
            settings = replace(model.settings, cache=tmp_path / f"{form}.sqlite")
            (foreseen,) = prompt_costs(source, given, prompts=settings).prompts
            votes = assay.apply(source, given, tasks, prompts=settings, progress=False)
            with AnswerCache(settings.cache) as cache:
                (spent_,) = cache.kept()
            assert votes.faults == ()
            assert (foreseen.basis, foreseen.questions) == ("tokenizer", spent_.answers)
            assert foreseen.input_tokens == spent_.input_tokens
            assert foreseen.input_tokens + foreseen.output_tokens == pytest.approx(
                spent_.input_tokens + spent_.output_tokens, rel=0.05
            )


def test_questions_are_counted_as_they_are_asked(tmp_path):
    some = [
        prompt("{text}", answers=["not spam", "not sure"], name="forced"),
        prompt("{text}", answers=ANSWERS, calibrate=True, name="calibrated"),
        prompt("{text}", answers=ANSWERS, samples=3, name="samples"),
        prompt("{text}", answers=ANSWERS, calibrate=True, name="the same"),
    ]
    data = [*rows(5), *rows(3), {"text": None}]
    with ModelServer() as server:
        settings = PromptSettings(base_url=server.base_url, model="m")
        costs = prompt_costs(some, data, prompts=settings)
    assert [one.questions for one in costs.prompts] == [10, 6, 15, 0]
    assert costs.cost is None
    assert list(costs.to_pandas()["source"]) == ["forced", "calibrated", "samples", "the same"]


def test_how_it_is_told():
    settings = PromptSettings(base_url="http://127.0.0.1:1/v1", model="m", prices=PRICES, budget=0.01)
    costs = prompt_costs(sources(), rows(10), prompts=settings)
    assert str(costs).startswith("20 questions, about ")
    assert str(costs).endswith(" of 0.01, more than the budget")
    assert costs.to_dict()["budget"] == 0.01
    assert prompt_costs(sources()[2], rows(3)).cost == 0
