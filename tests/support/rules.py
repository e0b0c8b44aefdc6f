"""Columns of text, words to look for, and what one rule says about a column."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

import assay
from assay import TaskGraph

LETTERS = TaskGraph.flat("letter", ["A", "B", "C"])
CHARACTERS = "abAB éÉßжЖ中1_+#.-\t\n"
texts = st.text(CHARACTERS, max_size=12)
words = st.text(CHARACTERS, min_size=1, max_size=4).filter(str.strip)
columns = st.lists(st.none() | texts, max_size=6)


def labels(source: assay.Source, **table: list) -> list[str | None]:
    """What one source says about a column."""
    data = pl.DataFrame({name: pl.Series(values, strict=False) for name, values in table.items()})
    votes = assay.apply(source, data, LETTERS)
    return [None if code < 0 else str(votes.values[0][code]) for code in votes.codes[:, 0]]


def is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def occurs(word: str, text: str, whole: bool) -> bool:
    """Whether a word is in a text, and not as a piece of a longer one if it is to be whole."""
    for start in range(len(text) - len(word) + 1):
        end = start + len(word)
        if text[start:end] != word:
            continue
        cut_before = start > 0 and is_word(text[start - 1]) and is_word(word[0])
        cut_after = end < len(text) and is_word(text[end]) and is_word(word[-1])
        if not whole or not (cut_before or cut_after):
            return True
    return False
