"""Methods side by side, against gold; a majority vote is always among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.baselines import by_majority
from assay.evaluation import Evaluation, evaluate
from assay.labels import Labels
from assay.votes import Votes


def evaluate_methods(
    votes: Votes, labels: Mapping[str, Labels], gold: Any, *, slices: Mapping[str, Any] | None = None
) -> dict[str, Evaluation]:
    """How right majority votes are, and then some labels of the same items, by method.

    ``gold`` and ``slices`` have the shapes that :func:`assay.evaluate` takes.

    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=6, seed=3).draw(500)
    >>> [*evaluate_methods(simulation.votes, {}, simulation.gold)]
    ['majority vote', 'hierarchical majority vote']
    """
    methods = {**by_majority(votes), **labels}
    return {name: evaluate(found, gold, slices=slices) for name, found in methods.items()}
