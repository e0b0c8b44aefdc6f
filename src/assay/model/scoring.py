r"""The posterior P(outcome | votes), in log space.

The junction tree gives a product over cliques, each conditioned on its separator;
in logarithms that is a sum, and over many items a sparse matrix times a table.

By Bayes' rule the parameters (:class:`~assay.model.parameters.Parameters`) determine what
each vote adds: :meth:`Scoring.bayes`. A method for votes that do not follow the model may
weight them differently, with a scoring of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.counts import Design, Layout
from assay.model.parameters import TINY, Parameters, blocks

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scoring:
    """The log-probabilities that joint votes add to each outcome, and the discount for correlated votes."""

    layout: Layout
    prior: FloatArray
    """(outcomes,): the prior that votes are added to."""
    logs: tuple[FloatArray, ...]
    """Per clique (configurations, outcomes): what a joint vote adds; the last row is abstain."""
    without_votes: FloatArray
    """(outcomes,): the posterior of an item without votes: the class balance, even if abstentions are informative."""
    scores_silence: bool = True
    """Whether abstentions are informative, and so part of what is predicted."""
    discount: float = 0.0
    """The correlation of votes on one item, see :func:`effective_share`."""
    is_bayes: bool = True
    """Whether it is Bayes' rule with the fitted parameters, or weights votes differently."""
    asked_later: tuple[int, ...] = ()
    """Cliques of sources that were asked about some items only: those on which one of them votes. Their silence counts
    there, and nowhere else."""

    @classmethod
    def bayes(cls, parameters: Parameters) -> Scoring:
        """Bayes' rule."""
        # Of all tables at once: there may be one for each of many sources.
        tables = parameters.tables
        whole = np.log(np.maximum(np.concatenate([np.empty((0, len(parameters.balance))), *tables]), TINY))
        logs = blocks(whole, np.cumsum([len(table) for table in tables], dtype=np.int64))
        return cls(parameters.layout, parameters.balance, logs, parameters.balance, not parameters.ignore_abstentions)

    @classmethod
    def pooled(cls, weight: float, one: Scoring, other: Scoring) -> Scoring:
        """The weighted mean of two scorings' log-odds, so that what each vote adds is still a sum.

        An item without votes gets the weighted mean of the balances.
        """
        rest = 1 - weight
        logs = (weight * centred(a) + rest * centred(b) for a, b in zip(one.logs, other.logs, strict=True))
        prior = np.exp(weight * np.log(np.maximum(one.prior, TINY)) + rest * np.log(np.maximum(other.prior, TINY)))
        return cls(
            one.layout,
            prior / prior.sum(),
            tuple(logs),
            weight * one.without_votes + rest * other.without_votes,
            one.scores_silence,
            weight * one.discount + rest * other.discount,
            is_bayes=False,
        )

    @cached_property
    def base(self) -> FloatArray:
        """(outcomes,): the log-probability that the outcome holds and all who were asked about it abstain."""
        always = np.ones(len(self.logs), dtype=bool)
        always[list(self.asked_later)] = False
        return np.asarray(np.log(np.maximum(self.prior, TINY)) + self._silence_of(always))

    @cached_property
    def silence_where_asked(self) -> FloatArray:
        """(outcomes,): what the silence of those asked later adds to an item that one of them votes on.

        It is added to all such items: what a vote adds is relative to silence.
        """
        later = np.zeros(len(self.logs), dtype=bool)
        later[list(self.asked_later)] = True
        return self._silence_of(later)

    def _silence_of(self, cliques: npt.NDArray[np.bool_]) -> FloatArray:
        # Added one after the other, whatever the number of cliques, so that it has the same bits everywhere.
        silence = np.cumsum(self._stacked[self.layout.silent_rows[cliques]], axis=0)
        return np.asarray(silence[-1] if len(silence) else np.zeros(len(self.prior)))

    def was_asked(self, design: Design) -> npt.NDArray[np.bool_]:
        """(rows,): whether one of those asked later votes on a row."""
        offsets, marked = self.layout.offsets, np.zeros(design.width)
        for clique in self.asked_later:
            marked[offsets[clique] : offsets[clique + 1]] = 1
        return np.asarray(design.matrix @ marked > 0)

    @cached_property
    def gains(self) -> FloatArray:
        """(configurations, outcomes): what each column of the design matrix adds, relative to its clique abstaining."""
        votes, silence = self.layout.vote_rows
        gains: FloatArray = self._stacked[votes] - self._stacked[silence]
        return gains

    @cached_property
    def _stacked(self) -> FloatArray:
        """All tables, one below the other: there may be one for each of many thousand sources."""
        return np.concatenate([np.empty((0, len(self.prior))), *self.logs])

    def log_joint(self, design: Design) -> FloatArray:
        """(rows, outcomes): log P(votes, outcome), before any discount."""
        logs: FloatArray = np.asarray(design.matrix @ self.gains) + self.base
        if self.asked_later:
            logs[self.was_asked(design)] += self.silence_where_asked
        return logs

    def effective(self, votes: npt.NDArray[np.integer]) -> FloatArray:
        """(items,): the factor of the log-odds of items with this number of votes."""
        return effective_share(votes, self.discount)


def centred(logs: FloatArray) -> FloatArray:
    """Each row without what it adds to all outcomes alike."""
    centred: FloatArray = logs - logs.mean(axis=1, keepdims=True)
    return centred


def effective_share(votes: npt.NDArray[np.integer], correlation: float) -> FloatArray:
    r"""The weight of each of n votes if any two have the correlation :math:`\rho`: :math:`1 / (1 + \rho (n - 1))`.

    The formula stands once, in ``assay._core.scoring_loops.effective_share``, which the compiled loops use too.

    >>> effective_share(np.array([0, 1, 2, 5]), 0.5).round(3).tolist()
    [1.0, 1.0, 0.667, 0.333]
    """
    from assay._core import scoring_loops

    return np.asarray(scoring_loops.effective_share.py_func(correlation, votes - 1))


def softmax(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(items, outcomes) probabilities from log-probabilities, and (items,) the logarithm of their sum.

    In one pass; SciPy's ``softmax`` and ``logsumexp`` would each compute the exponentials.
    """
    highest = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - highest)
    total = chances.sum(axis=1, keepdims=True)
    return chances / total, (np.log(total) + highest)[:, 0]
