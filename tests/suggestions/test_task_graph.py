"""Which labels imply labels of other tasks."""

import numpy as np
import pytest

import assay
from assay.suggestions.task_graph import joint_distribution

TASKS = assay.TaskGraph([assay.Task("a", ["a0", "a1", "a2"]), assay.Task("b", ["b0", "b1"])])


def noisy(tasks, truths, sources, seed=0, accuracy=(0.65, 0.85)):
    """Votes of some sources for each task, right with some probability."""
    rng = np.random.default_rng(seed)
    columns = {}
    for task, count in zip(tasks.tasks, sources, strict=True):
        truth, k = truths[task.name], len(task.labels)
        for number in range(count):
            wrong = (truth + rng.integers(1, k, size=len(truth))) % k
            said = np.where(rng.random(len(truth)) < rng.uniform(*accuracy), truth, wrong)
            known = truth >= 0
            columns[f"{task.name}{number}"] = (
                task.name,
                [task.labels[v] if there else None for v, there in zip(said, known, strict=True)],
            )
    return assay.Votes.from_columns(tasks, columns)


def truths(n, seed, implied):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(3, size=n), rng.integers(2, size=n)
    return {"a": first, "b": np.where(first == 1, 0, second) if implied else second}


@pytest.mark.parametrize("sources", [(5, 5), (3, 3), (2, 3)])
def test_a_planted_implication_is_found_and_no_other(sources):
    found = assay.suggest_task_graph(noisy(TASKS, truths(10_000, 1, True), sources, 1))
    (only,) = found.new
    assert (only.condition, only.consequence) == (("a", "a1"), ("b", "b0"))
    assert only.low >= 0.9
    assert only.support == pytest.approx(3_333, rel=0.15)
    assert found.task_graph.label_space.component_of("a") == found.task_graph.label_space.component_of("b")
    assert len(found.task_graph.label_space.outcomes) == 5


@pytest.mark.parametrize("seed", range(3))
def test_nothing_between_independent_tasks(seed):
    found = assay.suggest_task_graph(noisy(TASKS, truths(10_000, seed, False), (3, 3), seed))
    assert not found.implications
    assert str(found) == "no label implies another"


def test_a_task_that_refines_a_label():
    tasks = assay.TaskGraph([assay.Task("entity", ["Person", "Organization"]), assay.Task("job", ["Doctor", "Lawyer"])])
    rng = np.random.default_rng(0)
    entity = rng.integers(2, size=5_000)
    job = np.where(entity == 0, rng.integers(2, size=5_000), -1)
    found = assay.suggest_task_graph(noisy(tasks, {"entity": entity, "job": job}, (3, 3)))
    assert found.refinements == {"job": ("entity", "Person")}
    assert not found.constraints
    assert found.task_graph["job"].parents == (("entity", "Person"),)


def test_what_is_declared_is_said_to_be(entities):
    rng = np.random.default_rng(0)
    entity, kind = rng.integers(2, size=6_000), rng.integers(2, size=6_000)
    known = {"entity": entity, "person": np.where(entity == 0, kind, -1), "org": np.where(entity == 1, kind, -1)}
    found = assay.suggest_task_graph(noisy(entities, known, (3, 3, 3)))
    assert {each.condition for each in found.implications} >= {("person", "Doctor"), ("org", "Office")}
    assert not found.new
    assert found.to_pandas()["declared"].all()
    assert "A204" not in assay.check(noisy(entities, known, (3, 3, 3))).codes


def test_a_taxonomy_that_votes_contradict(entities):
    rng = np.random.default_rng(0)
    entity, kind = rng.integers(2, size=6_000), rng.integers(2, size=6_000)
    known = {"entity": entity, "person": np.where(entity == 1, kind, -1), "org": np.where(entity == 0, kind, -1)}
    votes = noisy(entities, known, (3, 3, 3))
    problems = [problem for problem in assay.check(votes).problems if problem.code == "A204"]
    assert {problem.tasks for problem in problems} >= {("person", "entity"), ("org", "entity")}
    assert "'Doctor' of task 'person' implies 'Person' of task 'entity'" in problems[0].message


def test_the_joint_distribution_does_not_mind_noise():
    rng = np.random.default_rng(0)
    true = np.array([[0.3, 0.0], [0.2, 0.5]])
    drawn = rng.choice(4, size=50_000, p=true.ravel())
    error = np.array([[0.7, 0.3], [0.3, 0.7]])
    first, second = (error[(rng.random(50_000) < 0.3) ^ part] for part in (drawn // 2, drawn % 2))
    np.testing.assert_allclose(joint_distribution(first, second), true, atol=0.02)


def test_one_task_is_refused():
    with pytest.raises(assay.AssayError, match="on one task"):
        assay.suggest_task_graph(assay.Votes.from_matrix([[0, 1, 1]] * 10))
