"""Labels in files: gold comes back with them, in one part or many."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.labels import Labels, files, write_labels
from tests.support.checked import any_checked_labels, same_gold
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
    for one, other in zip(again.joint, whole.joint, strict=True):
        np.testing.assert_array_equal(one, other)


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
        np.testing.assert_array_equal(one, other)
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
    labels = any_checked_labels(letters, 5, 0)
    table = pq.read_table(labels.to_parquet(tmp_path / "labels.parquet"))
    assert table.column_names == ["letter", "letter=A", "letter=B", "letter=C"]


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
