"""Data programming does what it is known for, on votes made for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import assay
from assay.gold.scores import accuracy
from assay.simulate import flat_world, task_world


def test_data_programming_weighs_sources():
    world = flat_world(sources=9, accuracy=(0.52, 0.58), kind="class-conditional", seed=1)
    good = flat_world(sources=1, accuracy=(0.9, 0.95), kind="class-conditional", seed=2).sources[0]
    world = replace(world, sources=(*world.sources[:8], replace(good, name="good")))
    simulation = world.draw(8000, 5)
    by_count = accuracy(assay.majority_vote(simulation.votes), simulation.gold)
    assert accuracy(assay.data_programming(simulation.votes), simulation.gold) > by_count + 0.1


def test_the_unipolar_correction_understands_silence():
    simulation = flat_world(sources=12, accuracy=(0.7, 0.9), coverage=0.4, polarity="one", seed=4).draw(5000, 4)
    plain = accuracy(assay.data_programming(simulation.votes), simulation.gold)
    assert accuracy(assay.data_programming(simulation.votes, unipolar=True), simulation.gold) > plain


def test_tasks_apart_still_obey_the_task_graph(entities):
    simulation = task_world(entities, ["entity"] * 4 + ["person"] * 4 + ["org"] * 4, seed=2).draw(2000, 2)
    for unipolar in (False, True):
        labels = assay.data_programming(simulation.votes, unipolar=unipolar)
        assert labels.shape == (2000, 4)
        np.testing.assert_allclose(labels.sum(axis=1), 1)
        assert accuracy(labels, simulation.gold) > 0.6


DRAWN = flat_world(classes=3, sources=6, accuracy=(0.6, 0.9), seed=5).draw(2_000, 1)
MATRIX = np.asarray(DRAWN.votes.codes)


def test_a_label_that_a_source_never_emitted_counts_as_silence():
    """Of one label each, as unipolar sources are; nothing is known of what the third means by 0."""
    one_sided = np.where(np.arange(6) % 3 == MATRIX, MATRIX, -1)
    model = assay.DataProgramming(unipolar=True, cardinality=3).fit(one_sided)
    new, silent = one_sided[:50].copy(), one_sided[:50].copy()
    new[:, 2], silent[:, 2] = 0, -1
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba(silent))


def test_a_task_with_one_label_has_it():
    tasks = assay.TaskGraph(
        [assay.Task("a", ["x", "y"]), assay.Task("b", ["only"], ("a", "x")), assay.Task("c", ["one"])]
    )
    columns = {"s": ("b", ["only", None]), "u": ("a", ["x", "y"]), "z": ("c", ["one", None])}
    for part in assay.data_programming(assay.Votes.from_columns(tasks, columns)):
        np.testing.assert_allclose(part.sum(axis=1), 1)
