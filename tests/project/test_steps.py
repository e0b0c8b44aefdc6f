"""What to do next follows from where a project stands."""

import json
from pathlib import Path

import pytest

from assay.project import Answers, Project, Queued, Workbench, declare_source, next_steps, run
from assay.project.steps import ENOUGH_LABELS

ENTRY = {"name": "new", "keywords": ["court"], "label": "Lawyer", "on": "text"}


def titles(folder, most=3):
    return [step.title for step in next_steps(Workbench(folder).contents(), most)]


def label(folder, rows, answer):
    project = Project.load(folder)
    for row in rows:
        Answers.of(project, "bob").record(Queued(row, None, None), row, answer)


def test_without_sources_the_first_one_comes_first(unrun):
    toml = unrun / "assay.toml"
    toml.write_text(toml.read_text().replace("[sources]", "[sources]\n#"))
    text = "\n".join(line for line in toml.read_text().splitlines() if "modules" not in line)
    toml.write_text(text)
    steps = next_steps(Workbench(unrun).contents())
    assert [step.place for step in steps] == ["new source", "data"]


def test_with_sources_comes_a_run_and_after_it_labels(unrun):
    assert titles(unrun)[0] == "Run the project"
    run(Project.load(unrun), progress=False)
    after = titles(unrun)
    assert "Run the project" not in after
    assert "Label some items by hand" in after


def test_a_new_source_asks_for_a_run_and_the_run_settles_it(own):
    assert "Run again" not in titles(own, 9)
    declare_source(Project.load(own), ENTRY)
    first = next_steps(Workbench(own).contents())[0]
    assert first.title == "Run again"
    assert "new is new" in first.why
    run(Project.load(own), progress=False)
    assert "Run again" not in titles(own, 9)


def test_a_source_that_was_edited_asks_for_a_run_too(own):
    file = own / "sources.toml"
    file.write_text(file.read_text().replace('"surgery"', '"surgeon"'))
    first = next_steps(Workbench(own).contents())[0]
    assert first.title == "Run again"
    assert "surgeons is edited" in first.why


def test_many_new_labels_ask_for_a_run(own):
    known = Workbench(own).contents().hand_rows
    free = [row for row in range(300) if row not in known]
    label(own, free[:9], {"entity": "Person"})
    assert "Run again" not in titles(own, 9)
    label(own, free[9:10], {"entity": "Person"})
    assert titles(own)[0] == "Run again"


def test_a_source_that_is_mostly_wrong_is_pointed_at(own):
    wrong = {"name": "backwards", "regex": "Dr\\.|Hospital|Clinic", "label": "Office", "on": "text"}
    declare_source(Project.load(own), wrong)
    run(Project.load(own), progress=False)
    steps = next_steps(Workbench(own).contents())
    found = next(step for step in steps if step.place == "source")
    assert found.query == {"name": "backwards"}


def test_sources_that_cannot_be_loaded_come_before_all_else(own):
    (own / "sources.toml").write_text("[[source]")
    first = next_steps(Workbench(own).contents())[0]
    assert first.place == "sources"
    assert "sources.toml" in first.why


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_there_are_no_more_than_asked_for_and_each_leads_somewhere_else(contents, most):
    steps = next_steps(contents, most)
    assert 1 <= len(steps) <= most
    places = [(step.place, json.dumps(dict(step.query))) for step in steps]
    assert len(set(places)) == len(places)
    assert all(step.title and step.why and step.action for step in steps)


def test_enough_labels_are_enough(own):
    known = Workbench(own).contents().hand_rows
    free = [row for row in range(300) if row not in known]
    gold = [json.loads(line) for line in Path(own / "gold.jsonl").read_text().splitlines()]
    label(own, free[:1], {"entity": gold[free[0]]["entity"]})
    assert any("by hand" in title for title in titles(own, 9))
    for row in free[1:ENOUGH_LABELS]:
        label(own, [row], {"entity": gold[row]["entity"]})
    assert not any("by hand" in title for title in titles(own, 9))
