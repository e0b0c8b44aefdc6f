"""The steps of a project: what they tell, what they keep quiet about, and that each thing is made in one place."""

import json
import sys
from dataclasses import replace

import pytest
from rich.progress import Progress as RichProgress
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project, check_votes, compare_methods, learned_dependencies, run, train, write_report
from assay.project.extras import can_train
from assay.project.pipeline import report_of
from assay.project.reporting import report_on
from assay.project.stored import VOTES_FILE, current_votes

FAILING = "\n\n@assay.source(task='entity')\ndef broken(row):\n    return row.nothing\n"


@pytest.fixture
def bars(monkeypatch):
    """The titles of all progress bars that are shown, on what takes itself for a terminal."""
    titles = []
    add = RichProgress.add_task

    def noted(self, title, **settings):
        titles.append(title)
        return add(self, title, **settings)

    monkeypatch.setattr(RichProgress, "add_task", noted)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    return titles


def example(folder, texts=300, sources="", settings=""):
    assert CliRunner().invoke(app, ["init", str(folder), "--texts", str(texts)]).exit_code == 0
    with (folder / "sources.py").open("a") as file:
        file.write(sources)
    text = (folder / "assay.toml").read_text()
    (folder / "assay.toml").write_text(text.replace('on_error = "raise"', settings or 'on_error = "raise"'))
    return Project.load(folder)


@pytest.fixture
def project(tmp_path):
    return example(tmp_path / "p")


def learning(project):
    """The same project, which learns its dependencies."""
    path = project.folder / "assay.toml"
    lines = [line for line in path.read_text().splitlines() if not line.startswith("dependencies")]
    path.write_text("\n".join(lines).replace("[model]", '[model]\ndependencies = "learn"'))
    return Project.load(project.folder)


def test_progress_is_shown_on_a_terminal(project, bars):
    run(learning(project))
    assert "applying sources" in bars
    assert "searching half-samples for dependencies" in bars


@pytest.mark.parametrize("step", [run, check_votes, learned_dependencies, current_votes])
def test_no_step_shows_progress_that_is_not_wanted(project, bars, step):
    step(learning(project), progress=False)
    assert bars == []


def test_the_check_knows_the_class_balance_of_the_project(project, monkeypatch):
    told = []
    checks = assay.LabelModel.check

    def check(model, *given, **settings):
        told.append(model.class_balance)
        return checks(model, *given, **settings)

    monkeypatch.setattr("assay.LabelModel.check", check)
    check_votes(project, progress=False)
    model = replace(project.model, class_balance=[0.4, 0.2, 0.3, 0.1])
    check_votes(replace(project, model=model), progress=False)
    assert told == [None, [0.4, 0.2, 0.3, 0.1]]


@pytest.mark.skipif(not can_train(), reason="needs torch")
def test_nor_does_training_nor_the_report(project, bars):
    run(project, progress=False)
    train(project, progress=False)
    write_report(project)
    assert bars == []


@pytest.mark.parametrize("missing", ["torch", "safetensors"])
def test_a_report_does_without_the_end_model_where_it_cannot_be_read(project, monkeypatch, missing):
    run(project, progress=False)
    (project.output / "endmodel.safetensors").write_bytes(b"as trained elsewhere")
    found = __import__("importlib.util").util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else found(name))
    assert list(report_on(project).evaluations)[-1] == "label model"


@pytest.mark.skipif(not can_train(), reason="needs torch")
def test_with_an_end_model_the_report_has_what_evaluate_tells(project):
    run(project, progress=False)
    train(project, progress=False)
    told = {name: found.figures() for name, found in compare_methods(project).items()}
    assert {name: found.figures() for name, found in report_on(project).evaluations.items()} == told
    assert list(told) == ["majority vote", "hierarchical majority vote", "label model", "end model"]


def test_a_run_and_its_report_score_alike(project):
    made = run(project, progress=False)
    expected = {name: found.figures() for name, found in made.evaluations.items()}
    for report in (report_of(project, made.model, made.votes), report_on(project)):
        assert {name: found.figures() for name, found in report.evaluations.items()} == expected
    assert made.report(project.folder / "a.html").read_text() == write_report(project).read_text()


def test_a_run_tells_of_sources_that_failed(tmp_path):
    project = example(tmp_path / "p", sources=FAILING, settings='on_error = "abstain"')
    result = CliRunner().invoke(app, ["run", str(project.folder)])
    assert result.exit_code == 0
    assert "source 'broken' failed on 300 rows, first on row 0" in result.stdout
    said = json.loads(CliRunner().invoke(app, ["run", str(project.folder), "--json"]).stdout)
    assert [(fault["source"], fault["count"]) for fault in said["faults"]] == [("broken", 300)]


def test_votes_are_made_once(project):
    votes = current_votes(project, progress=False)
    assert assay.Votes.from_parquet(project.output / VOTES_FILE) == votes
    (project.folder / "sources.py").write_text("1 / 0")
    assert current_votes(project) == votes


@pytest.mark.skipif(not can_train(), reason="needs torch")
def test_data_that_has_changed_since_is_not_scored(project):
    run(project, progress=False)
    train(project, progress=False)
    lines = project.data.read_text().splitlines(keepends=True)
    project.data.write_text("".join(lines[:-1]))
    for slice_by in (None, "section"):
        with pytest.raises(assay.ProjectError, match=r"has changed since the sources were applied; run 'assay apply"):
            compare_methods(project, slice_by)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"entity": "Person"', '"entity": "Persn"', r"gold\.jsonl, column 'entity': .*'Persn'.*Did you mean 'Person'"),
        ('"org"', '"orgg"', r"gold\.jsonl has the column 'orgg', which is no task. Did you mean 'org'"),
        ('"id"', '"number"', r"gold\.jsonl has 299 rows, but .*texts\.jsonl has 300"),
    ],
    ids=["label", "column", "length"],
)
def test_gold_that_cannot_be_right_is_refused_before_any_work(project, old, new, says):
    path = project.folder / "gold.jsonl"
    lines = path.read_text().splitlines()[:-1]
    path.write_text("\n".join(lines).replace(old, new))
    with pytest.raises(assay.ProjectError, match=says):
        run(project, progress=False)
    assert not project.output.exists()
