"""Training on a stream: the same bits however it is cut, killed or resumed, and as good as training in memory."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

import assay
from assay.endmodel import spool, streams
from assay.gold import CheckedLabels
from tests.support.small_texts import entity_tasks, small_world

ROOT = Path(__file__).parents[2]


@pytest.fixture
def small_parts(monkeypatch):
    """As if memory were small: several parts of the stream, several parts on disk."""
    monkeypatch.setattr(streams, "_AT_ONCE", 50)
    monkeypatch.setattr(spool, "_ROWS", 60)


@pytest.fixture
def files(tmp_path, world):
    texts, labels, _ = world
    pl.DataFrame({"id": [f"i{n}" for n in range(len(texts))], "text": texts}).write_ndjson(tmp_path / "texts.jsonl")
    return tmp_path / "texts.jsonl", labels.to_parquet(tmp_path / "labels.parquet")


def cut(values, sizes):
    """A function that gives parts of these sizes, over and over."""

    def parts():
        at = 0
        for number in range(len(values)):
            if at >= len(values):
                return
            size = sizes[number % len(sizes)]
            yield values[at : at + size]
            at += size

    return parts


def test_it_does_not_matter_how_the_stream_is_cut(small_parts, entities, world, files):
    texts, labels, truth = world
    settings = {"epochs": 4, "batch_size": 16}
    whole = assay.EndModel(entities, **settings).fit(texts, labels, stream=True)
    assert (whole.predict(texts) == truth).mean() > 0.9
    expected = whole.predict_proba(texts)
    for data in (cut(texts, [7, 31]), cut(pl.DataFrame({"text": texts}), [40]), files[0]):
        for given in (labels, files[1]):
            model = assay.EndModel(entities, **settings).fit(data, given, stream=True)
            np.testing.assert_allclose(model.predict_proba(texts), expected, atol=2e-5)
    again = assay.EndModel(entities, **settings).fit(cut(texts, [3]), labels)
    np.testing.assert_array_equal(again.predict_proba(texts), expected)


def test_it_is_about_as_good_as_in_memory(small_parts, entities):
    texts, labels, _ = small_world(entities, items=600)
    new, _, truth = small_world(entities, items=500, seed=1)
    order = np.argsort(labels.joint[0].argmax(axis=1), kind="stable")  # sorted by label: no buffer would mix them
    texts, joint = [texts[at] for at in order], labels.joint[0][order]
    streamed = assay.EndModel(entities, batch_size=32).fit(texts, assay.Labels(entities, (joint,)), stream=True)
    at_once = assay.EndModel(entities, batch_size=32).fit(texts, assay.Labels(entities, (joint,)))
    assert streamed.score(new, truth) >= at_once.score(new, truth) - 0.02
    sure = [model.predict_proba(new).max(axis=1).mean() for model in (streamed, at_once)]
    assert sure[0] == pytest.approx(sure[1], abs=0.1)


def test_rows_without_labels_are_left_out(small_parts, entities, world):
    texts, labels, _ = world
    keep = np.arange(len(texts)) % 3 != 0
    wrong = labels.joint[0].copy()
    wrong[~keep] = np.roll(wrong[~keep], 1, axis=1)
    found = [
        assay.EndModel(entities, epochs=2).fit(texts, assay.Labels(entities, (joint,)).where(keep), stream=True)
        for joint in (labels.joint[0], wrong)
    ]
    np.testing.assert_array_equal(found[0].predict_proba(texts), found[1].predict_proba(texts))


def test_null_and_empty_texts_are_inputs(small_parts, entities, world):
    texts, labels, _ = world
    model = assay.EndModel(entities, epochs=1).fit([None, "", *texts[2:]], labels, stream=True)
    parts = list(model.label_parts(cut([None, "", "beds"], [2])))
    assert [len(part) for part in parts] == [2, 1]
    np.testing.assert_array_equal(parts[0].joint[0][0], parts[0].joint[0][1])


def test_items_with_gold_calibrate_and_are_not_trained_on(small_parts, entities, world):
    texts, labels, truth = world
    rows = np.arange(0, 240, 4)
    right = np.eye(4)[truth[rows]]

    def trained(outcomes):
        gold = CheckedLabels(rows, (outcomes > 0,), (labels.joint[0][rows],), np.ones(len(rows)))
        joint = labels.joint[0].copy()
        joint[rows] = outcomes
        given = assay.Labels(entities, (joint,), gold=gold)
        return assay.EndModel(entities, epochs=4).fit(texts, given, stream=True)

    one, other = trained(right), trained(np.roll(right, 1, axis=1))
    np.testing.assert_array_equal(one.predict(texts), other.predict(texts))
    sure = [model.predict_proba(texts).max(axis=1).mean() for model in (one, other)]
    assert sure[0] > sure[1] + 0.2


def test_labels_come_in_parts_too(entities, world, files, small_parts):
    texts, labels, _ = world
    model = assay.EndModel(entities, epochs=1).fit(texts, labels)
    whole = model.label(texts)
    parts = list(model.label_parts(files[0], id="id"))
    assert len(parts) == 5
    found = assay.Labels.concat(parts)
    np.testing.assert_allclose(found.joint[0], whole.joint[0], atol=1e-6)
    assert found.items.tolist() == [f"i{n}" for n in range(240)]


@pytest.mark.parametrize("rows", [0, 100, 239, 241])
def test_another_number_of_rows(small_parts, entities, world, rows):
    texts, labels, _ = world
    with pytest.raises(assay.DataError, match=rf"{rows} rows and labels of 240"):
        assay.EndModel(entities, epochs=1).fit((texts + texts)[:rows], labels, stream=True)


def test_what_cannot_be_streamed(entities, world):
    texts, labels, _ = world
    with pytest.raises(assay.AssayError, match=r"reads texts as assay\.NGrams"):
        assay.EndModel(entities, encoder=assay.BiLSTM()).fit(texts, labels, stream=True)
    with pytest.raises(assay.AssayError, match=r"labels as assay\.Labels"):
        assay.EndModel(entities).fit(texts, [0] * len(texts), stream=True)
    with pytest.raises(assay.AssayError, match="were all items left out"):
        assay.EndModel(entities).fit(texts, labels.where(np.zeros(240, dtype=bool)), stream=True)
    other = assay.TaskGraph.flat("letter", ["a", "b", "c", "d"])
    with pytest.raises(assay.AssayError, match="another task graph"):
        assay.EndModel(other).fit(texts, labels, stream=True)


def test_class_weights(small_parts, entities, world):
    texts, labels, truth = world
    few = labels.where((truth != 0) | (np.arange(240) % 8 == 0))
    plain, weighted = (
        assay.EndModel(entities, epochs=3, class_weights=weights).fit(texts, few, stream=True)
        for weights in (None, "balanced")
    )
    assert weighted.label(texts)["person"][:, 0].mean() > plain.label(texts)["person"][:, 0].mean()


def test_parts_that_are_damaged_are_refused(tmp_path, entities, world):
    texts, labels, _ = world
    with spool.SpoolWriter(tmp_path, entities, 240, 0) as writer:
        writer.add(streams.Part(0, texts, np.arange(240), labels))
        kept = writer.finish()
    items = kept.read(0)
    assert items.texts == texts
    np.testing.assert_allclose(items.labels.joint[0], labels.joint[0], atol=1e-6)
    raw = bytearray(kept.paths[0].read_bytes())
    raw[len(raw) // 2] ^= 1
    kept.paths[0].write_bytes(raw)
    with pytest.raises(assay.AssayError, match="not hold what was written"):
        kept.read(0)


EPOCHS = 20
PROGRAM = """
from assay.endmodel import spool, streams
spool._ROWS, streams._AT_ONCE = 60, 50
from tests.endmodel.test_streamed_fitting import train
train({checkpoint!r})
"""


def train(checkpoint=None):
    """Long enough to be killed in the middle, twice."""
    tasks = entity_tasks()
    texts, labels, _ = small_world(tasks)
    model = assay.EndModel(tasks, epochs=EPOCHS, batch_size=4)
    return model.fit(texts, labels, stream=True, checkpoint=checkpoint, checkpoint_seconds=0.0, progress=False)


def last_written(path):
    return path.stat().st_mtime_ns if path.exists() else None


def killed_while_training(checkpoint):
    """Train in another process, which is killed soon after it has written a checkpoint."""
    before = last_written(checkpoint)
    with subprocess.Popen([sys.executable, "-c", PROGRAM.format(checkpoint=str(checkpoint))], cwd=ROOT) as process:
        while process.poll() is None and last_written(checkpoint) == before:
            time.sleep(0.01)
        time.sleep(0.2)
        process.kill()
    return process.returncode == -signal.SIGKILL


def test_killed_and_resumed_it_ends_with_the_same_bits(small_parts, tmp_path):
    checkpoint = tmp_path / "killed.checkpoint"
    for _ in range(2):
        assert killed_while_training(checkpoint)
    again, whole = train(checkpoint), train()
    assert not list(tmp_path.glob("*.items"))
    assert len(again.history_) == EPOCHS
    assert again._known.scales == whole._known.scales
    ours, theirs = (model._known.network.state_dict() for model in (again, whole))
    for name, tensor in ours.items():
        assert torch.equal(tensor, theirs[name]), name
