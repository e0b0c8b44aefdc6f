"""P(outcome | votes), in log space.

The junction tree is read off as a product over cliques, each given its separator;
in logarithms that is a sum, and over many items a sparse matrix times a table.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay._core.threads import ranges, spread, thread_count
from assay.counts import Clique, Design, Reading
from assay.model.parameters import TINY, Parameters
from assay.votes import Listed, Votes

Counts = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

BLOCK = 2**18
"""Probabilities that are worked on together; bounds the memory, not the result."""


def weights(parameters: Parameters) -> tuple[FloatArray, FloatArray]:
    """What votes add to the log-probability of each outcome.

    Returns
    -------
    (configurations, outcomes)
        For each column of the design matrix: the gain over the clique abstaining.
    (outcomes,)
        The log-probability of the outcome and of all sources abstaining.
    """
    prior = parameters.balance if parameters.prior is None else parameters.prior
    base = np.log(np.maximum(prior, TINY)) + sum(log[-1] for log in parameters.logs)
    gains = np.vstack([np.empty((0, len(base))), *(log[:-1] - log[-1] for log in parameters.logs)])
    return gains, base


def log_joint(parameters: Parameters, design: Design) -> FloatArray:
    """(items, outcomes): log P(votes, outcome)."""
    gains, base = weights(parameters)
    logs: FloatArray = np.asarray(design.matrix @ gains) + base
    return logs


def posterior(parameters: Parameters, codes: npt.NDArray[np.integer]) -> FloatArray:
    """(items, outcomes): P(outcome | votes), from (items, sources) codes.

    Rows sum to one; without votes they are what the model expects then.
    """
    return Judge(parameters, Reading.plain(parameters.layout)).dense(codes)[0]


class Judge:
    """P(outcome | votes) for votes as they are: compiled once, then given many items."""

    def __init__(self, parameters: Parameters, reading: Reading) -> None:
        self.parameters = parameters
        self.reading = reading
        self.gains, self.base = weights(parameters)
        layout = parameters.layout
        # Only differences between outcomes count, so the first one serves as the origin.
        self._base = self.base[1:] - self.base[:1]
        leads = (self.gains[:, 1:] - self.gains[:, :1]).T
        alone, several = [], []
        for index, clique in enumerate(layout.cliques):
            columns = leads[:, layout.offsets[index] : layout.offsets[index + 1]]
            member = clique.sources[0]
            says_all = (reading.digits[member][:-1] >= 0).all()
            if len(clique.sources) == 1 and says_all:
                gains = columns[:, reading.digits[member][:-1]]
                alone.append((reading.sources[member], np.hstack([np.zeros((len(gains), 1)), gains])))
            else:
                whole = np.hstack([columns, np.zeros((len(columns), 1))])
                several.append((clique, whole[:, _abstaining_first(clique)]))
        self._alone = np.array([source for source, _ in alone], dtype=np.int64)
        self._alone_at = _ends([block.shape[1] for _, block in alone])
        self._leads = np.ascontiguousarray(
            np.hstack([np.empty((len(leads), 0)), *(block for _, block in alone), *(block for _, block in several)])
        )
        self._leads_at = self._alone_at[-1] + _ends([block.shape[1] for _, block in several])[:-1]
        self._members = np.array([reading.sources[s] for clique, _ in several for s in clique.sources], dtype=np.int64)
        self._members_at = _ends([len(clique.sources) for clique, _ in several])
        digits = [_digits(clique, s, reading.digits[s]) for clique, _ in several for s in clique.sources]
        self._digits = np.concatenate([np.empty(0, dtype=np.int64), *digits])
        self._digits_at = _ends([len(part) for part in digits])[:-1]

    def __call__(self, votes: Votes) -> FloatArray:
        """(items, outcomes). An item without votes gets the class balance."""
        posterior, voted = self.listed(votes.listed) if votes.is_sparse else self.dense(votes.codes)
        posterior[voted == 0] = self.parameters.balance
        return posterior

    def dense(self, codes: npt.NDArray[np.integer]) -> tuple[FloatArray, Counts]:
        """(items, outcomes), and (items,) how many cliques say something, from (items, sources) codes."""
        from assay._core import scoring_loops

        posterior = np.empty((len(codes), len(self.base)))
        voted = np.zeros(len(codes), dtype=np.int32)
        block = max(BLOCK // len(self.base), 1)

        def judge(rows: slice) -> None:
            for start in range(rows.start, rows.stop, block):
                some = slice(start, min(start + block, rows.stop))
                scores = np.tile(self._base[:, None], (1, some.stop - some.start))
                scoring_loops.add_votes(
                    codes.T[:, some],
                    self._alone,
                    self._alone_at,
                    self._members,
                    self._members_at,
                    self._digits,
                    self._digits_at,
                    self._leads,
                    self._leads_at,
                    scores,
                    voted[some],
                )
                scoring_loops.to_posterior(scores, voted[some], self.parameters.discount, posterior[some])

        spread(judge, ranges(len(codes), thread_count(), step=2_048))
        return posterior, voted

    def listed(self, rows: Listed) -> tuple[FloatArray, Counts]:
        """The same from the votes cast."""
        from assay._core import scoring_loops

        posterior = np.empty((len(rows), len(self.base)))
        voted = np.zeros(len(rows), dtype=np.int32)

        def judge(some: slice) -> None:
            said = self.reading.rows(rows.slice(some.start, some.stop))
            design = self.parameters.layout.design(said)
            voted[some] = np.diff(design.starts)
            discount = self.parameters.discount
            scoring_loops.judge_listed(design.starts, design.columns, self.gains, self.base, discount, posterior[some])

        spread(judge, ranges(len(rows), max(-(-len(rows) // BLOCK), 1)))
        return posterior, voted


def _ends(sizes: list[int]) -> npt.NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _digits(clique: Clique, source: int, digits: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """What abstaining, and then each code of a source, adds to the number of the joint vote; −1 if it says nothing.

    Joint votes are numbered here with abstaining first, so that saying nothing adds nothing.
    """
    position = clique.sources.index(source)
    stride = int(np.prod(clique.shape[position + 1 :]))
    spoken = np.roll(digits, 1).astype(np.int64)
    return np.where(spoken >= 0, (spoken + 1) * stride, -1)


def _abstaining_first(clique: Clique) -> npt.NDArray[np.int64]:
    """(configurations,): which configuration stands where if abstaining comes first for every source, not last."""
    numbers = np.arange(clique.size).reshape(clique.shape)
    return np.roll(numbers, 1, axis=tuple(range(numbers.ndim))).ravel()


def softmax(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(items, outcomes) probabilities from log-probabilities, and (items,) the logarithm of their sum."""
    highest = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - highest)
    total = chances.sum(axis=1, keepdims=True)
    return chances / total, (np.log(total) + highest)[:, 0]
