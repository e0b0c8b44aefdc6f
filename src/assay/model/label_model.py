"""The label model: its settings, and how a fit is put together; the work is done in the files beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay._core.estimator import Estimator, from_fitted, one_or_list
from assay.checks import CheckReport
from assay.counts import Tally
from assay.engine import Engine
from assay.errors import VoteError
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels, write_labels
from assay.model.counted import Counted, counted_votes
from assay.model.dependencies import LearnedDependencies
from assay.model.estimate import SolverOutcome
from assay.model.explanation import Explanation
from assay.model.files import read_model, write_model
from assay.model.fitted import BySource, Fitted
from assay.model.labeling import labels_of
from assay.model.settings import ModelSettings, check_settings
from assay.model.solving import checked, dependencies_of, solve

if TYPE_CHECKING:
    import pandas as pd

    from assay.report import ModelPlots

FloatArray = npt.NDArray[np.float64]


class LabelModel(ModelSettings, Estimator[Fitted]):
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

    class_balance_: FloatArray | list[FloatArray] = from_fitted()
    conditionals_: BySource = from_fitted()
    check_: CheckReport = from_fitted()
    converged_: bool = from_fitted()
    learned_: LearnedDependencies | None = from_fitted()
    notes_: list[str] = from_fitted()
    advice_: list[str] = from_fitted()
    solvers_: list[dict[str, SolverOutcome]] = from_fitted()
    sources_: pd.DataFrame = from_fitted()
    _counts: Tally | None = None
    """What :meth:`partial_fit` has counted so far."""

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
        check_settings(self, has_gold=gold is not None)
        self._counts = None
        counted = counted_votes(votes, self, gold=gold, engine=engine, progress=progress)
        return self._fit(counted, progress)

    def partial_fit(self, votes: Any, *, engine: Engine | Literal["local"] = "local", progress: bool = True) -> Self:
        """Learn from these votes and from those of all earlier calls, of which only the counts are kept.

        Takes what :meth:`fit` takes. A model that was saved goes on after it is loaded. What
        :meth:`fit` learned from is not kept, so the first call after it starts anew.
        """
        check_settings(self, has_gold=False)
        before = self._counts
        like = None if before is None else before.schema
        today = counted_votes(votes, self, like=like, engine=engine, progress=progress).tally
        total = today if before is None else before + today
        self._fit(Counted.of(total), progress)
        self._counts = total
        return self

    def _fit(self, counted: Counted, progress: bool) -> Self:
        dependencies, learned = dependencies_of(counted, self, progress)
        report = checked(counted, dependencies, self)
        components = solve(counted, dependencies, self)
        self._fitted = Fitted(counted.tally.schema, counted.tally.uses, components, report, learned)
        return self

    # What was learned

    @property
    def fitted_(self) -> Fitted:
        """All that was learned, in its parts: for what looks inside, such as a report."""
        self._require_fitted("fitted_")
        return self._fitted

    @property
    def plot(self) -> ModelPlots:
        """Pictures of what was learned, as charts of altair: ``model.plot.sources()``, ``class_balance()``, …"""
        plots: ModelPlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    # Labeling

    def predict_proba(self, votes: Any) -> FloatArray | list[FloatArray]:
        """(items, outcomes): P(outcome | votes); a list of those, one a component, if there are several.

        An item without votes gets the class balance.
        """
        return one_or_list(self._known.posteriors(votes))

    def predict(self, votes: Any) -> npt.NDArray[np.int64]:
        """(items,): the number of the most probable outcome; (items, components) if there are several components."""
        chosen = [part.argmax(axis=1) for part in self._known.posteriors(votes)]
        return chosen[0] if len(chosen) == 1 else np.column_stack(chosen)

    def score(self, votes: Any, gold: Any) -> float:
        """The share of outcomes that are right, over all components, among items whose outcome gold settles.

        ``gold`` has any of the shapes that :meth:`assay.Votes.summary` takes; ties count by their share.
        """
        aligned = self._known.aligned(votes)
        truth = aligned.gold(gold)
        parts = self._known.posteriors(aligned)
        return micro_accuracy(parts, [outcome_numbers(truth, index) for index in range(len(parts))])

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
        parts = labels_of(votes, self._known, engine, progress)
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
        return write_model(path, self.get_params(), self._known, self._counts)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted model from a file that :meth:`save` wrote."""
        settings, fitted, counts = read_model(path)
        model = cls(**settings)
        model._fitted, model._counts = fitted, counts
        return model
