"""Files that do not belong together are refused, with what to run."""

import json
import os
import shutil

import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import (
    Project,
    apply_sources,
    compare,
    compare_methods,
    confident_labels,
    queue,
    run,
    stored_votes,
    why_stale,
    write_report,
)
from assay.project.provenance import RECORD_FILE, records

RUN_AGAIN = r"other votes than there are now \(removed since: extra\).*assay run"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project") / "p"
    assert CliRunner().invoke(app, ["init", str(folder), "--texts", "200"]).exit_code == 0
    source = (folder / "sources.py").read_text()
    (folder / "sources.py").write_text(source + "\n\n@assay.source(task='entity')\ndef extra(row):\n    return None\n")
    project = Project.load(folder)
    run(project, progress=False)
    return project


@pytest.fixture
def mixed(made, tmp_path):
    """After apply with a source removed: votes of one source fewer than the model has learned from."""
    shutil.copytree(made.folder, tmp_path / "p")
    path = tmp_path / "p" / "sources.py"
    path.write_text(path.read_text().partition("\n\n@assay.source(task='entity')\ndef extra")[0] + "\n")
    project = Project.load(tmp_path / "p")
    apply_sources(project, progress=False)
    return project


def test_a_run_names_what_it_was_made_from(made):
    found = records(made.output)
    assert set(found) == {"votes", "model", "labels"}
    assert found["votes"]["data"]["digest"]
    assert set(found["votes"]["sources"]) == {source.name for source in made.sources()}
    assert all(found["votes"]["sources"].values())
    assert found["model"]["votes"] == found["labels"]["votes"] == found["votes"]["file"]
    assert found["labels"]["model"] == found["model"]["file"]
    assert found["model"]["settings"]["dependencies"] == [["tagger", "tagger2"]]


@pytest.mark.parametrize(
    "step",
    [
        compare_methods,
        write_report,
        lambda project: queue(project, 3),
        lambda project: confident_labels(project, 0.9),
        lambda project: compare(project.folder, project.folder),
    ],
    ids=["evaluate", "report", "label", "confident", "compare"],
)
def test_a_mixture_is_refused(mixed, step):
    with pytest.raises(assay.ProjectError, match=RUN_AGAIN):
        step(mixed)


def test_what_is_advised_helps(mixed):
    run(mixed, progress=False)
    assert write_report(mixed).is_file()


def test_a_file_that_is_not_what_was_recorded_is_refused(mixed):
    run(mixed, progress=False)
    labels = assay.Labels.from_parquet(mixed.output / "labels.parquet")
    labels.where([True] * 100 + [False] * 100).to_parquet(mixed.output / "labels.parquet")
    with pytest.raises(assay.ProjectError, match="not what was last finished"):
        compare_methods(mixed)


def test_data_is_compared_by_what_it_holds(mixed):
    run(mixed, progress=False)
    os.utime(mixed.data)
    assert write_report(mixed).is_file()
    with mixed.data.open("a") as file:
        file.write('{"id": -1, "text": "one more"}\n')
    with pytest.raises(assay.ProjectError, match=r"has changed since the sources were applied; run 'assay apply"):
        write_report(mixed)


def test_projects_of_earlier_versions_have_no_record(mixed):
    run(mixed, progress=False)
    (mixed.output / RECORD_FILE).unlink()
    assert write_report(mixed).is_file()


def with_sources(made, home, change):
    """A copy of the project whose sources were changed after they voted."""
    folder = shutil.copytree(made.folder, home / "p")
    change(folder)
    return Project.load(folder)


def rewritten(folder, before, after):
    path = folder / "sources.py"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


DECLARED = '[[source]]\nname = "declared"\nkeywords = ["ward"]\nlabel = "Hospital"\non = "text"\n'
CHANGES = {
    "a module": (lambda folder: rewritten(folder, "    return None\n", "    return 'Person'\n"), "extra is edited"),
    "renamed": (lambda folder: rewritten(folder, "def extra(", "def other("), "other is new, and extra is gone"),
    "declared": (lambda folder: (folder / "sources.toml").write_text(DECLARED), "declared is new"),
    "broken": (lambda folder: rewritten(folder, "def extra(", "def extra(("), "cannot be told"),
}


@pytest.mark.parametrize(("change", "says"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("command", ["check", "summary"])
def test_votes_from_before_an_edit_are_told_of_and_shown(made, tmp_path, command, change, says):
    project = with_sources(made, tmp_path, change)
    shown = CliRunner().invoke(app, [command, str(project.folder)])
    assert says in shown.stderr.replace("\n", " ")
    assert shown.exit_code == 0
    assert CliRunner().invoke(app, [command, str(made.folder)]).stdout == shown.stdout


def test_votes_of_sources_that_are_all_gone_are_told_of(made, tmp_path):
    def without_modules(folder):
        toml = folder / "assay.toml"
        toml.write_text(toml.read_text().replace('modules = ["sources.py"]', ""))

    project = with_sources(made, tmp_path, without_modules)
    assert "are gone" in why_stale(project, stored_votes(project))


def test_stale_votes_are_told_of_in_json_until_they_are_applied_again(made, tmp_path):
    project = with_sources(made, tmp_path, CHANGES["a module"][0])

    def said():
        return json.loads(CliRunner().invoke(app, ["check", str(project.folder), "--json"]).stdout)["stale"]

    assert f"run 'assay apply {project.folder}'" in said()
    apply_sources(project, progress=False)
    assert said() is None


def test_comments_and_formatting_are_no_edit(made, tmp_path):
    project = with_sources(made, tmp_path, lambda folder: rewritten(folder, "def extra(", "# why\ndef extra("))
    assert why_stale(project, stored_votes(project)) is None


@pytest.mark.parametrize(
    "said",
    ["7", "[]", '{"votes": 7}', '{"votes": {}}', '{"votes": {"file": 7}}', '{"votes": {"file": "0", "sources": [1]}}'],
)
def test_a_record_that_is_none_is_refused_with_what_to_do(made, tmp_path, said):
    project = with_sources(made, tmp_path, lambda folder: (folder / "out" / RECORD_FILE).write_text(said))
    with pytest.raises(assay.ProjectError, match=r"made_from\.json is not a valid record .* remove it"):
        stored_votes(project)
