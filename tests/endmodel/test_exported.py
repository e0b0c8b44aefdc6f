"""End models without PyTorch: the same probabilities, from a file that is checked."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import assay
from tests.support.encoders import Wider, numbers_of

KINDS = {
    "ngrams": (None, {}, "texts"),
    "layers": (assay.NGrams(words=None), {"layers": (8, 4)}, "texts"),
    "dense": (assay.Features(), {"layers": (8,)}, "dense"),
    "sparse": (assay.Features(), {}, "sparse"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_gives_the_same_probabilities(kind, entities, world, tmp_path):
    encoder, settings, shape = KINDS[kind]
    texts, labels, truth = world
    numbers = numbers_of(truth)
    data = {"texts": texts, "dense": numbers, "sparse": csr_matrix(numbers)}[shape]
    model = assay.EndModel(entities, encoder=encoder, epochs=3, **settings).fit(data, labels)
    served = assay.ExportedEndModel.load(model.export(tmp_path / "model.npz"))
    np.testing.assert_allclose(served.predict_proba(data), model.predict_proba(data), atol=1e-5)
    np.testing.assert_array_equal(served.label(data).joint[0].argmax(axis=1), model.predict(data))


def test_pytorch_is_not_loaded(entities, world, tmp_path):
    texts, labels, _ = world
    path = assay.EndModel(entities, epochs=1).fit(texts, labels).export(tmp_path / "model.npz")
    program = (
        "import sys, assay\n"
        f"assay.ExportedEndModel.load({str(path)!r}).label(['beds', None])\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_cannot_be_exported_or_read(entities, world, tmp_path):
    texts, labels, truth = world
    own = assay.EndModel(entities, encoder=Wider(), epochs=1).fit(numbers_of(truth).astype(np.float32), labels)
    with pytest.raises(assay.AssayError, match="cannot be exported"):
        own.export(tmp_path / "own.npz")
    path = assay.EndModel(entities, epochs=1).fit(texts, labels).export(tmp_path / "model.npz")
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    with pytest.raises(assay.AssayError, match=r"model\.npz"):
        assay.ExportedEndModel.load(path)
    with pytest.raises(assay.AssayError, match="there is no file"):
        assay.ExportedEndModel.load(tmp_path / "none.npz")
