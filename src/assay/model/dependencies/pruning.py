"""Dependencies that a better model no longer needs.

Early in the search the model is bent by dependencies that it does not know yet, and a pair may be added that
later proves to be connected by the truth alone. In the model that has it, two sources of a clique are independent given
the others and the truth if their joint votes factor. What is left of that is tested on the clique's table.
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


def needed(parameters: Parameters, pair: Pair, items: float) -> float:
    """By how many standard deviations two sources of a clique have more in common than the others of it explain.

    The least over the cliques that both are in.
    """
    one, other = pair
    layout = parameters.layout
    first = layout.value_offsets
    size = [int(first[s + 1] - first[s]) for s in pair]
    agree = np.zeros((size[0] + 1, size[1] + 1))
    agree[:-1, :-1] = compatible_values(layout)[first[one] : first[one + 1], first[other] : first[other + 1]]
    meet = np.zeros_like(agree)
    meet[:-1, :-1] = 1.0
    found = []
    for clique, table in zip(layout.cliques, parameters.joint, strict=True):
        if one in clique.sources and other in clique.sources:
            joint = _arranged(clique, table * parameters.balance, pair)
            meeting, agreeing = (_left(joint, event, items) for event in (meet, agree))
            found.append(float(np.hypot(max(meeting, 0.0), agreeing)))
    return min(found)


def _arranged(clique: Clique, weighted: FloatArray, pair: Pair) -> FloatArray:
    """(values + 1 of one source, values + 1 of the other, what the rest says and the outcome)."""
    whole = weighted.reshape(*clique.shape, weighted.shape[1])
    axes = [clique.sources.index(source) for source in pair]
    moved = np.moveaxis(whole, axes, (0, 1))
    return moved.reshape(*moved.shape[:2], -1)


def _left(joint: FloatArray, event: FloatArray, items: float) -> float:
    """What is left of an event of two votes after what each does by itself, in standard deviations."""
    mass = np.maximum(joint.sum(axis=(0, 1)), TINY)
    rows, columns = joint.sum(axis=1) / mass, joint.sum(axis=0) / mass
    by_row, by_column = event @ columns, event.T @ rows
    centred = event[:, :, None] - by_row[:, None, :] - by_column[None] + (by_row * rows).sum(axis=0)
    left = items * float((joint * centred).sum())
    variance = items * float((mass * rows[:, None] * columns[None] * centred**2).sum())
    return left / float(np.sqrt(variance + _TAIL * abs(left) + 1.0))
