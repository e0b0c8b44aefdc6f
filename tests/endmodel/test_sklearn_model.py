"""scikit-learn classifiers as end models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import assay
from tests.support.strategies import task_graphs

MODES = [("task", "masked"), ("task", "outcome"), ("outcome", "masked")]


@pytest.mark.parametrize(("per", "mode"), MODES)
def test_a_tree_with_a_leaf_for_each_item_gives_the_labels_back(entities, per, mode):
    """Its leaves hold the weighted share of each label, which is what the soft labels say."""
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(4), size=6)
    data = np.arange(6.0)[:, None]
    model = assay.SklearnEndModel(DecisionTreeClassifier(random_state=0), per=per, not_applicable=mode)
    found = model.fit(data, assay.Labels(entities, (joint,))).predict_proba(data)
    np.testing.assert_allclose(found, joint, atol=2e-3)


@given(task_graphs(), st.sampled_from(MODES), st.integers(0, 99))
@settings(max_examples=15)
def test_labels_never_contradict_the_task_graph(tasks, how, seed):
    rng = np.random.default_rng(seed)
    joint = tuple(rng.dirichlet(np.ones(len(part)), size=8) for part in tasks.label_space.components)
    data = rng.normal(size=(8, 2))
    model = assay.SklearnEndModel(
        DecisionTreeClassifier(max_depth=2, random_state=0), per=how[0], not_applicable=how[1]
    )
    labels = model.fit(data, assay.Labels(tasks, joint)).label(data)
    chosen = {task.name: labels.names(task.name) for task in tasks}
    for row in range(8):
        for component in tasks.label_space.components:
            assert {name: chosen[name][row] for name in component.tasks} in component.outcomes
    for part in labels.joint:
        np.testing.assert_allclose(part.sum(axis=1), 1)


@pytest.mark.parametrize("per", ["task", "outcome"])
def test_hard_labels_are_ordinary_training(entities, world, per):
    texts, labels, _ = world
    data = csr_matrix(TfidfVectorizer().fit_transform(texts))
    model = assay.SklearnEndModel(LogisticRegression(), per=per).fit(data, labels.hard())
    expected = LogisticRegression().fit(data, labels.joint[0].argmax(axis=1)).predict_proba(data)
    if per == "outcome":
        np.testing.assert_allclose(model.predict_proba(data), expected, atol=1e-6)
    assert (model.predict_proba(data).argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.97


def test_a_pipeline_of_texts(entities, world):
    texts, labels, truth = world
    model = assay.SklearnEndModel(make_pipeline(TfidfVectorizer(), MultinomialNB()))
    model.fit(texts, labels.confident(0.5).rebalance("median"))
    assert (model.predict_proba(texts).argmax(axis=1) == truth).mean() > 0.95
    assert set(model.label(texts).names("person")) == {"Doctor", "Lawyer", None}
    assert clone(model).per == "task"


def test_a_label_that_never_occurs(letters):
    joint = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    model = assay.SklearnEndModel(LogisticRegression()).fit(np.ones((2, 1)), assay.Labels(letters, (joint,)))
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 1))), [[1, 0, 0]], atol=1e-300)


def test_bad_input(entities, world):
    texts, labels, _ = world
    numbers = np.ones((len(texts), 2))
    with pytest.raises(assay.AssayError, match="takes no sample_weight"):
        assay.SklearnEndModel(KNeighborsClassifier()).fit(numbers, labels)
    with pytest.raises(assay.AssayError, match="has no predict_proba"):
        assay.SklearnEndModel(RidgeClassifier()).fit(numbers, labels)
    with pytest.raises(assay.AssayError, match="'task' or 'outcome'"):
        assay.SklearnEndModel(LogisticRegression(), per="row").fit(numbers, labels)
    with pytest.raises(assay.DataError, match="3 rows and 240 labels"):
        assay.SklearnEndModel(LogisticRegression()).fit(numbers[:3], labels)
    with pytest.raises(assay.AssayError, match=r"expected labels to learn from: assay\.Labels"):
        assay.SklearnEndModel(LogisticRegression()).fit(numbers, None)
    with pytest.raises(assay.AssayError, match="is not fitted yet"):
        assay.SklearnEndModel(LogisticRegression()).predict(numbers)
