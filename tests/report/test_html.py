"""Every text is escaped unless it was made here."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from assay.report.html import Html, joined, section, tag


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""

    def handle_starttag(self, name, attributes):
        self.tags.append((name, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def read(markup):
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


TEXTS = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])) | st.sampled_from(
    ["<script>alert(1)</script>", "</p><img src=x onerror=y>", "&lt;b&gt;", '" onload="y', "<!--", "]]>"]
)


@given(TEXTS, TEXTS)
def test_texts_and_attributes_are_read_back_as_they_were(text, attribute):
    found = read(tag("p", text, title=attribute))
    assert found.tags == [("p", {"title": attribute})]
    assert found.text == text


@given(st.lists(TEXTS, max_size=4))
def test_nothing_but_what_was_asked_for_is_a_tag(texts):
    found = read(tag("div", [tag("b", text) for text in texts], None, 3))
    assert [name for name, _ in found.tags] == ["div", *["b"] * len(texts)]
    assert found.text == "".join(texts) + "3"


def test_markup_is_not_escaped_twice():
    assert joined([tag("i", "<"), "<"]) == "<i>&lt;</i>&lt;"
    assert isinstance(joined("x"), Html)
    assert section("a", "A & B") == '<section id="a"><h2>A &amp; B</h2></section>'
