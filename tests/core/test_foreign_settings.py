"""Who comes from another library is told what to use."""

import inspect

import pytest
from sklearn.base import clone

import assay
from assay import AssayError, LabelModel
from assay._core.foreign_settings import explains_foreign


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("n_epochs", "max_steps="),
        ("verbose", "progress=False"),
        ("random_state", "seed="),
        ("sed", "Did you mean 'seed'"),
    ],
)
def test_a_setting_of_another_library(setting, says):
    with pytest.raises(AssayError, match=says):
        LabelModel(**{setting: 5})


@pytest.mark.parametrize(("argument", "says"), [("L_train", r"fit\(votes\)"), ("Y_dev", r"fit\(votes, gold\)")])
def test_an_argument_of_another_library(argument, says):
    with pytest.raises(AssayError, match=says):
        LabelModel().fit(**{argument: [[0, 1]]})


def test_a_function_stays_what_it_was():
    assert list(inspect.signature(LabelModel.fit).parameters) == ["self", "votes", "gold", "engine", "progress"]
    assert "class_balance" in inspect.signature(LabelModel).parameters
    assert clone(LabelModel(seed=3)).seed == 3
    assert explains_foreign(len)([1]) == 1


BASELINES = [assay.MajorityVote, assay.HierarchicalMajorityVote, assay.DawidSkene, assay.DataProgramming]
ATTRIBUTES = {
    "fit_predict": r"fit\(votes\)\.label\(votes\).*aggregate\(table\)\.labels",
    "fit_predict_proba": r"predict_proba\(votes\).*aggregate\(table\)\.probabilities",
    "skills_": r"sources_.*aggregate\(table\)\.skills",
    "errors_": r"conditionals_.*aggregate\(table\)\.confusion",
}


@pytest.mark.parametrize("kind", [*BASELINES, LabelModel])
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_of_another_library(kind, name):
    for model in (kind(), kind().fit([[0, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=f"{kind.__name__} has no '{name}': .*{ATTRIBUTES[name]}") as told:
            getattr(model, name)
        assert isinstance(told.value, AssayError)


@pytest.mark.parametrize("kind", [*BASELINES, LabelModel])
def test_other_attributes_that_are_missing_are_missing_as_ever(kind):
    with pytest.raises(AttributeError, match="'fitt'"):
        _ = kind().fitt
    with pytest.raises(assay.NotFittedError, match="so it has no classes_"):
        _ = kind().classes_


@pytest.mark.parametrize("kind", BASELINES)
def test_settings_and_arguments_that_baselines_do_not_have(kind):
    with pytest.raises(AssayError, match="'n_iter': leave it out"):
        kind(n_iter=100)
    with pytest.raises(AssayError, match="Did you mean 'cardinality'"):
        kind(cardinalty=3)
    with pytest.raises(AssayError, match=r"LabelModel\(\)\.fit\(votes, gold\)"):
        kind().fit([[0, 1]], true_labels=[0])


VOTES = assay.Votes.from_matrix([[0, 1, 1], [1, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: assay.apply([], [], fault_tolerant=True), "on_error='abstain'"),
        (lambda: assay.source(pre=[]), "@assay.preprocess"),
        (lambda: VOTES.summary(Y=[0, 1, 0]), r"votes\.summary\(gold\)"),
        (lambda: LabelModel().score(VOTES, [0, 1, 0], metrics=["f1"]), r"assay\.evaluate"),
        (lambda: LabelModel().get_weights(), "sources_"),
    ],
)
def test_what_snorkel_s_users_type(call, says):
    with pytest.raises(AssayError, match=says):
        call()


@pytest.mark.parametrize("name", ["LFAnalysis", "PandasLFApplier", "MajorityLabelVoter", "slicing_function", "GLAD"])
def test_a_name_of_another_library_says_what_to_use(name):
    with pytest.raises(AttributeError, match=rf"module 'assay' has no attribute '{name}'; .*(assay|votes)\."):
        getattr(assay, name)
    assert not hasattr(assay, "nothing_of_this_name")


def test_settings_need_their_names():
    with pytest.raises(AssayError, match=r"2 was given without a name: .*'cardinality'") as told:
        LabelModel(2)
    assert isinstance(told.value, TypeError)
    with pytest.raises(AssayError, match="'local' was given without a name"):
        LabelModel().fit(VOTES, None, "local")
