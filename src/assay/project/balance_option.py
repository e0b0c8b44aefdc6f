"""A class balance as it is typed after ``--class-balance``: ``Spam=0.15``, ``entity.Person=0.5..0.7``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.errors import ProjectError
from assay.tasks import TaskGraph


def class_balance_from(texts: Iterable[str], tasks: TaskGraph) -> dict[str, Any]:
    """What the texts say, as :class:`assay.LabelModel` takes it; a name that fits no label is left for it to refuse.

    >>> mail = TaskGraph.flat("mail", ["Spam", "Ham", "News"])
    >>> class_balance_from(["Spam=0.15", "mail.Ham=0.5..0.7"], mail)
    {'mail': {'Spam': 0.15, 'Ham': (0.5, 0.7)}}
    """
    by_task: dict[str, dict[str, Any]] = {}
    bare: dict[str, Any] = {}
    for text in texts:
        name, equals, share = (part.strip() for part in text.rpartition("="))
        if not equals or not name:
            raise _not_understood(text)
        task, label = _task_and_label(name, tasks)
        within = bare if task is None else by_task.setdefault(task, {})
        if label in within:
            raise ProjectError(f"--class-balance gives the share of {label!r} twice")
        within[label] = _share(share, text)
    return {**by_task, **bare}


def _task_and_label(name: str, tasks: TaskGraph) -> tuple[str | None, str]:
    """The task, if there can be no doubt about it, and the label. Names may contain dots, so they are looked up."""
    prefixed = [(task, name.removeprefix(f"{task.name}.")) for task in tasks if name.startswith(f"{task.name}.")]
    spelled_out = [(task.name, label) for task, label in prefixed if label in task.labels]
    homes = [(task.name, name) for task in tasks if name in task.labels]
    if spelled_out:
        return spelled_out[0]
    if len(homes) == 1:
        return homes[0]
    return (prefixed[0][0].name, prefixed[0][1]) if prefixed and not homes else (None, name)


def _share(text: str, option: str) -> float | tuple[float, float]:
    low, dots, high = text.partition("..")
    try:
        return (float(low or 0), float(high or 1)) if dots else float(text)
    except ValueError:
        raise _not_understood(option) from None


def _not_understood(option: str) -> ProjectError:
    return ProjectError(
        "--class-balance takes LABEL=SHARE or TASK.LABEL=SHARE, where a share is a number or a range, "
        f"as in Spam=0.15 or mail.Spam=0.1..0.2, but got {option!r}"
    )
