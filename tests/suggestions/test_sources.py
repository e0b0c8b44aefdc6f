"""Suggested sources: from texts to rules with figures that can be counted again, by a real server."""

import json

import pytest

import assay
from assay import PromptSettings, Task, TaskGraph, apply, keywords, prompt
from assay.errors import DataError, SourceError
from assay.suggestions import suggest_sources, suggestion_costs
from tests.support.local_model import started
from tests.support.model_server import ModelServer, completion

MAIL = TaskGraph([Task("mail", ["Ham", "Spam"])])
ROWS = [
    {"text": f"{words} {number}, and so on, and so forth"}
    for number in range(30)
    for words in ("win a prize now", "see you at lunch", "a prize, see you", "nothing here")
]
GOOD = [
    {"label": "Spam", "kind": "keywords", "patterns": ["prize", "lottery"]},
    {"label": "Ham", "kind": "regex", "patterns": ["see (you|me)", "lunch"]},
    {"label": "Spam", "kind": "regex", "patterns": ["[a-z0-9]"]},
]


def answering(*rules):
    return lambda body, before: completion(json.dumps({"rules": list(rules)}), asked=body)


def suggested(server, rows=ROWS, tasks=MAIL, **more):
    settings = PromptSettings(base_url=server.base_url, model="m", **more.pop("settings", {}))
    return suggest_sources(tasks, rows, on="text", prompts=settings, progress=False, **more)


def test_rules_come_with_figures_that_can_be_counted_again():
    others = [
        keywords(["win"], "Spam", on="text", name="win"),
        keywords(["lunch"], "Ham", on="text", name="ham_pattern"),
        prompt("never asked {text}", answers=["Spam", "Ham"], name="p"),
    ]
    with ModelServer(answering(*GOOD)) as server:
        found = suggested(server, others=others)
        assert sum(server.asked.values()) == 2  # questions about a hundred texts; the prompt is not asked
    spam, ham = found.sources
    assert [(one.name, one.label, one.votes) for one in found.sources] == [
        ("spam_words", "Spam", 60),
        ("ham_pattern_2", "Ham", 60),
    ]
    assert spam.coverage == ham.coverage == 0.5
    assert (spam.met, spam.agreement) == (30, 1.0)
    assert (ham.met, ham.agreement) == (30, 1.0)
    assert (spam.met_suggested, spam.agreement_suggested) == (30, 0.0)
    assert {one.why for one in found.refused} == {
        "none of 120 texts has it", "it was proposed before", "it matches every text",
    }  # fmt: skip
    votes = apply([one.source for one in found.sources], ROWS, MAIL)
    assert votes.to_pandas().notna().sum().to_dict() == {"spam_words": 60, "ham_pattern_2": 60}
    assert list(found.to_pandas()["coverage"]) == [0.5, 0.5]
    assert json.loads(json.dumps(found.to_dict()))["items_measured"] == 120


def test_the_order_of_rows_does_not_count():
    with ModelServer(answering(*GOOD)) as server:
        one = suggested(server, items=20)
        asked = dict(server.asked)
        other = suggested(server, rows=ROWS[::-1], items=20)
        assert set(server.asked) == set(asked)
        suggested(server, items=20, seed=1)
        assert len(server.asked) == 2
    assert one.to_pandas().equals(other.to_pandas())
    assert one.shown == 20


def test_labels_that_tasks_share_get_their_task():
    tasks = TaskGraph([Task("size", ["big", "other"]), Task("colour", ["red", "other"])])
    rules = [{"label": "size: other", "kind": "keywords", "patterns": ["lunch"]}]
    with ModelServer(answering(*rules)) as server:
        (found,) = suggested(server, tasks=tasks).sources
    assert (found.task, found.label, found.source.task) == ("size", "other", "size")


def test_hostile_answers_give_no_source():
    hostile = [
        "import os; os.system('true')",
        json.dumps({"rules": [{"label": "Root", "kind": "keywords", "patterns": ["prize"]}]}),
        json.dumps({"rules": [{"label": "Spam", "kind": "regex", "patterns": ["(" * 50, ".*", "a{99999}"]}]}),
        '{"rules": [' + "[" * 2000,
    ]
    for text in hostile:
        with ModelServer(lambda body, before, text=text: completion(text)) as server:
            found = suggested(server)
        assert found.sources == ()
        assert found.refused


def test_costs_are_told_and_a_budget_is_kept():
    prices = {"m": {"input": 1000.0, "output": 1000.0}}
    with ModelServer(answering(*GOOD), tokenizer=True) as server:
        settings = PromptSettings(base_url=server.base_url, model="m", prices=prices)
        costs = suggestion_costs(MAIL, ROWS, on="text", prompts=settings)
        assert not server.asked
        found = suggested(server, settings={"prices": prices, "budget": 5.5})
        assert 0 < len(server.answered) < costs.questions
    assert costs.prompts[0].basis == "tokenizer"
    assert found.sources
    assert any("the budget of 5.5 has no room" in one.why for one in found.refused)


def test_what_is_missing_is_said_before_anything_is_asked():
    with pytest.raises(SourceError, match="nobody said which model to ask: give base_url and model"):
        suggest_sources(MAIL, ROWS, on="text", prompts=PromptSettings())
    settings = PromptSettings(base_url="http://127.0.0.1:1/v1", model="m")
    with pytest.raises(DataError, match="no column 'txt'"):
        suggest_sources(MAIL, ROWS, on="txt", prompts=settings)
    with pytest.raises(DataError, match="there are no rows"):
        suggest_sources(MAIL, [], on="text", prompts=settings)
    with pytest.raises(DataError, match="'text' has no texts"):
        suggest_sources(MAIL, [{"text": " "}, {"text": None}], on="text", prompts=settings)
    with pytest.raises(SourceError, match="items must be"):
        suggest_sources(MAIL, ROWS, on="text", prompts=settings, items=0)


def test_the_real_model_is_asked(tmp_path):
    with started() as model:
        settings = PromptSettings(base_url=model.base_url, model="smollm2-135m", timeout=120)
        found = assay.suggest_sources(MAIL, ROWS, on="text", prompts=settings, items=8, progress=False)
    assert found.sources or found.refused  # whatever it says
    assert all(one.votes for one in found.sources)
