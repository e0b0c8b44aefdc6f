"""What one more source would do, or one less, before anything is written: on the votes that there are."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError, CheckWarning
from assay.gold import HandLabels
from assay.labels import Labels
from assay.model import LabelModel
from assay.project.contents import Contents, contradicting
from assay.project.pipeline import label_model
from assay.project.project import Project
from assay.project.runs import chosen_labels
from assay.sources import PromptSource, Source, apply
from assay.votes import Votes, bare, compare_with_gold, side_by_side, wilson

IntArray = npt.NDArray[np.int64]

SAMPLE = 50_000
"""On as many items the label model is tried; hits are counted on all of them."""
EXAMPLES = 8


@dataclass(frozen=True)
class Estimate:
    """A share, and the 95% interval it is known to be in."""

    share: float
    low: float
    high: float
    items: int = 0
    """How many votes it rests on, if it was counted."""


@dataclass(frozen=True, eq=False)
class Preview:
    """What a source says about a project's items, and what that would do to their labels."""

    name: str
    items: int
    hits: int
    """On how many items it votes."""
    values: tuple[tuple[str, int], ...]
    """What it votes for, and how often."""
    examples: tuple[int, ...]
    """Some rows that it votes on, at random."""
    without_others: int
    """On how many of them no other source votes."""
    agrees: Estimate | None = None
    """The share of its votes that fit the label that the item has now, of those on items with other votes."""
    gold: Estimate | None = None
    """The share of its votes that gold or hand labels say are right."""
    accuracy: Estimate | None = None
    """The share that the label model thinks are right, with this source in it."""
    changed: Estimate | None = None
    """The share of labels that would be others."""
    sampled: int = 0
    """On how many items the label model was tried; 0 if it was not."""
    note: str = ""
    """Why something is not told."""


def preview_source(contents: Contents, source: Source) -> Preview:
    """What a source would do, if the project had it; in the place of one of the same name, if there is one.

    Raises
    ------
    AssayError
        If it cannot be applied to the data, or is a prompt, whose answers would have to be paid.
    """
    if isinstance(source, PromptSource):
        raise AssayError(
            "what a prompt says is not known before it is asked; see what it costs with 'assay apply --dry-run'"
        )
    project, votes = contents.project, contents.votes
    said = apply([source], contents.data, project.tasks, progress=False)
    rows = np.flatnonzero(said.voted)
    chosen = np.random.default_rng(0).permutation(rows)[:EXAMPLES]
    found: dict[str, Any] = {
        "name": source.name,
        "items": len(said),
        "hits": len(rows),
        "values": _values(said),
        "examples": tuple(sorted(chosen.tolist())),
        "without_others": len(rows),
    }
    if votes is None:
        return Preview(**found, note=contents.note)
    others = votes.drop(source.name) if source.name in votes.names and len(votes.names) > 1 else votes
    is_alone = source.name in votes.names and len(votes.names) == 1
    found["without_others"] = len(rows) if is_alone else int((said.voted & ~others.voted).sum())
    found["agrees"] = _agreement(contents, said)
    found["gold"] = _right(contents, said)
    if is_alone or not len(rows):
        return Preview(**found, note="" if len(rows) else "it votes on no item")
    try:
        return Preview(**found, **_refitted(contents, others, said))
    except AssayError as error:
        return Preview(**found, note=str(error))


@dataclass(frozen=True)
class LeftOut:
    """What the labels would be without a source."""

    name: str
    changed: Estimate
    """The share of labels that would be others."""
    right: Estimate | None
    """The share of labels that are right by gold or hand labels, as they are."""
    right_without: Estimate | None
    """The same, without the source."""
    sampled: int


def left_out(contents: Contents, name: str) -> LeftOut:
    """What the labels would be without one source.

    Raises
    ------
    AssayError
        If there are no labels, no such source, or too few others to learn from.
    """
    votes = contents.votes
    if votes is None or contents.labels is None:
        raise AssayError(contents.note or "there are no labels yet")
    if name not in votes.names:
        raise AssayError(f"there are no votes of {name!r}")
    if len(votes.names) == 1:
        raise AssayError(f"{name} is the only source that votes")
    rows = _sample(len(votes))
    before = labels_of_sample(contents)
    after = _tried(contents.project, votes.drop(name).take(rows), contents.hand)[1]
    return LeftOut(
        name,
        _share_of(_differ(before, after)),
        _right_labels(contents, before, rows),
        _right_labels(contents, after, rows),
        len(rows),
    )


def _values(said: Votes) -> tuple[tuple[str, int], ...]:
    counts = np.bincount(said.cast.codes, minlength=len(said.values[0]))
    told: dict[str, int] = {}
    for value, count in zip(said.values[0], counts.tolist(), strict=True):
        told[str(bare(value))] = told.get(str(bare(value)), 0) + count
    return tuple((value, count) for value, count in told.items() if count)


def _agreement(contents: Contents, said: Votes) -> Estimate | None:
    """How often its votes fit the labels of items on which there are votes."""
    labels = contents.labels
    if labels is None:
        return None
    fits, told = 0, 0
    cast = said.cast
    for index, sets in enumerate(said.outcome_sets):
        number = sets.of_code[0][cast.codes]
        speaks = (number >= 0) & contents.results.is_voted[cast.row]
        chosen = labels.joint[index][cast.row[speaks]].argmax(axis=1)
        fits += int(sets.masks[number[speaks], chosen].sum())
        told += int(speaks.sum())
    return Estimate(fits / told, *wilson(fits, told), told) if told else None


def _right(contents: Contents, said: Votes) -> Estimate | None:
    """How often its votes are right, by gold or hand labels."""
    if contents.truth is None:
        return None
    right, wrong = (int(part.sum()) for part in compare_with_gold(said, contents.truth))
    return Estimate(right / (right + wrong), *wilson(right, right + wrong), right + wrong) if right + wrong else None


def _refitted(contents: Contents, others: Votes, said: Votes) -> Mapping[str, Any]:
    """The label model with the source in it."""
    rows = _sample(len(said))
    both = side_by_side(others, said).take(rows)
    model, after = _tried(contents.project, both, contents.hand)
    own = model.sources_[(model.sources_["source"] == said.names[0]) & (model.sources_["votes"] > 0)]
    accuracy = None
    if len(own):
        weights = own["votes"] / own["votes"].sum()
        mean, low, high = (float((own[name] * weights).sum()) for name in ("accuracy", "low", "high"))
        accuracy = Estimate(mean, low, high)
    changed = None
    if contents.labels is not None and contents.votes is not None:
        changed = _share_of(_differ(labels_of_sample(contents), after))
    return {"accuracy": accuracy, "changed": changed, "sampled": len(rows)}


def _sample(items: int) -> IntArray:
    """(some,): rows at random, always the same ones; all of them, if they are few."""
    if items <= SAMPLE:
        return np.arange(items)
    return np.sort(np.random.default_rng(0).choice(items, SAMPLE, replace=False))


def labels_of_sample(contents: Contents) -> Labels:
    """The labels of a sample as they are, learned from the sample alone: so that only a source makes a difference.

    Of few items, these are the labels that there are. There must be votes and labels.
    """
    votes = contents.votes
    assert contents.labels is not None
    assert votes is not None
    rows = _sample(len(votes))
    if len(rows) == len(votes):
        return contents.labels
    memo = contents.results.memo
    taught_by, found = memo.get("labels of the sample", (None, None))
    if taught_by is not contents.hand:
        found = _tried(contents.project, votes.take(rows), contents.hand)[1]
        memo["labels of the sample"] = (contents.hand, found)
    labels: Labels = found
    return labels


def _tried(project: Project, votes: Votes, hand: HandLabels) -> tuple[LabelModel, Labels]:
    known = hand.within(votes) if len(hand) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CheckWarning)
        model = _model_for(project, votes.names)
        model.fit(votes, known if known is not None and len(known) else None, progress=False)
    return model, model.label(votes, progress=False)


def _model_for(project: Project, names: Collection[str]) -> LabelModel:
    """The project's label model, without what its settings say about sources that are left out."""
    model = label_model(project)
    if not isinstance(model.dependencies, str):
        groups = [[name for name in group if name in names] for group in model.dependencies]
        model.set_params(dependencies=[group for group in groups if len(group) > 1])
    return model


def _differ(one: Labels, other: Labels) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(one), dtype=bool)
    for task in one.tasks:
        found |= chosen_labels(one, task) != chosen_labels(other, task)
    return found


def _share_of(mask: npt.NDArray[np.bool_]) -> Estimate:
    count = int(mask.sum())
    return Estimate(count / max(len(mask), 1), *wilson(count, len(mask)), count)


def _right_labels(contents: Contents, labels: Labels, rows: IntArray) -> Estimate | None:
    if contents.truth is None:
        return None
    here = contents.truth.take(rows)
    scored = here.voted
    wrong = contradicting(labels, here)[scored]
    right = int((~wrong).sum())
    return Estimate(right / len(wrong), *wilson(right, len(wrong)), len(wrong)) if len(wrong) else None
