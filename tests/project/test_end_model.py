"""Train, predict and evaluate on a project folder."""

import dataclasses
import inspect
import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project, run
from assay.project.demo import write_example
from assay.project.end_model import (
    CHECKPOINT_FILE,
    MODEL_FILE,
    compare_methods,
    encoder_of,
    held_out,
    predict,
    stored_labels,
    train,
)
from assay.project.settings import EndModelSettings

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An example project, run."""
    home = tmp_path_factory.mktemp("project") / "p"
    for command in (["init", str(home), "--texts", "500"], ["run", str(home)]):
        assert runner.invoke(app, command).exit_code == 0
    return home


@pytest.fixture(scope="module")
def trained(folder):
    result = runner.invoke(app, ["train", str(folder), "--json"])
    assert result.exit_code == 0, result.output
    return folder, json.loads(result.stdout)


def changed(folder, target, text):
    """A copy of the project with more in its assay.toml."""
    target.mkdir()
    for path in folder.iterdir():
        if path.is_file():
            (target / path.name).write_bytes(path.read_bytes())
    (target / "out").mkdir()
    for name in ("votes.parquet", "labels.parquet"):
        (target / "out" / name).write_bytes((folder / "out" / name).read_bytes())
    with (target / "assay.toml").open("a") as file:
        file.write(text)
    return target


def test_training_leaves_a_model_and_no_checkpoint(trained):
    folder, said = trained
    project = Project.load(folder)
    assert (project.output / MODEL_FILE).is_file()
    assert not (project.output / CHECKPOINT_FILE).exists()
    assert said["epoch"] == 10
    assert not said["interrupted"]
    votes = assay.Votes.from_parquet(project.output / "votes.parquet")
    held = held_out(project, 500)
    assert said["items"] == len(stored_labels(project).where(~held).voted(votes))
    assert 60 < held.sum() < 140


def test_predictions_are_those_of_the_model(trained, tmp_path):
    folder, _ = trained
    rows = pl.read_ndjson(folder / "texts.jsonl").select("text")[:20]
    rows.write_csv(tmp_path / "new.csv")
    out = tmp_path / "labels.parquet"
    result = runner.invoke(app, ["predict", str(folder), "--data", str(tmp_path / "new.csv"), "--out", str(out)])
    assert result.exit_code == 0, result.output
    model = assay.EndModel.load(folder / "out" / MODEL_FILE)
    found = assay.Labels.from_parquet(out).joint[0]
    np.testing.assert_allclose(found, model.predict_proba(rows["text"].to_list()), atol=1e-6)
    done = predict(Project.load(folder))
    assert (done.items, len(done.labels), done.path.name) == (500, 500, "predictions.parquet")


def test_evaluation_compares_all_on_the_held_out_items(trained):
    folder, _ = trained
    found = compare_methods(Project.load(folder), "section")
    assert list(found) == ["majority vote", "hierarchical majority vote", "label model", "end model"]
    assert len({one.items for one in found.values()}) == 1
    assert found["end model"].items == held_out(Project.load(folder), 500).sum()
    assert found["end model"].slices["items"].sum() == found["end model"].items
    result = runner.invoke(app, ["evaluate", str(folder), "--json"])
    assert json.loads(result.stdout)["methods"]["end model"]["accuracy"] == found["end model"].accuracy
    shown = runner.invoke(app, ["evaluate", str(folder), "--slice", "section"])
    assert "items held out of training" in shown.stdout
    assert "section=City" in shown.stdout


def test_every_setting_reaches_the_model(folder, tmp_path):
    text = """
[dev]
path = "texts.jsonl"
gold = "gold.jsonl"

[endmodel]
encoder = "ngrams"
layers = [8]
epochs = 2
hard = true
min_confidence = 0.6
rebalance = "median"
held_out = 0.5
"""
    project = Project.load(changed(folder, tmp_path / "p", text))
    done = train(project, progress=False)
    assert done.model.layers == (8,)
    assert done.model.dev_score_ is not None
    assert done.items < 250
    assert (project.output / MODEL_FILE).is_file()


def test_defaults_are_those_of_the_model():
    settings = {field.name: field.default for field in dataclasses.fields(EndModelSettings)}
    signature = inspect.signature(assay.EndModel).parameters
    shared = set(settings) & set(signature) - {"encoder"}
    assert len(shared) == 14
    assert {name: settings[name] for name in shared} == {name: signature[name].default for name in shared}


def test_the_demo_says_so_if_there_is_no_pytorch(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = runner.invoke(app, ["demo", "--folder", str(tmp_path / "demo"), "--texts", "200"])
    assert result.exit_code == 0, result.output
    assert "no end model was trained" in result.stdout
    assert "no report was written" in result.stdout
    assert "label model" in result.stdout


def test_other_encoders(folder, tmp_path):
    numbers = Project.load(
        changed(folder, tmp_path / "a", '\n[endmodel]\nencoder = "features"\ncolumns = ["mentions"]\n')
    )
    assert train(numbers).model.predict([[3.0]]).shape == (1,)
    text = '\n[endmodel]\nencoder = "lstm"\ncolumns = ["body"]\n'
    assert encoder_of(Project.load(changed(folder, tmp_path / "b", text))) == assay.BiLSTM(column="body")


@pytest.mark.parametrize("encoder", ["ngrams", "embeddings"])
def test_embeddings_by_a_function_of_the_project(folder, tmp_path, encoder):
    """Each text is embedded once: the second command finds the vectors of the first."""
    text = f'\n[endmodel]\nencoder = "{encoder}"\nembeddings = "vectors:embed"\nepochs = 2\n'
    home = changed(folder, tmp_path / "p", text)
    (home / "vectors.py").write_text(
        "from pathlib import Path\n"
        "def embed(texts):\n"
        "    with Path(__file__).with_name('asked.txt').open('a') as file:\n"
        "        file.writelines(text + '\\n' for text in texts)\n"
        "    return [[len(text), text.count('the'), text.count('Dr')] for text in texts]\n"
    )
    project = Project.load(home)
    model = train(project).model
    np.testing.assert_allclose(predict(project).labels.joint[0], model.label(project.data).joint[0], atol=1e-6)
    asked = [line for line in (home / "asked.txt").read_text().splitlines() if "quick brown fox" not in line]
    assert len(asked) == len(set(asked))
    assert (project.output / "embeddings.sqlite").is_file()


def test_large_files_are_streamed(folder, tmp_path, monkeypatch):
    """Labels are chosen part by part as they are at once; a checkpoint is left by what was killed alone."""
    text = "\n[endmodel]\nepochs = 3\nmin_confidence = 0.6\ntemperature = 2.0\n"
    project = Project.load(changed(folder, tmp_path / "p", text))
    at_once = train(project, progress=False)
    monkeypatch.setattr("assay.endmodel.streams.LARGE", 0)
    streamed = train(project, progress=False)
    assert streamed.items == at_once.items
    assert not [path for path in project.output.iterdir() if "checkpoint" in path.name]
    gold = project.gold_columns()
    scores = [found.model.score(project.data, gold) for found in (streamed, at_once)]
    assert scores[0] > scores[1] - 0.1
    labels = streamed.model.label(project.data)
    np.testing.assert_allclose(predict(project).labels.joint[0], labels.joint[0], atol=1e-6)


def test_without_held_out_items_all_are_scored(folder, tmp_path):
    project = Project.load(changed(folder, tmp_path / "p", "\n[endmodel]\nepochs = 1\nheld_out = 0.0\n"))
    train(project)
    assert compare_methods(project)["end model"].items == 500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\n[endmodel]\nencoder = "bert"\n', "'ngrams', 'lstm', 'features' or 'embeddings'"),
        ('\n[endmodel]\nencoder = "embeddings"\n', "needs a function"),
        ('\n[endmodel]\nembeddings = "vectors"\n', 'a function as "module:function"'),
        ('\n[endmodel]\nembeddings = "no_such_module:embed"\n', "no_such_module"),
        ('\n[endmodel]\nembeddings = "sources:embedd"\n', "no function of sources"),
        ('\n[endmodel]\nrebalance = "max"\n', "'none', 'median' or 'min'"),
        ("\n[endmodel]\nheld_out = 1.0\n", "must be less than 1"),
        ("\n[endmodel]\nlayers = 3\n", "layers must be a list"),
        ("\n[endmodel]\nepoch = 3\n", "Did you mean 'epochs'"),
        ("\n[endmodel]\nepochs = 0\n", "epochs must be a positive integer"),
        ('\n[endmodel]\ncolumns = ["a", "b"]\n', "one column of texts"),
        ('\n[endmodel]\ncolumns = ["texd"]\n', "Did you mean 'text'"),
        ('\n[dev]\npath = "texts.jsonl"\n', "[dev] needs gold"),
    ],
)
def test_bad_settings(folder, tmp_path, text, said):
    with pytest.raises(assay.AssayError) as error:
        train(Project.load(changed(folder, tmp_path / "p", text)))
    assert said in str(error.value)
    assert not (tmp_path / "p" / "out" / MODEL_FILE).exists()


def test_steps_out_of_order(folder, tmp_path):
    home = tmp_path / "p"
    runner.invoke(app, ["init", str(home), "--texts", "20"])
    project = Project.load(home)
    with pytest.raises(assay.ProjectError, match="run 'assay apply"):
        train(project)
    other = Project.load(changed(folder, tmp_path / "q", ""))
    with pytest.raises(assay.ProjectError, match="run 'assay train"):
        predict(other)
    with pytest.raises(assay.ProjectError, match="run 'assay run"):
        stored_labels(project)


def test_data_that_has_changed_is_refused_and_the_model_stays(trained, tmp_path):
    folder, _ = trained
    home = changed(folder, tmp_path / "p", "")
    (home / "out" / MODEL_FILE).write_bytes((folder / "out" / MODEL_FILE).read_bytes())
    before = (home / "out" / MODEL_FILE).read_bytes()
    lines = (home / "texts.jsonl").read_text().splitlines(keepends=True)
    (home / "texts.jsonl").write_text("".join(lines[:-1]))
    with pytest.raises(assay.DataError, match="499 rows"):
        train(Project.load(home))
    assert (home / "out" / MODEL_FILE).read_bytes() == before
    with pytest.raises(assay.ProjectError, match="Did you mean 'section'"):
        compare_methods(Project.load(home), "sektion")


class TestTestFile:
    """``[test]``: rows of their own, with gold, that nothing is learned from."""

    @pytest.fixture
    def tested(self, tmp_path):
        write_example(tmp_path / "p", 200, 7)
        write_example(tmp_path / "other", 120, 8)
        for name in ("texts", "gold"):
            (tmp_path / "other" / f"{name}.jsonl").rename(tmp_path / "p" / f"test_{name}.jsonl")
        settings = tmp_path / "p" / "assay.toml"
        settings.write_text(settings.read_text() + '\n[test]\npath = "test_texts.jsonl"\ngold = "test_gold.jsonl"\n')
        return tmp_path / "p"

    def test_methods_are_scored_on_it_alone(self, tested):
        project = Project.load(tested)
        run(project, progress=False)
        found = compare_methods(project)
        assert {one.items for one in found.values()} == {120}
        assert found["label model"].accuracy > 0.5
        assert "majority vote" in found

    @pytest.mark.parametrize(
        ("before", "after", "why"),
        [('"entity"', '"entty"', "entty"), ('"Person"', '"Persn"', "test_gold.jsonl.*column 'entity'.*Persn")],
    )
    def test_its_gold_is_checked_before_any_work(self, tested, before, after, why):
        gold = tested / "test_gold.jsonl"
        gold.write_text(gold.read_text().replace(before, after))
        with pytest.raises(assay.ProjectError, match=why):
            run(Project.load(tested), progress=False)
        assert not (tested / "out").exists()

    def test_so_is_its_length(self, tested):
        gold = tested / "test_gold.jsonl"
        unnamed = pl.read_ndjson(gold).drop("id")  # which are matched by their order
        unnamed[:-1].write_ndjson(gold)
        with pytest.raises(assay.ProjectError, match=r"119 rows.*has 120"):
            run(Project.load(tested), progress=False)
