"""The label model: a thin class that puts a fit together from the other modules of this package."""

from __future__ import annotations

import logging
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay._core.estimator import Estimator, from_fitted, one_or_list
from assay._core.foreign_settings import ExplainsForeignNames, explains_foreign
from assay._core.warned import warn
from assay.checks import CheckReport, Drift, drift
from assay.counts import Tally, needs_counting_in_pieces
from assay.engine import Engine
from assay.errors import AssayError, CheckWarning, VoteError
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels, most_probable, write_labels
from assay.model.counted import Counted, counted_votes
from assay.model.dependencies import LearnedDependencies
from assay.model.estimate import SolverOutcome
from assay.model.explanation import Explanation
from assay.model.files import read_model, write_model
from assay.model.fitted import BySource, Fitted
from assay.model.labeling import labels_of
from assay.model.later_layer import check_others, in_layers
from assay.model.settings import ModelSettings, check_settings
from assay.model.solving import check_of, check_size, checked, dependencies_of, solve, unidentified
from assay.tasks import labels_of_questions
from assay.votes import Votes, as_votes

if TYPE_CHECKING:
    import pandas as pd

    from assay.report import ModelPlots

FloatArray = npt.NDArray[np.float64]

_log = logging.getLogger("assay")
"""What a fit says besides its results and warnings: at INFO, for whoever listens."""


class LabelModel(ModelSettings, ExplainsForeignNames, Estimator[Fitted]):
    """Estimates the accuracies of sources from votes alone, and labels items accordingly.

    Hand labels of a few items, given to :meth:`fit` as gold, correct what the votes tell: how sure labels are,
    the class balance, and whose votes to trust. Those items get their gold as labels.

    Parameters
    ----------
    method
        How parameters are estimated. ``"auto"`` is the weighted mean, in log-odds, of ``"em"``
        (moments, then expectation-maximization) and ``"robust"``, which is made for real votes:
        sparse, one-sided and with undeclared dependencies. ``"em"`` counts nothing if the votes
        are not consistent with its model, and else the more, the more of them it explains, up
        to all; ``advice_`` says how much. ``"completion"`` is Algorithm 1 of the paper, on the inverse
        covariance, ``"covariance"`` the class-conditional model from pairwise covariances.
    class_balance
        What is known of P(outcome). All of it: (outcomes,), or a list of those for several
        components. Or shares of some labels, as figures or ranges, by label name:
        ``{"Spam": 0.15}``, ``{"Spam": (0.1, 0.2)}``, or by task: ``{"entity": {"Person": 0.6}}``.
        They are shares of the items that the label's task applies to. The other labels share the
        rest as the votes tell. The labels of a bare matrix are its class numbers. None: all of
        it is estimated.
    balance_strength
        How much ``class_balance`` counts: a number of items that it is worth; ``"exact"``: it
        holds; None: it is weighed against what the votes tell.
    balance_of
        Which items ``class_balance`` is about: ``"all"``, or ``"voted"``, those with votes.
    dependencies
        Sources that are not independent given the truth. ``"auto"``: near-copies are looked for
        in the votes, cheaply. ``"learn"``: weaker dependencies too, by the thorough search of
        :func:`assay.learn_dependencies`. Or pairs or groups of sources, by name or column
        number: these and no others, so that ``()`` means none.
    adversarial
        Sources that are known to be worse than random.
    beliefs
        Priors on the accuracies of sources: name -> accuracy, or a pair of that and the
        strength of the prior, a pseudo-count in votes.
    abstentions
        ``"informative"``: an abstention is evidence about the truth.
        ``"ignored"``: only votes are.
    accuracies
        ``"global"``: a source errs equally often on all outcomes that its vote rules out.
        ``"local"``: its error rate may differ where its tasks do not apply. It is a prior of
        ``"em"`` only, which shrinks sources with few votes toward it; ``"robust"`` does not use
        it, so that with ``"auto"`` it matters as far as ``"em"`` counts.
    asked_later
        Sources that were asked only about items that the others leave the model unsure of, such as
        prompts with ``assay apply --where unsure``. They are learned from these, and their silence
        counts where one of them votes, and nowhere else. If they can all name every outcome, they are learned
        given what the others say, where the votes of those are consistent with independent sources.
        Votes then have to be in memory.
    cardinality
        The number of classes, where votes are given as a bare matrix.
    allow_unidentifiable
        Fit even if :func:`assay.check` finds errors; ``notes_`` then lists them.
    max_steps
        The maximum number of expectation-maximization steps.
    seed
        For the random directions of the class-balance estimate.

    Attributes
    ----------
    sources_
        DataFrame: per source and value its accuracy with a 95% interval, and coverage. A value that
        was never emitted has zero votes, the accuracy of a blind guess, and an interval from 0 to 1. Where the
        votes do not follow the model, intervals also cover what other models of the same votes
        say; where they do not tell an accuracy (A101, A106), they are from 0 to 1. Gold narrows
        them: it shows how often each source is right.
    class_balance_
        (outcomes,), or a list of those for several components; among the items given.
    conditionals_
        Per source (values + 1, outcomes): P(vote | outcome) among the items given; the last row
        is abstain.
    check_
        The result of :func:`assay.check`.
    converged_
        Whether all solvers converged.
    learned_
        The dependencies that were found, as :class:`assay.LearnedDependencies`: near-copies, or
        all that were learned; None if dependencies were declared.
    notes_
        What a user should know about this fit, in sentences.
    drift_
        DataFrame, after :meth:`partial_fit`: which sources behave differently in the last votes than
        in those before: *source*, *figure* (coverage, or agreement with the others), *before*,
        *after*, *p_value*. If nothing has changed, some source is named in 1% of calls at most.
    advice_
        Findings, in sentences: whether sources look independent, the expected gain over a
        majority vote with its error, what is assumed of the class balance and how many labels
        hang on it if votes do not tell it, which sources look like near-copies.

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
    drift_: pd.DataFrame = from_fitted()
    solvers_: list[dict[str, SolverOutcome]] = from_fitted()
    sources_: pd.DataFrame = from_fitted()
    _counts: Tally | None = None
    """What :meth:`partial_fit` has counted so far."""

    # Learning

    @explains_foreign
    def fit(
        self, votes: Any, gold: Any = None, *, engine: Engine | Literal["local"] = "local", progress: bool = True
    ) -> Self:
        """Fit the model on votes.

        Parameters
        ----------
        votes
            :class:`assay.Votes`, or a matrix of class numbers with −1 for abstain. Votes larger
            than memory can be given as a Parquet file of votes, a folder of those, or batches
            of votes; counted votes as the result of :func:`assay.count`.
        gold
            True labels of a few items, if there are any, in any form that
            :meth:`assay.Votes.summary` takes, or as :class:`assay.HandLabels`. They may settle
            only part of an outcome. Items are found by name, or else by row; they should be a
            random sample, or have weights, as hand labels do. Votes then cannot be counted
            already, nor come from a generator.
        engine
            Where to count: ``"local"``, or a cluster as ``assay.engine.Dask(client)`` or
            ``assay.engine.Spark(session)``. The fit does not depend on it.
        progress
            Whether to show progress on a terminal.

        Raises
        ------
        UnidentifiableError
            If the parameters are not identifiable from these votes; the error says why.

        Warns
        -----
        CheckWarning
            For each problem that :func:`assay.check` finds and a fit copes with; all of them are in ``check_``.
        """
        check_settings(self, has_gold=gold is not None)
        self._counts = None
        counted = counted_votes(votes, self, gold=gold, engine=engine, progress=progress)
        self._fit(counted, progress)
        if len(self.asked_later):
            self._fitted = in_layers(self._fitted, self._in_memory(votes), gold, self, progress)
        self._warn(frozenset())
        return self

    @explains_foreign
    def partial_fit(
        self, votes: Any, gold: Any = None, *, engine: Engine | Literal["local"] = "local", progress: bool = True
    ) -> Self:
        """Fit the model on these votes and those of all earlier calls, of which only the counts are kept, and gold.

        Takes what :meth:`fit` takes, with gold for items of this call, and continues after saving and
        loading. The counts of :meth:`fit` are not kept, so the first call after it starts from scratch.

        ``drift_`` and ``notes_`` tell which sources behave differently in these votes than in all before.
        """
        check_settings(self, has_gold=gold is not None)
        if len(self.asked_later):
            raise AssayError("asked_later needs all votes at once: use fit")
        before = None if self._counts is None else Counted(self._counts, self._fitted.gold)
        like = None if before is None else before.tally.schema
        today = counted_votes(votes, self, gold=gold, like=like, engine=engine, progress=progress)
        total = today if before is None else before + today
        known = frozenset() if before is None else self.check_.codes  # votes that came before were warned of already
        changed = () if before is None else tuple(drift(before.tally, today.tally))
        self._fit(total, progress, changed)
        self._warn(known)
        self._counts = total.tally
        return self

    def check(
        self, votes: Any, gold: Any = None, *, engine: Engine | Literal["local"] = "local", progress: bool = True
    ) -> CheckReport:
        """What :meth:`fit` would find with these settings and this gold, as :func:`assay.check` says it; fits nothing.

        It takes what :meth:`fit` takes.
        """
        check_settings(self, has_gold=gold is not None)
        if len(self.asked_later):
            return check_others(self._in_memory(votes), gold, self, progress)
        counted = counted_votes(votes, self, gold=gold, engine=engine, progress=progress)
        dependencies, _ = dependencies_of(counted, self, progress)
        return check_of(counted, dependencies, self)

    def _in_memory(self, votes: Any) -> Votes:
        if needs_counting_in_pieces(votes):
            raise AssayError("asked_later needs votes in memory; read them with Votes.from_parquet")
        return as_votes(votes, self.cardinality)

    def _fit(self, counted: Counted, progress: bool, changed: tuple[Drift, ...] = ()) -> Self:
        check_size(counted.tally.schema)
        dependencies, learned = dependencies_of(counted, self, progress)
        report = checked(counted, dependencies, self)
        components = solve(counted, dependencies, self)
        tally = counted.tally
        open_ = unidentified(report, labels_of_questions(tally.tasks.multiple))
        self._fitted = Fitted(tally.schema, tally.uses, components, report, learned, open_, counted.gold, changed)
        if _log.isEnabledFor(logging.INFO):
            for note in self.notes_:
                _log.info(note)
        return self

    def _warn(self, known: frozenset[str]) -> None:
        """Warn of what the check found, but for what is known."""
        for problem in self.check_.problems:
            if problem.code not in known:
                warn(CheckWarning(f"{problem.code}: {problem.message}; {problem.fix}"))

    # Results

    @property
    def fitted_(self) -> Fitted:
        """The fit with all its parts, for code that inspects it, such as a report."""
        self._require_fitted("fitted_")
        return self._fitted

    @property
    def plot(self) -> ModelPlots:
        """Altair charts of the fit: ``model.plot.sources()``, ``class_balance()``, …"""
        plots: ModelPlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    # Labeling

    @explains_foreign
    def predict_proba(self, votes: Any) -> FloatArray | list[FloatArray]:
        """(items, outcomes): P(outcome | votes); a list of those if there are several components.

        An item without votes gets the class balance.
        """
        return one_or_list(self._known.posteriors(votes))

    @explains_foreign
    def predict(self, votes: Any) -> npt.NDArray[np.int64]:
        """(items,): the number of the most probable outcome; (items, components) if there are several components."""
        chosen = [most_probable(part)[0] for part in self._known.posteriors(votes)]
        return chosen[0] if len(chosen) == 1 else np.column_stack(chosen)

    @explains_foreign
    def score(self, votes: Any, gold: Any) -> float:
        """The accuracy over all components, on items whose outcome gold determines.

        ``gold`` has any form that :meth:`assay.Votes.summary` takes; a tie of k outcomes counts 1/k.
        Items that the model has learned the gold of are right by that; :func:`assay.evaluate` scores them honestly.
        """
        aligned = self._known.aligned(votes)
        truth = aligned.gold(gold)
        parts = self._known.unlinked_posteriors(aligned)
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
            into memory; :meth:`assay.Labels.from_parquet` reads it. It is written atomically.
        engine
            Where to label: ``"local"``, or a cluster as ``assay.engine.Dask(client)`` or
            ``assay.engine.Spark(session)``. The labels do not depend on it.
        progress
            Whether to show progress on a terminal.

        Returns
        -------
        Labels
            Or the path, if ``out`` is given.
        """
        parts = labels_of(votes, self._known, engine, progress)
        return Labels.concat(parts) if out is None else write_labels(parts, out)

    def explain(self, votes: Any, row: int | str, *, labels: Labels | None = None) -> Explanation:
        """The contribution of each source to the label of one item, in log-odds that sum to the posterior's.

        If the model has learned from gold, the row *hand labels* is what that changed.

        Parameters
        ----------
        votes
            What :meth:`predict_proba` takes.
        row
            A row number, or a name if it is a string. Where names are numbers, ``votes.row_of(name)`` is the row; the
            explanation shows the name.
        labels
            Labels of all these items that :func:`assay.refine` made from this model's: what the data changed is then
            the row *data*, and of an item with gold what it would change without.
        """
        aligned = self._known.aligned(votes)
        row = aligned.row_of(row) if isinstance(row, str) else row
        if not isinstance(row, Integral) or isinstance(row, bool):
            raise VoteError(f"row must be a row number, or the name of an item as a string, but is {row!r}")
        if not -len(aligned) <= row < len(aligned):
            raise VoteError(f"there is no row {row}; there are {len(aligned)} items")
        item = None if aligned.items is None else aligned.items[row]
        name = item.item() if isinstance(item, np.generic) else item
        found = replace(self._known.explain(aligned.take([row])), item=name)
        if labels is None:
            return found
        if labels.tasks != aligned.tasks or len(labels) != len(aligned):
            raise VoteError(
                f"expected refined labels of the {len(aligned)} items and the tasks of these votes, "
                f"but got labels of {len(labels)} items"
            )
        return found.refined(labels.without_gold(int(row) % len(aligned)))

    # Storage

    def save(self, path: str | Path) -> Path:
        """Write the fitted model to one ``.npz`` file of plain arrays and JSON; :meth:`load` restores it exactly.

        The counts of :meth:`partial_fit` are saved with it.
        """
        return write_model(path, self.get_params(), self._known, self._counts)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted model from a file that :meth:`save` wrote."""
        settings, fitted, counts = read_model(path)
        model = cls(**settings)
        model._fitted, model._counts = fitted, counts
        return model
