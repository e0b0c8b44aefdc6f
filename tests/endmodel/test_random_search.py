"""Random search: what is tried, what is recorded, and what is not done twice."""

import json

import numpy as np
import pytest
import torch

import assay
from assay.endmodel.random_search import SPACE, Between, _draw

SMALL = {"learning_rate": Between(1e-3, 1e-1), "l2": [0.0, 1e-4], "layers": [None, (4,)]}


def run(tasks, world, **changes):
    texts, labels, truth = world
    settings = {"space": SMALL, "trials": 3, "workers": 1, "dev": (texts[:60], truth[:60])}
    return assay.search(assay.EndModel(tasks, epochs=2), texts, labels, **{**settings, **changes})


def test_the_best_trial_is_returned_trained(entities, world):
    texts, labels, truth = world
    found = run(entities, world)
    assert len(found.trials) == 3
    assert found.trials["dev_score"].is_monotonic_decreasing
    assert found.model.dev_score_ == found.trials["dev_score"].iloc[0]
    assert {name: found.model.get_params()[name] for name in SMALL} == found.settings
    again = assay.EndModel(entities, epochs=2, **found.settings).fit(texts, labels, dev=(texts[:60], truth[:60]))
    np.testing.assert_array_equal(found.model.predict_proba(texts), again.predict_proba(texts))


def test_what_is_tried_follows_from_the_seed():
    drawn = [_draw(SPACE, (0, number)) for number in range(200)]
    assert drawn == [_draw(SPACE, (0, number)) for number in range(200)]
    assert drawn[:10] != [_draw(SPACE, (1, number)) for number in range(10)]
    rates = np.log10([settings["learning_rate"] for settings in drawn])
    assert rates.min() >= -3
    assert np.median(rates) == pytest.approx((np.log10(3e-2) - 3) / 2, abs=0.15)  # even over orders of magnitude
    assert {settings["layers"] for settings in drawn} == set(SPACE["layers"])
    assert Between(0.0, 1.0, log=False).draw(np.random.default_rng(0)) < 1


def test_workers_find_the_same(entities, world, tmp_path):
    one, two = run(entities, world, trials=2), run(entities, world, trials=2, workers=2, folder=tmp_path)
    columns = ["trial", "learning_rate", "l2", "dev_score"]
    assert one.trials[columns].to_dict() == two.trials[columns].to_dict()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "search.json", *sorted(f"trial-00{n}.{end}" for n in range(2) for end in ("json", "safetensors"))
    ]  # fmt: skip


def test_recorded_trials_are_not_run_again(entities, world, tmp_path, monkeypatch):
    run(entities, world, folder=tmp_path, trials=2)
    fits = []
    fit = assay.EndModel.fit
    monkeypatch.setattr(assay.EndModel, "fit", lambda self, *a, **k: (fits.append(1), fit(self, *a, **k))[1])
    more = run(entities, world, folder=tmp_path, trials=3)
    assert len(fits) == 1
    assert len(more.trials) == 3
    record = json.loads((tmp_path / "trial-002.json").read_text())
    assert set(record["settings"]) == set(SMALL)


def test_another_search_is_refused(entities, world, tmp_path):
    run(entities, world, folder=tmp_path, trials=1)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(assay.AssayError, match=r"another search \(other seed\)"):
        run(entities, world, folder=tmp_path, trials=1, seed=5)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / "search.json").write_text("{")
    with pytest.raises(assay.AssayError, match="is damaged"):
        run(entities, world, folder=tmp_path, trials=1)


def test_with_an_encoder_of_ones_own(entities, world):
    _, labels, truth = world
    numbers = np.eye(4, dtype=np.float32)[truth]
    found = assay.search(
        assay.EndModel(entities, encoder=torch.nn.Linear(4, 3), epochs=1), numbers, labels,
        dev=(numbers[:9], truth[:9]), space={"l2": [0.0]}, trials=1, workers=1,
    )  # fmt: skip
    assert found.model.predict_proba(numbers).shape == (240, 4)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"space": {"learning_rat": [1.0]}}, "Did you mean 'learning_rate'"),
        ({"space": {"l2": 0.1}}, "list of values or Between"),
        ({"space": {"l2": []}}, "list of values or Between"),
        ({"trials": 0}, "trials must be"),
    ],
)
def test_bad_input(entities, world, changes, said):
    with pytest.raises(assay.AssayError, match=said):
        run(entities, world, **changes)
    with pytest.raises(assay.AssayError, match="a positive number and a higher one"):
        Between(1.0, 0.5)
