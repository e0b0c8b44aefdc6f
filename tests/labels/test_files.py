"""Labels in files: gold comes back with them, in one part or many."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import AssayError
from assay.labels import Labels, Refined, files, write_labels
from tests.support.checked import any_checked_labels, same_gold
from tests.support.sameness import as_stored, same_labels
from tests.support.strategies import task_graphs


@given(task_graphs(), st.integers(0, 99))
def test_gold_comes_back_bit_by_bit(tmp_path_factory, tasks, seed):
    path = tmp_path_factory.mktemp("labels") / "labels.parquet"
    labels = any_checked_labels(tasks, 9, seed)
    same_gold(Labels.from_parquet(labels.to_parquet(path)).gold, labels.gold)


@given(task_graphs(), st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(0, 99))
def test_parts_written_one_by_one_are_the_whole(tmp_path_factory, tasks, sizes, seed):
    path = tmp_path_factory.mktemp("labels") / "labels.parquet"
    parts = [any_checked_labels(tasks, size, seed + at) for at, size in enumerate(sizes)]
    whole = Labels.concat(parts)
    again = Labels.from_parquet(write_labels(iter(parts), path))
    same_gold(again.gold, whole.gold)
    for one, other in zip(again.joint, as_stored(whole).joint, strict=True):
        np.testing.assert_array_equal(one, other)


@given(task_graphs(), st.integers(0, 99))
def test_many_items_are_written_in_blocks(tmp_path_factory, tasks, seed):
    path = tmp_path_factory.mktemp("labels") / "labels.parquet"
    labels = replace(
        any_checked_labels(tasks, 40, seed),
        has_votes=np.arange(40) % 3 > 0,
        refined=Refined((np.arange(40) % 5).astype(np.uint8), (1.0,), {"text": (0.5,)}),
    )
    whole = as_stored(labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.labels.labels.at_once", lambda _: 7)
        again = Labels.from_parquet(labels.to_parquet(path))
    assert pq.read_metadata(path).num_row_groups == 6
    assert same_labels(again, whole)
    np.testing.assert_array_equal(again.refined.kinds, labels.refined.kinds)
    same_gold(again.gold, labels.gold)


def test_the_most_probable_outcome_stays_so_and_nothing_becomes_impossible(letters):
    close = 1e-12
    rows = np.array([[1 / 3 - close, 1 / 3, 1 / 3 + close], [0, 1e-60, 1 - 1e-60], [0.5 - close, 0, 0.5 + close]])
    two = assay.TaskGraph.flat("mail", ["ham", "spam"])
    pairs = np.array([[0.5 - close, 0.5 + close], [1e-12, 1 - 1e-12], [1 - 1e-60, 1e-60], [0, 1], [0.5, 0.5]])
    for tasks, joint in ((letters, rows), (two, pairs)):
        found = as_stored(Labels(tasks, (joint,))).joint[0]
        np.testing.assert_array_equal(found.argmax(axis=1), joint.argmax(axis=1))
        np.testing.assert_array_equal((found == 0).any(axis=1), (joint == 0).any(axis=1))
        np.testing.assert_allclose(found, joint, atol=1e-7)


def test_files_of_earlier_versions_are_read_to_the_last_bit(tmp_path, entities):
    """Spelled out, so that it stays readable whatever the library writes today."""
    joint = np.random.default_rng(0).dirichlet(np.ones(4), 5)
    columns = {"entity": pa.array(["Person"] * 5), "entity=Person": joint[:, 0] + joint[:, 1]}
    columns |= {f"outcome 0.{at}": joint[:, at] for at in range(4)}
    for version in (1, 2):
        said = {"version": version, "tasks": entities.to_dict(), "items": None}
        table = pa.table(columns).replace_schema_metadata({b"assay.labels": json.dumps(said).encode()})
        pq.write_table(table, tmp_path / "labels.parquet")
        found = Labels.from_parquet(tmp_path / "labels.parquet")
        np.testing.assert_array_equal(found.joint[0], joint)
        assert found.has_votes is None


def test_every_column_has_a_name_of_its_own(tmp_path):
    questions = [assay.Task("t", ["x", "y"]), assay.Task("t=x", ["a", "N/A"], parent=("t", "x"))]
    questions += [assay.Task(name, ["p", "q"]) for name in ("item", "item_", "item__", "_item_", "outcome 0.0", "t=y")]
    tasks = assay.TaskGraph(questions)
    rng = np.random.default_rng(0)
    joint = tuple(rng.dirichlet(np.ones(len(part)), 5) for part in tasks.label_space.components)
    labels = Labels(tasks, joint, items=np.arange(5) + 7)
    again = Labels.from_parquet(labels.to_parquet(tmp_path / "labels.parquet"))
    np.testing.assert_array_equal(again.items, labels.items)
    for one, other in zip(again.joint, joint, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)
    table = labels.to_pandas()
    np.testing.assert_allclose(table.filter(regex="^t=x=").sum(axis=1), 1)
    assert not table.columns.duplicated().any()


def test_much_gold_is_written_in_pieces(tmp_path, monkeypatch, letters):
    monkeypatch.setattr(files, "_PIECE", 100)
    labels = any_checked_labels(letters, 200, 0)
    path = labels.to_parquet(tmp_path / "labels.parquet")
    assert sum(key.startswith(b"assay.labels.gold") for key in pq.read_metadata(path).metadata) > 10
    same_gold(Labels.from_parquet(path).gold, labels.gold)


def test_labels_without_gold_say_nothing_of_it(tmp_path, letters):
    path = Labels(letters, (np.eye(3),)).to_parquet(tmp_path / "labels.parquet")
    assert b"assay.labels.gold.0" not in pq.read_metadata(path).metadata
    assert Labels.from_parquet(path).gold is None


def test_the_table_is_for_any_tool(tmp_path, letters):
    labels = replace(any_checked_labels(letters, 5, 0), items=np.arange(5), has_votes=np.arange(5) > 0)
    table = pq.read_table(labels.to_parquet(tmp_path / "labels.parquet"))
    names = ["item", "letter", "confidence", "has_votes", "letter=A", "letter=B", "letter=C"]
    assert table.column_names == names
    assert table.column("letter").to_pylist() == labels.names("letter").tolist()
    np.testing.assert_allclose(table.column("confidence").to_numpy(), labels.confidence, atol=1e-7)
    assert table.column("has_votes").to_pylist() == [False, True, True, True, True]


def test_of_two_outcomes_the_second_is_enough(tmp_path):
    labels = Labels(assay.TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.25, 0.75]]),))
    table = pq.read_table(labels.to_parquet(tmp_path / "labels.parquet"))
    assert table.drop_columns("mail").to_pydict() == {"confidence": [0.75], "mail=spam": [0.75]}


def test_labels_say_which_items_have_votes(tmp_path):
    votes = assay.Votes.from_matrix([[0, 0, 1], [-1, -1, -1], [1, -1, -1]] * 20)
    model = assay.LabelModel().fit(votes)
    path = model.label(votes.to_parquet(tmp_path / "votes.parquet"), out=tmp_path / "labels.parquet")
    for labels in (model.label(votes), Labels.from_parquet(path), assay.MajorityVote().fit(votes).label(votes)):
        assert labels.has_votes.tolist() == [True, False, True] * 20
        assert labels.to_pandas()["has_votes"].tolist() == [True, False, True] * 20
        assert len(labels.voted()) == 40
        assert labels.voted().has_votes.all()
    with pytest.raises(AssayError, match="do not tell which items have votes"):
        Labels(votes.tasks, (np.eye(2),)).voted()


@pytest.mark.parametrize("damage", [b"????", b"QUJD"])
def test_damaged_gold_is_refused(tmp_path, letters, damage):
    labels = any_checked_labels(letters, 5, 0)
    table = labels.to_arrow()
    with pq.ParquetWriter(tmp_path / "labels.parquet", table.schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"assay.labels.gold.0": damage.decode()})
    with pytest.raises(assay.VoteError, match="not a valid labels file"):
        Labels.from_parquet(tmp_path / "labels.parquet")


def test_gold_of_rows_that_are_not_there_is_refused(tmp_path, letters):
    labels = any_checked_labels(letters, 20, 0)
    table = labels.where(np.arange(20) < 3).to_arrow()
    with pq.ParquetWriter(tmp_path / "labels.parquet", table.schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(files._gold_to_metadata(labels.gold))
    with pytest.raises(assay.VoteError, match="from 0 to 2, but has 19"):
        Labels.from_parquet(tmp_path / "labels.parquet")
