"""What to label next: laws of the draw, and that it is of use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import assay
from assay import AssayError, HandAnswer, HandLabels, LabelModel, NotFittedError, Votes, next_items
from assay.model import choice_of
from assay.model.choice import ALL_RANDOM, RANDOM, drawn, inclusion_chances
from assay.simulate import flat_world

N, DRAWN = 600, 60


@pytest.fixture(scope="module")
def world():
    return flat_world(classes=3, sources=5, seed=5).draw(N)


@pytest.fixture(scope="module")
def gold(world):
    known = np.full(N, -1)
    known[:60:2] = world.gold[:60:2]
    return known


@pytest.fixture(scope="module")
def model(world, gold):
    return LabelModel().fit(world.votes, gold)


@pytest.fixture(scope="module")
def choices(model, world):
    return [choice_of(model, world.votes, DRAWN, seed=seed) for seed in range(150)]


class TestDraw:
    @pytest.mark.parametrize("seed", range(5))
    def test_as_many_as_chances_sum_to_each_once(self, seed):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 60))
        scores = rng.gamma(0.3, size=100)
        chances = inclusion_chances(scores, n, np.ones(100, dtype=bool))
        assert chances.sum() == pytest.approx(n)
        assert ((chances > 0) & (chances <= 1)).all()
        rows = drawn(chances, rng.integers(0, 5, 100), rng)
        assert len(set(rows.tolist())) == len(rows) == n
        assert set(np.flatnonzero(chances == 1)) <= set(rows.tolist())

    def test_each_item_is_drawn_as_often_as_its_chance_says(self):
        rng = np.random.default_rng(0)
        chances = inclusion_chances(rng.gamma(0.5, size=40), 8, np.ones(40, dtype=bool))
        kinds = np.arange(40) // 10
        seen = np.zeros(40)
        for _ in range(4000):
            seen[drawn(chances, kinds, rng)] += 1
        assert np.abs(seen / 4000 - chances).max() < 0.04

    def test_is_spread_over_what_is_ordered(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            rows = drawn(np.full(100, 0.2), np.arange(100) // 10, rng)
            assert np.bincount(rows // 10, minlength=10).tolist() == [2] * 10

    def test_what_has_no_score_fills_up(self):
        chances = inclusion_chances(np.array([1.0, 0.0, 0.0, 0.0]), 3, np.array([True, True, True, False]))
        assert chances.tolist() == [1.0, 1.0, 1.0, 0.0]


class TestChoice:
    def test_has_no_item_twice_and_none_with_gold(self, model, world, gold):
        later = np.full(N, -1)
        later[100:200] = world.gold[100:200]
        for seed in range(5):
            choice = choice_of(model, world.votes, 50, gold=later, seed=seed)
            assert len(choice) == len(set(choice.rows.tolist())) == len(choice.kinds) == 50
            assert (gold[choice.rows] < 0).all()
            assert (later[choice.rows] < 0).all()

    def test_is_the_same_for_the_same_seed_only(self, model, world):
        one, same, other = (next_items(model, world.votes, 20, seed=seed).tolist() for seed in (1, 1, 2))
        assert one == same != other

    def test_is_another_after_it_was_labeled(self, model, world):
        rows = next_items(model, world.votes)
        told = np.full(N, -1)
        told[rows] = world.gold[rows]
        assert not set(next_items(model, world.votes, gold=told).tolist()) & set(rows.tolist())

    def test_chances_are_those_of_the_draw_and_never_below_those_at_random(self, choices):
        seen, chance = np.zeros(N), np.full(N, np.nan)
        for choice in choices:
            seen[choice.rows] += 1
            chance[choice.rows] = choice.chances
        known = ~np.isnan(chance)
        assert known.sum() > 0.99 * (N - 30)
        assert chance[known].sum() == pytest.approx(DRAWN, rel=0.01)
        assert chance[known].min() >= RANDOM * DRAWN / (N - 30) - 1e-12
        assert np.abs(seen[known] / len(choices) - chance[known]).max() < 0.15

    @pytest.mark.parametrize("what", ["wrong labels", "a class", "row numbers"])
    def test_weighted_means_of_anything_are_unbiased(self, model, world, choices, what):
        """Weighted by one over the chance, what is chosen stands for all open items."""
        wrong = model.predict(world.votes) != world.gold
        values = 1.0 * {"wrong labels": wrong, "a class": world.gold == 1, "row numbers": np.arange(N) / N}[what]
        is_open = np.ones(N, dtype=bool)
        is_open[:60:2] = False
        means = [float((values[one.rows] / one.chances).sum()) / is_open.sum() for one in choices]
        assert abs(np.mean(means) - values[is_open].mean()) < 4 * np.std(means) / np.sqrt(len(means))

    def test_items_marked_random_are_a_random_sample(self, model, world, choices):
        seen = np.zeros(N)
        for choice in choices:
            seen[choice.rows[np.array(choice.kinds) == "random"]] += 1
        expected = RANDOM * DRAWN / (N - 30)
        sure = model.predict_proba(world.votes).max(axis=1)
        open_rows = np.setdiff1d(np.arange(N), np.arange(0, 60, 2))
        halves = np.array_split(open_rows[np.argsort(sure[open_rows])], 2)
        assert [seen[half].mean() / len(choices) for half in halves] == pytest.approx([expected] * 2, rel=0.1)

    def test_all_is_random_while_hardly_any_item_has_gold(self, world):
        few = np.full(N, -1)
        few[: ALL_RANDOM - 1] = world.gold[: ALL_RANDOM - 1]
        choice = choice_of(LabelModel().fit(world.votes, few), world.votes, 30)
        assert set(choice.kinds) == {"random"}
        assert choice.chances == pytest.approx(30 / (N - ALL_RANDOM + 1))

    def test_the_share_at_random_can_be_chosen(self, model, world):
        assert set(choice_of(model, world.votes, 30, random=1.0).kinds) == {"random"}
        assert set(choice_of(model, world.votes, 30, random=0.0).kinds) == {"useful"}

    def test_useful_items_are_in_doubt(self, model, world):
        choice = choice_of(model, world.votes, 60, random=0.0)
        sure = model.predict_proba(world.votes).max(axis=1)
        assert sure[choice.rows].mean() < sure.mean() - 0.05

    def test_there_are_fewer_if_fewer_are_left_and_an_error_if_none_is(self, model, world, gold):
        most = world.gold.copy()
        most[[1, 3]] = -1
        assert sorted(next_items(model, world.votes, gold=most).tolist()) == [1, 3]
        with pytest.raises(AssayError, match="all 600 items have gold: there is none left to label"):
            next_items(model, world.votes, gold=world.gold)

    @pytest.mark.parametrize("n", [0, -3, 2.5, True, None])
    def test_n_must_be_a_number_of_items(self, model, world, n):
        with pytest.raises(AssayError, match="n must be the number of items to choose, 1 or more, but is"):
            next_items(model, world.votes, n)

    @pytest.mark.parametrize("random", [-0.1, 1.5, "half", float("nan")])
    def test_random_must_be_a_share(self, model, world, random):
        with pytest.raises(AssayError, match="random must be the share of items chosen at random"):
            next_items(model, world.votes, random=random)

    def test_seed_must_be_a_number(self, model, world):
        with pytest.raises(AssayError, match="seed must be a number"):
            next_items(model, world.votes, seed=-1)

    def test_a_model_must_be_fitted(self, world):
        with pytest.raises(NotFittedError):
            next_items(LabelModel(), world.votes)
        with pytest.raises(AssayError, match="expected a fitted LabelModel, but got MajorityVote"):
            next_items(assay.MajorityVote().fit(world.votes), world.votes)


class TestVotesOfAnyKind:
    def test_bare_matrices_dense_and_sparse(self, world, gold):
        matrix = world.votes.codes.astype(int)
        rows = next_items(LabelModel(cardinality=3).fit(matrix, gold), matrix)
        thin = sparse.csr_array(matrix + 1)
        same = next_items(LabelModel(cardinality=3).fit(thin, gold), thin)
        assert sorted(rows.tolist()) == sorted(same.tolist())

    def test_gold_is_found_by_name_in_other_votes(self, world, gold):
        table = pd.DataFrame(world.votes.codes.astype(int), index=[f"item {row}" for row in range(N)])
        model = LabelModel(cardinality=3).fit(table, gold)
        half = table.iloc[:300]
        chosen = {row for seed in range(20) for row in next_items(model, half, seed=seed).tolist()}
        assert not chosen & set(range(0, 60, 2))
        assert len(next_items(model, table.iloc[300:])) == 20
        told = HandLabels.of([HandAnswer(f"item {row}", by="ann", answer={"label": "1"}) for row in range(100, 290)])
        assert max(next_items(model, half, 60, gold=told).tolist()) < 300
        assert not set(next_items(model, half, 60, gold=told).tolist()) & set(range(100, 290))

    def test_several_components_and_partial_gold(self):
        rng = np.random.default_rng(0)
        tasks = assay.TaskGraph([assay.Task("mood", ["good", "bad"]), assay.Task("size", ["small", "big"])])
        truth = {name: rng.integers(0, 2, 300) for name in tasks.names}
        columns = {}
        for name in tasks.names:
            labels = np.array([*tasks[name].labels], dtype=object)
            for number in range(3):
                said = np.where(rng.random(300) < 0.75, truth[name], 1 - truth[name])
                columns[f"{name} {number}"] = [{name: labels[one]} for one in said]
        votes = Votes.from_columns(tasks, columns)
        gold = [{"mood": ("good", "bad")[truth["mood"][row]]} if row < 30 else None for row in range(300)]
        model = LabelModel().fit(votes, gold)
        choice = choice_of(model, votes)
        assert choice.rows.min() >= 30
        assert set(choice.kinds) == {"random", "useful"}


def groups_in_doubt(seed):
    """Votes and truth: four sources that agree mostly, and five groups of items, each with two votes that contradict
    each other and one true label nearly always; and which items are in the groups."""
    rng = np.random.default_rng(seed)
    truth, votes = rng.integers(0, 2, 3000), np.full((3000, 14), -1)
    group = np.where(rng.random(3000) < 0.3, rng.integers(0, 5, 3000), -1)
    votes[:, :4] = np.where(rng.random((3000, 4)) < 0.9, truth[:, None], 1 - truth[:, None])
    votes[group >= 0, :4] = -1
    for number in range(5):
        its = group == number
        votes[its, 4 + 2 * number : 6 + 2 * number] = 0, 1
        truth[its] = (rng.random(its.sum()) < 0.9) == number % 2
    return votes, truth, group >= 0


def test_large_groups_in_doubt_get_labels_and_are_decided_right():
    before, random, useful, in_doubt = [], [], [], []
    for seed in range(8):
        votes, truth, in_group = groups_in_doubt(seed)
        order = np.random.default_rng(seed).permutation(3000)
        first = np.full(3000, -1)
        first[order[:20]] = truth[order[:20]]
        model = LabelModel(allow_unidentifiable=True).fit(votes, first)
        chosen = next_items(model, votes, 20, seed=seed)
        in_doubt.append(in_group[chosen].mean())
        rest = np.setdiff1d(order[40:], chosen)
        before.append((model.predict(votes) == truth)[rest].mean())
        for rows, right in ((order[20:40], random), (chosen, useful)):
            gold = first.copy()
            gold[rows] = truth[rows]
            found = LabelModel(allow_unidentifiable=True).fit(votes, gold).predict(votes)
            right.append((found == truth)[rest].mean())
    assert np.mean(in_doubt) > 0.5
    assert np.mean(useful) > np.mean(before) + 0.04
    assert np.mean(useful) > np.mean(random)
