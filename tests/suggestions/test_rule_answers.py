"""What a model proposes is data: what is sound is taken, all else is refused with a reason, and nothing is run."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Task, TaskGraph
from assay.suggestions.rule_answers import Proposed, found_in, names_for, read_rules, without_repeats

TASKS = TaskGraph([Task("mail", ["Ham", "Spam"]), Task("topics", ["sports", "money"], multiple=True)])
PLACES = {
    "Ham": ("mail", "Ham"),
    "Spam": ("mail", "Spam"),
    "sports": ("topics", "sports"),
    "money": ("topics", "money"),
}


def said(*rules, finished=True):
    return read_rules(json.dumps({"rules": list(rules)}), finished, PLACES)


def rule(label="Spam", kind="keywords", patterns=("win", "prize")):
    return {"label": label, "kind": kind, "patterns": list(patterns)}


def test_sound_rules_are_taken():
    found, refused = said(rule(), rule("Ham", "regex", [r"\bthanks?\b"]))
    assert found == [
        Proposed("mail", "Spam", "keywords", ("win", "prize")),
        Proposed("mail", "Ham", "regex", (r"\bthanks?\b",)),
    ]
    assert refused == []


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("__import__('os')", "a rule is an object"),
        (rule("Spma"), "Did you mean 'Spam'"),
        (rule(label=["Spam"]), "there is no label"),
        (rule(kind="python", patterns=["lambda row: 'Spam'"]), "kind must be keywords or regex"),
        (rule(patterns=[]), "it has no patterns"),
        ({"label": "Spam", "kind": "keywords"}, "it has no patterns"),
        (rule(patterns=[3]), "must be a text"),
        (rule(patterns=["  "]), "must be a text"),
        (rule(patterns=["x\x1b[31m"]), "cannot be shown"),
        (rule(patterns=["x\ud800"]), "cannot be shown"),
        (rule(patterns=["x" * 61]), "at most 60 characters"),
        (rule(kind="regex", patterns=["(unclosed"]), "unclosed group"),
        (rule(kind="regex", patterns=["(?=look)ahead"]), "look-around"),
        (rule(kind="regex", patterns=[".*"]), "matches every text"),
        (rule(kind="regex", patterns=["a?"]), "matches every text"),
        (rule(kind="regex", patterns=["x{1000}"]), "more than 100 times"),
        (rule(kind="regex", patterns=["x{2,5000}"]), "more than 100 times"),
        (rule(kind="regex", patterns=["((((\\w{99}){99}){99}){99})"]), "cannot use the pattern"),
        (rule(kind="regex", patterns=["(?x)a # b"]), "changes how patterns are read"),
        (rule(kind="regex", patterns=["y" * 201]), "at most 200 characters"),
        (rule(kind="regex", patterns=[None]), "must be a text"),
    ],
)
def test_what_is_not_sound_is_refused_with_the_reason(entry, why):
    found, refused = said(entry, rule())
    assert found == [Proposed("mail", "Spam", "keywords", ("win", "prize"))]
    assert len(refused) == 1
    assert why in refused[0].why


def test_a_bad_pattern_does_not_spoil_the_others():
    found, refused = said(rule(kind="regex", patterns=["(", "ok+", "ok+"]))
    assert found[0].patterns == ("ok+",)
    assert len(refused) == 1
    found, refused = said(rule(patterns=[f"word{number}" for number in range(50)]))
    assert len(found[0].patterns) == 40
    assert str(refused[0]).startswith("10 more patterns for Spam, from 'word40' on: a rule has at most 40")


def test_patterns_that_other_engines_choke_on_are_linear_here():
    found, _ = said(rule(kind="regex", patterns=["(a+)+$b"]))
    start = time.monotonic()
    found_in(found, ["a" * 100_000])
    assert time.monotonic() - start < 5


def test_an_answer_that_was_cut_is_read_up_to_there():
    whole = json.dumps({"rules": [rule(), rule("Ham", patterns=["thanks"])]})
    found, refused = read_rules(whole[:-30], False, PLACES)
    assert found == [Proposed("mail", "Spam", "keywords", ("win", "prize"))]
    assert [one.why for one in refused] == ["not JSON from here on", "it was cut off, since it had too many tokens"]


@given(st.text())
def test_any_answer_is_read_or_refused(text):
    found, refused = read_rules(text, True, PLACES)
    assert found == []
    assert refused or "[" in text


def test_answers_in_blocks_of_code_and_bare_lists_are_read():
    bare = json.dumps([rule()])
    for text in (f"```json\n{bare}\n```", f"Sure! {bare} I hope this helps [1]."):
        assert len(read_rules(text, True, PLACES)[0]) == 1
    assert read_rules("[" * 100_000, True, PLACES)[1][0].why == "not JSON from here on"


def test_no_pattern_stands_twice_or_for_two_labels_of_a_task():
    rules = [
        Proposed("mail", "Spam", "keywords", ("win", "offer")),
        Proposed("mail", "Ham", "keywords", ("Offer", "thanks")),
        Proposed("mail", "Spam", "keywords", ("WIN", "prize")),
        Proposed("topics", "sports", "keywords", ("cup",)),
        Proposed("topics", "money", "keywords", ("cup",)),
    ]
    kept, refused = without_repeats(rules, TASKS)
    assert [(one.label, one.patterns) for one in kept] == [
        ("Spam", ("win",)), ("Ham", ("thanks",)), ("Spam", ("prize",)), ("sports", ("cup",)), ("money", ("cup",)),
    ]  # fmt: skip
    assert [one.why for one in refused] == [
        "it was proposed for Ham and Spam", "it was proposed for Ham and Spam", "it was proposed before",
    ]  # fmt: skip


def test_patterns_that_no_text_has_are_refused():
    rules = [Proposed("mail", "Spam", "keywords", ("win", "in")), Proposed("mail", "Ham", "regex", ("thank", "x+y"))]
    kept, refused = found_in(rules, ["Winning", "WIN now", "Thanks"])
    assert [one.patterns for one in kept] == [("win",), ("thank",)]
    assert [str(one) for one in refused] == [
        "'in' for Spam: none of 3 texts has it",
        "'x+y' for Ham: none of 3 texts has it",
    ]


def test_names_are_free():
    rules = [Proposed("mail", "Spam", "keywords", ("a",)), Proposed("mail", "Spam", "keywords", ("b",))]
    odd = [Proposed("mail", "…", "regex", ("a",)), Proposed("mail", "Not good!", "regex", ("a",))]
    assert list(names_for(rules, ["spam_words"])) == ["spam_words_2", "spam_words_3"]
    assert list(names_for(odd, [])) == ["label_pattern", "not_good_pattern"]
