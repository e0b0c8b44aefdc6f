"""Dawid and Skene's model, fitted by expectation-maximization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.baselines.baseline import Baseline
from assay.counts import Layout, Patterns, Reading, SourceGraph, reading_of
from assay.model import Parameters, posterior
from assay.model.estimate import EMSettings, Evidence, expectation_maximization, from_majority
from assay.votes import Codes, Votes

FloatArray = npt.NDArray[np.float64]
_UNPOOLED = EMSettings(even_coverage=0.01, class_conditional=0.01, average_source=0.01, even_balance=0.01)
"""Each table by itself, with as good as no prior."""


@dataclass(frozen=True, eq=False)
class ConfusionTables:
    """What was learned about one component, and how votes are read there."""

    reading: Reading
    parameters: Parameters


class DawidSkene(Baseline[tuple[ConfusionTables, ...]]):
    """Dawid and Skene's model: a full confusion table for each source, all independent, abstentions ignored.

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

    def _learn(self, votes: Votes) -> tuple[ConfusionTables, ...]:
        found = []
        for index in range(len(votes.label_space.components)):
            layout, reading = reading_of(votes, index, SourceGraph(votes.names))
            parameters = parameters_by_em(layout, reading.codes(votes), _UNPOOLED, ignore_abstentions=True)
            found.append(ConfusionTables(reading, parameters))
        return tuple(found)

    def _outcome_probabilities(self, votes: Votes) -> list[FloatArray]:
        return [posterior(part.parameters, part.reading.codes(votes)) for part in self._known.learned]


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


def parameters_by_em(layout: Layout, codes: Codes, settings: EMSettings, *, ignore_abstentions: bool) -> Parameters:
    """What expectation-maximization learns from (items, sources) codes, starting from a majority vote."""
    patterns = Patterns.of(codes)
    evidence = Evidence(layout.design(patterns.rows), patterns.counts)
    start = from_majority(layout, patterns, evidence.design, settings, np.ones(len(layout.masks)), ignore_abstentions)
    parameters, _ = expectation_maximization(start, evidence, settings)
    return parameters
