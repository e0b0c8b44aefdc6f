"""HTML in which every text is escaped unless it was made here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Html(str):
    """Markup that was made by :func:`tag`, or that is known to be sound."""

    __slots__ = ()


Content = str | int | float | None | Iterable["Content"]
"""What a tag may hold: markup, a text to be escaped, a number, nothing, or several of these."""


def tag(name: str, *content: Content, **attributes: str | float | bool | None) -> Html:
    """An element. An attribute is left out if it is None or False, and ``_`` in its name stands for ``-``.

    >>> tag("p", "1 < 2", tag("b", "yes"), class_="note", data_sort=0.5, hidden=False)
    '<p class="note" data-sort="0.5">1 &lt; 2<b>yes</b></p>'
    """
    written = "".join(
        f" {key.strip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>{joined(content)}</{name}>")


def joined(content: Content) -> Html:
    """Content one after the other, texts escaped.

    >>> joined(["<", None, tag("i", 3)])
    '&lt;<i>3</i>'
    """
    if isinstance(content, Html):
        return content
    if content is None:
        return Html("")
    if isinstance(content, str | int | float):
        return Html(escape(str(content), quote=False))
    return Html("".join(map(joined, content)))


def name_of(text: str) -> Html:
    """A name that may be broken behind an underscore, and so need not be broken within a word.

    >>> name_of("spine_only")
    '<span>spine_<wbr>only</span>'
    """
    return tag("span", Html(joined(text).replace("_", "_<wbr>")))


def section(anchor: str, title: str, *content: Content) -> Html:
    """A section of a page, that links can lead to.

    >>> section("labels", "Labels", tag("p", "…"))
    '<section id="labels"><h2>Labels</h2><p>…</p></section>'
    """
    return tag("section", tag("h2", title), *content, id=anchor)
