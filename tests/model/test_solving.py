"""From counts to fits: dependencies as declared or learned, an error where nothing can be learned, every component."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay import SourceGraph, Tally, UnidentifiableError, Votes
from assay.counts import Evidence, layout_of
from assay.model.counted import Counted
from assay.model.estimate import fit_component
from assay.model.settings import ModelSettings, knowledge_for
from assay.model.solving import checked, dependencies_of, solve
from assay.simulate import flat_world

DRAWN = flat_world(sources=8, copies=((0, 1),), copy_probability=0.8, seed=1).draw(4_000)
COUNTED = Counted(Tally.of(DRAWN.votes))
NOTHING = Counted(Tally.of(Votes.from_matrix([[0, 1], [1, 1], [0, 0]])))


def test_declared_dependencies_are_taken_as_they_are():
    declared = iter([(0, 1), ("2", "3")])
    found, learned = dependencies_of(COUNTED, ModelSettings(dependencies=declared), progress=False)
    assert (found, learned) == ([(0, 1), ("2", "3")], None)


def test_learned_dependencies_are_those_that_the_function_learns():
    found, learned = dependencies_of(COUNTED, ModelSettings(dependencies="learn", seed=3), progress=False)
    expected = assay.learn_dependencies(DRAWN.votes, seed=3, progress=False)
    assert found == learned.pairs == expected.pairs
    assert {frozenset(pair) for pair in found} == {frozenset(("0", "1"))}


def test_the_check_is_that_of_the_function_and_stops_a_fit():
    report = checked(COUNTED, [(0, 1)], ModelSettings())
    assert report == assay.check(DRAWN.votes, [(0, 1)])
    with pytest.raises(UnidentifiableError, match=r"the model is not identifiable.*\n(.|\n)*allow_unidentifiable=True"):
        checked(NOTHING, [], ModelSettings())
    assert not checked(NOTHING, [], ModelSettings(allow_unidentifiable=True)).ok


def test_too_many_joint_votes_have_no_way_out():
    votes = flat_world(sources=12, classes=3, seed=1).draw(200).votes
    group = [tuple(range(12))]
    with pytest.raises(UnidentifiableError) as caught:
        checked(Counted(Tally.of(votes)), group, ModelSettings())
    assert "A005" in str(caught.value)
    assert "allow_unidentifiable" not in str(caught.value)


def test_every_component_is_fitted_by_itself(pair):
    rng = np.random.default_rng(0)
    columns = {
        f"{task.name}{j}": (task.name, rng.choice(list(task.labels), 500).tolist()) for task in pair for j in range(4)
    }
    votes = Votes.from_columns(pair, columns)
    counted, settings = Counted(Tally.of(votes)), ModelSettings(method="em", beliefs={"mood0": 0.8})
    found = solve(counted, [("mood0", "mood1")], settings)
    assert len(found) == 2
    graph = SourceGraph(votes.names, [("mood0", "mood1")])
    for index, component in enumerate(found):
        layout = layout_of(votes.schema, index, graph)
        known = knowledge_for(settings, votes.schema, index, layout)
        alone = fit_component(Evidence.of(counted.tally, layout), known, method="em")
        assert [votes.names[source] for source in component.sources] == [
            name for name in votes.names if name.startswith(pair.names[index])
        ]
        assert component.fit.parameters.distance(alone.parameters) == 0
    assert [len(clique.sources) for clique in found[0].layout.cliques].count(2) == 1
    assert all(len(clique.sources) == 1 for clique in found[1].layout.cliques)


def test_steps_and_seed_reach_the_solvers():
    (short,) = solve(COUNTED, [(0, 1)], ModelSettings(method="em", max_steps=1))
    assert not short.fit.solvers["em"].converged
    one, other = (solve(COUNTED, [(0, 1)], ModelSettings(method="covariance", seed=5))[0] for _ in range(2))
    assert one.fit.parameters.distance(other.fit.parameters) == 0
