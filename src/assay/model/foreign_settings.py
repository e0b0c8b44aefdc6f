"""Settings and arguments of other label models, and what to use here instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from assay.errors import AssayError, near_miss

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
    "class_balance": "it is a setting: LabelModel(class_balance=...).fit(votes)",
    "seed": "it is a setting: LabelModel(seed=...).fit(votes)",
    "tie_break_policy": "ties stay ties in predict_proba; label(votes).decide(...) chooses for a metric",
    "return_probs": "predict_proba(votes) gives the probabilities",
    "deps": "dependencies= are pairs of sources",
    "k": "cardinality= is the number of classes of a bare matrix",
}
"""Arguments that Snorkel, MeTaL, crowd-kit or scikit-learn have."""

Function = TypeVar("Function", bound=Callable[..., Any])


def explains_foreign(function: Function) -> Function:
    """Let a function refuse arguments that it does not have with what to use instead.

    >>> @explains_foreign
    ... def fit(votes, *, progress=True):
    ...     return len(votes)
    >>> fit([1, 2], verbose=True)
    Traceback (most recent call last):
    assay.errors.AssayError: there is no argument 'verbose': fit(votes, progress=False) shows no progress; ...
    """
    known = [name for name in signature(function).parameters if name != "self"]

    @wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in known:
                instead = _INSTEAD.get(name)
                raise AssayError(
                    f"there is no argument {name!r}: {instead}"
                    if instead is not None
                    else f"there is no argument {name!r}. {near_miss(name, known)}"
                )
        return function(*args, **given)

    return checked  # type: ignore[return-value]
