"""Rules that are regular expressions underneath."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from assay._core.rows import Batch
from assay.errors import SourceError
from assay.sources.base import Emission
from assay.sources.rule import Rule

_START, _END = "\ue000", "\ue001"
"""Marks around what matches: characters that mean nothing, and that hardly any text has."""


@dataclass(frozen=True, kw_only=True)
class PatternRule(Rule):
    """Regular expressions in order, one for each of ``values``; the first that matches decides."""

    patterns: tuple[str, ...]

    def emit(self, batch: Batch) -> Emission:
        return next(match_patterns([self], batch))

    def places(self, text: str) -> list[tuple[int, int]]:
        for pattern in self.patterns:
            found = places_of(pattern, text)
            if found:
                return found
        return []


@lru_cache(maxsize=1024)
def _first_match(patterns: tuple[str, ...], column: str) -> pl.Expr:
    """The number of the first pattern that matches, −1 where none does."""
    dtype = pl.Int8 if len(patterns) <= 128 else pl.Int32
    code = pl.lit(-1, dtype=dtype)
    for number, pattern in reversed(list(enumerate(patterns))):
        code = pl.when(pl.col(column).str.contains(pattern)).then(pl.lit(number, dtype=dtype)).otherwise(code)
    return code


def match_patterns(rules: Iterable[PatternRule], batch: Batch) -> Iterator[Emission]:
    """What some pattern rules say about a batch, decided in one query over all cores."""
    together = list(rules)
    columns = {str(number): rule.text(batch) for number, rule in enumerate(together)}
    texts = {id(text): f"text {name}" for name, text in columns.items()}
    frame = pl.DataFrame({texts[id(text)]: text for text in columns.values()})
    codes = frame.select(
        _first_match(rule.patterns, texts[id(text)]).alias(name)
        for rule, (name, text) in zip(together, columns.items(), strict=True)
    )
    for rule, name in zip(together, columns, strict=True):
        yield Emission(codes[name].to_numpy(), rule.values, rule.failures(batch))


def places_of(pattern: str, text: str) -> list[tuple[int, int]]:
    """Where a pattern matches a text, by the regular expressions that rules have.

    >>> places_of(r"(?i)\\bart\\b", "party Art, art")
    [(6, 9), (11, 14)]
    """
    if _START in text or _END in text:
        return []
    marked = pl.Series([text]).str.replace_all(pattern, f"{_START}${{0}}{_END}")[0]
    found: list[tuple[int, int]] = []
    at = 0
    for piece in marked.split(_START):
        inside, _, after = piece.rpartition(_END)
        if inside:
            found.append((at, at + len(inside)))
        at += len(inside) + len(after)
    return found


def check_pattern(kind: str, pattern: str, advice: str, *, typed: str | None = None) -> None:
    """Raise unless polars can use the pattern; ``advice`` says what to do then.

    ``typed`` is what somebody typed, if the pattern has more than that.
    """
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError as error:
        lines = [line.partition("error: ")[2] for line in str(error).splitlines() if "error: " in line]
        reason = lines[-1] if lines else str(error)
        shown = pattern if typed is None else typed
        raise SourceError(f"{kind}() cannot use the pattern {_cut(shown)!r}: {reason}; {advice}") from error


def _cut(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
