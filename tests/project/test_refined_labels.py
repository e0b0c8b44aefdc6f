"""Refined labels of a project: kept, scored, reported, and forgotten by the next run."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project, compare_methods, run, stored_votes, train
from assay.project.demo import write_example
from assay.project.end_model import has_current_end_model, stored_model, to_train_on, untrained
from assay.project.provenance import REFINED_FILE
from assay.project.refined_labels import FOLDS_FOLDER, stored_refined
from assay.project.stored import stored_labels

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


@pytest.fixture
def refined(folder):
    """After a run that refined."""
    assert runner.invoke(app, ["run", str(folder), "--refine"]).exit_code == 0
    yield Project.load(folder)
    assert runner.invoke(app, ["run", str(folder)]).exit_code == 0


def test_an_end_model_learns_from_refined_labels_if_there_are_some(refined):
    folder = str(refined.folder)
    said = json.loads(runner.invoke(app, ["train", folder, "--fresh", "--json"]).stdout)
    assert said["refined"]
    taught = to_train_on(refined, stored_votes(refined), stored_refined(refined, 400))
    assert said["items"] == len(taught)
    assert has_current_end_model(refined)
    same = untrained(refined).fit(refined.data, taught, progress=False)
    np.testing.assert_array_equal(stored_model(refined).label(refined.data).joint[0], same.label(refined.data).joint[0])
    told = runner.invoke(app, ["train", folder, "--fresh"]).stdout
    assert "the refined labels of" in told
    assert "--refine" not in told


def test_without_them_it_says_what_would_help(folder):
    assert runner.invoke(app, ["run", str(folder)]).exit_code == 0
    assert f"assay run {folder} --refine" in runner.invoke(app, ["train", str(folder), "--fresh"]).stdout


def test_a_large_file_of_them_is_streamed(refined, monkeypatch):
    at_once = train(refined, fresh=True, progress=False)
    monkeypatch.setattr("assay.endmodel.streams.LARGE", 0)
    streamed = train(refined, fresh=True, progress=False)
    assert streamed.refined
    assert streamed.items == at_once.items
    gold = refined.gold_columns()
    scores = [found.model.score(refined.data, gold) for found in (streamed, at_once)]
    assert scores[0] > scores[1] - 0.1


def test_an_end_model_of_other_labels_is_told(refined):
    """The next run does not refine: its labels are the same as before, but not what the end model learned from."""
    train(refined, fresh=True, progress=False)
    run(refined, refine=False, progress=False)
    assert not has_current_end_model(refined)
    with pytest.raises(
        assay.ProjectError, match=r"other refined labels than there are now; run 'assay train .*' again"
    ):
        compare_methods(refined)
    train(refined, fresh=True, progress=False)
    assert has_current_end_model(refined)
    run(refined, refine=True, progress=False)
    assert not has_current_end_model(refined)


def test_refined_labels_that_are_not_those_of_the_run_are_refused(refined):
    path = refined.output / REFINED_FILE
    labels = stored_labels(refined)
    labels.to_parquet(path)
    with pytest.raises(assay.ProjectError, match=r"refined.parquet is not what was last finished.*assay run --refine"):
        stored_refined(refined, 400)


def test_labels_of_other_items_are_refused(refined):
    with pytest.raises(assay.ProjectError, match="labels of other items"):
        stored_refined(refined, 399)
