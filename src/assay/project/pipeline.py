"""The way from a project folder to labels, one step after the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay._core.warned import warn
from assay.engine import Engine, Local, connected
from assay.errors import ProjectError
from assay.project.advice_in_toml import check_in_toml, in_toml
from assay.project.gold_files import check_gold, gold_votes
from assay.project.project import Project
from assay.project.prompt_notes import PromptNotes
from assay.project.provenance import (
    MODEL,
    REFINED,
    VOTES,
    data_record,
    plain,
    record,
    records,
    sources_record,
)
from assay.project.runs import RunRecord, keep_run
from assay.project.settings import changed
from assay.project.stored import LABELS_FILE, MODEL_FILE, current_votes, hand_labels_of, votes_path

if TYPE_CHECKING:
    from assay.checks import CheckReport
    from assay.evaluation import Evaluation, TrainingComparison
    from assay.gold import HandLabels
    from assay.labels import Labels
    from assay.llm import PromptSettings
    from assay.model import LabelModel
    from assay.model.dependencies import LearnedDependencies
    from assay.report import AskingPlan, EvidenceFacts, Report
    from assay.sources import Hint, KeptVotes, PromptCosts, Reuse
    from assay.votes import Votes

KEPT_FOLDER = "kept_votes"
REPORT_FILE = "report.html"


def apply_sources(
    project: Project,
    *,
    progress: bool = True,
    budget: float | None = None,
    ask: Iterable[int] | None = None,
    kept: KeptVotes | None = None,
    engine: Engine | None = None,
    **changes: Any,
) -> Votes:
    """Apply a project's sources to its data and keep the votes; ``budget`` and ``changes`` override its settings.

    ``ask`` says which rows prompts are asked about, by number; by default those that the project says. ``kept`` are
    the votes of earlier times, by default those that :func:`kept_votes` names; afterwards it tells what was used.
    ``engine`` is where to work, if that is connected already; by default it is what the project's settings name.
    """
    from assay.sources import apply, crowd_notes

    store = kept_votes(project) if kept is None else kept
    if ask is None and project.ask_where == "unsure":
        from assay.project.unsure import unsure_items

        ask = unsure_items(project, project.ask_share, hand_labels=hand_labels_of(project), progress=progress).rows
    settings = changed(project.settings, changes)
    sources, prompts = project.sources(), _prompts(project, budget)
    rows = None if ask is None else sorted(map(int, ask))
    for note in crowd_notes(sources, project.data):
        warn(UserWarning(note))
    data = data_record(project)
    with nullcontext(engine) if engine is not None else connected(project.engine) as place:
        votes = apply(
            sources,
            project.data,
            project.tasks,
            id=project.id,
            on_error=settings.on_error,
            workers=settings.workers if isinstance(place, Local) else 1,
            engine=place,
            batch_size=settings.batch_size,
            progress=progress,
            prompts=prompts,
            ask=rows,
            keep=store,
        )
    if not len(votes):
        raise ProjectError(f"{project.data} has no rows, so there is nothing to vote on")
    PromptNotes.of(sources, prompts, rows).keep(project.output)
    path = votes.to_parquet(votes_path(project))
    used = {"on_error": settings.on_error}
    made_from = {"data": data, "sources": sources_record(sources, project), "settings": used}
    record(project.output, votes=(path, made_from))
    return votes


def kept_votes(project: Project, *, fresh: bool = False) -> KeptVotes | None:
    """Where a project keeps what its sources said; None if its settings say that nothing is kept.

    ``fresh`` applies all sources again, whatever is there.
    """
    from assay.sources import KeptVotes

    most = project.settings.cache_megabytes * 10**6
    return KeptVotes(project.output / KEPT_FOLDER, most_bytes=most, fresh=fresh) if project.settings.cache else None


def costs_of(project: Project, *, budget: float | None = None, ask: Iterable[int] | None = None) -> PromptCosts:
    """What a project's prompts would cost, without asking."""
    from assay.sources import prompt_costs

    settings = _prompts(project, budget)
    size = project.settings.batch_size
    return prompt_costs(project.sources(), project.data, prompts=settings, ask=ask, batch_size=size)


def _prompts(project: Project, budget: float | None) -> PromptSettings:
    return project.prompts if budget is None else replace(project.prompts, budget=budget)


def votes_on(project: Project, data: Path, *, progress: bool = True) -> Votes:
    """The votes of a project's sources on other rows than its own."""
    from assay.sources import apply

    settings = project.settings
    votes = apply(
        project.sources(),
        data,
        project.tasks,
        id=project.id,
        on_error=settings.on_error,
        workers=settings.workers,
        batch_size=settings.batch_size,
        progress=progress,
        prompts=project.prompts,
    )
    if not len(votes):
        raise ProjectError(f"{data} has no rows, so there is nothing to label")
    return votes


def check_votes(project: Project, votes: Votes | None = None, *, progress: bool = True) -> CheckReport:
    """What a run would find, and warn of, in a project's votes: with its settings and hand labels."""
    given = current_votes(project, progress=progress) if votes is None else votes
    model = label_model(project)
    found = model.check(given, hand_labels_of(project), progress=progress)
    dependencies = model.dependencies
    if dependencies == "auto":
        from assay.counts import Tally
        from assay.model.dependencies import strong_dependencies

        dependencies = strong_dependencies(Tally.of(given)).pairs
    return about_prompts(project, found, given.names, () if isinstance(dependencies, str) else dependencies)


def about_prompts(
    project: Project, report: CheckReport, names: Sequence[str], dependencies: Iterable[Any]
) -> CheckReport:
    """What a check found, and whether prompts to one language model are taken for independent.

    They are not if dependencies are learned, or if prompts are a layer: there they count as correlated.
    """
    notes = PromptNotes.stored(project.output)
    if project.model.dependencies == "learn" or notes.asked is not None:
        return report
    from assay.checks import with_models

    return with_models(report, notes.models, names, dependencies)


def learned_dependencies(project: Project, votes: Votes | None = None, *, progress: bool = True) -> LearnedDependencies:
    """The dependencies between a project's sources that their votes show."""
    from assay.model.dependencies import learn_dependencies

    given = current_votes(project, progress=progress) if votes is None else votes
    return learn_dependencies(given, seed=project.model.seed, progress=progress)


def hints_of(project: Project, votes: Votes) -> list[Hint]:
    """Which of a project's sources look at the same things, or seem to copy."""
    from assay.sources import dependency_hints

    labels = [label for task in project.tasks for label in task.labels]
    return dependency_hints(project.sources(), votes=votes, ignore=labels)


@dataclass(frozen=True)
class Run:
    """What the whole way from rows to labels gave."""

    project: Project
    votes: Votes
    model: LabelModel
    labels: Labels
    evaluations: Mapping[str, Evaluation]
    """Majority votes and the label model against gold, if the project has any."""
    hand_labels: HandLabels | None = None
    """What the label model has learned from besides votes, if there is any."""
    refined: Labels | None = None
    """Labels from votes and data together, if they were asked for."""
    reuse: tuple[Reuse, ...] = ()
    """How much of the votes was kept from before, source by source."""
    kept: RunRecord | None = None
    """What is kept of the run; None if no runs are kept."""

    @property
    def check(self) -> CheckReport:
        """What the model's check found, and what is to be said of prompts."""
        return check_of(self.project, self.model)

    def to_dict(self) -> dict[str, Any]:
        """What it gave, for JSON."""
        learned = self.model.learned_
        return {
            "items": len(self.votes),
            "hand_labels": 0 if self.hand_labels is None else len(self.hand_labels),
            "output": str(self.project.output),
            "faults": [vars(fault) for fault in self.votes.faults],
            "check": check_in_toml(self.check),
            "converged": self.model.converged_,
            "notes": [in_toml(note) for note in self.model.notes_],
            "learned_dependencies": None if learned is None else learned.to_dict()["edges"],
            "advice": [in_toml(sentence) for sentence in self.model.advice_],
            "sources": json.loads(self.model.sources_.to_json(orient="records")),
            "accuracy": {method: found.accuracy for method, found in self.evaluations.items()},
            "refined": None if self.evidence is None else asdict(self.evidence),
            "reuse": [vars(one) for one in self.reuse],
            "run": None if self.kept is None else self.kept.to_dict(),
        }

    @property
    def evidence(self) -> EvidenceFacts | None:
        """What refined labels rest on, if there are some."""
        from assay.report import evidence_facts

        return evidence_facts(self.refined, self.labels, gold_votes(self.project, self.votes))

    def report(self, path: str | Path, *, texts: bool = True, items: int | None = None) -> Path:
        """Write what the run gave as one HTML page; see :class:`assay.Report`."""
        return report_of(
            self.project,
            self.model,
            self.votes,
            labels=self.labels,
            refined=self.refined,
            texts=texts,
            items=items,
            evaluations=self.evaluations or None,
        ).save(path)


def check_of(project: Project, model: LabelModel) -> CheckReport:
    """What a fitted model's check found, and what is to be said of the project's prompts."""
    learned = model.learned_
    pairs = list(model.dependencies) if learned is None else learned.pairs
    return about_prompts(project, model.check_, model.fitted_.names, pairs)


def label_model(project: Project) -> LabelModel:
    """The label model with a project's settings; prompts that were asked about some items only are a layer."""
    from assay.model import LabelModel

    notes = PromptNotes.stored(project.output)
    later = tuple(notes.models) if notes.asked is not None and not project.tasks.multiple else ()
    said = vars(project.model)
    return LabelModel(**{**said, "asked_later": tuple(dict.fromkeys([*said["asked_later"], *later]))})


def run(project: Project, *, hand_labels: bool = True, refine: bool | None = None, progress: bool = True) -> Run:
    """Apply the sources, learn the label model, label every item, and keep all of it in the output folder.

    ``hand_labels`` says whether the label model also learns from those, if the project has any; ``refine`` whether
    labels are then refined by what the data says, by default as the project has it.
    """
    from assay.project.refined_labels import check_can_refine, forget_refined, refine_labels
    from assay.report import evaluate_methods

    wanted = project.refine.enabled if refine is None else refine
    if wanted:
        check_can_refine()
    check_gold(project)
    known = hand_labels_of(project) if hand_labels else None
    store = kept_votes(project)
    with connected(project.engine) as engine:
        votes = apply_sources(project, progress=progress, kept=store, engine=engine)
        model = label_model(project).fit(votes, known, engine=engine, progress=progress)
        labels = model.label(votes, engine=engine, progress=progress)
    keep_results(project, model, labels, known)
    forget_refined(project)
    refined = refine_labels(project, votes, labels, label_model(project), progress=progress) if wanted else None
    gold = gold_votes(project, votes)
    methods = {"label model": labels} | ({} if refined is None else {REFINED: refined})
    evaluations = {} if gold is None else evaluate_methods(votes, methods, gold)
    kept = None
    if project.settings.keep_runs:
        scores = {method: found.accuracy for method, found in evaluations.items()}
        kept = keep_run(project, votes, labels, hand_labels=0 if known is None else len(known), scores=scores)
    reuse = () if store is None else store.reuse
    return Run(project, votes, model, labels, evaluations, known, refined, reuse, kept)


def keep_results(project: Project, model: LabelModel, labels: Labels, known: HandLabels | None) -> None:
    """Write a label model and its labels, and what they were made from: the votes that are in the output folder."""
    votes = records(project.output)[VOTES]
    hand = None if known is None else hashlib.sha256(repr(known.said).encode()).hexdigest()
    shared = {"votes": votes["file"], "sources": votes["sources"], "settings": plain(project.model)}
    path = model.save(project.output / MODEL_FILE)
    after = record(project.output, model=(path, {**shared, "hand labels": hand}))
    path = labels.to_parquet(project.output / LABELS_FILE)
    record(project.output, labels=(path, {**shared, "model": after[MODEL]["file"]}))


def report_of(
    project: Project,
    model: LabelModel,
    votes: Votes,
    *,
    labels: Labels | None = None,
    refined: Labels | None = None,
    texts: bool = True,
    items: int | None = None,
    evaluations: Mapping[str, Evaluation] | None = None,
    trainings: TrainingComparison | None = None,
    asking: AskingPlan | None = None,
) -> Report:
    """Look at what a label model made of a project's votes, with its gold and its data."""
    from assay.report import ITEMS, Report

    return Report.of(
        model,
        votes,
        gold=gold_votes(project, votes),
        data=project.data,
        labels=labels,
        refined=refined,
        texts=texts,
        items=ITEMS if items is None else items,
        evaluations=evaluations,
        trainings=trainings,
        asking=asking,
        check=check_of(project, model),
        title=project.title,
    )
