"""New rows for a saved model, labels for tools and answers from them, on a project folder."""

import json

import numpy as np
import polars as pl
import pytest

import assay
from assay.project import Project, annotate, export_labels, import_annotations, run
from assay.project.demo import write_example


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exchange") / "example"
    write_example(folder, 300, 7)
    project = Project.load(folder)
    return project, run(project, progress=False)


def test_old_rows_get_their_old_labels(example, tmp_path):
    project, made = example
    before = (project.output / "model.npz").stat().st_mtime_ns
    done = annotate(project, project.data, tmp_path / "again.parquet", progress=False)
    np.testing.assert_array_equal(done.labels.joint[0], made.labels.joint[0])
    assert (project.output / "model.npz").stat().st_mtime_ns == before


def test_a_few_new_rows_are_labeled_without_a_fit(example, tmp_path):
    project, _ = example
    rows = pl.read_ndjson(project.data)[:7].to_dicts()
    new = tmp_path / "new.jsonl"
    new.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = annotate(project, new, tmp_path / "new.csv", progress=False)
    assert len(pl.read_csv(done.path)) == 7
    assert 0 <= done.without_votes <= 7


def test_what_stands_in_the_way_is_told_before_any_work(example, tmp_path):
    project, _ = example
    with pytest.raises(assay.AssayError, match=r"\.csv"):
        annotate(project, project.data, tmp_path / "x.txt")
    with pytest.raises(assay.AssayError, match="there is no file"):
        annotate(project, tmp_path / "gone.jsonl", tmp_path / "x.csv")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    with pytest.raises(assay.AssayError, match="no rows"):
        annotate(project, empty, tmp_path / "x.csv")
    fresh = tmp_path / "fresh"
    write_example(fresh, 20, 7)
    with pytest.raises(assay.ProjectError, match="assay run"):
        annotate(Project.load(fresh), project.data)


def test_labels_go_to_a_tool_and_answers_come_back(example, tmp_path):
    project, made = example
    path = tmp_path / "records.json"
    labels, _ = export_labels(project, path, "argilla")
    assert len(labels) == 300
    records = json.loads(path.read_text())[:5]
    for record in records:
        record["responses"] = {
            task: [{"value": said["value"], "user_id": "u"}] for task, said in record["suggestions"].items()
        }
    path.write_text(json.dumps(records))
    done = import_annotations(project, path)
    assert (done.tool, done.answers) == ("argilla", 5)
    assert import_annotations(project, path).answers == 0, "what is there is not added again"
    known = assay.HandLabels.read(done.path).answers
    assert known[records[0]["metadata"]["item"]]["entity"] == made.labels.names("entity")[0]
    done.path.unlink()


@pytest.mark.parametrize(
    ("name", "form"), [("x.txt", None), ("x.json", None), ("x.csv", "argilla"), ("x.csv", "excel")]
)
def test_forms_that_do_not_exist_are_refused(example, tmp_path, name, form):
    with pytest.raises(assay.AssayError, match=r"json|as"):
        export_labels(example[0], tmp_path / name, form)
    assert not list(tmp_path.iterdir())
