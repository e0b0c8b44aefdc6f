"""The noise-aware loss against its definition, its gradient, and ordinary cross-entropy."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

import assay
from assay.endmodel.heads import Heads
from assay.endmodel.loss import noise_aware_loss
from tests.support.heads import case
from tests.support.strategies import full_vectors, task_graphs


def loss_of_truth(heads, scores, vector):
    """The ordinary loss of one item whose true labels are known: mean cross-entropy over tasks, none where masked."""
    total = 0.0
    for task, head in zip(heads.tasks, heads.slices, strict=True):
        label = vector[task.name]
        if label is None and not heads.has_na[task.name]:
            continue
        number = len(task.labels) if label is None else task.labels.index(label)
        total += float(functional.cross_entropy(scores[head][None], torch.tensor([number])))
    return total / len(heads.tasks)


@given(task_graphs(max_tasks=3), st.sampled_from(["masked", "outcome"]), st.integers(0, 99))
def test_it_is_the_expectation_of_the_ordinary_loss(tasks, mode, seed):
    heads, labels, scores = case(tasks, mode, 3, seed)
    expected = 0.0
    for item in range(3):
        chances = [np.prod(chance) for chance in product(*(joint[item] for joint in labels.joint))]
        for chance, vector in zip(chances, full_vectors(tasks), strict=True):
            expected += chance * loss_of_truth(heads, scores[item], vector) / 3
    targets = torch.from_numpy(heads.targets(labels)).double()
    assert float(noise_aware_loss(scores, targets, heads.slices)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("mode", ["masked", "outcome"])
def test_gradient(entities, mode):
    heads, labels, scores = case(entities, mode, 4, 1)
    targets = torch.from_numpy(heads.targets(labels)).double()
    assert torch.autograd.gradcheck(
        lambda s: noise_aware_loss(s, targets, heads.slices), scores.requires_grad_(), eps=1e-6, atol=1e-7
    )


def test_with_one_hot_labels_it_is_cross_entropy():
    tasks = assay.TaskGraph([assay.Task("one", ["a", "b", "c"]), assay.Task("two", ["d", "e"])])
    heads = Heads(tasks)
    scores = torch.randn(7, 5, generator=torch.Generator().manual_seed(0))
    one, two = torch.arange(7) % 3, torch.arange(7) % 2
    targets = torch.cat([torch.eye(3)[one], torch.eye(2)[two]], dim=1)
    expected = (functional.cross_entropy(scores[:, :3], one) + functional.cross_entropy(scores[:, 3:], two)) / 2
    torch.testing.assert_close(noise_aware_loss(scores, targets, heads.slices), expected)
