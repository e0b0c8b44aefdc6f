"""Files that do not belong together are refused, with what to run."""

import os

import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project, apply_sources, compare, compare_methods, confident_labels, queue, run, write_report
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
    import shutil

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
