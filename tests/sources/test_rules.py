from __future__ import annotations

import math
import re
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, SourceError, TaskGraph

LETTERS = TaskGraph.flat("letter", ["A", "B", "C"])
CHARACTERS = "abAB éÉßжЖ中1_+#.-\t\n"
texts = st.text(CHARACTERS, max_size=12)
words = st.text(CHARACTERS, min_size=1, max_size=4).filter(str.strip)
columns = st.lists(st.none() | texts, max_size=6)


def labels(source: assay.Source, **table: list) -> list[str | None]:
    """What one source says about a column."""
    data = pl.DataFrame({name: pl.Series(values, strict=False) for name, values in table.items()})
    votes = assay.apply(source, data, LETTERS)
    return [None if code < 0 else str(votes.values[0][code]) for code in votes.codes[:, 0]]


def is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def occurs(word: str, text: str, whole: bool) -> bool:
    """Whether a word is in a text, and not as a piece of a longer one if it is to be whole."""
    for start in range(len(text) - len(word) + 1):
        end = start + len(word)
        if text[start:end] != word:
            continue
        cut_before = start > 0 and is_word(text[start - 1]) and is_word(word[0])
        cut_after = end < len(text) and is_word(text[end]) and is_word(word[-1])
        if not whole or not (cut_before or cut_after):
            return True
    return False


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


numbers = st.none() | st.floats(-5, 5) | st.sampled_from([math.inf, -math.inf, math.nan, 0.0, 1.0])
bounds = st.none() | st.sampled_from([-math.inf, -1.0, 0, 1, 2.5, math.inf])


@given(st.lists(numbers, max_size=8), st.tuples(bounds, bounds, bounds, bounds), st.booleans())
def test_threshold(column, limits, otherwise):
    names = ("above", "at_least", "below", "at_most")
    chosen = {name: bound for name, bound in zip(names, limits, strict=True) if bound is not None}
    if not chosen:
        return
    holds = {
        "above": lambda x, bound: x > bound,
        "at_least": lambda x, bound: x >= bound,
        "below": lambda x, bound: x < bound,
        "at_most": lambda x, bound: x <= bound,
    }
    expected = [
        None
        if x is None or math.isnan(x)
        else "A"
        if all(holds[name](x, bound) for name, bound in chosen.items())
        else "B"
        if otherwise
        else None
        for x in column
    ]
    rule = assay.threshold("x", "A", **chosen, otherwise="B" if otherwise else None)
    assert labels(rule, x=[*column, None]) == [*expected, None]


def test_threshold_reads_any_number():
    rule = assay.threshold("x", "A", at_least=np.int64(1), otherwise="B")
    expected = ["A", "B", None]
    for column in (
        pl.Series([2, 0, None], dtype=pl.UInt8),
        pl.Series([True, False, None]),
        pl.Series(["2.0", "0.5", None]).cast(pl.Decimal(10, 2)),
        pl.Series([2.5, 0.5, math.nan], dtype=pl.Float32),
    ):
        assert labels(rule, x=column) == expected
    assert labels(rule, x=[None]) == [None]


@given(
    st.lists(st.none() | st.sampled_from("ABx"), max_size=6),
    st.none() | st.sampled_from([0.0, 0.5]),
    st.booleans(),
    st.data(),
)
def test_column(column, at_least, mapped, data):
    sure = [data.draw(st.none() | st.sampled_from([0.0, 0.4, 0.5, 0.9, math.nan])) for _ in column]
    mapping = {"A": "B", "B": None, "x": "C"}
    expected = [
        None
        if said is None or (at_least is not None and (c is None or math.isnan(c) or c < at_least))
        else mapping[said]
        if mapped
        else said.replace("x", "C")
        for said, c in zip(column, sure, strict=True)
    ]
    rule = assay.column(
        "llm",
        mapping=mapping if mapped else None,
        confidence=None if at_least is None else "sure",
        at_least=at_least or 0.0,
    )
    written = column if mapped else [said and said.replace("x", "C") for said in column]
    assert labels(rule, llm=[*written, None], sure=[*sure, None]) == [*expected, None]


def test_column_maps_values_of_any_kind():
    for column, mapping in [
        (pl.Series([1, 2, None]), {1: "A", 2: "B"}),
        (pl.Series([1.0, 2.0, math.nan]), {1: "A", 2: "B"}),
        (pl.Series([True, False, None]), {True: "A", False: "B"}),
        (pl.Series(["x", "y", None], dtype=pl.Categorical), {"x": "A", "y": "B"}),
        (pl.Series(["x", "y", None]), {"x": ("letter", "A"), "y": {"letter": "B"}}),
    ]:
        assert labels(assay.column("said", mapping=mapping), said=column) == ["A", "B", None]


def test_column_takes_labels_over_several_tasks(entities):
    rule = assay.column("said", mapping={"dr": {"entity": "Person", "person": "Doctor"}, "?": None})
    votes = assay.apply(rule, {"said": ["dr", "?", None]}, entities)
    assert votes.to_pandas().iloc[:, 0].tolist() == ["entity=Person, person=Doctor", None, None]


def test_a_value_that_the_mapping_lacks_is_a_fault_of_its_row():
    rule = assay.column("said", mapping={"x": "A"})
    data = {"said": ["x", None, "y", "y"]}
    with pytest.raises(
        SourceError, match=r"'column\(said\)' failed on row 2: column 'said' holds 'y', which its mapping"
    ):
        assay.apply(rule, data, LETTERS)
    for size in (1, 2, 9):
        votes = assay.apply(rule, data, LETTERS, on_error="abstain", batch_size=size)
        assert votes.codes[:, 0].tolist() == [0, -1, -1, -1]
        assert [(fault.count, fault.row) for fault in votes.faults] == [(2, 2)]


cells = st.dictionaries(
    st.tuples(st.integers(0, 5), st.sampled_from(["ann", "bob", "cy"])), st.sampled_from("ABC"), min_size=1
)


@given(cells, st.lists(st.none() | st.integers(0, 7), max_size=8), st.booleans())
def test_crowd(said, keys, as_text):
    table = {"item": [i for i, _ in said], "worker": [w for _, w in said], "label": list(said.values())}
    workers = assay.crowd(table, key="id", prefix="crowd ")
    assert [worker.name for worker in workers] == [f"crowd {name}" for name in sorted(set(table["worker"]))]
    for worker in workers:
        expected = [said.get((key, worker.name.removeprefix("crowd "))) for key in keys]
        ids = [None if key is None else str(key) for key in keys] if as_text else keys
        assert labels(worker, id=ids) == expected


def test_crowd_leaves_out_what_is_missing_and_refuses_a_change_of_mind():
    table = pd.DataFrame({"item": ["a", "a", None], "worker": [1, 1, 1], "label": ["A", "A", "B"]})
    (worker,) = assay.crowd(table, key="id")
    assert labels(worker, id=["a", "b"]) == ["A", None]
    with pytest.raises(SourceError, match="worker 1 labels item 'a' in two ways; keep one"):
        assay.crowd(table.fillna("a"), key="id")
    with pytest.raises(SourceError, match=r"no column 'worker'. Did you mean 'workers'"):
        assay.crowd(table.rename(columns={"worker": "workers"}), key="id")
    (numbered,) = assay.crowd({"item": [1], "worker": ["w"], "label": ["A"]}, key="id")
    with pytest.raises(DataError, match="'w' knows items as Int64, but column 'id' holds String"):
        labels(numbered, id=["x"])


def test_rules_may_look_at_shared_preprocessing():
    @assay.preprocess
    def tail(row):
        return row.text[3:] or None

    data = {"text": ["x: one", "y: two", "z: "]}
    rules = [
        assay.keywords(["one"], "A", on=tail),
        assay.regex("wo$", "B", on=tail),
        assay.dictionary(["two"], "C", on=tail, match="equal"),
    ]
    assert assay.apply(rules, data, LETTERS).to_pandas().to_numpy().tolist() == [
        ["A", None, None],
        [None, "B", "C"],
        [None, None, None],
    ]
    assert [rule.name for rule in rules] == ["keywords(one)", "regex(wo$)", "dictionary(two)"]


def test_preprocessing_that_fails_is_a_fault_of_its_row():
    @assay.preprocess
    def size(row):
        return 10 // row.x

    data = {"x": [1, 0, 5, 0]}
    rules = [
        assay.threshold(size, "A", above=5, otherwise="B", name="threshold"),
        assay.column(size, mapping={10: "A", 2: "B"}, name="column"),
    ]
    with pytest.raises(SourceError, match="'threshold' failed on row 1: ZeroDivisionError"):
        assay.apply(rules, data, LETTERS)
    for batch_size in (1, 3, 10):
        votes = assay.apply(rules, data, LETTERS, on_error="abstain", batch_size=batch_size)
        assert votes.codes.tolist() == [[0, 0], [-1, -1], [1, 1], [-1, -1]]
        assert [(f.source, f.count, f.row) for f in votes.faults] == [("threshold", 2, 1), ("column", 2, 1)]
        assert "ZeroDivisionError" in votes.faults[0].error


def test_rules_label_several_tasks_at_once(entities):
    both = {"entity": "Person", "person": "Doctor"}
    rules = [
        assay.keywords(["dr"], both, on="text"),
        assay.dictionary({"dr": both}, on="text"),
        assay.regex("dr", both, on="text"),
        assay.threshold("x", both, above=0, otherwise=("org", "Office")),
    ]
    votes = assay.apply(rules, {"text": ["dr", "no"], "x": [1, -1]}, entities)
    assert votes.tasks_of(0) == ("entity", "person")
    assert [row[0] >= 0 for row in votes.codes] == [True, False]
    assert votes.to_pandas().iloc[1, 3] == "org=Office"


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (lambda: assay.keywords([], "A", on="text"), "words that are non-empty strings"),
        (lambda: assay.keywords([" "], "A", on="text"), "words that are non-empty strings"),
        (lambda: assay.keywords([1], "A", on="text"), r"non-empty strings, but got \[1\]"),
        (lambda: assay.keywords(["a"], on="text"), r"keywords\(\) needs the label to vote for"),
        (lambda: assay.keywords({"A": ["a"]}, "A", on="text"), "dict of label -> keywords and the label 'A'"),
        (
            lambda: assay.keywords([f"word{i:07}" for i in range(60_000)], "A", on="text"),
            r"size limit.*dictionary\(\)",
        ),
        (lambda: assay.regex("(", "A", on="text"), r"cannot use the pattern '\(': unclosed group"),
        (lambda: assay.regex("(?=a)", "A", on="text"), "look-around, .*@assay.source"),
        (lambda: assay.regex(re.compile("a"), "A", on="text"), "patterns that are strings, but got re.compile"),
        (lambda: assay.regex("a", on="text"), r"regex\(\) needs the label"),
        (lambda: assay.dictionary([], "A", on="text"), "has no entries"),
        (lambda: assay.dictionary([""], "A", on="text"), "non-empty strings"),
        (lambda: assay.dictionary(["a"], on="text"), "needs the label to vote for"),
        (lambda: assay.dictionary({"a": "A"}, "B", on="text"), "entries with labels and the label 'B'"),
        (lambda: assay.dictionary({"a": "A", "a ": "B"}, on="text"), "entry 'a' under two labels"),
        (
            lambda: assay.dictionary({"n": ["a", "a"], "l": ["A", "B"]}, on="text", entry="n", labels="l"),
            "entry 'a' under two labels; keep one",
        ),
        (lambda: assay.dictionary("no such file.txt", "A", on="text"), "cannot read no such file.txt"),
        (
            lambda: assay.dictionary({"nam": ["a"]}, "A", on="text", entry="name"),
            "no column 'name'. Did you mean 'nam'",
        ),
        (lambda: assay.dictionary(["a"], "A", on="text", match="fuzzy"), "'inside' or 'equal', but got match='fuzzy'"),
        (lambda: assay.threshold("x", "A"), "needs a bound: above="),
        (lambda: assay.threshold("x", "A", above="3"), "numbers as bounds, but got '3'"),
        (lambda: assay.threshold("x", "A", above=math.nan), "numbers as bounds, but got nan"),
    ],
)
def test_declarations_say_what_is_wrong(make, advice):
    with pytest.raises(SourceError, match=advice):
        make()


@pytest.mark.parametrize(
    ("rule", "data", "advice"),
    [
        (
            assay.keywords("a", "A", on="txt"),
            {"text": ["a"]},
            r"'keywords\(a\)': .*no column 'txt'. Did you mean 'text'",
        ),
        (
            assay.keywords("a", "A", on="text"),
            {"text": [1]},
            r"'keywords\(a\)' reads text, but column 'text' holds Int64",
        ),
        (assay.dictionary(["a"], "A", on="text"), {"text": [["a"]]}, "reads text, but"),
        (assay.threshold("x", "A", above=1), {"x": ["2"]}, "reads numbers, but column 'x' holds String"),
        (assay.column("x", confidence="c"), {"x": ["A"], "c": ["high"]}, "reads confidences, but 'c' holds String"),
        (assay.column("x", confidence="c"), {"x": ["A"]}, "no column 'c'"),
        (assay.column("x"), [{"x": "A"}, {"x": 1}], "reads labels, but column 'x' holds values of mixed types"),
    ],
)
def test_data_that_a_rule_cannot_read_is_refused(rule, data, advice):
    with pytest.raises(DataError, match=advice):
        assay.apply(rule, data, LETTERS)
