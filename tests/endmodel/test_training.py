"""How training goes: the schedule, the best weights, and what interruptions leave behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.endmodel.tensor_file import read_tensors
from assay.endmodel.training import Schedule, TrainingState
from tests.support.small_texts import entity_tasks, small_world

ROOT = Path(__file__).parents[2]


def schedule(**changes):
    pace = {"frozen_epochs": 5, "patience": 3, "stop_after": 7}
    return Schedule(**{"epochs": 50, "batch_size": 8, "learning_rate": 1.0, "seed": 0, **pace, **changes})


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_the_rate_is_cut_exactly_on_plateaus(epochs):
    """After every run of ``patience`` epochs without a better loss or score, except in the first, frozen ones."""
    plan, standing = schedule(), TrainingState(1.0)
    lowest, highest, quiet, rate = float("inf"), -1.0, 0, 1.0
    for number, (loss, score) in enumerate(epochs, start=1):
        is_best = standing.end_epoch(loss, score, 0.0, plan)
        assert is_best == (score > highest)
        quiet = 0 if loss < lowest or score > highest else quiet + 1
        lowest, highest = min(lowest, loss), max(highest, score)
        if number >= 5 and quiet >= 3:
            rate, quiet = rate / 10, 0
        assert standing.rate == pytest.approx(rate)
    scores = [score for _, score in epochs]
    assert standing.since_best == len(scores) - 1 - scores.index(max(scores))
    assert standing.is_over(plan) == (standing.since_best >= 7)


def weights_of(model):
    return {name: tensor.clone() for name, tensor in model._known.network.state_dict().items()}


def assert_same_bits(one, other):
    ours, theirs = weights_of(one), weights_of(other)
    assert list(ours) == list(theirs)
    for name, tensor in ours.items():
        assert torch.equal(tensor, theirs[name]), name


@pytest.mark.parametrize("settings", [{}, {"layers": (8,), "dropout": 0.5}], ids=["linear", "layers"])
def test_same_seed_same_weights(entities, world, settings):
    texts, labels, _ = world
    before = torch.get_rng_state()
    one, other = (assay.EndModel(entities, epochs=3, **settings).fit(texts, labels) for _ in range(2))
    assert_same_bits(one, other)
    assert torch.equal(torch.get_rng_state(), before)
    third = assay.EndModel(entities, epochs=3, seed=1, **settings).fit(texts, labels)
    assert not all(torch.equal(t, weights_of(third)[name]) for name, t in weights_of(one).items())


def test_the_best_weights_are_kept(entities, world):
    """Dev items whose gold is wrong get worse the more is learned, so the first epoch is the best."""
    texts, labels, truth = world
    dev = (texts[:60], (truth[:60] + 1) % 4)
    model = assay.EndModel(entities, epochs=30, stop_after=4, learning_rate=0.03).fit(texts, labels, dev=dev)
    scores = model.history_["dev_score"].to_numpy()
    assert model.dev_score_ == scores.max()
    assert len(scores) == scores.argmax() + 1 + 4
    assert assay.evaluate(model.label(dev[0]), dev[1]).accuracy == pytest.approx(model.dev_score_)
    best = assay.EndModel(entities, epochs=int(scores.argmax()) + 1, learning_rate=0.03).fit(texts, labels)
    assert_same_bits(model, best)


def test_the_loss_falls(entities, world):
    texts, labels, _ = world
    history = assay.EndModel(entities).fit(texts, labels).history_
    assert history["loss"].is_monotonic_decreasing
    assert history["loss"].iloc[0] == pytest.approx(np.log(2) * 2 / 3, abs=0.02)  # even heads; half of the tasks apply


def test_training_that_goes_astray_says_so(entities):
    data = np.full((20, 2), 1e30)
    labels = assay.Labels(entities, (np.full((20, 4), 0.25),))
    with pytest.raises(assay.AssayError, match="lower learning_rate"):
        assay.EndModel(entities, encoder=assay.Features(standardize=False), learning_rate=1e30).fit(data, labels)


PROGRAM = """
from tests.endmodel.test_training import train
train({case!r}, {checkpoint!r}).save({out!r})
"""
CASES = {
    "linear": (60, {}),
    "layers": (12, {"layers": (8,), "dropout": 0.3}),
}
BATCHES = 15


def train(case, checkpoint):
    """A training that writes a checkpoint after every step; run in this process or another."""
    tasks = entity_tasks()
    texts, labels, truth = small_world(tasks)
    epochs, settings = CASES[case]
    model = assay.EndModel(tasks, epochs=epochs, batch_size=len(texts) // BATCHES, **settings)
    return model.fit(texts, labels, dev=(texts[:50], truth[:50]), checkpoint=checkpoint, checkpoint_seconds=0.0)


@contextmanager
def training_elsewhere(case, checkpoint, out="unused"):
    """The same in another process, once it has written a dozen checkpoints."""
    text = PROGRAM.format(case=case, checkpoint=str(checkpoint), out=str(out))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": path})
    seen = set()
    while len(seen) < 12:
        assert process.poll() is None, "it was too quick to be interrupted"
        if checkpoint.exists():
            seen.add(checkpoint.stat().st_mtime_ns)
        time.sleep(0.001)
    yield process
    process.wait()


@pytest.mark.parametrize("case", CASES)
def test_killed_and_resumed_it_ends_with_the_same_bits(tmp_path, case):
    checkpoint = tmp_path / "training.checkpoint"
    with training_elsewhere(case, checkpoint) as process:
        process.kill()
    assert process.returncode == -signal.SIGKILL
    said, _ = read_tensors(checkpoint, "a checkpoint")
    assert 0 < said["standing"]["epoch"] * BATCHES + said["standing"]["batch"] < CASES[case][0] * BATCHES
    resumed, straight = train(case, checkpoint), train(case, None)
    assert_same_bits(resumed, straight)
    assert resumed.dev_score_ == straight.dev_score_
    assert resumed.history_["loss"].tolist() == straight.history_["loss"].tolist()


def test_ctrl_c_keeps_the_best_weights_and_training_can_go_on(tmp_path):
    checkpoint, out = tmp_path / "training.checkpoint", tmp_path / "model.safetensors"
    with training_elsewhere("linear", checkpoint, out) as process:
        process.send_signal(signal.SIGINT)
    assert process.returncode == 0
    model = assay.EndModel.load(out)
    assert model.interrupted_
    assert len(model.history_) < CASES["linear"][0]
    assert model.dev_score_ == (model.history_["dev_score"].max() if len(model.history_) else None)
    assert_same_bits(train("linear", checkpoint), train("linear", None))


def test_training_works_outside_the_main_thread(entities, world):
    texts, labels, _ = world
    model = assay.EndModel(entities, epochs=1)
    thread = threading.Thread(target=model.fit, args=(texts, labels))
    thread.start()
    thread.join()
    assert not model.interrupted_


class TestCheckpoints:
    @pytest.fixture
    def checkpoint(self, tmp_path, entities, world):
        texts, labels, _ = world
        path = tmp_path / "training.checkpoint"
        assay.EndModel(entities, epochs=2).fit(texts, labels, checkpoint=path)
        return path

    def test_of_finished_training_gives_the_model(self, checkpoint, entities, world):
        texts, labels, _ = world
        again = assay.EndModel(entities, epochs=2).fit(texts, labels, checkpoint=checkpoint)
        assert_same_bits(again, assay.EndModel(entities, epochs=2).fit(texts, labels))

    @pytest.mark.parametrize("size", [0, 4, 100, -10])
    def test_cut_short_it_is_refused_and_left_alone(self, checkpoint, entities, world, size):
        texts, labels, _ = world
        checkpoint.write_bytes(checkpoint.read_bytes()[:size])
        before = checkpoint.read_bytes()
        with pytest.raises(assay.AssayError, match="or it is damaged"):
            assay.EndModel(entities, epochs=2).fit(texts, labels, checkpoint=checkpoint)
        assert checkpoint.read_bytes() == before

    def test_of_other_training_it_is_refused_and_left_alone(self, checkpoint, entities, world):
        texts, labels, _ = world
        before = checkpoint.read_bytes()
        for settings, other in (({"epochs": 3}, labels), ({"epochs": 2}, labels.hard())):
            with pytest.raises(assay.AssayError, match="other data, labels or settings"):
                assay.EndModel(entities, **settings).fit(texts, other, checkpoint=checkpoint)
        assert checkpoint.read_bytes() == before

    def test_a_model_is_no_checkpoint(self, tmp_path, entities, world):
        texts, labels, _ = world
        path = assay.EndModel(entities, epochs=1).fit(texts, labels).save(tmp_path / "model.safetensors")
        with pytest.raises(assay.AssayError, match="holds an end model, but a checkpoint was expected"):
            assay.EndModel(entities, epochs=1).fit(texts, labels, checkpoint=path)
