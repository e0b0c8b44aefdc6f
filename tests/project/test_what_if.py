"""What a source would do is what it does, once it is written and run."""

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.project import (
    Project,
    SourceFile,
    Workbench,
    declare_source,
    left_out,
    made_source,
    preview_source,
    run,
    source_lines,
)
from assay.project.runs import chosen_labels

ENTRY = {"name": "new one", "keywords": ["verdict", "lawsuit", "court"], "label": "Lawyer", "on": "text"}


def differ(one, other):
    return np.any([chosen_labels(one, task) != chosen_labels(other, task) for task in one.tasks], axis=0)


def test_a_preview_is_what_a_run_with_it_gives(own):
    bench = Workbench(own)
    before = bench.contents()
    found = preview_source(before, made_source(before.project, ENTRY))
    assert found.note == ""
    assert not any(name == "new one" for name in before.names)

    declare_source(before.project, ENTRY)
    run(Project.load(own), progress=False)
    after = bench.contents()
    only = after.votes.select("new one")
    assert found.hits == int(only.voted.sum()) > 0
    assert set(found.examples) <= set(np.flatnonzero(only.voted).tolist())
    assert found.values == (("Lawyer", found.hits),)
    assert found.without_others == int((only.voted & ~after.votes.drop("new one").voted).sum())
    assert found.changed.items == int(differ(before.labels, after.labels).sum())
    line = next(line for line in source_lines(after) if line.name == "new one")
    assert found.accuracy.share == pytest.approx(line.values[0].accuracy.share)
    assert (found.accuracy.low, found.accuracy.high) == pytest.approx(
        (line.values[0].accuracy.low, line.values[0].accuracy.high)
    )
    assert found.gold.share == pytest.approx(line.gold.share)
    assert found.gold.items == line.gold.items


def test_a_preview_of_what_is_there_already_changes_nothing(contents):
    """In the place of itself."""
    entry = SourceFile.read(contents.project.sources_file)["surgeons"].said
    found = preview_source(contents, made_source(contents.project, entry))
    assert found.changed.items == 0
    assert found.hits == int(contents.votes.select("surgeons").voted.sum())


def test_a_source_left_out_is_a_run_without_it(own):
    bench = Workbench(own)
    before = bench.contents()
    found = left_out(before, "surgeons")
    SourceFile.read(before.project.sources_file).remove("surgeons").save()
    run(Project.load(own), progress=False)
    after = bench.contents()
    assert "surgeons" not in after.names
    assert found.changed.items == int(differ(before.labels, after.labels).sum())
    # By gold, each item predicted without its own hand label.
    assert found.right.share == pytest.approx(1 - before.results.contradicts_gold.mean())
    assert found.right_without.share == pytest.approx(1 - after.results.contradicts_gold.mean())


def test_nothing_is_written(own):
    files = {path: path.read_bytes() for path in own.rglob("*") if path.is_file() and "__pycache__" not in str(path)}
    contents = Workbench(own).contents()
    preview_source(contents, made_source(contents.project, ENTRY))
    left_out(contents, "ward")
    now = {path: path.read_bytes() for path in own.rglob("*") if path.is_file() and "__pycache__" not in str(path)}
    assert now == files


def test_what_votes_on_nothing_says_so(contents):
    found = preview_source(contents, made_source(contents.project, {**ENTRY, "keywords": ["no such word"]}))
    assert (found.hits, found.examples, found.changed, found.accuracy) == (0, (), None, None)
    assert found.note == "it votes on no item"


def test_without_votes_hits_are_told_alone(unrun):
    contents = Workbench(unrun).contents()
    found = preview_source(contents, made_source(contents.project, {**ENTRY, "keywords": ["the"]}))
    assert found.hits > 0
    assert (found.agrees, found.accuracy, found.changed, found.sampled) == (None, None, None, 0)
    assert found.note


def test_what_a_prompt_says_is_not_tried(contents):
    source = assay.prompt("Is {text} a person?", answers={"yes": "Person", "no": None}, model="small", name="asked")
    with pytest.raises(AssayError, match="dry-run"):
        preview_source(contents, source)


@pytest.mark.parametrize("name", ["nobody", "asleep"])
def test_what_does_not_vote_cannot_be_left_out(contents, name):
    with pytest.raises(AssayError, match=name):
        left_out(contents, name)


def test_a_column_that_is_no_text_is_told(contents):
    source = made_source(contents.project, {**ENTRY, "on": "mentions"})
    with pytest.raises(AssayError, match="mentions"):
        preview_source(contents, source)


def test_fits_are_counted_where_others_vote(contents):
    source = made_source(contents.project, ENTRY)
    found = preview_source(contents, source)
    said = assay.apply([source], contents.data, contents.project.tasks, progress=False)
    rows = np.flatnonzero(said.voted & contents.results.is_voted)
    chosen = chosen_labels(contents.labels, contents.labels.tasks["person"])[rows]
    assert found.agrees.items == len(rows)
    assert found.agrees.share == pytest.approx((chosen == 1).mean())
    assert found.agrees.low <= found.agrees.share <= found.agrees.high
