r"""The class-conditional model from pairwise covariances, across tasks and granularities.

For an indicator :math:`u` with outcome set :math:`S_u` let
:math:`P(\psi_u = 1 \mid Y = y) = \beta_u + a_u 1\{y \in S_u\}`. Then for
indicators of independent sources

.. math:: \Sigma_{uv} = a_u a_v C_{uv}, \qquad C_{uv} = P(S_u \cap S_v) - P(S_u) P(S_v),

and :math:`C` is known from the class balance. Dividing by it leaves a rank-one
completion, in which a coarse and a fine source inform each other. Unlike the
paper's binarized truth this is exact for any number of outcomes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.counts import Layout, Statistics
from assay.model.estimate.rank_one import complete
from assay.model.estimate.solver import SolverOutcome
from assay.model.parameters import Parameters, blocks, independent, normalised_tables, table_sums

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def from_covariance(
    layout: Layout, statistics: Statistics, balance: FloatArray, signs: FloatArray
) -> tuple[Parameters, SolverOutcome]:
    """Class-conditional parameters from the co-votes of single sources.

    Parameters
    ----------
    statistics
        Counts of single indicators.
    balance
        (outcomes,).
    signs
        (sources,): +1, or −1 for a source declared adversarial.
    """
    slopes, outcome = slopes_from_covariance(layout, statistics, balance, signs)
    return independent(layout, balance, expand_tied(layout, statistics, balance, slopes)), outcome


def slopes_from_covariance(
    layout: Layout, statistics: Statistics, balance: FloatArray, signs: FloatArray
) -> tuple[FloatArray, SolverOutcome]:
    """(indicators,): how much more often each value is emitted where it is true, as a difference of rates."""
    masks = layout.all_masks.astype(float)
    source_of = np.array([indicator.sources[0] for indicator in statistics.indicators])
    share = masks @ balance
    factor = (masks * balance) @ masks.T - np.outer(share, share)
    rates = statistics.rates
    variance = rates * (1 - rates)
    deviation = np.sqrt((np.outer(variance, variance) + statistics.covariance**2) / max(statistics.items, 1)) + 1e-9
    # Along a chain of dependencies sources correlate beyond the truth, neighbours or not.
    apart = ~layout.graph.in_one_component
    known = apart[np.ix_(source_of, source_of)] & (variance > 0)[:, None] & (variance > 0)[None, :]
    slopes, outcome = complete(statistics.covariance, factor, deviation, known, signs[source_of])
    return np.where(known.any(axis=1), slopes, 0.0), outcome


def expand_tied(layout: Layout, statistics: Statistics, balance: FloatArray, slopes: FloatArray) -> list[FloatArray]:
    """Per source (values + 1, outcomes): P(vote | outcome), from slopes and voting rates, made proper.

    The paper's ExpandTied: from one parameter per value to one per value and outcome.
    """
    # All sources at once; what a vote allows is common to many.
    ends = layout.value_offsets[1:]
    shares = {masks.tobytes(): masks @ balance for masks in layout.masks}
    share = np.concatenate([np.empty(0), *(shares[masks.tobytes()] for masks in layout.masks)])
    rate = statistics.rates
    # Slopes beyond these would make a probability negative.
    limit_up = np.where(share > 0, rate / np.maximum(share, 1e-12), 1.0)
    limit_down = np.where(share < 1, rate / np.maximum(1 - share, 1e-12), 1.0)
    slope = np.clip(slopes, -0.98 * limit_down, 0.98 * limit_up)
    said = np.clip((rate - slope * share)[:, None] + slope[:, None] * layout.all_masks, 0.0, 1.0)
    sizes = np.diff(layout.value_offsets)
    said = said / np.repeat(np.maximum(table_sums(said, ends), 1.0), sizes, axis=0)
    silent = 1 - table_sums(said, ends)
    return list(normalised_tables(blocks(np.insert(said, ends, silent, axis=0), ends + np.arange(1, len(ends) + 1))))
