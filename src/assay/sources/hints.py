"""Sources that may err together, told without statistics: by what they are made from, and by plain counting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import CodeType
from typing import Any, Literal

from assay.sources.base import Source, flatten
from assay.sources.function import FunctionSource, Preprocessor
from assay.sources.rules import DictionaryRule, PatternRule
from assay.sources.vote_hints import alike
from assay.votes import Votes

_SHARE = 0.3
"""Sources share their words if the one with fewer has so many of them in common with the other."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST_WORDS = 5


@dataclass(frozen=True)
class Hint:
    """Two sources that are made from the same thing, or whose votes look copied, and so may err together."""

    sources: tuple[str, str]
    kind: Literal["resource", "preprocessor", "words", "same votes", "nested votes", "copied votes"]
    what: str
    """The name of what they share, the words, or what the votes show."""

    def __str__(self) -> str:
        one, other = self.sources
        told = self.what if self.kind.endswith("votes") else f"both use the {self.kind} {self.what}"
        return f"{one} – {other}: {told}"


def dependency_hints(sources: Any = (), *, votes: Votes | None = None, ignore: Iterable[str] = ()) -> list[Hint]:
    """Pairs of sources that share a resource, a preprocessor or words, or whose votes look copied.

    Hints are reasons to look, not dependencies: :func:`assay.learn_dependencies` tells which of them show in the votes.
    What more than half of all sources use is no hint.

    Parameters
    ----------
    sources
        What :func:`assay.apply` takes. Words are those of patterns, dictionaries and code.
    votes
        Votes that are the same, that are nested, and workers who copy: who also agree where most others say
        something else.
    ignore
        Words that mean nothing, such as the names of labels.

    >>> import assay
    >>> spam = assay.keywords(["subscribe", "channel"], "spam", on="text", name="subscribe")
    >>> more = assay.regex("(channel|video)", "spam", on="text", name="videos")
    >>> other = assay.keywords(["song"], "ham", on="text", name="song")
    >>> print(*dependency_hints([spam, more, other]))
    subscribe – videos: both use the words channel
    """
    made = flatten(sources) if sources else []
    things = [dict(_things(source)) for source in made]
    known = frozenset(word.lower() for word in ignore)
    words = [_words(source) - known for source in made]
    users = {key: sum(key in each for each in things) for key in {key for each in things for key in each}}
    common = {word for word in set().union(*words) if sum(word in each for each in words) > max(len(made) / 2, 2)}
    found = [] if votes is None else [Hint(*told) for told in alike(votes)]
    for i, j in combinations(range(len(made)), 2):
        pair = (made[i].name, made[j].name)
        for key in things[i].keys() & things[j].keys():
            if users[key] <= max(len(made) / 2, 2):
                kind, name = things[i][key]
                found.append(Hint(pair, kind, repr(name)))
        shared = (words[i] & words[j]) - common
        if shared and len(shared) >= _SHARE * min(len(words[i] - common), len(words[j] - common)):
            few = sorted(shared)[:_MOST_WORDS]
            more = f" and {len(shared) - len(few)} more" if len(shared) > len(few) else ""
            found.append(Hint(pair, "words", ", ".join(few) + more))
    return sorted(found, key=lambda hint: (hint.sources, hint.kind, hint.what))


def _things(source: Source) -> Iterator[tuple[int, tuple[Literal["resource", "preprocessor"], str]]]:
    """By identity the objects that a function works with: what it was given, and global ones."""
    if not isinstance(source, FunctionSource):
        return
    for name, thing in source.resources.items():
        if not isinstance(thing, int | float | bool | None):
            yield id(thing), ("resource", name)
    for name, thing in _globals_of(source.function):
        if isinstance(thing, Preprocessor):
            yield id(thing), ("preprocessor", name)
        elif isinstance(thing, list | tuple | set | frozenset | Mapping | re.Pattern):
            yield id(thing), ("resource", name)


def _globals_of(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    code = getattr(function, "__code__", None)
    known = getattr(function, "__globals__", {})
    if isinstance(code, CodeType):
        names = {name for each in _codes(code) for name in each.co_names}
        yield from ((name, known[name]) for name in sorted(names) if name in known)
        cells = getattr(function, "__closure__", None) or ()
        for name, cell in zip(code.co_freevars, cells, strict=True):
            yield name, cell.cell_contents


def _words(source: Source) -> frozenset[str]:
    """The words that it looks for, as far as its making tells."""
    if isinstance(source, PatternRule):
        return frozenset(word.lower() for pattern in source.patterns for word in _WORD.findall(_plain(pattern)))
    if isinstance(source, DictionaryRule):
        return frozenset(str(entry).lower() for entry in source.entries)
    if isinstance(source, FunctionSource):
        code = getattr(source.function, "__code__", None)
        texts = _texts(code) if isinstance(code, CodeType) else ()
        doc = getattr(source.function, "__doc__", None)
        return frozenset(word.lower() for text in texts if text != doc for word in _WORD.findall(_plain(text)))
    return frozenset()


def _plain(pattern: str) -> str:
    """A pattern without its escapes, whose letters are not words."""
    return re.sub(r"\\[a-zA-Z]", " ", pattern)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _texts(code: CodeType) -> Iterator[str]:
    """The texts in a function and in the functions inside it."""
    for each in _codes(code):
        for constant in each.co_consts:
            parts = constant if isinstance(constant, tuple | frozenset) else (constant,)
            yield from (part for part in parts if isinstance(part, str) and part != each.co_name)
