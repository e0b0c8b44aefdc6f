from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.project.source_text import edited_entry, entry_text, sections_of

TRICKY = [
    '[[source]]\nname = "a"\n',
    "[[source]]  # words\nname = 'b'  # its name\n\n# inside\nkeywords = [\n  'x',  # first\n  'y',\n]\n",
    '[[ "source" ]]\nname = "c"\nregex = """\n[[source]]\n# not a comment"""\n',
    "  [[source]]\n  name = 'd'\n  [source.mapping]\n  'x y' = 'D'\n",
    "[[source]]\nname = 'e'\nregex = '''\n\n# x'''\n",
    "[[source]]\n",
]
APART = ["", "\n", "\n\n", "# above\n", "\n# apart\n\n", "   \n\t# odd\n"]


@given(
    st.lists(st.tuples(st.sampled_from(TRICKY), st.sampled_from(APART)), max_size=6),
    st.sampled_from(APART),
    st.booleans(),
)
def test_a_file_is_its_sections(parts, before, windows):
    text = before + "".join(body + tail for body, tail in parts)
    bodies, tails = [body for body, _ in parts], [tail for _, tail in parts]
    if windows:
        text, before, bodies, tails = (
            one.replace("\n", "\r\n") if isinstance(one, str) else [part.replace("\n", "\r\n") for part in one]
            for one in (text, before, bodies, tails)
        )
    start, sections = sections_of(text)
    assert start == before
    assert [section.body for section in sections] == bodies
    assert [section.tail for section in sections] == tails


def test_a_file_without_sources_is_all_before_them():
    assert sections_of("# nothing yet\n") == ("# nothing yet\n", [])
    assert sections_of("") == ("", [])


def test_long_values_get_several_lines():
    words = [f"word{number}" for number in range(40)]
    mapping = dict.fromkeys(words, "Doctor")
    text = entry_text({"name": "a", "mapping": mapping, "keywords": words, "label": {"one_of": ["x", "y"]}})
    assert max(map(len, text.splitlines())) < 100
    said = tomllib.loads(text)["source"][0]
    assert said == {"name": "a", "mapping": mapping, "keywords": words, "label": {"one_of": ["x", "y"]}}
    assert text.index("[source.mapping]") > text.index("label")


def test_an_edit_keeps_what_it_is_not_about():
    text = "[[source]]  # one\nname = 'a'   # its name\n# why\nlabel='X'\nkeywords = ['p',  'q']  # words\n"
    assert edited_entry(text, {"name": "a", "label": "X", "keywords": ["p", "q"]}) == text
    assert edited_entry(text, {"name": "a", "label": "Y", "keywords": ["p", "q"]}) == text.replace("'X'", '"Y"')
    more = edited_entry(text, {"name": "a", "label": "X", "keywords": ["p", "q"], "enabled": False})
    assert more == text + "enabled = false\n"
    fewer = edited_entry(more, {"name": "a", "label": "X", "keywords": ["p", "q"]})
    assert fewer == text


@pytest.mark.parametrize(
    "mapping", [{"x": "D"}, {"x": "D", "y": {"one_of": ["A", "B"]}}, {str(i): "label" * 4 for i in range(9)}]
)
def test_a_new_key_is_not_taken_for_one_of_a_table(mapping):
    text = "[[source]]\nname = 'a'\ncolumn = 'c'\n[source.mapping]\nx = 'D'\n"
    said = {"name": "a", "column": "c", "mapping": mapping, "enabled": False, "task": "t"}
    assert tomllib.loads(edited_entry(text, said)) == {"source": [said]}
