"""Known names: distant supervision from a knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay._core.rows import Batch, as_polars, positions_in
from assay.errors import SourceError, near_miss
from assay.sources.base import Emission, Source
from assay.sources.rule import Codes, On, Recipe, Rule, shortened
from assay.votes import intern


@dataclass(frozen=True, kw_only=True)
class DictionaryRule(Rule):
    """Known entries, each with the code of its label, found in a text or equal to it."""

    entries: Mapping[str, int]
    inside: bool
    fold: Callable[[str], str] = field(repr=False)
    _cache: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        # The automaton is built anew in each process, and who made it from what matters in the first one only.
        return {**self.__dict__, "_cache": {}, "recipe": None}

    def text(self, batch: Batch) -> pl.Series:
        column = self.column(batch)
        # Names of items may be numbers, of which a list is as good as of any others.
        is_number = not self.inside and column.dtype.is_integer()
        return column.cast(pl.String) if is_number else super().text(batch)

    def emit(self, batch: Batch) -> Emission:
        text = self.text(batch)
        codes = self._found_inside(text) if self.inside else self._equal(text)
        return Emission(codes, self.values, self.failures(batch))

    def places(self, text: str) -> list[tuple[int, int]]:
        folded = self.fold(text)
        if not self.inside or len(folded) != len(text):
            return []
        found = self._automaton.find_matches_as_indexes(folded, overlapping=True)
        return sorted((start, end) for _, start, end in found if _whole(folded, start, end))

    @property
    def _automaton(self) -> Any:
        from ahocorasick_rs import AhoCorasick

        if "automaton" not in self._cache:
            self._cache["automaton"] = AhoCorasick(list(self.entries))
        return self._cache["automaton"]

    def _equal(self, text: pl.Series) -> Codes:
        codes = np.array([*self.entries.values(), -1], dtype=np.int32)
        folded = pl.Series(text.map_elements(self.fold, return_dtype=pl.String))
        return codes[positions_in(folded, pl.Series(list(self.entries), dtype=pl.String))]

    def _found_inside(self, text: pl.Series) -> Codes:
        find = self._automaton.find_matches_as_indexes
        label_of = list(self.entries.values())
        codes = np.full(len(text), -1, dtype=np.int32)
        for row, value in enumerate(text.to_list()):
            if value is None:
                continue
            folded = self.fold(value)
            voted = {
                label_of[entry] for entry, start, end in find(folded, overlapping=True) if _whole(folded, start, end)
            }
            if len(voted) == 1:  # entries of different labels in one text cancel out
                codes[row] = voted.pop()
        return codes


def dictionary(
    entries: Any,
    label: Any = None,
    *,
    on: On,
    task: str | None = None,
    name: str | None = None,
    entry: str | None = None,
    labels: str | None = None,
    match: str = "inside",
    case_sensitive: bool = False,
) -> Source:
    """Vote by a list of known names: distant supervision from a knowledge base.

    Matching takes a time that does not depend on the number of entries. Where
    entries of different labels are found in one text, the source abstains.

    Parameters
    ----------
    entries
        A set of names; a dict of name -> label; a text file with one name per line; or a
        table (a dataframe, or a CSV, JSONL or Parquet file) with the column ``entry``.
    label
        The label to vote for, unless the entries bring their own.
    on, task, name
        As in :func:`keywords`.
    entry, labels
        For a table: its column of names and, if they have labels, its column of those.
    match
        ``"inside"`` finds entries as whole words within the text, ``"equal"``
        requires the whole text to be one.
    case_sensitive
        Whether case counts.

    >>> dictionary({"Mayo Clinic": "Hospital", "Baker McKenzie": "Office"}, on="text").name
    'dictionary(Mayo Clinic, Baker McKenzie)'
    """
    if match not in ("inside", "equal"):
        raise SourceError(f"dictionary() matches 'inside' or 'equal', but got match={match!r}")
    names = _entries(entries, label, entry, labels)
    numbers, values = intern([its_label for _, its_label in names])
    fold = _same if case_sensitive else str.lower
    codes: dict[str, int] = {}
    for (text, _), code in zip(names, numbers.tolist(), strict=True):
        if codes.setdefault(fold(text), code) != code:
            raise SourceError(f"dictionary() has the entry {text!r} under two labels; keep one of them")
    return DictionaryRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(values),
        title=f"dictionary({shortened(text for text, _ in names)})",
        entries=codes,
        inside=match == "inside",
        fold=fold,
        recipe=Recipe(
            "dictionary",
            {
                **_written(entries, names, label, entry, labels),
                "on": on,
                "task": task,
                "match": match,
                "case_sensitive": case_sensitive,
            },
        ),
    )


def _written(
    entries: Any, names: list[tuple[str, Any]], label: Any, entry: str | None, labels: str | None
) -> dict[str, Any]:
    """What a dictionary was made from: a file stays a file, all else is its entries."""
    if isinstance(entries, str | Path):
        return {"dictionary": entries, "label": label, "entry": entry, "labels": labels}
    if label is None or labels is not None:
        return {"dictionary": dict(names)}
    return {"dictionary": [name for name, _ in names], "label": label}


def _entries(entries: Any, label: Any, entry: str | None, labels: str | None) -> list[tuple[str, Any]]:
    """Every name with its label, from any of the shapes that :func:`dictionary` takes."""
    if isinstance(entries, Mapping) and entry is None:
        if label is not None:
            raise SourceError(f"dictionary() got entries with labels and the label {label!r}; leave one out")
        found = list(entries.items())
    elif entry is not None:
        frame = as_polars(entries)
        for name in [entry] + ([labels] if labels else []):
            if name not in frame.columns:
                raise SourceError(f"the dictionary's table has no column {name!r}. {near_miss(name, frame.columns)}")
        frame = frame.drop_nulls(entry)
        names = frame[entry].cast(pl.String).to_list()
        found = list(zip(names, frame[labels].to_list() if labels else [label] * len(names), strict=True))
    elif isinstance(entries, str | Path):
        found = [(name, label) for name in _lines(Path(entries))]
    else:
        found = [(name, label) for name in entries]
    if not found:
        raise SourceError("dictionary() has no entries")
    if any(not isinstance(name, str) or not name.strip() for name, _ in found):
        raise SourceError("dictionary() needs entries that are non-empty strings")
    if any(value is None for _, value in found):
        raise SourceError("dictionary() needs the label to vote for, or entries that bring their own")
    return [(name.strip(), _in_order(value)) for name, value in found]


def _in_order(label: Any) -> Any:
    """A label over several tasks in one order of tasks, so that equal labels are seen to be equal."""
    return dict(sorted(label.items(), key=str)) if isinstance(label, Mapping) else label


def _lines(path: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"dictionary() cannot read {path}: {error}") from error
    return (line.strip() for line in text.splitlines() if line.strip())


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a match is not a piece of a longer word."""
    before = start > 0 and _is_word(text[start]) and _is_word(text[start - 1])
    after = end < len(text) and _is_word(text[end - 1]) and _is_word(text[end])
    return not (before or after)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _same(text: str) -> str:
    return text
