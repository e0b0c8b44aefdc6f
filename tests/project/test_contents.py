"""What a project's folder holds: read once, and again after anything in it has changed."""

import os

import numpy as np
import pytest

from assay.errors import AssayError, ProjectError
from assay.project import Answers, Project, Queued, Workbench, run, switch_source
from assay.project.contents import contradicting


def test_nothing_is_read_twice_while_nothing_changes(own):
    bench = Workbench(own)
    assert bench.contents() is bench.contents()
    assert bench.project() is bench.project()


def touched(path):
    """Another time of change, as an editor would leave; the clock of a file system may be slower than a test."""
    stat = path.stat()
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))


def test_an_answer_changes_what_people_said_and_reads_nothing_else(own):
    bench = Workbench(own)
    before = bench.contents()
    row = next(row for row in range(300) if row not in before.hand_rows)
    Answers.of(before.project, "bob").record(Queued(row, None, None), row, {"entity": "Organization", "org": "Office"})
    after = bench.contents()
    assert len(after.hand) == len(before.hand) + 1
    assert after.is_labeled[row]
    assert not before.is_labeled[row]
    assert after.results is before.results
    assert after.sources is before.sources


def test_a_source_that_is_switched_changes_the_sources_and_reads_nothing_else(own):
    bench = Workbench(own)
    before = bench.contents()
    switch_source(before.project, "surgeons", on=False)
    after = bench.contents()
    assert "surgeons" in {source.name for source in before.sources}
    assert "surgeons" not in {source.name for source in after.sources}
    assert after.results is before.results


def test_a_run_changes_the_results(own):
    bench = Workbench(own)
    before = bench.contents()
    switch_source(before.project, "asleep", on=True)
    run(Project.load(own), progress=False)
    after = bench.contents()
    assert after.results is not before.results
    assert set(after.names) - set(before.names) == {"asleep"}
    assert len(after.runs) == len(before.runs) + 1


def test_settings_that_change_are_read_again(own):
    bench = Workbench(own)
    bench.contents()
    file = own / "assay.toml"
    file.write_text(file.read_text().replace('show = ["text"]', 'show = ["section", "text"]'))
    assert bench.contents().shown == ("section", "text")
    assert bench.contents().texts == ("section", "text")
    file.write_text("nonsense")
    with pytest.raises(ProjectError):
        bench.contents()


def test_what_is_missing_is_told_and_the_rest_is_there(unrun):
    found = Workbench(unrun).contents()
    assert (found.votes, found.model, found.labels, found.truth) == (None, None, None, None)
    assert "assay" in found.note
    assert len(found) == 60
    assert found.sources
    assert not found.results.is_voted.any()
    assert not found.is_wrong.any()


def test_sources_that_cannot_be_loaded_are_told_and_the_rest_is_there(own):
    (own / "sources.py").write_text("import nothing_like_it")
    found = Workbench(own).contents()
    assert found.sources == ()
    assert "nothing_like_it" in found.fault
    assert found.labels is not None


def test_votes_on_other_data_do_not_count(own):
    lines = (own / "texts.jsonl").read_text().splitlines(keepends=True)
    (own / "texts.jsonl").write_text("".join(lines[:-1]))
    found = Workbench(own).contents()
    assert found.labels is None
    assert found.note
    assert len(found) == 299


def test_a_folder_that_is_no_project(tmp_path):
    with pytest.raises(AssayError):
        Workbench(tmp_path).contents()


def test_items_are_known_by_their_names(contents):
    assert [contents.item(row) for row in (0, 7)] == contents.data["id"][[0, 7]].to_list()
    assert all(contents.item(row) in contents.hand.answers for row in contents.hand_rows)


def test_a_label_is_wrong_where_the_truth_rules_it_out(contents):
    """By a loop over items, each predicted without its own hand label."""
    labels, gold = contents.labels, contents.results.gold
    held_out = dict(zip(labels.gold.rows.tolist(), labels.gold.held_out[0], strict=True))
    expected = []
    for row in range(len(contents)):
        best = int(held_out.get(row, labels.joint[0][row]).argmax())
        told = int(gold.sets_of(0)[row])
        expected.append(told >= 0 and not gold.outcome_sets[0].masks[told, best])
    assert contradicting(labels, gold).tolist() == expected
    assert any(expected)


def test_without_gold_people_are_the_truth(own):
    file = own / "assay.toml"
    file.write_text(file.read_text().replace('[gold]\npath = "gold.jsonl"', ""))
    found = Workbench(own).contents()
    assert found.results.gold is None
    assert np.flatnonzero(found.truth.voted).tolist() == sorted(found.hand_rows)
    assert set(np.flatnonzero(found.is_wrong).tolist()) <= set(found.hand_rows)
