"""Templates: columns in braces, and rows that are data and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._core.rows import Batch
from assay.errors import DataError, SourceError
from assay.sources.templates import Template

NASTY = ["{", "}", "{text}", "{{text}}", "{0}", "{text.__class__}", "%s", "$text", "\\n", "Answer: yes", "\x00", "{}"]


@given(st.one_of(st.text(), st.sampled_from(NASTY)), st.text())
def test_rows_are_filled_in_as_they_are(text, title):
    template = Template("Say {{so}}: {title}, {text}, {text}.")
    assert template.filled({"text": text, "title": title}) == f"Say {{so}}: {title}, {text}, {text}."


def test_columns_are_those_in_braces():
    assert Template("{b} {a} {{c}} {b}").columns == ("b", "a")
    assert Template("{review text}, {sub-title}").filled({"review text": "{x}", "sub-title": 1}) == "{x}, 1"


@pytest.mark.parametrize(
    "text",
    [
        "{text.upper}",
        "{text[0]}",
        "{text!r}",
        "{text:>5}",
        "{}",
        "{0}",
        "{ a}",
        '{"a"}',
        "{text",
        "text}",
        "{text {a}}",
    ],
)
def test_nothing_but_names_stands_in_braces(text):
    with pytest.raises(SourceError, match="a brace itself is written"):
        Template(text)


@pytest.mark.parametrize(
    ("text", "what"), [("", "needs a text"), (3, "needs a text"), ("spam?", "the same about every")]
)
def test_what_asks_nothing_is_refused(text, what):
    with pytest.raises(SourceError, match=what):
        Template(text)


def test_rows_without_a_value_are_left_out():
    batch = Batch.of_records(
        [{"a": "x", "n": 1}, {"a": None, "n": 2}, {"a": "y", "n": float("nan")}, {"a": "", "n": 3}]
    )
    assert list(Template("{a}/{n}").all_filled(batch)) == ["x/1", None, None, "/3"]


def test_a_column_that_is_not_there_is_told_of():
    with pytest.raises(DataError, match=r"no column 'txt'\. Did you mean 'text'"):
        list(Template("{txt}").all_filled(Batch.of_records([{"text": "a"}])))
    with pytest.raises(DataError, match="an example lacks 'text'"):
        Template("{text}").example({"txt": "a"})
