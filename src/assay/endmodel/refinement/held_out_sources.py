"""What data knows that votes do not: whether it foresees the votes of sources that nothing was learned from.

Sources are dealt into groups. Without a group, labels are made and models of the data are trained; the group's votes
then show how much to believe either. A model that only repeats the votes it was trained on foresees no others.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.endmodel.refinement.layers import HeldOutVotes, log_lift, log_shares
from assay.errors import AssayError
from assay.labels import Labels
from assay.model import LabelModel
from assay.votes import Votes

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Joint = tuple[FloatArray, ...]
GROUPS = 4
MOST_ITEMS = 10_000
"""A random part of the items suffices to find a few weights; so the time for it is bounded."""
MOST_VOTES = 40_000
"""The same for held-out votes."""
_FEWEST = 50
"""With fewer held-out votes, these say nothing."""
_PSEUDO = 0.5
"""A pseudo-count of items of each outcome, for sources with few votes."""


@dataclass(frozen=True, eq=False)
class Group:
    """Some sources held out: labels by the other ones, and the votes of these."""

    joint: Joint
    """Per component (items, outcomes): labels by the other sources."""
    has_votes: npt.NDArray[np.bool_]
    """(items,): whether the other sources say anything."""
    rows: IntArray
    """(votes,): the item of each held-out vote, of items that others voted on."""
    likelihoods: Joint
    """Per component (votes, outcomes): how probable such a vote is if the outcome holds, up to a factor."""

    def held_out(self, component: int, said: Sequence[Joint]) -> HeldOutVotes:
        """Its votes, with what the labels and each view say of them."""
        joint, likelihood = self.joint[component], self.likelihoods[component]
        return HeldOutVotes(
            np.broadcast_to(log_shares(joint), likelihood.shape),
            log_lift(joint[self.rows], joint.mean(axis=0)),
            tuple(log_lift(view[component][self.rows], view[component].mean(axis=0)) for view in said),
            likelihood,
        )


def groups_of(votes: Votes, sample: IntArray, labels: Labels, label_model: LabelModel, seed: int) -> Iterator[Group]:
    """Each group of sources held out; its votes are looked at on a sample of the items."""
    sources = len(votes.names)
    if sources < 2:
        return
    rng = np.random.default_rng([seed, sources])
    group = np.empty(sources, dtype=np.int64)
    group[rng.permutation(sources)] = np.arange(sources) % min(GROUPS, sources)
    for number in range(min(GROUPS, sources)):
        held = np.flatnonzero(group == number)
        others = votes.select(np.flatnonzero(group != number).tolist())
        model = _for_sources(label_model, votes, others)
        try:
            with warnings.catch_warnings():  # what is wrong with a part of the sources is no news
                warnings.simplefilter("ignore")
                joint = model.fit(others, progress=False).label(others, progress=False).joint
        except AssayError:  # too little is left to learn from
            continue
        has_votes = np.diff(others.cast.starts) > 0
        rows, likelihoods = _witnessed(votes.select(held.tolist()), sample, has_votes, labels, rng)
        if len(rows) >= _FEWEST:
            yield Group(joint, has_votes, rows, likelihoods)


def _witnessed(
    held: Votes, sample: IntArray, has_votes: npt.NDArray[np.bool_], labels: Labels, rng: np.random.Generator
) -> tuple[IntArray, Joint]:
    """Held-out votes on the sample: their items, and how probable each would be given the outcome."""
    cast, all_votes = held.take(sample).cast, held.cast
    known = np.flatnonzero(has_votes[sample[cast.row]])
    if len(known) > MOST_VOTES // GROUPS:
        known = np.sort(rng.choice(known, MOST_VOTES // GROUPS, replace=False))
    # Each value of each source, numbered.
    values = np.concatenate([[0], np.cumsum([len(table) for table in held.values])])
    number = values[all_votes.sources] + all_votes.codes
    mine = values[cast.sources[known]] + cast.codes[known]
    found = []
    for joint in labels.joint:
        emitted = np.stack(
            [
                np.bincount(number, joint[all_votes.row, outcome], minlength=values[-1])
                for outcome in range(joint.shape[1])
            ],
            axis=1,
        )
        overall = emitted.sum(axis=1, keepdims=True) / max(len(joint), 1)
        rates = (emitted + _PSEUDO * overall) / (joint.sum(axis=0) + _PSEUDO)
        rates = rates / np.maximum(rates.max(axis=1, keepdims=True), 1e-300)
        found.append(rates[mine])
    return sample[cast.row[known]], tuple(found)


def _for_sources(model: LabelModel, votes: Votes, kept: Votes) -> LabelModel:
    """A label model of the same settings for some of the sources."""
    settings: dict[str, Any] = {**model.get_params(deep=False), "allow_unidentifiable": True}
    names = set(kept.names)

    def stays(source: Any) -> bool:
        return votes.names[votes.position(source)] in names

    def named(source: Any) -> str:
        return votes.names[votes.position(source)]

    declared = settings["dependencies"]
    if declared == "learn":  # a thorough search for each group would take longer than it is worth here
        settings["dependencies"] = "auto"
    elif not isinstance(declared, str):
        inside = ([named(source) for source in group if stays(source)] for group in declared)
        settings["dependencies"] = [tuple(group) for group in inside if len(group) > 1]
    for name in ("adversarial", "asked_later"):
        settings[name] = [named(source) for source in settings[name] or () if stays(source)]
    beliefs = settings["beliefs"]
    if beliefs:
        settings["beliefs"] = {named(source): belief for source, belief in beliefs.items() if stays(source)}
    return type(model)(**settings)
