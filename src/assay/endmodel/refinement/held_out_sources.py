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
    """Per component (items, outcomes): labels of a sample of the items by the other sources."""
    has_votes: npt.NDArray[np.bool_]
    """(items,): whether the other sources say anything of these."""
    held: Cast
    """The held-out votes on all items."""
    chosen: IntArray
    """(votes,): which of these are looked at; they are on items of the sample on which others voted too."""
    rows: IntArray
    """(votes,): on which items of the sample these are."""

    def evidence(self, component: int, said: Sequence[Joint], labels: FloatArray) -> HeldOutVotes:
        """Its votes, with what its labels and each view say of them.

        ``labels`` (items, outcomes) are the ones by which held-out sources are judged.
        """
        joint = self.joint[component]
        likelihood = self.held.rates(labels)[self.held.value[self.chosen]]
        return HeldOutVotes(
            np.broadcast_to(log_shares(joint), likelihood.shape),
            log_lift(joint[self.rows], joint.mean(axis=0)),
            tuple(log_lift(view[component][self.rows], view[component].mean(axis=0)) for view in said),
            likelihood,
        )


@dataclass(frozen=True, eq=False)
class Cast:
    """All votes of some sources."""

    row: IntArray
    """(votes,): of which item."""
    value: IntArray
    """(votes,): which value of which source, numbered through."""
    values: int
    """How many of these there are."""

    @classmethod
    def of(cls, votes: Votes) -> Cast:
        """As a list."""
        starts = np.concatenate([[0], np.cumsum([len(table) for table in votes.values])])
        cast = votes.cast
        return cls(cast.row.astype(np.int64), starts[cast.sources] + cast.codes, int(starts[-1]))

    def rates(self, labels: FloatArray) -> FloatArray:
        """(values, outcomes): how often each outcome has each value, if labels (items, outcomes) are right.

        Up to a factor for each value, so that the most is 1.
        """
        emitted = np.stack(
            [np.bincount(self.value, column[self.row], minlength=self.values) for column in labels.T], axis=1
        )
        overall = emitted.sum(axis=1, keepdims=True) / max(len(labels), 1)
        rates = (emitted + _PSEUDO * overall) / (labels.sum(axis=0) + _PSEUDO)
        return np.asarray(rates / np.maximum(rates.max(axis=1, keepdims=True), 1e-300))


def groups_of(
    votes: Votes, sample: IntArray, label_model: LabelModel, gold: Sequence[Any] | None, seed: int
) -> Iterator[Group]:
    """Each group of sources held out, for a sample of the items.

    Gold of items, if there is some, teaches the label models of the other sources too.
    """
    sources = len(votes.names)
    if sources < 2:
        return
    rng = np.random.default_rng([seed, sources])
    group = np.empty(sources, dtype=np.int64)
    group[rng.permutation(sources)] = np.arange(sources) % min(GROUPS, sources)
    for number in range(min(GROUPS, sources)):
        others = votes.select(np.flatnonzero(group != number).tolist())
        model = _for_sources(label_model, votes, others)
        try:
            with warnings.catch_warnings():  # what is wrong with a part of the sources is no news
                warnings.simplefilter("ignore")
                labels = model.fit(others, gold, progress=False).label(others, progress=False)
        except AssayError:  # too little is left to learn from
            continue
        joint = tuple(part[sample] for part in labels.joint)
        has_votes = np.diff(others.cast.starts)[sample] > 0
        held = Cast.of(votes.select(np.flatnonzero(group == number).tolist()))
        place = np.full(len(votes), -1)
        place[sample[has_votes]] = np.flatnonzero(has_votes)
        chosen = np.flatnonzero(place[held.row] >= 0)
        if len(chosen) > MOST_VOTES // GROUPS:
            chosen = np.sort(rng.choice(chosen, MOST_VOTES // GROUPS, replace=False))
        if len(chosen) >= _FEWEST:
            yield Group(joint, has_votes, held, chosen, place[held.row[chosen]])


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
