"""What holds for every estimator: one set of verbs, scikit-learn's habits, and nothing learned before ``fit``."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cloudpickle
import joblib
import numpy as np
import pytest
import sklearn.exceptions
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.validation import check_is_fitted

import assay
from assay.simulate import flat_world

CLASSES = assay.TaskGraph.flat("label", ["0", "1", "2"])
PAIR = assay.TaskGraph([assay.Task("mood", ["good", "bad"]), assay.Task("food", ["good", "cold", "raw"])])
DRAWN = flat_world(classes=3, sources=6, accuracy=(0.6, 0.9), seed=5).draw(240, 1)
GOLD = DRAWN.gold
MATRIX = np.asarray(DRAWN.votes.codes)
NUMBERS = np.eye(3)[GOLD] + 0.5 * np.random.default_rng(0).normal(size=(len(GOLD), 3))


@dataclass(frozen=True)
class Case:
    """An estimator, and a problem with three outcomes that it can learn: what to fit to, and what it is given then."""

    make: Callable[..., Any]
    data: Any
    grid: dict[str, list[Any]]
    """Settings to choose from."""
    needs_labels: bool = False

    def fitted(self, rows: Any = slice(None), **settings: Any) -> Any:
        return self.make(**settings).fit(self.data[rows], *([GOLD[rows]] if self.needs_labels else []))


def end_model(**settings: Any) -> assay.EndModel:
    given = {"tasks": CLASSES, "encoder": assay.Features(), "epochs": 3, "batch_size": 16, **settings}
    return assay.EndModel(**given)


def sklearn_end_model(**settings: Any) -> assay.SklearnEndModel:
    return assay.SklearnEndModel(**{"estimator": LogisticRegression(), **settings})


CASES = {
    "LabelModel": Case(assay.LabelModel, MATRIX, {"method": ["em", "robust"]}),
    "MajorityVote": Case(assay.MajorityVote, MATRIX, {"cardinality": [3, 4]}),
    "HierarchicalMajorityVote": Case(assay.HierarchicalMajorityVote, MATRIX, {"cardinality": [3, 4]}),
    "DawidSkene": Case(assay.DawidSkene, MATRIX, {"cardinality": [3, 4]}),
    "DataProgramming": Case(assay.DataProgramming, MATRIX, {"unipolar": [False, True]}),
    "EndModel": Case(end_model, NUMBERS, {"epochs": [1, 4]}, needs_labels=True),
    "SklearnEndModel": Case(sklearn_end_model, NUMBERS, {"estimator__C": [1e-6, 1.0]}, needs_labels=True),
}
VOTERS = [name for name, case in CASES.items() if not case.needs_labels]
LEARNERS = [name for name, case in CASES.items() if case.needs_labels]
VERBS = {
    "predict_proba": lambda model, data: model.predict_proba(data),
    "predict": lambda model, data: model.predict(data),
    "label": lambda model, data: model.label(data),
    "score": lambda model, data: model.score(data, GOLD),
}


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_THREADS", "1")
        yield


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture(params=VOTERS)
def voter(request):
    return CASES[request.param]


@pytest.fixture(params=LEARNERS)
def learner(request):
    return CASES[request.param]


def pair_problem(case: Case) -> tuple[Any, list[Any]]:
    """Data on two unrelated tasks, and what the estimator is fitted to."""
    rng = np.random.default_rng(3)
    truth = {"mood": rng.integers(2, size=200), "food": rng.integers(3, size=200)}
    if case.needs_labels:
        data = np.column_stack([np.eye(2)[truth["mood"]], np.eye(3)[truth["food"]]]) + 0.1 * rng.normal(size=(200, 5))
        return data, [data, assay.Labels(PAIR, (np.eye(2)[truth["mood"]], np.eye(3)[truth["food"]]))]
    columns = {}
    for task in PAIR:
        names, count = np.array(task.labels), len(task.labels)
        for number in range(4):
            right = rng.random(200) < 0.8
            said = np.where(right, truth[task.name], rng.integers(count, size=200))
            columns[f"{task.name} {number}"] = (task.name, names[said].tolist())
    votes = assay.Votes.from_columns(PAIR, columns)
    return votes, [votes]


def pair_settings(case: Case) -> dict[str, Any]:
    return {"tasks": PAIR} if case.needs_labels else {}


# Settings


def test_every_setting_is_kept_under_its_name_and_not_looked_at(case):
    kind = type(case.make())
    given = {name: object() for name in inspect.signature(kind).parameters}
    model = kind(**given)
    assert model.get_params(deep=False) == given
    assert all(getattr(model, name) is value for name, value in given.items())


def test_settings_survive_a_round_trip(case):
    model = case.make()
    before = model.get_params()
    assert model.set_params(**before) is model
    assert model.get_params().keys() == before.keys()
    assert all(value is before[name] for name, value in model.get_params().items())


def test_settings_change_by_name_and_those_within_too(case):
    model = case.make()
    for name, values in case.grid.items():
        for value in values:
            assert model.set_params(**{name: value}).get_params()[name] == value


def test_a_setting_that_does_not_exist_is_named_with_its_near_miss_and_changes_nothing(case):
    model = case.make()
    (name, values), *_ = case.grid.items()
    before = repr(model)
    with pytest.raises(assay.AssayError, match=f"{type(model).__name__} has no setting '{name}s'.*'{name}'"):
        model.set_params(**{name: values[-1], f"{name}s": 1})
    assert repr(model) == before


def test_a_clone_has_the_settings_and_nothing_that_was_learned(case):
    model = case.fitted()
    again = clone(model)
    assert repr(again) == repr(model)
    assert again.get_params().keys() == model.get_params().keys()
    check_is_fitted(model)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(again)


def test_its_representation_shows_what_was_changed(case):
    model = case.make()
    assert repr(model).startswith(f"{type(model).__name__}(")
    (name, values), *_ = case.grid.items()
    one, other = (repr(clone(model).set_params(**{name: value})) for value in values)
    assert one != other
    assert f"{name.split('__')[-1]}={values[0]!r}" in one or f"{name.split('__')[-1]}={values[1]!r}" in other


# Before fitting


@pytest.mark.parametrize("verb", VERBS)
def test_before_fitting_every_verb_raises_the_same_error(case, verb):
    model = case.make()
    with pytest.raises(assay.NotFittedError, match=f"this {type(model).__name__} is not fitted yet; call fit") as told:
        VERBS[verb](model, case.data)
    for kind in (assay.AssayError, sklearn.exceptions.NotFittedError, ValueError, AttributeError):
        assert isinstance(told.value, kind)
    assert ("fit(data, labels)" if case.needs_labels else "fit(votes)") in str(told.value)


def test_what_fit_learns_is_not_there_before(case):
    fitted, model = case.fitted(), case.make()
    learned = [name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")]
    assert {"classes_", "tasks_"} <= set(learned)
    for name in learned:
        assert hasattr(fitted, name)
        assert not hasattr(model, name)
        with pytest.raises(assay.NotFittedError, match=r"is not fitted yet.*; call fit"):
            getattr(model, name)


def test_the_error_survives_another_process():
    with pytest.raises(assay.NotFittedError) as told:
        assay.MajorityVote().predict(MATRIX)
    again = pickle.loads(pickle.dumps(told.value))
    assert str(again) == str(told.value)
    assert isinstance(again, sklearn.exceptions.NotFittedError)


def test_the_error_does_not_load_scikit_learn():
    program = """
import sys, assay
for model in (assay.MajorityVote(), assay.LabelModel()):
    try:
        model.predict([[0]])
    except assay.NotFittedError as error:
        assert isinstance(error, AttributeError)
        print(type(error).__name__, "sklearn" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert told.split() == ["NotFittedError", "False"] * 2


# The verbs


def test_fit_returns_the_estimator(case):
    model = case.make()
    assert model.fit(case.data, GOLD) is model


def test_shapes_and_that_rows_sum_to_one(case):
    model = case.fitted()
    found = model.predict_proba(case.data)
    assert found.shape == (len(GOLD), 3)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(case.data), found.argmax(axis=1))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert model.predict_proba(case.data[:0]).shape == (0, 3)


def test_labels_are_the_same_probabilities_with_names(case):
    model = case.fitted()
    labels = model.label(case.data)
    assert isinstance(labels, assay.Labels)
    assert labels.tasks == model.tasks_
    np.testing.assert_array_equal(labels.joint[0], model.predict_proba(case.data))
    (task,) = labels
    assert labels.names(task).tolist() == [str(number) for number in model.predict(case.data)]


def test_the_score_is_the_share_that_is_right(case):
    model = case.fitted()
    truth = np.where(np.arange(len(GOLD)) % 5 == 0, -1, GOLD)
    right = []
    for row, true in zip(model.predict_proba(case.data), truth, strict=True):
        best = np.flatnonzero(row >= row.max() - 1e-12)
        if true >= 0:
            right.append(float(true in best) / len(best))
    assert model.score(case.data, truth) == pytest.approx(np.mean(right))
    assert model.score(case.data, truth) > 0.6
    names = {"label": [None if true < 0 else str(true) for true in truth]}
    assert model.score(case.data, names) == model.score(case.data, truth)
    assert model.score(case.data, truth) == assay.evaluate(model.label(case.data), truth).accuracy


def test_several_components_give_lists(case):
    data, fit_to = pair_problem(case)
    model = case.make(**pair_settings(case)).fit(*fit_to)
    found = model.predict_proba(data)
    assert [part.shape for part in found] == [(200, 2), (200, 3)]
    assert isinstance(found, list)
    np.testing.assert_array_equal(model.predict(data), np.column_stack([part.argmax(axis=1) for part in found]))
    assert [part.tolist() for part in model.classes_] == [[0, 1], [0, 1, 2]]
    labels = model.label(data)
    truth = {task: labels.names(task).tolist() for task in labels}
    right = np.mean([(1 / (part == part.max(axis=1, keepdims=True)).sum(axis=1)).mean() for part in found])
    assert model.score(data, truth) == pytest.approx(right)


def test_fitting_again_forgets(case):
    refitted, fresh = (model.fit(case.data[:120], GOLD[:120]) for model in (case.fitted(slice(100, 240)), case.make()))
    np.testing.assert_array_equal(refitted.predict_proba(case.data), fresh.predict_proba(case.data))


def test_other_labels_can_be_learned_by_the_same_baseline(voter):
    model = voter.fitted()
    two = np.minimum(MATRIX, 1)
    assert model.fit(two).predict_proba(two).shape == (len(GOLD), 2)
    assert model.tasks_ == assay.Votes.from_matrix(two).tasks


def test_same_seed_same_bits(case):
    one, other = (case.fitted().predict_proba(case.data) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize(
    "carry",
    [lambda model: cloudpickle.loads(cloudpickle.dumps(model)), copy.deepcopy, through_joblib],
    ids=["cloudpickle", "deepcopy", "joblib"],
)
def test_a_fitted_estimator_can_be_sent_elsewhere(case, carry):
    model = case.fitted()
    again = carry(model)
    np.testing.assert_array_equal(again.predict_proba(case.data), model.predict_proba(case.data))
    assert repr(again) == repr(model)


# What votes and labels may be


def test_a_bare_matrix_is_votes(voter):
    votes = assay.Votes.from_matrix(MATRIX)
    by_matrix, by_votes = voter.make().fit(MATRIX), voter.make().fit(votes)
    expected = by_votes.predict_proba(votes)
    for model in (by_matrix, by_votes):
        for given in (MATRIX, MATRIX.tolist(), votes):
            np.testing.assert_array_equal(model.predict_proba(given), expected)
            assert model.score(given, GOLD) == by_votes.score(votes, GOLD)


def test_the_number_of_classes_is_a_setting(voter):
    model = voter.make(cardinality=4)
    if isinstance(model, assay.LabelModel):
        model.set_params(allow_unidentifiable=True)  # nobody ever says 3
    assert model.fit(MATRIX).predict_proba(MATRIX[:5]).shape == (5, 4)


def test_what_was_learned_applies_to_other_votes(voter):
    """Whichever of the classes occur in them, and in whatever company an item is."""
    model = voter.fitted(slice(0, 150))
    whole = model.predict_proba(MATRIX)
    np.testing.assert_allclose(model.predict_proba(MATRIX[150:]), whole[150:], atol=1e-12)
    for row in (0, 151):
        np.testing.assert_allclose(model.predict_proba(MATRIX[[row]]), whole[[row]], atol=1e-12)


def test_votes_on_other_tasks_are_refused(voter):
    other = assay.Votes.from_matrix(MATRIX, task="another")
    with pytest.raises(assay.VoteError, match="on other tasks"):
        voter.fitted().predict_proba(other)
    with pytest.raises(assay.VoteError, match="a matrix holds votes on one task"):
        voter.make().fit(pair_problem(voter)[0]).predict_proba(MATRIX)


@pytest.mark.parametrize("given", ["numbers", "names", "probabilities", "labels", "a list", "dicts"])
def test_end_models_learn_from_labels_in_any_shape(learner, given):
    labels = {
        "numbers": GOLD,
        "names": GOLD.astype(str),
        "probabilities": np.eye(3)[GOLD],
        "labels": assay.Labels(CLASSES, (np.eye(3)[GOLD],)),
        "a list": GOLD.tolist(),
        "dicts": {"label": GOLD.astype(str).tolist()},
    }[given]
    settings = {"tasks": CLASSES} if given == "dicts" else {}
    expected = learner.fitted().predict_proba(NUMBERS)
    np.testing.assert_array_equal(learner.make(**settings).fit(NUMBERS, labels).predict_proba(NUMBERS), expected)


def test_end_models_leave_out_items_whose_label_is_unknown(learner):
    known = np.arange(len(GOLD)) % 3 > 0
    part = learner.make().fit(NUMBERS, assay.Labels(CLASSES, (np.eye(3)[GOLD],)).where(known))
    some = learner.make().fit(NUMBERS, np.where(known, GOLD, -1))
    np.testing.assert_array_equal(some.predict_proba(NUMBERS), part.predict_proba(NUMBERS))


def test_end_models_refuse_what_are_no_labels(learner):
    model = learner.make(tasks=CLASSES)
    for wrong, message in [
        (None, "expected labels to learn from"),
        ("0" * len(GOLD), "expected labels to learn from"),
        (np.full((len(GOLD), 4), 0.25), "items × 3 outcomes"),
        (np.full((len(GOLD), 3), 0.5), "sum to one"),
        (np.full(len(GOLD), -1), "no labels to learn from"),
        (np.full(len(GOLD), 3), "outcome numbers from 0 to 2"),
        (GOLD[:5], "240 rows and 5 labels"),
        (assay.Labels(PAIR, (np.eye(2)[[0]], np.eye(3)[[0]])), "another task graph"),
    ]:
        with pytest.raises(assay.AssayError, match=message):
            model.fit(NUMBERS, wrong)
    with pytest.raises(assay.AssayError, match=r"SklearnEndModel\(estimator, tasks="):
        sklearn_end_model().fit(NUMBERS, [{"label": "0"}] * len(GOLD))


# In scikit-learn


def test_in_a_pipeline(case):
    pipeline = Pipeline([("same", FunctionTransformer()), ("model", case.make())])
    pipeline.fit(case.data, GOLD)
    alone = case.make().fit(case.data, GOLD)
    np.testing.assert_array_equal(pipeline.predict_proba(case.data), alone.predict_proba(case.data))
    np.testing.assert_array_equal(pipeline.predict(case.data), alone.predict(case.data))
    assert pipeline.score(case.data, GOLD) == alone.score(case.data, GOLD)
    (name, values), *_ = case.grid.items()
    assert pipeline.set_params(**{f"model__{name}": values[0]}).get_params()[f"model__{name}"] == values[0]
    assert is_classifier(pipeline)


def test_in_a_grid_search(case):
    search = GridSearchCV(case.make(), case.grid, cv=3, error_score="raise").fit(case.data, GOLD)
    (name, values), *_ = case.grid.items()
    assert len(search.cv_results_["mean_test_score"]) == len(values)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert search.best_estimator_.get_params()[name] == search.best_params_[name]
    assert search.predict(case.data).shape == (len(GOLD),)
    assert search.score(case.data, GOLD) == search.best_estimator_.score(case.data, GOLD)


@pytest.mark.parametrize("scoring", [None, "accuracy", "neg_log_loss"])
def test_in_cross_validation(case, scoring):
    scores = cross_val_score(case.make(), case.data, GOLD, cv=3, scoring=scoring, error_score="raise")
    assert np.isfinite(scores).all()


def test_a_grid_search_finds_the_better_setting():
    end = assay.SklearnEndModel(make_pipeline(StandardScaler(), LogisticRegression()), tasks=CLASSES)
    grid = {"estimator__logisticregression__C": [1e-8, 1.0]}
    search = GridSearchCV(end, grid, cv=3, error_score="raise").fit(NUMBERS, GOLD)
    assert search.best_params_ == {"estimator__logisticregression__C": 1.0}
    assert end.estimator[-1].C == 1.0  # the default: what is searched over are clones


def test_settings_within_what_is_no_estimator():
    model = assay.MajorityVote()
    with pytest.raises(assay.AssayError, match="has no setting 'cardinality__C'"):
        model.set_params(cardinality__C=1)
    end = assay.SklearnEndModel(LogisticRegression())
    with pytest.raises(assay.AssayError, match="Did you mean 'estimator__penalty'"):
        end.set_params(estimator__penalti=1)
    other = LogisticRegression(C=3.0)
    assert end.set_params(estimator__C=7.0, estimator=other).estimator is other
    assert other.C == 7.0
