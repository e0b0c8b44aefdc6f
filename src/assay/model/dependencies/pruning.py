"""Pruning dependencies that a better model no longer needs.

Early in the search the model is biased by missing dependencies, and a pair may be added that later proves to be
independent given the truth. In the model that includes it, two sources of a clique are independent given the others
and the truth if their joint votes factor. The residual of that is tested on the clique's table.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.counts import Clique
from assay.model.dependencies.problem import Pair
from assay.model.estimate.residuals import compatible_values
from assay.model.parameters import TINY, Parameters

FloatArray = npt.NDArray[np.float64]

_TAIL = 1 / 3


def conditional_dependence(parameters: Parameters, pair: Pair, items: float) -> float:
    """The z-score of the dependence of two sources of a clique, given the others of it and the truth.

    The lowest over the cliques that contain both.
    """
    one, other = pair
    layout = parameters.layout
    first = layout.value_offsets
    size = [int(first[s + 1] - first[s]) for s in pair]
    agreement = np.zeros((size[0] + 1, size[1] + 1))
    agreement[:-1, :-1] = compatible_values(layout)[first[one] : first[one + 1], first[other] : first[other + 1]]
    overlap = np.zeros_like(agreement)
    overlap[:-1, :-1] = 1.0
    found = []
    for clique, table in zip(layout.cliques, parameters.joint, strict=True):
        if one in clique.sources and other in clique.sources:
            joint = _arranged(clique, table * parameters.balance, pair)
            of_overlap, of_agreement = (_z_score(joint, event, items) for event in (overlap, agreement))
            found.append(float(np.hypot(max(of_overlap, 0.0), of_agreement)))
    return min(found)


def _arranged(clique: Clique, weighted: FloatArray, pair: Pair) -> FloatArray:
    """(values + 1 of one source, values + 1 of the other, votes of the rest and outcome)."""
    whole = weighted.reshape(*clique.shape, weighted.shape[1])
    axes = [clique.sources.index(source) for source in pair]
    moved = np.moveaxis(whole, axes, (0, 1))
    return moved.reshape(*moved.shape[:2], -1)


def _z_score(joint: FloatArray, event: FloatArray, items: float) -> float:
    """The standardised residual of an event of two votes, relative to their independence."""
    mass = np.maximum(joint.sum(axis=(0, 1)), TINY)
    rows, columns = joint.sum(axis=1) / mass, joint.sum(axis=0) / mass
    by_row, by_column = event @ columns, event.T @ rows
    centred = event[:, :, None] - by_row[:, None, :] - by_column[None] + (by_row * rows).sum(axis=0)
    residual = items * float((joint * centred).sum())
    variance = items * float((mass * rows[:, None] * columns[None] * centred**2).sum())
    return residual / float(np.sqrt(variance + _TAIL * abs(residual) + 1.0))
