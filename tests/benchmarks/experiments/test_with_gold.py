"""What the experiments with dev's gold write for test_b."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.experiments.labelers import JOINT, REFINED_WITH_GOLD, WITH_GOLD
from benchmarks.experiments.with_gold import add_predictions, scores


def _trial(method: str, encoder: str, dev: list[int], test_b: list[int]) -> dict[str, Any]:
    predictions = {"dev": dev, "test_b": test_b}
    return {"task": "t", "method": method, "encoder": encoder, "share": 1.0, "seed": 0, "predictions": predictions}


def test_predictions_are_added_to_each_item_by_name_and_nothing_else_changes(tmp_path: Path) -> None:
    path = tmp_path / "t_test_b.jsonl"
    before = [{"id": "b", "prediction": "y"}, {"id": "a", "prediction": "x"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in before))
    problem: Any = SimpleNamespace(
        name="t", gold_names=["x", "y"], ids={"test_b": ["a", "b"]}, gold={"dev": np.array([0, 1])}
    )
    # With gold, dev tells nothing: the encoder is the one that does best on dev without.
    trials = [
        _trial(JOINT, "n-grams", [0, 0], [0, 0]),
        _trial(JOINT, "LSTM", [0, 1], [0, 0]),
        _trial(WITH_GOLD, "LSTM", [0, 0], [0, 1]),
        _trial(REFINED_WITH_GOLD, "n-grams", [0, 1], [0, 0]),
        _trial(REFINED_WITH_GOLD, "LSTM", [0, 0], [1, 0]),
    ]
    add_predictions(path, problem, trials, np.array([[0.9, 0.1], [0.2, 0.8]]))
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        before[0] | {"with_gold_prediction": "x", "with_gold_label_model_prediction": "y"},
        before[1] | {"with_gold_prediction": "y", "with_gold_label_model_prediction": "x"},
    ]


def test_scores_are_accuracy_in_percent_and_log_loss_with_a_floor() -> None:
    right, loss = scores(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1]))
    assert right == 50.0
    assert loss == pytest.approx(-np.log(1e-3) / 2)
