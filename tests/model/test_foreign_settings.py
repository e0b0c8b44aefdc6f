"""Who comes from another library is told what to use."""

import inspect

import pytest
from sklearn.base import clone

from assay import AssayError, LabelModel
from assay.model.foreign_settings import explains_foreign


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
