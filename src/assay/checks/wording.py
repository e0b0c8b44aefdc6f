"""How sources, tasks and labels are put into sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.errors import listing
from assay.tasks import Component

HAND_LABELS = 50
"""As many hand labels tell a class balance to about ± 14 points."""
BY_HAND = f"label about {HAND_LABELS} items by hand and fit with them as gold"
"""What helps against all that votes alone do not tell."""


def dependencies_text(pairs: Sequence[tuple[str, str]], word: str = "and") -> str:
    """Dependencies, as they were declared.

    >>> dependencies_text([("kb", "kb2")])
    "the dependency ('kb', 'kb2')"
    """
    shown = [f"({one!r}, {other!r})" for one, other in pairs[:4]]
    if len(pairs) > 4:
        text = f"{', '.join(shown)} and {len(pairs) - 4} more"
    else:
        text = f" {word} ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
    return f"the dependenc{'y' if len(pairs) == 1 or word == 'or' else 'ies'} {text}"


def tasks_text(tasks: Sequence[str]) -> str:
    """Tasks by name.

    >>> tasks_text(["mood"]), tasks_text(["mood", "food"])
    ("task 'mood'", "tasks 'mood' and 'food'")
    """
    return f"task{'s' * (len(tasks) != 1)} {joined(tasks)}"


def them(things: Sequence[object]) -> str:
    """The pronoun."""
    return "it" if len(things) == 1 else "them"


def joined(names: Sequence[str], most: int = 8) -> str:
    """A listing with an "and" before the last."""
    if len(names) < 2 or len(names) > most:
        return listing(names, most)
    return f"{listing(names[:-1])} and {names[-1]!r}"


def labels_text(component: Component, outcomes: npt.NDArray[np.integer]) -> str:
    """How some outcomes differ: the labels that they have, for each task in which they do.

    Tasks that do not apply to some of them differ in consequence only, and are left out if others remain.
    """
    told: list[str] = []
    in_consequence: list[str] = []
    for position, (task, labels) in enumerate(zip(component.tasks, component.labels, strict=True)):
        codes = dict.fromkeys(component.codes[outcomes, position].tolist())
        if len(codes) > 1:
            text = f"{joined(['N/A' if code < 0 else labels[code] for code in codes])} of task {task!r}"
            (in_consequence if min(codes) < 0 else told).append(text)
    return ", ".join(told or in_consequence)


def pairs_of_labels(component: Component, pairs: npt.NDArray[np.integer]) -> str:
    """Pairs of outcomes in words; all pairs among some outcomes as these outcomes."""
    members = np.unique(pairs)
    if len(pairs) == len(members) * (len(members) - 1) // 2:
        return labels_text(component, members)
    shown = "; ".join(labels_text(component, pair) for pair in pairs[:3])
    return shown + (f"; and {len(pairs) - 3} more pairs" if len(pairs) > 3 else "")
