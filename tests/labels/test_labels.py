"""Labels: marginals of the joint, on every task graph, in memory and on disk."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.labels import Labels
from tests.support.checked import any_checked_labels, predictions, with_gold
from tests.support.strategies import task_graphs


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
def test_parquet_gives_back_the_same_labels(tasks, seed, named):
    import tempfile
    from pathlib import Path

    labels = any_labels(tasks, 3, seed, np.array(["x", "y", "z"]) if named else None)
    with tempfile.TemporaryDirectory() as folder:
        again = Labels.from_parquet(labels.to_parquet(Path(folder) / "labels.parquet"))
    assert again.tasks == tasks
    for one, other in zip(labels.joint, again.joint, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-7, atol=6e-8)
        np.testing.assert_allclose(other.sum(axis=1), 1, rtol=0, atol=1e-15)
        np.testing.assert_array_equal(one.argmax(axis=1), other.argmax(axis=1))
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
    with pytest.raises(assay.VoteError, match="is not a labels file written by Assay"):
        Labels.from_parquet(tmp_path / "other.parquet")
    with pytest.raises(assay.VoteError, match="there is no file"):
        Labels.from_parquet(tmp_path / "none.parquet")
    whole = pq.read_table(labels.to_parquet(tmp_path / "labels.parquet"))
    pq.write_table(whole.drop_columns(["outcome 0.1"]), tmp_path / "cut.parquet")
    with pytest.raises(assay.VoteError, match="is not a valid labels file"):
        Labels.from_parquet(tmp_path / "cut.parquet")


class TestWhatToTrainOn:
    @given(task_graphs(), st.integers(0, 99))
    def test_filters_remember_the_rows_that_they_kept(self, tasks, seed):
        labels = any_labels(tasks, 30, seed, np.arange(30))
        twice = labels.where(np.arange(30) % 3 > 0).confident(0.4)
        assert twice.kept.shape == (30,)
        for whole, part in zip(labels.joint, twice.joint, strict=True):
            np.testing.assert_array_equal(whole[twice.kept], part)
            assert (part.max(axis=1) >= 0.4).all()
        assert twice.items.tolist() == np.flatnonzero(twice.kept).tolist()
        joined = Labels.concat([labels, twice])
        assert joined.kept.sum() == len(joined)

    @pytest.mark.parametrize("to", ["median", "min"])
    @given(seed=st.integers(0, 99))
    def test_rebalancing_cuts_frequent_classes_only(self, entities, to, seed):
        labels = any_labels(entities, 100, seed)
        counts = np.bincount(labels.joint[0].argmax(axis=1), minlength=4)
        most = int(np.median(counts) if to == "median" else counts.min())
        balanced = labels.rebalance(to, seed=seed)
        found = np.bincount(balanced.joint[0].argmax(axis=1), minlength=4)
        assert found.tolist() == np.minimum(counts, most).tolist()
        assert balanced.kept.tolist() == labels.rebalance(to, seed=seed).kept.tolist()

    def test_rebalancing_by_task(self, entities, pair):
        labels = any_labels(entities, 100, 0)
        counts = np.unique(labels["person"].argmax(axis=1), return_counts=True)[1]
        balanced = labels.rebalance("min", "person")
        assert len(balanced) == counts.min() * 3  # Doctor, Lawyer, N/A
        assert labels.rebalance(None) is labels
        with pytest.raises(assay.AssayError, match="name a task"):
            any_labels(pair, 5, 0).rebalance("min")
        with pytest.raises(assay.AssayError, match="'median', 'min' or None"):
            labels.rebalance("max")

    def test_items_without_votes(self, letters):
        votes = assay.Votes.from_columns(letters, {"a": ["A", None, "B", None], "b": [None, None, "B", "C"]})
        labels = any_labels(letters, 4, 0)
        assert labels.voted(votes).kept.tolist() == [True, False, True, True]
        some = labels.where(np.array([True, True, False, True])).voted(votes)
        assert some.kept.tolist() == [True, False, False, True]
        with pytest.raises(assay.AssayError, match="on 4 items, but got votes on 2"):
            labels.voted(votes.take([0, 1]))

    def test_items_with_gold_stay_without_votes_but_speak_for_no_others(self):
        votes = assay.Votes.from_matrix([[0, 1], [-1, -1], [-1, -1], [1, -1]])
        labels = with_gold(votes.tasks, np.full((4, 2), 0.5), np.array([0, 1, 0, 1]), [1, 3])
        found = labels.voted(votes)
        assert found.kept.tolist() == [True, True, False, True]
        assert found.gold.rows.tolist() == [2]
        assert labels.where(np.array([True, True, True, False])).voted(votes).gold is None

    @given(st.integers(0, 99), st.floats(0.05, 20))
    def test_temperature(self, letters, seed, temperature):
        labels = any_labels(letters, 5, seed)
        joint, tempered = labels.joint[0], labels.tempered(temperature).joint[0]
        np.testing.assert_allclose(tempered.sum(axis=1), 1)
        for a, b in ((0, 1), (1, 2)):  # odds to the power of 1 / temperature
            with np.errstate(divide="ignore"):
                odds = np.log(tempered[:, a]) - np.log(tempered[:, b])
            sound = (tempered[:, a] > 1e-12) & (tempered[:, b] > 1e-12)
            np.testing.assert_allclose(odds[sound], np.log(joint[:, a] / joint[:, b])[sound] / temperature, rtol=1e-6)
        assert (tempered.argmax(axis=1) == joint.argmax(axis=1)).all()

    def test_hard_labels(self, entities):
        labels = any_labels(entities, 9, 0)
        hard = labels.hard()
        assert set(hard.joint[0].ravel()) == {0, 1}
        assert hard.names("person").tolist() == labels.names("person").tolist()

    def test_bad_input(self, letters):
        labels = any_labels(letters, 3, 0)
        for ask in (
            lambda: labels.where([True]),
            lambda: labels.where([0, 1, 2]),
            lambda: labels.confident(2),
            lambda: labels.tempered(0),
        ):
            with pytest.raises(assay.AssayError):
                ask()
        with pytest.raises(assay.VoteError, match="Did you mean 'letter'"):
            labels.confident(0.5, "leter")


class TestGoldGoesAlong:
    @given(task_graphs(), st.integers(0, 99))
    def test_selections_and_parts_keep_each_item_with_its_gold(self, tasks, seed):
        labels = any_checked_labels(tasks, 20, seed, np.arange(20))
        mask = np.random.default_rng(seed).random(20) < 0.6
        chosen = labels.where(mask)
        joined = Labels.concat([labels, chosen])
        for found in (chosen, joined):
            if found.gold is None:
                continue
            items = found.items[found.gold.rows]
            place = np.searchsorted(labels.items[labels.gold.rows], items)
            for name in ("allowed", "held_out"):
                for part, whole in zip(getattr(found.gold, name), getattr(labels.gold, name), strict=True):
                    np.testing.assert_array_equal(part, whole[place])
            np.testing.assert_array_equal(found.gold.weights, labels.gold.weights[place])
        assert len(chosen.gold or ()) == (0 if labels.gold is None else mask[labels.gold.rows].sum())
        assert len(joined.gold or ()) == len(labels.gold or ()) + len(chosen.gold or ())

    @given(task_graphs(), st.integers(0, 99))
    def test_what_is_done_to_labels_is_done_to_what_gold_checks(self, tasks, seed):
        labels = any_checked_labels(tasks, 10, seed)
        if labels.gold is None:
            return
        without = Labels(tasks, labels.gold.held_out)
        for change in (lambda these: these.tempered(2.0), Labels.hard):
            for found, expected in zip(change(labels).gold.held_out, change(without).joint, strict=True):
                np.testing.assert_array_equal(found, expected)
        for joint, allowed in zip(labels.tempered(3).joint, labels.gold.allowed, strict=True):
            assert (joint[labels.gold.rows][~allowed] == 0).all()

    def test_gold_that_made_an_item_confident_does_not_speak_for_the_others(self, letters):
        joint = np.full((4, 3), [0.9, 0.05, 0.05])
        joint[2:] = [0.4, 0.3, 0.3]
        labels = with_gold(letters, joint, np.zeros(4, dtype=int), [0, 3])
        found = labels.confident(0.8)
        assert found.kept.tolist() == [True, True, False, True]
        assert found.gold.rows.tolist() == [0]
        assert labels.where([False, True, True, False]).gold is None

    def test_rebalanced_labels_still_tell_their_shares(self, letters):
        """Items with gold are dropped by their true class, the others by the one they seem to have."""
        rng = np.random.default_rng(0)
        truth = rng.choice(3, 20_000, p=[0.7, 0.2, 0.1])
        joint = predictions(rng, truth, [0.7, 0.2, 0.1], signal=1.2)
        labels = with_gold(letters, joint, truth, np.arange(0, 20_000, 10))
        balanced = labels.rebalance("min")
        true = np.bincount(truth[balanced.kept], minlength=3) / len(balanced)
        table = balanced.balance()
        assert ((table["low"] <= true) & (true <= table["high"])).all()
        np.testing.assert_allclose(table["share"], true, atol=0.1)
