"""Texts that come from outside, as any page and any file can hold them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from html import escape

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """The same text, with what neither XML nor HTML can hold written as Python would write it.

    >>> printable("caf\\u00e9 \\x1b[1m \\ud800")
    'café \\\\x1b[1m \\\\ud800'
    """
    return _NOT_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def escaped(text: str) -> str:
    """A text as part of a page or a picture: :func:`printable`, and no markup.

    >>> escaped("<b>\\x00")
    '&lt;b&gt;\\\\x00'
    """
    return escape(printable(text))


def unwritable(texts: Iterable[str]) -> str | None:
    """The first text that no file can hold, as it has half of a character (a lone surrogate); None if there is none.

    >>> unwritable(["a", "b\\udc80"]) == "b\\udc80"
    True
    """
    found = list(texts)
    if not _SURROGATE.search("".join(found)):
        return None
    # Two halves may meet where texts were joined.
    return next((text for text in found if _SURROGATE.search(text)), None)


def spelled(value: object) -> str:
    """A value that a column holds, as a key of a table in TOML or as the name of a label.

    >>> spelled("Spam"), spelled(1), spelled(True)
    ('Spam', '1', 'true')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def same_but_for_case(value: str, names: Iterable[str]) -> str | None:
    """The name that a value is: exactly, or but for case and blanks around it if only one name is; None if none is.

    >>> same_but_for_case(" LATE", ["Late", "Lost"]), same_but_for_case("late", ["Late", "LATE"])
    ('Late', None)
    """
    known = list(dict.fromkeys(names))
    if value in known:
        return value
    plain = value.strip().casefold()
    found = [name for name in known if name.strip().casefold() == plain]
    return found[0] if len(found) == 1 else None


def free_name(name: str, taken: Container[str]) -> str:
    """A name for a column that no other column has: with as many underscores behind it as that takes.

    >>> free_name("item", {"item", "item_"})
    'item__'
    """
    while name in taken:
        name += "_"
    return name
