"""Making labels and training end models in several processes, each result in a file: done once, kept for later."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import assay
from assay._core.atomic_files import writing
from benchmarks.experiments.embeddings import embed, missing
from benchmarks.experiments.labelers import GOLD, REFINED, REFINED_WITH_GOLD, Labeled, label
from benchmarks.experiments.prepare import HOME, SPLITS, prepare
from benchmarks.experiments.problem import Problem, load
from benchmarks.experiments.refining import as_teacher
from benchmarks.experiments.trial import EMBEDDED, LSTM, Trial, train

FloatArray = npt.NDArray[np.float64]
RESULTS = HOME.parent / "results"
_PICTURES = ("report_pictures.py", "dependency_pictures.py")
_COMMANDS = (
    *("run.py", "jobs.py", "with_gold.py", "refined.py", "fresh_gold.py", "prepare.py", "fewer_sources.py"),
    *("paper_lstm.py", "hand_label_curve.py"),
)
_ONLY_TELL = (*_COMMANDS, "results.py", "summary.py", "tables.py", "charts.py", *_PICTURES)
"""Files that do not change what is learned."""
_REFINING = (REFINED, REFINED_WITH_GOLD)
_ANY = "labels"
"""In the name of labels that every encoder learns from."""


@dataclass(frozen=True, eq=False)
class Done:
    """What came of some trials."""

    problems: dict[str, Problem]
    trials: list[dict[str, Any]]
    alone: Mapping[tuple[str, str], Mapping[str, FloatArray]]
    """Per task and method (items, outcomes) what labels learned from all training items say about the other splits."""


def do(planned: Sequence[Trial], workers: int, fresh: bool = False) -> Done:
    """Do what an earlier run has not done yet."""
    tasks = list(dict.fromkeys(trial.task for trial in planned))
    embedded = any(trial.encoder == EMBEDDED for trial in planned)
    if embedded and missing():
        raise typer.BadParameter(f"sentence embeddings are missing: {missing()}, or name each other --encoder")
    for task in tasks:
        for split in SPLITS:
            prepare(task, split)
    folder = RESULTS / "scratch" / "experiments" / _fingerprint()
    if fresh and folder.is_dir():
        for path in folder.iterdir():
            path.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    if embedded:
        _in_processes("embeddings", _embed, tasks, [_embeddings_path(folder, task) for task in tasks], workers)
    to_label = sorted({_teacher(trial) for trial in planned if trial.method != GOLD}, key=lambda one: one.name)
    _in_processes("labels", _label, to_label, [folder / f"{teacher.name}.npz" for teacher in to_label], workers)
    # The quick ones first.
    ordered = sorted(planned, key=lambda trial: (trial.encoder == LSTM, trial.seed))
    paths = _in_processes("trials", _train, ordered, [folder / f"{trial.name}.json" for trial in ordered], workers)
    return Done(
        {task: load(task) for task in tasks},
        [json.loads(path.read_text()) for path in paths],
        {
            (teacher.task, teacher.method): _labeled(folder, teacher).others
            for teacher in to_label
            if teacher.share == 1.0 and teacher.encoder == _ANY
        },
    )


def _teacher(trial: Trial) -> Trial:
    """What labels a trial learns from, as a trial: those that are refined depend on the encoder."""
    encoder = trial.encoder if trial.method in _REFINING else _ANY
    # Trials on a part of the items each have a part of their own.
    return replace(trial, encoder=encoder, seed=trial.seed if trial.share < 1 else 0)


def _labeled(folder: Path, teacher: Trial) -> Labeled:
    """Labels that were made before."""
    with np.load(folder / f"{teacher.name}.npz") as file:
        return Labeled(file["rows"], file["train"], {split: file[split] for split in SPLITS[1:]})


def _embed(task: str, path: Path) -> None:
    found = {split: embed(texts) for split, texts in load(task).texts.items()}
    with writing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, **found)


def _label(teacher: Trial, path: Path) -> None:
    problem = load(teacher.task)
    if teacher.method in _REFINING:
        embeddings = _embeddings(path.parent, teacher)
        found = as_teacher(problem, teacher.encoder, embeddings, with_gold=teacher.method == REFINED_WITH_GOLD)
    else:
        found = label(problem, teacher.method, teacher.share, teacher.seed)
    with writing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, rows=found.rows, train=found.train, **found.others)


def _train(trial: Trial, path: Path) -> None:
    problem = load(trial.task)
    labels = None if trial.method == GOLD else _labeled(path.parent, _teacher(trial))
    embeddings = _embeddings(path.parent, trial)
    with writing(path) as unfinished:
        unfinished.write_text(json.dumps(train(problem, trial, labels, embeddings)))


def _embeddings(folder: Path, trial: Trial) -> dict[str, npt.NDArray[np.float32]] | None:
    """Those of a trial's texts, if its encoder reads them."""
    if trial.encoder != EMBEDDED:
        return None
    with np.load(_embeddings_path(folder, trial.task)) as file:
        return dict(file)


def _embeddings_path(folder: Path, task: str) -> Path:
    return folder / f"{task}_embeddings.npz"


def _in_processes(
    what: str, work: Callable[[Any, Path], None], jobs: Sequence[Any], paths: Sequence[Path], workers: int
) -> list[Path]:
    """Do the jobs whose file is not there yet; the files of all of them."""
    left = [(job, path) for job, path in zip(jobs, paths, strict=True) if not path.is_file()]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn()) as progress:
        bar = progress.add_task(what, total=len(jobs), completed=len(jobs) - len(left))
        if left:
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(workers, context, initializer=_one_thread) as pool:
                running = [pool.submit(work, *job) for job in left]
                try:
                    for one in as_completed(running):
                        one.result()
                        progress.advance(bar)
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
    return list(paths)


def _one_thread() -> None:
    """As many processes as cores, with a core each."""
    os.environ |= {"ASSAY_THREADS": "1", "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}


def _fingerprint() -> str:
    """Of all that decides what comes out."""
    digest = hashlib.sha256(assay.__version__.encode())
    for path in sorted(HOME.rglob("*")):
        if path.suffix in (".py", ".toml") and path.name not in _ONLY_TELL and "out" not in path.parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
