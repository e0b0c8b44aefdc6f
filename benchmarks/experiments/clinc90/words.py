"""Intents by what is named: words and phrases that one intent uses and others seldom do, typed in words.toml."""

import re
import tomllib
from pathlib import Path

import assay

WORDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


def words_of(intent, words, unless=()):
    """A source that says ``intent`` for a text with one of its words and none of those that speak against it."""
    name = f"words of {intent}"
    if not unless:
        return assay.keywords(words, intent, on="text", name=name)
    has, has_other = (
        re.compile(rf"(?<!\w)({'|'.join(map(re.escape, some))})(?!\w)").search for some in (words, unless)
    )

    @assay.source(labels=[intent], name=name)
    def source(row):
        return intent if has(row.text) and not has_other(row.text) else None

    return source


words = [words_of(intent, **lists) for intent, lists in WORDS.items()]
