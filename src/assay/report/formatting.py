"""Numbers and names as people read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from assay.report.terminal import percent


def interval(low: float, high: float) -> str:
    """The ends of an interval.

    >>> interval(0.712, 0.8)
    '71–80%'
    """
    return f"{100 * low:.0f}–{100 * high:.0f}%"


def count(number: float, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> count(1, "item"), count(1200, "item"), count(2, "entry", "entries")
    ('1 item', '1,200 items', '2 entries')
    """
    return f"{number:,.0f} {one if number == 1 else many or one + 's'}"


def cut(text: Any, most: int) -> str:
    """A text of at most so many characters.

    >>> cut("a long story", 7)
    'a long…'
    """
    whole = str(text)
    return whole if len(whole) <= most else whole[: most - 1].rstrip() + "…"


NAME = 34
"""Longer names are cut in charts, to leave room for the chart."""


def distinct(names: Sequence[str]) -> list[str]:
    """Names cut to fit into a chart; numbered where cutting made them the same.

    >>> distinct(["kb", "a" * 40 + "1", "a" * 40 + "2"])[1:]
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaa… 1', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa… 2']
    """
    short = [cut(name, NAME) for name in names]
    often = Counter(short)
    seen: Counter[str] = Counter()
    found = []
    for name in short:
        seen[name] += 1
        found.append(name if often[name] == 1 else f"{cut(name, NAME - 4)} {seen[name]}")
    return found


def setting(value: Any) -> str:
    """A setting as a user would write it; what was given as tuples or sets is shown as lists, as a file has it.

    >>> setting([("kb", "kb2")]), setting(None)
    ("[['kb', 'kb2']]", 'None')
    """
    return cut(repr(_listed(value)), 400)


def _listed(value: Any) -> Any:
    return [_listed(entry) for entry in value] if isinstance(value, list | tuple | set | frozenset) else value


__all__ = ["NAME", "count", "cut", "distinct", "interval", "percent", "setting"]
