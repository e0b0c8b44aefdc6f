"""What votes tell about the class balance, and what the user has told of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.checks.agreement import TINY, Agreement
from assay.checks.identifiability import View, classes_of, independent_groups, meets_kruskal, rarely_separated
from assay.checks.problems import Problem
from assay.checks.vote_counts import BoolArray, VoteCounts
from assay.checks.wording import HAND_LABELS, joined, pairs_of_labels, tasks_text
from assay.errors import AssayError, near_miss
from assay.tasks import TaskGraph, question

NAMED_OUTCOMES = 400
"""With more outcomes than this, pairs of them are not looked at one by one."""
ENOUGH_INFORMATION = 2.0
"""With less information on the class balance, votes leave its standard error at almost 20 points."""
USEFUL_CORRELATION = 0.25
"""The correlation of two sources that are right three times in four."""


def tasks_told(class_balance: Any, tasks: TaskGraph) -> frozenset[str]:
    """The tasks about whose class balance something was said, in any form that :class:`assay.LabelModel` takes.

    >>> tasks_told({"Spam": 0.15}, TaskGraph.flat("mail", ["Spam", "Ham"]))
    frozenset({'mail'})
    """
    components = tasks.label_space.components
    if class_balance is None:
        return frozenset()
    if isinstance(class_balance, Mapping):
        return frozenset(task for key, share in class_balance.items() for task in _tasks_of(key, share, tasks))
    given = [class_balance] if len(components) == 1 else class_balance
    if not isinstance(given, Iterable) or len(given := list(given)) != len(components):
        raise AssayError(f"class_balance must have one entry for each of the {len(components)} components")
    pairs = zip(given, components, strict=True)
    return frozenset(task for one, component in pairs if one is not None for task in component.tasks)


def _tasks_of(key: Any, share: Any, tasks: TaskGraph) -> list[str]:
    """The task of that name, if shares of its labels are given, or the tasks that have a label of that name."""
    if key in tasks.multiple and isinstance(share, Mapping):
        return [question(key, label) for label in share]
    known: dict[str, list[str]] = {}
    for task in tasks:
        for name in [task.name] if isinstance(share, Mapping) else task.labels:
            known.setdefault(name, []).append(task.name)
    if str(key) not in known:
        what = "task" if isinstance(share, Mapping) else "label"
        raise AssayError(f"class_balance: there is no {what} {key!r}. {near_miss(key, known)}")
    return known[str(key)]


def unknown_balance(counts: VoteCounts, lonely: npt.NDArray[np.intp], told: Collection[str]) -> Iterator[Problem]:
    """A103: Kruskal's condition, over outcomes that are told apart at all and sources that overlap with others."""
    _, first = np.unique(classes_of(counts.emitted_masks), return_index=True)
    groups = _views(counts, np.setdiff1d(np.arange(len(counts.names)), lonely), first)
    if meets_kruskal(groups):
        return
    message = f"the votes alone may not determine the class balance of {tasks_text(counts.tasks)}"
    is_told = set(counts.tasks) <= set(told)
    fix = "make sure that the class_balance you give is right" if is_told else "give class_balance"
    fix += ", or add independent sources"
    if groups and len(first) <= NAMED_OUTCOMES:
        pairs = np.argwhere(np.triu(rarely_separated(groups)))
        if len(pairs):
            labels = pairs_of_labels(counts.component, first[pairs])
            message += f": fewer than three independent sources tell apart {labels}"
            fix += " that do"
    if is_told:
        message += "; it rests on what you give"
    yield Problem("A103", message, fix, tasks=counts.tasks)


def _views(counts: VoteCounts, sources: npt.NDArray[np.intp], outcomes: npt.NDArray[np.intp]) -> list[View]:
    """What each group of independent sources tells apart among some outcomes."""
    known: dict[bytes, View] = {}
    views = []
    for said in counts.emitted[sources]:
        if said.tobytes() not in known:
            known[said.tobytes()] = View.of(np.ascontiguousarray(counts.masks[said][:, outcomes]))
        views.append(known[said.tobytes()])
    groups = independent_groups(counts.tied[np.ix_(sources, sources)])
    return [sum((views[j] for j in group[1:]), views[group[0]]) for group in groups]


def votes_do_not_tell(counts: VoteCounts, votes: Agreement, told: Collection[str], related: bool) -> Iterator[Problem]:
    """A107: too few items have three votes, of independent sources, that could have been for another label.

    Sources that say one label only, or abstain, tell how common it is only if nothing else decides when they speak.
    If sources are not ``related``, A106 says so, and what follows from it for the balance is not said again.
    """
    rare: dict[str, tuple[str, ...]] = {}
    weak: dict[str, tuple[str, ...]] = {}
    for task, labels in zip(counts.tasks, counts.component.labels, strict=True):
        names = _names_label(counts, counts.component.label_of(task), len(labels))
        if task in told or len(labels) < 2 or not names.any():
            continue
        free = np.flatnonzero(names.sum(axis=1) > 1)
        triples = _triples(counts, free)
        if triples * USEFUL_CORRELATION**3 < ENOUGH_INFORMATION:
            rare[task] = labels
        elif related and triples * _correlation(counts, votes, free) ** 3 < ENOUGH_INFORMATION:
            weak[task] = labels
    if not rare and not weak:
        return
    reasons = (
        (rare, "too few items have three votes of sources that also vote for other labels"),
        (weak, "sources that vote for several labels agree too little, given how often they meet"),
    )
    told_why = "; ".join(f"how common {_labels_text(found)} are, since {why}" for found, why in reasons if found)
    task, labels = next(iter((rare | weak).items()))
    share = f"{{{labels[0]!r}: 0.15}}" if len(counts.tasks) == 1 else f"{{{task!r}: {{{labels[0]!r}: 0.15}}}}"
    fix = (
        f"give what you know of the class balance, as in class_balance={share} with your own figure, "
        f"or label about {HAND_LABELS} random items by hand and fit with them as gold"
    )
    concerned = tuple(task for task in counts.tasks if task in rare or task in weak)
    yield Problem("A107", f"the votes do not tell {told_why}", fix, tasks=concerned)


def _labels_text(found: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{joined(labels)} of task {task!r}" for task, labels in found.items())


def _names_label(counts: VoteCounts, label_of: npt.NDArray[np.int16], labels: int) -> BoolArray:
    """(sources, labels): whether a source says something that leaves only outcomes with that label."""
    lowest = np.where(counts.masks, label_of, np.iinfo(np.int16).max).min(axis=1)
    highest = np.where(counts.masks, label_of, -2).max(axis=1)
    names = (lowest == highest)[:, None] & (lowest[:, None] == np.arange(labels))
    says: BoolArray = counts.emitted.astype(np.float32) @ names.astype(np.float32) > 0
    return says


# How much three votes on an item tell. Let two classes have shares p and 1 − p. The product of the votes of three
# independent sources, in standard units, is on average (1 − 2p) / √(p (1 − p)) times the root of their three
# correlations, and its variance is about one. So the standard error of p near one half is 1 / (4 √I), where the
# information I is the sum of the products of the three correlations over all triples of votes.


def _correlation(counts: VoteCounts, votes: Agreement, sources: npt.NDArray[np.intp]) -> float:
    """How far the votes of some sources are correlated where they meet."""
    chosen = np.ix_(sources, sources)
    found = votes.of(sources).among(counts.independent[chosen])
    most = np.sqrt(found.variance * counts.overlap[chosen])  # the excess of two sources that always say the same
    average = float(found.excess.sum()) / max(float(most.sum()), TINY)
    # With adversarial sources correlations have both signs. Their squares are larger by a variance that is known.
    squares = float((found.excess**2 - found.variance).sum()) / max(float((most**2).sum()), TINY)
    return float(min(max(average, max(squares, 0.0) ** 0.5), 1.0))


def _triples(counts: VoteCounts, sources: npt.NDArray[np.intp]) -> float:
    """How many triples of votes by some sources are on one item, estimated from how often pairs of them meet.

    The estimate is exact if sources vote independently of each other. Items with k votes each have
    Σ (k − 1)(k − 2)/2 = pairs − votes + items, which is zero where none has three.
    """
    if len(sources) < 3:
        return 0.0
    chosen = np.ix_(sources, sources)
    votes = counts.votes[sources].astype(float)
    pairs = float(np.triu(counts.overlap[chosen], 1).sum())
    if pairs - votes.sum() + counts.covered <= 0:
        return 0.0
    rates = np.where(counts.independent[chosen], counts.overlap[chosen], 0) / np.sqrt(np.outer(votes, votes))
    return counts.items * float(np.einsum("ij,ji->", rates @ rates, rates)) / 6
