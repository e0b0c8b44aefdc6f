"""Runs are kept with what they were made from and what they changed, and the oldest are forgotten."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project, changed_labels, compare, run, runs_of, runs_to_compare
from assay.project.runs import RUNS_FOLDER, run_folder

SOURCE = "\n\n@assay.source(task='entity')\ndef also(row):\n    return 'Person' if len(row.text) % {} == 0 else None\n"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "p"
    assert CliRunner().invoke(app, ["init", str(folder), "--texts", "300"]).exit_code == 0
    return Project.load(folder)


def invoke(*arguments):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_runs_are_listed_compared_and_forgotten(project):
    plain = (project.folder / "sources.py").read_text()
    first = run(project, progress=False)
    assert runs_of(project) == [first.kept]
    assert changed_labels(project) == {}
    assert run(project, progress=False).kept == first.kept  # the same again is not kept again
    (project.folder / "sources.py").write_text(plain + SOURCE.format(2))
    second = run(project, progress=False)
    assert second.kept.number == 2
    assert second.kept.changed == ("added also",)
    assert {one.source for one in second.reuse if one.applied} == {"also"}
    (project.folder / "sources.py").write_text(plain + SOURCE.format(3))
    third = run(project.with_model(seed=5), progress=False)
    assert third.kept.changed == ("changed also", "seed = 5")
    assert [one.number for one in runs_of(project)] == [1, 2, 3]
    assert third.kept.scores["label model"] == third.evaluations["label model"].accuracy

    # which labels changed
    before, after = second.labels, third.labels
    changed = changed_labels(project)
    items = set()
    for task in project.tasks.names:
        expected = np.flatnonzero(before.names(task) != after.names(task))
        assert changed[task].rows.tolist() == expected.tolist()
        items |= set(expected.tolist())
    assert third.kept.flipped == len(items) > 0
    assert compare(run_folder(project, 2), run_folder(project, 3)).flipped == third.kept.flipped
    assert compare(*runs_to_compare(project.folder, None, None, None)).flipped == third.kept.flipped
    assert compare(*runs_to_compare(project.folder, None, 1, 2)).added == ("also",)

    # on the command line
    told = invoke("runs", project.folder)
    assert "added also" in told
    assert "changed also, seed = 5" in told
    assert json.loads(invoke("runs", project.folder, "--json"))[2]["flipped"] == third.kept.flipped
    assert f"{third.kept.flipped} items" in invoke("compare", project.folder)
    assert "sources added: also" in invoke("compare", project.folder, "--from", 1, "--to", 2)

    # the oldest are forgotten
    text = (project.folder / "assay.toml").read_text()
    (project.folder / "assay.toml").write_text(text.replace("[settings]", "[settings]\nkeep_runs = 2"))
    project = Project.load(project.folder)
    (project.folder / "sources.py").write_text(plain)
    assert run(project, progress=False).kept.number == 4
    assert [one.number for one in runs_of(project)] == [3, 4]
    with pytest.raises(assay.ProjectError, match="has no run 1; kept are: 3, 4"):
        runs_to_compare(project.folder, None, 1, 4)


def test_a_killed_run_leaves_nothing_behind(project):
    (project.output / RUNS_FOLDER / ".0001").mkdir(parents=True)
    (project.output / RUNS_FOLDER / ".0001" / "votes.parquet").write_text("half")
    assert runs_of(project) == []
    run(project, progress=False)
    assert [path.name for path in (project.output / RUNS_FOLDER).iterdir()] == ["0001"]


def test_too_few_runs_are_told(project):
    assert "has no runs yet" in invoke("runs", project.folder)
    with pytest.raises(assay.ProjectError, match="has 0 kept runs, but two are needed"):
        runs_to_compare(project.folder, None, None, None)
