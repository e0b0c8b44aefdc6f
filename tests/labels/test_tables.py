"""Labels in files of any ending: what is read again is what was written."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay

TASKS = assay.TaskGraph(
    [assay.Task("kind", ["Person", "Place"]), assay.Task("who", ["Ann", "Bob"], parent=("kind", "Person"))]
)


def labels(items=None):
    return assay.Labels(TASKS, (np.random.default_rng(0).dirichlet([1, 1, 1], 5),), items)


@pytest.mark.parametrize("items", [None, np.array(["a", "b", "c,d", 'e"', "f"]), np.arange(5) * 10])
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_every_ending_holds_the_same_table(tmp_path, items, ending):
    given = labels(items)
    path = given.to_file(tmp_path / f"labels{ending}")
    read = {".csv": pl.read_csv, ".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}[ending](path)
    table = given.to_pandas()
    if ending == ".parquet":  # which keeps seven digits, and leaves out what can be derived
        table = table[["kind", "who", "confidence"]]
    for name in table.columns:
        ours, theirs = table[name].tolist(), read[name].to_list()
        if table[name].dtype == float:
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        else:
            assert [None if pd.isna(cell) else cell for cell in ours] == theirs
    if items is not None:
        assert read["item"].to_list() == items.tolist()


def test_parquet_is_read_back_and_csv_is_text(tmp_path):
    given = labels()
    again = assay.Labels.from_parquet(given.to_file(tmp_path / "x.parquet"))
    np.testing.assert_allclose(again.joint[0], given.joint[0], atol=1e-7)
    pd.testing.assert_frame_equal(again.to_pandas(), given.to_pandas(), rtol=1e-6)
    assert given.to_file(tmp_path / "x.csv").read_text().startswith("kind,")


def test_a_binary_task_shows_two_columns():
    """Only a task that may not apply has N/A among its columns, and a scikit-learn classifier never has it."""
    matrix = np.random.default_rng(0).integers(-1, 2, (60, 4))
    model = assay.LabelModel(allow_unidentifiable=True).fit(matrix)
    assert model.predict_proba(matrix).shape == (60, 2)
    assert [name for name in model.label(matrix).to_pandas() if "=" in name] == ["label=0", "label=1"]
    assert [name for name in labels().to_pandas() if name.startswith("who=")] == ["who=Ann", "who=Bob", "who=N/A"]


def test_lists_of_labels(tmp_path):
    tasks = assay.TaskGraph([assay.Task("topics", ["art", "news"], multiple=True)])
    given = assay.Labels(tasks, (np.array([[0.2, 0.8], [0.9, 0.1]]), np.array([[0.1, 0.9], [0.9, 0.1]])))
    assert pl.read_csv(given.to_file(tmp_path / "x.csv"))["topics"].to_list() == ["art;news", None]
    rows = [json.loads(line) for line in given.to_file(tmp_path / "x.jsonl").read_text().splitlines()]
    assert [row["topics"] for row in rows] == [["art", "news"], []]


@pytest.mark.parametrize("name", ["x.xlsx", "x", "x.CSVS"])
def test_other_endings_are_refused_before_anything_is_written(tmp_path, name):
    with pytest.raises(assay.AssayError, match=r"\.csv, \.jsonl or \.parquet"):
        labels().to_file(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_hugging_face_dataset_has_the_same_columns():
    pytest.importorskip("datasets")
    named = labels(np.array(list("abcde")))
    found = named.to_huggingface()
    assert found["who"][:] == named.to_pandas()["who"].tolist()
    assert found["item"][:] == list("abcde")
