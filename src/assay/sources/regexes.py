"""A regular expression that a text matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import SourceError
from assay.sources.base import Source
from assay.sources.patterns import PatternRule, check_pattern
from assay.sources.rule import On, Recipe, by_label, shortened


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
    groups = by_label("regex", pattern, label)
    for _, found in groups:
        if not isinstance(found, str):
            raise SourceError(f"regex() needs patterns that are strings, but got {found!r} ({type(found).__name__})")
    patterns = [found if case_sensitive else f"(?i){found}" for _, found in groups]
    for (_, typed), found in zip(groups, patterns, strict=True):
        advice = "look-around and back-references need a function with @assay.source"
        check_pattern("regex", found, advice, typed=typed)
    return PatternRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(its_label for its_label, _ in groups),
        title=f"regex({shortened(found for _, found in groups)})",
        patterns=tuple(patterns),
        recipe=Recipe("regex", {"regex": groups, "on": on, "task": task, "case_sensitive": case_sensitive}),
    )
