"""From logic to outcomes: which label vectors a task graph leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

import numpy as np

from assay._core.arguments import several
from assay.errors import TaskError
from assay.tasks.constraints import Constraint, Label, Predicate, Vector, from_predicate
from assay.tasks.hierarchy import check_assignment, check_parents, parent_rule, parents_first
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace
from assay.tasks.task import Task

MAX_OUTCOMES = 10_000
"""The most outcomes that one component of related tasks may have."""
MAX_SUBSETS = 1_000
"""The most outcomes that labels of which any subset may apply have together; else each is a component of its own."""


def compile_logic(
    tasks: Sequence[Task],
    constraints: Iterable[Constraint | Predicate],
    feasible: Iterable[Vector] | None,
    questions: Collection[str] = (),
) -> tuple[tuple[Constraint, ...], tuple[Constraint, ...], LabelSpace]:
    """The constraints, those given as functions too; those of them that are left to decisions; and the outcomes.

    Parents, constraints and feasible vectors are checked against the tasks first. ``questions`` are the tasks that
    ask whether one of several labels applies. Constraints that link more of them than can be enumerated are left to
    decisions.
    """
    given = tuple(several("constraints", constraints, "constraints", TaskError))
    for constraint in given:
        if not isinstance(constraint, Constraint) and not callable(constraint):
            raise TaskError(
                "a constraint is made by assay.implies or assay.excludes, or is a function of a dict of labels, "
                f"but got {constraint!r}"
            )
    vectors = None if feasible is None else _checked_feasible(tasks, feasible)
    check_parents(tasks)
    domains = _domains(tasks, vectors, [c for c in given if isinstance(c, Constraint)])
    labels = {task.name: task.labels for task in tasks}
    checked = tuple(
        _checked_constraint(c, labels) if isinstance(c, Constraint) else from_predicate(c, domains) for c in given
    )
    enumerable = [c for c in checked if c.kind is not None and set(c.tasks) <= set(questions)]
    later = _too_many(tasks, checked, enumerable, vectors, domains) if enumerable else ()
    now = [constraint for constraint in checked if constraint not in later]
    return checked, later, _label_space(tasks, now, vectors, domains)


def flat_label_space(task: Task) -> LabelSpace:
    """The label space of a single task: an outcome for each label."""
    if len(task.labels) > MAX_OUTCOMES:
        raise TaskError(
            f"the task {task.name!r} has {len(task.labels):,} labels; the limit is {MAX_OUTCOMES:,} outcomes"
        )
    codes = np.arange(len(task.labels), dtype=np.int16)[:, None]
    return LabelSpace((Component((task.name,), (task.labels,), codes),))


def _checked_feasible(tasks: Sequence[Task], feasible: Iterable[Vector]) -> list[dict[str, Label]]:
    """Feasible vectors over the tasks that any of them mentions; left out means N/A."""
    vectors = several("feasible", feasible, "dicts of task -> label", TaskError)
    for vector in vectors:
        if not isinstance(vector, Mapping):
            raise TaskError(f"a feasible vector is a dict of task -> label, but got {vector!r}")
    given = [dict(vector) for vector in vectors]
    if not given:
        raise TaskError("feasible=[] leaves no outcome; list at least one vector, or leave it out")
    labels = {task.name: task.labels for task in tasks}
    for vector in given:
        for name, label in vector.items():
            check_assignment(labels, name, label, "a feasible vector")
    mentioned = [task.name for task in tasks if any(task.name in vector for vector in given)]
    if not mentioned:
        raise TaskError("the feasible vectors name no task; write them as dicts of task -> label")
    distinct = {tuple(vector.get(name) for name in mentioned): None for vector in given}
    return [dict(zip(mentioned, vector, strict=True)) for vector in distinct]


def _checked_constraint(constraint: Constraint, labels: Mapping[str, Sequence[str]]) -> Constraint:
    for task, label in [*((task, None) for task in constraint.tasks), *constraint.mentions]:
        check_assignment(labels, task, label, f"the constraint '{constraint}'")
    return constraint


def _domains(
    tasks: Sequence[Task], feasible: list[dict[str, Label]] | None, constraints: list[Constraint]
) -> dict[str, tuple[Label, ...]]:
    """The labels each task may take: N/A too if it has a parent or some logic says so."""
    may_not_apply = {task.name for task in tasks if task.parents}
    may_not_apply |= {task for c in constraints for task, label in c.mentions if label is None}
    may_not_apply |= {task for vector in feasible or () for task, label in vector.items() if label is None}
    return {task.name: (*task.labels, *([None] if task.name in may_not_apply else [])) for task in tasks}


def _label_space(
    tasks: Sequence[Task],
    constraints: Sequence[Constraint],
    feasible: list[dict[str, Label]] | None,
    domains: dict[str, tuple[Label, ...]],
) -> LabelSpace:
    groups = _groups(tasks, constraints, feasible)
    return LabelSpace(tuple(_component(group, rules, listed, domains) for group, rules, listed in groups))


def _too_many(
    tasks: Sequence[Task],
    constraints: Sequence[Constraint],
    enumerable: Sequence[Constraint],
    feasible: list[dict[str, Label]] | None,
    domains: dict[str, tuple[Label, ...]],
) -> tuple[Constraint, ...]:
    """The constraints between labels, any subset of which may apply, that relate too many of them to be enumerated."""
    found: list[Constraint] = []
    for group, rules, listed in _groups(tasks, constraints, feasible):
        names = {task.name for task in group}
        linking = [constraint for constraint in enumerable if constraint.tasks[0] in names]
        if linking and len(_vectors(group, rules, listed, domains, MAX_SUBSETS)) > MAX_SUBSETS:
            found += linking
    return tuple(found)


_Group = tuple[list[Task], list[Constraint], list[dict[str, Label]] | None]


def _groups(
    tasks: Sequence[Task], constraints: Sequence[Constraint], feasible: list[dict[str, Label]] | None
) -> list[_Group]:
    """Groups of tasks that some logic connects, each with its rules, and the feasible vectors if they are about it."""
    rules = [parent_rule(task) for task in tasks if task.parents]
    rules += [rule for constraint in constraints for rule in (constraint, *constraint.early)]
    listed = tuple(feasible[0]) if feasible else ()
    by_name = {task.name: task for task in tasks}
    groups = _connected(tuple(by_name), [rule.tasks for rule in rules] + [listed])
    home = {name: at for at, group in enumerate(groups) for name in group}
    of_group: list[list[Constraint]] = [[] for _ in groups]
    for rule in rules:
        of_group[home[rule.tasks[0]]].append(rule)
    return [
        ([by_name[name] for name in group], of_group[at], feasible if listed and home[listed[0]] == at else None)
        for at, group in enumerate(groups)
    ]


def _connected(names: tuple[str, ...], links: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Groups of names that the links connect, in the order of their first name."""
    home = {name: {name} for name in names}
    for link in links:
        joined = set().union(*(home[name] for name in link))
        for name in joined:
            home[name] = joined
    place = {name: at for at, name in enumerate(names)}
    distinct = {id(home[name]): home[name] for name in names}
    return [tuple(sorted(group, key=place.__getitem__)) for group in distinct.values()]


def _component(
    tasks: Sequence[Task],
    rules: list[Constraint],
    feasible: list[dict[str, Label]] | None,
    domains: dict[str, tuple[Label, ...]],
) -> Component:
    """The outcomes of related tasks: all vectors over them that obey the rules."""
    group = tuple(task.name for task in tasks)
    vectors = _vectors(tasks, rules, feasible, domains, MAX_OUTCOMES)
    if len(vectors) > MAX_OUTCOMES:
        raise TaskError(
            f"the related tasks {', '.join(group)} have more than {MAX_OUTCOMES:,} outcomes together, "
            "the limit for one component; drop constraints between tasks that can be treated apart, "
            "or list the outcomes that matter with feasible=[...]"
        )
    if feasible:
        left = {tuple(vector[name] for name in feasible[0]) for vector in vectors}
        broken = next((vector for vector in feasible if tuple(vector.values()) not in left), None)
        if broken is not None:
            raise TaskError(f"the feasible vector {broken} breaks the other rules of the task graph")
    if not vectors:
        raise TaskError(
            f"the constraints leave no outcome for {', '.join(group)}: "
            f"{'; '.join(dict.fromkeys(rule.text for rule in rules))}; drop one of them"
        )
    labels = {task.name: task.labels for task in tasks}
    codes = np.array(
        [
            [NOT_APPLICABLE if (label := vector[name]) is None else labels[name].index(label) for name in group]
            for vector in vectors
        ],
        dtype=np.int16,
    )
    if not feasible:
        # In the order of the labels, N/A last, whatever order the tasks were grown in.
        codes = codes[np.lexsort(np.where(codes == NOT_APPLICABLE, np.iinfo(np.int16).max, codes).T[::-1])]
    for column, name in enumerate(group):
        for index, label in enumerate(labels[name]):
            if not (codes[:, column] == index).any():
                raise TaskError(
                    f"the label {label!r} of task {name!r} is in no feasible outcome; remove it or relax the rules"
                )
    return Component(group, tuple(labels.values()), codes)


def _vectors(
    tasks: Sequence[Task],
    rules: list[Constraint],
    feasible: list[dict[str, Label]] | None,
    domains: dict[str, tuple[Label, ...]],
    most: int,
) -> list[dict[str, Label]]:
    """The vectors that obey the rules, grown task by task and pruned as soon as a rule can tell.

    If they get more than ``most``, they are not grown further.
    """
    vectors: list[dict[str, Label]] = [dict(vector) for vector in feasible] if feasible else [{}]
    assigned: set[str] = set(vectors[0])
    vectors = _obeying(vectors, [rule for rule in rules if set(rule.tasks) <= assigned], most)
    for name in parents_first(tasks):
        if name in assigned:
            continue
        assigned.add(name)
        ripe = [rule for rule in rules if name in rule.tasks and set(rule.tasks) <= assigned]
        vectors = _grown(vectors, name, domains[name], ripe, most)
        if len(vectors) > most:
            break
    return vectors


def _grown(
    vectors: list[dict[str, Label]], name: str, labels: Sequence[Label], rules: list[Constraint], most: int
) -> list[dict[str, Label]]:
    """The vectors with each label of a task that the rules allow; those that were given are used up.

    Of a hierarchy most tasks do not apply, so that most vectors grow in one way only, and need no copy.
    """
    kept = []
    for vector in vectors:
        allowed = []
        for label in labels:
            vector[name] = label
            if _obeys(vector, rules):
                allowed.append(label)
        kept += [{**vector, name: label} for label in allowed[:-1]]
        if allowed:
            vector[name] = allowed[-1]
            kept.append(vector)
        if len(kept) > most:
            break
    return kept


def _obeying(vectors: Iterable[dict[str, Label]], rules: list[Constraint], most: int) -> list[dict[str, Label]]:
    return list(islice((vector for vector in vectors if _obeys(vector, rules)), most + 1))


def _obeys(vector: dict[str, Label], rules: list[Constraint]) -> bool:
    for rule in rules:
        try:
            feasible = rule.holds(vector)
        except Exception as error:
            raise TaskError(f"{rule} failed on {vector}: {type(error).__name__}: {error}") from error
        if not feasible:
            return False
    return True
