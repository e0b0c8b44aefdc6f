"""The figures of a report about sources and labels, without how they are shown.

Everything is counted over vote patterns, each with the number of items that it stands for. Where
patterns are too many, a sample of them stands for all, so the work does not grow with the items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.counts import Patterns, Tally
from assay.evaluation import label_numbers
from assay.gold import outcome_numbers
from assay.labels import Labels
from assay.model import Fitted
from assay.tasks import Vote, level_text, texts_of
from assay.votes import Votes, bare, compare_with_gold, summarize, wilson

FloatArray = npt.NDArray[np.float64]

_VAGUE = 0.5
"""An interval wider than this says hardly anything."""

RANGES = 20
"""The number of bins of a histogram of confidence."""


@dataclass(frozen=True)
class Score:
    """A share of votes that are right according to gold, with its 95% interval."""

    accuracy: float
    low: float
    high: float
    votes: int

    @classmethod
    def of(cls, correct: int, incorrect: int) -> Score | None:
        """From counts; None if there are none."""
        total = correct + incorrect
        return cls(correct / total, *wilson(correct, total), total) if total else None


@dataclass(frozen=True)
class LevelFacts:
    """One level of confidence at which a soft source says a label."""

    level: str
    accuracy: float
    votes: int


@dataclass(frozen=True)
class ValueFacts:
    """One value that a source emits; of a soft source, one label, at all levels of confidence."""

    label: str
    task: str
    accuracy: float
    low: float
    high: float
    votes: int
    chance: float
    """How often the vote would be right if it were cast at random."""
    gold: Score | None = None
    levels: tuple[LevelFacts, ...] = ()
    """The levels of confidence at which it was said, rising; none if there is but one."""

    @classmethod
    def of_levels(cls, said: Sequence[tuple[str, ValueFacts]]) -> ValueFacts:
        """All levels of one label, each with its name, as one: the mean of their accuracies, and of their bounds.

        Bounds of a mean are never further apart than that.
        """
        votes = sum(value.votes for _, value in said)
        mean = {
            name: sum(getattr(value, name) * value.votes for _, value in said) / max(votes, 1)
            for name in ("accuracy", "low", "high")
        }
        scores = [value.gold for _, value in said if value.gold is not None]
        right = sum(round(one.accuracy * one.votes) for one in scores)
        return replace(
            said[0][1],
            **mean,
            votes=votes,
            gold=Score.of(right, sum(one.votes for one in scores) - right),
            levels=tuple(LevelFacts(name, value.accuracy, value.votes) for name, value in said if value.votes),
        )


@dataclass(frozen=True)
class SourceFacts:
    """One source: how much it votes, how it agrees with others, and how accurate it appears to be."""

    name: str
    tasks: str
    coverage: float
    overlaps: float
    conflicts: float
    votes: int
    values: tuple[ValueFacts, ...]
    """Those that it emitted, most frequent first."""
    gold: Score | None = None

    @property
    def accuracy(self) -> float | None:
        """The share of its votes that are right, by the model; None without votes."""
        if not self.votes:
            return None
        return sum(value.accuracy * value.votes for value in self.values) / sum(value.votes for value in self.values)

    @property
    def is_vague(self) -> bool:
        """Whether its error bars are so wide that hardly anything is known about it."""
        return bool(self.values) and all(value.high - value.low > _VAGUE for value in self.values)

    @property
    def is_worse_than_chance(self) -> bool:
        """Whether most of its votes are for values whose whole error bar lies below chance."""
        astray = sum(value.votes for value in self.values if value.high < value.chance)
        return 2 * astray > self.votes > 0


@dataclass(frozen=True)
class LabelShare:
    """How common a label, or an outcome, is."""

    name: str
    share: float
    gold: float | None = None


@dataclass(frozen=True)
class TaskFacts:
    """What the labels of one task are like."""

    name: str
    sources: int
    """How many sources vote on it."""
    labels: tuple[LabelShare, ...]
    """The share of items that get each label, N/A included where it can occur."""
    never_voted: tuple[str, ...]


@dataclass(frozen=True)
class ComponentFacts:
    """What the outcomes of one component are like, and how confident the labels are."""

    tasks: tuple[str, ...]
    balance: tuple[LabelShare, ...]
    """How common each outcome is, by the model."""
    edges: FloatArray
    confidence: FloatArray
    """Items with votes by the probability of their most probable outcome, between ``edges``."""
    covered: float
    """The share of items with a vote."""
    right: float
    """The share of labels that the model expects to be right, among items with votes."""
    majority_right: float
    """The same for a majority vote, by the model."""
    same: float
    """The share of items with votes that a majority vote labels alike."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Votes counted for a report: over all items where that is cheap, over patterns where it is not."""

    fitted: Fitted
    tally: Tally

    @cached_property
    def patterns(self) -> Patterns:
        """The patterns, each with the number of items that it stands for."""
        return self.tally.sketch.patterns()

    @cached_property
    def votes(self) -> Votes:
        """The patterns as votes, a row for each."""
        return Votes(self.fitted.schema, self.patterns.rows)

    @cached_property
    def labels(self) -> Labels:
        """The labels of the patterns."""
        return Labels(self.fitted.tasks, tuple(self.fitted.unlinked_posteriors(self.votes)))

    @property
    def is_exact(self) -> bool:
        """Whether all patterns are here, so that nothing is an estimate from a sample."""
        return self.tally.sketch.is_exact


def source_facts(counted: Counted, gold: tuple[Votes, Votes] | None) -> tuple[SourceFacts, ...]:
    """Per source, in their order; ``gold`` are the votes on items with gold, and their gold."""
    fitted = counted.fitted
    table = summarize(counted.votes, None, "source", counted.patterns.counts)
    scores = None if gold is None else right_and_wrong(*gold)
    rows = iter(fitted.sources.to_dict("records"))
    found = []
    for j, (name, values) in enumerate(zip(fitted.names, fitted.values, strict=True)):
        uses = counted.tally.uses[j]
        told = []
        plain = [bare(vote) for vote in values]
        labels = [vote_text(vote) for vote in plain]
        if len(set(labels)) < len(set(plain)):
            distinct = list(dict.fromkeys(plain))
            text = dict(zip(distinct, texts_of(distinct), strict=True))
            labels = [text[vote] for vote in plain]
        for code in range(len(values)):
            row = next(rows)
            judged_right = None if scores is None else scores[j][code]
            told.append(
                ValueFacts(
                    label=labels[code],
                    task=str(row["task"]),
                    accuracy=float(row["accuracy"]),
                    low=float(row["low"]),
                    high=float(row["high"]),
                    votes=int(uses[code]),
                    chance=_chance(fitted, j, code),
                    gold=None if judged_right is None else Score.of(*judged_right),
                )
            )
        seen = table.iloc[j]
        found.append(
            SourceFacts(
                name=name,
                tasks=str(seen["task"]),
                coverage=float(uses[:-1].sum() / max(counted.tally.items, 1)),
                overlaps=float(seen["overlaps"]),
                conflicts=float(seen["conflicts"]),
                votes=int(uses[:-1].sum()),
                values=tuple(sorted((v for v in _by_label(values, told) if v.votes), key=lambda value: -value.votes)),
                gold=None
                if scores is None
                else Score.of(*(sum(each) for each in zip((0, 0), *scores[j], strict=True))),
            )
        )
    return tuple(found)


def _by_label(values: Sequence[Vote], told: Sequence[ValueFacts]) -> Iterator[ValueFacts]:
    """What is told of values, with the levels of confidence of each label taken together."""
    grouped: dict[Vote, list[tuple[str, ValueFacts]]] = {}
    for vote, value in zip(values, told, strict=True):
        name = "certain" if vote.level is None else level_text(*vote.level)
        grouped.setdefault(bare(vote), []).append((name, value))
    for same in grouped.values():
        yield ValueFacts.of_levels(same) if len(same) > 1 else same[0][1]


def _chance(fitted: Fitted, source: int, code: int) -> float:
    """How often a vote would be right if it were cast at random: the least of its components, as its accuracy is."""
    found = [1.0]
    for part, sets in zip(fitted.components, fitted.schema.outcome_sets, strict=True):
        number = sets.of_code[source][code]
        if number >= 0:
            found.append(float(sets.masks[number] @ part.fit.parameters.balance))
    return min(found)


def right_and_wrong(votes: Votes, gold: Votes) -> list[list[tuple[int, int]]]:
    """Per source and value: how many votes are right, and how many are wrong."""
    first = votes.schema.offsets
    numbers = first[votes.cast.sources] + votes.cast.codes
    counts = [np.bincount(numbers[flags], minlength=first[-1]) for flags in compare_with_gold(votes, gold)]
    pairs = list(zip(*(count.tolist() for count in counts), strict=True))
    return [pairs[start : start + len(values)] for start, values in zip(first, votes.values, strict=False)]


def task_facts(counted: Counted, gold: Votes | None) -> tuple[TaskFacts, ...]:
    """Per task, in their order."""
    weights = counted.patterns.counts / max(counted.patterns.items, 1e-300)
    space = counted.fitted.tasks.label_space
    used = [
        [vote for vote, count in zip(values, uses, strict=False) if count]
        for values, uses in zip(counted.fitted.values, counted.tally.uses, strict=True)
    ]
    found = []
    for task in counted.fitted.tasks:
        emitted = {label for values in used for vote in values for label in vote.labels_of(task.name, task.labels)}
        index = space.component_of(task.name)
        component = space.components[index]
        chosen = component.label_of(task.name)[counted.labels.joint[index].argmax(axis=1)]
        names = [*task.labels, *(["N/A"] if (component.label_of(task.name) < 0).any() else [])]
        # −1, N/A, is counted last.
        places = np.where(chosen < 0, len(task.labels), chosen)
        shares = np.bincount(places, weights=weights, minlength=len(names))
        true = None if gold is None else _gold_shares(label_numbers(gold, task.name), len(task.labels), len(names))
        found.append(
            TaskFacts(
                name=task.name,
                sources=sum(any(task.name in vote.tasks for vote in values) for values in used),
                labels=tuple(
                    LabelShare(name, float(shares[at]), None if true is None else float(true[at]))
                    for at, name in enumerate(names)
                ),
                never_voted=tuple(label for label in task.labels if label not in emitted),
            )
        )
    return tuple(found)


def _gold_shares(numbers: npt.NDArray[np.int64], labels: int, places: int) -> FloatArray | None:
    known = numbers[numbers >= -1]
    if not len(known):
        return None
    return np.bincount(np.where(known < 0, labels, known), minlength=places) / len(known)


def component_facts(counted: Counted, gold: Votes | None) -> tuple[ComponentFacts, ...]:
    """Per component of the label space."""
    found = []
    for index, (part, component) in enumerate(
        zip(counted.fitted.components, counted.fitted.tasks.label_space.components, strict=True)
    ):
        joint = counted.labels.joint[index]
        sets = counted.votes.outcome_sets[index]
        spoken = _speaks(counted.votes, np.concatenate([of_code[:-1] for of_code in sets.of_code]) >= 0)
        lowest = 1 / joint.shape[1]
        edges = np.linspace(np.floor(lowest * RANGES) / RANGES, 1.0, RANGES + 1)
        weights = np.where(spoken, counted.patterns.counts, 0.0)
        confidence = np.histogram(joint.max(axis=1), bins=edges, weights=weights)[0]
        true = None
        if gold is not None:
            numbers = outcome_numbers(gold, index)
            true = _gold_shares(np.where(numbers < 0, -2, numbers), len(component), len(component))
        assessment = part.fit.assessment
        found.append(
            ComponentFacts(
                tasks=component.tasks,
                balance=tuple(
                    LabelShare(text, float(part.fit.parameters.balance[at]), None if true is None else float(true[at]))
                    for at, text in enumerate(outcome_texts(component.outcomes))
                ),
                edges=edges,
                confidence=confidence,
                covered=float(counted.tally.covered[index] / max(counted.tally.items, 1)),
                right=assessment.right,
                majority_right=assessment.majority_right,
                same=assessment.same,
            )
        )
    return tuple(found)


def vote_text(vote: Vote) -> str:
    """The labels of a vote, without their tasks.

    >>> vote_text(Vote((("entity", "Person"), ("person", "Doctor"))))
    'Person, Doctor'
    """
    labels = ["N/A" if label is None else str(label) for _, label in vote.labels]
    return ", ".join(labels if vote.level is None else [*labels, level_text(*vote.level)])


def outcome_texts(outcomes: Sequence[Mapping[str, str | None]]) -> list[str]:
    """For each outcome a label that only it has; all of its labels where there is none, or where that is ambiguous.

    >>> outcome_texts([{"entity": "Person", "person": "Doctor"}, {"entity": "Place", "person": None}])
    ['Person', 'Place']
    >>> outcome_texts([{"entity": "Person", "person": "Doctor"}, {"entity": "Person", "person": "Lawyer"}])
    ['Doctor', 'Lawyer']
    """
    often = Counter(pair for outcome in outcomes for pair in outcome.items())
    texts = []
    for outcome in outcomes:
        labels = [(task, label) for task, label in outcome.items() if label is not None]
        own = [label for task, label in labels if often[task, label] == 1]
        texts.append(own[0] if own else ", ".join(label for _, label in labels) or "N/A")
    if len(set(texts)) == len(texts):
        return texts
    return [", ".join(label for label in outcome.values() if label is not None) or "N/A" for outcome in outcomes]


def _speaks(votes: Votes, says: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(items,): those with a vote that ``says`` something; that has an entry for each value of each source."""
    cast = votes.cast
    spoken = np.zeros(len(votes), dtype=bool)
    spoken[cast.row[says[votes.schema.offsets[cast.sources] + cast.codes]]] = True
    return spoken
