"""How the settings of the paper's LSTM are chosen, and what is told of its trials."""

from typing import Any

import numpy as np

from benchmarks.experiments.paper_lstm import DEV, LABELS, PAPERS, chosen, figures_of


def _trial(rate: float, seed: int, dev_scores: list[float], test_a: list[int]) -> dict[str, Any]:
    settings = {"learning_rate": rate, "l2": 1e-4, "seed": seed}
    return settings | {"dev_scores": dev_scores, "labels": [0, 0], "predictions": {"test_a": test_a}}


def test_settings_are_chosen_by_the_first_training_on_dev_and_by_nothing_else() -> None:
    slow, fast = _trial(1e-3, 0, [0.5, 0.7], [1, 1]), _trial(1e-2, 0, [0.8, 0.6], [0, 0])
    later = _trial(1e-2, 1, [0.1], [0, 1])
    assert chosen([slow, fast, later]) == [fast, later]


def test_figures_are_accuracies_on_test_a_and_the_best_epoch_on_dev() -> None:
    found = figures_of([_trial(1e-2, 0, [0.8, 0.6], [0, 1]), _trial(1e-2, 1, [0.4], [0, 0])], np.array([0, 1]))
    assert (found[PAPERS].mean, found[PAPERS].trials) == (75.0, 2)
    assert (found[LABELS].mean, found[LABELS].trials) == (50.0, 1)
    assert np.isclose(found[DEV].mean, 60.0)
