"""What refined labels rest on: how many items, how often right, which of them changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.gold import outcome_numbers
from assay.labels import KINDS, Labels
from assay.report.formatting import count, percent
from assay.report.html import Markup, section, tag
from assay.votes import Votes


@dataclass(frozen=True)
class KindFacts:
    """The labels of one kind of evidence."""

    name: str
    items: int
    changed: int
    """How many have another most probable outcome than by votes alone."""
    scored: int
    """How many have gold to score with."""
    before: float | None
    """The share of these that was right by votes alone."""
    after: float | None
    """The share of these that is right now."""


@dataclass(frozen=True)
class EvidenceFacts:
    """All kinds, and what votes and data are worth."""

    kinds: tuple[KindFacts, ...]
    votes_weight: float
    data_weights: Mapping[str, float]
    notes: tuple[str, ...]


def evidence_facts(refined: Labels | None, labels: Labels, gold: Votes | None = None) -> EvidenceFacts | None:
    """Refined labels beside those of votes alone; ``gold`` is what scores them, else what they carry; None if none."""
    if refined is None or refined.refined is None:
        return None
    changed = np.any(
        [new.argmax(axis=1) != old.argmax(axis=1) for new, old in zip(refined.joint, labels.joint, strict=True)], axis=0
    )
    truth = _truth(refined, gold)
    now, was = _right(refined, truth), _right(labels, truth)
    found = []
    for number, name in enumerate(KINDS):
        here = refined.refined.kinds == number
        if here.any():
            known = here & ~np.isnan(now)
            scored = int(known.sum())
            before, after = (float(part[known].mean()) if scored else None for part in (was, now))
            found.append(KindFacts(name, int(here.sum()), int((changed & here).sum()), scored, before, after))
    weights = {name: float(np.mean(each)) for name, each in refined.refined.data_weights.items()}
    return EvidenceFacts(
        tuple(found), float(np.mean(refined.refined.votes_weight)), weights, tuple(refined.refined.notes)
    )


def _truth(refined: Labels, gold: Votes | None) -> list[npt.NDArray[np.int64]]:
    """Per component (items,): the true outcome, −1 where it is not known."""
    if gold is not None:
        return [outcome_numbers(gold, at) for at in range(len(refined.joint))]
    found = [np.full(len(refined), -1, dtype=np.int64) for _ in refined.joint]
    if refined.gold is not None:
        for at, part in enumerate(found):
            part[refined.gold.rows] = refined.gold.outcomes(at)
    return found


def _right(labels: Labels, truth: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.float64]:
    """(items,): the share of components that are right without the item's own gold, NaN where none is known."""
    joint = [part.copy() for part in labels.joint]
    if labels.gold is not None:
        for part, held_out in zip(joint, labels.gold.held_out, strict=True):
            part[labels.gold.rows] = held_out
    known = np.stack([numbers >= 0 for numbers in truth])
    right = np.stack([part.argmax(axis=1) == numbers for part, numbers in zip(joint, truth, strict=True)])
    counts = known.sum(axis=0)
    share: npt.NDArray[np.float64] = np.where(counts > 0, (right & known).sum(axis=0) / np.maximum(counts, 1), np.nan)
    return share


def evidence_rows(facts: EvidenceFacts) -> list[tuple[str, ...]]:
    """A row for each kind, as texts: evidence, items, share, changed, right by votes alone, right now."""
    total = sum(kind.items for kind in facts.kinds)

    def share(value: float | None) -> str:
        return "–" if value is None else percent(value)

    return [
        (
            kind.name,
            f"{kind.items:,}",
            percent(kind.items / total),
            f"{kind.changed:,}",
            share(kind.before),
            share(kind.after),
        )
        for kind in facts.kinds
    ]


COLUMNS = ("Evidence", "Items", "Share", "Changed", "Right by votes alone", "Right now")


def evidence_section(report: Any) -> Markup | None:
    """What labels rest on; None if they were not refined."""
    facts: EvidenceFacts | None = report.evidence
    if facts is None:
        return None
    head = tag("tr", tag("th", COLUMNS[0]), [tag("th", name, class_="number") for name in COLUMNS[1:]])
    body = [
        tag("tr", tag("td", row[0], class_="name"), [tag("td", cell, class_="number") for cell in row[1:]])
        for row in evidence_rows(facts)
    ]
    weights = ", ".join(f"{name} {weight:.2f}" for name, weight in facts.data_weights.items())
    said = f"Log-odds count times: votes {facts.votes_weight:.2f}" + (f", {weights}." if weights else ".")
    scored = sum(kind.scored for kind in facts.kinds)
    return section(
        "evidence",
        "Votes and data",
        tag(
            "p",
            "These labels were refined: an end model, trained on labels of other items, says what it thinks of "
            "each item, and its log-odds are added to those of the votes. What either counts was measured on votes "
            "of sources that neither had seen.",
        ),
        tag("div", tag("table", tag("thead", head), tag("tbody", body)), class_="scroll"),
        tag("p", said, " ", " ".join(f"{note[0].upper()}{note[1:]}." for note in facts.notes), class_="note"),
        tag(
            "p",
            f"How often labels are right is by {count(scored, 'item')} with gold; an item that the model learned the "
            "gold of is judged by what would be said without.",
            class_="note",
        )
        if scored
        else None,
    )
