"""What sources are made from, as far as their making tells."""

from __future__ import annotations

import re

import assay
from assay.sources.shared_parts import parts_of, words_of

TITLES = ["Dr.", "Prof."]
PATTERN = re.compile("ward")
LIMIT = 3


@assay.preprocess
def split(row):
    return row.text.split()


def test_resources_globals_and_closures_are_found_by_identity():
    known = {"nurse"}

    @assay.source(resources={"titles": TITLES, "most": 5, "nothing": None})
    def uses_all(row, titles, most, nothing):
        def inside(word):
            return PATTERN.search(word) or word in known

        return "A" if len(split(row)) > LIMIT and any(map(inside, titles)) else None

    assert parts_of(uses_all) == {
        id(TITLES): ("resource", "titles"),
        id(PATTERN): ("resource", "PATTERN"),
        id(split): ("preprocessor", "split"),
        id(known): ("resource", "known"),
    }


def test_numbers_are_nobodys_and_rules_have_no_parts():
    @assay.source
    def short(row):
        return "A" if len(row.text) < LIMIT else None

    assert parts_of(short) == {}
    assert parts_of(assay.keywords(TITLES, "A", on="text")) == {}


def test_a_callable_without_code_has_neither_parts_nor_words():
    class Model:
        def __call__(self, row):
            return "A"

    source = assay.source(Model())
    assert parts_of(source) == {}
    assert words_of(source) == frozenset()


def test_the_words_of_rules_are_what_they_look_for():
    assert words_of(assay.keywords(["Nurse", "on"], "A", on="text")) == {"nurse"}
    assert words_of(assay.regex(r"\bsurgeons?\b|\d+ beds", "A", on="text")) == {"surgeons", "beds"}
    assert words_of(assay.dictionary(["New York", "LA"], "A", on="text")) == {"new york", "la"}
    assert words_of(assay.threshold("age", "A", above=3)) == frozenset()


def test_the_words_of_a_function_are_its_strings_without_its_description():
    @assay.source
    def by_words(row):
        """Hospitals and such."""
        named = ("matron", "porter")
        return "Staff" if any(word in row.text for word in named) or (lambda text: "nurse" in text)(row.text) else None

    assert {"matron", "porter", "nurse"} <= words_of(by_words)
    assert not {"hospitals", "such"} & words_of(by_words)
