"""Labels: marginals of the joint, on every task graph, in memory and on disk."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import task_graphs

import assay
from assay.labels import Labels


def any_labels(tasks, items, seed, names=None):
    rng = np.random.default_rng(seed)
    joint = tuple(rng.dirichlet(np.ones(len(part)), size=items) for part in tasks.label_space.components)
    return Labels(tasks, joint, names)


@given(task_graphs(), st.integers(0, 99))
def test_marginals_are_sums_over_outcomes(tasks, seed):
    labels = any_labels(tasks, 3, seed)
    for task in tasks:
        index = tasks.label_space.component_of(task.name)
        for position, label in enumerate((*task.labels, None)):
            expected = sum(
                chances
                for chances, outcome in zip(
                    labels.joint[index].T, tasks.label_space.components[index].outcomes, strict=True
                )
                if outcome[task.name] == label
            )
            np.testing.assert_allclose(labels[task.name][:, position], expected)
        np.testing.assert_allclose(labels[task.name].sum(axis=1), 1)


@given(task_graphs(), st.integers(0, 99))
def test_names_never_contradict_the_task_graph(tasks, seed):
    labels = any_labels(tasks, 4, seed)
    chosen = {task.name: labels.names(task.name) for task in tasks}
    for row in range(4):
        for component in tasks.label_space.components:
            assert {name: chosen[name][row] for name in component.tasks} in component.outcomes


@given(task_graphs(), st.integers(0, 99), st.booleans())
def test_parquet_gives_back_the_same_bits(tasks, seed, named):
    import tempfile
    from pathlib import Path

    labels = any_labels(tasks, 3, seed, np.array(["x", "y", "z"]) if named else None)
    with tempfile.TemporaryDirectory() as folder:
        again = Labels.from_parquet(labels.to_parquet(Path(folder) / "labels.parquet"))
    assert again.tasks == tasks
    for one, other in zip(labels.joint, again.joint, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (again.items is None) == (not named)
    if named:
        assert again.items.tolist() == ["x", "y", "z"]


@pytest.mark.parametrize("named", [False, True])
def test_a_task_may_be_called_item(tmp_path, named):
    tasks = assay.TaskGraph.flat("item", ["a", "b"])
    labels = any_labels(tasks, 2, 0, np.array([7, 9]) if named else None)
    again = Labels.from_parquet(labels.to_parquet(tmp_path / "labels.parquet"))
    assert (again.items is None) if not named else (again.items.tolist() == [7, 9])


def test_as_a_table(entities):
    joint = np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]])
    table = Labels(entities, (joint,), np.array(["first", "second"])).to_pandas()
    assert table.index.tolist() == ["first", "second"]
    assert table["entity"].tolist() == ["Organization", "Person"]
    assert table["person"].tolist() == [None, "Doctor"]
    assert table["entity=Person"].tolist() == pytest.approx([0.3, 0.8])
    assert table["person=N/A"].tolist() == pytest.approx([0.7, 0.2])
    assert "entity=N/A" not in table


def test_looks(entities):
    labels = any_labels(entities, 1200, 0)
    assert len(labels) == 1200
    assert list(labels) == ["entity", "person", "org"]
    assert repr(labels) == "Labels(1,200 items, tasks: entity, person, org)"


def test_errors(entities, tmp_path):
    labels = any_labels(entities, 2, 0)
    for ask in (labels.__getitem__, labels.names):
        with pytest.raises(assay.VoteError, match="Did you mean 'person'"):
            ask("persen")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(assay.VoteError, match="holds no labels that Assay wrote"):
        Labels.from_parquet(tmp_path / "other.parquet")
    with pytest.raises(assay.VoteError, match="there is no file"):
        Labels.from_parquet(tmp_path / "none.parquet")
    whole = pq.read_table(labels.to_parquet(tmp_path / "labels.parquet"))
    pq.write_table(whole.drop_columns(["outcome 0.1"]), tmp_path / "cut.parquet")
    with pytest.raises(assay.VoteError, match="not a sound file of labels"):
        Labels.from_parquet(tmp_path / "cut.parquet")
