"""Problems on which label models in use today fail, seen by running them; each is a test of ours."""

import numpy as np
import pytest
from scipy import sparse

import assay
from assay.baselines import majority_vote
from assay.counts.source_graph import SourceGraph
from assay.gold.scores import accuracy
from assay.simulate import flat_world, task_world
from tests.support.worlds import printed_by_two_processes


def test_prediction_after_training_with_dependencies():
    """There: KeyError."""
    world = flat_world(sources=6, copies=[(0, 1), (1, 2)], seed=1)
    drawn = world.draw(2000)
    model = assay.LabelModel(dependencies=world.dependencies).fit(drawn.votes)
    new = world.draw(500, seed=9)
    assert accuracy(model.predict_proba(new.votes), new.gold) > 0.75


def test_running_intersection():
    """There: the minimum spanning tree joins {0,1,2} with {2,3,4}."""
    graph = SourceGraph("abcde", [(0, 1, 2), (1, 2, 3), (2, 3, 4)])
    holding_1 = [index for index, clique in enumerate(graph.cliques) if 1 in clique]
    assert tuple(holding_1) in graph.tree


@pytest.mark.parametrize("method", ["em", "completion", "covariance"])
@pytest.mark.parametrize("kind", ["unipolar", "never abstaining"])
def test_unipolar_and_never_abstaining_sources_with_dependencies(kind, method):
    """There: a singular matrix, or a loss that is NaN."""
    settings = {"polarity": "one", "coverage": 0.3} if kind == "unipolar" else {"coverage": 1.0}
    drawn = flat_world(sources=8, accuracy=(0.7, 0.9), seed=2, **settings).draw(3000)
    model = assay.LabelModel(method=method, dependencies=[(0, 2), (1, 3)]).fit(drawn.votes)
    found = model.predict_proba(drawn.votes)
    assert np.isfinite(found).all()
    assert accuracy(found, drawn.gold) >= accuracy(majority_vote(drawn.votes), drawn.gold) - 0.01


@pytest.mark.parametrize("method", ["em", "completion", "covariance"])
def test_sources_of_one_task_of_several(entities, method):
    """There: conditional columns that sum to 2; with dependencies, a singular matrix."""
    votes = task_world(entities, ["entity"] * 3 + ["person"] * 3 + ["org"] * 3, seed=1).draw(2000).votes
    model = assay.LabelModel(method=method, dependencies=[("s3", "s4")]).fit(votes)
    for table in model.conditionals_:
        np.testing.assert_allclose(table.sum(axis=0), 1)
    assert np.isfinite(model.predict_proba(votes)).all()


def test_rare_classes_with_the_balance_not_given():
    """There: 64.6% where majority vote has 86.1% and the true balance 94.2%."""
    world = flat_world(sources=10, accuracy=(0.6, 0.85), balance=[0.9, 0.1], seed=4)
    drawn = world.draw(5000)
    model = assay.LabelModel().fit(drawn.votes)
    found = accuracy(model.predict_proba(drawn.votes), drawn.gold)
    assert found > accuracy(majority_vote(drawn.votes), drawn.gold)
    assert found > accuracy(world.posterior(drawn.votes.codes), drawn.gold) - 0.01
    assert model.class_balance_[0] == pytest.approx(0.9, abs=0.03)


class TestNearCopies:
    """Four near-copies of a 60% source against an 85% and an 80% one. There: 60.0%."""

    @pytest.fixture
    def problem(self):
        rng = np.random.default_rng(0)
        truth = rng.integers(2, size=6000)

        def noisy(accuracy):
            return np.where(rng.random(6000) < accuracy, truth, 1 - truth)

        first = noisy(0.6)
        copies = [np.where(rng.random(6000) < 0.97, first, 1 - first) for _ in range(3)]
        return np.column_stack([first, *copies, noisy(0.85), noisy(0.8)]), truth

    def test_declared(self, problem):
        votes, truth = problem
        model = assay.LabelModel(dependencies=[(0, 1, 2, 3)]).fit(votes)
        assert accuracy(model.predict_proba(votes), truth) > 0.84
        best = model.sources_.set_index("source")["accuracy"]
        assert best["4"].mean() == pytest.approx(0.85, abs=0.03)
        assert best["0"].mean() == pytest.approx(0.6, abs=0.03)

    def test_undeclared_they_are_found(self, problem):
        votes, truth = problem
        assert accuracy(assay.LabelModel().fit(votes).predict_proba(votes), truth) > 0.84

    def test_not_looked_for_the_copies_win_but_check_names_them(self, problem):
        votes, truth = problem
        model = assay.LabelModel(dependencies=()).fit(votes)
        assert accuracy(model.predict_proba(votes), truth) < 0.7
        (named,) = [problem for problem in model.check_.warnings if problem.code == "A302"]
        assert set(named.sources) <= {"0", "1", "2", "3"}
        assert "declare the dependency" in named.fix


def test_a_source_that_never_votes_gets_no_weight():
    """There: weight 1.0."""
    votes = flat_world(sources=6, seed=5).draw(2000).votes.codes.copy()
    without = assay.LabelModel().fit(votes).predict_proba(votes)
    silent = np.column_stack([votes, np.full(2000, -1)])
    model = assay.LabelModel(cardinality=2).fit(silent)
    np.testing.assert_allclose(model.predict_proba(silent), without, atol=1e-6)
    spoken = silent.copy()
    spoken[:, -1] = 1
    np.testing.assert_allclose(model.predict_proba(spoken), without, atol=1e-6)
    row = model.sources_[model.sources_["source"] == "6"]
    assert (row["votes"] == 0).all()
    assert (row["low"] == 0).all()
    assert (row["high"] == 1).all()


def test_sparse_matrices():
    """There: refused."""
    votes = flat_world(sources=8, coverage=0.2, seed=6).draw(2000).votes.codes
    dense = assay.LabelModel().fit(votes).predict_proba(votes)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        matrix = kind(votes + 1)
        np.testing.assert_array_equal(assay.LabelModel().fit(matrix).predict_proba(matrix), dense)


@pytest.mark.parametrize("classes", [2, 5])
def test_four_hundred_votes_do_not_underflow(classes):
    """There: NaN."""
    drawn = flat_world(classes=classes, sources=400, accuracy=(0.9, 0.99), seed=7).draw(300)
    found = assay.LabelModel().fit(drawn.votes).predict_proba(drawn.votes)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert accuracy(found, drawn.gold) == 1.0


def test_the_seed_is_the_same_in_every_process():
    """There: it differs from process to process."""
    script = (
        "import assay; from assay.simulate import flat_world; v = flat_world(sources=5, seed=1).draw(300).votes;"
        "print(assay.LabelModel(seed=3, dependencies=[('0', '1')]).fit(v).predict_proba(v).tobytes().hex())"
    )
    one, other = printed_by_two_processes(script)
    assert one == other
    assert len(one) > 1000


def test_it_says_whether_it_converged():
    """There: it does not."""
    votes = flat_world(sources=6, coverage=0.5, seed=8).draw(1000).votes
    settled, cut = assay.LabelModel().fit(votes), assay.LabelModel(max_steps=1).fit(votes)
    assert settled.converged_
    assert not cut.converged_
    assert cut.notes_
    assert {solver.status for solver in settled.solvers_[0].values()} == {"converged"}


def test_twelve_binary_tasks_do_not_make_4096_classes():
    tasks = assay.TaskGraph([assay.Task(f"t{j}", ["yes", "no"]) for j in range(12)])
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=(500, 12))
    columns = {}
    for task in range(12):
        for source in range(3):
            said = np.where(rng.random(500) < 0.8, truth[:, task], 1 - truth[:, task])
            columns[f"t{task} s{source}"] = (f"t{task}", [["yes", "no"][y] for y in said])
    votes = assay.Votes.from_columns(tasks, columns)
    model = assay.LabelModel().fit(votes)
    assert [part.shape for part in model.predict_proba(votes)] == [(500, 2)] * 12
    assert (model.predict(votes) == truth).mean() > 0.85
