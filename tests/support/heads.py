"""Heads with labels and scores drawn at random."""

import numpy as np
import torch

import assay
from assay.endmodel.heads import Heads


def case(tasks, mode, items, seed):
    rng = np.random.default_rng(seed)
    heads = Heads(tasks, mode)
    joint = tuple(rng.dirichlet(np.ones(len(part)), size=items) for part in tasks.label_space.components)
    labels = assay.Labels(tasks, joint)
    return heads, labels, torch.from_numpy(rng.normal(size=(items, heads.width)))
