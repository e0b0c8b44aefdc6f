"""Keywords, whole or as parts of words, against a search by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from tests.support.rules import columns, labels, occurs, words


@given(columns, st.lists(words, min_size=1, max_size=3), st.booleans(), st.booleans())
def test_keywords(column, wanted, case_sensitive, whole_words):
    fold = str if case_sensitive else str.lower
    expected = [
        "A" if text is not None and any(occurs(fold(word), fold(text), whole_words) for word in wanted) else None
        for text in column
    ]
    rule = assay.keywords(wanted, "A", on="text", case_sensitive=case_sensitive, whole_words=whole_words)
    assert labels(rule, text=column) == expected


@given(columns, st.permutations("ABC"), st.lists(st.lists(words, min_size=1, max_size=2), min_size=3, max_size=3))
def test_the_first_label_whose_keywords_match_decides(column, order, lists):
    groups = dict(zip(order, lists, strict=True))
    expected = [
        next((g for g, ws in groups.items() if text is not None and any(occurs(w, text, True) for w in ws)), None)
        for text in column
    ]
    assert labels(assay.keywords(groups, on="text", case_sensitive=True), text=column) == expected


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("art", "a party", False),
        ("art", "Art!", True),
        ("c++", "we write C++.", True),
        ("c++", "c++", True),
        ("c++", "abc++", False),
        (".net", "asp.net", True),
        ("#tag", "x #tag y", True),
        ("#tag", "x #tags y", False),
        ("café", "un CAFÉ noir", True),
        ("caf", "café", False),
        ("new york", "New York City", True),
        ("naïve", "naïveté", False),
        ("医生", "王医生", False),
    ],
)
def test_whole_words(word, text, found):
    for rule in (assay.keywords(word, "A", on="text"), assay.dictionary([word], "A", on="text")):
        assert labels(rule, text=[text]) == ["A" if found else None]
