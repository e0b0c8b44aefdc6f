"""Hundreds of problems drawn at random: whatever the votes, the answers are probabilities of feasible outcomes."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

import assay
from tests.support.worlds import chordal_parents

PROBLEMS, CHUNKS = 500, 5


@dataclass(frozen=True)
class Problem:
    votes: assay.Votes
    dependencies: list
    settings: dict


def random_tasks(rng):
    """One to three tasks: beside each other, below each other, or bound by a constraint."""
    tasks = []
    for number in range(int(rng.integers(1, 4))):
        parent = None
        if tasks and rng.random() < 0.5:
            above = tasks[rng.integers(len(tasks))]
            parent = (above.name, above.labels[rng.integers(len(above.labels))])
        tasks.append(assay.Task(f"t{number}", ["a", "b", "c"][: rng.integers(1, 4)], parent=parent))
    constraints = []
    if len(tasks) > 1 and rng.random() < 0.3:
        pairs = [(task.name, task.labels[rng.integers(len(task.labels))]) for task in tasks[:2]]
        constraints = [(assay.implies if rng.random() < 0.5 else assay.excludes)(*pairs)]
    for logic in (constraints, []):
        try:
            return assay.TaskGraph(tasks, constraints=logic)
        except assay.TaskError:
            continue
    raise AssertionError("tasks without logic always compile")


def random_column(rng, tasks, truth):
    """What one source says of items with given outcomes: good, bad, adversarial, rare, one-sided or silent."""
    space = tasks.label_space
    n = len(truth)
    coverage = rng.choice([0.0, 0.05, 0.5, 1.0], p=[0.1, 0.2, 0.4, 0.3])
    accuracy = rng.choice([0.0, 0.3, 0.7, 0.95, 1.0])
    told = [name for name in tasks.names if rng.random() < 0.5] or [tasks.names[0]]
    column = []
    for row in range(n):
        if rng.random() >= coverage:
            column.append(None)
            continue
        said = {}
        for index, component in enumerate(space.components):
            right = rng.random() < accuracy
            outcome = truth[row][index] if right else int(rng.integers(len(component)))
            said |= {task: label for task, label in component.outcomes[outcome].items() if task in told}
        column.append(said)
    if rng.random() < 0.15:
        loudest = next((said for said in column if said is not None), None)
        column = [said if said == loudest else None for said in column]
    return column


def vaguely(rng, tasks, column):
    """The same with sets of labels in place of some: one of several, or none of the others."""
    domains = {
        task: sorted({outcome[task] for outcome in component.outcomes}, key=str)
        for component in tasks.label_space.components
        for task in component.tasks
    }

    def vague(task, label):
        others = [other for other in domains[task] if other != label]
        if not others or rng.random() < 0.5:
            return label
        out = rng.permutation(len(others))[: rng.integers(1, len(others) + 1)]
        if rng.random() < 0.5:
            return assay.none_of(*(others[at] for at in out))
        return assay.one_of(label, *(other for at, other in enumerate(others) if at not in out))

    return [None if said is None else {task: vague(task, label) for task, label in said.items()} for said in column]


def random_problem(seed):
    rng = np.random.default_rng(seed)
    tasks = random_tasks(rng)
    n = int(rng.choice([1, 2, 5, 20, 40]))
    m = int(rng.choice([1, 2, 3, 4, 6]))
    sizes = [len(component) for component in tasks.label_space.components]
    truth = [[int(rng.integers(size)) for size in sizes] for _ in range(n)]
    columns = {f"s{j}": random_column(rng, tasks, truth) for j in range(m)}
    sets = np.random.default_rng([seed, 1])
    columns = {
        name: vaguely(sets, tasks, column) if sets.random() < 0.25 else column for name, column in columns.items()
    }
    if rng.random() < 0.2:
        columns["copy"] = columns["s0"]
    if rng.random() < 0.05:
        columns = {name: [None] * n for name in columns}
    votes = assay.Votes.from_columns(tasks, columns)
    dependencies = []
    if rng.random() < 0.4:
        parents = chordal_parents(rng, min(len(columns), 4))
        dependencies = [(i, j) for j, above in enumerate(parents) for i in above]
    settings = {
        "method": str(rng.choice(["em", "em", "completion", "covariance"])),
        "abstentions": str(rng.choice(["informative", "ignored"])),
        "accuracies": str(rng.choice(["global", "local"])),
        "adversarial": ["s0"] if rng.random() < 0.1 else [],
        "class_balance": None,
        "max_steps": 6,
        "seed": seed,
    }
    if rng.random() < 0.2:
        given = [rng.dirichlet(np.ones(size)) + 1e-3 for size in sizes]
        given = [balance / balance.sum() for balance in given]
        settings["class_balance"] = given[0] if len(given) == 1 else given
    return Problem(votes, dependencies, settings)


def assert_sound(problem):
    votes = problem.votes
    model = assay.LabelModel(dependencies=problem.dependencies, **problem.settings)
    try:
        model.fit(votes)
        assert model.check_.ok
    except assay.UnidentifiableError as refused:
        of_the_method = "error[A006]" in str(refused) and problem.settings["method"] in ("completion", "covariance")
        assert of_the_method or not assay.check(votes, problem.dependencies).ok
        model.set_params(allow_unidentifiable=True).fit(votes)
    found = model.predict_proba(votes)
    found = found if isinstance(found, list) else [found]
    assert len(found) == len(votes.label_space.components)
    for part, component in zip(found, votes.label_space.components, strict=True):
        assert part.shape == (len(votes), len(component))
        assert np.isfinite(part).all()
        assert (part >= 0).all()
        np.testing.assert_allclose(part.sum(axis=1), 1, atol=1e-9)
    labels = model.label(votes)
    chosen = {task: labels.names(task) for task in votes.tasks.names}
    for row, component in product(range(len(votes)), votes.label_space.components):
        assert {task: chosen[task][row] for task in component.tasks} in component.outcomes
    for task in votes.tasks.names:
        np.testing.assert_allclose(labels[task].sum(axis=1), 1, atol=1e-9)
    for tables in model.conditionals_:
        for table in tables if isinstance(tables, list) else [tables]:
            assert np.isfinite(table).all()
            np.testing.assert_allclose(table.sum(axis=0), 1, atol=1e-9)
    numbers = model.sources_[["accuracy", "low", "high", "coverage"]].to_numpy(dtype=float)
    assert np.isfinite(numbers).all()
    assert ((numbers >= 0) & (numbers <= 1)).all()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_exception_no_nan_and_nothing_outside_the_label_space(chunk):
    for seed in range(chunk, PROBLEMS, CHUNKS):
        try:
            assert_sound(random_problem(seed))
        except Exception as error:
            error.add_note(f"problem {seed}: assert_sound(random_problem({seed}))")
            raise


def test_the_problems_are_of_all_kinds():
    problems = [random_problem(seed) for seed in range(0, PROBLEMS, 2)]
    components = [len(problem.votes.label_space.components) for problem in problems]
    assert {1, 2, 3} <= set(components)
    assert any(len(part) == 1 for problem in problems for part in problem.votes.label_space.components)
    assert any(len(problem.votes) == 1 for problem in problems)
    assert any(problem.votes.shape[1] == 1 for problem in problems)
    assert any((problem.votes.codes < 0).all() for problem in problems)
    assert any((problem.votes.codes[:, 0] < 0).all() and (problem.votes.codes >= 0).any() for problem in problems)
    sound = [assay.check(problem.votes, problem.dependencies).ok for problem in problems]
    assert 0.1 < np.mean(sound) < 0.9
