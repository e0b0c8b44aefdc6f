"""Scoring many items: the inputs of :mod:`assay._core.scoring_loops`, prepared once per scoring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map, ranges, thread_count
from assay.counts import Clique
from assay.model.scoring import Scoring, softmax
from assay.votes import DenseCodes, PossibleRows, SparseCodes, Votes

Counts = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

BLOCK = 2**18
"""Probabilities that are computed together; bounds memory use, and does not affect the result."""
_ROWS_AT_ONCE = 2**15
"""Rows of bytes that are scored together; their scores should stay in the cache."""


def posterior(scoring: Scoring, codes: npt.NDArray[np.integer]) -> FloatArray:
    """(items, outcomes): P(outcome | votes), from (items, sources) codes in the values of the layout.

    Rows sum to one; an item without votes gets the posterior given that all abstain.
    """
    return Scorer(replace(scoring, layout=replace(scoring.layout, translation=None))).dense(codes)[0]


class Scorer:
    """P(outcome | votes) for votes in their own codes: prepared once, then applied to many items."""

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        layout = self._layout = scoring.layout.taken_apart
        values_of, columns_of = layout.value_of_code, layout.sources
        # Only differences between outcomes matter, so all are taken against the first.
        self._base = scoring.base[1:] - scoring.base[:1]
        self._where_asked = (scoring.silence_where_asked[1:] - scoring.silence_where_asked[:1])[:, None]
        later = sorted({source for at in scoring.asked_later for source in layout.cliques[at].sources})
        self._asked_later = [(columns_of[source], values_of[source]) for source in later]
        leads = (scoring.gains[:, 1:] - scoring.gains[:, :1]).T
        alone, several = [], []
        for index, clique in enumerate(layout.cliques):
            columns = leads[:, layout.offsets[index] : layout.offsets[index + 1]]
            member = clique.sources[0]
            says_all = (values_of[member][:-1] >= 0).all()
            if len(clique.sources) == 1 and says_all:
                gains = columns[:, values_of[member][:-1]]
                alone.append((columns_of[member], np.hstack([np.zeros((len(gains), 1)), gains])))
            else:
                whole = np.hstack([columns, np.zeros((len(columns), 1))])
                several.append((clique, whole[:, _abstaining_first(clique)]))
        self._alone = np.array([source for source, _ in alone], dtype=np.int64)
        self._alone_at = _ends([block.shape[1] for _, block in alone])
        self._leads = np.ascontiguousarray(
            np.hstack([np.empty((len(leads), 0)), *(block for _, block in alone), *(block for _, block in several)])
        )
        self._leads_at = self._alone_at[-1] + _ends([block.shape[1] for _, block in several])[:-1]
        self._members = np.array([columns_of[s] for clique, _ in several for s in clique.sources], dtype=np.int64)
        self._members_at = _ends([len(clique.sources) for clique, _ in several])
        digits = [_digits(clique, s, values_of[s]) for clique, _ in several for s in clique.sources]
        self._digits = np.concatenate([np.empty(0, dtype=np.int64), *digits])
        self._digits_at = _ends([len(part) for part in digits])[:-1]

    def __call__(self, votes: Votes) -> FloatArray:
        """(items, outcomes). An item without votes gets the class balance."""
        _, own = self.scoring.layout.own(votes)
        if own.is_sparse:
            posterior, voted = self.sparse(own.cast)
        elif isinstance(own.store, DenseCodes) and own.store.by_row and self._all_alone:
            possible = PossibleRows.of(own.store, [len(table) for table in own.values])
            if possible is not None:
                return possible.look_up(self._settled(*self.by_row(possible.rows.codes)), own.store)
            posterior, voted = self.by_row(own.codes)
        else:
            posterior, voted = self.dense(own.store.by_column().dense())
        return self._settled(posterior, voted)

    def _settled(self, posterior: FloatArray, voted: Counts) -> FloatArray:
        posterior[np.flatnonzero(voted == 0)] = self.scoring.without_votes
        return posterior

    @property
    def _all_alone(self) -> bool:
        """Whether every source votes on the component, independently of the others, and was asked about all items."""
        return not self._asked_later and np.array_equal(self._alone, np.arange(len(self._layout.masks)))

    def by_row(self, codes: npt.NDArray[np.int8]) -> tuple[FloatArray, Counts]:
        """The same as :meth:`dense`, bit for bit, from bytes that lie row by row, where all sources are alone."""
        from assay._core import row_loops, scoring_loops

        posterior = np.empty((len(codes), len(self.scoring.base)))
        voted = np.empty(len(codes), dtype=np.int32)
        edge = row_loops.edge_of(codes)

        def score(rows: slice) -> None:
            scores = np.empty((len(self._base), _ROWS_AT_ONCE))
            for start in range(rows.start, rows.stop, _ROWS_AT_ONCE):
                some = slice(start, min(start + _ROWS_AT_ONCE, rows.stop))
                found, count = scores[:, : some.stop - start], voted[some]
                row_loops.add_rows(codes, edge, start, self._base, self._leads, self._alone_at, found, count)
                scoring_loops.to_posterior(found, count, self.scoring.discount, posterior[some])

        parallel_map(score, ranges(len(codes), thread_count(), step=2_048))
        return posterior, voted

    def dense(self, codes: npt.NDArray[np.integer]) -> tuple[FloatArray, Counts]:
        """The (items, outcomes) posterior and (items,) the number of cliques that vote, from (items, sources) codes."""
        from assay._core import scoring_loops

        posterior = np.empty((len(codes), len(self.scoring.base)))
        voted = np.zeros(len(codes), dtype=np.int32)
        block = max(BLOCK // len(self.scoring.base), 1)

        def score(rows: slice) -> None:
            for start in range(rows.start, rows.stop, block):
                some = slice(start, min(start + block, rows.stop))
                scores = np.tile(self._base[:, None], (1, some.stop - some.start))
                if self._asked_later:
                    voting = [values[codes[some, column]] >= 0 for column, values in self._asked_later]
                    scores += self._where_asked * np.any(voting, axis=0)
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
                scoring_loops.to_posterior(scores, voted[some], self.scoring.discount, posterior[some])

        parallel_map(score, ranges(len(codes), thread_count(), step=2_048))
        return posterior, voted

    def sparse(self, rows: SparseCodes) -> tuple[FloatArray, Counts]:
        """The same from sparse votes."""
        from assay._core import scoring_loops

        posterior = np.empty((len(rows), len(self.scoring.base)))
        voted = np.zeros(len(rows), dtype=np.int32)
        scoring = self.scoring

        def score(some: slice) -> None:
            said = self._layout.rows(rows.block(some.start, some.stop))
            design = self._layout.design(said)
            voted[some] = np.diff(design.starts)
            if scoring.asked_later:
                effective = scoring.effective(voted[some])[:, None]
                posterior[some] = softmax(scoring.log_joint(design) * effective)[0]
                return
            scoring_loops.score_listed(
                design.starts, design.columns, scoring.gains, scoring.base, scoring.discount, posterior[some]
            )

        parallel_map(score, ranges(len(rows), max(-(-len(rows) // BLOCK), 1)))
        return posterior, voted


def _ends(sizes: list[int]) -> npt.NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _digits(clique: Clique, source: int, digits: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """What abstain, and then each code of a source, adds to the number of the joint vote; −1 if it is no vote.

    Joint votes are numbered here with abstain first, so that abstaining adds zero.
    """
    position = clique.sources.index(source)
    stride = int(np.prod(clique.shape[position + 1 :]))
    values = np.roll(digits, 1).astype(np.int64)
    return np.where(values >= 0, (values + 1) * stride, -1)


def _abstaining_first(clique: Clique) -> npt.NDArray[np.int64]:
    """(configurations,): the permutation that puts abstain first for every source, instead of last."""
    numbers = np.arange(clique.size).reshape(clique.shape)
    return np.roll(numbers, 1, axis=tuple(range(numbers.ndim))).ravel()
