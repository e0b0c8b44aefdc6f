"""Dictionaries: of any shape and size, and silent where their entries disagree."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import SourceError
from tests.support.rules import columns, labels, occurs, words

entry_tables = st.dictionaries(words.map(str.strip), st.sampled_from("ABC"), min_size=1, max_size=4)


@given(columns, entry_tables, st.booleans(), st.sampled_from(["inside", "equal"]))
def test_dictionary(column, entries, case_sensitive, match):
    fold = str if case_sensitive else str.lower
    folded = {}
    for name, label in entries.items():
        folded.setdefault(fold(name), set()).add(label)
    if any(len(several) > 1 for several in folded.values()):
        with pytest.raises(SourceError, match="under two labels"):
            assay.dictionary(entries, on="text", case_sensitive=case_sensitive)
        return
    expected = []
    for text in column:
        found = {
            entries[name]
            for name in entries
            if text is not None
            and (occurs(fold(name), fold(text), True) if match == "inside" else fold(name) == fold(text))
        }
        expected.append(found.pop() if len(found) == 1 else None)
    rule = assay.dictionary(entries, on="text", match=match, case_sensitive=case_sensitive)
    assert labels(rule, text=column) == expected


def test_dictionary_entries_may_come_in_any_shape(tmp_path):
    table = pl.DataFrame({"name": ["ann", " bob ", None], "is": ["A", "B", "C"]})
    table.write_csv(tmp_path / "names.csv")
    table.write_parquet(tmp_path / "names.parquet")
    (tmp_path / "names.txt").write_text("ann\n\n  bob\n", encoding="utf-8")
    for entries in (
        table,
        table.to_pandas(),
        table.to_arrow(),
        tmp_path / "names.csv",
        str(tmp_path / "names.parquet"),
    ):
        rule = assay.dictionary(entries, on="text", entry="name", labels="is")
        assert labels(rule, text=["Ann!", "I, Bob", "cy"]) == ["A", "B", None]
        assert labels(assay.dictionary(entries, "C", on="text", entry="name"), text=["ann bob"]) == ["C"]
    for entries in (["ann", "bob"], {"ann", "bob"}, iter(["ann", "bob"]), tmp_path / "names.txt"):
        assert labels(assay.dictionary(entries, "A", on="text"), text=["ann", "bobby"]) == ["A", None]


@pytest.mark.parametrize("match", ["inside", "equal"])
def test_a_hundred_thousand_entries_are_fine(match):
    random = np.random.default_rng(0)
    names = list(dict.fromkeys("".join(word) for word in random.choice(list("abcdefghij"), (120_000, 9))))
    entries, unknown = names[:100_000], names[100_000:]
    start = time.process_time()
    rule = assay.dictionary({name: "ABC"[number % 3] for number, name in enumerate(entries)}, on="text", match=match)
    found = labels(rule, text=[*map(str.upper, entries[::20]), *unknown])
    assert found == ["ABC"[number % 3] for number in range(0, 100_000, 20)] + [None] * len(unknown)
    assert time.process_time() - start < 5
