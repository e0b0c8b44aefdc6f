"""A labeling run to look at: all figures of the report in one value, and the page made from it."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay._core.atomic_files import writing
from assay._core.rows import records_at
from assay.checks import CheckReport
from assay.counts import SKETCH_SIZE, SourceGraph, Tally, tally_of
from assay.engine import engine_of
from assay.errors import AssayError, VoteError
from assay.evaluation import Evaluation, TrainingComparison
from assay.gold import GoldItems
from assay.labels import Labels
from assay.model import Fitted, LabelModel, gold_in_pieces
from assay.model.estimate import Redundancy
from assay.report.asking import AskingPlan
from assay.report.contested import ContestedItem, contested_items
from assay.report.error_bar_forecast import ErrorBarForecast, forecast_error_bars
from assay.report.evidence import EvidenceFacts, evidence_facts
from assay.report.facts import (
    ComponentFacts,
    Counted,
    SourceFacts,
    TaskFacts,
    component_facts,
    source_facts,
    task_facts,
)
from assay.report.hand_labels import HandLabelFacts, hand_label_facts
from assay.report.methods import evaluate_methods
from assay.report.priorities import Priority, priorities
from assay.report.source_matrices import SourceMatrix, agreement, most_overlapping, residuals, similar_adjacent
from assay.tasks import TaskGraph
from assay.votes import Fault, Votes, is_in_pieces, of_some

ITEMS = 20
"""How many contested items are shown."""


@dataclass(frozen=True, eq=False)
class Report:
    """The results of a labeling run, to look at. Made by :meth:`of`.

    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=6, seed=3).draw(2000)
    >>> model = LabelModel().fit(simulation.votes)
    >>> report = Report.of(model, simulation.votes, gold=simulation.gold, title="six sources")
    >>> report
    Report('six sources': 2,000 items × 6 sources)
    >>> report.to_html().startswith("<!doctype html>")
    True
    """

    title: str
    items: int
    cast: int
    """How many votes there are."""
    is_exact: bool
    """Whether everything was counted over all items; otherwise some figures are from a sample of them."""
    task_graph: TaskGraph
    settings: Mapping[str, Any]
    """Those of the label model."""
    versions: Mapping[str, str]
    methods: tuple[str, ...]
    """How parameters were learned, per component."""
    check: CheckReport
    priorities: tuple[Priority, ...]
    """What to fix first."""
    advice: tuple[str, ...]
    """What the model found, in sentences."""
    sources: tuple[SourceFacts, ...]
    tasks: tuple[TaskFacts, ...]
    components: tuple[ComponentFacts, ...]
    contradicted: float
    """The share of items with votes that cannot all be true."""
    agreement: SourceMatrix
    """The share of common items on which sources agree."""
    residuals: SourceMatrix | None
    """Correlations of votes beyond what the truth explains, in the same order."""
    graph: SourceGraph
    """The dependencies that were declared, or that the model learned."""
    learned: bool
    """Whether it learned them."""
    dependence: Mapping[tuple[int, int], float]
    """The residual correlation of sources that the graph joins, by their numbers."""
    redundant: tuple[tuple[str, str, Redundancy], ...]
    contested: tuple[ContestedItem, ...]
    records: Mapping[int, Mapping[str, Any]]
    """The rows of contested items, by number."""
    evaluations: Mapping[str, Evaluation]
    """Methods against gold, if there is some."""
    forecast: ErrorBarForecast | None
    """How error bars would shrink with more items."""
    hand_labels: HandLabelFacts | None = None
    """What the gold that taught the model tells of all items, if there is some."""
    taught: int = 0
    """How many items with gold the model has learned from."""
    trainings: TrainingComparison | None = None
    """End models that were trained on hand labels, labels, or both, if they were compared."""
    evidence: EvidenceFacts | None = None
    """What labels rest on, if they were refined."""
    asking: AskingPlan | None = None
    """What asking prompts about more items is expected to change, if there are prompts and items left."""
    shows_texts: bool = True
    faults: tuple[Fault, ...] = field(default=())

    def __repr__(self) -> str:
        return f"Report({self.title!r}: {self.items:,} items × {len(self.sources):,} sources)"

    @classmethod
    def of(
        cls,
        model: LabelModel,
        votes: Any,
        *,
        gold: Any = None,
        data: Any = None,
        labels: Labels | None = None,
        refined: Labels | None = None,
        texts: bool = True,
        items: int = ITEMS,
        evaluations: Mapping[str, Evaluation] | None = None,
        trainings: TrainingComparison | None = None,
        asking: AskingPlan | None = None,
        check: CheckReport | None = None,
        title: str = "Labeling run",
    ) -> Report:
        """Look at what a fitted model made of votes.

        Parameters
        ----------
        model
            A fitted label model.
        votes
            The votes it was fitted on, in any of the shapes that :meth:`assay.LabelModel.fit` takes.
        gold
            True labels to score with, in any of the shapes that :meth:`assay.Votes.summary` takes.
        data
            The rows that were voted on, in any of the shapes that :func:`assay.apply` takes, to show those of
            contested items.
        labels
            The labels of all items, if there are some: what gold tells of them is shown if they carry it.
        refined
            The labels that :func:`assay.refine` made of these, if there are some: what they rest on is shown.
        texts
            Whether anything of the data itself is shown. Without, items are numbers, and a report can be given to
            people who must not see the data.
        items
            How many contested items to show.
        evaluations
            Scores against gold, by method, if there are better ones than can be made from the votes: with an end
            model, or on items that were held out.
        trainings
            What :func:`assay.compare_training` found, to be shown too.
        asking
            What asking prompts about more items is expected to change, to be shown too.
        check
            What was checked, if more is known than the model's own ``check_``.
        title
            What the page is called.
        """
        if not isinstance(items, int) or items < 0:
            raise AssayError(f"items must be a non-negative integer, but is {items!r}")
        fitted = model.fitted_
        found = model.check_ if check is None else check
        given = votes if isinstance(votes, Tally) or is_in_pieces(votes) else fitted.aligned(votes)
        truth = None if gold is None else _gold_items(given, gold, fitted)
        counted = Counted(fitted, tally_of(given, engine="local", size=SKETCH_SIZE, progress=False, like=fitted.schema))
        scored = (truth.votes, truth.truth) if truth is not None and len(truth) else None
        sources = source_facts(counted, scored)
        tasks = task_facts(counted, None if scored is None else scored[1])
        components = component_facts(counted, None if scored is None else scored[1])
        redundant = tuple(
            (fitted.names[part.sources[pair.sources[0]]], fitted.names[part.sources[pair.sources[1]]], pair)
            for part in fitted.components
            for pair in part.fit.assessment.redundant
        )
        faults = given.faults if isinstance(given, Votes) else ()
        contested = contested_items(counted, given, truth, items)
        met, agreed = agreement(counted.tally)
        left = residuals(fitted, counted.tally)
        shown = most_overlapping(met)
        shown = shown[similar_adjacent(agreed.among(shown))]
        learned = fitted.learned
        graph = SourceGraph(fitted.names, list(model.dependencies)) if learned is None else learned.graph
        rows = [item.row for item in contested if item.row is not None]
        if evaluations is None and scored is not None:
            known = model.label(scored[0], progress=False) if labels is None else _of_gold(labels, truth)
            evaluations = evaluate_methods(scored[0], {"label model": known}, scored[1])
        return cls(
            title=title,
            items=counted.tally.items,
            cast=int(counted.tally.single.sum()),
            is_exact=counted.is_exact,
            task_graph=fitted.tasks,
            settings=model.get_params(),
            versions=versions(),
            methods=tuple(", ".join(part.fit.solvers) for part in fitted.components),
            check=found,
            priorities=priorities(
                sources, tasks, components, found, redundant, faults, model.notes_, evaluations or {}
            ),
            advice=tuple(model.advice_),
            sources=sources,
            tasks=tasks,
            components=components,
            contradicted=_contradicted(counted),
            agreement=agreed.among(shown),
            residuals=None if left is None else left.among(shown),
            graph=graph,
            learned=learned is not None,
            dependence={} if left is None else {pair: float(left.cells[pair]) for pair in sorted(graph.edges)},
            redundant=redundant,
            contested=contested,
            records=records_at(data, rows) if texts and data is not None else {},
            evaluations=evaluations or {},
            forecast=forecast_error_bars(model.sources_, counted.tally.items),
            hand_labels=hand_label_facts(labels),
            taught=0 if fitted.gold is None else len(fitted.gold),
            trainings=trainings,
            evidence=_evidence(model, given, refined, labels, truth),
            asking=asking,
            shows_texts=texts,
            faults=faults,
        )

    def to_html(self) -> str:
        """The page: one self-contained file, which needs no other scripts, styles or network."""
        from assay.report.page import page

        return page(self)

    def save(self, path: str | Path) -> Path:
        """Write the page, completely or not at all."""
        target = Path(path)
        text = self.to_html()
        with writing(target) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
        return target


def _evidence(
    model: LabelModel, votes: Any, refined: Labels | None, labels: Labels | None, truth: GoldItems | None
) -> EvidenceFacts | None:
    if refined is None:
        return None
    before = model.label(votes, progress=False) if labels is None else labels
    if len(before) != len(refined):
        raise AssayError(f"expected refined labels of the {len(before):,} items, but got labels of {len(refined):,}")
    gold = None if truth is None or not isinstance(votes, Votes) else of_some(votes, truth.truth, truth.rows)
    return evidence_facts(refined, before, gold)


def versions() -> dict[str, str]:
    """The versions of what computed the figures."""
    return {"assay": assay.__version__, "python": platform.python_version(), "numpy": np.__version__}


def _gold_items(votes: Any, gold: Any, fitted: Fitted) -> GoldItems:
    """The items that have gold, among votes in memory or in pieces."""
    if isinstance(votes, Votes):
        return GoldItems.among(votes, gold)
    if isinstance(votes, Tally | Iterator):
        raise VoteError("gold labels need votes in memory or in files, but these are counted, or come from a generator")
    return gold_in_pieces(votes, gold, fitted.schema, engine_of("local"))


def _of_gold(labels: Labels, gold: GoldItems | None) -> Labels:
    """The labels of the items that have gold."""
    if gold is None or gold.total != len(labels):
        raise AssayError(
            f"expected the labels of the items that were voted on, {0 if gold is None else gold.total:,}, "
            f"but got labels of {len(labels):,}"
        )
    known = np.zeros(len(labels), dtype=bool)
    known[gold.rows] = True
    return labels.where(known)


def _contradicted(counted: Counted) -> float:
    from assay.votes import contradictions

    weights = counted.patterns.counts
    return float(weights[contradictions(counted.votes) > 0].sum() / max(weights.sum(), 1e-300))
