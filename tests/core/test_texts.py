"""Whatever a text holds, pages, pictures and files that show it stay whole."""

from xml.dom.minidom import parseString

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Task, TaskError, VoteError, Votes
from assay._core.texts import escaped, printable, unwritable
from assay.votes.names import item_names

ANYTHING = st.text(st.characters(exclude_categories=()))


@given(ANYTHING)
def test_what_is_printable_can_be_part_of_xml(text):
    assert parseString(f"<a>{escaped(text)}</a>").documentElement is not None


@given(st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cn"))))
def test_ordinary_texts_stay_as_they_are(text):
    assert printable(text) == text


@given(st.lists(ANYTHING))
def test_what_is_not_unwritable_can_be_encoded(texts):
    broken = unwritable(texts)
    if broken is None:
        assert all(text.encode() is not None for text in texts)
    else:
        with pytest.raises(UnicodeEncodeError):
            broken.encode()


def test_names_that_no_file_can_hold_are_refused_where_they_are_given():
    with pytest.raises(TaskError, match="half of a character"):
        Task("t", ["x", "y\ud800"])
    with pytest.raises(VoteError, match="half of a character"):
        Votes.from_matrix([[0, 1]], names=["a", "b\udfff"])
    with pytest.raises(VoteError, match="half of a character"):
        item_names(["i\ud800", "j"])
