"""Gold of a project, found by the names of its items."""

import pytest

import assay
from assay.project import Project, apply_sources, new_project
from assay.project.gold_files import gold_from


def test_gold_of_items_that_are_not_there_is_told_with_its_file_and_rows(tmp_path):
    (tmp_path / "rows.csv").write_text("id,text\n" + "".join(f"T{n},the text {n}\n" for n in range(9)))
    new_project(tmp_path / "p", tmp_path / "rows.csv", ["a,b"])
    (tmp_path / "p" / "sources.toml").write_text(
        '[[source]]\nname = "s"\nkeywords = ["text"]\nlabel = "a"\non = "text"\n'
    )
    project = Project.load(tmp_path / "p")
    votes = apply_sources(project, progress=False)
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\nT3,a\nX1,b\nT1,b\n")
    with pytest.raises(assay.ProjectError, match=r"gold\.csv is about items that are not there: 'X1'.*: row 2, from 1"):
        gold_from(project, gold, votes)
    gold.write_text("id,label\nT3,a\nT1,b\n")
    assert gold_from(project, gold, votes).to_pandas().iloc[:, 0].tolist()[:4] == [None, "b", None, "a"]
