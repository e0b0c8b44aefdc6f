"""The text of a ``sources.toml``: where each source starts and ends, and how one is written or changed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.items import Item

_HEADER = re.compile(r"""^[ \t]*\[\[[ \t]*(?:source|"source"|'source')[ \t]*\]\]""", re.MULTILINE)
_NO_VALUE = re.compile(r"[ \t]*(#.*)?\r?\n?")
"""A line that is blank, or a comment."""
_WIDTH = 100
"""Lists and tables that are longer get several lines."""


@dataclass(frozen=True)
class Section:
    """The text of one source, from its header on."""

    body: str
    """Up to the end of its last value."""
    tail: str
    """Blank lines and comments after it: they may be about what comes next."""

    def __str__(self) -> str:
        return self.body + self.tail


def sections_of(text: str) -> tuple[str, list[Section]]:
    """What comes before the first source, and the text of each.

    >>> before, sections = sections_of("# words\\n[[source]]\\nname = 'a'\\n\\n# more\\n[[source]]\\nname = 'b'\\n")
    >>> before, [section.body for section in sections], sections[0].tail
    ('# words\\n', ["[[source]]\\nname = 'a'\\n", "[[source]]\\nname = 'b'\\n"], '\\n# more\\n')
    """
    starts: list[int] = []
    begin = 0
    for found in _HEADER.finditer(text):
        # What looks like a header inside of a text of several lines leaves that text without an end.
        if _is_whole(text[begin : found.start()]):
            begin = found.start()
            starts.append(begin)
    if not starts:
        return text, []
    pieces = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]
    return text[: starts[0]], [_section(piece) for piece in pieces]


def _section(text: str) -> Section:
    lines = text.splitlines(keepends=True)
    end = len(lines)
    while end > 1 and _NO_VALUE.fullmatch(lines[end - 1]):
        end -= 1
    while not _is_whole("".join(lines[:end])) and end < len(lines):
        end += 1
    return Section("".join(lines[:end]), "".join(lines[end:]))


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError:
        return False
    return True


def entry_text(said: Mapping[str, Any]) -> str:
    """A new source, with its header.

    >>> print(entry_text({"name": "dr", "regex": r"^Dr\\b", "label": "Doctor", "on": "text"}), end="")
    [[source]]
    name = "dr"
    regex = '^Dr\\b'
    label = "Doctor"
    on = "text"
    """
    table = tomlkit.table()
    items = {key: _item(value) for key, value in said.items()}
    for key, item in items.items():
        if not isinstance(item, tomlkit.items.Table):
            table.add(key, item)
    for key, item in items.items():  # a key after a table would be taken for one of that table
        if isinstance(item, tomlkit.items.Table):
            table.add(key, item)
    sources = tomlkit.aot()
    sources.append(table)
    document = tomlkit.document()
    document.add("source", sources)
    return tomlkit.dumps(document)


def edited_entry(text: str, said: Mapping[str, Any]) -> str:
    """The text of one source changed to say something else; what stays the same stays as it was written."""
    document = tomlkit.parse(text)
    table = document["source"][0]
    before = table.unwrap()
    for key in before.keys() - said.keys():
        table.remove(key)
    for key, value in said.items():
        if key not in before or before[key] != value:
            table[key] = _item(value)
    return tomlkit.dumps(document)


def _item(value: Any, *, inside: bool = False) -> Item:
    """A value as TOML has it; a long table gets a header of its own, unless it stands inside of another value."""
    if isinstance(value, str):
        plain = "\\" in value and "'" not in value and value.isprintable()
        return tomlkit.string(value, literal=plain)
    if isinstance(value, Mapping):
        line = tomlkit.inline_table()
        for key, part in value.items():
            line.append(key, _item(part, inside=True))
        if inside or len(line.as_string()) <= _WIDTH:
            return line
        table = tomlkit.table()
        for key, part in value.items():
            table.add(key, _item(part, inside=True))
        return table
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        array.extend(_item(part, inside=True) for part in value)
        array.multiline(not inside and len(array.as_string()) > _WIDTH)
        return array
    made: Item = tomlkit.item(value)
    return made
