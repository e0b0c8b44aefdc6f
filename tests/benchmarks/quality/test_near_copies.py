import numpy as np
import pytest

from benchmarks.quality.near_copies import FIRST, SECOND, Row, draw, judged, scored


@pytest.mark.parametrize("classes", [2, 4])
def test_copies_say_what_their_source_says(classes):
    drawn = draw(Row("", classes, independent=3, groups=((0.6, 2), (0.8, 1)), items=4_000, same=0.9), seed=0)
    assert drawn.groups == [["3", "4", "5"], ["6", "7"]]
    first, copy, other = drawn.votes.codes[:, 3], drawn.votes.codes[:, 4], drawn.votes.codes[:, 6]
    assert (first == copy).mean() > 0.9
    assert (first == other).mean() < 0.7
    assert (first == drawn.gold).mean() == pytest.approx(0.6, abs=0.03)


def test_copies_in_a_tree_tell_people_from_organisations():
    drawn = draw(Row("", 0, groups=((0.62, 3),), items=500), seed=0)
    assert [str(vote) for vote in drawn.votes.schema.values[-1]] == ["Person", "Organization"]
    assert set(drawn.groups[0]) <= set(drawn.votes.names)
    assert len(drawn.votes.names) == 14


def test_a_row_is_scored_by_all_methods_it_asks_for():
    found = scored(Row("", groups=((0.62, 3),), items=400, learns=False, declares=False), 0)
    assert {"vote", "default", "none", "no copies"} <= set(found)
    assert "declared" not in found
    assert "learned" not in found


def test_no_row_is_there_twice():
    assert len({*FIRST, *SECOND}) == len(FIRST) + len(SECOND)


def test_a_row_with_few_sources_is_held_against_the_vote():
    figures = {"vote": 70.0, "default": 69.0, "declared": 90.0, "default seconds": 1.2, "none seconds": 1.0}
    few, enough, dearer = judged(
        [
            {"row": {"name": "few", "must_match": False}, **figures},
            {"row": {"name": "enough", "must_match": True}, **figures},
        ],
        [],
    )
    assert (few.figure, enough.figure) == (-1.0, -21.0)
    assert np.isclose(dearer.figure, 1.2)
