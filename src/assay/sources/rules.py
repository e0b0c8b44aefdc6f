"""Declarative sources: rules over whole columns, at the speed of polars."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.rows import Batch, as_polars, positions_in
from assay.errors import DataError, SourceError, near_miss
from assay.sources.base import Emission, Failure, Source
from assay.sources.function import Preprocessor, memoised

On = str | Preprocessor
"""Where a rule looks: a column's name, or shared preprocessing of the row."""
Codes = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, kw_only=True)
class Rule(Source):
    """A source that decides a whole column at a time."""

    on: On
    values: tuple[Any, ...]
    """The labels it may emit."""
    title: str

    def default_name(self) -> str:
        return self.title

    @property
    def declared(self) -> tuple[Any, ...]:
        return self.values

    def column(self, batch: Batch, on: On | None = None) -> pl.Series:
        with memoised(batch):
            try:
                return batch.column(self.on if on is None else on)
            except DataError as error:
                raise DataError(f"source {self.name!r}: {error}") from error

    def failures(self, batch: Batch) -> list[Failure]:
        """The rows that shared preprocessing failed on; what it should have made is missing there."""
        failed = {} if isinstance(self.on, str) else batch.failed.get(self.on, {})
        return [Failure(row, error) for row, error in failed.items()]

    def text(self, batch: Batch) -> pl.Series:
        """The column as text, or an error if it is something else."""
        column = self.column(batch)
        if column.dtype == pl.String:
            return column
        if column.dtype in (pl.Null, pl.Categorical, pl.Enum):
            return column.cast(pl.String)
        raise DataError(f"source {self.name!r} reads text, but {_place(self.on)} holds {column.dtype}")


@dataclass(frozen=True, kw_only=True)
class PatternRule(Rule):
    """Regular expressions in order, one for each of ``values``; the first that matches decides."""

    patterns: tuple[str, ...]

    def emit(self, batch: Batch) -> Emission:
        return next(match_patterns([self], batch))


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


def keywords(
    words: Iterable[str] | Mapping[str, Iterable[str]],
    label: Any = None,
    *,
    on: On,
    task: str | None = None,
    name: str | None = None,
    case_sensitive: bool = False,
    whole_words: bool = True,
) -> Source:
    """Vote for a label where a text contains one of some words or phrases.

    Parameters
    ----------
    words
        The words; or a dict of label -> words, of which the first that matches decides.
    label
        The label to vote for, unless ``words`` is a dict.
    on
        The text column.
    task
        The task the label belongs to, where its name alone does not tell.
    name
        What to call the source.
    case_sensitive, whole_words
        Whether case counts, and whether ``"art"`` leaves ``"party"`` alone.

    >>> keywords(["surgeon", "clinic"], "Doctor", on="text").name
    'keywords(surgeon, clinic)'
    """
    groups = _by_label("keywords", words, label)
    lists = [
        [groups_words] if isinstance(groups_words, str) else list(groups_words) for groups_words in groups.values()
    ]
    for found in lists:
        if not found or not all(isinstance(word, str) and word.strip() for word in found):
            raise SourceError(f"keywords() needs words that are non-empty texts, but got {found!r}")
    patterns = [_any_of(found, case_sensitive, whole_words) for found in lists]
    for pattern in patterns:
        _check_pattern("keywords", pattern, "long lists of words are what dictionary() is for")
    return PatternRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(groups),
        title=f"keywords({_shortened([word for found in lists for word in found])})",
        patterns=tuple(patterns),
    )


def regex(
    pattern: str | Mapping[str, str],
    label: Any = None,
    *,
    on: On,
    task: str | None = None,
    name: str | None = None,
    case_sensitive: bool = True,
) -> Source:
    """Vote for a label where a text matches a regular expression, anywhere in it.

    Parameters
    ----------
    pattern
        A pattern in the syntax of Rust's ``regex`` (no look-around); or a dict of
        label -> pattern, of which the first that matches decides.
    label, on, task, name, case_sensitive
        As in :func:`keywords`.

    >>> regex(r"^(Dr|Prof)\\.", "Person", on="text").name
    'regex(^(Dr|Prof)\\\\.)'
    """
    groups = _by_label("regex", pattern, label)
    for found in groups.values():
        if not isinstance(found, str):
            raise SourceError(f"regex() needs patterns that are texts, but got {found!r} ({type(found).__name__})")
    patterns = [found if case_sensitive else f"(?i){found}" for found in groups.values()]
    for found in patterns:
        _check_pattern("regex", found, "look-around and back-references need a function with @assay.source")
    return PatternRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(groups),
        title=f"regex({_shortened(groups.values())})",
        patterns=tuple(patterns),
    )


@dataclass(frozen=True, kw_only=True)
class DictionaryRule(Rule):
    """Known entries, each with the code of its label, found in a text or equal to it."""

    entries: Mapping[str, int]
    inside: bool
    fold: Callable[[str], str] = field(repr=False)
    _cache: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}  # the automaton is built anew in each process

    def emit(self, batch: Batch) -> Emission:
        text = self.text(batch)
        codes = self._found_inside(text) if self.inside else self._equal(text)
        return Emission(codes, self.values, self.failures(batch))

    def _equal(self, text: pl.Series) -> Codes:
        codes = np.array([*self.entries.values(), -1], dtype=np.int32)
        folded = pl.Series(text.map_elements(self.fold, return_dtype=pl.String))
        return codes[positions_in(folded, pl.Series(list(self.entries), dtype=pl.String))]

    def _found_inside(self, text: pl.Series) -> Codes:
        from ahocorasick_rs import AhoCorasick

        if "automaton" not in self._cache:
            self._cache["automaton"] = AhoCorasick(list(self.entries))
        find = self._cache["automaton"].find_matches_as_indexes
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
        A set of names; a dict of name -> label; a text file with a name a line; or a
        table (a dataframe, or a CSV, JSONL or Parquet file) with the column ``entry``.
    label
        The label to vote for, unless the entries bring their own.
    on, task, name
        As in :func:`keywords`.
    entry, labels
        For a table: its column of names and, if they have labels, its column of those.
    match
        ``"inside"`` finds entries as whole words within the text, ``"equal"`` wants
        the whole text to be one.
    case_sensitive
        Whether case counts.

    >>> dictionary({"Mayo Clinic": "Hospital", "Baker McKenzie": "Office"}, on="text").name
    'dictionary(Mayo Clinic, Baker McKenzie)'
    """
    if match not in ("inside", "equal"):
        raise SourceError(f"dictionary() matches 'inside' or 'equal', but got match={match!r}")
    names = _entries(entries, label, entry, labels)
    values = list(dict.fromkeys(its_label for _, its_label in names))
    fold = _same if case_sensitive else str.lower
    codes: dict[str, int] = {}
    for text, its_label in names:
        code = values.index(its_label)
        if codes.setdefault(fold(text), code) != code:
            raise SourceError(f"dictionary() has the entry {text!r} under two labels; keep one of them")
    return DictionaryRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(values),
        title=f"dictionary({_shortened(text for text, _ in names)})",
        entries=codes,
        inside=match == "inside",
        fold=fold,
    )


_COMPARE: dict[str, np.ufunc] = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


@dataclass(frozen=True, kw_only=True)
class ThresholdRule(Rule):
    """A number on one side of a bound, or between two."""

    bounds: Mapping[str, float]
    """Sign -> number, e.g. ``{">=": 18}``."""

    def emit(self, batch: Batch) -> Emission:
        column = self.column(batch)
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise DataError(f"source {self.name!r} reads numbers, but {_place(self.on)} holds {column.dtype}")
        number = column.cast(pl.Float64).to_numpy()
        inside = np.logical_and.reduce([_COMPARE[sign](number, bound) for sign, bound in self.bounds.items()])
        otherwise = 1 if len(self.values) > 1 else -1
        codes = np.where(np.isnan(number), -1, np.where(inside, 0, otherwise))
        return Emission(codes.astype(np.int32), self.values, self.failures(batch))


def threshold(
    on: On,
    label: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    otherwise: Any = None,
    task: str | None = None,
    name: str | None = None,
) -> Source:
    """Vote for a label where a number is beyond a bound; abstain where it is missing.

    Parameters
    ----------
    on
        The numeric column.
    label
        The label to vote for where all given bounds hold.
    above, at_least, below, at_most
        The bounds.
    otherwise
        The label for the other numbers; abstain by default.
    task, name
        As in :func:`keywords`.

    >>> threshold("age", "Adult", at_least=18, otherwise="Minor").name
    'threshold(age >= 18)'
    """
    bounds = {">": above, ">=": at_least, "<": below, "<=": at_most}
    given = {sign: bound for sign, bound in bounds.items() if bound is not None}
    if not given:
        raise SourceError("threshold() needs a bound: above=, at_least=, below= or at_most=")
    for bound in given.values():
        if not isinstance(bound, Real) or bound != bound:
            raise SourceError(f"threshold() needs numbers as bounds, but got {bound!r}")
    return ThresholdRule(
        given_name=name,
        task=task,
        on=on,
        values=(label,) if otherwise is None else (label, otherwise),
        title=f"threshold({_place(on, bare=True)} {', '.join(f'{sign} {bound:g}' for sign, bound in given.items())})",
        bounds=given,
    )


@dataclass(frozen=True, kw_only=True)
class ColumnRule(Rule):
    """Labels that are in the data already."""

    mapping: Mapping[Any, Any] | None
    confidence: str | None
    at_least: float

    @property
    def declared(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        return self.values or None

    def emit(self, batch: Batch) -> Emission:
        column = self.column(batch)
        if column.dtype == pl.Object:
            raise DataError(f"source {self.name!r} reads labels, but {_place(self.on)} holds values of mixed kinds")
        if column.dtype.is_float():
            column = column.fill_nan(None)
        if self.confidence is not None:
            sure = self.column(batch, self.confidence)
            if not (sure.dtype.is_numeric() or sure.dtype == pl.Null):
                raise DataError(f"source {self.name!r} reads confidences, but {self.confidence!r} holds {sure.dtype}")
            column = column.to_frame("label").select(
                pl.when(pl.lit(sure.cast(pl.Float64)).fill_nan(None) >= self.at_least).then("label")
            )["label"]
        present = column.drop_nulls().unique(maintain_order=True)
        codes = positions_in(column, present).astype(np.int32)
        found = present.to_list()
        if self.mapping is None:
            values = [value if isinstance(value, str) else str(value) for value in found]
            return Emission(codes, values, self.failures(batch))
        unmapped = {
            code: DataError(
                f"{_place(self.on)} holds {value!r}, which its mapping lacks; map it to a label, or to None to abstain"
            )
            for code, value in enumerate(found)
            if value not in self.mapping
        }
        failures = self.failures(batch)
        for code, error in unmapped.items():
            failures += [Failure(batch.start + int(row), error) for row in np.flatnonzero(codes == code)]
        labels = [self.mapping.get(value) for value in found]
        kept = [label for label in dict.fromkeys(labels) if label is not None]
        lookup = [*(-1 if label is None else kept.index(label) for label in labels), -1]
        return Emission(np.array(lookup, dtype=np.int32)[codes], kept, failures)


def column(
    on: On,
    *,
    task: str | None = None,
    name: str | None = None,
    mapping: Mapping[Any, Any] | None = None,
    confidence: str | None = None,
    at_least: float = 0.0,
) -> Source:
    """Take labels that another model or person already wrote into a column; missing means abstain.

    Parameters
    ----------
    on
        The column with the labels.
    task, name
        As in :func:`keywords`.
    mapping
        What the column says -> the label it means; ``None`` abstains.
    confidence, at_least
        A column with the confidence of each label, and how much of it a vote takes.

    >>> column("llm", task="entity", confidence="llm_score", at_least=0.8).name
    'column(llm)'
    """
    means = None if mapping is None else {value: _hashable(label) for value, label in mapping.items()}
    labels = dict.fromkeys(label for label in (means or {}).values() if label is not None)
    return ColumnRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(labels),
        title=f"column({_place(on, bare=True)})",
        mapping=means,
        confidence=confidence,
        at_least=at_least,
    )


@dataclass(frozen=True, kw_only=True)
class WorkerRule(Rule):
    """One worker's labels, by item."""

    items: pl.Series
    labels: Codes

    def emit(self, batch: Batch) -> Emission:
        keys = self.column(batch)
        if keys.dtype != self.items.dtype:
            try:
                keys = keys.cast(self.items.dtype)
            except pl.exceptions.PolarsError as error:
                raise DataError(
                    f"source {self.name!r} knows items as {self.items.dtype}, but {_place(self.on)} holds {keys.dtype}"
                ) from error
        codes = np.append(self.labels, np.int32(-1))[positions_in(keys, self.items)]
        return Emission(codes, self.values, self.failures(batch))


def crowd(
    table: Any,
    *,
    key: str,
    item: str = "item",
    worker: str = "worker",
    label: str = "label",
    task: str | None = None,
    prefix: str = "",
) -> list[Source]:
    """Every worker of a crowd as a source of its own, from a long table of item, worker, label.

    Parameters
    ----------
    table
        A dataframe, a dict of columns, or a path, with a row for each vote.
    key
        The column of the data that holds the item's name.
    item, worker, label
        The columns of the table.
    task
        As in :func:`keywords`.
    prefix
        Put before a worker's name to make the source's.

    >>> long = {"item": [1, 1, 2], "worker": ["ann", "bob", "bob"], "label": ["Person", "Person", "Organization"]}
    >>> [worker.name for worker in crowd(long, key="id")]
    ['ann', 'bob']
    """
    frame = as_polars(table)
    for name in (item, worker, label):
        if name not in frame.columns:
            raise SourceError(f"the crowd's table has no column {name!r}. {near_miss(name, frame.columns)}")
    frame = frame.select(item, worker, label).drop_nulls().unique(maintain_order=True)
    repeated = frame.filter(frame.select(item, worker).is_duplicated())
    if len(repeated):
        where = repeated.row(0)
        raise SourceError(f"worker {where[1]!r} labels item {where[0]!r} in two ways; keep one of them")
    values = frame[label].cast(pl.String).unique().sort()
    sources: list[Source] = []
    for (who,), votes in sorted(frame.group_by(worker), key=lambda group: str(group[0][0])):
        sources.append(
            WorkerRule(
                given_name=f"{prefix}{who}",
                task=task,
                on=key,
                values=tuple(values),
                title=str(who),
                items=votes[item],
                labels=positions_in(votes[label].cast(pl.String), values).astype(np.int32),
            )
        )
    return sources


def _by_label(kind: str, what: Any, label: Any) -> dict[Any, Any]:
    if isinstance(what, Mapping):
        if label is not None:
            raise SourceError(f"{kind}() got a dict of label -> {kind} and the label {label!r}; leave one out")
        return dict(what)
    if label is None:
        raise SourceError(f"{kind}() needs the label to vote for: {kind}(..., 'Label', on='text')")
    return {_hashable(label): what}


def _hashable(label: Any) -> Any:
    """A label as a dict key; a dict over several tasks becomes a frozen one."""
    return FrozenLabel(label) if isinstance(label, Mapping) else label


class FrozenLabel(dict[str, Any]):
    """A label over several tasks that can be used as a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items(), key=str)))


def _any_of(words: Sequence[str], case_sensitive: bool, whole_words: bool) -> str:
    def bounded(word: str) -> str:
        escaped = re.escape(word)
        if not whole_words:
            return escaped
        # A boundary only where there is a word character to bound: "c++" ends at its signs.
        start = r"\b" if re.match(r"\w", word) else ""
        end = r"\b" if re.search(r"\w$", word) else ""
        return f"{start}{escaped}{end}"

    return f"{'' if case_sensitive else '(?i)'}(?:{'|'.join(bounded(word) for word in words)})"


def _check_pattern(kind: str, pattern: str, advice: str) -> None:
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError as error:
        lines = [line.partition("error: ")[2] for line in str(error).splitlines() if "error: " in line]
        reason = lines[-1] if lines else str(error)
        raise SourceError(f"{kind}() cannot use the pattern {_cut(pattern)!r}: {reason}; {advice}") from error


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
        raise SourceError("dictionary() needs entries that are non-empty texts")
    if any(value is None for _, value in found):
        raise SourceError("dictionary() needs the label to vote for, or entries that bring their own")
    return [(name.strip(), _hashable(value)) for name, value in found]


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


def _place(on: On, bare: bool = False) -> str:
    name = on if isinstance(on, str) else getattr(on, "__name__", "a function")
    return name if bare else f"column {name!r}" if isinstance(on, str) else f"{name}()"


def _cut(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _shortened(words: Iterable[str], most: int = 3) -> str:
    shown = list(words)
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")
