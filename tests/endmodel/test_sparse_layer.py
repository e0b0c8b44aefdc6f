"""The layer over sparse features: the same as a dense one, and the same on every path and with any threads."""

import numpy as np
import pytest
import torch

from assay.endmodel import sparse_layer
from assay.endmodel.features import Features
from assay.endmodel.inputs import SparseInputs
from assay.endmodel.sparse_layer import RowAdam, SparseLinear, SparseRows

CPU = torch.device("cpu")


def inputs_of(matrix):
    return SparseInputs(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


def layer_of(outputs, seed=0):
    layer = SparseLinear(30, outputs)
    with torch.no_grad():
        layer.weight.copy_(torch.randn(30, outputs, generator=torch.Generator().manual_seed(seed)))
    return layer


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("outputs", [3, 200])
def test_forward_and_gradient_are_those_of_the_dense_layer(matrix, outputs, threads, monkeypatch):
    monkeypatch.setenv("ASSAY_THREADS", threads)
    layer = layer_of(outputs)
    rows = np.array([5, 0, 39, 5])
    dense = torch.from_numpy(matrix.toarray()[rows])
    weight = layer.weight.detach().clone().requires_grad_()
    found = layer(inputs_of(matrix).batch(rows, CPU))
    torch.testing.assert_close(found, dense @ weight)
    upstream = torch.randn(found.shape, generator=torch.Generator().manual_seed(1))
    found.backward(upstream)
    (dense @ weight).backward(upstream)
    torch.testing.assert_close(layer.weight.grad.to_dense(), weight.grad)
    untouched = np.setdiff1d(np.arange(30), np.unique(matrix[rows].indices))
    assert set(layer.weight.grad._indices()[0].tolist()).isdisjoint(untouched)


def test_without_compiled_loops_it_is_the_same(matrix, monkeypatch):
    """What runs on a GPU, run here."""
    rows = np.arange(20)
    batch = inputs_of(matrix).batch(rows, CPU)
    columns, values, offsets = batch.tensors()
    layer = layer_of(6)
    other = torch.nn.functional.embedding_bag(
        columns, layer.weight, offsets, mode="sum", per_sample_weights=values, sparse=True
    )
    torch.testing.assert_close(layer(batch), other)
    results = []
    for move in (sparse_layer._move_compiled, sparse_layer._move):
        monkeypatch.setattr(sparse_layer, "_move_compiled", move)
        layer = layer_of(6)
        optimizer = RowAdam([layer.weight], lr=0.1, l2=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            layer(batch).square().sum().backward()
            optimizer.step()
        results.append(layer.weight.detach().clone())
    torch.testing.assert_close(*results)


def test_where_all_features_are_touched_it_is_adam(matrix):
    full = matrix.toarray() + 0.5
    inputs = Features().learn(full)
    from scipy.sparse import csr_matrix

    layer = layer_of(4)
    dense = layer.weight.detach().clone().requires_grad_()
    ours, theirs = RowAdam([layer.weight], lr=0.05, l2=0.01), torch.optim.Adam([dense], lr=0.05, weight_decay=0.01)
    rows = np.arange(40)
    batch = inputs_of(csr_matrix(full)).batch(rows, CPU)
    for _ in range(4):
        for optimizer, product in ((ours, layer(batch)), (theirs, torch.from_numpy(full) @ dense)):
            optimizer.zero_grad()
            product.square().mean().backward()
            optimizer.step()
    torch.testing.assert_close(layer.weight.detach(), dense.detach())
    assert inputs.width == 30


def test_rows_of_a_batch_are_a_view(matrix):
    inputs = inputs_of(matrix)
    batch = inputs.batch(np.array([1, 2]), CPU)
    assert isinstance(batch, SparseRows)
    assert batch.values is inputs.values
    assert len(batch) == 2
