"""What a fitted model says of itself, in words: whether it fits, what it gains, which sources repeat each other."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.estimate.fit import Fit
from assay.model.estimate.self_assessment import Redundancy

MOST_PAIRS = 5
"""So many pairs of redundant sources are named; of more it is told how many there are."""

_WORTH_IT = 0.005
"""A gain over majority vote below this is not worth a model."""


def advice(fit: Fit, names: Sequence[str]) -> list[str]:
    """Sentences about one component's fit; ``names`` are those of its sources."""
    return [*_on_the_model(fit), _on_the_gain(fit), *_on_redundancy(fit.assessment.redundant, names)]


def _on_the_model(fit: Fit) -> list[str]:
    fits = fit.goodness_of_fit
    if fits is None:
        return []
    left = f"mean square {fits.misfit:.3g}, where chance allows {fits.by_chance:.2g}"
    if fits.good:
        much = "chance" if fits.misfit <= fits.by_chance else f"little beside the {fits.explained:.3g} that it explains"
        return [
            "The votes look as if sources were independent given the truth: what this leaves of their co-votes is "
            f"{much} ({left}). Learned by method='em'."
        ]
    if fits.explained < 1:
        why = "Too few votes meet on the same items to tell whether sources are independent given the truth"
    elif fits.misfit > fits.allowed:
        why = f"Sources have more in common than the truth explains (what is left of their co-votes: {left})"
    else:
        why = "Some items are harder than others for all sources, so that votes on one item err together"
    return [f"{why}. Learned by method='robust'."]


def _on_the_gain(fit: Fit) -> str:
    found = fit.assessment
    points, error = 100 * found.gain, 100 * found.error
    alike = (
        f"A majority vote gives the same label to {found.same:.1%} of the items with votes; the model expects "
        f"{found.right:.1%} of its own labels to be right and {found.majority_right:.1%} of the majority's"
    )
    if found.gain < _WORTH_IT:
        return f"{alike}: here a majority vote is as good."
    sure = "" if points > 2 * error else ", which may be chance"
    # Copies agree with each other, and a model that believes them expects to be right.
    astray = ", unless the sources named below lead it astray" if found.redundant else ""
    return f"{alike}: a gain of {points:.1f} ± {2 * error:.1f} points{sure}{astray}."


def _on_redundancy(pairs: Sequence[Redundancy], names: Sequence[str]) -> list[str]:
    told = [
        f"{names[pair.sources[0]]!r} and {names[pair.sources[1]]!r} look redundant: {in_common(pair)}."
        for pair in pairs[:MOST_PAIRS]
    ]
    more = len(pairs) - MOST_PAIRS
    if more > 0:
        told.append(f"{more} more {'pair of sources looks' if more == 1 else 'pairs of sources look'} redundant.")
    if told:
        told.append(
            "Declare those that share a cause by LabelModel(dependencies=[...]), drop one of each, or see what "
            "assay.learn_dependencies finds."
        )
    return told


def in_common(pair: Redundancy) -> str:
    """What two redundant sources have in common, beside what they would by chance.

    >>> in_common(Redundancy((0, 1), met=50.0, seen=0.98, expected=0.7, by_meeting=False))
    'they agree on 98% of the 50 items that both vote on, where independent sources would on 70%'
    """
    if pair.by_meeting:
        return f"they vote together on {pair.met:,.0f} items, where independent sources would on {pair.expected:,.0f}"
    return (
        f"they agree on {pair.seen:.0%} of the {pair.met:,.0f} items that both vote on, where independent sources "
        f"would on {pair.expected:.0%}"
    )
