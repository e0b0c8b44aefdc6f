"""What to fix first, in plain sentences: the worst first, and for each what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.checks import CheckReport
from assay.errors import listing
from assay.evaluation import Evaluation
from assay.model import in_common
from assay.model.estimate import Redundancy
from assay.report.facts import ComponentFacts, SourceFacts, TaskFacts
from assay.votes import Fault

Urgency = Literal["stop", "fix", "look", "fine"]

_FEW_SOURCES = 2
_BARE = 0.2
"""A share of items without votes that is worth mentioning."""
_WORTH_IT = 0.005
_MOST_OF_A_KIND = 4
_FROM_THE_CHECK: dict[str, Urgency] = {
    "A308": "stop",
    "A106": "fix",
    "A301": "fix",
    "A203": "fix",
    "A107": "look",
    "A108": "look",
    "A302": "look",
    "A303": "look",
    "A201": "look",
    "A307": "look",
}
"""Findings of the check that are about what to change, in the order of their weight."""
_FEW_VOTES = 20
"""What is said so rarely is not worth mending first."""
_ENOUGH_GOLD = 30
"""With fewer votes on items with gold, gold says little about a source."""


@dataclass(frozen=True)
class Priority:
    """One thing to do, or to take note of."""

    urgency: Urgency
    what: str
    todo: str = ""


def priorities(
    sources: Sequence[SourceFacts],
    tasks: Sequence[TaskFacts],
    components: Sequence[ComponentFacts],
    check: CheckReport,
    redundant: Sequence[tuple[str, str, Redundancy]],
    faults: Sequence[Fault],
    notes: Sequence[str],
    evaluations: Mapping[str, Evaluation] | None = None,
) -> tuple[Priority, ...]:
    """All of it, most urgent first."""
    found = [
        *(Priority("stop", _sentence(problem.message), _sentence(problem.fix)) for problem in check.errors),
        *_failing(faults),
        *_worse_than_chance(sources),
        *_mostly_wrong(sources),
        *_misjudged(sources),
        *_repeating(redundant),
        *_thin_tasks(tasks),
        *_from_the_check(check),
        *_vague(sources),
        *_bare_items(components),
        *(Priority("look", _sentence(note)) for note in notes),
        *(_measured(evaluations or {}, components) or _gain(components)),
    ]
    order = ("stop", "fix", "look", "fine")
    return tuple(sorted(found, key=lambda entry: order.index(entry.urgency)))


def _failing(faults: Sequence[Fault]) -> Iterator[Priority]:
    for fault in faults:
        yield Priority(
            "fix",
            f"{fault.source!r} failed on {fault.count:,} rows, first on row {fault.row}: {fault.error}",
            "It counted as abstaining there. Fix the source, or let it return None on such rows.",
        )


def _worse_than_chance(sources: Sequence[SourceFacts]) -> Iterator[Priority]:
    astray = [source for source in sources if source.is_worse_than_chance]
    for source in astray[:_MOST_OF_A_KIND]:
        value = max((v for v in source.values if v.high < v.chance), key=lambda value: value.votes)
        yield Priority(
            "fix",
            f"{source.name!r} is worse than chance: {value.accuracy:.0%} of its {value.votes:,} votes for "
            f"{value.label} appear to be right; guessing would give {value.chance:.0%}.",
            "Read some of its votes below. If it means the opposite, invert it; if it is noise, remove it.",
        )
    if len(astray) > _MOST_OF_A_KIND:
        names = listing([source.name for source in astray[_MOST_OF_A_KIND:]])
        yield Priority("fix", f"{len(astray) - _MOST_OF_A_KIND} more sources are worse than chance: {names}.")


def _mostly_wrong(sources: Sequence[SourceFacts]) -> Iterator[Priority]:
    """Values that are wrong more often than right, though no guess would do better: of many labels each is rare."""
    found = [
        (source.name, value)
        for source in sources
        for value in source.values
        if value.votes >= _FEW_VOTES and value.high < 0.5 and not source.is_worse_than_chance
    ]
    found.sort(key=lambda entry: (entry[1].accuracy - 1) * entry[1].votes)
    for name, value in found[:_MOST_OF_A_KIND]:
        yield Priority(
            "fix",
            f"{name!r} is wrong more often than right: {value.accuracy:.0%} of its {value.votes:,} votes for "
            f"{value.label} appear to be right.",
            "Read some of its votes below, and make it narrower: leave out what makes it vote where it should not.",
        )
    if len(found) > _MOST_OF_A_KIND:
        names = listing(dict.fromkeys(name for name, _ in found[_MOST_OF_A_KIND:]))
        yield Priority("fix", f"Some votes of these are wrong more often than right, too: {names}.")


def _misjudged(sources: Sequence[SourceFacts]) -> Iterator[Priority]:
    """Values whose accuracy by gold lies below the model's whole interval."""
    found = [
        (source, value, value.gold)
        for source in sources
        for value in source.values
        if value.gold is not None and value.gold.votes >= _ENOUGH_GOLD and value.gold.high < value.low
    ]
    found.sort(key=lambda entry: (entry[1].accuracy - entry[2].accuracy) * -entry[1].votes)
    for source, value, gold in found[:_MOST_OF_A_KIND]:
        yield Priority(
            "look",
            f"The model overestimates {source.name!r}: by gold, {gold.accuracy:.0%} of its votes for "
            f"{value.label} are right, not {value.accuracy:.0%}.",
            "Sources that make the same mistakes confirm each other: look for what it has in common with others.",
        )
    if len(found) > _MOST_OF_A_KIND:
        names = listing(dict.fromkeys(source.name for source, _, _ in found[_MOST_OF_A_KIND:]))
        yield Priority("look", f"The model also overestimates some votes of these sources: {names}.")


def _repeating(redundant: Sequence[tuple[str, str, Redundancy]]) -> Iterator[Priority]:
    if not redundant:
        return
    one, other, pair = redundant[0]
    more = len(redundant) - 1
    others = "" if not more else f" So do {more} more {'pair' if more == 1 else 'pairs'}."
    yield Priority(
        "fix",
        f"{one!r} and {other!r} repeat each other: {in_common(pair)}.{others}",
        "Declare sources with a common cause as dependencies, or remove one of each pair; otherwise they count twice.",
    )


def _thin_tasks(tasks: Sequence[TaskFacts]) -> Iterator[Priority]:
    for task in tasks:
        if task.sources <= _FEW_SOURCES:
            count = ("no source votes", "one source votes", "two sources vote")[task.sources]
            yield Priority(
                "fix",
                f"Only {count} on {task.name}." if task.sources else f"No source votes on {task.name}.",
                f"Add {3 - task.sources} or more that look at something else: three or more sources check each other.",
            )


def _from_the_check(check: CheckReport) -> Iterator[Priority]:
    # Every problem of the check is here, so that the page and the check say the same.
    others: dict[str, Urgency] = dict.fromkeys(sorted(check.codes - _FROM_THE_CHECK.keys()), "look")
    for code, urgency in (_FROM_THE_CHECK | others).items():
        of_kind = [problem for problem in check.warnings if problem.code == code]
        for problem in of_kind[:_MOST_OF_A_KIND]:
            yield Priority(urgency, _sentence(problem.message), _sentence(problem.fix))
        if len(of_kind) > _MOST_OF_A_KIND:
            yield Priority(urgency, f"The check lists {len(of_kind) - _MOST_OF_A_KIND} more of this kind ({code}).")


def _vague(sources: Sequence[SourceFacts]) -> Iterator[Priority]:
    names = [source.name for source in sources if source.is_vague]
    if names:
        which, they = ("one source", "its") if len(names) == 1 else (f"{len(names)} sources", "their")
        yield Priority(
            "look",
            f"The votes say little about {which}: {listing(names)}. Error bars cover half the scale or more.",
            f"Let {they} votes overlap with others: add items, or another source that votes on the same items.",
        )


def _bare_items(components: Sequence[ComponentFacts]) -> Iterator[Priority]:
    for part in components:
        bare = 1 - part.covered
        if bare >= _BARE:
            about = "" if len(components) == 1 else f" about {', '.join(part.tasks)}"
            yield Priority(
                "look",
                f"{bare:.0%} of the items have no vote{about}, so their label is just the class balance.",
                "Read a few of them to find a source that covers them; until then, leave them out of training.",
            )


def _measured(evaluations: Mapping[str, Evaluation], components: Sequence[ComponentFacts]) -> list[Priority]:
    """What hand labels say of the labels, which counts more than what the model expects of itself."""
    model, majority = evaluations.get("label model"), evaluations.get("majority vote")
    if model is None or majority is None or model.cross_fitted < model.items:
        return []
    low, high = model.interval()
    told = (
        f"By {model.items:,} hand labels, {model.accuracy:.1%} of the labels are right ({low:.0%} to {high:.0%}), and "
        f"{majority.accuracy:.1%} of a majority vote's."
    )
    expected = min(part.right for part in components)
    if low <= expected <= high:
        return [Priority("fine", told)]
    more = "more" if expected > high else "less"
    return [Priority("look", told, f"The model expects {expected:.1%}: it is {more} sure of itself than it should be.")]


def _gain(components: Sequence[ComponentFacts]) -> Iterator[Priority]:
    for part in components:
        gain = part.right - part.majority_right
        about = "" if len(components) == 1 else f"{', '.join(part.tasks)}: "
        if gain < _WORTH_IT:
            yield Priority(
                "fine",
                f"{about}a majority vote would do as well here: the model changes {1 - part.same:.1%} of the labels "
                "and expects no gain from that.",
            )
        else:
            yield Priority(
                "fine",
                f"{about}the model expects {part.right:.1%} of its labels to be right, {100 * gain:.1f} points more "
                "than a majority vote.",
            )


def _sentence(text: str) -> str:
    """A message as a sentence of its own."""
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."
