import numpy as np
import pytest

from benchmarks.quality.families import REPORTED, draw
from benchmarks.quality.hierarchies import (
    ASSAY,
    METAL,
    NPLM,
    VOTE,
    Problem,
    by_assay,
    by_nplm,
    by_vote,
    judged,
    means,
    metal_input,
    scored,
)


@pytest.fixture(scope="module")
def problem():
    drawn = draw("hierarchy", 400, REPORTED)
    return Problem("some", drawn.votes, drawn.votes, drawn.gold, [drawn.votes.names[:2]])


def test_metal_is_told_votes_by_task_and_the_feasible_label_vectors(problem):
    told = metal_input(problem)
    assert told["feasible"].tolist() == [[1, 1, 3], [1, 2, 3], [2, 3, 1], [2, 3, 2]]
    assert told["cardinalities"].tolist() == [3, 3, 3]
    assert told["dependencies"].tolist() == [[0, 1]]
    codes = problem.fit.codes
    # The first source speaks of the first task, the last one of the last.
    assert np.array_equal(told["fit"][0, :, 0], codes[:, 0] + 1)
    assert np.array_equal(told["fit"][2, :, -1], codes[:, -1] + 1)
    assert not told["fit"][1:, :, 0].any()


def test_methods_label_all_outcomes(problem):
    found = scored(problem, {VOTE: by_vote, ASSAY: by_assay, NPLM: by_nplm})
    assert all(0 < found[name] <= 100 for name in (VOTE, ASSAY, NPLM))
    assert by_nplm(problem).shape == (len(problem.label), 4)


def test_a_method_that_fails_is_told_of_and_left_out():
    found = [
        {"problem": "a", VOTE: 70.0, ASSAY: 80.0, METAL: 90.0},
        {"problem": "a", VOTE: 70.0, ASSAY: 80.0, METAL: "no"},
    ]
    (row,) = means(found, [VOTE, ASSAY, METAL])
    assert row[METAL] == "no"
    (target,) = judged([row])
    assert target.figure == pytest.approx(10.0)
