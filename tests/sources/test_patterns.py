"""Rules that are regular expressions underneath: asked together, they say what each says alone."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import SourceError
from assay._core.rows import Batch
from assay.sources.patterns import check_pattern, match_patterns, places_of
from tests.support.rules import columns, words


@given(columns, st.lists(st.tuples(words, st.booleans()), min_size=1, max_size=4))
def test_many_rules_in_one_query_say_what_each_says_alone(column, wanted):
    table = pl.DataFrame(
        {"text": pl.Series(column, dtype=pl.String), "other": pl.Series(column[::-1], dtype=pl.String)}
    )
    rules = [
        assay.keywords([word], "A", on="text" if on_text else "other", name=str(number))
        for number, (word, on_text) in enumerate(wanted)
    ]
    together = list(match_patterns(rules, Batch(table)))
    assert len(together) == len(rules)
    for rule, emission in zip(rules, together, strict=True):
        alone = rule.emit(Batch(table))
        assert emission.codes.tolist() == alone.codes.tolist()
        assert emission.values == alone.values == ("A",)


def test_more_labels_than_small_integers_hold():
    labels = [f"label{number:03}" for number in range(300)]
    tasks = assay.TaskGraph.flat("kind", labels)
    rule = assay.regex({label: f"^{label}$" for label in labels}, on="text")
    votes = assay.apply(rule, {"text": [labels[299], "none", labels[0], labels[128]]}, tasks)
    assert votes.to_pandas().iloc[:, 0].tolist() == [labels[299], None, labels[0], labels[128]]


def test_what_polars_cannot_use_is_told_with_advice_and_cut_if_long():
    check_pattern("regex", "a|b", "no advice needed")
    with pytest.raises(SourceError, match=r"regex\(\) cannot use the pattern '\[a': unclosed character class; mend it"):
        check_pattern("regex", "[a", "mend it")
    with pytest.raises(SourceError) as caught:
        check_pattern("keywords", "(" + "x" * 500, "mend it")
    assert "x" * 79 + "…'" in str(caught.value)
    assert "x" * 80 not in str(caught.value)


SIMPLE = ["a", "ab", "a+", r"\bab\b", "a|b", "[ab]c?", "b$", "^a", "(a)(b)", "(?i)A", "a*", "c.", r"\w+"]


@given(st.text(st.sampled_from("abcABC é\n"), max_size=12), st.sampled_from(SIMPLE))
def test_places_are_those_that_python_finds(text, pattern):
    expected = [found.span() for found in re.finditer(pattern, text) if found[0]]
    assert places_of(pattern, text) == expected


@given(columns, st.lists(words, min_size=1, max_size=3))
def test_a_rule_has_places_exactly_where_it_votes(column, wanted):
    rule = assay.keywords(wanted, "A", on="text")
    codes = rule.emit(Batch(pl.DataFrame({"text": pl.Series(column, dtype=pl.String)}))).codes.tolist()
    for text, code in zip(column, codes, strict=True):
        if text is not None:
            places = rule.places(text)
            assert bool(places) == (code >= 0)
            assert all(text[start:end].lower() in [word.lower() for word in wanted] for start, end in places)


def test_texts_with_the_marks_themselves_have_no_places():
    assert places_of("a", "\ue000a") == []
