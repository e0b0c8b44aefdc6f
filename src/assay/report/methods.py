"""Methods side by side, against gold; a majority vote is always among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.baselines import by_majority
from assay.evaluation import Evaluation, evaluate
from assay.gold import CheckedLabels
from assay.labels import Labels
from assay.votes import Votes


def evaluate_methods(
    votes: Votes, labels: Mapping[str, Labels], gold: Any = None, *, slices: Mapping[str, Any] | None = None
) -> dict[str, Evaluation]:
    """How right majority votes are, and then some labels of the same items, by method.

    ``gold`` and ``slices`` have the shapes that :func:`assay.evaluate` takes; by default gold is what some of the
    labels were learned from. Items that taught them are weighted as they were chosen, for all methods.

    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=6, seed=3).draw(500)
    >>> [*evaluate_methods(simulation.votes, {}, simulation.gold)]
    ['majority vote', 'hierarchical majority vote']
    """
    methods = {**by_majority(votes), **labels}
    taught = next((found.gold for found in labels.values() if found.gold is not None), None)
    if taught is not None:
        methods = {name: _checked(found, taught) for name, found in methods.items()}
    return {name: evaluate(found, gold, slices=slices) for name, found in methods.items()}


def _checked(labels: Labels, gold: CheckedLabels) -> Labels:
    """Labels with the gold of others; what does not learn from it says the same without it."""
    if labels.gold is not None:
        return labels
    return replace(labels, gold=replace(gold, held_out=tuple(joint[gold.rows] for joint in labels.joint)))
