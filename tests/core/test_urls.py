"""Data that is elsewhere is read as a file here would be."""

import fsspec
import polars as pl
import pytest

import assay
from assay import DataError
from assay._core.rows import as_polars, batches, row_count
from assay._core.urls import Url, place_of
from assay.project import Project, run, write_report
from assay.project.demo import write_example

FRAME = pl.DataFrame({"id": [1, 2, 3], "text": ["win a prize", "lunch, at noon?", None], "x": [0.5, None, 2.0]})


@pytest.fixture
def stored(tmp_path):
    """By ending where the frame is in memory, and on disk."""
    FRAME.write_parquet(tmp_path / "t.parquet")
    FRAME.write_csv(tmp_path / "t.csv")
    FRAME.write_ndjson(tmp_path / "t.jsonl")
    for ending in ("parquet", "csv", "jsonl"):
        with fsspec.open(f"memory://test/t.{ending}", "wb") as file:
            file.write((tmp_path / f"t.{ending}").read_bytes())
    return tmp_path


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_it_is_the_same_data(stored, ending):
    expected = as_polars(stored / f"t.{ending}")
    assert as_polars(f"memory://test/t.{ending}").equals(expected)
    assert as_polars(f"file://{stored}/t.{ending}").equals(expected)
    assert [len(batch) for batch in batches(f"memory://test/t.{ending}", 2)] == [2, 1]
    assert row_count(f"memory://test/t.{ending}") == (3 if ending == "parquet" else None)
    tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
    rule = assay.keywords(["prize"], "spam", on="text")
    assert assay.apply(rule, f"memory://test/t.{ending}", tasks) == assay.apply(rule, expected, tasks)


def test_what_is_wrong_is_told(stored):
    with pytest.raises(DataError, match=r"there is no file memory://test/other\.csv"):
        list(batches("memory://test/other.csv"))
    with pytest.raises(DataError, match=r"cannot read nowhere://x/t.csv: Protocol not known: nowhere"):
        list(batches("nowhere://x/t.csv"))
    with pytest.raises(DataError, match=r"cannot read hdfs://x/t.csv|cannot read s3://x/t.csv.*s3fs"):
        list(batches("s3://x/t.csv" if not _has("s3fs") else "hdfs://x/t.csv"))
    with pytest.raises(DataError, match="expected a file that ends in"):
        list(batches("memory://test/t.xlsx"))


def _has(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None


def test_urls_know_what_paths_know():
    assert isinstance(place_of("gs://bucket/a.csv"), Url)
    assert Url("gs://bucket/a.csv").suffix == ".csv"
    assert place_of("C:/a.csv") == place_of(place_of("C:/a.csv"))


def test_a_project_whose_data_is_elsewhere(tmp_path):
    write_example(tmp_path / "p", 150, 7)
    expected = run(Project.load(tmp_path / "p"), progress=False)
    text = (tmp_path / "p" / "assay.toml").read_text()
    with fsspec.open("memory://there/texts.jsonl", "wb") as file:
        file.write((tmp_path / "p" / "texts.jsonl").read_bytes())
    (tmp_path / "p" / "assay.toml").write_text(text.replace('"texts.jsonl"', '"memory://there/texts.jsonl"'))
    project = Project.load(tmp_path / "p")
    found = run(project, progress=False)
    assert found.votes == expected.votes
    assert write_report(project).is_file()
    with fsspec.open("memory://there/texts.jsonl", "wb") as file:
        file.write(b'{"id": 1, "text": "other"}\n')
    with pytest.raises(assay.ProjectError, match=r"memory://there/texts\.jsonl has changed since"):
        write_report(project)
