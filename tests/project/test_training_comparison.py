"""What a project's end model should be trained on, kept as long as it is about the labels that are there."""

import json

import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.evaluation import BOTH, HAND_LABELS, LABELS
from assay.project import Project, compare_training, stored_comparison
from assay.project.demo import write_example
from assay.project.demo.simulated_answers import simulate_answers
from assay.project.end_model import held_out
from assay.project.pipeline import run
from assay.project.training_comparison import COMPARISON_FILE

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A project with hand labels, in which two epochs are enough."""
    home = tmp_path_factory.mktemp("project") / "p"
    write_example(home, 300, 7)
    with (home / "assay.toml").open("a") as file:
        file.write("\n[endmodel]\nepochs = 2\n")
    project = Project.load(home)
    gold = [json.loads(line) for line in (home / "gold.jsonl").read_text().splitlines()]
    assert simulate_answers(project, gold, ~held_out(project, 300), seed=1) == 100
    run(project, progress=False)
    return home


@pytest.fixture(scope="module")
def told(folder):
    result = runner.invoke(app, ["train", str(folder), "--compare", "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["comparison"]


def test_all_three_are_compared_and_kept(folder, told):
    project = Project.load(folder)
    found = stored_comparison(project)
    assert list(told["accuracy"]) == [HAND_LABELS, LABELS, BOTH] == list(found.accuracy)
    assert told["items"] == found.items == 100
    assert found.trained_on[HAND_LABELS] == 80
    # Of the items that training takes, all but those of a fold.
    assert found.trained_on[BOTH] == (~held_out(project, 300)).sum() - 20
    assert found.advice == told["advice"]


def test_evaluation_and_report_show_it(folder, told, tmp_path):
    shown = runner.invoke(app, ["evaluate", str(folder)])
    assert shown.exit_code == 0, shown.output
    assert "end models, by 100 hand labels" in " ".join(shown.stdout.split())
    assert told["advice"] in shown.stdout
    assert json.loads(runner.invoke(app, ["evaluate", str(folder), "--json"]).stdout)["trainings"] == told
    result = runner.invoke(app, ["report", str(folder), "--out", str(tmp_path / "page.html")])
    assert result.exit_code == 0, result.output
    page = (tmp_path / "page.html").read_text()
    assert "What to train on" in page
    assert told["advice"] in page
    assert "learned from votes and 100 hand labels" in page


def test_of_other_labels_it_says_nothing(folder, told):
    project = Project.load(folder)
    labels, stored = project.output / "labels.parquet", project.output / COMPARISON_FILE
    before, kept = labels.read_bytes(), stored.read_text()
    run(project, progress=False)
    assert labels.read_bytes() == before  # the same run gives the same labels
    assert stored_comparison(project) is not None
    run(project, hand_labels=False, progress=False)
    assert stored_comparison(project) is None
    labels.write_bytes(before)
    stored.write_text("{")
    with pytest.raises(assay.ProjectError, match="is damaged"):
        stored_comparison(project)
    stored.write_text(kept)


def test_without_hand_labels_there_is_nothing_to_compare(tmp_path):
    write_example(tmp_path, 40, 7)
    project = Project.load(tmp_path)
    run(project, progress=False)
    assert stored_comparison(project) is None
    with pytest.raises(assay.ProjectError, match="'assay label"):
        compare_training(project)
