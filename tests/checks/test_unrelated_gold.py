"""Gold of other items, or of other labels, is found; right gold is never blamed."""

import numpy as np
import pytest

import assay
from assay.checks import gold_beside_votes
from assay.gold import GoldItems
from assay.simulate import flat_world

WORLDS = {
    "two-sided": lambda seed: flat_world(sources=8, coverage=0.5, seed=seed),
    "one-sided": lambda seed: flat_world(sources=10, polarity="one", coverage=0.3, seed=seed),
    "three classes": lambda seed: flat_world(classes=3, sources=6, seed=seed),
    "unbalanced": lambda seed: flat_world(sources=8, balance=[0.9, 0.1], seed=seed),
}
DAMAGES = {
    "right": lambda gold, rng: gold,
    "of other items": lambda gold, rng: rng.permutation(gold),
    "of other labels": lambda gold, rng: (gold + 1) % (gold.max() + 1),
}


def found(votes, gold):
    known = GoldItems.among(votes, gold)
    return list(gold_beside_votes(known.votes, known.truth))


def share_found(world, damage, labels, seeds=20):
    hits = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        simulation = WORLDS[world](seed).draw(500, seed)
        chosen = rng.choice(500, labels, replace=False)
        gold = np.full(500, -1)
        gold[chosen] = DAMAGES[damage](simulation.gold[chosen], rng)
        hits += bool(found(simulation.votes, gold))
    return hits / seeds


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("labels", [25, 150])
def test_right_gold_is_never_blamed(world, labels):
    assert share_found(world, "right", labels) == 0


@pytest.mark.parametrize(
    ("world", "damage", "least"),
    [
        ("two-sided", "of other items", 0.8),
        ("two-sided", "of other labels", 1.0),
        ("one-sided", "of other labels", 1.0),
        ("three classes", "of other items", 0.9),
        ("three classes", "of other labels", 0.9),
        ("unbalanced", "of other labels", 0.9),
    ],
)
def test_wrong_gold_is_found(world, damage, least):
    assert share_found(world, damage, 150) >= least


def test_a_fit_says_so_and_what_numbers_mean():
    simulation = flat_world(sources=6).draw(400)
    tasks = assay.TaskGraph.flat("mail", ["Spam", "Ham"])
    names = np.array(["Ham", "Spam", None], dtype=object)
    columns = {f"s{j}": ("mail", names[simulation.votes.codes[:, j]].tolist()) for j in range(6)}
    votes = assay.Votes.from_columns(tasks, columns)
    gold = np.where(np.arange(400) < 80, simulation.gold, -1)
    with pytest.warns(assay.CheckWarning, match=r"A308: gold agrees with the votes less .*: 0 is 'Spam', 1 is 'Ham'"):
        assay.LabelModel().fit(votes, gold)
    assert "A308" not in assay.LabelModel(adversarial=["s0"]).check(votes, gold).codes
    assert "A308" not in assay.LabelModel().check(votes, np.where(gold < 0, -1, 1 - gold)).codes


def test_little_or_no_gold_is_not_judged():
    simulation = flat_world(sources=6).draw(100)
    assert not found(simulation.votes, np.full(100, -1))
    assert not found(simulation.votes, np.where(np.arange(100) < 19, 1 - simulation.gold, -1))
    nobody = assay.Votes.from_matrix(np.full((50, 3), -1))
    assert not found(nobody, np.zeros(50, dtype=int))
