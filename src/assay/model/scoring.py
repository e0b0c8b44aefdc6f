r"""How votes become the posterior P(outcome | votes), in log space.

The junction tree is read off as a product over cliques, each given its separator;
in logarithms that is a sum, and over many items a sparse matrix times a table.

What is learned (:class:`~assay.model.parameters.Parameters`) says by Bayes' rule what
each vote adds: :meth:`Scoring.bayes`. A method may weigh votes otherwise, where they are not drawn from the model:
it then gives a scoring of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.counts import Design, Layout
from assay.model.parameters import TINY, Parameters

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scoring:
    """What joint votes add to the log-probability of each outcome, and how correlated votes are discounted."""

    layout: Layout
    prior: FloatArray
    """(outcomes,): the probabilities that votes are added to."""
    logs: tuple[FloatArray, ...]
    """Per clique (configurations, outcomes): what a joint vote adds; the last row is abstaining."""
    without_votes: FloatArray
    """(outcomes,): the posterior of an item without votes, whatever silence might tell: the class balance."""
    scores_silence: bool = True
    """Whether not voting tells something, and so is itself something to be predicted."""
    discount: float = 0.0
    """The correlation of votes on one item, see :func:`effective_share`."""
    is_bayes: bool = True
    """Whether it is Bayes' rule with the parameters that were learned, or weighs votes otherwise."""

    @classmethod
    def bayes(cls, parameters: Parameters) -> Scoring:
        """Bayes' rule."""
        logs = tuple(np.log(np.maximum(table, TINY)) for table in parameters.tables)
        return cls(parameters.layout, parameters.balance, logs, parameters.balance, not parameters.ignore_abstentions)

    @cached_property
    def base(self) -> FloatArray:
        """(outcomes,): the log-probability of the outcome and of all sources abstaining."""
        return np.asarray(np.log(np.maximum(self.prior, TINY)) + sum(log[-1] for log in self.logs))

    @cached_property
    def gains(self) -> FloatArray:
        """(configurations, outcomes): what each column of the design matrix adds, beyond its clique abstaining."""
        return np.vstack([np.empty((0, len(self.prior))), *(log[:-1] - log[-1] for log in self.logs)])

    def log_joint(self, design: Design) -> FloatArray:
        """(rows, outcomes): log P(votes, outcome), before any discount."""
        logs: FloatArray = np.asarray(design.matrix @ self.gains) + self.base
        return logs

    def effective(self, votes: npt.NDArray[np.integer]) -> FloatArray:
        """(items,): what the log-odds of so many votes on one item are multiplied by."""
        return effective_share(votes, self.discount)


def effective_share(votes: npt.NDArray[np.integer], correlation: float) -> FloatArray:
    r"""What each of n votes is worth if any two have the correlation :math:`\rho`: :math:`1 / (1 + \rho (n - 1))`.

    The formula stands once, in ``assay._core.scoring_loops.effective_share``, which the compiled loops use too.

    >>> effective_share(np.array([0, 1, 2, 5]), 0.5).round(3).tolist()
    [1.0, 1.0, 0.667, 0.333]
    """
    from assay._core import scoring_loops

    return np.asarray(scoring_loops.effective_share.py_func(correlation, votes - 1))


def softmax(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(items, outcomes) probabilities from log-probabilities, and (items,) the logarithm of their sum.

    In one pass; SciPy's ``softmax`` and ``logsumexp`` would take an exponential each.
    """
    highest = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - highest)
    total = chances.sum(axis=1, keepdims=True)
    return chances / total, (np.log(total) + highest)[:, 0]
