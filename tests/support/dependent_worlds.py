"""Worlds in which some sources copy each other, and the problem of finding out which."""

from assay.counts.cliques import layout_of
from assay.counts.source_graph import SourceGraph
from assay.counts.tally import Tally
from assay.model.dependencies.problem import Problem
from assay.simulate import flat_world

GROUPS = ((0, 1), (2, 3, 4))
KINDS = [{}, {"classes": 3}, {"coverage": 0.5}, {"polarity": "one", "coverage": 0.25}]
NAMES = ["two classes", "three classes", "abstaining", "one value each"]


def world_of(kind, groups=GROUPS, sources=14, seed=0):
    return flat_world(sources=sources, copies=groups, copy_probability=0.5, seed=seed, **kind)


def problem_of(votes):
    tally = Tally.of(votes)
    layout = layout_of(tally.schema, 0, SourceGraph(votes.names))
    assert layout.translation is None
    return Problem(layout, tally.sketch.patterns())
