"""Prompts are asked where the other sources leave the label model unsure, and nowhere else."""

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.errors import ProjectError
from assay.project import Project, apply_sources, costs_of, least_sure, run, unsure_items
from tests.support.model_server import ModelServer, last_text

ITEMS = 400


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


@pytest.fixture
def project(tmp_path, server):
    """Four columns that agree on the first three quarters of the rows, and say nothing clear about the rest."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, ITEMS)
    right = np.where(np.arange(ITEMS) < 300, 0.97, 0.5)
    said = {name: np.where(rng.random(ITEMS) < right, truth, 1 - truth).tolist() for name in ("a", "b", "c", "d")}
    columns = {name: ["Spam" if one else "Ham" for one in votes] for name, votes in said.items()}
    pl.DataFrame({"text": [f"row {n}" for n in range(ITEMS)], **columns}).write_csv(tmp_path / "rows.csv")
    (tmp_path / "sources.toml").write_text(
        "".join(f'[[source]]\nname = "{name}"\ncolumn = "{name}"\n' for name in columns)
        + '[[source]]\nname = "p"\nprompt = "Spam? {text}"\nanswers = { yes = "Spam", no = "Ham" }\n'
        + '[[source]]\nname = "q"\nprompt = "Bad? {text}"\nanswers = { yes = "Spam", no = "Ham" }\n'
    )
    (tmp_path / "assay.toml").write_text(
        f'[data]\npath = "rows.csv"\n[[tasks]]\nname = "mail"\nlabels = ["Ham", "Spam"]\n'
        f'[prompts]\nbase_url = "{server.base_url}"\nmodel = "m"\n'
    )
    return Project.load(tmp_path)


def test_the_least_sure_are_chosen():
    graph = assay.TaskGraph.flat("mail", ["Ham", "Spam"])
    confidence = np.array([0.9, 0.6, 0.99, 0.55, 0.8])
    labels = assay.Labels(graph, (np.column_stack([confidence, 1 - confidence]),))
    found = least_sure(labels, 0.4)
    assert found.rows.tolist() == [1, 3]
    assert found.expected_errors == pytest.approx((1 - confidence).sum())
    assert found.expected_errors_asked == pytest.approx(0.85)
    assert least_sure(labels, 1.0).rows.tolist() == [0, 1, 2, 3, 4]
    for share in (0, 1.5, -1):
        with pytest.raises(ProjectError, match="share of items to ask about must be"):
            least_sure(labels, share)


def test_of_equally_sure_items_chance_decides():
    graph = assay.TaskGraph.flat("mail", ["Ham", "Spam"])
    labels = assay.Labels(graph, (np.full((1000, 2), 0.5),))
    one, again, other = (least_sure(labels, 0.1, seed=seed).rows for seed in (0, 0, 1))
    assert one.tolist() == again.tolist() != other.tolist()
    assert one.mean() == pytest.approx(500, abs=100)


def test_items_with_hand_labels_are_chosen_as_if_these_were_unknown():
    """Else hand labels could tell nothing about the votes of prompts: nobody would ask prompts about those items."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1000)
    right = np.where(np.arange(1000) < 700, 0.97, 0.5)[:, None]
    votes = np.where(rng.random((1000, 4)) < right, truth[:, None], 1 - truth[:, None])
    known = rng.permutation(1000)[:100]
    gold = np.full(1000, -1)
    gold[known] = truth[known]
    labels = assay.LabelModel(cardinality=2).fit(votes, gold, progress=False).label(votes, progress=False)
    found = least_sure(labels, 0.2)
    assert np.isin(known, found.rows).mean() == pytest.approx(0.2, abs=0.08)
    assert found.confidence[known].min() == 1  # no errors are expected where labels are known


def test_only_unsure_items_are_asked_about(project, server):
    found = unsure_items(project, 0.2, progress=False)
    assert len(found.rows) == 80
    assert (found.rows >= 300).mean() > 0.5  # a quarter of the items, most of those that are asked about
    assert found.expected_errors_asked > 0.5 * found.expected_errors
    assert costs_of(project, ask=found.rows).questions == 160
    votes = apply_sources(project, ask=found.rows.tolist(), progress=False).to_pandas()
    assert np.flatnonzero(votes["p"].notna()).tolist() == found.rows.tolist()
    assert votes[["a", "b", "c", "d"]].notna().all(axis=None)
    assert {int(last_text(body).split()[-1]) for body in server.bodies} == set(found.rows.tolist())
    assert sum(server.asked.values()) == 160


def test_a_project_says_where(project, server):
    path = project.folder / "assay.toml"
    path.write_text(path.read_text() + 'where = "unsure"\nshare = 0.1\n')
    made = run(Project.load(project.folder), progress=False)
    assert made.votes.to_pandas()["p"].notna().sum() == 40
    assert sum(server.asked.values()) == 80


def test_the_command_tells_what_can_be_gained(project, server):
    def said(*words):
        result = CliRunner().invoke(app, ["apply", str(project.folder), *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    assert "asking about 40 of 400 items" in said("--where", "unsure", "--share", "0.1", "--dry-run")
    told = json.loads(said("--where", "unsure", "--share", "0.1", "--dry-run", "--json"))
    assert (told["items_asked"], told["questions"]) == (40, 80)
    assert not server.asked
    assert json.loads(said("--where", "unsure", "--json"))["items_asked"] == 80
    with pytest.raises(assay.AssayError, match="--where must be 'all' or 'unsure'"):
        said("--where", "sure")
    with pytest.raises(assay.AssayError, match="give --where unsure too"):
        said("--share", "0.1")


def test_it_takes_both_kinds_of_sources(project):
    whole = project.sources_file.read_text()
    start = whole.index('[[source]]\nname = "p"')
    project.sources_file.write_text(whole[:start])
    with pytest.raises(ProjectError, match="has no prompts"):
        unsure_items(project, 0.2)
    project.sources_file.write_text(whole[start:])
    with pytest.raises(ProjectError, match="has no other sources"):
        unsure_items(project, 0.2)


def test_settings_about_prompts_are_left_out_where_there_are_none(project):
    path = project.folder / "assay.toml"
    path.write_text(
        path.read_text() + '[model]\ndependencies = [["p", "q"], ["a", "b"]]\nbeliefs = { p = 0.8, a = 0.9 }\n'
    )
    assert len(unsure_items(Project.load(project.folder), 0.2, progress=False).rows) == 80
