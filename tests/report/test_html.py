"""Every text is escaped unless it was made here."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from assay._core.texts import printable
from assay.report.html import Markup, joined, name_of, section, tag


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
    reader.feed(str(markup))
    reader.close()
    return reader


TEXTS = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])).map(printable) | st.sampled_from(
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
    assert isinstance(joined("x"), Markup)
    assert section("a", "A & B") == '<section id="a"><h2>A &amp; B</h2></section>'


def test_text_beside_markup_is_escaped_too():
    assert tag("i", 1) + "<" == "<i>1</i>&lt;"
    assert isinstance(tag("i", 1) + "<", Markup)
    assert tag("i", title=tag("b")) == '<i title="&lt;b&gt;&lt;/b&gt;"></i>'


def test_names_may_be_broken_behind_underscores_and_nowhere_else():
    assert name_of("a_<b>_c") == "<span>a_<wbr>&lt;b&gt;_<wbr>c</span>"
