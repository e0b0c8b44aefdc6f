"""The loops over many outcomes, against those over few."""

import numpy as np
import pytest

from assay._core import scoring_loops, wide_loops

OUTCOMES = 90


@pytest.fixture(params=[0.3, 6.0, 300.0], ids=["unsure", "sure", "beyond the range of floats"])
def problem(request):
    """Rows, their columns and counts, and what each column says of the outcomes."""
    rng = np.random.default_rng(int(request.param))
    design = rng.random((40, 12)) < 0.5
    starts = np.concatenate([[0], np.cumsum(design.sum(axis=1))])
    gains, base = request.param * rng.normal(size=(12, OUTCOMES)), rng.normal(size=OUTCOMES)
    return starts, np.nonzero(design)[1].astype(np.int32), rng.integers(1, 9, 40).astype(float), gains, base


def both(few, many, *given, results):
    """What two loops write into their results, and return."""
    found = []
    for loop in (few, many):
        written = [np.zeros(shape) for shape in results]
        found.append([loop(*given, *written), *written])
    return zip(*found, strict=True)


def test_an_e_step_passes_over_nothing_that_counts(problem):
    shapes = (problem[3].shape, problem[4].shape)
    for one, other in both(scoring_loops.expect, wide_loops.expect_many, *problem, results=shapes):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_nor_does_one_with_a_discount(problem):
    shapes = (problem[3].shape, problem[4].shape)
    loops = scoring_loops.expect_discounted, wide_loops.expect_discounted_many
    for one, other in both(*loops, *problem, 0.05, 4, results=shapes):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_votes_are_predicted_alike(problem):
    starts, columns, counts, gains, base = problem
    rng = np.random.default_rng(0)
    spoke = rng.uniform(0.3, 0.9, gains.shape)
    said = spoke * rng.uniform(0.1, 0.9, gains.shape)
    correlations = np.array([0.0, 0.1, 0.4])
    loops = scoring_loops.predict_each_vote, wide_loops.predict_each_vote_many
    given = (starts, columns, counts, gains, base, said, spoke, correlations)
    for one, other in both(*loops, *given, results=((3,), (3,))):
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
