"""Problems of labels any subset of which may apply: one finding for all labels of a task, not one a label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.checks.problems import Problem
from assay.checks.vote_counts import VoteCounts
from assay.checks.wording import joined
from assay.tasks import TaskGraph, labels_of_questions

EXPECTED = frozenset({"A103", "A107", "A201", "A203", "A306"})
"""What is usual where sources name what applies: that they never say anything else, and what follows from that."""


def too_few_for_labels(found: Sequence[VoteCounts], tasks: TaskGraph, labeled: frozenset[str]) -> Iterator[Problem]:
    """A108: labels that fewer than three sources name, so that these count alike, as in a majority vote."""
    asked = labels_of_questions(tasks.multiple)
    few: dict[str, list[tuple[int, str]]] = {}
    for counts in found:
        if counts.names_labels and counts.independent_sources < 3 and not set(counts.tasks) <= labeled:
            for name in counts.tasks:
                task, label = asked[name]
                few.setdefault(task, []).append((len(counts.names), label))
    for task, labels in few.items():
        nobody = [label for sources, label in labels if not sources]
        some = [label for sources, label in labels if sources]
        said = [f"nobody votes on {joined(nobody)}"] if nobody else []
        said += [f"fewer than three independent sources vote on {joined(some)}"] if some else []
        yield Problem(
            "A108",
            f"{len(labels)} of the {len(tasks.multiple[task])} labels of task {task!r} have too few sources to learn "
            f"accuracies from: {'; '.join(said)}. Votes on them count alike",
            f"add sources that name these labels, tell their shares, as in class_balance={{{labels[0][1]!r}: 0.05}}, "
            "or label about 50 items by hand",
            tasks=(task,),
        )


def gathered(problems: Iterable[Problem], tasks: TaskGraph) -> list[Problem]:
    """The same problems, where those with one code about labels of one task are one."""
    asked = labels_of_questions(tasks.multiple)
    others: list[Problem] = []
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        homes = {asked[name][0] for name in problem.tasks if name in asked}
        if len(homes) == 1 and all(name in asked for name in problem.tasks):
            if problem.code not in EXPECTED:
                alike.setdefault((problem.code, homes.pop()), []).append(problem)
        else:
            others.append(problem)
    return others + [_as_one(task, same) for (_, task), same in alike.items()]


def _as_one(task: str, same: list[Problem]) -> Problem:
    first = same[0]
    if len(same) == 1:
        return first
    sources = tuple(dict.fromkeys(name for problem in same for name in problem.sources))
    names = tuple(dict.fromkeys(name for problem in same for name in problem.tasks))
    message = f"on {len(names)} labels of task {task!r}, such as: {first.message}"
    return Problem(first.code, message, first.fix, sources=sources, tasks=names)
