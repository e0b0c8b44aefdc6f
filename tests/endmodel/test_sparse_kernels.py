"""The compiled loss is that of PyTorch; the other loops are in test_sparse_layer.py."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from assay.endmodel.loss import noise_aware_loss
from assay.endmodel.sparse_kernels import expected_loss
from tests.support.heads import case
from tests.support.strategies import task_graphs


@given(task_graphs(), st.sampled_from(["masked", "outcome"]), st.integers(0, 99))
def test_the_compiled_loss_is_the_same(tasks, mode, seed):
    heads, labels, scores = case(tasks, mode, 5, seed)
    targets = heads.targets(labels)
    rows = np.array([4, 0, 2])
    single = scores[rows].float().requires_grad_()
    loss = noise_aware_loss(single, torch.from_numpy(targets[rows]), heads.slices)
    loss.backward()
    upstream = np.empty((3, heads.width), dtype=np.float32)
    ends = np.array([head.stop for head in heads.slices])
    found = expected_loss(single.detach().numpy(), targets, rows, ends, upstream)
    assert found == pytest.approx(loss.item(), rel=1e-5, abs=1e-6)
    np.testing.assert_allclose(upstream, single.grad, atol=1e-6)
