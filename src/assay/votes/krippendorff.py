r"""Krippendorff's α: how far sources agree on the items they share, beyond what chance would give.

With :math:`n_{uc}` votes for label c on item u, :math:`m_u` of all, and items with one vote left out,

.. math:: \alpha = 1 - \frac{D_o}{D_e}, \quad
    D_o = \frac1n \sum_u \frac{m_u^2 - \sum_c n_{uc}^2}{m_u - 1}, \quad
    D_e = \frac{n^2 - \sum_c n_c^2}{n (n - 1)}

for labels without an order (Krippendorff, *Content Analysis*, 2004). One means that all agree, zero that they agree as
chance would have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import ndtri

from assay.votes.levels import bare

if TYPE_CHECKING:
    from assay.votes.votes import Votes

FloatArray = npt.NDArray[np.float64]

_Z = float(ndtri(0.975))


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α with its 95% interval, and how many items tell it."""

    alpha: float
    low: float
    high: float
    items: int
    """Items with two votes or more."""

    def __str__(self) -> str:
        return f"{self.alpha:.2f} [{self.low:.2f}, {self.high:.2f}]"


def krippendorff_alpha(votes: Votes) -> Alpha | None:
    """Krippendorff's α of votes, whose values are taken as labels without an order.

    The interval is by the jackknife over items. None if nothing tells it: no item has two votes, or all votes say the
    same.

    >>> from assay import Votes
    >>> krippendorff_alpha(Votes.from_matrix([[0, 0, 0], [1, 1, 1], [0, 1, 1]]))
    Alpha(alpha=0.6, low=..., high=1.0, items=3)
    """
    counts = _counts(votes)
    each = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    counts, each = counts[each > 1], each[each > 1]
    squares = np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel()
    conflicts = (each**2 - squares) / np.maximum(each - 1, 1)
    of_label = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    total, apart = each.sum(), np.square(of_label).sum()
    if not len(each) or total**2 - apart < 1:
        return None
    alpha = float(_alpha(conflicts.sum(), total, apart))
    without = apart - 2 * np.asarray(counts @ of_label).ravel() + squares
    left_out = _alpha(conflicts.sum() - conflicts, total - each, without)
    error = float(np.sqrt((len(each) - 1) / len(each) * np.sum((left_out - left_out.mean()) ** 2)))
    return Alpha(alpha, max(alpha - _Z * error, -1.0), min(alpha + _Z * error, 1.0), len(each))


def _alpha(conflicts: FloatArray, total: FloatArray, apart: FloatArray) -> FloatArray:
    """One where nothing can differ: an item without which all votes say the same."""
    expected = total**2 - apart
    return np.where(expected > 0, 1 - (total - 1) * conflicts / np.maximum(expected, 1), 1.0)


def _counts(votes: Votes) -> sparse.csr_array:
    """(items, distinct values): how many sources say each."""
    flat = [bare(vote) for table in votes.values for vote in table]
    number = {vote: at for at, vote in enumerate(dict.fromkeys(flat))}
    cast = votes.cast
    values = np.array([number[vote] for vote in flat], dtype=np.int64)[
        votes.schema.offsets[cast.sources].astype(np.int64) + cast.codes
    ]
    shape = (len(votes), max(len(number), 1))
    return sparse.csr_array((np.ones(len(values)), (cast.row, values)), shape=shape)
