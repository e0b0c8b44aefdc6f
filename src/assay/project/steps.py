"""What to do next in a project: the steps that are worth the most, each with the place where it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from assay.errors import AssayError
from assay.project.advice_in_toml import in_toml
from assay.project.contents import Contents
from assay.project.source_overview import SourceLine, source_lines

Place = Literal["data", "sources", "source", "new source", "label", "run", "report"]

FIRST_LABELS = 20
"""As many hand labels come before anything else: they tell where things stand."""
ENOUGH_LABELS = 100
"""As many hand labels are put to use before anything else is worth more of a person's time."""
_FEW_SOURCES = 3
_BARE, _MANY_BARE = 0.03, 0.3
"""Shares of items without votes that are worth a look, and worth more than further labels."""
_ENOUGH_VOTES = 10


@dataclass(frozen=True)
class Step:
    """Something to do."""

    title: str
    why: str
    place: Place
    """Where it is done."""
    query: Mapping[str, str] = field(default_factory=dict)
    """What to look at there."""
    action: str = "Go"


def next_steps(contents: Contents, most: int = 3) -> list[Step]:
    """The steps that are worth the most, the first first."""
    found: dict[tuple[str, str], Step] = {}
    for step in _steps(contents):
        # The same place is worth one card, whatever the number of reasons to go there.
        found.setdefault((step.place, str(step.query)), step)
        if len(found) == most:
            break
    return list(found.values())


def _steps(contents: Contents) -> Iterator[Step]:
    if contents.fault:
        yield Step("Mend the sources", in_toml(contents.fault), "sources", action="See the sources")
    if not contents.project.has_sources:
        yield Step(
            "Write a first source",
            "A source says what an item is, or nothing: words, a pattern, a column. Read some items, and write down "
            "what gives them away.",
            "new source",
            action="New source",
        )
        yield Step("Read some items", f"The data has {len(contents):,} rows.", "data", action="See the data")
        return
    if contents.labels is None:
        yield Step("Run the project", in_toml(contents.note) or "There are no labels yet.", "run", action="Run")
    else:
        yield from _after_a_run(contents)
    # A few labels tell where things stand. Then sources are worth more, until most items have votes to learn from.
    yield from _more_labels(contents, FIRST_LABELS)
    yield from _silent_items(contents, _MANY_BARE)
    yield from _more_labels(contents, ENOUGH_LABELS)
    yield from _silent_items(contents, _BARE)
    yield from _to_look_at(contents)


def _after_a_run(contents: Contents) -> Iterator[Step]:
    model, last = contents.model, contents.runs[-1] if contents.runs else None
    assert model is not None
    if contents.source_changes:
        yield Step("Run again", f"{contents.source_changes}. The labels do not know of it yet.", "run", action="Run")
    known = 0 if last is None else last.hand_labels
    if last is not None and len(contents.hand) >= known + 10:
        new = len(contents.hand) - known
        yield Step("Run again", f"{new:,} items were labeled by hand since the last run.", "run", action="Run")
    for problem in model.check_.errors[:1]:
        yield Step("Votes that cannot be told apart", in_toml(f"{problem.message}. {problem.fix}"), "sources")
    yield from _astray(contents)


def _astray(contents: Contents) -> Iterator[Step]:
    """Sources that gold or hand labels show to be more often wrong than right."""
    try:
        lines = source_lines(contents)
    except AssayError as error:
        yield Step("Mend sources.toml", in_toml(str(error)), "sources", action="See the sources")
        return
    bad = [line for line in lines if _is_astray(line)]
    for line in sorted(bad, key=lambda line: -line.votes)[:1]:
        assert line.gold is not None
        yield Step(
            f"Look at the mistakes of {line.name}",
            f"Of {line.gold.items:,} of its votes that can be checked, {line.gold.share:.0%} are right.",
            "source",
            {"name": line.name},
            "See its mistakes",
        )
    if sum(line.coverage is not None for line in lines) < _FEW_SOURCES:
        yield Step(
            "Write another source",
            "With fewer than three sources votes cannot check each other.",
            "new source",
            action="New source",
        )


def _is_astray(line: SourceLine) -> bool:
    return line.gold is not None and line.gold.items >= _ENOUGH_VOTES and line.gold.high < 0.5


def _more_labels(contents: Contents, enough: int) -> Iterator[Step]:
    done, wanted = len(contents.hand), min(enough, len(contents))
    if contents.votes is not None and done < wanted:
        yield Step(
            "Label some items by hand" if not done else "Label more items by hand",
            f"{done:,} of the first {wanted:,} are done. They tell how right labels are, "
            "how common each label is, and which sources to trust.",
            "label",
            action="Label",
        )


def _silent_items(contents: Contents, most: float) -> Iterator[Step]:
    """Items on which no source votes, if these are more than a share."""
    bare = float(np.mean(~contents.results.is_voted)) if contents.votes is not None and len(contents) else 0.0
    if bare >= most:
        yield Step(
            "Find a source for silent items",
            f"On {bare:.0%} of the items no source votes, so that their label is only the class balance.",
            "data",
            {"only": "silent"},
            "See them",
        )


def _to_look_at(contents: Contents) -> Iterator[Step]:
    results = contents.results
    if contents.labels is not None and contents.is_wrong.any():
        yield Step(
            "Read what the labels get wrong",
            f"{'Hand labels say' if contents.results.gold is None else 'Gold says'} otherwise for "
            f"{int(contents.is_wrong.sum()):,} items.",
            "data",
            {"only": "wrong", "order": "sure"},
            "See them",
        )
    if contents.labels is not None:
        yield Step(
            "Read what the labels are least sure of",
            f"The label model expects {float(results.confidence.mean()):.0%} of its labels to be right.",
            "data",
            {"order": "unsure"},
            "See them",
        )
        yield Step("Read the report", "Everything that the last run found, on one page.", "report", action="Report")
