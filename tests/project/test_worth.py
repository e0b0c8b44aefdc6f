"""What hand labels are worth: intervals that shrink as they should."""

import pytest

from assay.evaluation import evaluate
from assay.project import Project, Workbench, label_worth, learning_curve, run


def test_more_labels_tell_more(contents):
    few, many = label_worth(contents, 10), label_worth(contents, 100)
    assert few.labels == many.labels == len(contents.hand)
    assert few.now == many.now > few.after > many.after > 0


def test_four_times_as_many_halve_the_interval(contents):
    worth = label_worth(contents, more=3 * len(contents.hand))
    assert worth.after == pytest.approx(worth.now / 2)


def test_accuracy_is_by_hand_labels_where_there_are_any(contents):
    worth = label_worth(contents)
    assert worth.is_measured
    assert worth.accuracy == evaluate(contents.labels).accuracy


def test_without_hand_labels_the_model_is_asked_and_without_labels_nobody(unrun):
    assert label_worth(Workbench(unrun).contents()) is None
    run(Project.load(unrun), progress=False)
    contents = Workbench(unrun).contents()
    worth = label_worth(contents)
    assert not worth.is_measured
    assert worth.now is None
    assert worth.accuracy == pytest.approx(contents.labels.confidence.mean())


def test_the_curve_has_a_point_for_each_run_with_a_score(contents):
    curve = learning_curve(contents.runs)
    assert [(number, labels) for number, labels, _ in curve] == [(1, 0), (2, len(contents.hand))]
    assert [score for _, _, score in curve] == [run.scores["label model"] for run in contents.runs]
    assert learning_curve(contents.runs, "no such method") == []
