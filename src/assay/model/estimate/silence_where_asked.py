r"""Sources that were asked about some items, and cannot name every outcome: their silence counts where they were asked.

Who is asked depends on the votes of the others alone. Given these, then, what those asked later say, and what they do
not, has the same probabilities as if all items had been asked about:

.. math:: P(y \mid \text{others}, \text{later}) \propto P(y \mid \text{others}) \prod_j P_j(v_j \mid y),

with :math:`v_j` a vote or silence. The first factor is learned from the votes of the others on all items. The second is
taken from a fit of all sources, with whatever method suits these, to the items asked about: there, silence is what it
seems. On all other items it is left out.

That an item was asked about is known from the votes: one of those asked later votes on it. If they are all silent,
it counts as if nobody had been asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.counts import Evidence
from assay.model.estimate.fit import Fit
from assay.model.estimate.uncertainty import checked_intervals
from assay.model.parameters import TINY
from assay.model.scoring import centred, softmax


def with_answers(others: Fit, heard: Fit, later: Sequence[int], evidence: Evidence) -> Fit:
    """The fit of the others, with what a fit to the items asked about tells of those asked later.

    Parameters
    ----------
    others, heard
        Fits with the same layout, in which no clique has sources of both kinds.
    later
        Those asked later, by their numbers in the layout.
    evidence
        All votes.
    """
    layout = others.parameters.layout
    cliques = [at for at, clique in enumerate(layout.cliques) if clique.sources[0] in later]
    logs, joint = list(others.scoring.logs), list(others.parameters.joint)
    intervals = list(others.intervals)
    asked = 0.0 if heard.evidence is None else heard.evidence.items / max(evidence.items, 1.0)
    for at in cliques:
        logs[at] = centred(heard.scoring.logs[at])
        says = asked * heard.parameters.joint[at][:-1]
        joint[at] = np.vstack([says, np.maximum(1 - says.sum(axis=0, keepdims=True), TINY)])
    for source in later:
        intervals[source] = heard.intervals[source]
    return replace(
        others,
        parameters=replace(others.parameters, joint=tuple(joint)),
        scoring=replace(others.scoring, logs=tuple(logs), is_bayes=False, asked_later=tuple(cliques)),
        evidence=evidence,
        known_intervals=intervals,
        known_assessment=others.assessment,
    )


def assessed(fit: Fit) -> Fit:
    """The fit with as many labels expected to be right as its probabilities say, and accuracies as gold shows them."""
    assert fit.evidence is not None
    assert fit.known_intervals is not None
    votes = np.diff(fit.evidence.design.starts)
    labels, _ = softmax(fit.scoring.log_joint(fit.evidence.design) * fit.scoring.effective(votes)[:, None])
    counts = np.where(votes > 0, fit.evidence.counts, 0.0)
    right = float(counts @ labels.max(axis=1)) / max(float(counts.sum()), TINY)
    found = fit.known_intervals
    return replace(
        fit,
        known_assessment=replace(fit.assessment, right=right),
        known_intervals=found if fit.checked is None else checked_intervals(found, fit.checked),
    )
