"""What a user may say of the class balance: every form says the same in each component, and mistakes are explained."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.model.known_balance import balance_beliefs
from assay.model.settings import plain
from tests.support.strategies import task_graphs


def said(beliefs):
    """Statements as plain values."""
    return [None if belief is None else [told(one) for one in belief.statements] for belief in beliefs]


def told(statement):
    outcomes, among = (np.flatnonzero(mask).tolist() for mask in (statement.outcomes, statement.among))
    return outcomes, among, statement.low, statement.high


@pytest.fixture
def mail():
    return assay.TaskGraph.flat("mail", ["Spam", "Ham", "News"])


def test_nothing_is_said(pair, entities):
    assert balance_beliefs(None, pair) == [None, None]
    assert balance_beliefs({}, entities) == balance_beliefs({"entity": {}}, entities) == [None]


def test_a_vector_for_each_component(pair):
    found = balance_beliefs([[0.2, 0.8], (0.5, 0.5)], pair)
    assert [belief.vector.tolist() for belief in found] == [[0.2, 0.8], [0.5, 0.5]]
    one, other = balance_beliefs([None, np.array([0.5, 0.5])], pair)
    assert one is None
    assert other.vector.tolist() == [0.5, 0.5]
    for wrong in ([0.2, 0.3, 0.5], 0.5, [[0.2, 0.8]]):
        with pytest.raises(assay.AssayError, match="one entry for each of the 2 components"):
            balance_beliefs(wrong, pair)


def test_strength_and_items_go_along(mail):
    for form in ([0.2, 0.3, 0.5], {"Spam": 0.2}):
        (belief,) = balance_beliefs(form, mail, strength="exact", of="voted")
        assert (belief.strength, belief.of) == ("exact", "voted")


def test_by_label(mail):
    assert said(balance_beliefs({"Spam": 0.15}, mail)) == [[([0], [0, 1, 2], 0.15, 0.15)]]
    assert said(balance_beliefs({"Spam": (0.1, 0.2), "News": [0, 0.5]}, mail)) == [
        [([0], [0, 1, 2], 0.1, 0.2), ([2], [0, 1, 2], 0.0, 0.5)]
    ]


def test_by_task_it_is_a_share_of_what_the_task_applies_to(entities):
    by_task = balance_beliefs({"entity": {"Person": (0.5, 0.7)}, "org": {"Office": 0.25}}, entities)
    assert said(by_task) == [[([0, 1], [0, 1, 2, 3], 0.5, 0.7), ([3], [2, 3], 0.25, 0.25)]]
    assert said(balance_beliefs({"Person": (0.5, 0.7), "Office": 0.25}, entities)) == said(by_task)
    assert said(balance_beliefs({"Person": (0.5, 0.7), "org": {"Office": 0.25}}, entities)) == said(by_task)


def test_each_component_hears_what_concerns_it(pair):
    assert said(balance_beliefs({"bad": 0.3}, pair)) == [[([1], [0, 1], 0.3, 0.3)], None]
    both = balance_beliefs({"food": {"good": 0.9}, "mood": {"good": 0.4}}, pair)
    assert [belief.vector.round(12).tolist() for belief in both] == [[0.4, 0.6], [0.9, 0.1]]


def test_the_labels_of_a_matrix_are_its_class_numbers():
    tasks = assay.Votes.from_matrix([[0, 1, 2]]).tasks
    expected = [[([1], [0, 1, 2], 0.15, 0.15)]]
    for key in (1, "1", np.int64(1)):
        assert said(balance_beliefs({key: 0.15}, tasks)) == expected
        assert said(balance_beliefs({"label": {key: 0.15}}, tasks)) == expected


def test_a_label_may_be_called_like_a_task():
    tasks = assay.TaskGraph([assay.Task("spam", ["spam", "ham"])])
    assert said(balance_beliefs({"spam": 0.2}, tasks)) == said(balance_beliefs({"spam": {"spam": 0.2}}, tasks))


def test_figures_for_all_labels_determine_the_balance(mail, entities):
    (belief,) = balance_beliefs({"News": 0.5, "Spam": 0.3, "Ham": 0.2}, mail)
    assert belief.vector.tolist() == [0.3, 0.2, 0.5]
    (belief,) = balance_beliefs({"Person": 0.6, "Doctor": 0.5, "org": {"Hospital": 0.25}}, entities)
    np.testing.assert_allclose(belief.vector, [0.3, 0.3, 0.1, 0.3])
    (belief,) = balance_beliefs({"News": 0.3333333, "Spam": 0.3333333, "Ham": 0.3333333}, mail)
    np.testing.assert_allclose(belief.vector, 1 / 3, rtol=1e-12)


def test_the_only_label_of_a_task_says_nothing():
    tasks = assay.TaskGraph([assay.Task("a", ["x", "y"]), assay.Task("b", ["z"], parent=("a", "x"))])
    assert balance_beliefs({"z": (0.5, 1)}, tasks) == [None]


@given(task_graphs(), st.data())
def test_what_json_makes_of_it_says_the_same(tasks, data):
    """And every true statement about some balance can be said of any task graph."""
    given_balance = {}
    for component in tasks.label_space.components:
        weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(component), max_size=len(component))))
        for task, names in zip(component.tasks, component.labels, strict=True):
            codes = component.label_of(task)
            shares = [weights[codes == code].sum() / weights[codes >= 0].sum() for code in range(len(names))]
            if len(names) > 1:
                room = data.draw(st.sampled_from([0.0, 0.1]))
                given_balance[task] = {
                    name: (max(share - room, 0), min(share + room, 1)) if room else share
                    for name, share in zip(names, shares, strict=True)
                }
    assert said(balance_beliefs(plain(given_balance), tasks)) == said(balance_beliefs(given_balance, tasks))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"Docter": 0.2}, "no task has the label 'Docter'. Did you mean 'Doctor'?"),
        ({7: 0.2}, "no task has the label '7'. Known: "),
        ({True: 0.2}, "no task has the label True. "),
        ({"entty": {"Person": 0.2}}, "there is no task 'entty'. Did you mean 'entity'?"),
        ({"entity": {"Persn": 0.2}}, "task 'entity' has no label 'Persn'. Did you mean 'Person'?"),
        ({"entity": {"Doctor": 0.2}}, "task 'entity' has no label 'Doctor'. Task 'person' has it."),
        ({"entity": 0.2}, "'entity' is a task, so give shares of its labels, as in {'entity': {'Person': 0.5}}"),
        ({"entity": {"Person": 0.2}, "Person": 0.2}, "the share of 'Person' is given twice"),
        ({"Doctor": 0}, "the share of 'Doctor' must be between 0 and 1, but is 0."),
        ({"Doctor": 1.0}, "the share of 'Doctor' must be between 0 and 1, but is 1.0."),
        ({"Doctor": 15}, "must be between 0 and 1, but is 15. 15% is 0.15."),
        ({"Doctor": (-0.1, 0.5)}, r"must be between 0 and 1, but is (-0.1, 0.5)"),
        ({"Doctor": float("nan")}, "must be between 0 and 1, but is nan"),
        ({"Doctor": (0.5, 0.2)}, "the range of 'Doctor' must go from low to high, but is (0.5, 0.2)"),
        ({"Doctor": "most"}, "must be a number between 0 and 1, or a range such as (0.1, 0.2), but is 'most'"),
        ({"Doctor": True}, "must be a number between 0 and 1"),
        ({"Doctor": None}, "must be a number between 0 and 1"),
        ({"Doctor": [0.1, 0.2, 0.3]}, "must be a number between 0 and 1"),
        ({"Doctor": 0.7, "Lawyer": 0.5}, "the shares of all labels of 'person' must sum to one, but sum to 1.2"),
        ({"Doctor": 0.2, "Lawyer": 0.5}, "the shares of all labels of 'person' must sum to one, but sum to 0.7"),
        ({"Doctor": (0.7, 0.8), "Lawyer": (0.5, 0.6)}, "the lowest shares of labels of 'person' sum to 1.2"),
        ({"Doctor": (0.1, 0.2), "Lawyer": 0.5}, "the highest shares of all labels of 'person' sum to 0.7"),
    ],
    ids=str,
)
def test_mistakes_are_explained(entities, wrong, message):
    with pytest.raises(assay.AssayError) as caught:
        balance_beliefs(wrong, entities)
    assert str(caught.value).startswith("class_balance: ")
    assert message in str(caught.value)


def test_labels_that_are_left_out_need_something(mail):
    with pytest.raises(assay.AssayError, match=r"the shares of labels of 'mail' sum to 1\.1, which is more than one"):
        balance_beliefs({"Spam": 0.6, "Ham": 0.5}, mail)
    with pytest.raises(assay.AssayError, match="sum to one, which leaves nothing for 'News'"):
        balance_beliefs({"Spam": 0.6, "Ham": 0.4}, mail)


def test_a_label_of_several_tasks_is_asked_about(pair):
    with pytest.raises(assay.AssayError) as caught:
        balance_beliefs({"good": 0.3}, pair)
    assert "is in the tasks 'mood', 'food'; say which one is meant, as in {'mood': {'good': 0.3}}" in str(caught.value)


def test_shares_that_logic_rules_out():
    tasks = assay.TaskGraph(
        [assay.Task("animal", ["cat", "dog"]), assay.Task("sound", ["meow", "other"])],
        constraints=[assay.implies(("animal", "cat"), ("sound", "meow"))],
    )
    (belief,) = balance_beliefs({"cat": 0.3, "meow": 0.6}, tasks)
    assert belief.vector is not None
    with pytest.raises(assay.AssayError, match="shares for the tasks 'animal', 'sound' cannot all hold"):
        balance_beliefs({"cat": 0.6, "meow": (0.1, 0.3)}, tasks)
