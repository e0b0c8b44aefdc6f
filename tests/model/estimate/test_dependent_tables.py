"""The tables of dependent sources."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from assay.counts import SourceGraph
from assay.counts.cliques import Layout
from assay.model.estimate.confidence import levels_of
from assay.model.estimate.dependent_tables import Dependent
from assay.model.estimate.knowledge import Belief, Knowledge
from assay.model.estimate.methods import EMSettings

SETTINGS = EMSettings()
OUTCOMES = 4


def three_pairs() -> Layout:
    """Pairs of sources that can name different outcomes, all of the same shape."""
    masks = [np.eye(OUTCOMES, dtype=bool)[[at % OUTCOMES, (at + 1) % OUTCOMES]] for at in range(6)]
    masks[3] = np.array([[True, True, False, False], [False, False, True, True]])
    graph = SourceGraph([str(at) for at in range(6)], [(0, 1), (2, 3), (4, 5)])
    return Layout(tuple(masks), graph, OUTCOMES)


@pytest.mark.parametrize(
    "beliefs",
    [
        {},
        {2: Belief(accuracy=0.9, strength=30.0)},
        {0: Belief(accuracy=0.6, strength=5.0), 5: Belief(accuracy=0.8, strength=50.0)},
    ],
)
def test_together_they_get_what_each_gets_alone(beliefs: dict[int, Belief]) -> None:
    layout = three_pairs()
    known = replace(Knowledge.none(layout), beliefs=beliefs)
    levels = levels_of(layout, known.signs)
    pairs = range(len(layout.cliques))
    assert len({clique.shape for clique in layout.cliques}) == 1
    rng = np.random.default_rng(3)
    block = rng.gamma(1.0, size=(len(pairs), layout.cliques[0].size - 1, OUTCOMES))
    block[1, :, 2] = 0
    totals = block.sum(axis=1).max(axis=0) + rng.random(OUTCOMES)
    together = Dependent.of(layout, pairs, known, levels).tables(block, totals, 0.7, SETTINGS)
    np.testing.assert_allclose(together.sum(axis=1), 1)
    for at in pairs:
        alone = Dependent.of(layout, [at], known, levels).tables(block[[at]], totals, 0.7, SETTINGS)
        np.testing.assert_allclose(together[at], alone[0], rtol=1e-12)


def test_many_members_need_little_memory() -> None:
    """Fourteen sources with one value each: as many sets of voters as joint votes, of which there are 16,384."""
    masks = tuple(np.eye(2, dtype=bool)[[at % 2]] for at in range(14))
    layout = Layout(masks, SourceGraph([str(at) for at in range(14)], [tuple(range(14))]), 2)
    known = Knowledge.none(layout)
    dependent = Dependent.of(layout, [0], known, levels_of(layout, known.signs))
    block = np.random.default_rng(0).random((1, layout.cliques[0].size - 1, 2))
    tracemalloc.start()
    table = dependent.tables(block, block.sum(axis=(0, 1)) + 5.0, 0.7, SETTINGS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    np.testing.assert_allclose(table.sum(axis=1), 1)
