"""The robust model: proper, indifferent to order and names, near EM on its own ground, and sane on real ones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

import assay
from assay.counts import Evidence, layout_of
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.robust import RobustSettings, _concentration, robust
from assay.model.scorer import Scorer
from assay.simulate import flat_world, task_world
from tests.support.worlds import enumerated


def robust_model(votes, **settings):
    return assay.LabelModel(method="robust", **settings).fit(votes)


@given(enumerated(max_sources=5), st.integers(20, 5000))
def test_tables_and_labels_are_proper(world, items):
    found, scoring, outcome, trust = robust(world.evidence(items), Knowledge.none(world.layout), RobustSettings())
    assert 0 <= trust <= 1
    assert outcome.status in ("converged", "unsettled")
    np.testing.assert_allclose(found.balance.sum(), 1)
    for table in found.joint:
        np.testing.assert_allclose(table.sum(axis=0), 1)
        assert (table > 0).all()
    assert all(np.isfinite(log).all() for log in scoring.logs)
    assert 0 <= scoring.discount < 2


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"balance": [0.85, 0.15]},
        {"classes": 5, "accuracy": (0.4, 0.8)},
        {"classes": 4, "coverage": 0.4, "sources": 20, "accuracy": (0.4, 0.8), "balance": [0.55, 0.15, 0.15, 0.15]},
        {"sources": 40, "coverage": 0.2},
    ],
)
def test_near_em_where_em_is_at_home(settings):
    lost = []
    for seed in range(3):
        drawn = flat_world(**settings, seed=seed).draw(4000, seed=seed)
        em = assay.LabelModel(method="em").fit(drawn.votes)
        lost.append(
            (em.predict(drawn.votes) == drawn.gold).mean()
            - (robust_model(drawn.votes).predict(drawn.votes) == drawn.gold).mean()
        )
    assert np.mean(lost) < 0.005


def labeling_functions(seed, items=2500):
    """Sparse one-sided sources, of which one is a busy default and some are near copies; and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, items)
    codes = np.full((items, 13), -1)
    for source in range(12):
        value = source % 3
        fires = np.where(truth == value, 0.15, 0.02)
        codes[rng.random(items) < fires, source] = value
    codes[:, 9] = np.where(rng.random(items) < 0.9, codes[:, 0], codes[:, 9])
    codes[rng.random(items) < np.where(truth == 0, 0.7, 0.5), 12] = 0
    return codes, truth


@pytest.mark.parametrize("seed", range(3))
def test_a_busy_default_and_copies_do_not_take_over(seed):
    codes, truth = labeling_functions(seed)
    spoken = (codes >= 0).any(axis=1)
    model = assay.LabelModel(cardinality=3).fit(codes)
    majority = np.asarray(assay.majority_vote(assay.Votes.from_matrix(codes, cardinality=3)))
    right = (model.predict(codes) == truth)[spoken].mean()
    assert right > majority[spoken, truth[spoken]].mean() + 0.02
    assert model.class_balance_.max() < 0.6


def test_discounting_changes_no_decision():
    codes, _ = labeling_functions(1)
    model = robust_model(codes, cardinality=3)
    scoring = model.fitted_.components[0].fit.scoring
    assert scoring.discount > 0
    rows = np.flatnonzero((codes >= 0).sum(axis=1) > 1)
    labels = model.predict_proba(codes)[rows]
    surer = Scorer(replace(scoring, discount=0.0))(assay.Votes.from_matrix(codes, cardinality=3))[rows]
    assert (labels.argmax(axis=1) == surer.argmax(axis=1)).all()
    assert (labels.max(axis=1) <= surer.max(axis=1) + 1e-12).all()


@given(st.permutations(range(3)), st.integers(0, 99))
def test_names_and_order_do_not_matter(renamed, seed):
    codes, _ = labeling_functions(2, items=600)
    rng = np.random.default_rng(seed)
    rows, sources = rng.permutation(len(codes)), rng.permutation(codes.shape[1])
    here = robust_model(codes, cardinality=3).predict_proba(codes)
    other = np.where(codes >= 0, np.array(renamed)[codes], -1)[rows][:, sources]
    there = robust_model(other, cardinality=3).predict_proba(other)
    np.testing.assert_allclose(there[:, renamed], here[rows], atol=1e-6)


def test_repeating_every_item_changes_little():
    drawn = flat_world(sources=8, coverage=0.6, seed=1).draw(1000)
    once = robust_model(drawn.votes).predict_proba(drawn.votes)
    twice = robust_model(np.vstack([drawn.votes.codes] * 2)).predict_proba(drawn.votes)
    assert np.abs(once - twice).max() < 0.1


def test_a_balance_that_is_known_stays():
    drawn = flat_world(sources=6, balance=[0.7, 0.3], seed=1).draw(800)
    model = robust_model(drawn.votes, class_balance=[0.7, 0.3], balance_strength="exact")
    np.testing.assert_allclose(model.class_balance_, [0.7, 0.3])
    assert model.conditionals_[0].shape == (3, 2)


def test_gold_decides_the_items_that_have_it():
    codes, truth = labeling_functions(3)
    some = np.where(np.arange(len(truth)) < 400, truth, -1)
    told = assay.LabelModel(method="robust", cardinality=3).fit(codes, some)
    rest = (codes >= 0).any(axis=1) & (some < 0)
    free = robust_model(codes, cardinality=3)
    gained = (told.predict(codes) == truth)[rest].mean() - (free.predict(codes) == truth)[rest].mean()
    assert gained > -0.01


def test_an_adversarial_source_is_turned_around():
    drawn = flat_world(sources=6, seed=2).draw(1500)
    codes = drawn.votes.codes.copy()
    codes[:, 0] = 1 - codes[:, 0]
    model = robust_model(codes, adversarial=[0], cardinality=2)
    assert (model.sources_["accuracy"][:2] < 0.5).all()
    assert (model.predict(codes) == drawn.gold).mean() > 0.85


def test_partial_votes(entities):
    gained = []
    for seed in range(5):
        drawn = task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3, seed=seed).draw(1500)
        majority = assay.majority_vote(drawn.votes)[np.arange(1500), drawn.gold].mean()
        gained.append((robust_model(drawn.votes).predict(drawn.votes) == drawn.gold).mean() - majority)
    assert np.mean(gained) > 0.02


def test_concentrations_are_those_of_greatest_likelihood():
    rng = np.random.default_rng(0)
    mean = np.array([0.7, 0.3])
    rows = np.array([rng.multinomial(40, rng.dirichlet(12 * mean)) for _ in range(300)]).astype(float)

    def likelihood(s):
        cells = gammaln(rows + s * mean) - gammaln(s * mean)
        return cells.sum() + (gammaln(s) - gammaln(rows.sum(axis=1) + s)).sum()

    found = 10.0
    for _ in range(60):
        found = _concentration(found, rows, np.broadcast_to(mean, rows.shape), rows.sum(axis=1))
    grid = np.geomspace(1, 200, 400)
    assert found == pytest.approx(grid[np.argmax([likelihood(s) for s in grid])], rel=0.03)
    assert 8 < found < 18


def test_copies_that_are_declared_count_once():
    codes = flat_world(sources=9, accuracy=(0.6, 0.8), seed=4).draw(3000).votes.codes
    copied = np.column_stack([codes, codes[:, 0], codes[:, 0]])
    plain = robust_model(codes).predict_proba(codes)
    told = robust_model(copied, dependencies=[(0, 9), (0, 10), (9, 10)]).predict_proba(copied)
    untold = robust_model(copied, dependencies=()).predict_proba(copied)
    assert np.abs(told - plain).mean() < 0.3 * np.abs(untold - plain).mean()
    assert (told.argmax(axis=1) == plain.argmax(axis=1)).mean() > 0.98


def test_a_dependency_too_many_costs_little():
    drawn = flat_world(sources=9, accuracy=(0.6, 0.8), seed=4).draw(3000)
    plain, wrong = robust_model(drawn.votes), robust_model(drawn.votes, dependencies=[(0, 1), (2, 3)])
    right = [(model.predict(drawn.votes) == drawn.gold).mean() for model in (plain, wrong)]
    assert right[1] > right[0] - 0.005


def test_a_coarse_vote_alone_is_for_what_no_finer_source_names():
    """Doctors and lawyers have rules of their own; a person whom none of them knows is rather neither."""
    jobs = ["Doctor", "Lawyer", "Baker", "Cook", "Smith"]
    tasks = assay.TaskGraph(
        [assay.Task("entity", ["Person", "Thing"]), assay.Task("job", jobs, parent=("entity", "Person"))]
    )
    rng = np.random.default_rng(0)
    truth = rng.choice([*jobs, "none"], 2_000, p=[0.25, 0.1, 0.12, 0.12, 0.12, 0.29])
    columns = {
        label: ("job", [label if job == label and rng.random() < 0.4 else None for job in truth])
        for label in ("Doctor", "Lawyer")
    }
    entities = ["Thing" if job == "none" else "Person" for job in truth]
    for name in ("one", "other"):
        columns[name] = ("entity", [said if rng.random() < 0.7 else None for said in entities])
    votes = assay.Votes.from_columns(tasks, columns)
    labels = robust_model(votes, allow_unidentifiable=True).label(votes).to_pandas()
    coarse_only = (votes.codes[:, :2] < 0).all(axis=1) & (votes.codes[:, 2:] == 0).any(axis=1)
    assert labels.loc[coarse_only, "job"].isin(["Baker", "Cook", "Smith"]).all()


def test_votes_of_a_crowd_settle_although_rare_ones_still_move():
    rng = np.random.default_rng(0)
    y, votes = rng.integers(0, 4, 600), np.full((600, 80), -1)
    accuracy = rng.uniform(0.4, 0.9, 80)
    for item, workers in enumerate(rng.random((600, 80)).argsort(axis=1)[:, :5]):
        right = rng.random(5) < accuracy[workers]
        votes[item, workers] = np.where(right, y[item], rng.integers(0, 4, 5))
    usual, many = (
        assay.LabelModel(cardinality=4, method="robust", max_steps=steps).fit(votes) for steps in (2_000, 20_000)
    )
    assert usual.converged_
    # These are EM's steps.
    assert np.array_equal(many.predict_proba(votes), usual.predict_proba(votes))


def test_where_it_does_not_settle_more_steps_are_not_advised():
    votes = flat_world(sources=3, classes=4, accuracy=(0.3, 0.4), seed=1).draw(300).votes
    layout = layout_of(votes.schema, 0, assay.SourceGraph(votes.names))
    evidence = Evidence.of(assay.Tally.of(votes), layout)
    *_, ended, _ = robust(evidence, Knowledge.none(layout), RobustSettings(max_steps=3))
    assert (ended.status, ended.converged) == ("unsettled", False)
    assert "more do not help" in ended.advice
