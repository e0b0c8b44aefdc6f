"""Near-copies in counted votes, as dependencies that a model can use."""

import networkx as nx
import numpy as np

import assay
from assay import Tally, Votes
from assay.model.dependencies import strong_dependencies
from assay.simulate import flat_world


def near_copies(originals, copies, classes, n=4_000, seed=0):
    """Votes of independent sources, a weak one, and near-copies of it, which have the last names."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)

    def source(accuracy):
        return np.where(rng.random(n) < accuracy, truth, (truth + rng.integers(1, classes, n)) % classes)

    weak = source(0.5)
    repeated = [np.where(rng.random(n) < 0.95, weak, rng.integers(0, classes, n)) for _ in range(copies - 1)]
    return np.column_stack([*(source(0.75) for _ in range(originals)), weak, *repeated])


def names_of(matrix, classes):
    return Votes.from_matrix(matrix, names=[f"s{at:02}" for at in range(matrix.shape[1])], cardinality=classes)


def test_groups_are_all_their_pairs_by_name():
    found = strong_dependencies(Tally.of(names_of(near_copies(6, 3, 3), 3)))
    assert sorted(found.pairs) == [("s06", "s07"), ("s06", "s08"), ("s07", "s08")]
    assert found.strong
    assert all(edge.strength > 0.5 for edge in found.edges)
    surprises = [edge.surprise for edge in found.edges]
    assert surprises == sorted(surprises, reverse=True)
    assert found.residuals[6, 7] > 0.5 > abs(found.residuals[0, 6])


def test_a_group_with_too_many_joint_votes_is_a_tree():
    votes = names_of(near_copies(12, 6, 5), 5)
    found = strong_dependencies(Tally.of(votes))
    members = {f"s{at:02}" for at in range(12, 18)}
    assert len(found.pairs) == 5
    assert nx.is_tree(nx.Graph(found.pairs))
    assert set(nx.Graph(found.pairs)) == members
    assert assay.check(votes, dependencies=found.pairs).ok


def test_independent_sources_have_none():
    votes = flat_world(sources=8, seed=2).draw(3_000).votes
    assert strong_dependencies(Tally.of(votes)).pairs == []


def test_fewer_than_four_sources_are_not_searched():
    matrix = near_copies(1, 2, 2)
    assert strong_dependencies(Tally.of(Votes.from_matrix(matrix))).edges == ()


def test_what_is_found_never_stops_a_fit():
    """Two pairs of exact copies and nothing else: as groups, only two sources would be left."""
    matrix = near_copies(1, 1, 2)
    votes = Votes.from_matrix(np.column_stack([matrix, matrix]))
    found = strong_dependencies(Tally.of(votes))
    assert assay.check(votes, dependencies=found.pairs).ok
    assert len(found.pairs) < 2


def test_every_component_is_searched(pair):
    rng = np.random.default_rng(0)
    columns = {}
    for task in pair:
        truth = rng.integers(0, len(task.labels), 3_000)
        guess = rng.integers(0, len(task.labels), 3_000)
        for at in range(6):
            codes = guess if at > 3 else np.where(rng.random(3_000) < 0.7, truth, rng.permutation(truth))
            columns[f"{task.name}{at}"] = (task.name, [task.labels[code] for code in codes])
    found = strong_dependencies(Tally.of(Votes.from_columns(pair, columns)))
    assert sorted(found.pairs) == sorted((f"{task.name}4", f"{task.name}5") for task in pair)


COMMENTS = {
    ".hhh.": 79, "s..s.": 23, "s..h.": 38, "..hhh": 48, "..hs.": 12, "...hh": 68, "...s.": 75, "...sh": 40, ".hhhh": 60,
    "sh.s.": 12, "..hh.": 43, ".h.hh": 17, "sh.h.": 44, ".h.s.": 40, "..hsh": 6,
}  # fmt: skip
"""How often five rules said (h)am, (s)pam or nothing of 605 comments: promo, short, praise, please, song."""


def test_rules_for_opposite_labels_that_never_speak_together_are_no_copies():
    """They are related, more than the truth explains, but neither repeats the other."""
    rows = [[{"h": 0, "s": 1}.get(sign, -1) for sign in said] for said, count in COMMENTS.items() for _ in range(count)]
    votes = Votes.from_matrix(rows, names=["promo", "short", "praise", "please", "song"], cardinality=2)
    agree = strong_dependencies(Tally.of(votes)).pairs
    assert ("promo", "song") not in agree
