"""What the benchmark of asking where it is unsure computes, on votes that are known."""

import numpy as np

from benchmarks.quality.unsure_prompts import SHARES, accuracies


def test_good_sources_are_worth_asking_where_the_others_are_unsure():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 600)
    sure = np.arange(600) < 400
    cheap = np.where(rng.random((600, 4)) < np.where(sure, 0.97, 0.5)[:, None], gold[:, None], 1 - gold[:, None])
    expensive = np.where(rng.random((600, 3)) < 0.9, gold[:, None], 1 - gold[:, None])
    found = accuracies(np.hstack([cheap, expensive]), gold, 4, rng.choice(600, 50, replace=False))
    assert list(found) == [0.0, *SHARES]
    assert found[1.0] - found[0.0] > 0.1
    assert found[0.2] - found[0.0] > 0.4 * (found[1.0] - found[0.0])  # of items chosen by chance it would be a fifth
