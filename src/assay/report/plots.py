"""Pictures in notebooks: what ``plot`` of votes, models, labels, evaluations and learned dependencies draws.

Each is a chart of altair, drawn from the same figures as the page of a report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._core.palette import LIGHT, Palette
from assay.counts import Tally
from assay.errors import AssayError, near_miss
from assay.evaluation import Evaluation
from assay.labels import Labels
from assay.model import LabelModel
from assay.model.dependencies import LearnedDependencies
from assay.report import charts
from assay.report.charts import Chart
from assay.report.error_bar_forecast import forecast_error_bars
from assay.report.facts import RANGES, Score, outcome_texts, right_and_wrong
from assay.report.formatting import distinct
from assay.report.source_matrices import MOST_SOURCES, SourceMatrix, most_overlapping, residuals, similar_adjacent
from assay.report.source_matrices import agreement as agreement_of
from assay.votes import Votes, summarize

if TYPE_CHECKING:
    import pandas as pd

_MOST_LABELS = 25
_MOST_ROWS = 60
"""More rows than this are not readable; of more, the first are shown."""


@dataclass(frozen=True, eq=False)
class VotePlots:
    """Pictures of votes: ``votes.plot``."""

    votes: Votes

    def coverage(self) -> Chart:
        """The share of items that each source votes on.

        >>> votes = Votes.from_matrix([[0, 1], [-1, 1]], names=["kb", "crowd"])
        >>> [row["value"] for row in votes.plot.coverage().to_dict()["data"]["values"]]
        [0.5, 1.0]
        """
        return self._shares("coverage")

    def conflicts(self) -> Chart:
        """The share of items on which each source is contradicted."""
        return self._shares("conflicts")

    def agreement(self, most: int = MOST_SOURCES) -> Chart:
        """The share of common items on which each two sources agree; similar sources are next to each other.

        Two sources agree if both votes can be right. With more than ``most`` sources, those are shown that overlap
        with others most often.
        """
        met, found = agreement_of(Tally.of(self.votes, size=0))
        return _heat_map(found, met, most)

    def _shares(self, figure: str) -> Chart:
        table = summarize(self.votes, None, "source")[figure].head(_MOST_ROWS)
        rows = [{"name": str(name), "value": float(share)} for name, share in table.items()]
        return charts.bars(rows, title=f"{figure}, share of items", most=1.0)


@dataclass(frozen=True, eq=False)
class ModelPlots:
    """Pictures of what a label model learned: ``model.plot``."""

    model: LabelModel

    def sources(self, gold: Any = None, votes: Any = None) -> Chart:
        """Accuracies with their 95% intervals, a row for each source and value that was used; a forest plot.

        Parameters
        ----------
        gold, votes
            True labels, and the votes on the same items, to draw what is true beside what was learned.

        >>> from assay.simulate import flat_world
        >>> simulation = flat_world(sources=4, seed=1).draw(500)
        >>> chart = LabelModel().fit(simulation.votes).plot.sources(simulation.gold, simulation.votes)
        >>> sorted(chart.to_dict()["data"]["values"][0])
        ['gold', 'high', 'low', 'name', 'value']
        """
        fitted = self.model.fitted_
        if (gold is None) != (votes is None):
            raise AssayError("gold labels are compared with votes: give both, or neither")
        rows = [
            {
                "name": f"{row['source']}: {row['value']}",
                "value": row["accuracy"],
                "low": row["low"],
                "high": row["high"],
            }
            for row in fitted.sources.to_dict("records")
        ]
        if gold is not None:
            aligned = fitted.aligned(votes)
            counts = [pair for pairs in right_and_wrong(aligned, aligned.gold(gold)) for pair in pairs]
            for row, pair in zip(rows, counts, strict=True):
                score = Score.of(*pair)
                row["gold"] = None if score is None else score.accuracy
        used = fitted.sources["votes"].to_numpy() > 0
        rows = [row for row, cast in zip(rows, used, strict=True) if cast][:_MOST_ROWS]
        return charts.intervals(rows, title="accuracy")

    def class_balance(self, component: int = 0) -> Chart:
        """How common each outcome of a component is."""
        parts = self.model.fitted_.components
        if not 0 <= component < len(parts):
            raise AssayError(f"there is no component {component!r}; there are {len(parts)}")
        names = outcome_texts(self.model.fitted_.tasks.label_space.components[component].outcomes)
        shares = parts[component].fit.parameters.balance.tolist()
        rows = [{"name": name, "value": share} for name, share in zip(names, shares, strict=True)]
        return charts.bars(rows[:_MOST_ROWS], title="class balance")

    def residuals(self, votes: Any, most: int = MOST_SOURCES) -> Chart:
        """The residual correlation of each two sources: 1 for copies, about 0 for independent sources."""
        fitted = self.model.fitted_
        tally = Tally.of(fitted.aligned(votes), size=0)
        found = residuals(fitted, tally)
        if found is None:
            raise AssayError("the sources have too many values for co-votes to be counted; select some sources")
        met, _ = agreement_of(tally)
        return _heat_map(found, met, most, form=".2f", full=0.5)

    def plan(self, items: int, target: float = 0.02) -> Chart:
        """How error bars would shrink with more items; ``items`` is how many the model was fitted on."""
        found = forecast_error_bars(self.model.sources_, items, target)
        if found is None:
            raise AssayError("no source votes, so there are no error bars to plan with")
        rows = [{"name": name, "items": count, "half_width": half} for name, count, half in found.curves]
        return charts.shrinking(rows, now=items)


@dataclass(frozen=True, eq=False)
class DependencyPlots:
    """Pictures of dependencies that were learned: ``learned.plot``."""

    learned: LearnedDependencies

    def residuals(self, most: int = MOST_SOURCES) -> Chart:
        """The residual correlation of each two sources: 1 for copies, about 0 for independent sources.

        With more than ``most`` sources, those with the strongest correlations are shown.

        >>> learned = LearnedDependencies(("a", "b"), (), np.array([[1.0, 0.4], [0.4, 1.0]]))
        >>> [cell["value"] for cell in learned.plot.residuals().to_dict()["data"]["values"]]
        [0.4, 0.4]
        """
        if len(self.learned.residuals) < len(self.learned.names):
            raise AssayError("no correlations were computed: " + "; ".join(self.learned.notes))
        cells = self.learned.residuals.copy()
        np.fill_diagonal(cells, np.nan)
        found = SourceMatrix(self.learned.names, cells)
        return _heat_map(found, np.nan_to_num(np.abs(cells)), most, form=".2f", full=0.5)

    def graph(self) -> str:
        """The dependencies that were kept as an SVG picture, an arc for each with its residual correlation."""
        graph = self.learned.graph
        return graph.to_svg({(i, j): float(self.learned.residuals[i, j]) for i, j in graph.edges})


@dataclass(frozen=True, eq=False)
class LabelPlots:
    """Pictures of labels: ``labels.plot``."""

    labels: Labels

    def confidence(self, task: str | None = None) -> Chart:
        """Items by how probable their most probable outcome is, or their most probable label of a task."""
        parts = self.labels.joint if task is None else (self.labels[task],)
        best = np.min([part.max(axis=1) for part in parts], axis=0)
        edges = np.linspace(np.floor(best.min(initial=1.0) * RANGES) / RANGES, 1.0, RANGES + 1)
        counts, _ = np.histogram(best, bins=edges)
        return charts.histogram(edges, counts, title="probability of the label", count_title="items")

    def counts(self, task: str) -> Chart:
        """How many items have each label of a task, as shares.

        >>> from assay import TaskGraph
        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.2, 0.8]]),))
        >>> [row["value"] for row in labels.plot.counts("mail").to_dict()["data"]["values"]]
        [0.5, 0.5]
        """
        names = self.labels.names(task)
        known = [*self.labels.tasks[task].labels, *([None] if (names == None).any() else [])]  # noqa: E711  by element
        rows = [{"name": "N/A" if label is None else label, "value": float((names == label).mean())} for label in known]
        return charts.bars(rows[:_MOST_ROWS], title="share of items")


@dataclass(frozen=True, eq=False)
class EvaluationPlots:
    """Pictures of labels against gold: ``evaluation.plot``."""

    evaluation: Evaluation

    def calibration(self) -> Chart:
        """How often labels of a given confidence are right."""
        points: list[Any] = self.evaluation.calibration.to_dict("records")
        return charts.calibration({"these labels": points})

    def confusion(self, task: str | None = None) -> Chart:
        """Which share of the items with a gold label of a task gets which label; of the first task by default."""
        known = list(self.evaluation.confusion)
        chosen = known[0] if task is None else task
        if chosen not in known:
            raise AssayError(f"there is no task {chosen!r}. {near_miss(chosen, known)}")
        return confusion_map(self.evaluation.confusion[chosen])


def confusion_map(table: pd.DataFrame, palette: Palette = LIGHT) -> Chart:
    """A confusion table as a heat map of shares of the gold labels; of many labels, the most frequent ones."""
    if len(table) > _MOST_LABELS:
        frequent = table.sum(axis=1).nlargest(_MOST_LABELS).index
        table = table.loc[table.index.isin(frequent), table.columns.isin(frequent)]
    counts = table.to_numpy(float)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, counts / np.maximum(totals, 1), np.nan)
    names = distinct([str(name) for name in table.index])
    return charts.heat_map(shares, names, row_title="gold", column_title="label", palette=palette)


def _heat_map(found: SourceMatrix, met: Any, most: int, **style: Any) -> Chart:
    shown = most_overlapping(met, most)
    few = found.among(shown)
    few = few.among(similar_adjacent(few))
    return charts.heat_map(few.cells, distinct(few.names), **style)
