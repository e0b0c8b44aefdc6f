"""Embeddings of any encoder beside n-grams: what is read, cached, saved and refused."""

import sqlite3
from functools import partial

import numpy as np
import pytest

import assay
from assay.endmodel.embedding_cache import EmbeddingCache
from tests.support.small_texts import WORDS


class Counting:
    """An encoder that counts what it is asked: how many words of each kind a text has."""

    def __init__(self, shift=0.0):
        self.asked = []
        self.shift = shift

    def __call__(self, texts):
        self.asked += texts
        return [[sum(word in text for word in words) + self.shift for words in WORDS.values()] for text in texts]


@pytest.fixture
def encode():
    return Counting()


def test_each_text_is_encoded_once(encode, entities, world, tmp_path):
    """In one call without a cache; ever, with one."""
    texts, labels, _ = world
    assay.EndModel(entities, encoder=encode, epochs=1).fit([*texts, *texts], assay.Labels.concat([labels, labels]))
    assert sorted(set(encode.asked) - set(texts)) == ["The quick brown fox jumps over the lazy dog."]
    assert all(encode.asked.count(text) == 1 for text in texts)
    cached = assay.Embeddings(encode, cache=tmp_path / "vectors.sqlite", name="counts")
    first = assay.EndModel(entities, encoder=cached, epochs=1).fit(texts, labels)
    encode.asked.clear()
    again = assay.EndModel(entities, encoder=cached, epochs=1).fit(texts, labels)
    np.testing.assert_array_equal(again.predict_proba(texts), first.predict_proba(texts))
    assert not set(encode.asked) & set(texts)


def test_both_are_read(encode, world):
    """The n-grams come first, as without embeddings; then vectors, centred and of the length they were given."""
    texts = world[0]
    both = assay.Embeddings(encode, weight=3.0)
    reader, inputs = both.learn_and_read(texts)
    grams = assay.NGrams().learn(texts)
    alone = grams.read(texts)
    assert reader.width == grams.width + 4
    vectors = []
    for row in range(len(texts)):
        own = slice(inputs.starts[row], inputs.starts[row + 1])
        columns, values = inputs.columns[own], inputs.values[own]
        theirs = slice(alone.starts[row], alone.starts[row + 1])
        np.testing.assert_array_equal(columns[:-4], alone.columns[theirs])
        np.testing.assert_array_equal(values[:-4], alone.values[theirs])
        np.testing.assert_array_equal(columns[-4:], grams.width + np.arange(4))
        vectors.append(values[-4:])
    np.testing.assert_allclose(np.mean(vectors, axis=0), 0, atol=1e-5)
    assert np.sqrt(np.mean(np.sum(np.square(vectors), axis=1))) == pytest.approx(3.0, rel=1e-4)
    np.testing.assert_array_equal(reader.read(texts).values, inputs.values)


@pytest.mark.parametrize("alone", [False, True])
def test_it_learns_saves_and_loads(encode, entities, world, tmp_path, alone):
    texts, labels, truth = world
    encoder = assay.Embeddings(encode, None) if alone else encode
    model = assay.EndModel(entities, encoder=encoder, epochs=40 if alone else 8).fit(texts, labels)
    assert (model.predict(texts) == truth).mean() > 0.93
    path = model.save(tmp_path / "model.safetensors")
    again = assay.EndModel.load(path, encoder=Counting())
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    with pytest.raises(assay.AssayError, match=r"trained with embeddings by .*encoder=function"):
        assay.EndModel.load(path)
    with pytest.raises(assay.AssayError, match="gives other vectors than the one"):
        assay.EndModel.load(path, encoder=Counting(shift=1.0))


def test_another_encoder_of_the_same_name_replaces_what_is_cached(tmp_path):
    path = tmp_path / "vectors.sqlite"
    old, new = Counting(), Counting(shift=5.0)
    for encode in (old, new):
        found = assay.Embeddings(encode, cache=path, name="same").vectors(["beds", "judge"])
        np.testing.assert_array_equal(found, Counting(encode.shift)(["beds", "judge"]))


def test_a_cache_that_is_damaged_is_refused(encode, tmp_path):
    path = tmp_path / "vectors.sqlite"
    cached = assay.Embeddings(encode, cache=path, name="counts")
    cached.vectors(["beds", "judge"])
    with sqlite3.connect(path) as file:
        file.execute("UPDATE vectors SET vector = zeroblob(16)")
    file.close()
    with pytest.raises(assay.DataError, match="not what was written"):
        cached.vectors(["beds", "judge"])
    path.write_bytes(b"no database" * 100)
    with pytest.raises(assay.DataError, match=r"cannot use .* as a cache of embeddings"):
        cached.vectors(["beds"])


def test_what_was_encoded_before_an_encoder_failed_is_kept(tmp_path):
    def failing(texts):
        if "bad" in texts:
            raise RuntimeError("out of memory")
        return np.ones((len(texts), 2))

    path = tmp_path / "vectors.sqlite"
    with pytest.raises(assay.DataError, match="RuntimeError: out of memory"):
        assay.Embeddings(failing, cache=path, name="failing", batch_size=2).vectors(["a", "b", "bad"])
    with EmbeddingCache(path, "failing") as cache:
        assert sorted(cache.get(["a", "b", "bad"])) == ["a", "b"]


@pytest.mark.parametrize(
    ("encode", "said"),
    [
        (lambda texts: np.ones(len(texts)), "must give texts × numbers"),
        (lambda texts: np.ones((len(texts) + 1, 2)), "must give texts × numbers"),
        (lambda texts: np.full((len(texts), 2), np.nan), "not finite"),
        (lambda texts: [["a"] for _ in texts], "failed on 1 texts"),
        (lambda texts: np.ones((1, len(texts[0]))), "of 1 and of 2 numbers|gave vectors of"),
    ],
)
def test_what_is_no_vector_is_refused(encode, said):
    with pytest.raises(assay.DataError, match=said):
        assay.Embeddings(encode, batch_size=1).learn(["a", "bb"])


def test_settings_are_checked(encode):
    for wrong in ({"weight": 0}, {"batch_size": 0}):
        with pytest.raises(assay.AssayError, match=next(iter(wrong))):
            assay.Embeddings(encode, **wrong)
    with pytest.raises(assay.AssayError, match="expected a function"):
        assay.Embeddings("module:function")
    with pytest.raises(assay.AssayError, match="it has no name"):
        assay.Embeddings(partial(encode), cache="vectors.sqlite")
