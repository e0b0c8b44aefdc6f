"""The tables of dependent sources: P(joint vote | outcome), from expected counts of joint votes.

Cliques of the same shape are updated together, since there may be dozens of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.counts import Layout, tied
from assay.model.estimate.confidence import LevelsOfValues
from assay.model.estimate.knowledge import Belief, Knowledge
from assay.model.estimate.methods import EMSettings
from assay.model.estimate.typical_source import emitted_masks, typical_source
from assay.model.parameters import TINY

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_LEAST_CHANCE = 1e-3
"""The least probability of a value, and the pseudo-count of a joint vote, in the prior of a clique."""
_EVEN = 1e-3
"""A pseudo-count that all joint votes share, where the class-conditional model has seen none."""


@dataclass(frozen=True, eq=False)
class _Groups:
    """Configurations in groups."""

    order: IntArray
    """The configurations, group by group."""
    starts: IntArray
    """Where each group starts."""

    @classmethod
    def of(cls, group: IntArray, count: int) -> _Groups:
        """From the group of each configuration; those beyond the first ``count`` groups are left out."""
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(count + 1))
        return cls(order[: starts[-1]], starts[:-1])

    def sums(self, table: FloatArray) -> FloatArray:
        """(cliques, groups, outcomes): from (cliques, configurations, outcomes)."""
        return np.add.reduceat(table[:, self.order], self.starts, axis=1)


@dataclass(frozen=True, eq=False)
class _Member:
    """The sources in one place of some cliques of the same shape."""

    says: IntArray
    """(configurations,): the value in each; the last one is abstain."""
    masks: BoolArray
    """(cliques, values, outcomes)."""
    beliefs: tuple[Belief | None, ...]
    """Per clique the user's prior, if any."""
    levels: LevelsOfValues
    """The levels of confidence among the values."""

    @classmethod
    def of(cls, layout: Layout, indices: Sequence[int], at: int, known: Knowledge, levels: LevelsOfValues) -> _Member:
        """Those in place ``at`` of the cliques with these numbers."""
        cliques = [layout.cliques[index] for index in indices]
        sources = [clique.sources[at] for clique in cliques]
        masks = np.stack([layout.masks[source] for source in sources])
        values = layout.value_offsets[sources][:, None] + np.arange(masks.shape[1])
        beliefs = tuple(known.beliefs.get(source) for source in sources)
        return cls(cliques[0].digits[:, at], masks, beliefs, levels.part(values.ravel()))

    @cached_property
    def _by_value(self) -> _Groups:
        return _Groups.of(self.says, self.masks.shape[1])

    def votes(self, counts: FloatArray) -> FloatArray:
        """(cliques, values, outcomes): expected votes, from those of the cliques, (cliques, configurations, outcomes).

        The last configuration, in which all abstain, may be left out.
        """
        return self._by_value.sums(counts)

    def able(self, votes: FloatArray) -> BoolArray:
        """(cliques, outcomes): those about which each can be right, with the values that it emits."""
        return np.asarray(emitted_masks(self.masks, votes.sum(axis=2)).any(axis=1))

    def moved(self, counts: FloatArray) -> FloatArray:
        """(cliques, configurations, outcomes): counts shrunk toward beliefs; coverage and other votes stay fixed."""
        held = [at for at, belief in enumerate(self.beliefs) if belief is not None]
        if not held:
            return counts
        accuracy = np.array([0.5 if belief is None else belief.accuracy for belief in self.beliefs])
        strength = np.array([0.0 if belief is None else belief.strength for belief in self.beliefs])[:, None, None]
        votes = self.votes(counts)
        voting = votes.sum(axis=1, keepdims=True)
        typical = self.typical(votes, accuracy[:, None])
        wanted = (votes + strength * typical) * voting / np.maximum(voting + strength, TINY)
        abstaining = np.ones((len(votes), 1, votes.shape[2]))
        factor = np.concatenate([wanted / np.maximum(votes, TINY), abstaining], axis=1)
        shifted = counts.copy()
        shifted[held] *= factor[held][:, self.says]
        return shifted

    def typical(self, votes: FloatArray, accuracy: FloatArray) -> FloatArray:
        """(cliques, values, outcomes): P(value | vote, outcome) of sources of some accuracies that emit these values.

        ``accuracy`` is (cliques, 1).
        """
        used, hits = votes.sum(axis=2), (votes * self.masks).sum(axis=2)
        return typical_source(self.masks, used, accuracy, self.levels.shares(used, hits, accuracy))

    def lift(self, votes: FloatArray, average: float) -> FloatArray:
        """(cliques, configurations, outcomes): the log-odds that its vote adds if it is a source like others."""
        typical = self.typical(votes, np.full((len(votes), 1), average))
        logs = np.log(np.maximum(typical, _LEAST_CHANCE))
        silent = np.zeros((len(logs), 1, logs.shape[2]))
        return np.concatenate([logs - logs.mean(axis=2, keepdims=True), silent], axis=1)[:, self.says]


@dataclass(frozen=True, eq=False)
class Dependent:
    """Cliques of several sources, all of the same shape."""

    indices: tuple[int, ...]
    """Their numbers."""
    rows: IntArray
    """(cliques, configurations but the last): the columns of their joint votes in the design matrix."""
    tie: IntArray
    """(cliques, configurations, outcomes): equal where the class-conditional model ties parameters."""
    voters: IntArray
    """(configurations,): equal where the same members vote."""
    members: tuple[_Member, ...]

    @classmethod
    def of(cls, layout: Layout, indices: Sequence[int], known: Knowledge, levels: LevelsOfValues) -> Dependent:
        """The cliques with these numbers."""
        cliques = [layout.cliques[index] for index in indices]
        first = cliques[0]
        ties = [tied(layout, clique, known.applies) for clique in cliques]
        before = np.cumsum([0, *(int(tie.max()) + 1 for tie in ties)])[:-1]
        return cls(
            tuple(indices),
            layout.offsets[list(indices)][:, None] + np.arange(first.size - 1),
            np.stack(ties) + before[:, None, None],
            np.unique(first.voting, axis=0, return_inverse=True)[1].reshape(-1),
            tuple(_Member.of(layout, indices, at, known, levels) for at in range(len(first.sources))),
        )

    @cached_property
    def _by_voters(self) -> _Groups:
        return _Groups.of(self.voters, int(self.voters.max()) + 1)

    @cached_property
    def _voting(self) -> BoolArray:
        """(members, configurations): whether each votes."""
        return np.stack([member.says < member.masks.shape[1] for member in self.members])

    def said(self, block: FloatArray) -> list[tuple[BoolArray, FloatArray]]:
        """The masks of the members in each place, and their expected votes, (cliques, values, outcomes)."""
        return [(member.masks, member.votes(block)) for member in self.members]

    def tables(self, block: FloatArray, totals: FloatArray, average: float, settings: EMSettings) -> FloatArray:
        """(cliques, configurations, outcomes): P(joint vote | outcome), in two stages: who votes, and for what.

        From expected joint votes, (cliques, configurations but the last, outcomes), expected items of each outcome, and
        the accuracy of the average source.
        """
        silent = np.maximum(totals - block.sum(axis=1, keepdims=True), 0)
        counts = np.concatenate([block, silent], axis=1)
        for member in self.members:
            counts = member.moved(counts)
        votes = [member.votes(counts) for member in self.members]
        voting = self._by_voters.sums(counts)
        usual = self._usual(votes, voting, totals)
        spoken = np.maximum(1 - usual[:, self.voters[-1]], TINY)[:, None]
        even_items, one_items = settings.even_coverage / spoken, settings.average_source / spoken
        rates = voting + even_items * usual + one_items * self._voting_as_one_source(votes, voting, totals)
        rates = rates / (totals + even_items + one_items)
        spread = voting[:, self.voters]
        said = np.bincount(self.tie.ravel(), weights=counts.ravel())[self.tie]
        could = np.bincount(self.tie.ravel(), weights=spread.ravel())[self.tie]
        centre = (said + _EVEN / counts.shape[1]) / (could + _EVEN)
        centre = centre / self._by_voters.sums(centre)[:, self.voters]
        tying, one = settings.class_conditional, settings.average_source
        drawn = counts + tying * centre + one * self._as_one_source(counts, votes, average)
        table = np.maximum(rates[:, self.voters] * drawn / (spread + tying + one), TINY)
        normal: FloatArray = table / table.sum(axis=1, keepdims=True)
        return normal

    def _usual(self, votes: Sequence[FloatArray], voting: FloatArray, totals: FloatArray) -> FloatArray:
        """(cliques, sets of voters, outcomes): P(who votes), over outcomes about which the same ones can be right."""
        cliques, sets, outcomes = voting.shape
        alike = np.zeros((cliques, outcomes), dtype=np.int64)
        for member, part in zip(self.members, votes, strict=True):
            alike = 2 * alike + member.able(part)
        alike += np.arange(cliques)[:, None] << len(self.members)
        group = np.unique(alike, return_inverse=True)[1].reshape(alike.shape)
        items = np.bincount(group.ravel(), weights=np.broadcast_to(totals, group.shape).ravel())
        place = group[:, None, :] * sets + np.arange(sets)[:, None]
        found = np.bincount(place.ravel(), weights=voting.ravel())[place]
        return np.asarray(found / np.maximum(items[group], TINY)[:, None])

    def _voting_as_one_source(self, votes: Sequence[FloatArray], voting: FloatArray, totals: FloatArray) -> FloatArray:
        """(cliques, sets of voters, outcomes): P(who votes | outcome) if all members together are one source."""
        logs = np.zeros_like(voting)
        for part, says in zip(votes, self._voting, strict=True):
            rate = np.clip(part.sum(axis=1, keepdims=True) / np.maximum(totals, TINY), 1e-6, 1 - 1e-6)
            speaks = np.zeros(voting.shape[1], dtype=bool)
            speaks[self.voters] = says
            logs += np.where(speaks[:, None], np.log(rate), np.log1p(-rate)) / len(self.members)
        chance = (voting.sum(axis=2, keepdims=True) + _LEAST_CHANCE) * np.exp(logs)
        found: FloatArray = chance / chance.sum(axis=1, keepdims=True)
        return found

    def _as_one_source(self, counts: FloatArray, votes: Sequence[FloatArray], average: float) -> FloatArray:
        """(cliques, configurations, outcomes): P(joint vote | who votes, outcome) if all are one average source.

        Their log-odds are averaged, not added: the prior does not count what a group says several times.
        """
        lift = sum(member.lift(part, average) for member, part in zip(self.members, votes, strict=True))
        seen = counts.sum(axis=2, keepdims=True) + _LEAST_CHANCE
        chance = seen * np.exp(lift / np.maximum(self._voting.sum(axis=0), 1)[:, None])
        found: FloatArray = chance / self._by_voters.sums(chance)[:, self.voters]
        return found
