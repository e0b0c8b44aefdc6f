"""Laws of labels any subset of which may apply, from votes to labels."""

import numpy as np
import pytest

import assay
from assay import LabelModel, Task, TaskGraph, Votes, at_most

LABELS = ["a", "b", "c"]


def drawn(items=1_500, sources=7, seed=0, tasks=None):
    rng = np.random.default_rng(seed)
    truth = rng.random((items, 3)) < [0.3, 0.1, 0.2]
    columns = {}
    for at in range(sources):
        hit = np.where(truth, rng.random(truth.shape) < 0.6, rng.random(truth.shape) < 0.05)
        if at % 2:
            columns[f"s{at}"] = [
                None if rng.random() < 0.3 else dict(zip(LABELS, row.tolist(), strict=True)) for row in hit
            ]
        else:
            columns[f"s{at}"] = [[label for label, yes in zip(LABELS, row, strict=True) if yes] or None for row in hit]
    tasks = tasks or TaskGraph([Task("topics", LABELS, multiple=True)])
    return Votes.from_columns(tasks, columns), truth


def chances(model, votes):
    return model.label(votes, progress=False)["topics"]


VOTES, TRUTH = drawn()
MODEL = LabelModel().fit(VOTES)


def test_better_than_a_majority_vote():
    vote = np.column_stack([part[:, 1] for part in assay.majority_vote(VOTES)])
    by_model, by_vote = (((found > 0.5) == TRUTH).mean() for found in (chances(MODEL, VOTES), vote))
    assert by_model >= by_vote > 0.9


def test_each_label_is_learned_as_if_it_were_the_only_one():
    """A label's own votes on a task of its own give the same probabilities."""
    whole = chances(LabelModel(dependencies=()).fit(VOTES), VOTES)
    for at, label in enumerate(LABELS):
        alone = TaskGraph([Task("topics", [label], multiple=True)])
        columns = {
            name: [None if said is None else {label: said == label} for said in column]
            for name, column in VOTES.of_component(at).to_pandas().items()
        }
        votes = Votes.from_columns(alone, columns)
        assert np.allclose(chances(LabelModel(dependencies=()).fit(votes), votes)[:, 0], whole[:, at])


def test_order_of_labels_and_items_does_not_matter():
    turned = TaskGraph([Task("topics", LABELS[::-1], multiple=True)])
    other, _ = drawn(tasks=turned)
    assert np.allclose(chances(LabelModel().fit(other), other)[:, ::-1], chances(MODEL, VOTES))
    order = np.random.default_rng(1).permutation(len(VOTES))
    moved = VOTES.take(order)
    assert np.allclose(chances(LabelModel().fit(moved), moved), chances(MODEL, VOTES)[order], atol=1e-6)


def test_pieces_counts_and_files_do_not_show(tmp_path):
    path = VOTES.to_parquet(tmp_path / "votes.parquet")
    parts = [VOTES.take(slice(0, 700)), VOTES.take(slice(700, None))]
    counted = assay.count(parts[0]) + assay.count(parts[1])
    stored = assay.Tally.load(counted.save(tmp_path / "counts.npz"))
    twice = LabelModel().partial_fit(parts[0]).partial_fit(parts[1])
    for model in (LabelModel().fit(path), LabelModel().fit(parts), LabelModel().fit(stored), twice):
        assert np.array_equal(chances(model, VOTES), chances(MODEL, VOTES))
    again = LabelModel.load(MODEL.save(tmp_path / "model.npz"))
    out = again.label(path, out=tmp_path / "labels.parquet", progress=False)
    np.testing.assert_allclose(assay.Labels.from_parquet(out)["topics"], chances(MODEL, VOTES), atol=1e-7)


def test_explanations_add_up_to_the_posterior():
    row = int(np.flatnonzero(VOTES.voted)[3])
    total = MODEL.explain(VOTES, row).table.loc["total"]
    found = chances(MODEL, VOTES)[row]
    wanted = np.log(found) - np.log1p(-found)
    assert np.allclose([total[label] - total[f"not {label}"] for label in LABELS], wanted)


def test_gold_is_learned_and_checked():
    gold = [[label for label, there in zip(LABELS, row, strict=True) if there] for row in TRUTH]
    some = [one if at < 100 else None for at, one in enumerate(gold)]
    model = LabelModel().fit(VOTES, some)
    labels = model.label(VOTES)
    assert [set(one) for one in labels.names("topics")[:100]] == [set(one) for one in gold[:100]]
    found = assay.evaluate(labels)
    assert found.cross_fitted == 100
    assert found.subsets.loc["topics", "micro_f1"] > 0.8


@pytest.mark.parametrize("said", [{"b": 0.02}, {"topics": {"b": 0.02}}])
def test_known_shares_by_label(said):
    model = LabelModel(class_balance=said, balance_strength="exact").fit(VOTES)
    assert chances(model, VOTES)[:, 1].mean() < 0.6 * chances(MODEL, VOTES)[:, 1].mean()
    assert np.allclose(chances(model, VOTES)[:, 0], chances(MODEL, VOTES)[:, 0])


def test_linked_labels_never_contradict_the_logic_and_are_learned_label_by_label():
    linked = TaskGraph([Task("topics", LABELS, multiple=True)], constraints=[at_most(2, "topics")])
    said = VOTES.to_pandas().map(lambda one: [] if one is None else [name for name in one if name in LABELS])
    few = VOTES.take(np.flatnonzero((said.map(len) <= 2).all(axis=1)))
    votes = Votes.from_columns(
        linked,
        {
            name: [
                None if one is None else {said.removeprefix("not "): not said.startswith("not ") for said in one}
                for one in column
            ]
            for name, column in few.to_pandas().items()
        },
    )
    model = LabelModel().fit(votes)
    labels = model.label(votes)
    assert labels.joint[0].shape == (len(votes), 7)
    assert max(map(len, labels.names("topics"))) <= 2
    parts = model.fitted_.unlinked_posteriors(votes)
    product = np.stack([part[:, 1] for part in parts], axis=1)
    flags = np.array(
        [[outcome[f"topics: {label}"] == label for label in LABELS] for outcome in linked.label_space.outcomes]
    )
    weights = np.prod(np.where(flags[None], product[:, None], 1 - product[:, None]), axis=2)
    assert np.allclose(labels.joint[0], weights / weights.sum(axis=1, keepdims=True), atol=1e-9)
    assert np.allclose(np.asarray(model.predict_proba(votes)), labels.joint[0])


def test_an_end_model_has_a_head_for_each_label():
    pytest.importorskip("torch")
    labels = MODEL.label(VOTES)
    data = TRUTH.astype(np.float32) + np.random.default_rng(0).normal(0, 0.1, TRUTH.shape).astype(np.float32)
    end = assay.EndModel(labels.tasks, encoder=assay.Features(), seed=0).fit(data, labels)
    found = end.label(data)["topics"]
    assert ((found > 0.5) == TRUTH).mean() > 0.95
