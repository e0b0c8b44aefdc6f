"""The way from a project folder to labels, one step after the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from assay._core.rows import batches, row_count
from assay._core.urls import Url
from assay.checks import CheckReport, with_models
from assay.counts import Tally
from assay.engine import Engine, Local, connected
from assay.errors import AssayError, ProjectError
from assay.evaluation import Evaluation, TrainingComparison, as_gold
from assay.gold import HandLabels
from assay.labels import Labels
from assay.llm import PromptSettings
from assay.model import LabelModel
from assay.model.dependencies import LearnedDependencies, learn_dependencies, strong_dependencies
from assay.project.advice_in_toml import check_in_toml, in_toml
from assay.project.project import Project
from assay.project.prompt_notes import PromptNotes
from assay.project.provenance import (
    FILES,
    LABELS,
    MODEL,
    VOTES,
    check_data,
    check_made_from,
    data_record,
    plain,
    record,
    records,
    sources_record,
)
from assay.project.refined_labels import forget_refined, refine_labels
from assay.project.runs import RunRecord, keep_run
from assay.project.settings import changed
from assay.project.unsure import unsure_items
from assay.report import ITEMS, AskingPlan, EvidenceFacts, Report, evaluate_methods, evidence_facts
from assay.sources import Hint, KeptVotes, PromptCosts, Reuse, apply, dependency_hints, names_in, prompt_costs
from assay.tasks import TaskGraph
from assay.votes import Votes, by_name, of_some

REFINED = "refined labels"
"""The method, among others."""
KEPT_FOLDER = "kept_votes"
VOTES_FILE, LABELS_FILE, MODEL_FILE, REPORT_FILE = FILES[VOTES], FILES[LABELS], FILES[MODEL], "report.html"


def votes_path(project: Project) -> Path:
    """Where a project's votes are kept."""
    return project.output / VOTES_FILE


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
    store = kept_votes(project) if kept is None else kept
    if ask is None and project.ask_where == "unsure":
        ask = unsure_items(project, project.ask_share, hand_labels=hand_labels_of(project), progress=progress).rows
    settings = changed(project.settings, changes)
    sources, prompts = project.sources(), _prompts(project, budget)
    rows = None if ask is None else sorted(map(int, ask))
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
    most = project.settings.cache_megabytes * 10**6
    return KeptVotes(project.output / KEPT_FOLDER, most_bytes=most, fresh=fresh) if project.settings.cache else None


def costs_of(project: Project, *, budget: float | None = None, ask: Iterable[int] | None = None) -> PromptCosts:
    """What a project's prompts would cost, without asking."""
    settings = _prompts(project, budget)
    size = project.settings.batch_size
    return prompt_costs(project.sources(), project.data, prompts=settings, ask=ask, batch_size=size)


def _prompts(project: Project, budget: float | None) -> PromptSettings:
    return project.prompts if budget is None else replace(project.prompts, budget=budget)


class _OfTasks(Protocol):
    """Something that was made for certain tasks."""

    @property
    def tasks(self) -> TaskGraph: ...


Made = TypeVar("Made", bound=_OfTasks)


def stored(project: Project, path: Path, read: Callable[[Path], Made], what: str, command: str) -> Made:
    """What a command kept in the output folder, if it is there and was made for the project's tasks."""
    if not path.is_file():
        raise ProjectError(f"{project.folder} has no {what} yet; run '{command} {project.folder}' first")
    made = read(path)
    if made.tasks != project.tasks:
        raise ProjectError(
            f"{path} was made for other tasks than assay.toml has now; run '{command} {project.folder}' again"
        )
    return made


def stored_label_model(project: Project, votes: Votes | None = None) -> LabelModel:
    """The label model of a project's last run, which must have learned from the votes that there are now."""
    path = project.output / MODEL_FILE
    if not path.is_file():
        raise ProjectError(f"{project.folder} has no label model yet; run 'assay run {project.folder}' first")
    check_made_from(project, MODEL, path)
    model = LabelModel.load(path)
    if model.tasks_ != project.tasks:
        raise ProjectError(f"{path} was made for other tasks than assay.toml has now; run 'assay run {project.folder}'")
    if votes is not None and model.fitted_.names != votes.names:
        raise ProjectError(
            f"{path} has learned from other sources than there are votes of now; run 'assay run {project.folder}' again"
        )
    return model


def stored_labels(project: Project) -> Labels:
    """The labels of a project's last run, which must be those of the votes that there are now."""
    path = project.output / LABELS_FILE
    if path.is_file():
        check_made_from(project, LABELS, path)
    return stored(project, path, Labels.from_parquet, "labels", "assay run")


def stored_votes(project: Project) -> Votes:
    """The votes that :func:`apply_sources` kept."""
    votes = stored(project, votes_path(project), Votes.from_parquet, "votes", "assay apply")
    if (votes.items is None) != (project.id is None):
        raise ProjectError(
            f"{votes_path(project)} was made {'without' if votes.items is None else 'with'} names of items, but "
            f"assay.toml has {'no' if project.id is None else 'an'} id in [data] now; "
            f"run 'assay apply {project.folder}' again"
        )
    check_data(project, votes_path(project))
    return votes


def votes_on(project: Project, data: Path, *, progress: bool = True) -> Votes:
    """The votes of a project's sources on other rows than its own."""
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


def current_votes(project: Project, *, progress: bool = True) -> Votes:
    """The votes that a project has, made now if there are none yet."""
    return stored_votes(project) if votes_path(project).is_file() else apply_sources(project, progress=progress)


def check_votes(project: Project, votes: Votes | None = None, *, progress: bool = True) -> CheckReport:
    """What a run would find, and warn of, in a project's votes: with its settings and hand labels."""
    given = current_votes(project, progress=progress) if votes is None else votes
    model = label_model(project)
    found = model.check(given, hand_labels_of(project), progress=progress)
    dependencies = model.dependencies
    if dependencies == "auto":
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
    return with_models(report, notes.models, names, dependencies)


def learned_dependencies(project: Project, votes: Votes | None = None, *, progress: bool = True) -> LearnedDependencies:
    """The dependencies between a project's sources that their votes show."""
    given = current_votes(project, progress=progress) if votes is None else votes
    return learn_dependencies(given, seed=project.model.seed, progress=progress)


def hints_of(project: Project, votes: Votes) -> list[Hint]:
    """Which of a project's sources look at the same things, or seem to copy."""
    labels = [label for task in project.tasks for label in task.labels]
    return dependency_hints(project.sources(), votes=votes, ignore=labels)


def hand_labels_of(project: Project) -> HandLabels | None:
    """What people said about a project's items by hand, or None if nobody has given an answer yet."""
    hand = all_said(project)
    return hand if len(hand) else None


def all_said(project: Project, also: Sequence[Path] = ()) -> HandLabels:
    """What people said about a project's items by hand, answers or not; ``also`` are further files."""
    for path in project.hand_labels[1:]:
        if not path.is_file():
            raise ProjectError(f"[hand_labels] path names {path.name!r}, but there is no such file in {path.parent}")
    files = dict.fromkeys(path.resolve() for path in (*project.hand_labels, *also) if path.is_file())
    return HandLabels.read(files)


def gold_votes(project: Project, votes: Votes) -> Votes | None:
    """A project's gold labels for the items of ``votes``, or None if it has none.

    They are matched by the names of items if the gold has them too, and else by their order. Items that prompts show as
    examples have none: scores on them would be too good.
    """
    if project.gold is None:
        return None
    gold = gold_from(project, project.gold, votes)
    shown = PromptNotes.stored(project.output).example_rows(votes)
    rest = np.setdiff1d(np.arange(len(votes)), shown)
    return of_some(votes, gold.take(rest), rest) if len(shown) else gold


def gold_from(project: Project, path: Path, votes: Votes) -> Votes:
    """The gold labels in a file for the items of ``votes``, by their names or their order."""
    columns = project.gold_in(path)
    names = None if project.id is None else names_in(path, project.id)
    return votes.gold(columns) if names is None else by_name(votes, _gold_alone(project, columns), names)


def _gold_alone(project: Project, columns: Mapping[str, Any]) -> Votes:
    return as_gold(project.tasks, columns, len(next(iter(columns.values()))))


def check_gold(project: Project) -> None:
    """Raise if a project's gold cannot be right for its data, before any work is done.

    Raises
    ------
    ProjectError
        If a column is misspelt, a label unknown, or there are more or fewer rows than in the data; names file and
        column.
    """
    given = [
        *([] if project.gold is None else [(project.data, project.gold)]),
        *filter(None, (project.dev, project.test)),
    ]
    for data, gold in given:
        _check_gold_file(project, data, gold)


def _check_gold_file(project: Project, data: Path | Url, gold: Path) -> None:
    """The same for one file of gold, and the data that it is about."""
    columns = project.gold_in(gold)
    for name, labels in columns.items():
        try:
            as_gold(project.tasks, {name: labels}, len(labels))
        except AssayError as error:
            raise ProjectError(f"{gold}, column {name!r}: {error}") from error
    if project.id is not None and names_in(gold, project.id) is not None:
        return
    known = row_count(data)
    rows = sum(len(batch) for batch in batches(data)) if known is None else known
    found = len(next(iter(columns.values())))
    if rows != found:
        raise ProjectError(
            f"{gold} has {found:,} rows, but {data} has {rows:,}; gold needs a row for each item, with nothing where "
            "the label is unknown, or the id of [data] as a column"
        )


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
        return evidence_facts(self.refined, self.labels, gold_votes(self.project, self.votes))

    def report(self, path: str | Path, *, texts: bool = True, items: int = ITEMS) -> Path:
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
    notes = PromptNotes.stored(project.output)
    later = tuple(notes.models) if notes.asked is not None and not project.tasks.multiple else ()
    said = vars(project.model)
    return LabelModel(**{**said, "asked_later": tuple(dict.fromkeys([*said["asked_later"], *later]))})


def run(project: Project, *, hand_labels: bool = True, refine: bool | None = None, progress: bool = True) -> Run:
    """Apply the sources, learn the label model, label every item, and keep all of it in the output folder.

    ``hand_labels`` says whether the label model also learns from those, if the project has any; ``refine`` whether
    labels are then refined by what the data says, by default as the project has it.
    """
    check_gold(project)
    known = hand_labels_of(project) if hand_labels else None
    store = kept_votes(project)
    with connected(project.engine) as engine:
        votes = apply_sources(project, progress=progress, kept=store, engine=engine)
        model = label_model(project).fit(votes, known, engine=engine, progress=progress)
        labels = model.label(votes, engine=engine, progress=progress)
    keep_results(project, model, labels, known)
    forget_refined(project)
    wanted = project.refine.enabled if refine is None else refine
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
    items: int = ITEMS,
    evaluations: Mapping[str, Evaluation] | None = None,
    trainings: TrainingComparison | None = None,
    asking: AskingPlan | None = None,
) -> Report:
    """Look at what a label model made of a project's votes, with its gold and its data."""
    return Report.of(
        model,
        votes,
        gold=gold_votes(project, votes),
        data=project.data,
        labels=labels,
        refined=refined,
        texts=texts,
        items=items,
        evaluations=evaluations,
        trainings=trainings,
        asking=asking,
        check=check_of(project, model),
        title=project.title,
    )
