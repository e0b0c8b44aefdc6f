"""Files of scikit-learn end models: whole or not there, refused if they are something else, and never pickled."""

import sys
import zipfile

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import assay

TREE = "sklearn.tree._tree.Tree"
NUMBERS = np.arange(6.0)[:, None]


def labels_of(tasks):
    return assay.Labels(tasks, (np.random.default_rng(0).dirichlet(np.ones(4), size=6),))


class Constant(ClassifierMixin, BaseEstimator):
    """A classifier of the user's own."""

    def fit(self, data, labels, sample_weight=None):
        self.classes_ = np.unique(labels)
        return self

    def predict_proba(self, data):
        return np.full((len(data), len(self.classes_)), 1 / len(self.classes_))


@pytest.mark.parametrize(("per", "mode"), [("task", "masked"), ("task", "outcome"), ("outcome", "masked")])
def test_a_model_comes_back_with_the_same_bits(entities, world, tmp_path, per, mode):
    texts, labels, _ = world
    classifier = make_pipeline(TfidfVectorizer(), MultinomialNB(alpha=0.3))
    model = assay.SklearnEndModel(classifier, per=per, not_applicable=mode, tasks=entities).fit(texts, labels)
    same = assay.SklearnEndModel.load(model.save(tmp_path / "model.npz"))
    np.testing.assert_array_equal(same.predict_proba(texts), model.predict_proba(texts))
    assert (same.per, same.not_applicable, same.tasks) == (per, mode, entities)
    assert same.estimator.get_params()["multinomialnb__alpha"] == 0.3
    np.testing.assert_array_equal(same.fit(texts, labels).predict_proba(texts), model.predict_proba(texts))


def test_a_label_that_never_occurs_and_tasks_that_were_not_given(letters, tmp_path):
    joint = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    model = assay.SklearnEndModel(LogisticRegression()).fit(np.ones((2, 1)), assay.Labels(letters, (joint,)))
    same = assay.SklearnEndModel.load(model.save(tmp_path / "model.npz"))
    np.testing.assert_array_equal(same.predict_proba(np.ones((1, 1))), model.predict_proba(np.ones((1, 1))))
    assert same.tasks is None


def test_types_that_are_not_trusted_are_named(entities, tmp_path):
    path = assay.SklearnEndModel(DecisionTreeClassifier()).fit(NUMBERS, labels_of(entities)).save(tmp_path / "tree.npz")
    with pytest.raises(assay.AssayError, match=r"not known to be safe: sklearn\.tree\._tree\.Tree\. .*trusted=\['skl"):
        assay.SklearnEndModel.load(path)
    assert assay.SklearnEndModel.load(path, trusted=[TREE]).predict_proba(NUMBERS).shape == (6, 4)
    own = assay.SklearnEndModel(Constant()).fit(NUMBERS, labels_of(entities)).save(tmp_path / "own.npz")
    name = f"{Constant.__module__}.Constant"
    with pytest.raises(assay.AssayError, match=name):
        assay.SklearnEndModel.load(own, trusted=[TREE])
    assert assay.SklearnEndModel.load(own, trusted=(name,)).predict_proba(NUMBERS).shape == (6, 4)
    for wrong in (name, True, [3]):
        with pytest.raises(assay.AssayError, match="full names of types"):
            assay.SklearnEndModel.load(own, trusted=wrong)


def test_code_that_is_gone_is_told(entities, tmp_path, monkeypatch):
    own = assay.SklearnEndModel(Constant()).fit(NUMBERS, labels_of(entities)).save(tmp_path / "own.npz")
    name = f"{Constant.__module__}.Constant"
    monkeypatch.delattr(sys.modules[Constant.__module__], "Constant")
    with pytest.raises(assay.AssayError, match="needs code that cannot be imported here"):
        assay.SklearnEndModel.load(own, trusted=[name])


def test_what_has_no_name_is_not_saved(entities, tmp_path):
    classifier = make_pipeline(FunctionTransformer(lambda numbers: numbers), LogisticRegression())
    model = assay.SklearnEndModel(classifier).fit(NUMBERS, labels_of(entities))
    with pytest.raises(assay.AssayError, match=r"cannot be saved without pickle: nothing could import .*lambda"):
        model.save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


def test_a_failure_of_skops_is_ours(entities, tmp_path, monkeypatch):
    model = assay.SklearnEndModel(LogisticRegression()).fit(NUMBERS, labels_of(entities))
    path = model.save(tmp_path / "model.npz")
    before = path.read_bytes()
    monkeypatch.setattr("skops.io.dumps", lambda *_: 1 / 0)
    with pytest.raises(assay.AssayError, match="cannot be saved without pickle"):
        model.save(path)
    assert path.read_bytes() == before


def test_files_that_are_no_models(entities, tmp_path):
    model = assay.SklearnEndModel(LogisticRegression()).fit(NUMBERS, labels_of(entities))
    whole = model.save(tmp_path / "model.npz").read_bytes()
    damaged = tmp_path / "damaged.npz"
    for size in (0, 20, len(whole) // 2, len(whole) - 1):
        damaged.write_bytes(whole[:size])
        with pytest.raises(assay.AssayError, match="or it is damaged"):
            assay.SklearnEndModel.load(damaged)
    with pytest.raises(assay.AssayError, match="there is no file"):
        assay.SklearnEndModel.load(tmp_path / "none.npz")
    np.savez(damaged, said=np.array('{"kind": "label model"}'))
    with pytest.raises(assay.AssayError, match="is no scikit-learn end model"):
        assay.SklearnEndModel.load(damaged)


@pytest.mark.parametrize("seed", range(20))
def test_a_byte_that_changed(entities, tmp_path, seed):
    """Either it is refused, or it was a byte that says nothing, as in the date of a zip file's entry."""
    model = assay.SklearnEndModel(LogisticRegression()).fit(NUMBERS, labels_of(entities))
    path = model.save(tmp_path / "model.npz")
    changed = bytearray(path.read_bytes())
    rng = np.random.default_rng(seed)
    changed[rng.integers(len(changed))] ^= int(rng.integers(1, 256))
    path.write_bytes(changed)
    try:
        same = assay.SklearnEndModel.load(path)
    except assay.AssayError:
        return
    np.testing.assert_array_equal(same.predict_proba(NUMBERS), model.predict_proba(NUMBERS))


def test_arrays_that_were_exchanged(entities, tmp_path):
    """Each is whole, so that only the digest tells."""
    paths = [
        assay.SklearnEndModel(LogisticRegression(C=c)).fit(NUMBERS, labels_of(entities)).save(tmp_path / f"{c}.npz")
        for c in (1.0, 2.0)
    ]
    mixed = tmp_path / "mixed.npz"
    with zipfile.ZipFile(paths[0]) as first, zipfile.ZipFile(paths[1]) as second, zipfile.ZipFile(mixed, "w") as both:
        for name in first.namelist():
            both.writestr(name, (second if name.startswith("classifier 0") else first).read(name))
    with pytest.raises(assay.AssayError, match="does not hold what was written"):
        assay.SklearnEndModel.load(mixed)


@pytest.mark.parametrize("what", ["save", "load"])
def test_without_skops(entities, tmp_path, monkeypatch, what):
    model = assay.SklearnEndModel(LogisticRegression()).fit(NUMBERS, labels_of(entities))
    path = model.save(tmp_path / "model.npz")
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(assay.AssayError, match=r"needs skops.*pip install .*\[sklearn\]"):
        model.save(path) if what == "save" else assay.SklearnEndModel.load(path)


def test_nothing_is_pickled(entities, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("pickled")

    model = assay.SklearnEndModel(LogisticRegression()).fit(NUMBERS, labels_of(entities))
    for name in ("dump", "dumps", "load", "loads"):
        monkeypatch.setattr(f"pickle.{name}", refuse)
    assert assay.SklearnEndModel.load(model.save(tmp_path / "model.npz")).predict(NUMBERS).shape == (6,)


def test_only_fitted_models_are_saved(tmp_path):
    with pytest.raises(assay.AssayError, match="is not fitted yet"):
        assay.SklearnEndModel(LogisticRegression()).save(tmp_path / "model.npz")
