"""HTML in which every text is escaped unless it is known to be markup."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from assay._core.texts import printable

__all__ = ["Content", "Markup", "joined", "name_of", "section", "tag", "trusted"]

_WITHOUT_END = ("input",)
"""Elements that hold nothing, and so have no end tag."""

Content = str | int | float | None | Iterable["Content"]
"""What a tag may hold: markup, a text to be escaped, a number, nothing, or several of these."""


def trusted(text: str) -> Markup:
    """A text as markup, as it stands: our own style and script, and pictures that were drawn by a library.

    >>> trusted("<svg></svg>") + "<"
    Markup('<svg></svg>&lt;')
    """
    return Markup(text)  # noqa: S704  the only place


def tag(name: str, *content: Content, **attributes: str | float | bool | None) -> Markup:
    """An element. An attribute is left out if it is None or False, and ``_`` in its name stands for ``-``.

    >>> print(tag("p", "1 < 2", tag("b", "yes"), class_="note", data_sort=0.5, hidden=False))
    <p class="note" data-sort="0.5">1 &lt; 2<b>yes</b></p>
    """
    written = [
        Markup(" {}").format(key.strip("_").replace("_", "-"))
        + (Markup("") if value is True else Markup('="{}"').format(printable(str(value))))
        for key, value in attributes.items()
        if value is not None and value is not False
    ]
    start = Markup("<{}{}>").format(name, joined(written))
    return start if name in _WITHOUT_END else start + joined(content) + Markup("</{}>").format(name)


def joined(content: Content) -> Markup:
    """Content one after the other, texts escaped.

    >>> print(joined(["<", None, tag("i", 3)]))
    &lt;<i>3</i>
    """
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str | int | float):
        return escape(printable(str(content)))
    return Markup("").join(map(joined, content))


def name_of(text: str) -> Markup:
    """A name that may be broken behind an underscore, and so need not be broken within a word.

    >>> print(name_of("spine_only"))
    <span>spine_<wbr>only</span>
    """
    return tag("span", Markup("_<wbr>").join(printable(text).split("_")))


def section(anchor: str, title: str, *content: Content) -> Markup:
    """A section of a page, that links can lead to.

    >>> print(section("labels", "Labels", tag("p", "…")))
    <section id="labels"><h2>Labels</h2><p>…</p></section>
    """
    return tag("section", tag("h2", title), *content, id=anchor)
