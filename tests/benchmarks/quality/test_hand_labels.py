import json
from argparse import ArgumentTypeError
from dataclasses import asdict

import numpy as np
import pytest

from benchmarks.quality import hand_labels
from benchmarks.quality.hand_labels import (
    DRAWS,
    LABELS,
    LARGE,
    PEERS,
    REGRESSION,
    WITH,
    Cell,
    Row,
    averaged,
    judged,
    kept,
    kept_back,
    large,
    numbers,
    ours,
    revealed,
    tries,
)
from benchmarks.quality.methods import DEFAULT, MAJORITY, by_label_model, vote_shares
from benchmarks.quality.run import worker_of
from benchmarks.quality.sets import VoteSet, scores


def a_set(items=400, name="some", known=0.8, seed=0):
    """Five sources of two classes, and gold for most items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items)
    votes = np.where(rng.random((items, 5)) < 0.7, truth[:, None], 1 - truth[:, None])
    votes[:, 1:][rng.random((items, 4)) < 0.3] = -1
    gold = np.where(rng.random(items) < known, truth, -1)
    return VoteSet(name, "lf", votes.astype(np.int16), gold, 2, "acc")


def a_row(method=WITH, name="some", kind="lf", gold=LARGE, labels=100, draws=5, accuracy=90.0, ahead=1.0, loss=0.3):
    return Row(method, name, kind, gold, labels, draws, accuracy, loss, ahead, 0.1)


def test_what_is_revealed_and_what_is_scored_on_are_all_gold():
    given = a_set()
    gold = revealed(given, 50, 0)
    rest = kept_back(given, gold)
    assert (gold >= 0).sum() == 50
    assert not ((gold >= 0) & rest.known).any()
    assert np.maximum(gold, rest.gold).tolist() == given.gold.tolist()


def test_more_labels_are_the_fewer_ones_and_others():
    given = a_set()
    few, many = (revealed(given, labels, 3) for labels in (20, 100))
    assert (many[few >= 0] == few[few >= 0]).all()


def test_draws_differ_and_are_the_same_when_repeated():
    given = a_set()
    found = [tuple(revealed(given, 20, draw)) for draw in range(DRAWS)]
    assert len(set(found)) == DRAWS
    assert found == [tuple(revealed(given, 20, draw)) for draw in range(DRAWS)]
    assert found[0] != tuple(revealed(a_set(name="other"), 20, 0))


def test_at_most_half_of_the_gold_is_given():
    given = a_set(items=200, known=1.0)
    assert tries(given, (0, *LABELS), 2) == [(0, 0), (20, 0), (20, 1), (50, 0), (50, 1), (100, 0), (100, 1)]


def test_numbers_of_labels_are_read():
    assert numbers("100, 20,20") == (20, 100)
    for wrong in ("0,20", "-5"):
        with pytest.raises(ArgumentTypeError, match="above zero"):
            numbers(wrong)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    given = a_set()
    folder = tmp_path / "votes" / "lf"
    folder.mkdir(parents=True)
    np.savez(folder / "some.npz", L=given.votes, y=given.gold, k=2, metric="acc")
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    yield given
    hand_labels._read.cache_clear()
    hand_labels._without_gold.cache_clear()


def test_all_rows_of_a_draw_are_scored_on_the_other_items(stored):
    found = {cell.method: cell.figures for cell in ours("some", 50, 1)}
    assert list(found) == [MAJORITY, DEFAULT, WITH, REGRESSION]
    gold = revealed(stored, 50, 1)
    rest, votes = kept_back(stored, gold), stored.votes.astype(int)
    labels = {
        MAJORITY: vote_shares(votes, 2),
        DEFAULT: by_label_model(votes, 2),
        WITH: by_label_model(votes, 2, gold=gold),
    }
    for method, its in labels.items():
        expected = scores(its, rest)
        assert found[method] == {figure: expected[figure] for figure in ("accuracy", "log_loss")}


def test_without_labels_nothing_learns_from_gold(stored):
    assert [cell.method for cell in ours("some", 0, 0)] == [MAJORITY, DEFAULT]


def test_a_worker_hands_gold_on():
    given = a_set()
    gold = revealed(given, 100, 0)
    with worker_of(DEFAULT, None) as worker:
        found, _ = worker.label(given.votes, 2, 120.0, gold=gold, timed=False)
    assert found == pytest.approx(by_label_model(given.votes.astype(int), 2, gold=gold))
    assert (found[gold >= 0].argmax(axis=1) == gold[gold >= 0]).mean() > 0.7


def test_draws_are_averaged_and_compared_with_the_default_of_the_same_draw():
    given = a_set()
    cells = [
        Cell(method, "some", 20, draw, {"accuracy": accuracy, "log_loss": 0.5})
        for method, found in ((DEFAULT, (80.0, 90.0)), (WITH, (84.0, 92.0)))
        for draw, accuracy in enumerate(found)
    ]
    _, row = averaged(cells, [given])
    assert (row.method, row.draws, row.gold) == (WITH, 2, given.known.sum())
    assert (row.accuracy, row.over_default, row.error) == (88.0, 3.0, pytest.approx(1.0))


def test_draws_that_failed_are_told_and_left_out():
    figures = {"accuracy": 80.0, "log_loss": 0.5}
    cells = [Cell(DEFAULT, "some", 20, draw, figures) for draw in range(2)]
    cells += [Cell(PEERS[0], "some", 20, 0, figures), Cell(PEERS[0], "some", 20, 1, {}, "failed: why")]
    cells += [Cell(PEERS[1], "some", 20, draw, {}, "failed: why") for draw in range(2)]
    _, some, none = averaged(cells, [a_set()])
    assert (some.draws, some.accuracy, some.not_run) == (1, 80.0, "1 of 2 draws: failed: why")
    assert none.draws == 0
    assert large([none], PEERS[1], "lf", 20) == []


def test_means_are_of_large_sets_and_the_worst_is_of_all():
    rows = [a_row(accuracy=77.0), a_row(name="small", gold=LARGE - 1, accuracy=10.0, ahead=-0.6)]
    accuracy, loss, worst = judged(rows)
    assert (accuracy.figure, accuracy.low, accuracy.reached) == (77.0, 76.0, True)
    assert (loss.figure, loss.high, loss.reached) == (pytest.approx(0.3), 0.61, True)
    assert (worst.what, worst.figure, worst.reached) == (
        "100 labels: the worst difference to none, small",
        -0.6,
        False,
    )


def test_with_many_labels_the_regression_is_to_be_reached():
    rows = [a_row(labels=500, accuracy=90.0), a_row(REGRESSION, labels=500, accuracy=91.0, loss=0.4)]
    accuracy, loss = judged(rows)
    assert (accuracy.low, accuracy.reached) == (91.0, False)
    assert (loss.high, loss.reached) == (0.4, True)


def test_rows_of_peers_are_kept(tmp_path):
    file = tmp_path / "result.json"
    assert kept(file) == []
    rows = [a_row(), a_row(PEERS[0])]
    file.write_text(json.dumps({"rows": [asdict(row) for row in rows]}), encoding="utf-8")
    assert kept(file) == rows[1:]


def test_a_line_of_the_picture_is_of_the_same_sets_throughout():
    chart = pytest.importorskip("benchmarks.quality.hand_label_chart")
    rows = [a_row(DEFAULT, name, labels=0, accuracy=80.0) for name in "ab"]
    rows += [a_row(method, name, labels=20) for method in (DEFAULT, WITH) for name in "ab"]
    rows += [a_row(method, "a", labels=500) for method in (DEFAULT, WITH)]
    points = chart.points(rows, "lf")
    assert [(one["labels"], one["accuracy"]) for one in points if one["method"] == WITH] == [(0, 80.0), (20, 90.0)]
    assert chart.drawn(rows).to_dict()["hconcat"]
