"""Compiled steps are the steps of PyTorch."""

import numpy as np
import pytest
import torch

from assay.endmodel.features import Features
from assay.endmodel.network import Network
from assay.endmodel.stepper import LinearStepper, TorchStepper


def test_compiled_steps_are_the_steps_of_torch(matrix):
    reader = Features().learn(matrix)
    inputs = reader.read(matrix)
    targets = np.random.default_rng(0).dirichlet(np.ones(3), size=40).astype(np.float32)
    targets = np.concatenate([targets, targets[:, :2]], axis=1)
    heads = [slice(0, 3), slice(3, 5)]
    networks = [Network(reader, (), 5, 0.0) for _ in range(2)]
    compiled = LinearStepper(networks[0].only_layer, inputs, targets, heads, 0.0)
    torch_made = TorchStepper(networks[1], inputs, targets, heads, 0.0)
    rng = np.random.default_rng(1)
    for step in range(8):
        rows = rng.choice(40, 16, replace=False)
        assert compiled.step(rows, 0.05, step) == pytest.approx(torch_made.step(rows, 0.05, step), rel=1e-4)
    for one, other in zip(networks[0].parameters(), networks[1].parameters(), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
