"""Texts in many shapes."""

import numpy as np
import pandas as pd
import pytest

import assay
from assay.endmodel.inputs import texts_of
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
