"""One item, looked at closely: its text whole, with marks where sources found something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.project import Workbench, item_view
from assay.project.items import pieces
from tests.support.rules import words

RULES = [
    assay.keywords(["court", "art"], "A", on="text", name="words"),
    assay.regex("(?i)c.+t", "A", on="text", name="pattern"),
    assay.dictionary({"art": "A", "the court": "A"}, on="text", name="names"),
    assay.regex("x", "A", on="other", name="elsewhere"),
    assay.threshold("text", "A", above=3, name="number"),
]


@given(st.one_of(st.text(), st.lists(words | st.sampled_from(["court", "the court", "ART", "cat"])).map(" ".join)))
def test_pieces_of_a_text_are_the_text(text):
    found = pieces(text, "text", RULES, "(?i)the")
    assert "".join(piece.text for piece in found) == text
    assert all(piece.text for piece in found) or text == ""
    for piece in found:
        assert set(piece.by) <= {"words", "pattern", "names", "search"}


def test_marks_are_where_rules_found_something():
    found = pieces("The court of art", "text", RULES[:1], "of")
    assert [(piece.text, piece.by) for piece in found if piece.by] == [
        ("court", ("words",)),
        ("of", ("search",)),
        ("art", ("words",)),
    ]
    both = pieces("the court", "text", [RULES[0], RULES[2]])
    assert [(piece.text, piece.by) for piece in both] == [("the ", ("names",)), ("court", ("words", "names"))]


@pytest.mark.parametrize("value", [None, 3, 2.5, True, ["a"]])
def test_what_is_no_text_is_one_piece(value):
    (piece,) = pieces(value, "text", RULES, "a")
    assert piece.text == ("" if value is None else str(value))
    assert piece.by == ()


def test_marks_are_of_sources_that_vote_on_it(contents):
    """What a rule finds is what made it vote, and who does not vote is not marked."""
    seen = 0
    for row in range(60):
        view = item_view(contents, row)
        said = dict(view.votes)
        fields = dict(view.fields)
        assert "".join(piece.text for piece in fields["text"]) == contents.data["text"][row]
        marked = {name for piece in fields["text"] for name in piece.by}
        assert marked <= set(said)
        for name in ("surgeons", "bedside", "doctor_title", "company_form"):
            assert (name in marked) == (name in said)
            seen += name in marked
    assert seen


def test_all_that_is_known(contents):
    row = next(iter(contents.hand_rows))
    view = item_view(contents, row)
    assert view.item == contents.item(row)
    assert next(iter(view.fields))[0] == "text"
    assert {name for name, _ in view.fields} == set(contents.data.columns)
    codes = contents.votes.codes[row]
    assert [name for name, _ in view.votes] == [n for n, code in zip(contents.names, codes, strict=True) if code >= 0]
    assert [one.by for one in view.answers] == ["ann"]
    assert view.gold
    (part,) = view.explained
    assert [chance for _, chance in part.posterior] == sorted((c for _, c in part.posterior), reverse=True)
    assert sum(chance for _, chance in part.posterior) == pytest.approx(1)


def test_changes_are_those_that_runs_made(contents):
    changed = contents.results.changed
    rows = sorted({int(row) for one in changed.values() for row in one.rows})
    assert rows
    for row in rows:
        found = item_view(contents, row).changes
        assert {change.run for change in found} == {2}
        assert all(change.before != change.after for change in found)
    same = next(row for row in range(300) if row not in rows)
    assert item_view(contents, same).changes == ()


@pytest.mark.parametrize("row", [-1, 300])
def test_there_is_no_such_row(contents, row):
    with pytest.raises(AssayError, match="no row"):
        item_view(contents, row)


def test_a_pattern_that_cannot_be_used_is_told(contents):
    with pytest.raises(AssayError, match="pattern"):
        item_view(contents, 0, highlight="(")


def test_without_a_run_there_is_the_text(unrun):
    view = item_view(Workbench(unrun).contents(), 3)
    assert (view.votes, view.labels, view.explained, view.gold, view.changes) == ((), (), (), "", ())
    assert view.fields
