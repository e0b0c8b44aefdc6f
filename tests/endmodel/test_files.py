"""Files of end models: whole or not there, and refused if they are something else."""

import pytest

import assay
from tests.support.encoders import Wider, numbers_of


def test_files_that_are_no_models(entities, world, tmp_path):
    texts, labels, truth = world
    path = assay.EndModel(entities, epochs=1).fit(texts, labels).save(tmp_path / "model.safetensors")
    whole = path.read_bytes()
    for size in (0, 20, len(whole) - 1):
        (tmp_path / "cut.safetensors").write_bytes(whole[:size])
        with pytest.raises(assay.AssayError, match="or it is damaged"):
            assay.EndModel.load(tmp_path / "cut.safetensors")
    with pytest.raises(assay.AssayError, match="there is no file"):
        assay.EndModel.load(tmp_path / "none.safetensors")
    own = assay.EndModel(entities, encoder=Wider(), epochs=1).fit(numbers_of(truth), labels)
    with pytest.raises(assay.AssayError, match="an encoder of your own"):
        assay.EndModel.load(own.save(tmp_path / "own.safetensors"))
    with pytest.raises(assay.AssayError, match="not a valid end model file"):
        assay.EndModel.load(tmp_path / "own.safetensors", encoder=Wider(features=5))


def test_a_failed_save_leaves_the_old_model(entities, world, tmp_path, monkeypatch):
    texts, labels, _ = world
    model = assay.EndModel(entities, epochs=1).fit(texts, labels)
    path = model.save(tmp_path / "model.safetensors")
    before = path.read_bytes()
    monkeypatch.setattr("assay.endmodel.tensor_file.save_file", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.safetensors"]
