"""The example project is written once, and nothing that a user edited is lost."""

import pytest

from assay import ProjectError
from assay.project import Project
from assay.project.demo import write_example


def test_it_is_a_project_that_loads(tmp_path):
    written = write_example(tmp_path / "p", 30, 7)
    assert sorted(written) == sorted(path.name for path in (tmp_path / "p").iterdir())
    project = Project.load(tmp_path / "p")
    assert len(project.sources()) == 12
    assert len(project.gold_columns()["entity"]) == 30


def test_what_is_there_is_not_overwritten(tmp_path):
    write_example(tmp_path, 30, 7)
    (tmp_path / "sources.py").write_text("# mine")
    with pytest.raises(ProjectError, match=r"already has .*sources\.py"):
        write_example(tmp_path, 30, 7)
    assert write_example(tmp_path, 20, 7, keep_edited=True) == ["sources.py"]
    assert (tmp_path / "sources.py").read_text() == "# mine"
    assert len((tmp_path / "texts.jsonl").read_text().splitlines()) == 20
