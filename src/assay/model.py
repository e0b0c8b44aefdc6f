"""The label model: settings and assembly; the work is done in the rooms below."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from assay.checks import CheckReport, check
from assay.cliques import layout_of
from assay.errors import AssayError, UnidentifiableError, VoteError, listing, near_miss
from assay.estimate.em import Belief
from assay.estimate.fit import METHODS, FitSettings, Method, fit_component
from assay.estimate.outcome import SolverOutcome
from assay.explain import Explanation
from assay.fitted import BySource, Fitted, FittedComponent, uses_of
from assay.graph import Dependency, SourceGraph
from assay.labels import Labels
from assay.model_file import read_model, write_model
from assay.statistics import Patterns
from assay.tasks import TaskGraph
from assay.votes import Votes

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]


class LabelModel:
    """Learns how accurate sources are from votes alone, and labels items accordingly.

    Parameters
    ----------
    method
        How parameters are learned: ``"em"`` (moments, then expectation-maximization),
        ``"completion"`` (Algorithm 1 of the paper, on the inverse covariance) or
        ``"covariance"`` (the class-conditional model from pairwise covariances).
    class_balance
        P(outcome), if it is known: (outcomes,), or a list of those for several
        components. None means: estimate it.
    dependencies
        Pairs or groups of sources, by name or column number, that are not
        independent given the truth.
    adversarial
        Sources that are known to be wrong more often than right.
    beliefs
        Prior beliefs about sources: name -> the share of its votes that are right, or
        a pair of that and what the belief is worth in votes.
    abstentions
        ``"informative"``: that a source abstains tells something about the truth.
        ``"ignored"``: only what it says counts.
    accuracies
        ``"global"``: a source errs alike on all outcomes that its vote rules out.
        ``"local"``: it may err differently where its tasks do not apply. Matters for
        sources with few votes, which are drawn to this.
    cardinality
        The number of classes, where votes are given as a bare matrix.
    allow_unidentifiable
        Fit even what :func:`assay.check` refuses; ``notes_`` then says what was assumed.
    max_steps
        The most steps of expectation-maximization.
    seed
        For the random directions of the class-balance estimate.

    Attributes
    ----------
    sources_
        DataFrame: per source and value its accuracy, the 95% interval of that, coverage.
    class_balance_
        (outcomes,), or a list of those for several components.
    conditionals_
        Per source (values + 1, outcomes): P(vote | outcome); the last row is abstain.
    check_
        What :func:`assay.check` said.
    converged_
        Whether all solvers settled.
    notes_
        What a user should know about this fit, in sentences.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=6, seed=3).draw(4000)
    >>> model = LabelModel().fit(simulation.votes)
    >>> model.predict_proba(simulation.votes).shape
    (4000, 2)
    >>> bool((model.predict(simulation.votes) == simulation.gold).mean() > 0.85)
    True
    """

    sources_: pd.DataFrame
    class_balance_: FloatArray | list[FloatArray]
    conditionals_: BySource
    check_: CheckReport
    converged_: bool
    notes_: list[str]
    solvers_: list[dict[str, SolverOutcome]]

    def __init__(
        self,
        *,
        method: Method = "em",
        class_balance: Any = None,
        dependencies: Iterable[Dependency] = (),
        adversarial: Iterable[str | int] = (),
        beliefs: Mapping[str | int, float | tuple[float, float]] | None = None,
        abstentions: Literal["informative", "ignored"] = "informative",
        accuracies: Literal["global", "local"] = "global",
        cardinality: int | None = None,
        allow_unidentifiable: bool = False,
        max_steps: int = 2_000,
        seed: int = 0,
    ) -> None:
        self.method = method
        self.class_balance = class_balance
        self.dependencies = dependencies
        self.adversarial = adversarial
        self.beliefs = beliefs
        self.abstentions = abstentions
        self.accuracies = accuracies
        self.cardinality = cardinality
        self.allow_unidentifiable = allow_unidentifiable
        self.max_steps = max_steps
        self.seed = seed

    # scikit-learn's habits

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **settings: Any) -> Self:
        """Change settings, by name."""
        known = self.get_params()
        for name, value in settings.items():
            if name not in known:
                raise AssayError(f"LabelModel has no setting {name!r}. {near_miss(name, known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
        changed = [f"{n}={v!r}" for n, v in self.get_params().items() if repr(v) != repr(defaults[n])]
        return f"LabelModel({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    # Learning

    def fit(self, votes: Any, gold: Any = None) -> Self:
        """Learn from votes.

        Parameters
        ----------
        votes
            :class:`assay.Votes`, or a matrix of class numbers with −1 for abstain.
        gold
            True labels of a few items, if there are some: in any of the shapes that
            :meth:`assay.Votes.summary` takes.

        Raises
        ------
        UnidentifiableError
            If nothing useful can be learned from these votes, and why.
        """
        self._check_settings(gold)
        votes = self._as_votes(votes)
        dependencies = list(self.dependencies)
        graph = SourceGraph(votes.names, dependencies)
        self.check_ = check(votes, dependencies)
        if not self.check_.ok and not self.allow_unidentifiable:
            # A clique with too many joint votes (A005) cannot be fitted at all.
            way_out = (
                "" if "A005" in self.check_.codes else "\nLabelModel(allow_unidentifiable=True) fits all the same."
            )
            raise UnidentifiableError(f"nothing useful can be learned from these votes:\n{self.check_}{way_out}")
        truth = None if gold is None else votes.gold(gold)
        balances = self._balances(votes.tasks)
        components = tuple(
            self._fit_component(votes, index, graph, truth, balances[index])
            for index in range(len(votes.label_space.components))
        )
        return self._learned(Fitted(votes.tasks, votes.names, votes.values, uses_of(votes), components))

    def _fit_component(
        self, votes: Votes, index: int, graph: SourceGraph, gold: Votes | None, balance: FloatArray | None
    ) -> FittedComponent:
        layout, codes, sources = layout_of(votes, index, graph)
        position = {int(source): at for at, source in enumerate(sources)}
        signs = np.ones(len(sources))
        for name in self.adversarial:
            if votes.position(name) in position:
                signs[position[votes.position(name)]] = -1
        beliefs = {
            position[votes.position(name)]: _belief(belief)
            for name, belief in (self.beliefs or {}).items()
            if votes.position(name) in position
        }
        settings = FitSettings(
            method=self.method,
            balance=balance,
            signs=signs,
            beliefs=beliefs,
            applies=_applies(votes, index, sources) if self.accuracies == "local" else None,
            ignore_abstentions=self.abstentions == "ignored",
            max_steps=self.max_steps,
            seed=self.seed,
        )
        if gold is None:
            return FittedComponent(layout, sources, fit_component(layout, Patterns.of(codes), None, settings))
        truth = gold.outcome_sets[index]
        said = truth.of_code[0][gold.codes[:, 0]]
        both = Patterns.of(np.column_stack([codes, said]))
        allowed = np.vstack([truth.masks, np.ones((1, layout.outcomes), dtype=bool)])[both.codes[:, -1]]
        patterns = Patterns(both.codes[:, :-1], both.counts)
        return FittedComponent(layout, sources, fit_component(layout, patterns, allowed, settings))

    def _learned(self, fitted: Fitted) -> Self:
        self._fitted = fitted
        self.class_balance_ = fitted.class_balance
        self.conditionals_ = fitted.conditionals()
        self.sources_ = fitted.sources_table()
        self.solvers_ = [part.fit.solvers for part in fitted.components]
        unsettled = [
            f"{name}: {outcome.advice}"
            for solvers in self.solvers_
            for name, outcome in solvers.items()
            if not outcome.converged
        ]
        self.converged_ = not unsettled
        assumed = [f"assumed in spite of {problem.code}: {problem.message}" for problem in self.check_.errors]
        self.notes_ = unsettled + assumed
        return self

    # Labeling

    def predict_proba(self, votes: Any) -> FloatArray | list[FloatArray]:
        """(items, outcomes): P(outcome | votes); a list of those, one a component, if there are several.

        An item without votes gets the class balance.
        """
        parts = self._known.posteriors(self._known.aligned(votes))
        return parts[0] if len(parts) == 1 else parts

    def predict(self, votes: Any) -> npt.NDArray[np.int64]:
        """(items,): the number of the most probable outcome; (items, components) if there are several components."""
        chosen = [part.argmax(axis=1) for part in self._known.posteriors(self._known.aligned(votes))]
        return chosen[0] if len(chosen) == 1 else np.column_stack(chosen)

    def label(self, votes: Any) -> Labels:
        """Probabilistic labels for every task."""
        aligned = self._known.aligned(votes)
        return Labels(aligned.tasks, tuple(self._known.posteriors(aligned)), aligned.items)

    def explain(self, votes: Any, row: int) -> Explanation:
        """What each source contributed to the label of one item, in log-odds that add up to the posterior."""
        aligned = self._known.aligned(votes)
        if not -len(aligned) <= row < len(aligned):
            raise VoteError(f"there is no row {row}; there are {len(aligned)} items")
        return self._known.explain(aligned.take([row]))

    # On disk

    def save(self, path: str | Path) -> Path:
        """Write the fitted model to one ``.npz`` file of plain arrays and JSON; :meth:`load` restores it exactly."""
        return write_model(path, self.get_params(), self._known, self.check_)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted model from a file that :meth:`save` wrote."""
        settings, fitted, report = read_model(path)
        model = cls(**settings)
        model.check_ = report
        return model._learned(fitted)

    # Checking what comes in

    @property
    def _known(self) -> Fitted:
        if not hasattr(self, "_fitted"):
            raise AssayError("this LabelModel has not learned yet; call fit(votes) first")
        return self._fitted

    def _as_votes(self, votes: Any) -> Votes:
        if isinstance(votes, Votes):
            return votes
        return Votes.from_matrix(votes, cardinality=self.cardinality)

    def _check_settings(self, gold: Any) -> None:
        choices = {
            "method": METHODS,
            "abstentions": ("informative", "ignored"),
            "accuracies": ("global", "local"),
        }
        for name, known in choices.items():
            if getattr(self, name) not in known:
                raise AssayError(f"{name} must be one of {listing(known)}, but is {getattr(self, name)!r}")
        if not isinstance(self.max_steps, int) or self.max_steps < 1:
            raise AssayError(f"max_steps must be a whole number from 1, but is {self.max_steps!r}")
        for name, given in (("gold", gold is not None), ("beliefs", bool(self.beliefs))):
            if given and self.method != "em":
                raise AssayError(f"{name} can be used by method='em', but method={self.method!r} has no use for it")

    def _balances(self, tasks: TaskGraph) -> list[FloatArray | None]:
        components = tasks.label_space.components
        if self.class_balance is None:
            return [None] * len(components)
        given = [self.class_balance] if len(components) == 1 else self.class_balance
        if not isinstance(given, Iterable) or len(given := list(given)) != len(components):
            raise AssayError(f"class_balance must have one entry for each of the {len(components)} components")
        return [_checked_balance(balance, len(part)) for balance, part in zip(given, components, strict=True)]


def _checked_balance(given: Any, outcomes: int) -> FloatArray:
    try:
        balance = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise AssayError(f"class_balance must be {outcomes} probabilities, but is {given!r}") from error
    if balance.shape != (outcomes,):
        raise AssayError(
            f"class_balance must have {outcomes} probabilities, one an outcome, but its shape is {balance.shape}"
        )
    if not np.isfinite(balance).all() or (balance <= 0).any() or abs(balance.sum() - 1) > 1e-6:
        raise AssayError(f"class_balance must be positive and sum to one, but is {balance.tolist()}")
    normal: FloatArray = balance / balance.sum()
    return normal


def _belief(given: float | tuple[float, float]) -> Belief:
    try:
        accuracy, strength = given if isinstance(given, tuple | list) else (given, Belief.strength)
        sound = 0 < accuracy < 1 and 0 <= strength < np.inf
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise AssayError(f"a belief is an accuracy between 0 and 1, and what it is worth in votes, but got {given!r}")
    return Belief(accuracy=accuracy, strength=strength)


def _applies(votes: Votes, index: int, sources: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.bool_], ...]:
    """Per source the outcomes in which one of its tasks applies."""
    component = votes.label_space.components[index]
    return tuple(
        np.any(
            [component.label_of(task) >= 0 for task in votes.tasks_of(int(source)) if task in component.tasks], axis=0
        )
        for source in sources
    )
