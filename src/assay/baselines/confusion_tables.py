"""Dawid and Skene's model, fitted by expectation-maximization."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.baselines.baseline import Baseline
from assay.counts import Evidence, Layout, Patterns, SourceGraph, layout_of
from assay.model import Scoring, posterior
from assay.model.estimate import EMSettings, Knowledge, expectation_maximization, from_majority
from assay.votes import CodeArray, Votes

FloatArray = npt.NDArray[np.float64]
_UNPOOLED = EMSettings(even_coverage=0.01, class_conditional=0.01, average_source=0.01, even_balance=0.01)
"""Each table by itself, with as good as no prior."""


class DawidSkene(Baseline[tuple[Scoring, ...]]):
    """Dawid and Skene's model: a full confusion table for each source, all independent, abstentions ignored.

    As all baselines it learns from votes alone and takes no gold; :class:`assay.LabelModel` does.

    Parameters
    ----------
    cardinality
        The number of classes, where votes are given as a bare matrix.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=5, seed=2).draw(1000)
    >>> model = DawidSkene().fit(simulation.votes.take(slice(0, 800)))
    >>> model.predict_proba(simulation.votes.take(slice(800, 1000))).shape
    (200, 2)
    """

    def _learn(self, votes: Votes) -> tuple[Scoring, ...]:
        found = []
        for index in range(len(votes.label_space.components)):
            layout = layout_of(votes.schema, index, SourceGraph(votes.names))
            known = replace(Knowledge.none(layout), ignore_abstentions=True)
            found.append(scoring_by_em(layout, layout.codes(votes), known, _UNPOOLED))
        return tuple(found)

    def _outcome_probabilities(self, votes: Votes) -> list[FloatArray]:
        return [posterior(scoring, scoring.layout.codes(votes)) for scoring in self._known.learned]


def dawid_skene(votes: Any) -> FloatArray | list[FloatArray]:
    """:class:`assay.DawidSkene`, fitted to these votes, or this bare matrix, and what it says of them.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=5, seed=2).draw(1000)
    >>> dawid_skene(simulation.votes).shape
    (1000, 2)
    """
    return DawidSkene().fit(votes).predict_proba(votes)


def scoring_by_em(layout: Layout, codes: CodeArray, known: Knowledge, settings: EMSettings) -> Scoring:
    """What expectation-maximization learns from (items, sources) codes, starting from a majority vote."""
    evidence = Evidence(layout, Patterns.of(codes))
    start = from_majority(evidence, known, settings)
    parameters, _ = expectation_maximization(start, evidence, known, settings)
    return Scoring.bayes(parameters)
