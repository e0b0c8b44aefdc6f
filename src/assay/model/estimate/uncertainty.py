r"""The uncertainty of accuracies: 95% intervals by the delta method.

The tables are softmax functions of free parameters :math:`\eta`, and each
distinct vote pattern has a score :math:`s_u = \partial \log P(\lambda_u) / \partial \eta`,
which an E-step gives for free. The inverse of :math:`\sum_u n_u s_u s_u^T` is the
covariance of :math:`\hat\eta`, including the information lost because the truth is
latent. An accuracy :math:`P(Y \in S_v \mid \lambda_i = v)` is a smooth function of
:math:`\eta`; its logit gets a symmetric interval, so that the interval of the
accuracy itself stays between zero and one.

Parameters that do not maximise a likelihood have no such scores. For these, each vote
counts as an observation of the accuracy as far as the other votes on its item determine
whether it is right: as one if they determine it, as none if only the vote itself does (the
missing information principle). If votes on one item are taken to be correlated, *n* of
them count as :math:`n / (1 + \rho (n - 1))`.

All this is sampling error. The mean of several models adds what these disagree on. Where votes do not follow a
model, it has an error of its own, which is taken for as large as its distance to other models of the same votes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.special import betaincinv, betaln, expit, logit, ndtri, softmax

from assay.counts import Clique, Evidence, Layout
from assay.model.estimate.e_step import leaves_out, responsibilities
from assay.model.parameters import TINY, Parameters, among_alternatives
from assay.model.scoring import Scoring

FloatArray = npt.NDArray[np.float64]

MAX_PARAMETERS = 1_500
"""With more free parameters than this, the covariance is computed per clique, with the others held fixed."""

Interval = tuple[FloatArray, FloatArray, FloatArray]
"""(values,) each: accuracies, and the bounds of their intervals."""

_PRIOR_VOTES = 2.0
"""The prior on an accuracy, as a pseudo-count in votes."""

_MODEL_ERROR, _MOST_MODEL_ERROR = 0.4, 2.0
"""The least and the most error of the log-odds of an accuracy if the votes do not follow the model."""

_TRUSTS = 2.0 ** np.arange(-1, 4)
"""How many times as much as its interval says an accuracy may be worth, which gold tells."""

_PATTERNS = 40_000
"""The number of patterns in the sample that the information is estimated from."""
_BLOCK = 20_000
_Z = float(ndtri(0.975))
"""Standard deviations on each side of a 95% interval."""


def accuracy_intervals(
    parameters: Parameters, scoring: Scoring, evidence: Evidence, *, balance_known: bool
) -> list[Interval]:
    """Per source (values,): accuracy, and the bounds of its 95% interval.

    A value that was never emitted has accuracy P(Y ∈ S) under the class balance
    and an interval from zero to one.
    """
    layout = parameters.layout
    r = layout.outcomes
    if not layout.masks:
        return []
    evidence = evidence.sample(_PATTERNS)
    posterior, _ = responsibilities(scoring, evidence)
    if not scoring.is_bayes:
        return _by_missing_information(parameters, scoring.discount, evidence, posterior)
    groups: list[list[int]]
    if layout.offsets[-1] * r <= MAX_PARAMETERS:
        groups = [list(range(len(layout.cliques)))]
    else:
        groups = [[index] for index in range(len(layout.cliques))]
    deviations: dict[tuple[int, int], float] = {}
    for group in groups:
        covariance = _covariance(parameters, evidence, posterior, group, balance_known)
        for source, index in enumerate(layout.first_clique):
            if index in group:
                for value in range(len(layout.masks[source])):
                    gradient = _gradient(parameters, source, value, group, balance_known)
                    variance = float(gradient @ covariance @ gradient)
                    deviations[source, value] = variance**0.5 if variance > 0 else 0.0
    return [
        _around(accuracy, np.array([deviations[source, value] for value in range(len(accuracy))]))
        for source, accuracy in enumerate(accuracies(parameters))
    ]


def mixed_intervals(found: Sequence[list[Interval]], weights: Sequence[float]) -> list[Interval]:
    """Intervals for the mean of several models, each with its own: what they disagree on is uncertain, too."""
    mixed = []
    for of_models in zip(*found, strict=True):
        centres = np.stack([_logit(accuracy) for accuracy, _, _ in of_models])
        deviations = np.stack([(_logit(high) - _logit(low)) / (2 * _Z) for _, low, high in of_models])
        share = np.array(weights)[:, None] / sum(weights)
        accuracy = np.sum(share * np.stack([accuracy for accuracy, _, _ in of_models]), axis=0)
        spread = np.sum(share * (deviations**2 + (centres - _logit(accuracy)) ** 2), axis=0)
        mixed.append(_around(accuracy, np.sqrt(spread)))
    return mixed


def widened(found: list[Interval], others: Sequence[list[FloatArray]]) -> list[Interval]:
    """Intervals of a model that is not exact: with an error of its own, as large as other models are far from it.

    ``others`` are the accuracies, per source (values,), of other models of the same votes.
    """
    wide = []
    for source, (accuracy, low, high) in enumerate(found):
        deviation = (_logit(high) - _logit(low)) / (2 * _Z)
        apart = np.abs(np.stack([_logit(other[source]) for other in others]) - _logit(accuracy)).max(axis=0)
        model_error = np.maximum(_MODEL_ERROR, np.minimum(apart, _MOST_MODEL_ERROR))
        wide.append(_around(accuracy, np.sqrt(deviation**2 + model_error**2)))
    return wide


def rising_intervals(found: list[Interval], layout: Layout) -> list[Interval]:
    """Intervals in which a surer level of confidence is right at least as often: bounds rise with confidence.

    That bounds levels that are nearly always right, of which the votes alone tell little. Labels whose accuracy falls
    with confidence are left alone.
    """
    if not layout.has_levels:
        return found
    bounded = []
    for source, (accuracy, low, high) in enumerate(found):
        label = layout.label_of_value[layout.value_offsets[source] : layout.value_offsets[source + 1]]
        least, most = low.copy(), high.copy()
        for same in (np.flatnonzero(label == one) for one in np.unique(label)):
            if accuracy[same[-1]] >= accuracy[same[0]]:
                least[same] = np.minimum(np.maximum.accumulate(low[same]), accuracy[same])
                most[same] = np.maximum(np.minimum.accumulate(high[same][::-1])[::-1], accuracy[same])
        bounded.append((accuracy, least, most))
    return bounded


def checked_intervals(found: list[Interval], checked: Sequence[FloatArray]) -> list[Interval]:
    """Intervals with what gold shows, per source (values, 2): its right and wrong votes.

    Each accuracy has a beta prior as wide as its interval, or narrower. Intervals are made to hold where models are
    wrong, and accuracies are mostly nearer to the truth; how much nearer here is told by the gold of all sources.

    >>> before = (np.array([0.8]), np.array([0.6]), np.array([0.9]))
    >>> (after,) = checked_intervals([before], [np.array([[45.0, 5.0]])])
    >>> [round(float(end[0]), 2) for end in after]
    [0.85, 0.76, 0.92]
    """
    if not found:
        return found
    accuracy, low, high = (np.concatenate(ends) for ends in zip(*found, strict=True))
    right, wrong = np.concatenate(checked).T
    deviation = np.maximum((high - low) / (2 * _Z), 1e-4)
    centre = np.clip(accuracy, 1e-3, 1 - 1e-3)
    as_wide = np.maximum(centre * (1 - centre) / deviation**2 - 1, _PRIOR_VOTES)
    # (trusts, values): the beta distribution after gold, for each trust in accuracies, and how well it foretells gold.
    prior = np.multiply.outer(_TRUSTS, as_wide)
    alpha, beta = prior * centre + right, prior * (1 - centre) + wrong
    evidence = (betaln(alpha, beta) - betaln(prior * centre, prior * (1 - centre))).sum(axis=1)
    weight = softmax(evidence)[:, None]
    means = alpha / (alpha + beta)
    mean = (weight * means).sum(axis=0)
    variance = (weight * (means * (1 - means) / (alpha + beta + 1) + (means - mean) ** 2)).sum(axis=0)
    votes = mean * (1 - mean) / variance - 1
    seen = right + wrong > 0
    updated = (
        np.where(seen, mean, accuracy),
        np.where(seen, betaincinv(votes * mean, votes * (1 - mean), 0.025), low),
        np.where(seen, betaincinv(votes * mean, votes * (1 - mean), 0.975), high),
    )
    ends = np.cumsum([len(one) for one, _, _ in found])[:-1]
    return list(zip(*(np.split(part, ends) for part in updated), strict=True))


def accuracies(parameters: Parameters) -> list[FloatArray]:
    """Per source (values,): P(Y ∈ S | the source emits the value)."""
    return [
        np.array([_accuracy(parameters, source, value) for value in range(len(masks))])
        for source, masks in enumerate(parameters.layout.masks)
    ]


def _logit(share: FloatArray) -> FloatArray:
    found: FloatArray = logit(np.clip(share, 1e-9, 1 - 1e-9))
    return found


def _around(accuracy: FloatArray, deviation: FloatArray) -> Interval:
    """Accuracies with intervals, from the standard deviations of their logits."""
    centre = _logit(accuracy)
    return accuracy, expit(centre - _Z * deviation), expit(centre + _Z * deviation)


def _by_missing_information(
    parameters: Parameters, discount: float, evidence: Evidence, posterior: FloatArray
) -> list[Interval]:
    layout = parameters.layout
    inflation = _inflation(discount, evidence)
    cells = evidence.by_column

    def patterns_with(columns: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """The patterns that have one of some columns, of which each has one at most."""
        return np.concatenate([cells.indices[cells.indptr[column] : cells.indptr[column + 1]] for column in columns])

    found = []
    for source, masks in enumerate(layout.masks):
        clique, first = layout.cliques[layout.first_clique[source]], layout.offsets[layout.first_clique[source]]
        says = clique.digits[:-1, clique.sources.index(source)]
        accuracy, deviation = np.empty(len(masks)), np.empty(len(masks))
        for value, mask in enumerate(masks):
            rows = patterns_with(first + np.flatnonzero(says == value))
            cast = evidence.counts[rows]
            right = posterior[rows] @ mask
            accuracy[value] = _accuracy(parameters, source, value)
            usual = float(cast @ right) / max(float(cast.sum()), TINY)
            observed = float(cast @ (right - usual) ** 2) / max(usual * (1 - usual), 1e-4) / inflation
            share = np.clip(accuracy[value], 0.01, 0.99)
            deviation[value] = 1 / np.sqrt((observed + _PRIOR_VOTES) * share * (1 - share))
        found.append(_around(accuracy, deviation))
    return found


def _inflation(correlation: float, evidence: Evidence) -> float:
    """The number of correlated votes that count as one independent vote, averaged over votes."""
    votes = np.diff(evidence.design.starts)
    cast = evidence.counts * votes
    return 1 + correlation * float(cast @ (votes - 1)) / max(float(cast.sum()), TINY)


def _accuracy(parameters: Parameters, source: int, value: int) -> float:
    """P(Y ∈ S | the source emits the value)."""
    joint = parameters.conditionals[source][value] * parameters.balance
    return float(joint[parameters.layout.masks[source][value]].sum() / max(float(joint.sum()), 1e-300))


def _covariance(
    parameters: Parameters, evidence: Evidence, posterior: FloatArray, group: list[int], balance_known: bool
) -> FloatArray:
    """The covariance of the free parameters of some cliques, and of the balance."""
    information = _information(parameters, evidence, posterior, group, balance_known, evidence.counts)
    size = len(information)
    joint = np.vstack([parameters.joint[i][:-1] for i in group])
    # Votes that almost never occur carry almost no information; half an item each regularises the inverse.
    prior = np.concatenate([(0.5 * joint * (1 - joint)).T.ravel(), np.full(size, 1e-6)])[:size]
    information[np.diag_indices(size)] += prior + 1e-9 * information.diagonal().max(initial=1.0)
    covariance = np.asarray(linalg.inv(information, check_finite=False))
    weights = evidence.patterns.sampling_weights
    if weights is None:
        return covariance
    # Each pattern of a sample represents many items, but was observed on fewer: a sandwich estimate.
    scatter = _information(
        parameters, evidence, posterior, group, balance_known, evidence.counts * np.maximum(weights, 1.0)
    )
    return np.asarray(covariance @ scatter @ covariance)


def _information(
    parameters: Parameters,
    evidence: Evidence,
    posterior: FloatArray,
    group: list[int],
    balance_known: bool,
    counts: FloatArray,
) -> FloatArray:
    """The sum over items of the score's outer product: the cliques' parameters by outcome, then the balance's."""
    layout = parameters.layout
    r = layout.outcomes
    columns = np.concatenate([np.arange(layout.offsets[i], layout.offsets[i + 1]) for i in group])
    size = len(columns) * r + (0 if balance_known else r - 1)
    information = np.zeros((size, size))
    chosen = evidence.by_column[:, columns].tocsr()
    total = np.zeros(size)
    for start in range(0, len(posterior), _BLOCK):
        rows = slice(start, start + _BLOCK)
        score = scores(parameters, chosen[rows].toarray(), posterior[rows], group, balance_known)
        information += (score * counts[rows, None]).T @ score
        total += counts[rows] @ score
    if leaves_out(parameters, evidence):
        # The score given that somebody votes is the score less its mean.
        information -= np.outer(total, total) / max(float(counts.sum()), TINY)
    return information


def scores(
    parameters: Parameters, held: FloatArray, posterior: FloatArray, group: list[int], balance_known: bool
) -> FloatArray:
    """(patterns, parameters): d log P(votes) / d η, for some cliques by outcome, then for the balance.

    ``held`` are the configurations of these cliques in each pattern, (patterns, configurations).
    """
    open_to = _alternatives(parameters, held, group)
    tables = np.vstack([parameters.tables[i][:-1] for i in group])
    parts = [posterior[:, [y]] * (held - open_to * tables[:, y]) for y in range(parameters.layout.outcomes)]
    if not balance_known:
        parts.append((posterior - parameters.balance)[:, :-1])
    return np.hstack(parts)


def _gradient(parameters: Parameters, source: int, value: int, group: list[int], balance_known: bool) -> FloatArray:
    """The gradient of logit accuracy: log P(right, vote) − log P(wrong, vote)."""
    layout = parameters.layout
    r = layout.outcomes
    joint = parameters.conditionals[source][value] * parameters.balance
    right = layout.masks[source][value]
    lean = np.where(right, joint / max(float(joint[right].sum()), TINY), -joint / max(float(joint[~right].sum()), TINY))
    own = _slopes(parameters, source, value)
    parts = [
        (own[index] * lean)[:-1, y] if index in own else np.zeros(layout.cliques[index].size - 1)
        for y in range(r)
        for index in group
    ]
    if not balance_known:
        parts.append((lean - parameters.balance * lean.sum())[:-1])
    return np.concatenate(parts)


def _slopes(parameters: Parameters, source: int, value: int) -> dict[int, FloatArray]:
    """Per clique (configurations, outcomes): d log P(λ_i = v | y) / d η.

    It is P(k | y) (w_k − E[w | alternatives of k]), divided by P(λ_i = v | y), where w
    indicates that the source emits v in configuration k. Ancestors of the source's clique
    matter through the separator: there w is P(λ_i = v | separator).
    """
    cliques = parameters.layout.cliques
    index = parameters.layout.first_clique[source]
    clique = cliques[index]
    says = clique.digits[:, [clique.sources.index(source)]] == value
    weight = np.broadcast_to(says, parameters.joint[index].shape).astype(float)
    chance = np.maximum((parameters.joint[index] * weight).sum(axis=0), TINY)
    found = {}
    while True:
        clique, table = cliques[index], parameters.joint[index]
        usual = _means(table, weight, clique.families(parameters.ignore_abstentions))
        found[index] = table * (weight - usual) / chance
        if not clique.separator:
            return found
        by_separator = _means(table, weight, clique.families(False))
        above = next(i for i in range(index) if set(clique.separator) <= set(cliques[i].sources))
        weight = by_separator[_matching(cliques[above], clique)]
        index = above


def _means(table: FloatArray, weight: FloatArray, families: npt.NDArray[np.int64]) -> FloatArray:
    """(configurations, outcomes): the mean weight of each one's family."""
    sums = np.zeros((int(families.max(initial=0)) + 1, table.shape[1]))
    np.add.at(sums, families, weight * among_alternatives(table, families))
    return sums[families]


def _matching(above: Clique, below: Clique) -> npt.NDArray[np.int64]:
    """(configurations of ``above``,): a configuration of ``below`` with the same separator votes."""
    digits = np.zeros((above.size, len(below.sources)), dtype=np.int64)
    for source in below.separator:
        digits[:, below.sources.index(source)] = above.digits[:, above.sources.index(source)]
    return np.asarray(np.ravel_multi_index(tuple(digits.T), below.shape), dtype=np.int64)


def _alternatives(parameters: Parameters, held: FloatArray, group: list[int]) -> FloatArray:
    """(patterns, configurations): ones where a configuration is an alternative to the pattern's own."""
    found, at = [], 0
    for clique in (parameters.layout.cliques[index] for index in group):
        families = clique.families(parameters.ignore_abstentions)
        block = held[:, at : at + clique.size - 1]
        at += clique.size - 1
        if not families.any():
            found.append(np.ones_like(block))
            continue
        member = families[:, None] == np.arange(int(families.max()) + 1)
        among = block @ member[:-1].astype(float)
        # A pattern without a configuration of the clique has all of its sources abstain.
        among[:, families[-1]] += 1 - block.sum(axis=1)
        found.append(among[:, families[:-1]])
    return np.hstack(found)
