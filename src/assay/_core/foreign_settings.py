"""Settings, arguments and attributes of other libraries, and what to use here instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from assay.errors import AssayError, listing, near_miss

_INSTEAD = {
    "n_epochs": "max_steps= is the most steps of a fit, which ends by itself",
    "epochs": "max_steps= is the most steps of a fit, which ends by itself",
    "n_iter": "max_steps= is the most steps of a fit, which ends by itself",
    "max_iter": "max_steps= is the most steps of a fit, which ends by itself",
    "lr": "there is no learning rate: nothing is trained by gradient descent",
    "verbose": "fit(votes, progress=False) shows no progress; notes_ and advice_ say how a fit went",
    "log_freq": "fit(votes, progress=False) shows no progress",
    "device": "a fit uses all cores of this machine, or an engine: fit(votes, engine=...)",
    "random_state": "seed= is the random seed",
    "L_train": "give the votes first: fit(votes)",
    "L": "give the votes first: fit(votes)",
    "X": "give the votes first: fit(votes)",
    "Y_dev": "give true labels second: fit(votes, gold)",
    "y": "give true labels second: fit(votes, gold)",
    "true_labels": "true labels of some items are gold here: fit(votes, gold), or aggregate(table, gold=...)",
    "class_balance": "it is a setting: LabelModel(class_balance=...).fit(votes)",
    "seed": "it is a setting: LabelModel(seed=...).fit(votes)",
    "tie_break_policy": "ties stay ties in predict_proba; label(votes).decide(...) chooses for a metric",
    "return_probs": "predict_proba(votes) gives the probabilities",
    "deps": "dependencies= are pairs of sources",
    "k": "cardinality= is the number of classes of a bare matrix",
    "Y": "give true labels second: score(votes, gold), votes.summary(gold)",
    "metrics": "score(votes, gold) is the accuracy; assay.evaluate(model.label(votes), gold) has the others",
    "fault_tolerant": "apply(..., on_error='abstain') takes failures as abstentions, and votes.faults counts them",
    "n_parallel": "workers= is the number of processes",
    "return_meta": "votes.faults tells what failed",
    "pre": "@assay.preprocess declares what functions share, and they ask for it by its name",
    "df": "give the data second: apply(sources, data)",
    "lfs": "give the sources first: apply(sources, data)",
}
"""Arguments that Snorkel, MeTaL, crowd-kit or scikit-learn have."""

_INSTEAD_IN_BASELINES = {
    **dict.fromkeys(["n_epochs", "epochs", "n_iter", "max_iter", "tol", "lr"], "leave it out, a fit ends by itself"),
    **dict.fromkeys(["verbose", "log_freq", "progress"], "a baseline shows no progress"),
    **dict.fromkeys(["seed", "random_state"], "nothing is random"),
    **dict.fromkeys(["X", "L", "L_train", "data"], "give the votes first: fit(votes)"),
    **dict.fromkeys(
        ["y", "Y_dev", "true_labels"], "baselines learn from votes alone; LabelModel().fit(votes, gold) uses gold"
    ),
    "class_balance": "LabelModel(class_balance=...) has it; baselines do not",
    "tie_break_policy": "ties stay ties in predict_proba",
    "default_skill": "LabelModel(beliefs=...) knows of skills; baselines do not",
    "k": "cardinality= is the number of classes of a bare matrix",
}
"""The same, where they would be given to a baseline."""

_ATTRIBUTES = {
    "fit_predict": "fit(votes).label(votes) gives labels, or assay.aggregate(table).labels from a long table",
    "fit_predict_proba": "fit(votes).predict_proba(votes) gives them, or assay.aggregate(table).probabilities from a "
    "long table",
    "labels_": "label(votes) gives labels with names, predict(votes) outcome numbers",
    "probas_": "predict_proba(votes) gives probabilities",
    "skills_": "LabelModel().fit(votes).sources_ has accuracies with intervals; assay.aggregate(table).skills has "
    "one a worker",
    "errors_": "LabelModel().fit(votes).conditionals_ has confusion matrices; assay.aggregate(table).confusion(worker) "
    "is that of a worker",
    "priors_": "LabelModel().fit(votes).class_balance_ has the shares of classes",
    "get_weights": "LabelModel().fit(votes).sources_ has the accuracy of each source and value, with its interval",
    "get_conditional_probs": "LabelModel().fit(votes).conditionals_ has them",
}
"""Attributes and methods that estimators of crowd-kit and Snorkel have."""

Function = TypeVar("Function", bound=Callable[..., Any])


class ForeignNameError(AssayError, AttributeError):
    """Something was asked for what only its like in another library has; the message says what to use.

    It is an ``AttributeError``, so that ``hasattr`` is False.
    """


class ArgumentError(AssayError, TypeError):
    """A function was called with an argument that it does not have; the message says what to use.

    It is a ``TypeError``, as that is what Python raises.
    """


class ExplainsForeignNames:
    """Lets an estimator or a result answer for attributes of other libraries with what to use instead.

    >>> import assay
    >>> assay.DawidSkene().skills_
    Traceback (most recent call last):
    assay._core.foreign_settings.ForeignNameError: DawidSkene has no 'skills_': LabelModel().fit(votes).sources_ has ...
    """

    _FOREIGN: ClassVar[Mapping[str, str]] = _ATTRIBUTES
    """What to use in place of each."""

    if not TYPE_CHECKING:  # or else every misspelt attribute would pass the type checker

        def __getattr__(self, name: str) -> Any:
            if name in type(self)._FOREIGN:
                raise ForeignNameError(f"{type(self).__name__} has no {name!r}: {type(self)._FOREIGN[name]}")
            # Properties that raise an AttributeError, as before a fit, end up here too: theirs is the error to see.
            return object.__getattribute__(self, name)


def explains_foreign(function: Function) -> Function:
    """Let a function refuse arguments that it does not have with what to use instead.

    >>> @explains_foreign
    ... def fit(votes, *, progress=True):
    ...     return len(votes)
    >>> fit([1, 2], verbose=True)
    Traceback (most recent call last):
    assay._core.foreign_settings.ArgumentError: there is no argument 'verbose': fit(votes, progress=False) ...
    """
    return _explaining(function, _INSTEAD)


def explains_foreign_to_baselines(function: Function) -> Function:
    """The same for a baseline, which has hardly any settings.

    >>> import assay
    >>> assay.DawidSkene(n_iter=100)
    Traceback (most recent call last):
    assay._core.foreign_settings.ArgumentError: there is no argument 'n_iter': leave it out, a fit ends by itself
    """
    return _explaining(function, _INSTEAD_IN_BASELINES)


def _explaining(function: Function, instead: Mapping[str, str]) -> Function:
    parameters = signature(function).parameters.values()
    known = [one.name for one in parameters if one.name != "self"]
    in_order = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters)

    @wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        if len(args) > len(in_order) and not takes_any:
            named = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
            which = f"say which of {listing(named, 20)} it is" if named else "no more arguments are taken"
            raise ArgumentError(f"{args[len(in_order)]!r} was given without a name: {which}")
        for name in given:
            if name not in known:
                advice = instead.get(name)
                raise ArgumentError(
                    f"there is no argument {name!r}: {advice}"
                    if advice is not None
                    else f"there is no argument {name!r}. {near_miss(name, known)}"
                )
        return function(*args, **given)

    return checked  # type: ignore[return-value]
