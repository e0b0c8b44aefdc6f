"""Texts in many shapes."""

import numpy as np
import pandas as pd
import pytest

import assay
from assay.endmodel.texts import texts_of
from tests.support.small_texts import TEXTS


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


@pytest.mark.parametrize("texts", [["a b", ""], [" \n", "a b"], ["a b", None], [float("nan"), "a b"], ["!?", "a b"]])
def test_empty_and_missing_texts_are_inputs(texts):
    """They are texts without words: an item about which only the class balance is known."""
    for encoder in (assay.NGrams(), assay.BiLSTM()):
        reader = encoder.learn(texts)
        inputs = reader.read(texts)
        assert len(inputs) == 2
        assert sorted(np.diff(inputs.starts) > 0) == [False, True] or isinstance(encoder, assay.BiLSTM)
        assert len(reader.read([None, "", "  "])) == 3


def test_what_is_no_text_is_refused():
    with pytest.raises(assay.DataError, match=r"row 1 has 3\.5"):
        assay.NGrams().learn(["a", 3.5])
