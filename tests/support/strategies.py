"""Random task graphs and votes, small enough to be enumerated."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

import assay
from assay.tasks import LabelSet
from assay.votes.dense_codes import DenseCodes
from assay.votes.schema import Schema
from assay.votes.sparse_codes import SparseCodes

LABELS = ("a", "b", "c")
"""Names that repeat across tasks, as they may."""

Pair = tuple[str, str | None]
Vector = dict[str, str | None]
Partial = dict[str, str | LabelSet | None]
"""What a vote says of some tasks: a label, N/A, or a set of labels."""


@dataclass(frozen=True)
class Rule:
    """A constraint in words, so that it can be judged without the library."""

    kind: str
    pairs: tuple[Pair, ...]

    @property
    def tasks(self) -> set[str]:
        return {task for task, _ in self.pairs}

    def holds(self, vector: Vector) -> bool:
        true = [vector[task] == label for task, label in self.pairs]
        if self.kind == "implies":
            return any(true[1:]) if true[0] else True
        if self.kind == "excludes":
            return true.count(True) < 2
        return not all(true)

    def constraint(self) -> Any:
        if self.kind == "implies":
            return assay.implies(*self.pairs)
        if self.kind == "excludes":
            return assay.excludes(*self.pairs)
        return lambda vector: not all(vector[task] == label for task, label in self.pairs)


@dataclass(frozen=True)
class Declaration:
    """All that a task graph is declared by."""

    tasks: tuple[assay.Task, ...]
    rules: tuple[Rule, ...] = ()
    feasible: tuple[Vector, ...] | None = None

    def compile(self) -> assay.TaskGraph:
        return assay.TaskGraph(
            self.tasks, constraints=[rule.constraint() for rule in self.rules], feasible=self.feasible
        )


@st.composite
def declarations(draw: st.DrawFn, max_tasks: int = 4) -> Declaration:
    """Tasks under none, one or several parents, in any order, with any logic; often contradictory."""
    tasks: list[assay.Task] = []
    for number in range(draw(st.integers(1, max_tasks))):
        above = [(task.name, label) for task in tasks for label in task.labels]
        parents = draw(st.lists(st.sampled_from(above), max_size=2, unique=True)) if above else []
        tasks.append(assay.Task(f"t{number}", LABELS[: draw(st.integers(1, 3))], parent=parents or None))
    pairs = st.sampled_from([(task.name, label) for task in tasks for label in (*task.labels, None)])
    named = st.sampled_from([(task.name, label) for task in tasks for label in task.labels])
    rules = draw(
        st.lists(
            st.one_of(
                st.builds(Rule, st.just("implies"), st.lists(pairs, min_size=2, max_size=3).map(tuple)),
                st.builds(Rule, st.just("excludes"), st.lists(pairs, min_size=2, max_size=3).map(tuple)),
                st.builds(Rule, st.just("predicate"), st.lists(named, min_size=1, max_size=2).map(tuple)),
            ),
            max_size=2,
        )
    )
    feasible = None
    if draw(st.integers(0, 3)) == 0:
        some = draw(st.lists(st.sampled_from(tasks), min_size=1, max_size=3, unique=True))
        vectors = list(product(*((*task.labels, None) for task in some)))
        chosen = draw(st.lists(st.sampled_from(vectors), min_size=1, max_size=len(vectors), unique=True))
        feasible = tuple({task.name: label for task, label in zip(some, vector, strict=True)} for vector in chosen)
    return Declaration(tuple(draw(st.permutations(tasks))), tuple(rules), feasible)


@st.composite
def task_graphs(draw: st.DrawFn, max_tasks: int = 4) -> assay.TaskGraph:
    """Task graphs that compile: of one component or several."""
    declared = draw(declarations(max_tasks))
    for attempt in (declared, Declaration(declared.tasks, declared.rules), Declaration(declared.tasks)):
        try:
            return attempt.compile()
        except assay.TaskError:
            continue
    raise AssertionError("tasks without logic always compile")


def full_vectors(tasks: assay.TaskGraph) -> list[Vector]:
    """The joint outcomes of all components, which the library never makes."""
    parts = [component.outcomes for component in tasks.label_space.components]
    return [{name: label for part in parts_of for name, label in part.items()} for parts_of in product(*parts)]


@st.composite
def partial_vectors(draw: st.DrawFn, tasks: assay.TaskGraph, sets: bool = True) -> Partial:
    """What a source may say: the labels of some tasks in some outcome, or sets of labels that they are in."""
    vectors = full_vectors(tasks)
    vector = draw(st.sampled_from(vectors))
    told = draw(st.lists(st.sampled_from(list(vector)), min_size=1, max_size=3, unique=True))
    said: Partial = {task: vector[task] for task in told}
    for task in told if sets else []:
        others = sorted({one[task] for one in vectors} - {vector[task]}, key=str)
        if others and draw(st.integers(0, 2)) == 0:
            out = draw(st.lists(st.sampled_from(others), min_size=1, unique=True))
            within = [vector[task], *(label for label in others if label not in out)]
            said[task] = assay.none_of(*out) if draw(st.booleans()) else assay.one_of(*within)
    return said


def agrees(label: str | None, said: str | LabelSet | None) -> bool:
    """Whether a task's label is what a vote says of it, or among what it says."""
    if isinstance(said, LabelSet):
        return (label in said.labels) != said.negated
    return label == said


@dataclass(frozen=True)
class Said:
    """Votes as dicts beside the container that is to hold them."""

    tasks: assay.TaskGraph
    columns: dict[str, list[Partial | None]]

    @property
    def votes(self) -> assay.Votes:
        return assay.Votes.from_columns(self.tasks, self.columns)

    @property
    def rows(self) -> list[list[Partial | None]]:
        return [list(row) for row in zip(*self.columns.values(), strict=True)]


@st.composite
def said(draw: st.DrawFn, max_tasks: int = 3, max_rows: int = 5, min_rows: int = 0) -> Said:
    """Some sources' votes on some items of a random task graph."""
    tasks = draw(task_graphs(max_tasks))
    rows = draw(st.integers(min_rows, max_rows))
    column = st.lists(st.none() | partial_vectors(tasks), min_size=rows, max_size=rows)
    return Said(tasks, {f"s{number}": draw(column) for number in range(draw(st.integers(1, 4)))})


def matrices(max_rows: int = 6, max_sources: int = 4, classes: int = 3) -> st.SearchStrategy[list[list[int]]]:
    """Votes of one task as class numbers, −1 for abstain."""
    return st.integers(1, max_sources).flatmap(
        lambda m: st.lists(
            st.lists(st.integers(-1, classes - 1), min_size=m, max_size=m), min_size=1, max_size=max_rows
        )
    )


def schemas(max_tasks: int = 3) -> st.SearchStrategy[Schema]:
    """Schemas of votes on random task graphs: values of one task and of several, and sources without any."""
    return said(max_tasks).map(lambda given: given.votes.schema)


@st.composite
def stores(draw: st.DrawFn, max_rows: int = 7, max_sources: int = 5) -> tuple[DenseCodes, SparseCodes]:
    """The same codes in both forms: as a table and as a list; often of no rows, or of rows without votes."""
    shape = draw(st.integers(0, max_rows)), draw(st.integers(1, max_sources))
    dtype = draw(st.sampled_from([np.int8, np.int16, np.int32]))
    codes = np.full(shape, -1, dtype=dtype)
    for row, source in product(*map(range, shape)):
        codes[row, source] = draw(st.sampled_from([-1, -1, 0, 1, 2]))
    return DenseCodes(np.asfortranarray(codes.copy())), SparseCodes.of(codes)
