"""Texts of which only n-grams are left: whatever reads them finds what it would find in the texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.endmodel.hashed_texts import HashedTexts
from tests.support.small_texts import TEXTS

SMALL = st.lists(st.text("ab ,é", max_size=12), min_size=1, max_size=20)


@given(SMALL, st.data(), st.sampled_from([2**10, 2**40]), st.integers(1, 2))
@settings(max_examples=40)
def test_hashed_texts_are_read_like_texts(texts, data, buckets, min_count):
    encoder = assay.NGrams(buckets=buckets, min_count=min_count)
    texts = [*texts, "ab ba", "ab ba"]
    rows = np.array(data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=30)) + [len(texts) - 1] * 2)
    with pytest.MonkeyPatch.context() as patched:  # so that there are several parts
        for place in ("assay.endmodel.hashed_texts.AT_ONCE", "assay.endmodel.ngrams.AT_ONCE"):
            patched.setattr(place, 4)
        taken = HashedTexts.of(encoder, texts).take(rows)
        given = [texts[row] for row in rows]
        assert len(taken) == len(given)
        reader, inputs = encoder.learn_and_read(taken)
        again = taken.take(np.arange(len(rows))[::-1])
        backwards = reader.read(again)
    expected = encoder.learn(given)
    np.testing.assert_array_equal(reader.kinds, expected.kinds)
    np.testing.assert_array_equal(reader.rarity, expected.rarity)
    for found, part in ((inputs, given), (backwards, given[::-1])):
        wanted = expected.read(part)
        for name in ("starts", "columns", "values"):
            ours, theirs = getattr(found, name), getattr(wanted, name)
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


def test_texts_that_were_hashed_in_another_way_are_refused():
    hashed = HashedTexts.of(assay.NGrams(), TEXTS)
    with pytest.raises(assay.AssayError, match="cannot be read by"):
        assay.NGrams(words=(1, 1)).learn(hashed)
    assert assay.NGrams(min_count=2).learn(hashed).width < assay.NGrams().learn(hashed).width


def test_hashes_are_small_where_they_can_be():
    assert HashedTexts.of(assay.NGrams(), TEXTS).whole[0].hashes.dtype == np.int32
    assert HashedTexts.of(assay.NGrams(buckets=2**40), TEXTS).whole[0].hashes.dtype == np.int64


def test_long_texts_are_not_read_ahead(letters, monkeypatch):
    model = assay.EndModel(letters)
    assert isinstance(model.read_ahead(TEXTS), HashedTexts)
    monkeypatch.setattr("assay.endmodel.ngrams._MOST_AHEAD", 5)
    assert model.read_ahead(TEXTS) == TEXTS
    reader, inputs = assay.NGrams().learn_and_read(TEXTS)
    np.testing.assert_array_equal(inputs.values, reader.read(HashedTexts.of(assay.NGrams(), TEXTS)).values)


def test_only_who_knows_hashed_texts_gets_them(letters):
    class Own(assay.EndModel):
        """May look at texts itself."""

    assert Own(letters).read_ahead(TEXTS) is TEXTS
    assert assay.EndModel(letters, encoder=assay.BiLSTM()).read_ahead(TEXTS) is TEXTS


def test_an_end_model_learns_the_same_bits(entities, world):
    texts, labels, _ = world
    hashed = HashedTexts.of(assay.NGrams(), texts)
    plain, ahead = (assay.EndModel(entities, epochs=2).fit(data, labels) for data in (texts, hashed))
    np.testing.assert_array_equal(plain.predict_proba(texts), ahead.predict_proba(hashed))
