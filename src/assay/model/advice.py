"""A fitted model's report on itself, in words: goodness of fit, gain over a majority vote, redundant sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.model.estimate.fit import Fit
from assay.model.estimate.self_assessment import Redundancy

MOST_PAIRS = 5
"""The most pairs of redundant sources that are named; the rest are only counted."""

_MOST_OUTCOMES = 4
"""The most outcomes whose shares are given."""

_WORTH_IT = 0.005
"""A gain over majority vote below this is not worth a model."""


def advice(fit: Fit, names: Sequence[str], outcomes: Sequence[str]) -> list[str]:
    """Sentences about one component's fit; ``names`` are those of its sources, ``outcomes`` of what is labeled."""
    return [
        *_on_the_model(fit),
        _on_the_gain(fit),
        *_on_the_balance(fit, outcomes),
        *_on_redundancy(fit.assessment.redundant, names),
    ]


def _on_the_model(fit: Fit) -> list[str]:
    fits = fit.goodness_of_fit
    if fits is None:
        return ["Too few sources to learn from: all votes count alike."] if fit.names_labels else []
    residual = f"mean square {fits.misfit:.3g}, up to {fits.by_chance:.2g} by chance"
    if fits.misfits:
        why = f"Sources have more in common than the truth explains (residual of their co-votes: {residual})"
    elif not fits.testable:
        why = "Too few votes overlap to test whether sources are independent given the truth"
    elif fits.leaves_over:
        why = (
            "The votes could be explained by sources that are independent given the truth, but only with labels that "
            f"hardly any vote names on {fits.left_over:.0%} of the items, which is not believed"
        )
    elif fits.correlation > 0:
        why = "Some items are harder than others for all sources, so that errors on one item are correlated"
    else:
        size = "chance" if fits.misfit <= fits.by_chance else f"small beside the {fits.explained:.3g} that it explains"
        why = (
            "The votes are consistent with sources that are independent given the truth, up to dependencies in the "
            f"model: the residual of their co-votes is {size} ({residual})"
        )
    return [f"{why}. {_fitted_by(fit.em_weight, names_labels=fit.names_labels)}"]


def _fitted_by(em_weight: float, *, names_labels: bool = False) -> str:
    if names_labels and em_weight < 1:
        return f"Sources count {em_weight:.0%} as each one's votes tell, and else alike."
    if em_weight in (0.0, 1.0):
        return f"Fitted by method={'em' if em_weight else 'robust'!r}."
    return (
        f"Labels are the mean of method='em', which counts {em_weight:.0%} by what it explains, and of "
        "method='robust', which assumes less."
    )


def _on_the_balance(fit: Fit, outcomes: Sequence[str]) -> list[str]:
    if fit.balance_contradicted:
        return [
            "By themselves the votes tell quite another class balance than the one that was given, as they do where "
            "some items are difficult for all sources. What was given counts. If it is a guess, tell how many items it "
            "is worth: balance_strength=50."
        ]
    if fit.knows_balance:
        return []
    balance = fit.scoring.without_votes
    order = np.argsort(-balance, kind="stable")[:_MOST_OUTCOMES]
    assumed = ", ".join(f"{outcomes[at]!r} {balance[at]:.0%}" for at in order)
    more = ", …" if len(balance) > _MOST_OUTCOMES else ""
    return [
        f"The votes do not tell the class balance. Labels assume {assumed}{more}, and "
        f"{fit.assessment.hangs_on_balance:.1%} of them would change between two balances that are about as plausible. "
        f"One figure would settle it, such as class_balance={{{_a_label(outcomes[order[0]])!r}: …}}, or 50 random hand "
        "labels."
    ]


def _a_label(outcome: str) -> str:
    """One label of an outcome: the coarsest, whose share is one of all items."""
    return outcome.partition(", ")[0]


def _on_the_gain(fit: Fit) -> str:
    found = fit.assessment
    points, error = 100 * found.gain, 100 * found.error
    alike = (
        f"A majority vote gives the same label to {found.same:.1%} of the items with votes; the model expects "
        f"{found.right:.1%} of its own labels to be right and {found.majority_right:.1%} of the majority's"
    )
    if found.gain < _WORTH_IT:
        return f"{alike}: a majority vote is as good here."
    chance = "" if points > 2 * error else ", which may be chance"
    # Copies agree with each other, so a model that trusts them overestimates its own accuracy.
    caveat = ", unless the sources named below mislead it" if found.redundant else ""
    return f"{alike}: a gain of {points:.1f} ± {2 * error:.1f} points{chance}{caveat}."


def _on_redundancy(pairs: Sequence[Redundancy], names: Sequence[str]) -> list[str]:
    sentences = [
        f"{names[pair.sources[0]]!r} and {names[pair.sources[1]]!r} look redundant: {in_common(pair)}."
        for pair in pairs[:MOST_PAIRS]
    ]
    more = len(pairs) - MOST_PAIRS
    if more > 0:
        sentences.append(f"{more} more {'pair of sources looks' if more == 1 else 'pairs of sources look'} redundant.")
    if sentences:
        sentences.append(
            "Declare those that share a cause with LabelModel(dependencies=[...]), drop one of each, or see what "
            "assay.learn_dependencies finds."
        )
    return sentences


def in_common(pair: Redundancy) -> str:
    """The overlap or agreement of two redundant sources, and what is expected of independent ones.

    >>> in_common(Redundancy((0, 1), met=50.0, seen=0.98, expected=0.7, by_meeting=False))
    'they agree on 98% of the 50 items that both vote on; independent sources would agree on 70%'
    """
    if pair.by_meeting:
        return f"both vote on {pair.met:,.0f} items; independent sources would on {pair.expected:,.0f}"
    return (
        f"they agree on {pair.seen:.0%} of the {pair.met:,.0f} items that both vote on; independent sources "
        f"would agree on {pair.expected:.0%}"
    )
