"""Regular expressions say what Python's say."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

import assay
from tests.support.rules import columns, labels

PATTERNS = [r"a+", r"^b", r"1$", r"[éж]", r"a|b", r"\w\d", ""]


@given(columns, st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3, unique=True), st.booleans())
def test_regex(column, patterns, case_sensitive):
    groups = dict(zip("ABC", patterns, strict=False))
    flags = 0 if case_sensitive else re.IGNORECASE
    python = {label: re.compile(pattern.replace("$", r"\Z"), flags) for label, pattern in groups.items()}
    expected = [
        next((label for label, p in python.items() if text is not None and p.search(text)), None) for text in column
    ]
    assert labels(assay.regex(groups, on="text", case_sensitive=case_sensitive), text=column) == expected
    first = [("A" if text is not None and python["A"].search(text) else None) for text in column]
    assert labels(assay.regex(patterns[0], "A", on="text", case_sensitive=case_sensitive), text=column) == first
