"""What sources have in common beyond the truth."""

from itertools import combinations

import numpy as np
import pytest

from assay.counts.cliques import Layout
from assay.counts.evidence import Evidence
from assay.counts.source_graph import SourceGraph
from assay.counts.tally import Tally
from assay.model.estimate.residuals import clique_correlations, expected_overlaps, pair_table, residual_correlations
from assay.model.label_model import LabelModel
from assay.model.parameters import Parameters, normalised
from assay.simulate import flat_world


def random_parameters(dependencies, seed, sources=6, outcomes=3):
    """Some distribution that factors over the graph, as consistent clique tables."""
    rng = np.random.default_rng(seed)
    masks = tuple(np.eye(outcomes, dtype=bool)[: 1 + j % outcomes] for j in range(sources))
    graph = SourceGraph([str(j) for j in range(sources)], dependencies)
    layout = Layout(masks, graph, outcomes)
    joint = []
    for clique in layout.cliques:
        own = normalised(rng.random((clique.size, outcomes)))
        if clique.separator:
            # The separator says what the parent's table makes of it.
            above = next(
                (c, t) for c, t in zip(layout.cliques, joint, strict=False) if set(clique.separator) <= set(c.sources)
            )
            shape = tuple(clique.shape[clique.sources.index(s)] for s in clique.separator)
            sums = []
            for member, table in ((clique, own), above):
                at = [member.sources.index(s) for s in clique.separator]
                number = np.ravel_multi_index(tuple(member.digits[:, at].T), shape)
                total = np.zeros((int(np.prod(shape)), outcomes))
                np.add.at(total, number, table)
                sums.append((number, total))
            own = own * (sums[1][1] / sums[0][1])[sums[0][0]]
        joint.append(own)
    return Parameters(layout, rng.dirichlet(np.ones(outcomes)), tuple(joint))


def brute_force_pair(parameters, one, other):
    """P(two votes | outcome) by summing the probability of all rows of votes of all sources."""
    layout = parameters.layout
    shape = tuple(len(masks) + 1 for masks in layout.masks)
    rows = np.stack(np.unravel_index(np.arange(int(np.prod(shape))), shape), axis=1)
    chance = np.ones((len(rows), layout.outcomes))
    for clique, table in zip(layout.cliques, parameters.tables, strict=True):
        chance *= table[np.ravel_multi_index(tuple(rows[:, clique.sources].T), clique.shape)]
    found = np.zeros((shape[one], shape[other], layout.outcomes))
    np.add.at(found, (rows[:, one], rows[:, other]), chance)
    return found


@pytest.mark.parametrize(
    "dependencies",
    [
        [],
        [(0, 1)],
        [(0, 1), (1, 2), (2, 3)],
        [(0, 1, 2), (1, 2, 3), (3, 4)],
        [(0, 1), (0, 2), (0, 3), (4, 5)],
    ],
    ids=["none", "pair", "chain", "wide separators", "star"],
)
def test_joint_votes_of_two_sources_are_those_of_the_whole_distribution(dependencies):
    parameters = random_parameters(dependencies, seed=len(dependencies))
    for one, other in combinations(range(6), 2):
        expected = brute_force_pair(parameters, one, other)
        np.testing.assert_allclose(pair_table(parameters, one, other), expected, atol=1e-12)


def test_meetings_are_sums_of_joint_votes():
    parameters = random_parameters([(0, 1), (1, 2)], seed=4)
    meet, agree = expected_overlaps(parameters)
    masks = parameters.layout.masks
    for one, other in combinations(range(6), 2):
        both = pair_table(parameters, one, other)[:-1, :-1]
        alike = (masks[one].astype(int) @ masks[other].T.astype(int)) > 0
        np.testing.assert_allclose(meet[:, one, other], both.sum(axis=(0, 1)))
        np.testing.assert_allclose(agree[:, other, one], (both * alike[:, :, None]).sum(axis=(0, 1)))


def residuals_of(model):
    fit = model.fitted_.components[0].fit
    return residual_correlations(fit.parameters, fit.statistics)


@pytest.mark.parametrize("settings", [{}, {"classes": 4}, {"coverage": 0.5}, {"polarity": "one", "coverage": 0.3}])
def test_residuals_vanish_where_only_the_truth_connects_sources(settings):
    world = flat_world(sources=8, seed=2, **settings)
    found = residuals_of(LabelModel(method="em").fit(world.draw(20_000).votes))
    assert np.abs(found[np.triu_indices(8, 1)]).max() < 0.06


def test_a_copy_has_the_residual_correlation_with_which_it_copies():
    world = flat_world(sources=8, copies=[(2, 3)], copy_probability=0.6, kind="class-conditional", seed=2)
    found = residuals_of(LabelModel(method="em", dependencies=[(2, 3)]).fit(world.draw(20_000).votes))
    own = world.conditionals[2][0] * (1 - world.conditionals[2][0]) @ world.balance
    copied = world.conditionals[3][0] * (1 - world.conditionals[3][0]) @ world.balance
    assert found[2, 3] == pytest.approx(0.6 * np.sqrt(own / copied), abs=0.05)
    assert (found == found.T).all()


def test_a_clique_has_the_mean_correlation_of_its_pairs():
    world = flat_world(sources=8, copies=[(0, 1), (3, 4, 5)], copy_probability=0.6, coverage=0.7, seed=2)
    votes = world.draw(5_000).votes
    part = LabelModel(method="em", dependencies=world.dependencies).fit(votes).fitted_.components[0]
    parameters = part.fit.parameters
    evidence = Evidence.of(Tally.of(votes), parameters.layout)
    whole = residual_correlations(parameters, part.fit.statistics)
    found = clique_correlations(parameters, evidence)
    for clique, correlation in zip(parameters.layout.cliques, found, strict=True):
        pairs = [max(whole[pair], 0) for pair in combinations(clique.sources, 2)]
        np.testing.assert_allclose(correlation, np.mean(pairs) if pairs else 0, atol=1e-9)
    assert 0.4 < found.max() < 0.8
