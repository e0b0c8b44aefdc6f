"""The label model: settings and assembly; the work is done in the rooms below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt

from assay._core.estimator import Estimator
from assay._core.lazily import from_above
from assay._core.threads import one_blas_thread
from assay.checks import CheckReport, check_tally
from assay.counts import (
    SKETCH_SIZE,
    Dependency,
    Observed,
    Patterns,
    Reading,
    SourceGraph,
    Statistics,
    Tally,
    needs_counting_in_pieces,
    reading_of,
    tally_of,
)
from assay.engine import Engine
from assay.errors import AssayError, UnidentifiableError, VoteError, listing
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels, write_labels
from assay.model.dependencies.learned import LearnedDependencies
from assay.model.dependencies.learning import learn_from_tally
from assay.model.estimate.em import Belief
from assay.model.estimate.fit import METHODS, FitSettings, Method, fit_component
from assay.model.estimate.solver import SolverOutcome
from assay.model.explanation import Explanation
from assay.model.files import read_model, write_model
from assay.model.fitted import BySource, Fitted, FittedComponent
from assay.model.labeling import labels_of
from assay.tasks import TaskGraph
from assay.votes import Listed, Votes, is_in_pieces

if TYPE_CHECKING:
    import pandas as pd

    from assay.report import ModelPlots

FloatArray = npt.NDArray[np.float64]


class LabelModel(Estimator[Fitted]):
    """Learns how accurate sources are from votes alone, and labels items accordingly.

    Parameters
    ----------
    method
        How parameters are learned. ``"auto"`` takes ``"em"`` (moments, then
        expectation-maximization) if the votes look as if they were drawn from its model,
        and else ``"robust"``, which is made for real votes: sparse, one-sided and
        dependent in ways nobody declared. ``"completion"`` is Algorithm 1 of the paper, on
        the inverse covariance, ``"covariance"`` the class-conditional model from pairwise
        covariances.
    class_balance
        P(outcome), if it is known: (outcomes,), or a list of those for several
        components. None means: estimate it.
    dependencies
        Pairs or groups of sources, by name or column number, that are not
        independent given the truth; or ``"learn"``, to find them in the votes as
        :func:`assay.learn_dependencies` does.
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
        sources with few votes, which ``"em"`` draws to this.
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
    learned_
        What was learned about dependencies, as :class:`assay.LearnedDependencies`, if they
        were to be learned; else None.
    notes_
        What a user should know about this fit, in sentences.
    advice_
        What the model saw, in sentences: whether sources look independent, how much it
        expects to gain over a majority vote and how sure it is, which sources look redundant.

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

    class_balance_: FloatArray | list[FloatArray]
    conditionals_: BySource
    check_: CheckReport
    converged_: bool
    notes_: list[str]
    learned_: LearnedDependencies | None
    solvers_: list[dict[str, SolverOutcome]]
    _counts: Tally | None = None
    """What :meth:`partial_fit` has counted so far."""

    def __init__(
        self,
        *,
        method: Method = "auto",
        class_balance: Any = None,
        dependencies: Iterable[Dependency] | Literal["learn"] = (),
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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    # Learning

    def fit(
        self, votes: Any, gold: Any = None, *, engine: Engine | Literal["local"] = "local", progress: bool = True
    ) -> Self:
        """Learn from votes.

        Parameters
        ----------
        votes
            :class:`assay.Votes`, or a matrix of class numbers with −1 for abstain. What is
            larger than memory can be given as a Parquet file of votes, a folder of those, or
            batches of votes; and what is counted already as the result of :func:`assay.count`.
        gold
            True labels of a few items, if there are some: in any of the shapes that
            :meth:`assay.Votes.summary` takes.
        engine
            Where to count: ``"local"``, or a cluster as ``assay.engine.Dask(client)`` or
            ``assay.engine.Spark(session)``. What is learned does not depend on it.
        progress
            Whether to show progress on a terminal.

        Raises
        ------
        UnidentifiableError
            If nothing useful can be learned from these votes, and why.
        """
        self._check_settings(gold)
        self._counts = None
        if gold is None:
            return self._solve(self._counted(votes, engine, progress), None, progress)
        if needs_counting_in_pieces(votes):
            raise AssayError("gold labels go with votes that are in memory, but these come in pieces")
        counted = self._as_votes(votes)
        truth = counted.gold(gold)
        known = (truth.codes >= 0)[:, 0]
        without = Tally.of(counted.take(~known), self._sketch_size)
        gold_part = (without, counted.take(known), truth.take(known))
        return self._solve(Tally.of(counted, size=0), gold_part, progress)

    def partial_fit(self, votes: Any, *, engine: Engine | Literal["local"] = "local", progress: bool = True) -> Self:
        """Learn from these votes and from those of all earlier calls, of which only the counts are kept.

        Takes what :meth:`fit` takes. A model that was saved goes on after it is loaded. What
        :meth:`fit` learned from is not kept, so the first call after it starts anew.
        """
        self._check_settings(None)
        today = self._counted(votes, engine, progress)
        total = today if self._counts is None else self._counts + today
        self._solve(total, None, progress)
        self._counts = total
        return self

    def _counted(self, votes: Any, engine: Engine | Literal["local"], progress: bool) -> Tally:
        like = None if self._counts is None else self._counts.nothing
        if needs_counting_in_pieces(votes):
            given = votes
        else:
            given = self._as_votes(votes) if like is None else self._known.aligned(votes)
        return tally_of(given, engine=engine, size=self._sketch_size, progress=progress, like=like)

    @property
    def _sketch_size(self) -> int:
        # Moments are taken from counts over all items; patterns give them the class balance alone.
        return SKETCH_SIZE // 8 if self.method in ("completion", "covariance") else SKETCH_SIZE

    def _solve(self, tally: Tally, gold: tuple[Tally, Votes, Votes] | None, progress: bool) -> Self:
        """Learn from what was counted; with gold, from items without it, and from those that have it."""
        learned = None
        if self.dependencies == "learn":
            learned = learn_from_tally(tally if gold is None else gold[0], seed=self.seed, progress=progress)
        dependencies = list(self.dependencies) if learned is None else learned.pairs
        graph = SourceGraph(tally.names, dependencies)
        self.check_ = check_tally(tally, dependencies)
        if not self.check_.ok and not self.allow_unidentifiable:
            # A clique with too many joint votes (A005) cannot be fitted at all.
            way_out = (
                "" if "A005" in self.check_.codes else "\nLabelModel(allow_unidentifiable=True) fits all the same."
            )
            raise UnidentifiableError(f"nothing useful can be learned from these votes:\n{self.check_}{way_out}")
        balances = self._balances(tally.tasks)
        with one_blas_thread():
            components = tuple(
                self._fit_component(tally, index, graph, gold, balances[index])
                for index in range(len(tally.tasks.label_space.components))
            )
        return self._learned(Fitted(tally.tasks, tally.names, tally.values, tally.uses, components, learned))

    def _fit_component(
        self,
        tally: Tally,
        index: int,
        graph: SourceGraph,
        gold: tuple[Tally, Votes, Votes] | None,
        balance: FloatArray | None,
    ) -> FittedComponent:
        votes = tally.nothing
        layout, reading = reading_of(votes, index, graph)
        position = {int(source): at for at, source in enumerate(reading.sources)}
        signs = np.ones(len(position))
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
            applies=_applies(votes, index, reading.sources) if self.accuracies == "local" else None,
            ignore_abstentions=self.abstentions == "ignored",
            max_steps=self.max_steps,
            seed=self.seed,
        )
        single = None if tally.pair is None else Statistics.of(tally, layout, reading)
        if gold is None:
            observed = Observed(_read(tally.sketch.patterns(), reading), single)
            return FittedComponent(layout, reading, fit_component(layout, observed, None, settings))
        without, labeled, truth = gold
        unknown = _read(without.sketch.patterns(), reading)
        rows = reading.rows(labeled.listed)
        alone = np.ones(len(rows))
        patterns = Patterns(
            Listed.concat([unknown.rows, rows]),
            np.concatenate([unknown.counts, alone]),
            None if unknown.spread is None else np.concatenate([unknown.spread, alone]),
        )
        said = truth.outcome_sets[index]
        known = np.vstack([said.masks, np.ones((1, layout.outcomes), dtype=bool)])[said.of_code[0][truth.codes[:, 0]]]
        allowed = np.vstack([np.ones((len(unknown), layout.outcomes), dtype=bool), known])
        return FittedComponent(layout, reading, fit_component(layout, Observed(patterns, single), allowed, settings))

    def _learned(self, fitted: Fitted) -> Self:
        self._fitted = fitted
        self.class_balance_ = fitted.class_balance
        self.conditionals_ = fitted.conditionals()
        self.solvers_ = [part.fit.solvers for part in fitted.components]
        unsettled = [
            f"{name}: {outcome.advice}"
            for solvers in self.solvers_
            for name, outcome in solvers.items()
            if not outcome.converged
        ]
        self.converged_ = not unsettled
        assumed = [f"assumed in spite of {problem.code}: {problem.message}" for problem in self.check_.errors]
        found = [] if fitted.learned is None else [fitted.learned.told(), *fitted.learned.notes]
        self.notes_ = unsettled + assumed + found
        self.learned_ = fitted.learned
        return self

    @property
    def advice_(self) -> list[str]:
        """What the model saw, in sentences: whether it fits, what it gains, which sources look redundant."""
        if not hasattr(self, "_fitted"):
            raise AttributeError("this LabelModel has not learned yet, so it has no advice_; call fit(votes) first")
        return self._fitted.advice

    @property
    def sources_(self) -> pd.DataFrame:
        """Per source and value its accuracy, the 95% interval of that, coverage and votes."""
        if not hasattr(self, "_fitted"):
            raise AttributeError("this LabelModel has not learned yet, so it has no sources_; call fit(votes) first")
        return self._fitted.sources_table

    @property
    def plot(self) -> ModelPlots:
        """Pictures of what was learned, as charts of altair: ``model.plot.sources()``, ``class_balance()``, …"""
        plots: ModelPlots = from_above("report.plots", "ModelPlots")(self)
        return plots

    def _repr_html_(self) -> str:
        html: str = from_above("report.notebook", "model_html")(self)
        return html

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

    def score(self, votes: Any, gold: Any) -> float:
        """The share of outcomes that are right; gold has any of the shapes that :func:`assay.evaluate` takes."""
        known = self._known
        given = known.aligned(votes)
        truth = given.gold(gold)
        return micro_accuracy(
            known.posteriors(given), [outcome_numbers(truth, index) for index in range(len(known.components))]
        )

    @overload
    def label(
        self,
        votes: Any,
        *,
        out: None = None,
        engine: Engine | Literal["local"] = "local",
        progress: bool = True,
    ) -> Labels: ...

    @overload
    def label(
        self,
        votes: Any,
        *,
        out: str | Path,
        engine: Engine | Literal["local"] = "local",
        progress: bool = True,
    ) -> Path: ...

    def label(
        self,
        votes: Any,
        *,
        out: str | Path | None = None,
        engine: Engine | Literal["local"] = "local",
        progress: bool = True,
    ) -> Labels | Path:
        """Probabilistic labels for every task.

        Parameters
        ----------
        votes
            What :meth:`fit` takes.
        out
            A Parquet file to write the labels to, piece by piece, so that they need not fit
            into memory; :meth:`assay.Labels.from_parquet` reads it. It is there whole, or not at all.
        engine
            Where to work: ``"local"``, or a cluster as ``assay.engine.Dask(client)`` or
            ``assay.engine.Spark(session)``. The labels do not depend on it.
        progress
            Whether to show progress on a terminal.

        Returns
        -------
        Labels
            Or the path, if there is ``out``.
        """
        known = self._known
        given = votes if is_in_pieces(votes) else known.aligned(votes)
        parts = labels_of(given, known, engine, progress)
        return Labels.concat(parts) if out is None else write_labels(parts, out)

    def explain(self, votes: Any, row: int) -> Explanation:
        """What each source contributed to the label of one item, in log-odds that add up to the posterior."""
        aligned = self._known.aligned(votes)
        if not -len(aligned) <= row < len(aligned):
            raise VoteError(f"there is no row {row}; there are {len(aligned)} items")
        return self._known.explain(aligned.take([row]))

    # On disk

    def save(self, path: str | Path) -> Path:
        """Write the fitted model to one ``.npz`` file of plain arrays and JSON; :meth:`load` restores it exactly.

        With a model that learns by :meth:`partial_fit` goes what it has counted.
        """
        return write_model(path, self.get_params(), self._known, self.check_, self._counts)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted model from a file that :meth:`save` wrote."""
        settings, fitted, report, counts = read_model(path)
        model = cls(**settings)
        model.check_ = report
        model._counts = counts
        return model._learned(fitted)

    # Checking what comes in

    @property
    def fitted_(self) -> Fitted:
        """All that was learned, in its parts: for what looks inside, such as a report."""
        return self._known

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
        if isinstance(self.dependencies, str) and self.dependencies != "learn":
            raise AssayError(
                f"dependencies must be pairs or groups of sources, or 'learn', but is {self.dependencies!r}"
            )
        if not isinstance(self.max_steps, int) or self.max_steps < 1:
            raise AssayError(f"max_steps must be a whole number from 1, but is {self.max_steps!r}")
        for name, given in (("gold", gold is not None), ("beliefs", bool(self.beliefs))):
            if given and self.method in ("completion", "covariance"):
                raise AssayError(f"method={self.method!r} has no use for {name}; the other methods have")

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


def _read(patterns: Patterns, reading: Reading) -> Patterns:
    return replace(patterns, rows=reading.rows(patterns.rows))


def _applies(votes: Votes, index: int, sources: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.bool_], ...]:
    """Per source the outcomes in which one of its tasks applies."""
    component = votes.label_space.components[index]
    return tuple(
        np.any(
            [component.label_of(task) >= 0 for task in votes.tasks_of(int(source)) if task in component.tasks], axis=0
        )
        for source in sources
    )
