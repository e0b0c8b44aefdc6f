"""LabelModel: habits of scikit-learn, what it takes and gives, and what its answers do not depend on."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import assay
from assay.baselines import hierarchical_majority_vote, majority_vote
from assay.gold.scores import accuracy
from assay.simulate import flat_world, task_world
from tests.support.worlds import printed_by_two_processes

METHODS = ["em", "completion", "covariance"]
BINARY = flat_world(sources=8, coverage=0.7, balance=[0.4, 0.6], seed=1).draw(3000)
TWO_TASKS = assay.TaskGraph([assay.Task("mood", ["good", "bad"]), assay.Task("food", ["good", "cold"])])


def accuracies(model):
    """(sources, values): what the table of sources says, for sources with equally many values."""
    return model.sources_["accuracy"].to_numpy().reshape(len(model.conditionals_), -1)


def two_components(n=800, seed=0):
    """Votes on two unrelated tasks, with one source that speaks about both, and the truth."""
    rng = np.random.default_rng(seed)
    truth = {task.name: rng.integers(2, size=n) for task in TWO_TASKS}

    def said(task):
        right = rng.random(n) < 0.8
        return [TWO_TASKS[task].labels[t if ok else 1 - t] for t, ok in zip(truth[task], right, strict=True)]

    columns = {f"{task}{j}": (task, said(task)) for task in truth for j in range(3)}
    columns["both"] = [{"mood": m, "food": f} for m, f in zip(said("mood"), said("food"), strict=True)]
    return assay.Votes.from_columns(TWO_TASKS, columns), np.column_stack(list(truth.values()))


class TestHabits:
    def test_settings_are_kept_as_given(self):
        dependencies = [("a", "b")]
        model = assay.LabelModel(dependencies=dependencies, seed=3)
        assert model.get_params()["dependencies"] is dependencies
        assert model.get_params(deep=False)["seed"] == 3

    def test_set_params(self):
        model = assay.LabelModel()
        assert model.set_params(method="covariance", max_steps=5) is model
        assert (model.method, model.max_steps) == ("covariance", 5)
        with pytest.raises(assay.AssayError, match=r"no setting 'maxsteps'\. Did you mean 'max_steps'"):
            model.set_params(maxsteps=3)

    @pytest.mark.parametrize(
        "settings",
        [
            {},
            {"class_balance": np.array([0.3, 0.7])},
            {"class_balance": {1: 0.3}, "balance_strength": "exact", "balance_of": "voted"},
            {"beliefs": {"0": 0.9}, "dependencies": [(0, 1)]},
        ],
        ids=str,
    )
    def test_clone(self, settings):
        model = assay.LabelModel(**settings).fit(BINARY.votes)
        again = clone(model)
        assert not hasattr(again, "sources_")
        assert repr(again) == repr(model)
        np.testing.assert_array_equal(again.fit(BINARY.votes).class_balance_, model.class_balance_)

    def test_repr_shows_what_was_changed(self):
        assert repr(assay.LabelModel()) == "LabelModel()"
        assert repr(assay.LabelModel(method="covariance", seed=1)) == "LabelModel(method='covariance', seed=1)"
        assert "array([0.3, 0.7])" in repr(assay.LabelModel(class_balance=np.array([0.3, 0.7])))

    def test_settings_are_keyword_only(self):
        with pytest.raises(TypeError):
            assay.LabelModel("em")

    def test_fit_returns_itself_and_can_be_done_again(self):
        model = assay.LabelModel()
        assert model.fit(BINARY.votes) is model
        first = model.predict_proba(BINARY.votes)
        np.testing.assert_array_equal(model.fit(BINARY.votes).predict_proba(BINARY.votes), first)
        assert model.__sklearn_is_fitted__()
        assert not clone(model).__sklearn_is_fitted__()

    @pytest.mark.parametrize("way", ["predict_proba", "predict", "label"])
    def test_unfitted(self, way):
        with pytest.raises(assay.AssayError, match=r"is not fitted yet; call fit\(votes\) first"):
            getattr(assay.LabelModel(), way)(BINARY.votes)


class TestVotesComeInAnyShape:
    def test_matrices_are_votes(self):
        whole = assay.LabelModel().fit(BINARY.votes).predict_proba(BINARY.votes)
        codes = BINARY.votes.codes
        for matrix in (codes.copy(), codes.tolist(), codes.astype(float), sparse.csr_array(codes + 1)):
            model = assay.LabelModel(cardinality=2).fit(matrix)
            np.testing.assert_array_equal(model.predict_proba(matrix), whole)

    def test_cardinality_counts_classes_nobody_votes_for(self):
        model = assay.LabelModel(cardinality=4).fit(BINARY.votes.codes)
        assert model.predict_proba(BINARY.votes.codes).shape == (3000, 4)
        assert model.conditionals_[0].shape == (5, 4)

    def test_dependencies_by_number_and_by_name(self):
        by_number = assay.LabelModel(dependencies=[(0, 1)]).fit(BINARY.votes)
        by_name = assay.LabelModel(dependencies=[("0", "1")]).fit(BINARY.votes)
        np.testing.assert_array_equal(by_number.predict_proba(BINARY.votes), by_name.predict_proba(BINARY.votes))

    def test_columns_of_a_matrix_must_be_the_sources(self):
        model = assay.LabelModel().fit(BINARY.votes)
        with pytest.raises(assay.VoteError, match="expected a matrix with 8 columns, one per source, but it has 3"):
            model.predict_proba(BINARY.votes.codes[:, :3])
        with pytest.raises(assay.VoteError, match="class numbers below 2"):
            model.predict_proba(np.full((1, 8), 2))

    def test_class_numbers_are_read_by_label_and_not_by_code(self, letters):
        """A source whose values are not all labels in order must not have its codes taken for class numbers."""
        rng = np.random.default_rng(0)
        truth = rng.integers(3, size=600)
        noisy = [np.where(rng.random(600) < 0.8, truth, rng.integers(3, size=600)) for _ in range(4)]
        columns = {f"s{j}": ("letter", ["ABC"[c] for c in codes]) for j, codes in enumerate(noisy)}
        columns["only C"] = ["C" if c == 2 else None for c in noisy[0]]
        votes = assay.Votes.from_columns(letters, columns)
        matrix = np.column_stack([*noisy, np.where(noisy[0] == 2, 2, -1)])
        model = assay.LabelModel().fit(votes)
        np.testing.assert_array_equal(model.predict_proba(matrix), model.predict_proba(votes))
        with pytest.raises(assay.VoteError, match="source 'only C' says 'A', which is not among the values"):
            model.predict_proba(np.zeros((1, 5), int))

    def test_a_matrix_is_refused_where_there_are_several_tasks(self):
        votes, _ = two_components()
        with pytest.raises(assay.VoteError, match="a matrix holds votes on one task"):
            assay.LabelModel().fit(votes).predict_proba(np.zeros((1, 7), int))

    def test_value_tables_in_another_order(self):
        model = assay.LabelModel().fit(BINARY.votes)
        votes = BINARY.votes
        turned = assay.Votes.from_codes(
            votes.tasks,
            np.where(votes.codes < 0, -1, 1 - votes.codes),
            votes.names,
            tuple(values[::-1] for values in votes.values),
        )
        np.testing.assert_array_equal(model.predict_proba(turned), model.predict_proba(votes))

    def test_sources_in_another_order_and_more_of_them(self):
        model = assay.LabelModel().fit(BINARY.votes.drop(["3"]))
        np.testing.assert_array_equal(
            model.predict_proba(BINARY.votes.select(range(7, -1, -1))), model.predict_proba(BINARY.votes.drop(["3"]))
        )

    def test_missing_sources_are_named(self):
        with pytest.raises(assay.VoteError, match="lack sources that the model was fitted on: '7'"):
            assay.LabelModel().fit(BINARY.votes).predict_proba(BINARY.votes.drop(["7"]))

    def test_values_that_were_not_known_are_named_if_they_are_said(self, letters):
        columns = {f"s{j}": ["A", "B", "A", "B"] for j in range(3)}
        model = assay.LabelModel().fit(assay.Votes.from_columns(letters, columns))
        listed = {name: ("letter", labels) for name, labels in columns.items()}
        expected = model.predict_proba(assay.Votes.from_columns(letters, columns))
        np.testing.assert_array_equal(model.predict_proba(assay.Votes.from_columns(letters, listed)), expected)
        new = assay.Votes.from_columns(letters, {**columns, "s1": ["A", "B", "C", "B"]})
        with pytest.raises(assay.VoteError, match="source 's1' says 'C', which is not among the values"):
            model.predict_proba(new)

    def test_other_tasks_are_refused(self, letters):
        votes = assay.Votes.from_columns(letters, {name: ["A"] for name in BINARY.votes.names})
        with pytest.raises(assay.VoteError, match="on other tasks than those the model was fitted on"):
            assay.LabelModel().fit(BINARY.votes).predict(votes)

    def test_no_items(self):
        model = assay.LabelModel().fit(BINARY.votes)
        assert model.predict_proba(BINARY.votes.take([])).shape == (0, 2)
        assert len(model.label(BINARY.votes.take([]))) == 0


class TestWhatIsLearned:
    def test_shapes(self):
        model = assay.LabelModel().fit(BINARY.votes)
        assert model.class_balance_.shape == (2,)
        assert model.class_balance_.sum() == pytest.approx(1)
        assert len(model.conditionals_) == 8
        for table in model.conditionals_:
            assert table.shape == (3, 2)
            np.testing.assert_allclose(table.sum(axis=0), 1)
        assert list(model.sources_.columns[:3]) == ["source", "task", "value"]
        assert len(model.sources_) == 16
        assert model.converged_
        assert model.notes_ == []
        assert (model.predict(BINARY.votes) == model.predict_proba(BINARY.votes).argmax(axis=1)).all()

    def test_conditionals_by_name(self):
        model = assay.LabelModel().fit(BINARY.votes)
        np.testing.assert_array_equal(model.conditionals_["3"], model.conditionals_[3])
        with pytest.raises(assay.VoteError, match="there is no source 'x'"):
            model.conditionals_["x"]

    def test_the_table_counts_votes(self):
        table = assay.LabelModel().fit(BINARY.votes).sources_
        counts = [(BINARY.votes.codes[:, j] == v).sum() for j in range(8) for v in range(2)]
        assert table["votes"].tolist() == counts
        np.testing.assert_allclose(table["coverage"], np.array(counts) / 3000)
        assert (table["low"] <= table["accuracy"]).all()
        assert (table["accuracy"] <= table["high"]).all()

    def test_accuracies_and_balance_are_near_the_truth(self):
        model = assay.LabelModel().fit(BINARY.votes)
        joint = [table[:-1] * BINARY.world.balance for table in BINARY.world.conditionals]
        truth = np.array([np.diagonal(votes / votes.sum(axis=1, keepdims=True)) for votes in joint])
        assert np.abs(accuracies(model) - truth).mean() < 0.03
        assert np.abs(model.class_balance_ - BINARY.world.balance).max() < 0.05

    @pytest.mark.parametrize("abstentions", ["informative", "ignored"])
    @pytest.mark.parametrize("method", METHODS)
    def test_items_without_votes_get_the_class_balance(self, method, abstentions):
        votes = BINARY.votes.codes.copy()
        votes[:5] = -1
        model = assay.LabelModel(method=method, abstentions=abstentions).fit(votes)
        np.testing.assert_array_equal(model.predict_proba(votes)[:5], np.tile(model.class_balance_, (5, 1)))

    def test_a_given_class_balance_is_used_as_it_is(self):
        for method in METHODS:
            model = assay.LabelModel(method=method, class_balance=[0.25, 0.75], balance_strength="exact")
            np.testing.assert_allclose(model.fit(BINARY.votes).class_balance_, [0.25, 0.75], atol=1e-4)

    def test_labels_carry_item_names(self):
        votes = replace(BINARY.votes, items=np.arange(3000) + 7)
        labels = assay.LabelModel().fit(votes).label(votes)
        assert labels.items[0] == 7
        np.testing.assert_array_equal(labels.joint[0], assay.LabelModel().fit(votes).predict_proba(votes))

    def test_it_says_whether_it_converged(self):
        model = assay.LabelModel(max_steps=1).fit(BINARY.votes)
        assert not model.converged_
        assert any("raise max_steps" in note for note in model.notes_)


class TestSeveralComponents:
    def test_lists_one_entry_a_component(self):
        votes, truth = two_components()
        model = assay.LabelModel().fit(votes)
        parts = model.predict_proba(votes)
        assert [part.shape for part in parts] == [(800, 2), (800, 2)]
        assert [balance.shape for balance in model.class_balance_] == [(2,), (2,)]
        assert model.predict(votes).shape == (800, 2)
        assert ((model.predict(votes) == truth).mean(axis=0) > 0.85).all()
        assert len(model.conditionals_["both"]) == 2
        for table in model.conditionals_["both"]:
            np.testing.assert_allclose(table.sum(axis=0), 1)

    def test_each_is_fitted_as_if_it_were_alone(self):
        votes, _ = two_components()
        model = assay.LabelModel().fit(votes)
        for index, task in enumerate(TWO_TASKS):
            codes = np.column_stack(
                [
                    [dict(values[c].labels)[task.name] == task.labels[1] for c in column]
                    for values, column in zip(votes.values, votes.codes.T, strict=True)
                    if task.name in values[0].tasks
                ]
            )
            alone = assay.LabelModel().fit(codes.astype(int)).predict_proba(codes.astype(int))
            np.testing.assert_allclose(model.predict_proba(votes)[index], alone, atol=1e-5)

    def test_class_balances(self):
        votes, _ = two_components()
        balances = [[0.5, 0.5], [0.25, 0.75]]
        found = assay.LabelModel(class_balance=balances, balance_strength="exact").fit(votes).class_balance_
        np.testing.assert_allclose(found, balances, atol=1e-9)
        learned, _ = assay.LabelModel().fit(votes).class_balance_
        first = TWO_TASKS["food"].labels[0]
        for one in ([None, [0.25, 0.75]], {"food": {first: 0.25}}):
            mood, food = assay.LabelModel(class_balance=one, balance_strength="exact").fit(votes).class_balance_
            np.testing.assert_array_equal(mood, learned)
            np.testing.assert_allclose(food, [0.25, 0.75])
        for wrong in ([0.5, 0.5], [[0.5, 0.5]], 0.5):
            with pytest.raises(assay.AssayError, match="class_balance must"):
                assay.LabelModel(class_balance=wrong).fit(votes)

    def test_gold_by_task(self):
        votes, truth = two_components()
        gold = {
            task.name: [task.labels[y] if row < 50 else None for row, y in enumerate(truth[:, index])]
            for index, task in enumerate(TWO_TASKS)
        }
        model = assay.LabelModel().fit(votes, gold)
        assert ((model.predict(votes) == truth).mean(axis=0) > 0.85).all()


def worlds(entities):
    return {
        "binary": flat_world(sources=10, coverage=0.6, balance=[0.3, 0.7], seed=5),
        "5 classes": flat_world(classes=5, sources=10, coverage=0.8, kind="class-conditional", seed=6),
        "hierarchical": task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3, seed=3),
    }


@pytest.mark.parametrize("problem", ["binary", "5 classes", "hierarchical"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_beats_majority_vote(entities, method, problem):
    world = worlds(entities)[problem]
    drawn = world.draw(4000, seed=1)
    # Three-way overlaps of sources that each see a part of the outcomes say little of the balance at this size.
    balance = world.balance if problem == "hierarchical" and method != "em" else None
    model = assay.LabelModel(method=method, class_balance=balance).fit(drawn.votes)
    found = accuracy(model.predict_proba(drawn.votes), drawn.gold)
    majority = max(accuracy(vote(drawn.votes), drawn.gold) for vote in (majority_vote, hierarchical_majority_vote))
    best = accuracy(world.posterior(drawn.votes.codes), drawn.gold)
    assert found >= majority - 0.005
    assert found >= best - 0.05


class TestInvariance:
    """Answers do not depend on how the problem was written down."""

    @pytest.fixture(params=METHODS)
    def method(self, request):
        return request.param

    @pytest.fixture(params=[[], [(0, 1), (1, 2)]], ids=["independent", "chain"])
    def problem(self, request):
        world = flat_world(classes=3, sources=6, copies=request.param, coverage=0.8, seed=9)
        return world.draw(2000, seed=2).votes.codes.astype(int), request.param

    def posteriors(self, method, codes, dependencies, **settings):
        model = assay.LabelModel(method=method, dependencies=dependencies, cardinality=3, **settings)
        return model.fit(codes).predict_proba(codes)

    def test_rows(self, method, problem):
        codes, dependencies = problem
        order = np.random.default_rng(0).permutation(len(codes))
        np.testing.assert_array_equal(
            self.posteriors(method, codes[order], dependencies), self.posteriors(method, codes, dependencies)[order]
        )

    def assert_near(self, method, dependencies, one, other):
        if not dependencies:  # to rounding, and EM to where it stops
            np.testing.assert_allclose(one, other, atol=1e-4 if method == "em" else 1e-6)
        elif method == "completion":  # its steps take other cliques together, which only large samples forgive
            assert np.abs(one - other).mean() < 0.05
        else:  # pulls act on cliques, which are told of from another end of the chain
            np.testing.assert_allclose(one, other, atol=0.03)

    def test_sources(self, method, problem):
        codes, dependencies = problem
        order = [4, 2, 0, 5, 1, 3]
        moved = [tuple(order.index(source) for source in group) for group in dependencies]
        balance = {} if method == "em" else {"class_balance": [0.3, 0.3, 0.4]}
        found = self.posteriors(method, codes[:, order], moved, **balance)
        self.assert_near(method, dependencies, found, self.posteriors(method, codes, dependencies, **balance))

    def test_classes(self, method, problem):
        codes, dependencies = problem
        renamed = np.array([2, 0, 1, -1])
        given = np.array([0.3, 0.3, 0.4])
        before, after = ({}, {}) if method == "em" else ({"class_balance": b} for b in (given, given[[1, 2, 0]]))
        found = self.posteriors(method, renamed[codes], dependencies, **after)[:, renamed[:3]]
        self.assert_near(method, dependencies, found, self.posteriors(method, codes, dependencies, **before))


SCRIPT = """
import hashlib
import assay
from assay.simulate import flat_world
world = flat_world(sources=7, copies=[(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)], coverage=0.8, seed=4)
votes = world.draw(800, seed=1).votes
for method in ("em", "completion"):
    model = assay.LabelModel(method=method, dependencies=[("0", "1"), ("1", "2"), ("2", "3"), ("3", "0")]).fit(votes)
    print(hashlib.sha256(model.predict_proba(votes).tobytes() + model.sources_["low"].to_numpy().tobytes()).hexdigest())
"""


def test_same_seed_same_bits_in_two_processes():
    one, other = printed_by_two_processes(SCRIPT)
    assert one == other
    assert len(one.split()) == 2


class TestKnowledge:
    def test_a_few_gold_labels_help(self):
        """Too few sources to tell good from bad by themselves."""
        world = flat_world(sources=4, accuracy=(0.52, 0.75), balance=[0.3, 0.7], seed=12)
        gains = []
        for seed in range(3):
            drawn = world.draw(400, seed=seed)
            gold = np.where(np.arange(400) < 200, drawn.gold, -1)
            rest = slice(200, None)
            scores = [
                accuracy(assay.LabelModel().fit(drawn.votes, given).predict_proba(drawn.votes)[rest], drawn.gold[rest])
                for given in (None, gold)
            ]
            gains.append(scores[1] - scores[0])
        assert np.mean(gains) > 0

    def test_gold_turns_sources_that_are_all_wrong(self):
        codes = 1 - flat_world(sources=5, seed=3).draw(1000).votes.codes
        truth = flat_world(sources=5, seed=3).draw(1000).gold
        gold = np.where(np.arange(1000) < 300, truth, -1)
        assert (assay.LabelModel().fit(codes).predict(codes) == truth).mean() < 0.3
        assert (assay.LabelModel().fit(codes, gold).predict(codes) == truth).mean() > 0.7

    @pytest.mark.parametrize("method", METHODS)
    def test_adversarial_sources_may_be_declared(self, method):
        drawn = flat_world(sources=5, seed=3).draw(3000)
        codes = drawn.votes.codes.copy()
        codes[:, :3] = 1 - codes[:, :3]
        undeclared = assay.LabelModel(method=method).fit(codes)
        declared = assay.LabelModel(method=method, adversarial=[0, "1", 2]).fit(codes)
        assert (undeclared.predict(codes) == drawn.gold).mean() < 0.3
        assert (declared.predict(codes) == drawn.gold).mean() > 0.7
        assert (accuracies(declared)[:3] < 0.5).all()

    @pytest.mark.parametrize("method", ["em", "robust"])
    def test_beliefs_pull(self, method):
        votes = BINARY.votes.take(slice(0, 200))
        free, told, sure = (
            accuracies(assay.LabelModel(method=method, beliefs=beliefs).fit(votes))[0].mean()
            for beliefs in (None, {0: 0.99}, {"0": (0.99, 2000)})
        )
        assert free < told < sure
        assert sure > 0.97

    @pytest.mark.parametrize("method", ["auto", "robust"])
    def test_beliefs_pull_dependent_sources_too(self, method):
        models = (
            assay.LabelModel(method=method, dependencies=[(0, 1)], beliefs={0: (a, 500)}).fit(BINARY.votes)
            for a in (0.6, 0.95)
        )
        low, high = (accuracies(model)[0].mean() for model in models)
        assert high - low > 0.02

    def test_wrong_gold_is_told_of(self):
        with pytest.raises(assay.VoteError, match="gold must have a label"):
            assay.LabelModel().fit(BINARY.votes, [0, 1])
        with pytest.raises(assay.VoteError, match="outcome numbers from 0 to 1"):
            assay.LabelModel().fit(BINARY.votes, np.full(3000, 2))

    def test_gold_that_is_coarse(self, entities):
        drawn = task_world(entities, ["entity"] * 3 + ["person"] * 3 + ["org"] * 3, seed=2).draw(600)
        gold = [
            {"entity": "Person" if y < 2 else "Organization"} if row < 200 else None for row, y in enumerate(drawn.gold)
        ]
        found = assay.LabelModel().fit(drawn.votes, gold).predict(drawn.votes)
        assert (found == drawn.gold).mean() > 0.6


class TestWays:
    def test_local_accuracies(self, entities):
        drawn = task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3, off_coverage=0.3, seed=3).draw(300)
        globally, locally = (
            assay.LabelModel(method="em", accuracies=way).fit(drawn.votes).predict_proba(drawn.votes)
            for way in ("global", "local")
        )
        assert not np.array_equal(globally, locally)
        assert abs(accuracy(globally, drawn.gold) - accuracy(locally, drawn.gold)) < 0.05

    def test_local_and_global_agree_where_one_task_applies_everywhere(self):
        globally, locally = (assay.LabelModel(accuracies=way).fit(BINARY.votes) for way in ("global", "local"))
        np.testing.assert_array_equal(globally.predict_proba(BINARY.votes), locally.predict_proba(BINARY.votes))

    def test_ignored_abstentions_do_not_tell(self):
        model = assay.LabelModel(abstentions="ignored").fit(BINARY.votes)
        for table in model.conditionals_:
            assert np.ptp(table[-1]) < 1e-12
        votes = np.full((1, 8), -1)
        votes[0, 0] = 1
        odds = model.predict_proba(votes)[0] / model.class_balance_
        said = model.conditionals_[0][1]
        np.testing.assert_allclose(odds / odds.sum(), said / said.sum(), atol=1e-9)

    def test_informative_abstentions_win_where_they_tell(self):
        """A source that only ever speaks of one class tells of the other by its silence."""
        drawn = flat_world(sources=8, polarity="one", coverage=0.35, accuracy=(0.8, 0.95), seed=2).draw(4000)
        informed, ignorant = (
            accuracy(assay.LabelModel(abstentions=way).fit(drawn.votes).predict_proba(drawn.votes), drawn.gold)
            for way in ("informative", "ignored")
        )
        assert informed > ignorant


class TestUnidentifiable:
    @pytest.mark.parametrize("dependencies", [[], [(0, 1)]])
    def test_refused_with_the_reason_and_the_way_round(self, dependencies):
        votes = BINARY.votes.select(range(3 if dependencies else 2))
        with pytest.raises(assay.UnidentifiableError, match=r"A00\d.*(?s:.*)allow_unidentifiable=True"):
            assay.LabelModel(dependencies=dependencies).fit(votes)

    @pytest.mark.parametrize("method", METHODS)
    def test_allowed_it_says_what_was_assumed(self, method):
        votes = BINARY.votes.select([0, 1])
        model = assay.LabelModel(method=method, allow_unidentifiable=True).fit(votes)
        assert any(note.startswith("fitted despite A002") for note in model.notes_)
        assert not model.check_.ok
        found = model.predict_proba(votes)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        agree = (votes.codes[:, 0] == votes.codes[:, 1]) & (votes.codes[:, 0] >= 0)
        assert (found.argmax(axis=1)[agree] == votes.codes[agree, 0]).all()

    def test_a_failed_fit_leaves_the_model_as_it_was(self):
        model = assay.LabelModel().fit(BINARY.votes)
        before = model.predict_proba(BINARY.votes)
        with pytest.raises(assay.UnidentifiableError):
            model.fit(BINARY.votes.select([0]))
        np.testing.assert_array_equal(model.predict_proba(BINARY.votes), before)


def test_the_table_of_sources_is_a_frame():
    assert isinstance(assay.LabelModel().fit(BINARY.votes).sources_, pd.DataFrame)


class TestWarnings:
    """What a check finds is warned of at fit, once a problem, and can be filtered."""

    SMALL = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0]] * 2)

    def test_each_problem_of_the_check_is_a_warning(self):
        model = assay.LabelModel()
        with pytest.warns(assay.CheckWarning) as found:
            model.fit(self.SMALL)
        said = [str(one.message) for one in found]
        assert [text.partition(":")[0] for text in said] == [problem.code for problem in model.check_.problems]
        assert len(set(said)) == len(said)

    def test_a_good_fit_is_silent(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assay.LabelModel().fit(flat_world(sources=6).draw(2000).votes)

    def test_one_code_is_filtered_by_its_name(self):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", "A1", assay.CheckWarning)
            assay.LabelModel().fit(self.SMALL)
        assert not [one for one in found if str(one.message).startswith("A1")]

    def test_what_is_fitted_despite_errors_is_warned_of(self):
        with pytest.warns(assay.CheckWarning, match="A002"):
            assay.LabelModel(allow_unidentifiable=True).fit(self.SMALL[:, :2])

    def test_growing_votes_are_warned_of_once(self):
        model = assay.LabelModel()
        with pytest.warns(assay.CheckWarning):
            model.partial_fit(self.SMALL)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            model.partial_fit(self.SMALL)
        assert not {str(one.message)[:4] for one in found} & {"A104", "A304"}

    def test_check_says_the_same_before_a_fit(self):
        for gold in (None, np.array([0, 1] * 4)):
            assert str(assay.LabelModel().check(self.SMALL, gold)) == str(
                assay.LabelModel().fit(self.SMALL, gold).check_
            )


def test_values_that_are_never_emitted_are_a_blind_guess():
    table = assay.LabelModel(cardinality=3).fit(flat_world(sources=5).draw(500).votes.codes).sources_
    never = table[table["votes"] == 0]
    assert set(never["value"]) == {"2"}
    np.testing.assert_allclose(never["accuracy"], 1 / 3)
    assert (never["low"] == 0).all()
    assert (never["high"] == 1).all()
    assert table["accuracy"].between(0, 1).all()


@pytest.mark.parametrize("verb", ["predict", "predict_proba"])
def test_arguments_of_other_label_models_are_explained_where_labels_are_asked_for(verb):
    votes = flat_world(sources=5).draw(300).votes
    with pytest.raises(assay.AssayError, match=r"tie_break_policy.*decide"):
        getattr(assay.LabelModel().fit(votes), verb)(votes, tie_break_policy="random")


def test_gold_about_what_nobody_votes_on_is_kept(tmp_path, pair):
    """A component without votes has gold, but no sources that it could check."""
    drawn = flat_world(sources=5).draw(300)
    said = {name: ("mood", np.where(drawn.votes.codes[:, at] == 0, "good", "bad")) for at, name in enumerate("abcde")}
    votes = assay.Votes.from_columns(pair, said)
    model = assay.LabelModel(allow_unidentifiable=True).fit(votes, {"food": ["cold"] * 100 + [None] * 200})
    again = assay.LabelModel.load(model.save(tmp_path / "model.npz"))
    for one, other in zip(again.label(votes).joint, model.label(votes).joint, strict=True):
        np.testing.assert_array_equal(one, other)


def test_notes_are_logged_for_whoever_listens(caplog):
    votes = flat_world(sources=6).draw(2000).votes
    copied = np.column_stack([votes.codes, votes.codes[:, 0]])
    with caplog.at_level("INFO", logger="assay"):
        model = assay.LabelModel().fit(copied)
    assert model.notes_
    assert [record.getMessage() for record in caplog.records if record.name == "assay"] == model.notes_
