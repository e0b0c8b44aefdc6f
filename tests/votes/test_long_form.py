"""Columns of long tables are told apart by what crowds call them."""

import pytest

import assay
from assay.votes.long_form import long_columns, looks_long

UNKNOWN = {"item": None, "source": None, "label": None}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["task", "worker", "label"], ("task", "worker", "label")),
        (["WorkerId", "label", "Item"], ("Item", "WorkerId", "label")),
        (["sentence_id", "rater", "answer", "time"], ("sentence_id", "rater", "answer")),
        (["task", "text", "worker", "label"], ("task", "worker", "label")),
    ],
)
def test_usual_names_are_known(names, found):
    assert tuple(long_columns(names, UNKNOWN).values()) == found
    assert looks_long(names)


def test_what_is_told_is_not_taken_for_another_role():
    assert long_columns(["task", "item", "worker", "label"], {**UNKNOWN, "label": "item"}) == {
        "item": "task",
        "source": "worker",
        "label": "item",
    }


@pytest.mark.parametrize("columns", [["a", "b", "c"], ["task", "b", "c"], ["task", "worker", "c"], ["b", "c", "label"]])
def test_every_role_without_a_column_is_named_and_following_the_example_works(columns):
    with pytest.raises(assay.VoteError) as told:
        long_columns(columns, UNKNOWN)
    example = dict(part.split("=") for part in str(told.value).rpartition("as in ")[2].split(", "))
    roles = {"source" if role == "worker" else role: name.strip("'") for role, name in example.items()}
    assert sorted(long_columns(columns, {**UNKNOWN, **roles}).values()) == sorted(columns)


@pytest.mark.parametrize("names", [["a", "b"], ["lf_spam", "lf_ham", "label"], []])
def test_other_tables_are_not_long(names):
    assert not looks_long(names)
    with pytest.raises(assay.VoteError, match="expected a long table"):
        long_columns(names, UNKNOWN)
