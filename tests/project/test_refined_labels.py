"""Refined labels of a project: kept, scored, reported, and forgotten by the next run."""

import json

import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project
from assay.project.demo import write_example
from assay.project.refined_labels import FOLDS_FOLDER, REFINED_FILE, stored_refined

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("project") / "p"
    write_example(home, 400, 7)
    with (home / "assay.toml").open("a") as file:
        file.write("\n[endmodel]\nepochs = 3\n[refine]\nrounds = 1\nfolds = 2\n")
    return home


def test_a_run_refines_if_asked_and_forgets_otherwise(folder):
    result = runner.invoke(app, ["run", str(folder), "--refine", "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["accuracy"]["refined labels"] > said["accuracy"]["label model"]
    kinds = {kind["name"]: kind for kind in said["refined"]["kinds"]}
    assert sum(kind["items"] for kind in kinds.values()) == 400
    assert kinds["votes and data"]["scored"] == kinds["votes and data"]["items"]
    project = Project.load(folder)
    labels = stored_refined(project, 400)
    assert labels.refined.kinds.tolist().count(3) == kinds["votes and data"]["items"]
    assert not (project.output / FOLDS_FOLDER).exists()
    page = runner.invoke(app, ["report", str(folder)])
    assert page.exit_code == 0, page.output
    assert "Votes and data" in (project.output / "report.html").read_text()
    shown = runner.invoke(app, ["run", str(folder), "--refine"])
    assert "what refined labels rest on" in shown.output
    assert runner.invoke(app, ["run", str(folder)]).exit_code == 0
    assert not (project.output / REFINED_FILE).exists()
    assert stored_refined(project, 400) is None


def test_labels_of_other_items_are_refused(folder):
    project = Project.load(folder)
    tasks = project.tasks
    part = assay.Labels(tasks, tuple(assay.hierarchical_majority_vote(_votes(folder)) for _ in (0,)))
    part.to_parquet(project.output / REFINED_FILE)
    with pytest.raises(assay.ProjectError, match="labels of other items"):
        stored_refined(project, 399)
    (project.output / REFINED_FILE).unlink()


def _votes(folder):
    return assay.Votes.from_parquet(Project.load(folder).output / "votes.parquet")
