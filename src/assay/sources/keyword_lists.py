"""Words or phrases that a text contains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.errors import SourceError
from assay.sources.base import Source
from assay.sources.patterns import PatternRule, check_pattern
from assay.sources.rule import On, Recipe, by_label, shortened


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
    groups = by_label("keywords", words, label)
    lists = [[one] if isinstance(one, str) else list(one) for _, one in groups]
    for found in lists:
        if not found or not all(isinstance(word, str) and word.strip() for word in found):
            raise SourceError(f"keywords() needs words that are non-empty strings, but got {found!r}")
    patterns = [_any_of(found, case_sensitive, whole_words) for found in lists]
    for pattern in patterns:
        check_pattern("keywords", pattern, "long lists of words are what dictionary() is for")
    return PatternRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(its_label for its_label, _ in groups),
        title=f"keywords({shortened([word for found in lists for word in found])})",
        patterns=tuple(patterns),
        recipe=Recipe(
            "keywords",
            {
                "keywords": [(its_label, found) for (its_label, _), found in zip(groups, lists, strict=True)],
                "on": on,
                "task": task,
                "case_sensitive": case_sensitive,
                "whole_words": whole_words,
            },
        ),
    )


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
