"""A task: one classification question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay._core.arguments import several
from assay._core.texts import unwritable
from assay.errors import TaskError


@dataclass(frozen=True, init=False)
class Task:
    """One classification question with named labels.

    Parameters
    ----------
    name
        What the task is called.
    labels
        The possible answers.
    parent
        The label of another task under which this one applies, as a pair
        ``(task, label)``, or a list of such pairs. Elsewhere it is N/A.
    multiple
        Whether any subset of the labels may apply, also none; else exactly one does. A task
        graph asks one yes/no question a label then.

    >>> Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person"))
    Task('person', ['Doctor', 'Lawyer'], parent=('entity', 'Person'))
    >>> Task("topics", ["sports", "politics"], multiple=True)
    Task('topics', ['sports', 'politics'], multiple=True)
    """

    name: str
    labels: tuple[str, ...]
    parents: tuple[tuple[str, str], ...]
    multiple: bool

    def __init__(
        self,
        name: str,
        labels: Iterable[str],
        parent: tuple[str, str] | Sequence[tuple[str, str]] | None = None,
        *,
        multiple: bool = False,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise TaskError(f"a task's name must be a non-empty string, but got {name!r}")
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise TaskError(f"task {name!r}: labels must be a list of names, but got {labels!r}")
        names = tuple(labels)
        if not names:
            raise TaskError(f"task {name!r} has no labels; give it the possible answers")
        for label in names:
            if not isinstance(label, str) or not label:
                raise TaskError(
                    f"task {name!r}: labels must be non-empty strings, but got {label!r} ({type(label).__name__})"
                )
        broken = unwritable((name, *names))
        if broken is not None:
            raise TaskError(f"task {name!r}: {broken!r} has half of a character in it, which no file can hold")
        repeated = next((label for label, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            raise TaskError(f"task {name!r} has the label {repeated!r} twice; label names must be unique within a task")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "labels", names)
        object.__setattr__(self, "parents", _parents(name, parent))
        if not isinstance(multiple, bool):
            raise TaskError(f"task {name!r}: multiple must be True or False, but got {multiple!r}")
        object.__setattr__(self, "multiple", multiple)

    def __repr__(self) -> str:
        shown: tuple[str, str] | list[tuple[str, str]] = self.parents[0] if len(self.parents) == 1 else [*self.parents]
        parent = f", parent={shown}" if self.parents else ""
        multiple = ", multiple=True" if self.multiple else ""
        return f"Task({self.name!r}, {list(self.labels)}{parent}{multiple})"


def unique_tasks(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks of one graph; two of the same name, or none at all, are refused."""
    known: dict[str, Task] = {}
    for task in several("tasks", tasks, "assay.Task", TaskError):
        if not isinstance(task, Task):
            raise TaskError(f"a task graph is made of assay.Task, but got {task!r}")
        if task.name in known:
            raise TaskError(f"two tasks are called {task.name!r}; task names must be unique")
        known[task.name] = task
    if not known:
        raise TaskError("a task graph needs at least one task")
    return tuple(known.values())


def _parents(name: str, parent: tuple[str, str] | Sequence[tuple[str, str]] | None) -> tuple[tuple[str, str], ...]:
    if parent is None:
        return ()
    given = list(parent) if isinstance(parent, Sequence) else [parent]
    pairs = [parent] if len(given) == 2 and all(isinstance(part, str) for part in given) else given
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise TaskError(
                f"task {name!r}: parent must be a pair (task, label) or a list of pairs, but got {parent!r}"
            )
    return tuple(dict.fromkeys((str(task), str(label)) for task, label in pairs))
