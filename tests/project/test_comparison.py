"""What changed between two runs."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import AssayError, LabelModel, Labels, ProjectError, Votes, compare
from assay.project.comparison_tables import change_tables
from assay.project.stored import LABELS_FILE, MODEL_FILE, VOTES_FILE
from assay.report.terminal import show
from assay.simulate import flat_world
from tests.support.soft import probabilities, soft_votes


@dataclass
class Done:
    votes: Votes
    model: LabelModel
    labels: Labels


def done(votes):
    model = LabelModel().fit(votes)
    return Done(votes, model, model.label(votes))


@pytest.fixture(scope="module")
def votes():
    return flat_world(sources=6, coverage=0.8, seed=3).draw(800).votes


@pytest.fixture(scope="module")
def before(votes):
    return done(votes)


def printed(found, capsys):
    show(*change_tables(found))
    return capsys.readouterr().out


def test_nothing_changes_from_a_run_to_itself(before, capsys):
    found = compare(before, before)
    assert (found.added, found.removed, found.edited, found.flipped, found.examples) == ((), (), (), 0, ())
    assert (found.accuracies["moved"] == 0).all()
    assert not found.accuracies["beyond_error"].any()
    assert "no label changed" in printed(found, capsys)


def test_the_order_of_sources_and_values_does_not_matter(before, votes):
    turned = votes.select(votes.names[::-1])
    assert compare(before, Done(turned, before.model, before.labels)).edited == ()


@given(st.integers(0, 5), st.sets(st.integers(0, 799), min_size=1, max_size=30))
def test_edited_votes_are_counted(before, votes, source, rows):
    chosen = sorted(rows)
    codes = votes.codes.copy()
    codes[chosen, source] = (codes[chosen, source] + 2) % 3 - 1  # each becomes another one
    after = Votes.from_codes(votes.tasks, codes, votes.names, votes.values)
    (edited,) = compare(before, Done(after, before.model, before.labels)).edited
    assert (edited.name, edited.changed) == (str(source), len(rows))
    assert edited.before == (votes.codes[:, source] >= 0).sum()
    assert edited.after == (codes[:, source] >= 0).sum()


def test_flips_are_those_of_the_labels(before, votes):
    after = done(votes.drop("2"))
    found = compare(before, after, items=5)
    assert found.removed == ("2",)
    assert compare(after, before).added == ("2",)
    was, now = before.labels.names("label"), after.labels.names("label")
    assert found.flipped == (was != now).sum() == found.flips["items"].sum()
    for row in found.flips.to_dict("records"):
        assert row["items"] == ((was == row["before"]) & (now == row["after"])).sum()
    assert 0 < len(found.examples) <= 5
    for item in found.examples:
        assert (item.before, item.after) == (was[item.row], now[item.row])
        assert item.before_probability == before.labels["label"][item.row].max()
        assert item.after_probability == after.labels["label"][item.row].max()


def test_items_are_matched_by_name(votes):
    names = np.array([f"i{row:03}" for row in range(800)])
    named = Votes.from_codes(votes.tasks, votes.codes, votes.names, votes.values, names)
    shuffled = named.take(np.random.default_rng(1).permutation(800)[:700])
    model = LabelModel().fit(named)
    found = compare(Done(named, model, model.label(named)), Done(shuffled, model, model.label(shuffled)))
    assert (found.items, found.flipped, found.edited) == (700, 0, ())
    assert found.notes == ("100 items are in the first run only",)


def test_items_that_cannot_be_matched_are_not_compared(before, votes, capsys):
    found = compare(before, done(votes.take(slice(0, 700))))
    assert (found.items, found.flipped, found.edited) == (0, 0, ())
    assert "800 and 700 items without names" in found.notes[0]
    assert "note:" in printed(found, capsys)


def test_accuracies_that_moved_beyond_their_error_bars(before, votes):
    codes = votes.codes.copy()
    codes[:, 0] = np.where(codes[:, 0] >= 0, 1 - codes[:, 0], -1)
    found = compare(before, done(Votes.from_codes(votes.tasks, codes, votes.names, votes.values)))
    assert set(found.accuracies[found.accuracies["beyond_error"]]["source"]) == {"0"}
    assert found.accuracies["source"].tolist()[:2] == ["0", "0"]


def test_runs_are_read_from_their_folders(before, tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        before.votes.to_parquet(tmp_path / name / VOTES_FILE)
        before.labels.to_parquet(tmp_path / name / LABELS_FILE)
        before.model.save(tmp_path / name / MODEL_FILE)
    assert compare(tmp_path / "a", str(tmp_path / "b")).items == 800
    (tmp_path / "b" / MODEL_FILE).unlink()
    with pytest.raises(ProjectError, match=r"model\.npz is missing"):
        compare(tmp_path / "a", tmp_path / "b")
    with pytest.raises(AssayError, match="non-negative integer"):
        compare(before, before, items=-1)


def test_names_are_shown_as_they_are(votes, capsys):
    strange = Votes.from_codes(votes.tasks, votes.codes, ("[bold]x[/]", *votes.names[1:]), votes.values)
    found = compare(done(votes), done(strange))
    assert "[bold]x[/]" in printed(found, capsys)


def test_levels_that_are_cut_anew_are_no_edits():
    tables, _ = probabilities(900, "abcd")
    one, other = soft_votes(tables), soft_votes({name: (table + 0.5) / 2 for name, table in tables.items()})
    assert one.schema != other.schema
    assert compare(done(one), done(other)).edited == ()
