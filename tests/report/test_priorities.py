"""What to fix first: the worst first, and each with what to do about it."""

import numpy as np
import pytest

from assay import LabelModel, Report, Task, TaskGraph, Votes, evaluate
from assay.checks import CheckReport, Problem
from assay.model.estimate.self_assessment import Redundancy
from assay.report.facts import ComponentFacts, LabelShare, Score, SourceFacts, TaskFacts, ValueFacts
from assay.report.priorities import priorities
from assay.simulate import flat_world
from assay.votes.votes import Fault
from tests.support.checked import with_gold


def source(name="kb", accuracy=0.8, chance=0.5, width=0.05, votes=100, gold=None):
    value = ValueFacts("yes", "t", accuracy, accuracy - width, accuracy + width, votes, chance, gold)
    return SourceFacts(name, "t", 0.5, 0.4, 0.1, votes, (value,))


def component(covered=1.0, right=0.9, majority=0.8):
    nothing = np.zeros(1)
    return ComponentFacts(("t",), (LabelShare("yes", 0.5),), nothing, nothing, covered, right, majority, 0.9)


def told(**changed):
    given = {
        "sources": [source()],
        "tasks": [TaskFacts("t", 3, (), ())],
        "components": [component()],
        "check": CheckReport(()),
        "redundant": [],
        "faults": [],
        "notes": [],
    }
    return priorities(**{**given, **changed})


def test_where_all_is_well_there_is_only_what_was_gained():
    (only,) = told()
    assert only.urgency == "fine"
    assert "90.0% of its labels to be right, 10.0 points more" in only.what


@pytest.mark.parametrize(("more", "urgency"), [(0.01, "fine"), (0.12, "look"), (-0.2, "look")])
def test_what_hand_labels_say_counts_more_than_what_the_model_expects(more, urgency):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    said = np.where(rng.random(200) < 0.8, truth, 1 - truth)
    labels = with_gold(TaskGraph.flat("t", ["no", "yes"]), np.eye(2)[said], truth, np.arange(200))
    found = evaluate(labels)
    evaluations = {"majority vote": found, "label model": found}
    right = found.accuracy + more
    (only,) = told(components=[component(right=right)], evaluations=evaluations)
    assert only.urgency == urgency
    assert only.what.startswith(f"By 200 hand labels, {found.accuracy:.1%} of the labels are right")
    assert (f"The model expects {right:.1%}" in only.todo) == (urgency == "look")


def test_where_nothing_is_gained_it_says_so():
    (only,) = told(components=[component(right=0.8)])
    assert "majority vote would do as well" in only.what


@pytest.mark.parametrize(("accuracy", "named"), [(0.3, True), (0.46, False), (0.8, False)])
def test_a_source_is_worse_than_chance_if_its_whole_interval_is(accuracy, named):
    found = told(sources=[source(accuracy=accuracy)])
    assert any("'kb' is worse than chance" in entry.what for entry in found) == named


@pytest.mark.parametrize(("right", "wrong", "named"), [(40, 60, True), (78, 22, False), (4, 6, False), (95, 5, False)])
def test_a_source_that_gold_knows_to_be_worse_is_named(right, wrong, named):
    found = told(sources=[source(gold=Score.of(right, wrong))])
    assert any("The model overestimates 'kb'" in entry.what for entry in found) == named


def test_the_most_urgent_comes_first():
    found = told(
        sources=[source(accuracy=0.2)],
        tasks=[TaskFacts("t", 2, (), ())],
        components=[component(covered=0.4)],
        check=CheckReport(
            (
                Problem("A203", "nobody says 'maybe'", "add a source that does"),
                Problem("A002", "only 2 sources vote", "add a third"),
            )
        ),
        redundant=[("a", "b", Redundancy((0, 1), 50.0, 0.99, 0.7, False))],
        faults=[Fault("kb", 3, 7, "KeyError: 'x'")],
        notes=["em: did not settle"],
    )
    order = [entry.urgency for entry in found]
    assert order == sorted(order, key=["stop", "fix", "look", "fine"].index)
    sentences = " ".join(entry.what for entry in found)
    for part in (
        "only 2 sources vote.",
        "'kb' failed on 3 rows",
        "worse than chance",
        "'a' and 'b' repeat each other: they agree on 99%",
        "Only two sources vote on t.",
        "nobody says 'maybe'.",
        "60% of the items have no vote",
        "did not settle",
    ):
        assert part in sentences
    assert all(entry.todo for entry in found if entry.urgency in ("stop", "fix"))


def test_many_of_a_kind_are_counted_not_listed():
    found = told(sources=[source(f"s{at}", accuracy=0.2) for at in range(9)])
    assert len([entry for entry in found if "worse than chance" in entry.what]) == 5
    assert any("5 more sources are worse than chance" in entry.what for entry in found)


def test_on_real_votes_the_planted_faults_are_found():
    """A copy, a source that means the opposite, and a label that nobody votes for."""
    drawn = flat_world(sources=8, seed=3, accuracy=(0.7, 0.85)).draw(4_000)
    codes = np.column_stack([drawn.votes.codes, drawn.votes.codes[:, 0]])
    codes[:, 4] = 1 - codes[:, 4]
    tasks = TaskGraph([Task("mail", ["ham", "spam", "other"])])
    columns = {
        f"s{at}": [("mail", tasks.tasks[0].labels[code]) for code in column] for at, column in enumerate(codes.T)
    }
    votes = Votes.from_columns(tasks, columns)
    report = Report.of(LabelModel(method="em").fit(votes), votes)
    sentences = " ".join(entry.what for entry in report.priorities)
    assert "'s4' is worse than chance" in sentences
    assert "'s0' and 's8'" in sentences
    assert "'other'" in sentences


@pytest.mark.parametrize(("accuracy", "named"), [(0.3, True), (0.46, False), (0.8, False)])
def test_a_source_that_is_mostly_wrong_is_named_though_a_guess_would_be_worse(accuracy, named):
    found = told(sources=[source(accuracy=accuracy, chance=0.1)])
    assert any("'kb' is wrong more often than right" in entry.what for entry in found) == named
