"""Answers, and how they are found in what a model says or in its probabilities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import SourceError
from assay.llm import Token
from assay.sources.prompt_answers import Answers, UnreadableError, calibrated

YES_NO = Answers.of({"yes": "Spam", "no": None})
LONG = Answers.of({"spam": "Spam", "not spam": "Ham", "not sure": None})


@pytest.mark.parametrize(
    ("text", "number"),
    [("spam", 0), ("Not  spam.", 1), ('"not sure"', 2), ("**Spam**", 0), ("Not spam, I think", 1),
     ("spam\n\nBecause", 0),
     ('{"answer": "not spam"}', 1), ('"spam"', 0), ("I looked at it. Answer: not sure", 2), ("The answer is spam.", 0)],
)  # fmt: skip
def test_an_answer_is_read(text, number):
    assert LONG.read(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "This is not spam", "spam or not spam", "no idea", "not", "spammer", "I cannot answer spam", "[]", '{"a": 1}'],
)
def test_what_is_no_answer_is_not_guessed_at(text):
    with pytest.raises(UnreadableError, match="expected one of the answers 'spam', 'not spam', 'not sure', but"):
        LONG.read(text)


def test_a_beginning_is_enough_if_the_answer_was_cut():
    assert LONG.read("not su", finished=False) == 2
    assert LONG.read("spam", finished=False) == 0
    with pytest.raises(UnreadableError):
        LONG.read("not s", finished=False)
    with pytest.raises(UnreadableError):
        LONG.read("", finished=False)


@given(st.lists(st.text("abcXYZ -,.", min_size=1), min_size=2, unique=True))
def test_every_answer_reads_itself(texts):
    try:
        answers = Answers.of(texts)
    except SourceError:
        return
    assert [answers.read(text) for text in texts] == list(range(len(texts)))


@pytest.mark.parametrize(
    ("given", "what"),
    [("yes", "must be a dict"), (None, "must be a dict"), ({"yes": "A"}, "at least two"),
     ({"yes": None, "no": None}, "not None"),
     ({"Yes": "A", "yes.": "B"}, "differ by more than case"), ({1: "A", "b": "B"}, "must be texts"),
     (["...", "b"], "must be texts")],
)  # fmt: skip
def test_answers_that_cannot_be_told_apart_are_refused(given, what):
    with pytest.raises(SourceError, match=what):
        Answers.of(given)


@pytest.mark.parametrize(
    ("texts", "apart"),
    [(["yes", "no"], True), (["Doctor", "Dentist"], True), (["spam", "not spam", "not sure"], False),
     (["positive", "possible"], False), (["a dog", "a cat"], False), (["no", "none"], False)],
)  # fmt: skip
def test_whether_answers_begin_apart(texts, apart):
    assert Answers.of(texts).begin_apart is apart


def token(**top):
    return Token(next(iter(top)), -1.0, tuple((text, math.log(p)) for text, p in top.items()))


def test_probabilities_of_answers_are_those_of_the_tokens_that_begin_them():
    said = token(Yes=0.3, yes=0.1, No=0.2, This=0.3, **{" no": 0.1, "Y": 0.1, "": 0.01})
    assert YES_NO.from_token(said).tolist() == pytest.approx([0.5 / 0.8, 0.3 / 0.8])
    assert YES_NO.from_token(token(This=0.9)) is None


def test_a_token_that_is_an_answer_is_that_answer():
    answers = Answers.of(["no", "none"])
    assert answers.from_token(token(no=0.5, n=0.2, non=0.5)).tolist() == pytest.approx([0.5, 0.5])


@given(st.lists(st.floats(-700, 0), min_size=2, max_size=5))
def test_probabilities_of_whole_answers(logs):
    found = Answers.of([str(n) for n in range(len(logs))]).from_logprobs(logs)
    assert found.sum() == pytest.approx(1)
    assert found.argmax() == int(np.argmax(found))
    assert np.log(found[found > 0])[0] - np.log(found.max()) == pytest.approx(
        logs[int(np.flatnonzero(found > 0)[0])] - max(logs), abs=1e-6
    )


def test_answers_that_mean_the_same_count_together():
    answers = Answers.of({"a": "X", "b": "Y", "c": "Y"})
    code, score = answers.decided(np.array([0.4, 0.3, 0.3]))
    assert (answers.votes[1][code], score) == ("Y", pytest.approx(0.6))


def test_a_tie_and_an_answer_that_means_nothing_are_abstentions():
    assert YES_NO.decided(np.array([0.5, 0.5]))[0] == -1
    assert YES_NO.decided(np.array([0.4, 0.6]))[0] == -1
    assert YES_NO.decided(np.array([0.6, 0.4])) == (0, pytest.approx(0.6))


def test_votes_may_be_over_several_tasks():
    answers = Answers.of({"a": {"t": "X", "u": None}, "b": {"t": "Y"}, "c": None})
    assert answers.decided(answers.one_hot(1)) == (1, 1.0)
    assert answers.votes[1] == [{"t": "X", "u": None}, {"t": "Y"}]


@given(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), st.lists(st.floats(0.001, 1), min_size=3, max_size=3))
def test_calibration_makes_an_empty_row_even_and_keeps_the_rest_in_order(one, empty):
    p, q = (np.array(weights) / sum(weights) for weights in (one, empty))
    assert calibrated(q, q) == pytest.approx(1 / 3)
    assert calibrated(p, np.full(3, 1 / 3)) == pytest.approx(p)
    assert calibrated(p, q).sum() == pytest.approx(1)
