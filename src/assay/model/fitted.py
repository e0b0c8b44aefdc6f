"""A fitted label model, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from assay.checks import CheckReport, Drift, drift_table, left_out
from assay.counts import Layout
from assay.errors import VoteError, near_miss
from assay.gold import CheckedLabels, GoldItems
from assay.labels import Labels, put_together
from assay.model.advice import advice
from assay.model.dependencies.learned import LearnedDependencies
from assay.model.estimate import Fit, SolverOutcome
from assay.model.explanation import Explanation, explain, outcome_text
from assay.model.scorer import Scorer
from assay.tasks import texts_of
from assay.votes import HasSchema, Schema, Votes, aligned, compare_with_gold, wilson

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class BySource(tuple[Any, ...]):
    """Values in the order of the sources, indexed by position or by name."""

    names: tuple[str, ...]

    def __new__(cls, values: Iterable[Any], names: Sequence[str]) -> Self:
        """Join values and names."""
        made = super().__new__(cls, values)
        made.names = tuple(names)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.names

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.names:
                raise VoteError(f"there is no source {key!r}. {near_miss(key, self.names)}")
            return super().__getitem__(self.names.index(key))
        return super().__getitem__(key)


@dataclass(frozen=True, eq=False)
class FittedComponent:
    """The fit of one component of the label space."""

    fit: Fit

    @property
    def layout(self) -> Layout:
        """The layout of its sources' votes."""
        return self.fit.parameters.layout

    @property
    def sources(self) -> IntArray:
        """(its sources,): their columns in the votes."""
        return self.layout.sources

    @cached_property
    def scorer(self) -> Scorer:
        """Computes P(outcome | votes)."""
        return Scorer(self.fit.scoring)


@dataclass(frozen=True, eq=False)
class Fitted(HasSchema):
    """The fits of all components, and counts of the votes they were fitted on."""

    schema: Schema
    """The schema of the votes that the model was fitted on."""
    uses: tuple[IntArray, ...]
    """Per source (values + 1,): how often it emitted each value; the last is abstain."""
    components: tuple[FittedComponent, ...]
    check: CheckReport
    """The result of :func:`assay.check`."""
    learned: LearnedDependencies | None = None
    """The learned dependencies, if they were to be learned."""
    unidentified: frozenset[str] = frozenset()
    """Sources whose accuracies the votes do not tell, by the check: any would explain them."""
    gold: GoldItems | None = None
    """The items with gold that it has learned from, if any."""
    changed: tuple[Drift, ...] = ()
    """Sources that behave differently in the votes that came last; only after :meth:`assay.LabelModel.partial_fit`."""

    # Labeling

    def aligned(self, votes: Any, *, lent: bool = False) -> Votes:
        """Votes, or a matrix of class numbers, with the sources and value tables that the model was fitted on.

        ``lent``: nobody keeps them, so that a matrix need not be copied.
        """
        return aligned(votes, self.schema, lent=lent)

    def posteriors(self, votes: Any) -> list[FloatArray]:
        """Per component (items, outcomes): P(outcome | votes). Items that it learned the gold of get their gold.

        Labels that some logic links are put together.
        """
        return put_together(self.unlinked_posteriors(votes), self.tasks)

    def unlinked_posteriors(self, votes: Any) -> list[FloatArray]:
        """The same for the components it was fitted on, in which labels of which any subset may apply are apart."""
        given = self.aligned(votes, lent=True)
        found = [part.scorer(given) for part in self.components]
        if self.gold is not None:
            self._settle(found, *self.gold.found_in(given))
        return found

    def labels(self, labels: Labels, here: IntArray, rows: IntArray) -> Labels:
        """Labels of which some rows are items with gold, number ``here``: these get their gold, and can be checked."""
        if self.gold is None or not len(rows):
            return labels
        self._settle(list(labels.joint), here, rows)
        order = np.argsort(rows)
        checked = CheckedLabels(
            rows[order],
            tuple(self.gold.allowed(index)[here[order]] for index in range(len(self.components))),
            tuple(self._held_out(index)[here[order]] for index in range(len(self.components))),
            self.gold.weights[here[order]],
        )
        return replace(labels, gold=checked)

    def _settle(self, parts: list[FloatArray], here: IntArray, rows: IntArray) -> None:
        """Give items their gold, in place: what it does not allow is impossible."""
        assert self.gold is not None
        for index, joint in enumerate(parts):
            within = joint[rows] * self.gold.allowed(index)[here]
            # What gold allows may be so improbable that nothing is left of it.
            within = np.where(within.sum(axis=1, keepdims=True) > 0, within, self.gold.allowed(index)[here])
            joint[rows] = within / within.sum(axis=1, keepdims=True)

    def _held_out(self, index: int) -> FloatArray:
        """(items with gold, outcomes): their labels without their own gold."""
        assert self.gold is not None
        held_out = self.components[index].fit.held_out
        return self.components[index].scorer(self.gold.votes) if held_out is None else held_out

    def explain(self, votes: Votes) -> Explanation:
        """The contributions of the sources to the label of the only item of aligned votes."""
        parts = []
        for index, part in enumerate(self.components):
            codes = part.layout.codes(votes)
            texts = [self._said(votes, int(source), index) for source in part.sources]
            names = [self.names[source] for source in part.sources]
            outcomes = self.tasks.label_space.components[index].outcomes
            parts.append(explain(part.fit.scoring, codes[0], names, texts, outcomes, part.fit.uncorrected))
        return Explanation.joined(parts)

    def _said(self, votes: Votes, source: int, component: int) -> str | None:
        """What a source says of the only item; of one component, if it may say several things."""
        said = votes.cast.codes[votes.cast.sources == source].tolist()
        if self.schema.has_several:
            said = [code for code in said if self.schema.outcome_sets[component].of_code[source][code] >= 0]
        return str(self.values[source][said[0]]) if said else None

    # Describing

    @property
    def solvers(self) -> list[dict[str, SolverOutcome]]:
        """Per component the outcomes of its solvers."""
        return [part.fit.solvers for part in self.components]

    @property
    def converged(self) -> bool:
        """Whether all solvers converged."""
        return not self._not_converged

    @property
    def _not_converged(self) -> list[str]:
        """Solvers that did not converge, each with advice."""
        ended = [(name, outcome) for solvers in self.solvers for name, outcome in solvers.items()]
        return [f"{name}: {outcome.advice}" for name, outcome in ended if not outcome.converged]

    @property
    def notes(self) -> list[str]:
        """What a user should know about this fit, in sentences."""
        ignored = [f"fitted despite {problem.code}: {problem.message}" for problem in self.check.errors]
        learned = self.learned
        # Not to have found near-copies is no news.
        found = [] if learned is None or (learned.strong and not learned.pairs) else [learned.summary()]
        limits = [*(() if learned is None else learned.notes), *left_out(self.schema)]
        return self._not_converged + ignored + found + limits + self._changes

    @property
    def _changes(self) -> list[str]:
        told = [str(one) for one in self.changed]
        if 2 * len({one.source for one in self.changed}) > len(self.names):
            told.append("most sources behave differently from before: perhaps the items are others, not the sources")
        return told

    @cached_property
    def drift(self) -> pd.DataFrame:
        """Sources that behave differently in the votes that came last."""
        return drift_table(list(self.changed))

    @property
    def class_balance(self) -> FloatArray | list[FloatArray]:
        """(outcomes,), or a list of those for several components."""
        balances = [part.fit.parameters.balance for part in self.components]
        return balances[0] if len(balances) == 1 else balances

    @cached_property
    def _homes(self) -> list[list[tuple[FittedComponent, int, npt.NDArray[np.int32]]]]:
        """Per source the components that it votes on, its number there, and which of its values there each code is."""
        found: list[list[tuple[FittedComponent, int, npt.NDArray[np.int32]]]] = [[] for _ in self.names]
        for part in self.components:
            for at, (source, of_code) in enumerate(zip(part.sources, part.layout.value_of_code, strict=True)):
                found[source].append((part, at, of_code))
        return found

    @cached_property
    def conditionals(self) -> BySource:
        """Per source its confusion matrix in its own values; a list of those if it votes on several components."""
        found: list[list[FloatArray]] = [[] for _ in self.names]
        for source, homes in enumerate(self._homes):
            for part, at, of_code in homes:
                found[source].append(_in_own_values(part.fit.parameters.conditionals[at], of_code, self.uses[source]))
        silent = np.ones((1, len(self.tasks.label_space.components[0])))
        return BySource([tables[0] if len(tables) == 1 else tables or silent for tables in found], self.names)

    @cached_property
    def advice(self) -> list[str]:
        """The model's report on itself, in sentences; per component if there are several."""
        sentences = []
        for part, component in zip(self.components, self.tasks.label_space.components, strict=True):
            of = "" if len(self.components) == 1 else f"{', '.join(component.tasks)}: "
            names = [self.names[source] for source in part.sources]
            outcomes = [outcome_text(outcome) for outcome in component.outcomes]
            sentences += [of + sentence for sentence in advice(part.fit, names, outcomes)]
        return sentences

    @cached_property
    def sources(self) -> pd.DataFrame:
        """Per source and value: accuracy with its 95% interval, coverage and number of votes."""
        import pandas as pd

        rows = []
        for j, name in enumerate(self.names):
            items = max(int(self.uses[j].sum()), 1)
            texts = texts_of(self.values[j], beside_tasks=True)
            for code, vote in enumerate(self.values[j]):
                votes = int(self.uses[j][code])
                accuracy, low, high = self._accuracy_of(j, code)
                if votes == 0:
                    # Nothing was said that could be right: a blind guess, not what is left of a class nobody names.
                    accuracy, low, high = self._by_chance(j, code), 0.0, 1.0
                elif name in self.unidentified:
                    accuracy, low, high = self._by_gold_alone(j, code, accuracy)
                rows.append(
                    {
                        "source": name,
                        "task": ", ".join(vote.tasks),
                        "value": texts[code],
                        "accuracy": accuracy,
                        "low": low,
                        "high": high,
                        "coverage": votes / items,
                        "votes": votes,
                    }
                )
        return pd.DataFrame(rows, columns=["source", "task", "value", "accuracy", "low", "high", "coverage", "votes"])

    def _by_gold_alone(self, source: int, code: int, accuracy: float) -> tuple[float, float, float]:
        """An accuracy that the votes do not tell: what gold says, from 0 to 1 if it says nothing either."""
        if self.gold is None:
            return accuracy, 0.0, 1.0
        votes = self.gold.votes.select(source)
        emits = votes.cast.codes == code
        says = votes.cast.row[emits]
        votes = Votes(votes.schema, votes.cast.keep(emits)).take(says)
        truth = self.gold.truth.take(says)
        right, wrong = (int(flags.sum()) for flags in compare_with_gold(votes, truth))
        if not right + wrong:
            return accuracy, 0.0, 1.0
        return right / (right + wrong), *wilson(right, right + wrong)

    def _by_chance(self, source: int, code: int) -> float:
        """How often a value would be right if all outcomes were equally common."""
        told = ((part.layout.masks[at], int(of_code[code])) for part, at, of_code in self._homes[source])
        return min([1.0, *(float(masks[value].mean()) for masks, value in told if value >= 0)])

    def _accuracy_of(self, source: int, code: int) -> tuple[float, float, float]:
        """A value's accuracy with its interval: the lowest over components, if it allows outcomes of several."""
        found = []
        for part, at, of_code in self._homes[source]:
            value = int(of_code[code])
            if value >= 0:
                accuracy, low, high = (float(numbers[value]) for numbers in part.fit.intervals[at])
                found.append((accuracy, low, high))
        return min(found, default=(1.0, 0.0, 1.0))


def _in_own_values(table: FloatArray, of_code: npt.NDArray[np.int32], uses: IntArray) -> FloatArray:
    """A table over a component's distinct votes as one over a source's own values, and abstain.

    Values with the same meaning for the component share a row in proportion to their use;
    so do abstain and the values that say nothing about it.
    """
    if np.array_equal(of_code[:-1], np.arange(len(of_code) - 1)):
        return table
    used = uses + 1e-9
    rows = np.where(of_code >= 0, of_code, len(table) - 1)
    shares = used / np.bincount(rows, weights=used, minlength=len(table))[rows]
    return np.asarray(table[rows] * shares[:, None])
