from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Task, TaskGraph, VoteError, none_of, one_of
from assay.tasks import LabelSet, as_label_set
from assay.tasks.label_space import texts_of
from tests.support.oracles import allowed, meaning
from tests.support.strategies import full_vectors, partial_vectors, task_graphs

PETS = TaskGraph.flat("pet", ["cat", "dog", "fish", "bird"])
MAIL = TaskGraph.flat("mail", ["Ham", "Spam"])


@given(st.data())
def test_a_vote_with_sets_allows_the_outcomes_that_agree_with_it_and_only_those(data):
    tasks = data.draw(task_graphs(3))
    said = data.draw(partial_vectors(tasks))
    vote = tasks.label_space.vote(said)
    for component in tasks.label_space.components:
        mask = component.allows(vote)
        for outcome, allows in zip(component.outcomes, mask.tolist(), strict=True):
            agrees = [outcome[task] in labels for task, labels in meaning(tasks, said).items() if task in outcome]
            assert allows == all(agrees)


@given(st.data())
def test_votes_are_equal_if_and_only_if_they_mean_the_same(data):
    tasks = data.draw(task_graphs(2))
    one, other = (data.draw(partial_vectors(tasks)) for _ in range(2))
    votes = [tasks.label_space.vote(said) for said in (one, other)]
    assert (votes[0] == votes[1]) == (meaning(tasks, one) == meaning(tasks, other))
    assert len(set(votes)) == 1 + (votes[0] != votes[1])
    if votes[0] == votes[1]:
        assert allowed(tasks, one) == allowed(tasks, other)


@given(st.data())
def test_a_vote_comes_back_from_json_and_from_itself(data):
    tasks = data.draw(task_graphs(3))
    vote = tasks.label_space.vote(data.draw(partial_vectors(tasks)))
    assert tasks.label_space.vote(vote) == vote
    assert tasks.label_space.vote(json.loads(json.dumps(vote.to_dict()))) == vote


@given(st.data())
def test_a_negation_and_its_label_are_the_two_halves_of_all_outcomes(data):
    tasks = data.draw(task_graphs(3))
    domains = {task.name: {vector[task.name] for vector in full_vectors(tasks)} for task in tasks}
    task, label = data.draw(st.sampled_from([(t, label) for t in domains for label in sorted(domains[t], key=str)]))
    if len(domains[task]) == 1:
        with pytest.raises(VoteError, match="rules out every label"):
            tasks.label_space.vote({task: none_of(label)})
        return
    component = tasks.label_space.components[tasks.label_space.component_of(task)]
    plain, negation = (component.allows(tasks.label_space.vote({task: said})) for said in (label, none_of(label)))
    assert (plain != negation).all()


@given(st.data())
def test_the_texts_of_different_votes_differ_whatever_the_labels_are_called(data):
    names = ["a", "b", "c", "a or b", "not a", "not c", "N/A", "neither a nor b", "b or N/A", "t=a"]
    labels = data.draw(st.lists(st.sampled_from(names), min_size=2, unique=True))
    tasks = TaskGraph([Task("t", labels), Task("u", data.draw(st.permutations(labels)), parent=("t", labels[0]))])
    said = data.draw(st.lists(partial_vectors(tasks), min_size=1, max_size=12))
    votes = list({tasks.label_space.vote(vector) for vector in said})
    assert len(set(texts_of(votes))) == len(votes)
    beside = list(zip([vote.tasks for vote in votes], texts_of(votes, beside_tasks=True), strict=True))
    assert len(set(beside)) == len(votes)


def test_what_is_left_alone_is_a_plain_vote(entities):
    vote = entities.label_space.vote
    assert MAIL.label_space.vote(none_of("Ham")) == MAIL.label_space.vote("Spam")
    assert vote(one_of("Doctor")) == vote("Doctor")
    assert vote(none_of("Doctor", "Lawyer")) == vote(("person", None))
    assert vote({"org": one_of("Office", None)}) == vote(none_of("Hospital"))


def test_sets_are_put_in_the_words_that_are_shorter(entities):
    pet, vote = PETS.label_space.vote, entities.label_space.vote
    assert str(pet(one_of("fish", "dog"))) == "dog or fish"
    assert str(pet(one_of("fish", "dog", "cat"))) == "not bird"
    assert str(pet(none_of("fish"))) == "not fish"
    assert str(pet(none_of("fish", "dog"))) == "cat or bird"
    five = TaskGraph.flat("letter", list("abcde")).label_space.vote
    assert str(five(none_of("d", "b"))) == "neither b nor d"
    assert str(vote(one_of("Doctor", "Lawyer"))) == "Doctor or Lawyer"  # not "not N/A"
    assert str(vote(none_of("Doctor"))) == "not Doctor"
    assert str(vote({"entity": "Organization", "org": none_of("Office"), "person": None})) == (
        "entity=Organization, person=N/A, org=not Office"
    )


def test_not_a_doctor_may_be_a_hospital(entities):
    assert entities.label_space.allows(none_of("Doctor")).tolist() == [False, True, True, True]
    assert entities.label_space.allows(one_of("Doctor", "Lawyer")).tolist() == [True, True, False, False]


def test_equal_sets_are_equal_in_any_order():
    assert one_of("a", "b") == one_of("b", "a", "a")
    assert hash(none_of("a", None)) == hash(none_of(None, "a"))
    assert one_of("a") != none_of("a")
    assert repr(one_of("b", None, "a")) == "one_of('a', 'b', None)"


def test_the_form_of_json_is_not_taken_for_a_vote_on_a_task_of_that_name():
    tasks = TaskGraph([Task("one_of", ["x", "y", "z"])])
    assert tasks.label_space.vote({"one_of": "x"}) == tasks.label_space.vote("x")
    assert tasks.label_space.vote({"one_of": ["x", "y"]}) == tasks.label_space.vote(one_of("x", "y"))
    assert tasks.label_space.vote({"one_of": {"one_of": ["x", "y"]}}) == tasks.label_space.vote(none_of("z"))
    assert as_label_set({"one_of": "x"}) is None
    assert as_label_set({"one_of": ["x"], "none_of": ["y"]}) is None
    assert as_label_set("x") is None


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (one_of("Person", "Organization"), "allows every label of task 'entity', so it says nothing; return None"),
        ({"person": one_of("Doctor", "Lawyer", None)}, "allows every label of task 'person', so it says nothing"),
        (none_of("Person", "Organization"), "rules out every label of task 'entity'"),
        (one_of("Person", None), "None means N/A, but task 'entity' always applies"),
        (one_of("Doctor", "Hospital"), "must be of one task, but are 'Doctor' of 'person', 'Hospital' of 'org'"),
        (one_of("Docter", "Lawyer"), "no task has the label 'Docter'. Did you mean 'Doctor'?"),
        ({"person": none_of("Docter")}, "task 'person' has no label 'Docter'. Did you mean 'Doctor'?"),
        ({"person": none_of("Office")}, "task 'person' has no label 'Office'. Task 'org' has it."),
        ({"entity": "Organization", "person": one_of("Doctor", "Lawyer")}, "no feasible outcome has entity=Org"),
        ({"person": {"one_of": []}}, "one_of\\(\\) needs at least one label; return None to abstain"),
        ({"one_of": [1]}, "one_of\\(\\) takes label names, but got 1 \\(int\\)"),
        (one_of(None), "say which one with {'entity': one_of\\(None\\)} or"),
        (["Doctor", "Lawyer"], "but got .* \\(list\\); assay.one_of\\(...\\) votes for one of several labels"),
    ],
)
def test_a_set_that_cannot_be_is_refused(entities, said, complaint):
    with pytest.raises(VoteError, match=complaint):
        entities.label_space.vote(said)


def test_sets_are_made_of_labels():
    for make in (one_of, none_of):
        with pytest.raises(VoteError, match=f"{make.__name__}\\(\\) needs at least one label; return None to abstain"):
            make()
        with pytest.raises(VoteError, match=f"\\(list\\); write {make.__name__}\\(\\*labels\\) for a list of them"):
            make(["a", "b"])
        with pytest.raises(VoteError, match=r"takes label names, but got 3 \(int\)$"):
            make("a", 3)


def test_labels_shared_by_tasks_need_the_task():
    tasks = TaskGraph([Task("t", ["a", "b", "c"]), Task("u", ["a", "b", "d"])])
    with pytest.raises(VoteError, match=r"are in 2 tasks: say which one with {'t': one_of.*} or {'u': one_of"):
        tasks.label_space.vote(one_of("a", "b"))
    assert tasks.label_space.vote(one_of("a", "d")).tasks == ("u",)
    assert tasks.label_space.vote(one_of("a", "b"), "u").tasks == ("u",)
    with pytest.raises(VoteError, match=r"task 'u' has no label 'c'. Task 't' has it."):
        tasks.label_space.vote(one_of("a", "c"), "u")


def test_a_set_knows_its_labels():
    assert "a" in one_of("a", "b")
    assert "c" in none_of("a", "b")
    assert "a" not in LabelSet(("a",), negated=True)
    vote = PETS.label_space.vote(none_of("cat"))
    assert vote.labels_of("pet", PETS["pet"].labels) == ("dog", "fish", "bird")
    assert vote.labels_of("food", ["cat"]) == ()
