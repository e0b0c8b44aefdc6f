"""Outcomes that no vote tells apart, fitted as one where there are many.

In a large hierarchy most leaves are named by no source, and all that is said of them is said of others too. Votes tell
only how common they are together. Fitted one by one they would be alike but for rounding, which
expectation-maximization amplifies until they differ, so that labels would say what nobody said; and they would cost as
much as all others. After the fit, what holds of all of them holds of each, and each has its part of how common they
are: as large as is said of the class balance, or else the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout
from assay.model.estimate.balance_belief import BalanceBelief, Statement
from assay.model.estimate.fit import Candidate, Fit, fit_component
from assay.model.estimate.knowledge import Knowledge
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MANY = 200
"""Outcomes are merged if there are so many; fewer are fitted one by one, which takes little time and labels better."""


def fit_merged(evidence: Evidence, known: Knowledge, **settings: Any) -> Fit:
    """:func:`fit_component`, with outcomes that no vote tells apart fitted as one if there are many."""
    merged = Merged.of(evidence.layout, known)
    if merged is None:
        return fit_component(evidence, known, **settings)
    return merged.expanded(fit_component(merged.evidence(evidence), merged.knowledge(known), **settings), evidence)


@dataclass(frozen=True, eq=False)
class Merged:
    """Which outcomes are one."""

    number: IntArray
    """(outcomes,): the merged outcome that each is part of."""
    first: IntArray
    """(merged outcomes,): the first part of each."""
    share: FloatArray
    """(outcomes,): how large a part of it each is."""

    @classmethod
    def of(cls, layout: Layout, known: Knowledge) -> Self | None:
        """Outcomes that neither votes nor what is said of them tell apart; None if they are few, or there are none."""
        if layout.outcomes < MANY:
            return None
        told = [layout.all_masks, *(applies[None] for applies in known.applies or ())]
        balance = None if known.balance is None else known.balance.vector
        if known.balance is not None and balance is None:
            told += [np.stack([one.outcomes, one.among]) for one in known.balance.statements]
        columns = np.packbits(np.vstack(told), axis=0).T
        _, first, number = np.unique(columns, axis=0, return_index=True, return_inverse=True)
        if len(first) == layout.outcomes:
            return None
        # In the order of the outcomes, so that it does not depend on what votes say of them.
        order = np.argsort(first)
        number = np.argsort(order)[number.reshape(-1)]
        weight = np.ones(layout.outcomes) if balance is None else balance
        return cls(number, first[order], weight / np.bincount(number, weights=weight)[number])

    def evidence(self, given: Evidence) -> Evidence:
        """What a fit of the merged outcomes is made from."""
        return replace(given, layout=self.layout(given.layout))

    def layout(self, given: Layout) -> Layout:
        """The same sources and values, which allow merged outcomes."""
        masks = tuple(masks[:, self.first] for masks in given.masks)
        return replace(given, masks=masks, outcomes=len(self.first), sizes=np.bincount(self.number))

    def knowledge(self, given: Knowledge) -> Knowledge:
        """What is known, said of merged outcomes."""
        applies = None if given.applies is None else tuple(one[self.first] for one in given.applies)
        return replace(given, applies=applies, balance=self._belief(given.balance))

    def _belief(self, given: BalanceBelief | None) -> BalanceBelief | None:
        if given is None:
            return None
        if given.vector is not None:
            together = np.bincount(self.number, weights=given.vector).astype(float)
            return BalanceBelief.of_vector(together, strength=given.strength, of=given.of)
        statements = (
            Statement(one.outcomes[self.first], one.among[self.first], one.low, one.high) for one in given.statements
        )
        return replace(given, statements=tuple(statements))

    def expanded(self, fit: Fit, evidence: Evidence) -> Fit:
        """The fit of all outcomes, from that of merged ones."""
        layout = evidence.layout
        return replace(
            fit,
            parameters=self._parameters(fit.parameters, layout),
            scoring=self._scoring(fit.scoring, layout),
            evidence=evidence,
            candidates=tuple(self._candidate(one, layout) for one in fit.candidates),
            merged=fit,
        )

    def _candidate(self, given: Candidate, layout: Layout) -> Candidate:
        described = None if given.described is None else self._parameters(given.described, layout)
        parameters, scoring = self._parameters(given.parameters, layout), self._scoring(given.scoring, layout)
        return Candidate(parameters, scoring, given.weight, described)

    def _parameters(self, given: Parameters, layout: Layout) -> Parameters:
        joint = tuple(table[:, self.number] for table in given.joint)
        return replace(given, layout=layout, balance=given.balance[self.number] * self.share, joint=joint)

    def _scoring(self, given: Scoring, layout: Layout) -> Scoring:
        return replace(
            given,
            layout=layout,
            prior=given.prior[self.number] * self.share,
            logs=tuple(log[:, self.number] for log in given.logs),
            without_votes=given.without_votes[self.number] * self.share,
        )
