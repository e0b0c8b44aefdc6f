"""The E-step: expected counts of joint votes and outcomes, from parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map
from assay.counts import Design, Evidence
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring, softmax

FloatArray = npt.NDArray[np.float64]

MOST_UNSEEN = 0.8
"""The largest share of all items that can have been left out because nobody votes on them."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected counts."""

    votes: FloatArray
    """(configurations, outcomes): items with the configuration and the outcome."""
    totals: FloatArray
    """(outcomes,): items with the outcome."""
    likelihood: float = 0.0
    """The log-likelihood of all items."""
    silent: FloatArray | float = 0.0
    """(outcomes,): items without votes among the totals."""

    def with_unseen(self, scoring: Scoring) -> Expected:
        """The same with the items without votes that were left out, as many as the model expects there to be."""
        share, items = unseen_share(scoring), float(self.totals.sum())
        unseen = items * share / (1 - share) * softmax(scoring.base[None])[0][0]
        likelihood = self.likelihood - items * float(np.log1p(-share))
        return Expected(self.votes, self.totals + unseen, likelihood, unseen)

    def with_silent(self, scoring: Scoring, evidence: Evidence) -> Expected:
        """The same, with the items without votes told apart."""
        return replace(self, silent=evidence.silent_items * softmax(scoring.base[None])[0][0])

    @classmethod
    def given(cls, design: Design, weighted: FloatArray, likelihood: float = 0.0) -> Expected:
        """From the (patterns, outcomes) expected number of items."""
        return cls(np.asarray(design.matrix.T @ weighted), weighted.sum(axis=0), likelihood)


def responsibilities(scoring: Scoring, evidence: Evidence) -> tuple[FloatArray, float]:
    """(patterns, outcomes) posteriors, and the log-likelihood of all items."""
    posterior, likelihood = softmax(scoring.log_joint(evidence.design))
    return posterior, float(evidence.counts @ likelihood)


def expected_counts(parameters: Parameters, evidence: Evidence) -> Expected:
    """The E-step. If no item is without votes, those that were left out are expected too: votes are truncated data."""
    scoring = Scoring.bayes(parameters)
    expected = _expected_counts(scoring, evidence)
    if leaves_out(parameters, evidence):
        return expected.with_unseen(scoring)
    return expected.with_silent(scoring, evidence)


def unseen_share(scoring: Scoring) -> float:
    """The share of all items on which nobody votes."""
    return min(float(np.exp(scoring.base).sum()), MOST_UNSEEN)


def leaves_out(parameters: Parameters, evidence: Evidence) -> bool:
    """Whether items without votes were left out, and would have been informative."""
    return evidence.voted_only and not parameters.ignore_abstentions


def _expected_counts(scoring: Scoring, evidence: Evidence) -> Expected:
    from assay._core import scoring_loops, two_outcome_loops, wide_loops

    design, counts = evidence.design, evidence.counts
    gains, base = scoring.gains, scoring.base
    # Log-odds against the first outcome, which then needs no computation of its own.
    leads, lead = np.ascontiguousarray(gains[:, 1:] - gains[:, :1]), base[1:] - base[0]
    few = two_outcome_loops.expect_two if len(base) == 2 else scoring_loops.expect
    step = wide_loops.expect_many if len(base) >= wide_loops.MANY else few
    grouped = evidence.grouped if len(base) == 2 else None
    parts = evidence.parts
    votes, totals = np.zeros((len(parts), *leads.shape)), np.zeros((len(parts), len(lead)))

    def add(piece: tuple[int, slice]) -> float:
        part, rows = piece
        into = votes[part], totals[part]
        if grouped is not None:
            said = grouped.numbers[rows], counts[rows], grouped.values, grouped.ends
            return float(two_outcome_loops.expect_grouped(*said, leads, lead, *into))
        starts = design.starts[rows.start : rows.stop + 1]
        return float(step(starts, design.columns, counts[rows], leads, lead, *into))

    excess = sum(parallel_map(add, enumerate(parts)))
    others, rest = votes.sum(axis=0), totals.sum(axis=0)
    items = float(counts.sum())
    return Expected(
        np.column_stack([np.maximum(evidence.seen - others.sum(axis=1), 0), others]),
        np.append(max(items - rest.sum(), 0.0), rest),
        excess + float(evidence.seen @ gains[:, 0]) + items * float(base[0]),
    )
