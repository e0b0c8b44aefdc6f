"""Sources as people look at them, and writing them: nothing that was there is lost."""

import numpy as np
import pytest

from assay.errors import AssayError, ProjectError
from assay.project import (
    Filter,
    Project,
    SourceFile,
    Workbench,
    declare_list,
    declare_source,
    made_source,
    mistakes_of,
    rows_found,
    run,
    source_lines,
    switch_source,
    text_of_source,
    version_of,
)

ENTRY = {"name": "new", "keywords": ["court"], "label": "Lawyer", "on": "text"}


def test_every_source_has_a_line_those_that_are_off_too(contents):
    lines = {line.name: line for line in source_lines(contents)}
    assert set(lines) == {*contents.names, "asleep"}
    assert not lines["asleep"].enabled
    assert lines["asleep"].coverage is None
    assert lines["surgeons"].where == "sources.toml, line 2"
    assert lines["surgeons"].is_declared
    assert lines["honorific"].where.startswith("sources.py, line ")
    assert {lines[name].kind for name in ("surgeons", "asleep", "honorific", "tagger")} == {
        "words", "pattern", "function", "column"
    }  # fmt: skip
    assert lines["tagger"].group == ("tagger2",)
    assert lines["tagger2"].group == ("tagger",)


def test_figures_are_those_of_the_summary_and_the_model(contents):
    summary = contents.votes.summary(contents.truth)
    for line in source_lines(contents):
        if line.coverage is None:
            continue
        row = summary.loc[line.name]
        assert (line.coverage, line.overlaps, line.conflicts) == (row["coverage"], row["overlaps"], row["conflicts"])
        assert line.votes == int((contents.votes.select(line.name).codes >= 0).sum())
        assert sum(value.votes for value in line.values) == line.votes
        if line.gold:
            assert line.gold.share == row["accuracy"]
            assert line.gold.low <= line.gold.share <= line.gold.high


def test_how_a_source_is_written(contents):
    assert text_of_source(contents, "surgeons").startswith('[[source]]\nname = "surgeons"')
    assert "# checked" in text_of_source(contents, "surgeons")
    assert "def honorific(row):" in text_of_source(contents, "honorific")
    assert 'name = "doctor_title"' in text_of_source(contents, "doctor_title")
    assert text_of_source(contents, "nobody") == ""


def test_mistakes_are_where_gold_or_sure_labels_say_otherwise(contents):
    gold = contents.truth
    for name in ("tagger2", "courtroom", "surgeons"):
        only = contents.votes.select(name)
        by_gold, by_labels = [], []
        for row in range(len(contents)):
            said = int(only.sets_of(0)[row])
            if said < 0:
                continue
            mask = only.outcome_sets[0].masks[said]
            told = int(gold.sets_of(0)[row])
            if told >= 0 and not (mask & gold.outcome_sets[0].masks[told]).any():
                by_gold.append(row)
            elif contents.labels.joint[0][row] @ mask < 0.1:
                by_labels.append(row)
        assert mistakes_of(contents, name).tolist() == [*by_gold, *by_labels]
    assert len(mistakes_of(contents, "tagger2"))
    assert mistakes_of(contents, "asleep").tolist() == []


def test_a_source_is_written_at_the_end_or_in_its_place(own):
    project = Project.load(own)
    before = project.sources_file.read_text()
    declare_source(project, ENTRY)
    assert project.sources_file.read_text().startswith(before)
    declare_source(project, {**ENTRY, "keywords": ["jury"]}, instead_of="new")
    assert SourceFile.read(project.sources_file)["new"].said["keywords"] == ["jury"]
    assert SourceFile.read(project.sources_file).names == ("surgeons", "asleep", "new")
    SourceFile.read(project.sources_file).remove("new").save()
    assert project.sources_file.read_text() == before


@pytest.mark.parametrize(
    "entry",
    [
        {**ENTRY, "name": "surgeons"},
        {**ENTRY, "name": "tagger"},
        {**ENTRY, "label": "Docter"},
        {**ENTRY, "keywords": []},
        {**ENTRY, "name": ""},
        {"name": "x", "regex": "(", "label": "Doctor", "on": "text"},
    ],
    ids=str,
)
def test_what_cannot_be_is_not_written(own, entry):
    project = Project.load(own)
    before = project.sources_file.read_bytes()
    with pytest.raises(AssayError):
        declare_source(project, entry)
    assert project.sources_file.read_bytes() == before


def test_who_edits_what_somebody_else_has_changed_is_told(own):
    project = Project.load(own)
    seen = version_of(SourceFile.read(project.sources_file), "surgeons")
    new = {**ENTRY, "name": "surgeons"}
    project.sources_file.write_text(project.sources_file.read_text().replace('regex = "court"', 'regex = "jury"'))
    declare_source(project, new, instead_of="surgeons", version=seen)  # another source is no obstacle
    written = project.sources_file.read_bytes()
    with pytest.raises(ProjectError, match="was changed"):
        declare_source(project, new, instead_of="surgeons", version=seen)
    assert project.sources_file.read_bytes() == written


def test_comments_survive_switches(own):
    project = Project.load(own)
    before = project.sources_file.read_text()
    switch_source(project, "surgeons", on=False)
    assert "# Found by reading." in project.sources_file.read_text()
    assert "# checked" in project.sources_file.read_text()
    switch_source(project, "surgeons", on=True)
    assert project.sources_file.read_text() == before
    with pytest.raises(ProjectError, match="surgeon"):
        switch_source(project, "surgeon", on=True)


def test_a_list_votes_on_its_items_and_no_others(own):
    bench = Workbench(own)
    contents = bench.contents()
    rows = rows_found(contents, Filter(only="conflict", order="unsure"))[:17]
    declare_list(contents, rows, "hard/../ones", "Organization", None)
    assert [path.name for path in (own / "lists").iterdir()] == ["hard_ones.txt"]
    run(Project.load(own), progress=False)
    voted = bench.contents().votes.select("hard/../ones").voted
    assert np.flatnonzero(voted).tolist() == sorted(rows.tolist())
    with pytest.raises(ProjectError, match="already"):
        declare_list(bench.contents(), rows, "hard ones", "Person", None)


def test_a_list_that_cannot_be_leaves_no_file(own):
    contents = Workbench(own).contents()
    rows = np.arange(3)
    with pytest.raises(AssayError):
        declare_list(contents, rows, "surgeons", "Person", None)
    with pytest.raises(AssayError):
        declare_list(contents, rows, "x", "Nobody", None)
    assert [*(own / "lists").iterdir()] == []


def test_items_without_names_make_no_list(own):
    file = own / "assay.toml"
    file.write_text(file.read_text().replace('id = "id" ', "# "))
    with pytest.raises(ProjectError, match="id ="):
        declare_list(Workbench(own).contents(), np.arange(3), "x", "Person", None)
    assert not (own / "lists").exists()


def test_the_fault_of_a_source_that_is_in_no_file_names_no_place_there(contents):
    entry = {"name": "new", "regex": "(never closed", "label": "Lawyer", "on": "text"}
    with pytest.raises(ProjectError, match=r"^regex\(\) cannot use the pattern"):
        made_source(contents.project, entry)
