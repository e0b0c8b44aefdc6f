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


def test_prompts_to_one_model_that_ask_alike():
    yes_no = {"yes": "Spam", "no": "Ham"}
    one = assay.prompt("Is this comment on a video spam? Answer yes or no. {text}", answers=yes_no, name="one")
    other = assay.prompt(
        "Would you say this comment on a video is spam? yes or no: {text}", answers=yes_no, name="other"
    )
    different = assay.prompt("Does it ask people to subscribe or click? {text}", answers=yes_no, name="different")
    elsewhere = assay.prompt(
        "Is this comment on a video spam? Answer yes or no. {text}", answers=yes_no, name="elsewhere", model="another"
    )
    found = assay.dependency_hints([one, other, different, elsewhere])
    assert [(hint.sources, hint.kind) for hint in found] == [(("one", "other"), "prompt")]
    assert str(found[0]) == "one – other: prompts to one model that share 50% of their words"


def test_prompts_for_several_tasks_are_compared_too():
    several = [
        assay.prompt("Tell the tone and topic of {text}", questions={"tone": ["calm", "angry"]}, name=name)
        for name in ("one", "other")
    ]
    assert assay.dependency_hints(several)[0].kind == "prompt"
