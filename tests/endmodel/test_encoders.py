"""Readers of texts and numbers, against definitions."""

import math
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csr_matrix

import assay
from assay.endmodel.inputs import texts_of
from assay.endmodel.lstm import _FIRST_WORD

TEXTS = ["A rose is a rose", "an Apple, a day", "rose day"]
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


@pytest.mark.parametrize(
    "data",
    [
        TEXTS,
        np.array(TEXTS),
        pd.Series(TEXTS),
        {"text": TEXTS},
        pd.DataFrame({"text": TEXTS}),
        [{"text": t} for t in TEXTS],
    ],
    ids=["list", "array", "series", "dict", "frame", "rows"],
)
def test_texts_come_in_many_shapes(data):
    assert texts_of(data, "text") == TEXTS


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a", ""], "row 1 has an empty text"),
        ([" \n", "a"], "row 0 has an empty text"),
        (["a", None], "row 1 has None"),
    ],
)
def test_empty_texts_are_refused(texts, said):
    for encoder in (assay.NGrams(), assay.BiLSTM()):
        with pytest.raises(assay.DataError, match=said):
            encoder.learn(texts)


def test_words_are_numbered_by_frequency():
    reader = assay.BiLSTM(vocabulary=2, longest=5).learn(TEXTS)
    assert reader.words == ("a", "rose")
    inputs = reader.read(["rose a a a a a a", "what"])
    tokens = inputs.batch(np.array([1, 0]), CPU)
    assert tokens.words.tolist() == [[1, 0, 0, 0, 0], [_FIRST_WORD + 1, *4 * [_FIRST_WORD]]]
    assert tokens.lengths.tolist() == [1, 5]
    for wrong in ({"depth": 3}, {"hidden": 0}, {"embedding": 1.5}):
        with pytest.raises(assay.AssayError):
            assay.BiLSTM(**wrong)


def test_padding_does_not_matter():
    reader = assay.BiLSTM(embedding=4, hidden=3, depth=2).learn(TEXTS)
    inputs = reader.read(["rose", "a rose is a rose is a rose"])
    body = reader.body().eval()
    with torch.no_grad():
        together = body(inputs.batch(np.array([0, 1]), CPU))
        alone = body(inputs.batch(np.array([0]), CPU))
    assert together.shape == (2, reader.width)
    torch.testing.assert_close(together[:1], alone)


def test_the_lstm_is_that_of_torch():
    """Ours reads groups of texts, and reversed ones; torch's reads all of them, packed."""
    reader = assay.BiLSTM(embedding=4, hidden=3, depth=2).learn(TEXTS)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["a", "rose", "is", "day"], size)) for size in rng.integers(1, 30, 70)]
    tokens = reader.read(texts).batch(np.arange(70), CPU)
    body = reader.body()
    theirs = torch.nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True)
    for depth in range(2):
        for direction, ours in (("", body.forwards[depth]), ("_reverse", body.backwards[depth])):
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(theirs, f"{part}_l{depth}{direction}").data.copy_(getattr(ours, f"{part}_l0"))
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        body.embedding(tokens.words), tokens.lengths, batch_first=True, enforce_sorted=False
    )
    found, _ = torch.nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True, padding_value=-torch.inf)
    torch.testing.assert_close(body(tokens), found.amax(dim=1))


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_word_vectors_from_a_file(tmp_path, header):
    path = tmp_path / "vectors.txt"
    path.write_text(header + "rose 0.5 -1\nday 2 3\nother 9 9\n")
    reader = assay.BiLSTM(vectors=str(path), embedding=50).learn(TEXTS)
    assert reader.embedding == 2
    weights = reader.body().embedding.weight.detach()
    assert weights[_FIRST_WORD + reader.words.index("rose")].tolist() == [0.5, -1]
    assert weights[_FIRST_WORD + reader.words.index("day")].tolist() == [2, 3]
    assert torch.isfinite(weights).all()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("rose 1 2\nday 1\n", "line 2: expected a word and 2 numbers"),
        ("rose 1 x\n", "line 1: expected numbers"),
        ("", "no word vectors"),
    ],
)
def test_broken_files_of_vectors(tmp_path, content, said):
    path = tmp_path / "vectors.txt"
    path.write_text(content)
    with pytest.raises(assay.DataError, match=said):
        assay.BiLSTM(vectors=str(path)).learn(TEXTS)
    with pytest.raises(assay.DataError, match="cannot read the word vectors"):
        assay.BiLSTM(vectors=str(tmp_path / "none.txt")).learn(TEXTS)


def test_features_are_evened_out():
    matrix = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 4.0]])
    reader = assay.Features().learn(matrix)
    body = reader.body()
    np.testing.assert_allclose(body(reader.read(matrix).batch(np.arange(2), CPU)), [[-1, 0, -1], [1, 0, 1]])
    assert isinstance(assay.Features(standardize=False).learn(matrix).body(), torch.nn.Identity)


def test_sparse_features_stay_sparse():
    matrix = csr_matrix(np.array([[0.0, 2.0], [1.0, 0.0]]))
    reader = assay.Features().learn(matrix)
    assert reader.is_sparse
    inputs = reader.read(matrix)
    assert inputs.values.tolist() == [2, 1]
    twice = coo_matrix(([1.0, 1.0], ([0, 0], [1, 1])), shape=(1, 2))
    assert reader.read(twice).values.tolist() == [2]


def test_features_from_tables(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4], "name": ["x", "y"]})
    reader = assay.Features(columns=("a", "b")).learn(frame)
    assert reader.width == 2
    frame.to_csv(tmp_path / "rows.csv", index=False)
    np.testing.assert_array_equal(reader.read(tmp_path / "rows.csv").rows, [[1, 3], [2, 4]])
    with pytest.raises(assay.DataError, match="Did you mean 'a'"):
        assay.Features(columns=("A",)).learn(frame)
    with pytest.raises(assay.DataError, match="cannot be read as such"):
        assay.Features().learn(frame)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_features_must_be_finite(bad):
    matrix = np.ones((3, 2))
    matrix[2, 1] = bad
    for given_ in (matrix, csr_matrix(matrix)):
        with pytest.raises(assay.DataError, match=r"row 2 has (nan|inf) for feature 1"):
            assay.Features().learn(given_)


def test_features_must_be_as_many_as_in_training():
    reader = assay.Features().learn(np.ones((2, 3)))
    with pytest.raises(assay.DataError, match="rows of 3 features, but they have 2"):
        reader.read(np.ones((2, 2)))
    with pytest.raises(assay.DataError, match="items × features"):
        reader.read(np.ones(3))
