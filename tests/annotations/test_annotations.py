"""Annotations as hand labels and as votes."""

import pytest

import assay
from assay import Annotation, Annotations

MAILS = assay.TaskGraph.flat("mail", ["ham", "spam"])


def test_hand_labels_and_votes_say_the_same(entities):
    said = Annotations(
        "label-studio",
        (
            Annotation("a", "ann", ("Person",), "entity"),
            Annotation("a", "ann", ("Doctor",), "person"),
            Annotation("b", "ann", ("Organization",), "entity"),
            Annotation("a", "bob", ("Person",), "entity"),
        ),
    )
    assert said.hand_labels(entities).answers == {
        "a": {"entity": "Person", "person": "Doctor"},
        "b": {"entity": "Organization"},
    }
    votes = said.votes(entities)
    assert votes.names == ("ann", "bob")
    assert votes.items.tolist() == ["a", "b"]
    outcomes = [entities.label_space.outcomes[at]["person"] for at in assay.majority_vote(votes).argmax(axis=1)]
    assert outcomes[0] == "Doctor"


def test_labels_find_their_task_by_name(entities):
    said = Annotations("doccano", (Annotation(1, "ann", ("Person", "Doctor")),))
    assert said.hand_labels(entities).answers == {1: {"entity": "Person", "person": "Doctor"}}


def test_any_number_of_labels(tmp_path):
    tasks = assay.TaskGraph([assay.Task("topics", ["art", "sports", "news"], multiple=True)])
    said = Annotations("doccano", (Annotation(0, "ann", ("art", "news")), Annotation(1, "ann", ("sports",))))
    votes = assay.Votes.from_columns(tasks, {"s": ("topics", [["art"], ["art"]])})
    found = said.hand_labels(tasks).gold_for(votes)
    assert len(found) == 2
    assert said.hand_labels(tasks).answers[0]["topics: sports"] == "not sports"


def test_a_label_that_was_found_wrong_is_a_vote_against_it():
    tasks = assay.TaskGraph.flat("mail", ["ham", "spam", "ad"])
    said = Annotations("prodigy", (Annotation(0, "ann", rejected="spam"), Annotation(1, "ann", ("ad",))))
    assert said.votes(tasks).to_pandas()["ann"].tolist() == ["not spam", "ad"]
    assert said.hand_labels(tasks).answers == {1: {"mail": "ad"}}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Annotation(1, "ann", ("scam",)), "no task has the label 'scam'.*spam"),
        (Annotation(1, "ann", ("ham", "spam")), "two labels of task 'mail'"),
    ],
)
def test_labels_that_do_not_fit_are_refused(said, why):
    with pytest.raises(assay.DataError, match=why):
        Annotations("doccano", (said,)).hand_labels(MAILS)


def test_labels_of_several_tasks_ask_which_is_meant(pair):
    said = Annotations("doccano", (Annotation(1, "ann", ("good",)),))
    with pytest.raises(assay.DataError, match="task="):
        said.hand_labels(pair)
    assert said.hand_labels(pair, task="food").answers == {1: {"food": "good"}}
    with pytest.raises(assay.DataError, match=r"no task.*mood"):
        Annotations("argilla", (Annotation(1, "ann", ("good",), "moood"),)).hand_labels(pair)


def test_votes_without_a_task_graph_have_the_labels_that_occur():
    said = Annotations("mturk", (Annotation(1, "w", ("yes",), "q"), Annotation(2, "w", ("no",), "q")))
    assert said.votes().tasks.names == ("q",) or list(said.votes().tasks.names) == ["q"]
    several = Annotations("mturk", (*said.said, Annotation(2, "w", ("no",), "r")))
    with pytest.raises(assay.DataError, match="give tasks="):
        several.votes()
    with pytest.raises(assay.DataError, match="nobody gave a label"):
        Annotations("mturk", (Annotation(1, "w"),)).votes(MAILS)
    assert len(said) == 2
    assert said.to_pandas()["label"].tolist() == ["yes", "no"]
