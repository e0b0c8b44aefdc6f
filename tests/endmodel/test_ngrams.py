"""N-grams against their definition."""

import math
import re
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import assay
from tests.support.small_texts import TEXTS

CPU = torch.device("cpu")


def grams(text, shortest, longest):
    words = re.findall(r"\w+", text.lower())
    return Counter(
        tuple(words[at : at + size]) for size in range(shortest, longest + 1) for at in range(len(words) - size + 1)
    )


@given(st.lists(st.text("ab ,", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=6), st.integers(1, 3))
def test_ngrams_are_counted_per_text(texts, longest):
    encoder = assay.NGrams(words=(1, longest), characters=None, buckets=2**40)
    starts, hashes, times = encoder.counts(texts)
    for row, text in enumerate(texts):
        own = slice(starts[row], starts[row + 1])
        assert sorted(times[own].tolist()) == sorted(grams(text, 1, longest).values())
        assert len(set(hashes[own].tolist())) == len(hashes[own])
    known = {}
    for row, text in enumerate(texts):  # the same n-gram has the same hash in all texts
        for kind, count in grams(text, 1, longest).items():
            options = {
                int(h)
                for h, t in zip(
                    hashes[starts[row] : starts[row + 1]], times[starts[row] : starts[row + 1]], strict=True
                )
                if t == count
            }
            known[kind] = known.get(kind, options) & options
    assert all(known.values())


def test_they_are_weighed_by_tfidf():
    reader = assay.NGrams(words=(1, 1), characters=None).learn(TEXTS)
    inputs = reader.read(["rose rose day unknown"])
    rarity = {
        word: math.log(4 / (1 + sum(word in grams(t, 1, 1) for t in TEXTS))) + 1 for word in [("rose",), ("day",)]
    }
    expected = np.array([2 * rarity["rose",], rarity["day",]])
    np.testing.assert_allclose(sorted(inputs.values), sorted(expected / np.linalg.norm(expected)), rtol=1e-6)


@given(st.lists(st.text("aé, ", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=6))
def test_characters_do_not_reach_beyond_a_word(texts):
    starts, hashes, times = assay.NGrams(words=None, characters=(2, 3), buckets=2**40).counts(texts)
    for row, text in enumerate(texts):
        words = [f" {word} " for word in re.findall(r"\w+", text)]
        expected = Counter(
            word[at : at + size] for word in words for size in (2, 3) for at in range(len(word) - size + 1)
        )
        own = slice(starts[row], starts[row + 1])
        assert sorted(times[own].tolist()) == sorted(expected.values())
        assert (hashes[own] >= 2**40).all()


def test_words_and_characters_weigh_the_same():
    both = assay.NGrams().learn(TEXTS)
    read = both.read(TEXTS[:1])
    of_words = both.kinds[read.columns] < both.encoder.buckets
    for part in (read.values[of_words], read.values[~of_words]):
        assert np.linalg.norm(part) == pytest.approx(1)


def test_hashes_are_the_same_in_every_process():
    """They are stored with models."""
    assert assay.NGrams(characters=None).counts(["a rose"])[1].tolist() == [212283, 530436, 593791]
    characters = assay.NGrams(words=None, characters=(2, 2))
    assert characters.counts(["a é"])[1].tolist() == [1771602, 1782671, 1787791, 2064045]


def test_settings_of_ngrams():
    words = {"words": (1, 1), "characters": None}
    assert assay.NGrams(**words, min_count=2).learn(TEXTS).width == 3  # a, rose, day
    assert assay.NGrams(**words, lowercase=False).learn(TEXTS).width == 7
    assert assay.NGrams(characters=None, buckets=2).learn(TEXTS).width == 2
    for wrong in (
        {"words": (3, 2)},
        {"words": (0, 2)},
        {"characters": 3},
        {"words": None, "characters": None},
        {"buckets": 0},
        {"min_count": 0},
    ):
        with pytest.raises(assay.AssayError):
            assay.NGrams(**wrong)
    with pytest.raises(assay.AssayError, match="lower min_count"):
        assay.NGrams(min_count=99).learn(TEXTS)
