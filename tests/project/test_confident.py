"""Labels that need no check are written, and all other items listed for people."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project, confident_labels
from assay.project.demo import write_example
from assay.project.demo.simulated_answers import simulate_answers
from assay.project.pipeline import run

runner = CliRunner()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    home = tmp_path_factory.mktemp("project") / "p"
    write_example(home, 400, 7)
    project = Project.load(home)
    gold = [json.loads(line) for line in (home / "gold.jsonl").read_text().splitlines()]
    simulate_answers(project, gold, np.ones(400, dtype=bool), seed=1)
    run(project, progress=False)
    return project


@pytest.mark.parametrize("task", [None, "entity"])
def test_every_item_is_in_one_of_the_files(project, tmp_path, task):
    out, rest = tmp_path / "sure.parquet", tmp_path / "rest.csv"
    done = confident_labels(project, 0.6, task=task, out=out, rest=rest)
    labels = assay.Labels.from_parquet(project.output / "labels.parquet")
    sure, left = assay.Labels.from_parquet(out), pd.read_csv(rest)
    assert sorted([*sure.items.tolist(), *left["id"].tolist()]) == list(range(400))
    assert done.items == len(sure)
    assert len(left) == len(done.guarantee.rest)
    assert left["confidence"].is_monotonic_increasing
    assert (left["confidence"] <= done.guarantee.threshold).all()
    np.testing.assert_allclose(sure.joint[0], labels.confident(precision=0.6, task=task).joint[0], rtol=2e-7)
    assert left["entity"].tolist() == labels.names("entity")[left["id"]].tolist()
    texts = [json.loads(line)["text"] for line in project.data.read_text().splitlines()]
    assert left["text"].tolist() == [texts[row] for row in left["id"]], "people can read what they are to label"


def test_the_list_for_people_can_do_without_data(project, tmp_path):
    confident_labels(project, 0.6, out=tmp_path / "sure.csv", rest=tmp_path / "rest.csv", with_data=False)
    assert pd.read_csv(tmp_path / "rest.csv").columns.tolist() == ["item", "confidence", *project.tasks.names]


def test_on_the_command_line(project):
    shown = runner.invoke(app, ["confident", str(project.folder), "--precision", "0.6"])
    assert shown.exit_code == 0, shown.output
    assert "at least 60.0% of the labels are right" in shown.stdout
    said = json.loads(runner.invoke(app, ["confident", str(project.folder), "--precision", "0.6", "--json"]).stdout)
    assert said["confident"] + said["left"] == 400
    assert said["low"] >= 0.6
    assert (project.output / "confident.parquet").is_file()
    assert (project.output / "for_people.csv").is_file()


@pytest.mark.parametrize(("precision", "says"), [(1.5, "between 0 and 1"), (0.999, "hand labels")])
def test_what_gold_does_not_support_is_not_written(project, tmp_path, precision, says):
    with pytest.raises(assay.AssayError, match=says):
        confident_labels(project, precision, out=tmp_path / "sure.parquet", rest=tmp_path / "rest.csv")
    assert not list(tmp_path.iterdir())


def test_without_hand_labels_it_says_how_to_get_some(tmp_path):
    write_example(tmp_path, 40, 7)
    run(Project.load(tmp_path), progress=False)
    with pytest.raises(assay.ProjectError, match="label a hundred items with 'assay label"):
        confident_labels(Project.load(tmp_path), 0.9)
