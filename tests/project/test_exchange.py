"""New rows for a saved model, labels for tools and answers from them, on a project folder."""

import json

import numpy as np
import polars as pl
import pytest

import assay
from assay._core.rows import as_polars
from assay.project import Project, annotate, export_labels, import_annotations, new_project, run
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


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_rows_are_exported_with_their_labels(example, tmp_path, name):
    project, made = example
    export_labels(project, tmp_path / name, with_data=True)
    found, data = as_polars(tmp_path / name), as_polars(project.data)
    assert found.columns[: data.width] == data.columns
    assert found["id"].to_list() == made.labels.items.tolist() == data["id"].to_list()
    assert found["text"].to_list() == data["text"].to_list()
    assert found["person"].to_list() == [label or None for label in made.labels.names("person").tolist()]
    assert found["has_votes"].dtype == pl.Boolean


def test_a_column_of_the_data_is_not_taken_for_a_label(tmp_path):
    rows = [f"{row},{'spam' if row % 2 else 'ham'}" for row in range(30)]
    (tmp_path / "sms.csv").write_text("n,kind\n" + "".join(f"{row}\n" for row in rows))
    new_project(tmp_path / "p", tmp_path / "sms.csv", gold="kind")
    source = '[[source]]\nname = "s{0}"\nthreshold = "n"\nat_least = {0}\nlabel = "spam"\notherwise = "ham"\n'
    (tmp_path / "p" / "sources.toml").write_text("".join(source.format(at) for at in (5, 15, 25)))
    project = Project.load(tmp_path / "p")
    made = run(project, progress=False)
    export_labels(project, tmp_path / "rows.csv", with_data=True)
    found = as_polars(tmp_path / "rows.csv")
    assert [f"{n},{kind}" for n, kind in found.select("n", "kind").rows()] == rows
    assert found["kind_"].to_list() == made.labels.names("kind").tolist()
    (tmp_path / "sms.csv").write_text("n,kind\n1,ham\n")
    with pytest.raises(assay.ProjectError, match="has changed since the sources were applied"):
        export_labels(project, tmp_path / "rows.csv", with_data=True)


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.txt", None), ("x.json", None), ("x.csv", "argilla"), ("x.csv", "excel"), ("x.csv", "jsonl")],
)
def test_forms_that_do_not_exist_are_refused(example, tmp_path, name, form):
    with pytest.raises(assay.AssayError, match=r"json|as"):
        export_labels(example[0], tmp_path / name, form)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def tickets(tmp_path):
    """A project with two levels of labels and named items, that never ran."""
    (tmp_path / "tickets.csv").write_text("Ticket,Message\n" + "".join(f"T{n},the text {n}\n" for n in range(30)))
    new_project(tmp_path / "p", tmp_path / "tickets.csv", ["Delivery,Praise", "Delivery=Late,Lost"])
    return Project.load(tmp_path / "p")


def colleague(tmp_path, *rows):
    path = tmp_path / "colleague.csv"
    path.write_text("Ticket,Kind,Subkind\n" + "".join(f"{row}\n" for row in rows))
    return path


def test_a_plain_table_of_labels_is_imported(tickets, tmp_path):
    done = import_annotations(tickets, colleague(tmp_path, "T1,Delivery,Late", "T2,praise,", "T3,,"))
    assert (done.tool, done.answers, done.columns.item) == ("table", 2, "Ticket")
    answers = {one.item: one.answer for one in assay.HandLabels.read(done.path).said}
    assert answers == {"T1": {"label": "Delivery", "delivery": "Late"}, "T2": {"label": "Praise"}}


def test_items_that_are_not_in_the_data_are_refused_or_left_out(tickets, tmp_path):
    path = colleague(tmp_path, "T1,Delivery,Late", "X1,Praise,", "X2,Praise,")
    with pytest.raises(assay.DataError, match=r"'X1', 'X2'; items are called 'T0'.*X1 \(line 3\), X2 \(line 4\)"):
        import_annotations(tickets, path)
    assert not tickets.hand_labels[0].exists()
    done = import_annotations(tickets, path, skip_unknown=True)
    assert (done.answers, done.unknown) == (1, ("X1 (line 3)", "X2 (line 4)"))


def test_labels_that_contradict_the_tasks_do_not_get_in(tickets, tmp_path):
    with pytest.raises(assay.DataError, match=r"colleague\.csv, line 3: item 'T2'"):
        import_annotations(tickets, colleague(tmp_path, "T1,Delivery,Late", "T2,Praise,Late"))
    assert not tickets.hand_labels[0].exists()


def test_items_that_are_numbers_in_the_table_alone_are_found(tmp_path):
    (tmp_path / "rows.csv").write_text("id,text\n" + "".join(f"{n},the text {n}\n" for n in [*range(9), "x"]))
    new_project(tmp_path / "p", tmp_path / "rows.csv", ["a,b"])
    (tmp_path / "said.csv").write_text("id,kind\n3,a\n")
    done = import_annotations(Project.load(tmp_path / "p"), tmp_path / "said.csv")
    assert assay.HandLabels.read(done.path).answers == {"3": {"label": "a"}}


def test_a_new_value_need_not_stop_all_rows(tmp_path):
    """Neither one that a mapping lacks, nor one that is a label which its source never said before."""
    rows = "".join(f"{n},{'spam' if n % 2 else 'ham'}\n" for n in range(30))
    (tmp_path / "sms.csv").write_text("n,kind\n" + rows)
    new_project(tmp_path / "p", tmp_path / "sms.csv", ["spam,ham,other"])
    source = '[[source]]\nname = "s{0}"\nthreshold = "n"\nat_least = {0}\nlabel = "spam"\notherwise = "ham"\n'
    column = '[[source]]\nname = "kind"\ncolumn = "kind"\nmapping = {spam = "spam", ham = "ham"}\n'
    (tmp_path / "p" / "sources.toml").write_text("".join(source.format(at) for at in (5, 15, 25)) + column)
    project = Project.load(tmp_path / "p")
    run(project, progress=False)
    new = tmp_path / "new.csv"
    new.write_text("n,kind\n1,ham\n2,what\n3,OTHER\n")
    with pytest.raises(assay.SourceError, match=r'holds \'what\'.*false to abstain(.|\n)*"what" = false  # 1 row$'):
        annotate(project, new, tmp_path / "x.csv", progress=False)
    done = annotate(project.with_settings(on_error="abstain"), new, tmp_path / "x.csv", progress=False)
    assert len(done.labels) == 3
    assert [(fault.source, fault.count, fault.row) for fault in done.votes.faults] == [("kind", 1, 1), ("kind", 1, 2)]
    new.write_text("n,kind\n1,ham\n3,OTHER\n")
    with pytest.raises(assay.ProjectError, match=r"row 1: source 'kind': it says 'other', .* --on-error abstain"):
        annotate(project, new, tmp_path / "x.csv", progress=False)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_goes_out_to_spreadsheets_is_as_it_came_in(tmp_path, mark):
    """With the columns of the data, a byte order mark if that has one, and probabilities that people can read."""
    rows = "".join(f"T{n},Grüße {n},{n / 7}\n" for n in range(30))
    (tmp_path / "in.csv").write_text(f"{mark}Ticket,Text,n\n{rows}", encoding="utf-8")
    new_project(tmp_path / "p", tmp_path / "in.csv", ["spam,ham"])
    source = '[[source]]\nname = "s{0}"\nthreshold = "n"\nat_least = {0}\nlabel = "spam"\notherwise = "ham"\n'
    (tmp_path / "p" / "sources.toml").write_text("".join(source.format(at) for at in (1, 2, 3)))
    project = Project.load(tmp_path / "p")
    run(project, progress=False)
    export_labels(project, tmp_path / "plain.csv")
    export_labels(project, tmp_path / "both.csv", with_data=True)
    annotate(project, tmp_path / "in.csv", tmp_path / "new.csv", with_data=True, progress=False)
    for name in ("plain.csv", "both.csv", "new.csv"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.startswith("\ufeff") == bool(mark)
        header, *lines = text.removeprefix("\ufeff").splitlines()
        first = "item,label,label=spam" if name == "plain.csv" else "Ticket,Text,n,label,label=spam"
        assert header.startswith(first)
        shares = [line.split(",")[header.split(",").index("label=spam")] for line in lines]
        assert all(float(share) == round(float(share), 6) for share in shares)
        assert name == "plain.csv" or all(f"{line}," in text for line in rows.splitlines()), "data is not rounded"
    assert (tmp_path / "both.csv").read_text() == (tmp_path / "new.csv").read_text()
