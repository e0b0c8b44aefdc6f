r"""Sources that were asked only about items that the others leave unsure: a layer over what the others tell.

Who is asked depends on the votes of the others. So the silence of such sources tells nothing, but looks as if it did:
all of them are silent together, where the others agree. Fitted together with the rest, they would spoil what is learned
of all. Given what the others say, however, the choice of items can be ignored. Let :math:`p_i(y)` be what the others
say of item :math:`i`; then the votes :math:`v_{ij}` of those asked later have the likelihood

.. math:: \prod_i \sum_y p_i(y) \prod_j P_j(v_{ij} \mid y)^{\kappa},

whose tables :math:`P_j` are found by expectation-maximization, and a vote adds :math:`\kappa \log P_j(v \mid y)`.
Errors of sources that ask alike may be correlated: :math:`\kappa = 1 / (1 + \rho (k - 1))` for k of them, with the
correlation :math:`\rho` that best predicts each vote from the others on its item.

All of them can name every outcome, so that their silence tells nothing where they were asked, either; for others, see
:mod:`assay.model.estimate.silence_where_asked`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.model.estimate.fit import Fit
from assay.model.parameters import TINY, Parameters
from assay.model.scoring import Scoring, centred, softmax
from assay.votes import wilson

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer]
BoolArray = npt.NDArray[np.bool_]

_ACCURACY, _WORTH = 0.75, 10.0
"""What is thought of such a source before it votes: how often it is right, and how many votes that is worth."""
_SHRINK = 10.0
"""How many votes for each outcome the assumption is worth that a source errs alike on all outcomes."""
_CORRELATIONS = (1.0, 0.3, 0.1, 0.0)
"""Of the votes of two such sources, given the truth: those that are tried, the most careful first."""
_STEPS, _SETTLED = 500, 1e-6


@dataclass(frozen=True, eq=False)
class Later:
    """What is learned of sources that were asked later."""

    tables: tuple[FloatArray, ...]
    """Per source (values, outcomes): log-probabilities of its votes."""
    posterior: FloatArray
    """(items, outcomes): with their votes."""


def learn_later(prior: FloatArray, codes: IntArray, masks: Sequence[BoolArray]) -> Later:
    """Learn from (items, outcomes) what others say, and (items, sources) votes, −1 where a source is silent.

    ``masks`` are per source (values, outcomes): the outcomes that each vote allows. Values with the same mask are
    levels of confidence of one label.

    >>> prior = np.full((60, 2), 0.5)
    >>> votes = np.tile([[0, 0, 0], [1, 1, 1], [0, 0, 1]], (20, 1))
    >>> learn_later(prior, votes, [np.eye(2, dtype=bool)] * 3).posterior[:3].argmax(axis=1).tolist()
    [0, 1, 0]
    """
    problem = _Problem(np.log(np.maximum(prior, TINY)), codes, tuple(masks))
    best, most, posterior = None, -np.inf, prior
    for correlation in _CORRELATIONS if codes.shape[1] > 1 else (0.0,):
        share = 1 / (1 + correlation * (codes.shape[1] - 1))
        tables, posterior = problem.solved(share, posterior)
        agreement = problem.agreement(tables, share)
        if agreement > most:
            best, most = Later(tuple(share * one for one in tables), posterior), agreement
    assert best is not None
    return best


@dataclass(frozen=True, eq=False)
class _Problem:
    """Votes of sources that were asked later, and what the others say."""

    logs: FloatArray
    """(items, outcomes): what the others say."""
    codes: IntArray
    masks: tuple[BoolArray, ...]

    @cached_property
    def uses(self) -> list[npt.NDArray[np.int64]]:
        """Per source (values,): how often it emits each."""
        pairs = zip(self.codes.T, self.masks, strict=True)
        return [np.bincount(column[column >= 0], minlength=len(mask)) for column, mask in pairs]

    def solved(self, share: float, posterior: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """By EM, from labels that are near: the tables, and the labels with them."""
        tables = self._start()
        for _ in range(_STEPS):
            moved, _ = softmax(self.logs + _added(tables, self.codes, share))
            tables = self._maximised(moved)
            settled = float(np.abs(moved - posterior).max(initial=0.0)) < _SETTLED
            posterior = moved
            if settled:
                break
        return tables, posterior

    def agreement(self, tables: Sequence[FloatArray], share: float) -> float:
        """The log-probability of what the others say, given what these say of the same items, up to a constant.

        Copies predict each other well, whatever they are worth; but what they say of the others they are too sure of.
        """
        others = np.exp(self.logs)
        balance = np.maximum(others.mean(axis=0), TINY)
        alone, _ = softmax(np.log(balance) + _added(tables, self.codes, share))
        return float(np.log(np.maximum((alone * others / balance).sum(axis=1), TINY)).sum())

    def _start(self) -> list[FloatArray]:
        """Per source (values, outcomes): what is thought of it before it votes."""
        return [_log_votes(np.zeros(mask.shape), mask, uses) for mask, uses in zip(self.masks, self.uses, strict=True)]

    def _maximised(self, posterior: FloatArray) -> list[FloatArray]:
        """Per source (values, outcomes): log-probabilities of its votes, given that it votes."""
        rows = zip(self.codes.T, self.masks, self.uses, strict=True)
        return [_log_votes(_counts(column, posterior, len(mask)), mask, uses) for column, mask, uses in rows]


def _added(tables: Sequence[FloatArray], codes: IntArray, share: float) -> FloatArray:
    """(items, outcomes): what votes add."""
    silent = np.zeros((1, tables[0].shape[1]))
    return np.asarray(
        share * sum(np.vstack([table, silent])[column] for table, column in zip(tables, codes.T, strict=True))
    )


def _counts(codes: IntArray, posterior: FloatArray, values: int) -> FloatArray:
    """(values, outcomes): how often each vote is expected with each outcome."""
    found = np.zeros((values, posterior.shape[1]))
    np.add.at(found, codes[codes >= 0], posterior[codes >= 0])
    return found


def _log_votes(counts: FloatArray, mask: BoolArray, uses: npt.NDArray[np.int64]) -> FloatArray:
    """(values, outcomes): log P(vote | outcome), from expected counts; of a value that was never emitted, a guess."""
    found = np.log(np.where(mask, _ACCURACY, 1 - _ACCURACY))
    seen = uses > 0
    if seen.any():
        found[seen] = np.log(np.maximum(_vote_table(counts[seen], mask[seen], uses[seen]), TINY))
    return found


def _vote_table(counts: FloatArray, mask: BoolArray, uses: npt.NDArray[np.int64]) -> FloatArray:
    """(values, outcomes): P(vote | outcome, it votes), shrunk step by step.

    The levels of a label are shrunk to the label, labels to a source that errs alike on all outcomes, and that to
    what is thought of any source.
    """
    right = float((counts * mask).sum())
    accuracy = (right + _ACCURACY * _WORTH) / (float(counts.sum()) + _WORTH)
    labels, of_value = np.unique(mask, axis=0, return_inverse=True)
    of_value = of_value.reshape(-1)
    of_label, label_uses = _summed(counts, of_value, len(labels)), np.bincount(of_value, weights=uses + 0.5)
    assumed = _class_conditional(labels, label_uses / label_uses.sum(), accuracy)
    label_table = _shrunk(of_label, assumed)
    among = (uses + 0.5) / label_uses[of_value]
    return _shrunk(counts, label_table[of_value] * among[:, None])


def _summed(counts: FloatArray, groups: npt.NDArray[np.int64], size: int) -> FloatArray:
    found = np.zeros((size, counts.shape[1]))
    np.add.at(found, groups, counts)
    return found


def _shrunk(counts: FloatArray, assumed: FloatArray) -> FloatArray:
    found: FloatArray = (counts + _SHRINK * assumed) / (counts.sum(axis=0) + _SHRINK)
    return found


def _class_conditional(labels: BoolArray, shares: FloatArray, accuracy: float) -> FloatArray:
    """(labels, outcomes): P(vote | outcome) of a source that is right as often on all outcomes."""
    usual = shares[:, None]
    right, wrong = (usual * flags / np.maximum((usual * flags).sum(axis=0), TINY) for flags in (labels, ~labels))
    weights = np.array([[accuracy], [1 - accuracy]]) * np.array([labels.any(axis=0), (~labels).any(axis=0)])
    weights = weights / weights.sum(axis=0)
    return np.asarray(weights[0] * right + weights[1] * wrong)


def with_later(fit: Fit, sources: Sequence[int], prior: FloatArray, codes: IntArray, held_out: IntArray | None) -> Fit:
    """The fit with what is learned of some of its sources, by their numbers in the layout.

    ``prior`` is (items, outcomes) what the others say of the items that these vote on, ``codes`` (items, sources) all
    votes on them. ``held_out`` are the votes on items with gold, if there are any.
    """
    layout = fit.parameters.layout
    masks = [layout.masks[source] for source in sources]
    found = learn_later(prior, codes[:, sources], masks)
    logs, joint, intervals = list(fit.scoring.logs), list(fit.parameters.joint), list(fit.intervals)
    items = 1 if fit.evidence is None else max(float(fit.evidence.patterns.items), 1.0)
    for at, source in enumerate(sources):
        clique = layout.first_clique[source]
        logs[clique] = np.vstack([centred(found.tables[at]), np.zeros((1, prior.shape[1]))])
        says = np.exp(found.tables[at] - found.tables[at].max())
        says *= (codes[:, source] >= 0).sum() / items / max(float(says.sum(axis=0).max()), TINY)
        joint[clique] = np.vstack([says, np.maximum(1 - says.sum(axis=0, keepdims=True), TINY)])
        intervals[source] = _intervals(codes[:, source], found.posterior, prior, layout.masks[source])
    # Parameters and scoring are about the same sources; the balance is that of the others.
    scoring = replace(fit.scoring, logs=tuple(logs), is_bayes=False)
    gained = float((found.posterior.max(axis=1) - prior.max(axis=1)).sum()) / items
    assessment = replace(fit.assessment, right=min(fit.assessment.right + gained, 1.0))
    told = fit.held_out
    if told is not None and held_out is not None:
        told = softmax(np.log(np.maximum(told, TINY)) + _added(found.tables, held_out[:, sources], 1.0))[0]
    return replace(
        fit,
        parameters=Parameters(layout, fit.parameters.balance, tuple(joint), fit.parameters.ignore_abstentions),
        scoring=scoring,
        uncorrected=_also(fit.uncorrected, scoring, [layout.first_clique[source] for source in sources]),
        held_out=told,
        known_intervals=intervals,
        known_assessment=assessment,
    )


def _also(before: Scoring | None, now: Scoring, cliques: Sequence[int]) -> Scoring | None:
    """A scoring from before gold was known, with what some cliques add now."""
    if before is None:
        return None
    logs = tuple(now.logs[at] if at in cliques else log for at, log in enumerate(before.logs))
    return replace(before, logs=logs)


def _intervals(
    codes: IntArray, posterior: FloatArray, prior: FloatArray, masks: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(values,): accuracies, with 95% intervals as wide as the others leave open whether votes are right."""
    found = []
    for value, mask in enumerate(masks):
        said = codes == value
        right = posterior[said][:, mask].sum(axis=1)
        told = float(((2 * prior[said][:, mask].sum(axis=1) - 1) ** 2).sum())
        accuracy = float(right.mean()) if said.any() else _ACCURACY
        low, high = wilson(accuracy * told, told) if told > 0 else (0.0, 1.0)  # type: ignore[arg-type]
        found.append((accuracy, min(low, accuracy), max(high, accuracy)))
    accuracy_, low_, high_ = np.array(found).reshape(-1, 3).T
    return accuracy_, low_, high_
