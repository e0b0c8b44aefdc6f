"""The noise-aware loss: what a loss would be on average if the truth were drawn from the labels.

For each item the paper minimises E[ℓ(w, x, Y)] under Y ~ P(Y | votes). With ℓ the mean
over tasks of the cross-entropy of each head, which is linear in the indicators of
the labels, the expectation is the cross-entropy against the marginals of the tasks.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def log_probabilities(scores: Tensor, heads: Sequence[slice]) -> Tensor:
    """(items, width): per head the logs of its probabilities, from scores."""
    return torch.cat([scores[:, head].log_softmax(dim=1) for head in heads], dim=1)


def noise_aware_loss(scores: Tensor, targets: Tensor, heads: Sequence[slice]) -> Tensor:
    """The expected cross-entropy, averaged over tasks and items.

    Parameters
    ----------
    scores
        (items, width): of every label of every head.
    targets
        (items, width): the probability of every label. Where those of a head sum to less
        than one, its task applies with this probability only, and counts as much.
    heads
        Per task its columns.

    >>> scores = torch.tensor([[2.0, 0.0]])
    >>> soft = noise_aware_loss(scores, torch.tensor([[0.7, 0.3]]), [slice(0, 2)])
    >>> each = [noise_aware_loss(scores, torch.eye(2)[[label]], [slice(0, 2)]) for label in (0, 1)]
    >>> bool(torch.isclose(soft, 0.7 * each[0] + 0.3 * each[1]))
    True
    """
    return -(targets * log_probabilities(scores, heads)).sum() / (len(scores) * len(heads))
