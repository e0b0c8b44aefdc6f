"""Whatever is given in place of what was asked for, the error is one of ours, and short enough to be read."""

import numpy as np
import pytest

import assay
from assay.project import Project
from assay.simulate import flat_world

DRAWN = flat_world(sources=5, seed=3).draw(400)
VOTES = DRAWN.votes
MODEL = assay.LabelModel().fit(VOTES)
TASKS = assay.TaskGraph.flat("t", ["x", "y"])
LONG = "x" * 5_000


@assay.source(task="t")
def speaker(row):
    return "x"


def fitted(**settings):
    return lambda: assay.LabelModel(**settings).fit(VOTES)


def graph(**logic):
    return lambda: assay.TaskGraph([assay.Task("u", ["a", "b"])], **logic)


def parent(given):
    return lambda: assay.Task("u", ["a"], parent=given)


def applied(**settings):
    return lambda: assay.apply([speaker], [{"n": 1}], TASKS, **settings)


WRONG = {
    **{f"seed {seed!r}": fitted(seed=seed) for seed in (-1, "x", 1.5, None, True)},
    **{f"adversarial {given!r}": fitted(adversarial=given) for given in (5, [(1,)], "x", ["x"], [7])},
    **{f"beliefs {given!r}": fitted(beliefs=given) for given in (5, [1], "x", {"x": 0.7}, {0: "x"})},
    **{f"learning, {seed!r}": lambda seed=seed: assay.learn_dependencies(VOTES, seed=seed) for seed in (-1, "x", 1.5)},
    **{f"next items, seed {seed!r}": lambda seed=seed: assay.next_items(MODEL, VOTES, seed=seed) for seed in (-1, "x")},
    **{f"a world, seed {seed!r}": lambda seed=seed: flat_world(seed=seed) for seed in (-1, "x")},
    **{f"explain {row!r}": lambda row=row: MODEL.explain(VOTES, row) for row in ("x", 5.5, None, [1], 10**30, True)},
    **{f"parent {given!r}": parent(given) for given in (5, 0, False, {"a": 1}, [5])},
    **{f"tasks {given!r}": lambda given=given: assay.TaskGraph(given) for given in (5, [5], "x", None)},
    **{f"constraints {given!r}": graph(constraints=given) for given in (5, [5], [{"implies": 5}], "x")},
    **{f"feasible {given!r}": graph(feasible=given) for given in (5, [5], ["x"], "x", [{"u": 5}])},
    **{f"{name} 1.5": applied(**{name: 1.5}) for name in ("batch_size", "workers")},
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_argument_is_refused(call):
    with pytest.raises(assay.AssayError) as refused:
        call()
    assert len(str(refused.value)) < 2_000


def test_a_huge_batch_is_all_rows():
    votes = assay.apply([speaker], [{"n": 1}] * 3, TASKS, batch_size=10**30)
    np.testing.assert_array_equal(votes.codes[:, 0], [0, 0, 0])


PATHS = {
    "save": MODEL.save,
    "load": assay.LabelModel.load,
    "votes to": VOTES.to_parquet,
    "votes from": assay.Votes.from_parquet,
    "labels to": MODEL.label(VOTES).to_parquet,
    "labels from": assay.Labels.from_parquet,
    "fit": assay.LabelModel().fit,
    "count": assay.count,
    "data": lambda path: assay.apply([speaker], f"{path}.csv", TASKS),
    "parquet": lambda path: assay.apply([speaker], f"{path}.parquet", TASKS),
    "project": Project.load,
    "hand labels": assay.HandLabels.read,
}


@pytest.mark.parametrize("name", [LONG, "a\0b"], ids=["long", "NUL"])
@pytest.mark.parametrize("use", PATHS.values(), ids=PATHS.keys())
def test_a_path_that_no_file_can_have_is_refused(use, name, tmp_path):
    with pytest.raises(assay.AssayError) as refused:
        use(f"{tmp_path}/{name}")
    assert len(str(refused.value)) < 2_000
