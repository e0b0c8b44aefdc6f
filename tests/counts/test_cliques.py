"""How votes are laid out by cliques."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts.cliques import Layout, layout_of, tied
from assay.counts.source_graph import SourceGraph
from tests.support.strategies import said
from tests.support.worlds import enumerated, every_row


@given(enumerated())
def test_parents_come_first_and_separators_are_what_is_already_known(world):
    known = set()
    for clique in world.layout.cliques:
        assert set(clique.separator) == set(clique.sources) & known
        known |= set(clique.sources)
    assert {clique.sources for clique in world.layout.cliques} == set(world.layout.graph.cliques)


@given(enumerated())
def test_configurations_are_numbered_by_what_is_said(world):
    for clique in world.layout.cliques:
        numbers = clique.numbers(world.rows)
        said = np.where(world.rows < 0, np.array([len(masks) for masks in world.layout.masks]), world.rows)
        assert (clique.digits[numbers] == said[:, clique.sources]).all()
        assert (clique.voting[numbers] == (world.rows[:, clique.sources] >= 0)).all()
        assert not clique.voting[-1].any()
        assert set(numbers) == set(range(clique.size))


@given(enumerated(max_sources=4), st.booleans())
def test_families_share_the_separator_and_who_votes(world, ignored):
    for clique in world.layout.cliques:
        families = clique.families(ignored)
        known = [clique.sources.index(source) for source in clique.separator]
        keys = [
            (tuple(digits[known]), tuple(voting) if ignored else ())
            for digits, voting in zip(clique.digits, clique.voting, strict=True)
        ]
        for one in range(clique.size):
            assert [keys[one] == key for key in keys] == (families == families[one]).tolist()


@given(enumerated())
def test_marginals_are_those_of_the_whole(world):
    for clique in world.layout.cliques:
        for source in clique.sources:
            np.testing.assert_allclose(
                clique.marginal(world.table(clique), source), world.conditionals[source], atol=1e-12
            )


@given(enumerated())
def test_the_design_has_a_one_for_each_clique_that_says_something(world):
    layout = world.layout
    design = world.evidence().design.matrix.toarray()
    assert design.shape == (len(world.rows), layout.offsets[-1])
    for at, clique in enumerate(layout.cliques):
        block = design[:, layout.offsets[at] : layout.offsets[at + 1]]
        spoken = (world.rows[:, clique.sources] >= 0).any(axis=1)
        assert (block.sum(axis=1) == spoken).all()
        assert (block.argmax(axis=1)[spoken] == clique.numbers(world.rows)[spoken]).all()


@given(enumerated(max_sources=4))
def test_tied_parameters_are_those_with_the_same_sources_right(world):
    for clique in world.layout.cliques:
        ties = tied(world.layout, clique)
        for number, digits in enumerate(clique.digits):
            right = [
                tuple(
                    bool(clique.voting[number, at] and world.layout.masks[source][digits[at], y])
                    for at, source in enumerate(clique.sources)
                )
                for y in range(world.layout.outcomes)
            ]
            for one in range(len(right)):
                assert [right[one] == other for other in right] == (ties[number] == ties[number, one]).tolist()
        assert all(not set(ties[i]) & set(ties[j]) for i in range(len(ties)) for j in range(i))


def test_local_ties_tell_where_a_task_applies():
    masks = (np.array([[True, False, False, False], [False, True, False, False]]),)
    layout = Layout(masks, SourceGraph(["a"]), 4)
    globally = tied(layout, layout.cliques[0])
    locally = tied(layout, layout.cliques[0], [np.array([True, True, False, False])])
    assert [len(set(row)) for row in globally] == [2, 2, 1]
    assert [len(set(row)) for row in locally] == [3, 3, 2]


@given(said(max_tasks=3))
def test_votes_that_say_the_same_share_a_code(votes):
    votes = votes.votes
    for index, component in enumerate(votes.label_space.components):
        layout = layout_of(votes.schema, index, SourceGraph(votes.names))
        codes, sources = layout.codes(votes), layout.sources
        assert codes.shape == (len(votes), len(sources))
        assert len(layout.masks) == len(sources)
        for at, source in enumerate(sources):
            for row, code in enumerate(votes.codes[:, source]):
                allowed = np.ones(len(component), bool)
                if code >= 0:
                    allowed = component.allows(votes.values[source][code])
                told = layout.masks[at][codes[row, at]] if codes[row, at] >= 0 else np.ones(len(component), bool)
                assert (allowed == told).all()
        silent = set(range(len(votes.names))) - set(sources.tolist())
        assert all(component.allows(vote).all() for source in silent for vote in votes.values[source])


def test_too_many_joint_votes_are_refused_by_name():
    masks = tuple(np.eye(9, dtype=bool) for _ in range(5))
    layout = Layout(masks, SourceGraph("abcde", [(0, 1, 2, 3, 4)]), 9)
    with pytest.raises(assay.VoteError, match="a, b, c, d, e have more than 50,000 joint votes"):
        _ = layout.cliques


def test_every_row_is_every_row():
    assert every_row([1, 2]).tolist() == [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 0], [0, 1]]
