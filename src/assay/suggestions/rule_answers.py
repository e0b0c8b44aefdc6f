"""What a language model proposes, read as data: rules that are sound, and all else it said, with the reason why not.

Nothing in an answer is run. A rule is a label that exists, and words, or patterns of bounded size, of a kind whose time
is linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from assay._core.rows import Batch
from assay.errors import SourceError, near_miss
from assay.sources import Source, keywords, regex
from assay.tasks import TaskGraph

_MOST_PATTERNS = 40
_LONGEST_WORD = 60
_LONGEST_PATTERN = 200
_MOST_REPEATS = 100
_FLAGS = re.compile(r"\(\?[a-zA-Z-]*[a-hj-zA-Z][a-zA-Z-]*[):]")
"""Flags inside of a pattern, other than that case does not count; they may reach beyond it."""
_REPEATS = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_QUOTED = 120


@dataclass(frozen=True)
class Refused:
    """Something that a model proposed, and why it is not taken."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True)
class Proposed:
    """A rule that can be made."""

    task: str
    label: str
    kind: str
    """``keywords`` or ``regex``."""
    patterns: tuple[str, ...]

    def made(self, on: str, name: str, tasks: TaskGraph) -> Source:
        """The rule itself, looking at a column."""
        task = self.task if _is_shared(self.label, tasks) else None
        if self.kind == "keywords":
            return keywords(self.patterns, self.label, on=on, task=task, name=name)
        return regex("|".join(self.patterns), self.label, on=on, task=task, name=name, case_sensitive=False)


def _is_shared(label: str, tasks: TaskGraph) -> bool:
    return sum(label in task.labels for task in tasks.declared) > 1


def read_rules(
    text: str, finished: bool, places: Mapping[str, tuple[str, str]]
) -> tuple[list[Proposed], list[Refused]]:
    """The rules in an answer, each pattern of which can be used; and all else that is in it."""
    found, refused = _entries(text)
    if not finished:
        refused.append(Refused("the end of an answer", "it was cut off, since it had too many tokens"))
    rules: list[Proposed] = []
    for entry in found:
        rule, why_not = _rule(entry, places)
        rules += [] if rule is None else [rule]
        refused += why_not
    return rules, refused


def _entries(text: str) -> tuple[list[Any], list[Refused]]:
    """The entries of the list of rules, up to where the answer can be read."""
    start = text.find("[")
    if start < 0:
        return [], [Refused(_quoted(text), "no JSON with a list of rules")]
    decoder = json.JSONDecoder()
    found: list[Any] = []
    at = start + 1
    while True:
        at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,"))
        if at >= len(text) or text[at] == "]":
            return found, []
        try:
            entry, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, [Refused(_quoted(text[at:]), "not JSON from here on")]
        found.append(entry)


def _rule(entry: Any, places: Mapping[str, tuple[str, str]]) -> tuple[Proposed | None, list[Refused]]:
    told = _quoted(json.dumps(entry, ensure_ascii=False))
    if not isinstance(entry, dict):
        return None, [Refused(told, "a rule is an object with label, kind and patterns")]
    label, kind, patterns = (entry.get(key) for key in ("label", "kind", "patterns"))
    if not isinstance(label, str) or label not in places:
        return None, [Refused(told, f"there is no label {label!r}. {near_miss(str(label), places)}".rstrip())]
    if kind not in ("keywords", "regex"):
        return None, [Refused(told, f"its kind must be keywords or regex, but is {kind!r}")]
    if not isinstance(patterns, list) or not patterns:
        return None, [Refused(told, "it has no patterns")]
    kept: list[str] = []
    refused: list[Refused] = []
    if len(patterns) > _MOST_PATTERNS:
        more = (
            f"{len(patterns) - _MOST_PATTERNS} more patterns for {label}, from {_quoted(patterns[_MOST_PATTERNS])} on"
        )
        refused.append(Refused(more, f"a rule has at most {_MOST_PATTERNS}"))
    check = _wrong_word if kind == "keywords" else _wrong_pattern
    for pattern in patterns[:_MOST_PATTERNS]:
        why = check(pattern)
        if why is None:
            kept.append(pattern.strip() if kind == "keywords" else pattern)
        else:
            refused.append(Refused(f"{_quoted(pattern)} for {label}", why))
    distinct = tuple(dict.fromkeys(kept))
    return (Proposed(*places[label], kind, distinct) if distinct else None), refused


def _wrong_word(word: Any) -> str | None:
    if not isinstance(word, str) or not word.strip():
        return "a word must be a text"
    if not word.strip().isprintable():
        return "it has characters that cannot be shown"
    if len(word.strip()) > _LONGEST_WORD:
        return f"a word or phrase has at most {_LONGEST_WORD} characters"
    return None


def _wrong_pattern(pattern: Any) -> str | None:
    """Why a pattern cannot be used; patterns run in time that is linear in the text, whatever they are."""
    if not isinstance(pattern, str) or not pattern.strip():
        return "a pattern must be a text"
    if not pattern.isprintable():
        return "it has characters that cannot be shown"
    if len(pattern) > _LONGEST_PATTERN:
        return f"a pattern has at most {_LONGEST_PATTERN} characters"
    if _FLAGS.search(pattern):
        return "it changes how patterns are read; only (?i) may"
    repeats = [int(number) for found in _REPEATS.findall(pattern) for number in found if number]
    if any(number > _MOST_REPEATS for number in repeats):
        return f"it repeats something more than {_MOST_REPEATS} times"
    try:
        regex(pattern, "any", on="any")
        matches_nothing = _matches(pattern, "")
    except SourceError as error:
        return str(error)
    return "it matches every text, even an empty one" if matches_nothing else None


def _matches(pattern: str, text: str) -> bool:
    return bool(pl.Series([text]).str.contains(f"(?i){pattern}")[0])


def found_in(rules: Iterable[Proposed], texts: Sequence[str]) -> tuple[list[Proposed], list[Refused]]:
    """Rules without the patterns that none of some texts contains."""
    kept: list[Proposed] = []
    refused: list[Refused] = []
    batch = Batch.of_records([{"text": text} for text in texts])
    for rule in rules:
        alone = [
            keywords([pattern], "any", on="text")
            if rule.kind == "keywords"
            else regex(pattern, "any", on="text", case_sensitive=False)
            for pattern in rule.patterns
        ]
        occurs = [bool((one.emit(batch).codes >= 0).any()) for one in alone]
        there = tuple(pattern for pattern, is_there in zip(rule.patterns, occurs, strict=True) if is_there)
        refused += [
            Refused(f"{_quoted(pattern)} for {rule.label}", f"none of {len(texts):,} texts has it")
            for pattern in rule.patterns
            if pattern not in there
        ]
        kept += [replace(rule, patterns=there)] if there else []
    return kept, refused


def without_repeats(rules: Iterable[Proposed], tasks: TaskGraph) -> tuple[list[Proposed], list[Refused]]:
    """Rules in which no pattern occurs twice for a label, or for two labels of one task, of which it says neither."""
    every = list(rules)
    labels: dict[tuple[str, str, str], set[str]] = {}
    for rule in every:
        if rule.task not in tasks.multiple:
            for pattern in rule.patterns:
                labels.setdefault((rule.task, rule.kind, pattern.casefold()), set()).add(rule.label)
    kept: list[Proposed] = []
    refused: list[Refused] = []
    seen: set[tuple[str, str, str, str]] = set()
    for rule in every:
        own: list[str] = []
        for pattern in rule.patterns:
            key = rule.task, rule.kind, pattern.casefold()
            others = labels.get(key, set()) - {rule.label}
            if others:
                told = f"it was proposed for {' and '.join(sorted({rule.label, *others}))}"
                refused.append(Refused(f"{_quoted(pattern)} for {rule.label}", told))
            elif (*key, rule.label) in seen:
                refused.append(Refused(f"{_quoted(pattern)} for {rule.label}", "it was proposed before"))
            else:
                own.append(pattern)
            seen.add((*key, rule.label))
        if own:
            kept.append(replace(rule, patterns=tuple(own)))
    return kept, refused


def names_for(rules: Sequence[Proposed], taken: Iterable[str]) -> Iterator[str]:
    """A name for each rule, by its label and kind, that nobody else has."""
    used = set(taken)
    for rule in rules:
        plain = re.sub(r"\W+", "_", rule.label.casefold()).strip("_") or "label"
        first = f"{plain}_{'words' if rule.kind == 'keywords' else 'pattern'}"
        name = next(
            one
            for one in (first, *(f"{first}_{number}" for number in range(2, len(used) + len(rules) + 3)))
            if one not in used
        )
        used.add(name)
        yield name


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return repr(text if len(text) <= _QUOTED else f"{text[:_QUOTED]} …")
