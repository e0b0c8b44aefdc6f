"""The default on votes that are easily got wrong: not below a majority vote, and it says what it does not know."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.simulate import flat_world, task_world


def right(labels, gold):
    """The share of items that labels get right, ties counting in part."""
    labels = np.asarray(labels)
    best = labels >= labels.max(axis=1, keepdims=True) - 1e-9
    return float((best / best.sum(axis=1, keepdims=True))[np.arange(len(gold)), gold].mean())


def one_sided(y, label, hit, slip, rng):
    return np.where(rng.random(len(y)) < np.where(y == label, hit, slip), label, -1)


def two_sided(y, classes, accuracy, rng):
    wrong = (y + rng.integers(1, classes, len(y))) % classes
    return np.where(rng.random(len(y)) < accuracy, y, wrong)


def with_copies(independent, copies, weak, classes, n, seed, same=0.93):
    """Votes of independent sources, and near-copies of a weak one; the truth; and the copies."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    low = 0.6 if classes == 2 else 0.5
    columns = [two_sided(y, classes, rng.uniform(low, 0.8), rng) for _ in range(independent)]
    first = two_sided(y, classes, weak, rng)
    columns += [np.where(rng.random(n) < same, first, two_sided(y, classes, weak, rng)) for _ in range(copies)]
    return np.column_stack(columns), y, [tuple(range(independent, independent + copies))]


class TestValuesNeverEmitted:
    """A matrix lists every class for every source; that a source never names some must not change what is learned."""

    @pytest.fixture(scope="class")
    @classmethod
    def votes(cls):
        rng = np.random.default_rng(0)
        y = (rng.random(20_000) < 0.2).astype(int)
        return np.column_stack([one_sided(y, j % 2, 0.5, 0.07, rng) for j in range(8)]), y

    def test_they_get_no_mass(self, votes):
        matrix, y = votes
        model = assay.LabelModel().fit(matrix)
        assert "em" in model.solvers_[0]
        assert right(model.predict_proba(matrix), y) > right(assay.majority_vote(matrix), y) + 0.02
        for source, table in enumerate(model.conditionals_):
            assert table[1 - source % 2].max() < 1e-6

    def test_a_matrix_is_like_columns(self, votes):
        matrix, _ = votes
        tasks = assay.TaskGraph.flat("label", ["0", "1"])
        names = [[None if code < 0 else str(code) for code in column] for column in matrix.T]
        columns = assay.Votes.from_columns(tasks, {f"s{j}": column for j, column in enumerate(names)})
        alike = assay.LabelModel().fit(columns).predict(columns) == assay.LabelModel().fit(matrix).predict(matrix)
        assert alike.mean() > 0.995


class TestItemsLeftOut:
    """Items without votes are often dropped; abstentions of the others then look rarer than they are."""

    @pytest.fixture(scope="class")
    @classmethod
    def drawn(cls):
        rng = np.random.default_rng(5)
        y = (rng.random(8_000) < 0.45).astype(int)
        columns = [one_sided(y, 1, rng.uniform(0.25, 0.5), 0.07, rng) for _ in range(6)]
        return np.column_stack([*columns, one_sided(y, 0, 0.45, 0.08, rng)]), y

    def test_labels_are_as_good_as_if_they_were_there(self, drawn):
        matrix, y = drawn
        voted = (matrix >= 0).any(axis=1)
        assert voted.mean() < 0.9
        whole = assay.LabelModel().fit(matrix).predict(matrix)[voted]
        part = assay.LabelModel().fit(matrix[voted]).predict(matrix[voted])
        assert (part == y[voted]).mean() > (whole == y[voted]).mean() - 0.005

    def test_the_balance_is_that_of_the_items_given(self, drawn):
        matrix, y = drawn
        voted = (matrix >= 0).any(axis=1)
        model = assay.LabelModel().fit(matrix[voted])
        assert model.class_balance_[1] == pytest.approx(y[voted].mean(), abs=0.03)
        assert model.predict_proba(matrix[voted]).mean(axis=0) == pytest.approx(model.class_balance_, abs=0.01)


class TestClassBalance:
    def test_a_right_one_does_no_harm_to_one_sided_sources(self):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 2, 10_000)
        matrix = np.column_stack([one_sided(y, j % 2, 0.5, 0.07, rng) for j in range(8)])
        without = assay.LabelModel().fit(matrix)
        for given in ([0.5, 0.5], {1: 0.5}, {1: (0.4, 0.6)}):
            with_it = assay.LabelModel(class_balance=given, cardinality=2).fit(matrix)
            assert right(with_it.predict_proba(matrix), y) > right(without.predict_proba(matrix), y) - 0.003

    def test_it_settles_what_votes_do_not_tell(self):
        rng = np.random.default_rng(2)
        y = (rng.random(4_000) < 0.15).astype(int)
        # Items that look like the other class fool all sources.
        looks = np.where(rng.random(len(y)) < 0.15, 1 - y, y)
        matrix = np.column_stack([one_sided(looks, int(j < 7), 0.6, 0.05, rng) for j in range(9)])
        voted = (matrix >= 0).any(axis=1)
        matrix, y = matrix[voted], y[voted]
        share = float(y.mean())
        told = assay.LabelModel(class_balance={1: share}, balance_strength="exact", cardinality=2).fit(matrix)
        labels = told.predict_proba(matrix)
        assert labels[:, 1].mean() == pytest.approx(share, abs=0.01)
        assert right(labels, y) >= right(assay.majority_vote(matrix), y)

    @pytest.mark.parametrize("strength", [None, 10, 1_000, "exact"])
    def test_labels_agree_with_it_the_more_the_stronger_it_is(self, strength):
        drawn = flat_world(sources=8, balance=[0.7, 0.3], seed=3).draw(3_000)
        model = assay.LabelModel(class_balance=[0.5, 0.5], balance_strength=strength).fit(drawn.votes)
        mean = float(model.predict_proba(drawn.votes)[:, 0].mean())
        if strength == "exact":
            assert mean == pytest.approx(0.5, abs=1e-3)
        else:
            # The votes tell the balance, and outweigh a wrong belief of a few items.
            assert 0.5 < mean < 0.75
            assert mean > (0.6 if strength == 1_000 else 0.65)

    @pytest.mark.parametrize("method", ["auto", "em", "robust"])
    def test_a_model_that_takes_difficult_items_for_a_class_is_overruled(self, method, tmp_path):
        rng = np.random.default_rng(5)
        y = (rng.random(2_000) < 0.06).astype(int)
        ease = rng.normal(0, 0.2, len(y))
        columns = [two_sided(y, 2, np.clip(level + ease, 0.05, 0.98), rng) for level in rng.uniform(0.6, 0.85, 10)]
        matrix = np.column_stack(columns)
        share = float(y.mean())
        without = assay.LabelModel(method=method).fit(matrix)
        assert without.predict_proba(matrix)[:, 1].mean() > 0.2
        for given in (share, share * 1.35, share / 1.35):
            told = assay.LabelModel(method=method, class_balance={1: given}, cardinality=2).fit(matrix)
            assert right(told.predict_proba(matrix), y) > right(without.predict_proba(matrix), y) + 0.1
            assert "quite another class balance" in " ".join(told.advice_)
        assert assay.LabelModel.load(told.save(tmp_path / "model.npz")).advice_ == told.advice_
        # Who says how much a figure is worth is taken at their word.
        guess = assay.LabelModel(method=method, class_balance={1: share}, balance_strength=50, cardinality=2).fit(
            matrix
        )
        assert "quite another class balance" not in " ".join(guess.advice_)

    def test_of_all_items_or_of_those_with_votes(self):
        rng = np.random.default_rng(4)
        y = (rng.random(20_000) < 0.3).astype(int)
        matrix = np.column_stack(
            [one_sided(y, 1, 0.4, 0.05, rng) for _ in range(4)] + [one_sided(y, 0, 0.1, 0.02, rng)]
        )
        voted = (matrix >= 0).any(axis=1)
        true_voted = float(y[voted].mean())
        assert abs(true_voted - 0.3) > 0.1
        of_all = assay.LabelModel(class_balance={1: 0.3}, balance_strength="exact", cardinality=2).fit(matrix)
        of_voted = assay.LabelModel(
            class_balance={1: true_voted}, balance_strength="exact", balance_of="voted", cardinality=2
        ).fit(matrix)
        for model in (of_all, of_voted):
            assert model.predict_proba(matrix)[voted, 1].mean() == pytest.approx(true_voted, abs=0.04)

    def test_one_task_of_a_hierarchy(self):
        tasks = assay.TaskGraph(
            [
                assay.Task("entity", ["Person", "Organization"]),
                assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            ]
        )
        drawn = task_world(tasks, ["entity"] * 4 + ["person"] * 4, seed=2).draw(3_000)
        model = assay.LabelModel(class_balance={"entity": {"Person": 0.6}}, balance_strength="exact").fit(drawn.votes)
        assert model.label(drawn.votes)["entity"][:, 0].mean() == pytest.approx(0.6, abs=0.02)


class TestNearCopies:
    """Copies of a weak source agree with each other, and are taken for the truth by whoever does not look for them."""

    @pytest.mark.parametrize(
        ("independent", "copies", "weak", "classes"), [(6, 3, 0.62, 2), (10, 3, 0.62, 2), (10, 4, 0.5, 4)]
    )
    def test_the_default_is_as_good_as_if_they_were_declared(self, independent, copies, weak, classes):
        matrix, y, declared = with_copies(independent, copies, weak, classes, 5_000, seed=1)
        found = assay.LabelModel().fit(matrix)
        told = assay.LabelModel(dependencies=declared).fit(matrix)
        assert right(found.predict_proba(matrix), y) > right(told.predict_proba(matrix), y) - 0.01
        assert right(found.predict_proba(matrix), y) > right(assay.majority_vote(matrix), y)
        assert any("near-copies" in note for note in found.notes_)

    @pytest.mark.parametrize("n", [300, 5_000])
    def test_few_sources_against_many_copies_are_not_below_the_vote(self, n):
        gains = []
        for seed in range(4):
            matrix, y, _ = with_copies(6, 5, 0.62, 2, n, seed)
            labels = assay.LabelModel().fit(matrix).predict_proba(matrix)
            gains.append(right(labels, y) - right(assay.majority_vote(matrix), y))
        assert np.mean(gains) > 0

    def test_more_copies_than_can_be_tabled(self):
        matrix, y, _ = with_copies(20, 10, 0.5, 4, 3_000, seed=2)
        assert right(assay.LabelModel().fit(matrix).predict_proba(matrix), y) > 0.98

    @pytest.mark.parametrize("seed", range(6))
    def test_independent_sources_are_left_alone(self, seed):
        for votes in (
            flat_world(sources=10, seed=seed).draw(2_000).votes,
            flat_world(sources=12, coverage=0.2, polarity="one", classes=3, seed=seed).draw(2_000).votes,
        ):
            assert assay.LabelModel(allow_unidentifiable=True).fit(votes).learned_.pairs == []

    def test_nothing_is_looked_for_if_there_are_none(self):
        matrix, _, _ = with_copies(6, 3, 0.62, 2, 500, seed=1)
        model = assay.LabelModel(dependencies=()).fit(matrix)
        assert model.learned_ is None


def test_dependencies_that_connect_all_sources_do_not_end_em():
    chain = [(0, 1), (1, 2), (2, 3), (3, 4)]
    world = flat_world(sources=5, copies=chain, copy_probability=0.5, accuracy=(0.65, 0.85), seed=1)
    drawn = world.draw(5_000, seed=1)
    model = assay.LabelModel(dependencies=world.dependencies).fit(drawn.votes)
    assert "em" in model.solvers_[0]
    best = (world.posterior(drawn.votes.codes).argmax(axis=1) == drawn.gold).mean()
    assert (model.predict(drawn.votes) == drawn.gold).mean() > best - 0.005
    assert not any("Too few votes overlap" in sentence for sentence in model.advice_)


def test_a_ring_of_sources_has_no_narrow_intervals(tmp_path):
    rng = np.random.default_rng(3)
    n, accuracies = 4_000, (0.95, 0.65, 0.95, 0.65)
    y = rng.integers(0, 2, n)
    matrix = np.column_stack([two_sided(y, 2, accuracy, rng) for accuracy in accuracies])
    first = rng.integers(0, 4, n)
    met = (np.arange(4) == first[:, None]) | (np.arange(4) == (first[:, None] + 1) % 4)
    votes = np.where(met, matrix, -1)
    model = assay.LabelModel(cardinality=2).fit(votes)
    assert "A101" in model.check_.codes
    assert (model.sources_["low"] == 0).all()
    assert (model.sources_["high"] == 1).all()
    # Gold tells what the votes do not; and a file remembers it.
    told = assay.LabelModel(cardinality=2).fit(votes, np.where(np.arange(n) < 500, y, -1))
    assert (told.sources_["low"] > 0).all()
    for one in (model, told):
        stored = assay.LabelModel.load(one.save(tmp_path / "model.npz"))
        assert stored.sources_.equals(one.sources_)


class TestAgainstTheVote:
    """Families in which the vote used to be better."""

    @pytest.mark.parametrize("n", [300, 4_000])
    def test_a_rare_class_with_one_sided_sources(self, n):
        gains = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            y = (rng.random(n) < 0.03).astype(int)
            matrix = np.column_stack([one_sided(y, j % 2, 0.5, 0.05, rng) for j in range(10)])
            matrix, y = matrix[(matrix >= 0).any(axis=1)], y[(matrix >= 0).any(axis=1)]
            labels = assay.LabelModel().fit(matrix).predict_proba(matrix)
            gains.append(right(labels, y) - right(assay.majority_vote(matrix), y))
        assert np.mean(gains) > (0 if n > 300 else -0.01)

    def test_a_rare_class_with_two_sided_sources(self):
        rng = np.random.default_rng(1)
        y = (rng.random(4_000) < 0.03).astype(int)
        matrix = np.column_stack([two_sided(y, 2, rng.uniform(0.75, 0.95), rng) for _ in range(8)])
        labels = assay.LabelModel().fit(matrix).predict_proba(matrix)
        assert right(labels, y) > right(assay.majority_vote(matrix), y) + 0.005

    def test_twenty_classes_with_two_rules_each(self):
        rng = np.random.default_rng(2)
        y = rng.integers(0, 20, 4_000)
        matrix = np.column_stack([one_sided(y, j % 20, rng.uniform(0.2, 0.6), 0.01, rng) for j in range(40)])
        voted = (matrix >= 0).any(axis=1)
        labels = assay.LabelModel(cardinality=20).fit(matrix[voted]).predict_proba(matrix[voted])
        vote = assay.majority_vote(assay.Votes.from_matrix(matrix[voted], cardinality=20))
        assert right(labels, y[voted]) > right(vote, y[voted]) + 0.01

    def test_prompts_that_share_their_errors(self):
        rng = np.random.default_rng(7)
        y = (rng.random(3_000) < 0.4).astype(int)
        kind = rng.integers(0, 4, len(y))
        columns = []
        for j in range(12):
            label = j % 2
            about = rng.random(4) < 0.4
            fooled = rng.random(4) < 0.3
            chance = np.where(y == label, np.where(about[kind], 0.7, 0.1), np.where(fooled[kind], 0.4, 0.03))
            columns.append(np.where(rng.random(len(y)) < chance, label, -1))
        matrix = np.column_stack(columns)
        voted = (matrix >= 0).any(axis=1)
        labels = assay.LabelModel().fit(matrix[voted]).predict_proba(matrix[voted])
        assert right(labels, y[voted]) > right(assay.majority_vote(matrix[voted]), y[voted]) - 0.02


def plain_and_obscure(seed: int, n: int = 2500):
    """Rules for many labels that all fire more often on plain items; one label is rare, and its rules are few.

    EM can take the rare label for all items that say little to anybody.
    """
    rng = np.random.default_rng(seed)
    classes = 10
    balance = np.r_[np.full(classes - 1, 1.0), 0.05]
    y = rng.choice(classes, size=n, p=balance / balance.sum())
    looks = np.where(rng.random(n) < 0.1, rng.integers(0, classes, n), y)
    plain = rng.random(n)
    columns = []
    for label in range(classes):
        for _ in range(4 if label < classes - 1 else 1):
            chance = np.where(looks == label, rng.uniform(0.3, 0.9) * 1.5 * plain, rng.uniform(0.0, 0.02))
            columns.append(np.where(rng.random(n) < chance, label, -1))
    matrix = np.column_stack(columns)
    kept = (matrix >= 0).any(axis=1)
    return matrix[kept], y[kept], classes


def test_no_label_stands_for_what_says_little_to_all_sources():
    """A label that hardly any vote names is not given to a tenth of the items, and the vote is not lost against."""
    gains = []
    for seed in range(4):
        matrix, y, classes = plain_and_obscure(seed)
        model = assay.LabelModel(cardinality=classes).fit(matrix)
        labels = model.predict_proba(matrix)
        named = (matrix[:, :, None] == np.arange(classes)).any(axis=1)
        assert (~named[np.arange(len(y)), labels.argmax(axis=1)]).mean() < 0.005
        gains.append(right(labels, y) - right(assay.majority_vote(matrix), y))
    assert min(gains) > -0.01
