"""The made texts are what the example says of them."""

from collections import Counter

import pytest

from assay.project.demo.texts import OUTCOMES, make

MADE = make(4_000, seed=3)
KIND = {tuple(outcome.items()): name for name, outcome in OUTCOMES.items()}


def test_gold_is_feasible_and_in_the_order_of_the_texts():
    assert [row["id"] for row in MADE.texts] == [row["id"] for row in MADE.gold] == list(range(4_000))
    assert {tuple(list(row.items())[1:]) for row in MADE.gold} == set(KIND)


def test_the_seed_decides():
    assert make(50, seed=3).texts == MADE.texts[:50]
    assert make(50, seed=4).texts != MADE.texts[:50]


def test_the_tagger_is_right_four_times_in_five_and_the_second_repeats_its_mistakes():
    right = [text["tagger"] == gold["entity"] for text, gold in zip(MADE.texts, MADE.gold, strict=True)]
    assert sum(right) / len(right) == pytest.approx(0.8, abs=0.03)
    wrong = [text for text, is_right in zip(MADE.texts, right, strict=True) if not is_right]
    repeated = sum(text["tagger"] == text["tagger2"] for text in wrong) / len(wrong)
    assert repeated == pytest.approx(0.85 + 0.15 * 0.2, abs=0.05)


def test_the_knowledge_base_has_a_third_of_the_names_and_some_mistakes():
    names = Counter(entry["name"] for entry in MADE.known)
    assert set(names.values()) == {1}
    kinds = {}
    for text, gold in zip(MADE.texts, MADE.gold, strict=True):
        for name in names:
            if name in text["text"]:
                kinds.setdefault(name, KIND[tuple(list(gold.items())[1:])])
    told = [entry["kind"] == kinds[entry["name"]] for entry in MADE.known if entry["name"] in kinds]
    assert sum(told) / len(told) == pytest.approx(0.9, abs=0.05)
