"""A project's hand labels: which items come next, what is shown of them, and that a run learns from them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import assay
from assay import DataError, HandLabels, ProjectError, VoteError
from assay.cli import app
from assay.project import Answers, Project, Queued, apply_sources, current_votes, gold_votes, queue, run, shown_items
from assay.project.demo import write_example
from assay.project.hand_labels import past_of

ANSWER = {"entity": "Person", "person": "Doctor"}


@pytest.fixture
def project(tmp_path):
    write_example(tmp_path, 200, 7)
    return Project.load(tmp_path)


def change(project, old, new):
    path = project.folder / "assay.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return Project.load(project.folder)


def label(project, items, by="ann", path=None, answer=ANSWER):
    answers = Answers.of(project, by, path)
    for one in items:
        answers.record(one, one.row, answer)
    return answers


class TestQueue:
    def test_nobody_is_asked_twice_and_everybody_is_asked(self, project):
        seen = []
        while items := queue(project, 60):
            assert {one.kind for one in items} == {"random"}
            assert {one.chance for one in items} == {len(items) / (200 - len(seen))}
            label(project, items)
            seen += [one.row for one in items]
        assert sorted(seen) == [*range(200)]

    def test_who_comes_back_goes_on_where_they_were(self, project):
        rows = [one.row for one in queue(project, 10)]
        label(project, queue(project, 10)[:4])
        assert [one.row for one in queue(project, 6)] == rows[4:]

    def test_what_was_skipped_is_not_asked_again_and_what_was_taken_back_is(self, project):
        first, second, third = queue(project, 3)
        answers = label(project, [first], answer=None)
        answers.record(second, second.row, ANSWER)
        answers.take_back(second.row)
        assert [one.row for one in queue(project, 2)] == [second.row, third.row]

    def test_files_of_others_count_if_they_are_named(self, project):
        other = project.folder / "bob.jsonl"
        first, *_ = queue(project, 1)
        label(project, [first], "bob", other)
        assert queue(project, 1)[0].row == first.row
        assert queue(project, 1, also=[other])[0].row != first.row
        both = change(project, "[sources]", '[hand_labels]\npath = ["hand_labels.jsonl", "bob.jsonl"]\n\n[sources]')
        assert queue(both, 1)[0].row != first.row


class TestQueueAfterARun:
    @pytest.fixture
    def taught(self, project):
        """A project whose last run has learned from 30 hand labels."""
        gold = gold_votes(project, current_votes(project)).to_pandas()["gold"]
        for one in queue(project, 30):
            truth = dict(pair.split("=") for pair in gold.iloc[one.row].split(", "))
            label(project, [one], answer={task: said for task, said in truth.items() if said != "N/A"})
        run(project, progress=False)
        return project

    def test_part_is_chosen_as_useful_unless_told_not_to(self, taught):
        items = queue(taught, 40)
        assert {one.kind for one in items} == {"random", "useful"}
        assert all(0 < one.chance <= 1 for one in items)
        assert {one.kind for one in queue(taught, 40, random_only=True)} == {"random"}

    def test_the_order_stays_and_everybody_is_asked_once(self, taught):
        rows = [one.row for one in queue(taught, 300)]
        assert sorted(rows) == sorted({*range(200)} - set(HandLabels.read(taught.hand_labels[0]).answers))
        assert [one.row for one in queue(taught, 35)] == rows[:35]
        label(taught, queue(taught, 30)[:25])
        assert [one.row for one in queue(taught, 10)] == rows[25:35]
        assert {one.chosen for one in HandLabels.read(taught.hand_labels[0]).said} == {"random", "useful"}

    def test_is_refused_once_the_sources_are_others(self, taught):
        path = taught.modules[0]
        path.write_text(path.read_text() + "\n\n@assay.source\ndef nobody(row):\n    return None\n")
        apply_sources(taught, progress=False)
        with pytest.raises(
            assay.ProjectError, match=r"other votes than there are now \(added since: nobody\).*assay run"
        ):
            queue(taught, 40)
        assert {one.kind for one in queue(taught, 40, random_only=True)} == {"random"}


class TestItems:
    def test_are_shown_with_the_columns_that_the_project_names(self, project):
        votes = current_votes(project)
        shown = shown_items(project, votes, [3, 5])
        rows = [json.loads(line) for line in project.data.read_text().splitlines()]
        assert shown[3].record == {"text": rows[3]["text"]}
        assert shown[3].excerpt == rows[3]["text"]
        assert shown[5].item == 5
        assert dict(shown[5].votes)["tagger2"] == rows[5]["tagger2"]
        whole = change(project, 'show = ["text"]', "")
        assert shown_items(whole, votes, [3])[3].record == rows[3]

    def test_that_are_not_those_that_were_voted_on_are_refused(self, project):
        votes = current_votes(project)
        lines = project.data.read_text().splitlines(keepends=True)
        project.data.write_text("".join(lines[1:]))
        with pytest.raises(ProjectError, match=r"data has changed .* row 3 was item 3, and is now 4; run 'assay apply"):
            shown_items(project, votes, [3])
        with pytest.raises(ProjectError, match="row 199 was item 199, and is now not there"):
            shown_items(project, votes, [199])

    def test_a_column_to_show_must_exist(self, project):
        wrong = change(project, 'show = ["text"]', 'show = ["txt"]')
        with pytest.raises(ProjectError, match=r"\[data\] show names the column 'txt'\. Did you mean 'text'"):
            shown_items(wrong, current_votes(wrong), [0])


class TestAnswers:
    def test_stand_until_they_are_taken_back(self, project):
        answers = label(project, [Queued(row, "random", 0.5) for row in (1, 2, 1)])
        answers.record(Queued(4, None, None), 4, None)
        assert [one.item for one in answers.standing()] == [1, 2, 1, 4]
        answers.take_back(1)
        assert [one.item for one in answers.standing()] == [1, 2, 4]
        assert past_of(answers, current_votes(project))[-1] == (Queued(4, None, None), True)
        assert Answers.of(project, "bob").standing() == []

    def test_that_cannot_be_true_are_not_written(self, project):
        with pytest.raises(VoteError, match="no feasible outcome"):
            label(project, queue(project, 1), answer={"entity": "Organization", "person": "Doctor"})
        assert not project.hand_labels[0].exists()

    def test_need_a_name(self, project):
        with pytest.raises(ProjectError, match="--by NAME"):
            Answers.of(project, " ")


class TestRun:
    def test_learns_from_hand_labels_unless_told_not_to(self, project):
        without = run(project, progress=False)
        assert without.hand_labels is None
        items = queue(project, 30)
        gold = gold_votes(project, without.votes).to_pandas()["gold"]
        for one in items:
            truth = dict(pair.split("=") for pair in gold.iloc[one.row].split(", "))
            label(project, [one], answer={task: said for task, said in truth.items() if said != "N/A"})
        made = run(project, progress=False)
        assert len(made.hand_labels) == made.to_dict()["hand_labels"] == 30
        again = assay.LabelModel(**vars(project.model)).fit(made.votes, HandLabels.read(project.hand_labels[0]))
        assert made.model.predict_proba(made.votes).tolist() == again.predict_proba(made.votes).tolist()
        assert made.model.predict_proba(made.votes).tolist() != without.model.predict_proba(made.votes).tolist()
        other = CliRunner().invoke(app, ["run", str(project.folder), "--no-hand-labels", "--json"])
        assert json.loads(other.stdout)["hand_labels"] == 0
        shown = CliRunner().invoke(app, ["run", str(project.folder)])
        assert "with 30 items labeled by hand" in shown.stdout

    def test_with_nothing_but_skipped_items_is_one_without_hand_labels(self, project):
        label(project, queue(project, 2), answer=None)
        assert run(project, progress=False).hand_labels is None

    def test_says_which_item_is_not_there(self, project):
        Answers.of(project, "ann").record(Queued(0, None, None), "nobody", ANSWER)
        with pytest.raises(VoteError, match="a hand label is about items that are not there: 'nobody'"):
            run(project, progress=False)

    def test_says_which_line_is_broken_before_any_work_is_done(self, project):
        project.hand_labels[0].write_text("what?\n")
        with pytest.raises(DataError, match=r"hand_labels\.jsonl, line 1 is not a hand label"):
            run(project, progress=False)
        assert not project.output.exists()

    def test_a_second_file_must_exist(self, project):
        both = change(project, "[sources]", '[hand_labels]\npath = ["hand_labels.jsonl", "bob.jsonl"]\n\n[sources]')
        with pytest.raises(ProjectError, match=r"names 'bob\.jsonl', but there is no such file"):
            run(both, progress=False)


class TestNames:
    def test_are_in_votes_labels_and_gold_by_name(self, project):
        lines = (project.folder / "gold.jsonl").read_text().splitlines(keepends=True)
        before = run(project, progress=False)
        (project.folder / "gold.jsonl").write_text("".join(lines[::-1]))
        after = run(project, progress=False)
        assert after.votes.items.tolist() == after.labels.items.tolist() == [*range(200)]
        assert {name: found.accuracy for name, found in before.evaluations.items()} == {
            name: found.accuracy for name, found in after.evaluations.items()
        }

    def test_that_the_stored_votes_do_not_have_are_missed(self, project):
        run(project, progress=False)
        without = change(project, 'id = "id"', "")
        with pytest.raises(ProjectError, match=r"was made with names of items, but assay\.toml has no id in \[data\]"):
            current_votes(without)

    def test_must_be_a_column(self, project):
        with pytest.raises(DataError, match="no column 'idd'"):
            run(change(project, 'id = "id"', 'id = "idd"'), progress=False)


def test_the_queue_is_printed(project):
    told = json.loads(CliRunner().invoke(app, ["next", str(project.folder), "--n", "3", "--json"]).stdout)
    assert [entry["row"] for entry in told] == [one.row for one in queue(project, 3)]
    assert set(told[0]) == {"item", "row", "kind", "chance", "text"}
    shown = CliRunner().invoke(app, ["next", str(project.folder), "--n", "3", "--random"])
    assert shown.exit_code == 0
    assert told[0]["text"][:40] in shown.stdout


def test_the_least_sure_items_are_printed(project):
    made = run(project, progress=False)
    told = json.loads(CliRunner().invoke(app, ["next", str(project.folder), "--least-sure", "--json"]).stdout)
    sure = made.labels.confidence
    assert [entry["row"] for entry in told] == np.argsort(sure, kind="stable")[:20].tolist()
    assert {entry["kind"] for entry in told} == {"least sure"}
    with pytest.raises(ProjectError, match="--random or --least-sure"):
        CliRunner().invoke(app, ["next", str(project.folder), "--least-sure", "--random"], catch_exceptions=False)
