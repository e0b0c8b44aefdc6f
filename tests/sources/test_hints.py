"""Sources that are made from the same things."""

import re

import assay
from assay.sources.hints import dependency_hints

TITLES = ("Dr.", "Prof.")
PATTERN = re.compile("hospital")


@assay.preprocess
def words(row):
    return row.text.split()


@assay.source(task="x", resources={"titles": TITLES})
def with_titles(row, titles):
    return "A" if row.text.startswith(titles) else None


@assay.source(task="x", resources={"known": TITLES})
def also_with_titles(row, known):
    return "A" if row.text.endswith(known) else None


@assay.source(task="x")
def by_pattern(row):
    return "A" if PATTERN.search(row.text) and words(row) else None


@assay.source(task="x")
def by_pattern_too(row):
    return "A" if any(PATTERN.match(word) for word in words(row)) else None


@assay.source(task="x")
def about_nurses(row):
    return "A" if "nurse" in row.text or "ward" in row.text else None


NURSES = assay.keywords(["nurse", "matron"], "A", on="text", name="nurses")
DOCTORS = assay.dictionary(["surgeon", "doctor"], "A", on="text", name="doctors")
SURGEONS = assay.regex(r"\bsurgeon\b", "A", on="text", name="surgeons")
ALL = [with_titles, also_with_titles, by_pattern, by_pattern_too, about_nurses, NURSES, DOCTORS, SURGEONS]


def test_what_sources_share():
    told = {(hint.sources, hint.kind) for hint in dependency_hints(ALL)}
    assert told == {
        (("with_titles", "also_with_titles"), "resource"),
        (("by_pattern", "by_pattern_too"), "resource"),
        (("by_pattern", "by_pattern_too"), "preprocessor"),
        (("about_nurses", "nurses"), "words"),
        (("doctors", "surgeons"), "words"),
    }


def test_the_order_does_not_matter():
    pairs = {frozenset(hint.sources) for hint in dependency_hints(ALL)}
    assert {frozenset(hint.sources) for hint in dependency_hints(ALL[::-1])} == pairs


def test_what_most_use_and_labels_are_no_hint():
    others = [assay.keywords(["nurse", word], "A", on="text", name=word) for word in ("one", "two", "six")]
    assert not dependency_hints(others)
    assert not dependency_hints([about_nurses, NURSES], ignore=["nurse"])
    assert "nurse" in str(dependency_hints([about_nurses, NURSES])[0])
