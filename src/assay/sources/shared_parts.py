"""What sources are made from: the resources, preprocessing and words that several of them use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType
from typing import Any, Literal

from assay.sources.base import Source
from assay.sources.dictionaries import DictionaryRule
from assay.sources.functions import FunctionSource
from assay.sources.patterns import PatternRule
from assay.sources.preprocessing import Preprocessor
from assay.sources.prompt_answers import Answers
from assay.sources.prompts import PromptSource

_WORD = re.compile(r"[^\W\d_]{3,}")

Part = tuple[Literal["resource", "preprocessor"], str]
"""The kind of something that a function works with, and its name there."""


def parts_of(source: Source) -> dict[int, Part]:
    """By identity the objects that a function works with: what it was given, and global ones."""
    return dict(_parts(source)) if isinstance(source, FunctionSource) else {}


def _parts(source: FunctionSource) -> Iterator[tuple[int, Part]]:
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


def words_of(source: Source) -> frozenset[str]:
    """The words that it looks for, as far as its making tells."""
    if isinstance(source, PatternRule):
        return _words_in(source.patterns)
    if isinstance(source, DictionaryRule):
        return frozenset(str(entry).lower() for entry in source.entries)
    if isinstance(source, FunctionSource):
        code = getattr(source.function, "__code__", None)
        strings = _strings(code) if isinstance(code, CodeType) else ()
        doc = getattr(source.function, "__doc__", None)
        return _words_in(text for text in strings if text != doc)
    return frozenset()


def asked_words(prompt: PromptSource) -> frozenset[str]:
    """The words of a prompt, without those of its answers, which all prompts of a task share."""
    answers = prompt.question.answers
    kinds = [answers] if isinstance(answers, Answers) else answers.values()
    return _words_in([prompt.template.literal]) - _words_in(text for one in kinds for text in one.texts)


def _words_in(strings: Iterable[str]) -> frozenset[str]:
    """The words in some strings or patterns, leaving out the letters of escapes such as ``\\b``."""
    return frozenset(word.lower() for text in strings for word in _WORD.findall(re.sub(r"\\[a-zA-Z]", " ", text)))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _strings(code: CodeType) -> Iterator[str]:
    """The strings in a function and in the functions inside it."""
    for each in _codes(code):
        for constant in each.co_consts:
            parts = constant if isinstance(constant, tuple | frozenset) else (constant,)
            yield from (part for part in parts if isinstance(part, str) and part != each.co_name)
