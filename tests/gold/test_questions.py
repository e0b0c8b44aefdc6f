"""Questions lead to an outcome, and never twice to the same place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.gold import Question, next_question
from tests.support.strategies import task_graphs


@given(task_graphs(), st.data())
def test_answers_to_all_questions_settle_everything(tasks, data):
    answer = {}
    while (question := next_question(tasks, answer)) is not None:
        assert question.task not in answer
        assert len(question.options) > 1
        answer[question.task] = data.draw(st.sampled_from(question.options))
        assert len(answer) <= len(tasks)
    for component in tasks.label_space.components:
        said = tuple((task, label) for task, label in answer.items() if task in component.tasks)
        assert component.allows(assay.Vote(said)).sum() == 1


@given(task_graphs(), st.data())
def test_what_is_not_known_is_not_asked_again_and_what_is_said_stays_possible(tasks, data):
    answer, unknown = {}, []
    while (question := next_question(tasks, answer, unknown)) is not None:
        assert question.task not in [*answer, *unknown]
        if data.draw(st.booleans()):
            unknown.append(question.task)
        else:
            answer[question.task] = data.draw(st.sampled_from(question.options))
    if answer:
        assert tasks.label_space.vote(answer)


def test_down_the_hierarchy(entities):
    assert next_question(entities, {}) == Question("entity", ("Person", "Organization"))
    assert next_question(entities, {"entity": "Organization"}) == Question("org", ("Hospital", "Office"))
    assert next_question(entities, {"entity": "Organization", "org": "Office"}) is None
    assert next_question(entities, {}, ["entity"]) is None


def test_unrelated_tasks_are_all_asked(pair):
    assert next_question(pair, {"mood": "bad"}) == Question("food", ("good", "cold"))
    assert next_question(pair, {}, ["mood"]) == Question("food", ("good", "cold"))
