"""Simulated answers are gold, of a random sample, and never replace what a person said."""

import json

import numpy as np
import pytest

from assay.gold import HandAnswer, append_answer
from assay.project import Project, hand_labels_of
from assay.project.demo import write_example
from assay.project.demo.simulated_answers import SIMULATED, simulate_answers


@pytest.fixture
def project(tmp_path):
    write_example(tmp_path, 300, 7)
    return Project.load(tmp_path)


@pytest.fixture
def gold(project):
    return [json.loads(line) for line in (project.folder / "gold.jsonl").read_text().splitlines()]


def test_they_are_the_gold_of_texts_that_may_be_asked_about(project, gold):
    may_ask = np.arange(300) % 3 > 0
    assert simulate_answers(project, gold, may_ask, seed=1) == 100
    hand = hand_labels_of(project)
    assert hand.people == (SIMULATED,)
    assert len(hand) == 100
    for item, answer in hand.answers.items():
        assert may_ask[item]
        assert answer == {task: gold[item][task] for task in project.tasks.names}
    assert {one.chance for one in hand.said} == {1 / 3}
    before = project.hand_labels[0].read_bytes()
    simulate_answers(project, gold, may_ask, seed=1)
    assert project.hand_labels[0].read_bytes() == before
    simulate_answers(project, gold, may_ask, seed=2)
    assert project.hand_labels[0].read_bytes() != before


def test_of_few_texts_half_are_asked_about(project, gold):
    assert simulate_answers(project, gold, np.arange(300) < 21, seed=1) == 10


def test_what_a_person_said_stays(project, gold):
    append_answer(project.hand_labels[0], HandAnswer(3, "ann", {"entity": "Person"}))
    before = project.hand_labels[0].read_bytes()
    assert simulate_answers(project, gold, np.ones(300, dtype=bool), seed=1) == 0
    assert project.hand_labels[0].read_bytes() == before
