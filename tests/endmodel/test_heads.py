"""The joint composed from heads: a distribution over outcomes, whatever the heads say and whatever the logic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.endmodel.heads import Heads
from tests.support.strategies import task_graphs

MODES = st.sampled_from(["masked", "outcome"])


def random_logs(heads, items, seed, scale=3.0):
    """(items, width): log-probabilities of every head."""
    scores = scale * np.random.default_rng(seed).normal(size=(items, heads.width))
    parts = [scores[:, head] - np.logaddexp.reduce(scores[:, head], axis=1)[:, None] for head in heads.slices]
    return np.concatenate(parts, axis=1)


def brute_force(heads, logs):
    """P(outcome) of one item, walked down task by task."""
    chances = []
    for component in heads.tasks.label_space.components:
        own = []
        for outcome in component.outcomes:
            chance, left = 1.0, list(component.outcomes)
            for task in heads.tasks.parents_first(component.tasks):
                options = list(dict.fromkeys(other[task] for other in left))
                if len(options) > 1:
                    column = {label: at for at, label in enumerate((*heads.tasks[task].labels, None))}
                    head = np.exp(logs[heads.slices[heads.tasks.names.index(task)]])
                    chance *= head[column[outcome[task]]] / sum(head[column[label]] for label in options)
                left = [other for other in left if other[task] == outcome[task]]
            own.append(chance)
        chances.append(own)
    return chances


@given(task_graphs(), MODES, st.integers(0, 99))
def test_the_joint_is_the_walk_down_the_tree(tasks, mode, seed):
    heads = Heads(tasks, mode)
    logs = random_logs(heads, 2, seed)
    for item in range(2):
        for found, expected in zip(heads.log_joint(logs), brute_force(heads, logs[item]), strict=True):
            np.testing.assert_allclose(np.exp(found[item]), expected, atol=1e-12)
            assert np.exp(found[item]).sum() == pytest.approx(1)


@given(task_graphs(), MODES, st.integers(0, 99))
def test_no_labels_contradict_the_task_graph(tasks, mode, seed):
    heads = Heads(tasks, mode)
    labels = heads.labels(random_logs(heads, 5, seed, scale=30.0))
    chosen = {task.name: labels.names(task.name) for task in tasks}
    for row in range(5):
        for component in tasks.label_space.components:
            assert {name: chosen[name][row] for name in component.tasks} in component.outcomes
    for joint in labels.joint:
        np.testing.assert_allclose(joint.sum(axis=1), 1)
        assert np.isfinite(joint).all()


@given(task_graphs(), st.integers(0, 99))
def test_heads_that_know_the_truth_give_it_back(tasks, seed):
    """With the conditionals of a joint as heads' answers, the joint comes out: where N/A is masked, in a tree."""
    tree = assay.TaskGraph(
        [
            assay.Task("top", ["a", "b"]),
            assay.Task("left", ["c", "d"], parent=("top", "a")),
            assay.Task("right", ["e", "f", "g"], parent=("top", "b")),
        ]
    )
    heads = Heads(tree)
    joint = np.random.default_rng(seed).dirichlet(np.ones(5), size=3)
    targets = heads.targets(assay.Labels(tree, (joint,))).astype(float)
    shares = [targets[:, head] / targets[:, head].sum(axis=1, keepdims=True) for head in heads.slices]
    np.testing.assert_allclose(np.exp(heads.log_joint(np.log(np.concatenate(shares, axis=1)))[0]), joint, rtol=1e-5)


def test_targets_are_marginals(entities):
    joint = np.array([[0.1, 0.2, 0.3, 0.4]])
    labels = assay.Labels(entities, (joint,))
    np.testing.assert_allclose(Heads(entities).targets(labels), [[0.3, 0.7, 0.1, 0.2, 0.3, 0.4]])
    with_na = Heads(entities, "outcome").targets(labels)
    np.testing.assert_allclose(with_na, [[0.3, 0.7, 0.1, 0.2, 0.7, 0.3, 0.4, 0.3]])


def test_na_that_no_other_task_settles_stays_a_label():
    tasks = assay.TaskGraph(
        [assay.Task("kind", ["a", "b"]), assay.Task("extra", ["c", "d"])],
        feasible=[{"kind": "a", "extra": "c"}, {"kind": "a", "extra": None}, {"kind": "b", "extra": "d"}],
    )
    assert Heads(tasks, "masked").has_na == {"kind": False, "extra": True}


def test_an_unknown_mode(entities):
    with pytest.raises(assay.AssayError, match="'masked' or 'outcome'"):
        Heads(entities, "ignored")
