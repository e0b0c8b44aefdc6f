"""Labels of which any subset may apply: the label model beside a majority vote, and snorkel, label by label.

    python -m benchmarks.quality.many_labels --peers

60 labels, from 0.5% to 40% of 20,000 items; 40 sources that each name 6 to 18 of them: positive-only, two-sided, or
half of each; with errors that are independent, or of which half fall on the same items (support/many_labels.py). Micro
and macro F1 in %, means over draws, of the labels that are more probable than not; and of those that are best for F1.
Snorkel, with --peers, is fitted to each label by itself with its defaults: 1 where a source names it, 0 where one says
that it does not apply, −1 for none; and once more with silence of positive-only sources as 0.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track

import assay
from assay.labels import subsets
from benchmarks.quality.worker import ONE_THREAD
from benchmarks.support import peer_environment
from benchmarks.support.many_labels import POSITIVE, TASK, TWO_SIDED, ManyLabels, draw, f1_scores
from benchmarks.support.problems import RESULTS, Target, plain_table, save, target_table
from benchmarks.support.processes import NotRunError, answer

BoolArray = npt.NDArray[np.bool_]

VOTE, ANY, ASSAY, BEST = "majority vote", "any vote for it", "Assay", "Assay, for F1"
SNORKEL, SNORKEL_NO = "snorkel", "snorkel, silence is no"
KINDS = {"positive-only": (POSITIVE,), "two-sided": (TWO_SIDED,), "half of each": (POSITIVE, TWO_SIDED)}
SHARED = {"independent errors": 0.0, "half of the errors shared": 0.5}


def by_vote(problem: ManyLabels) -> dict[str, BoolArray]:
    labels = assay.MajorityVote().fit(votes := problem.votes()).label(votes)
    yes, no = (np.zeros(problem.truth.shape) for _ in range(2))
    for source in problem.sources:
        yes[:, source.labels] += source.yes
        no[:, source.labels] += source.no
    return {VOTE: subsets(labels.joint, labels.tasks, TASK), ANY: yes > no}


def by_assay(problem: ManyLabels) -> dict[str, BoolArray]:
    votes = problem.votes()
    labels = assay.LabelModel().fit(votes, progress=False).label(votes, progress=False)
    names = list(labels.tasks.multiple[TASK])
    best = np.zeros(problem.truth.shape, dtype=bool)
    for row, given in enumerate(labels.decide(TASK, metric="f1")):
        best[row, [names.index(name) for name in given]] = True
    return {ASSAY: subsets(labels.joint, labels.tasks, TASK), BEST: best}


def by_snorkel(problem: ManyLabels, python: Path, limit: float) -> dict[str, BoolArray]:
    with tempfile.TemporaryDirectory(prefix="assay-many-labels-") as folder:
        asked, answered = Path(folder, "votes.npz"), Path(folder, "labels.npy")
        found = {}
        for name, silence in ((SNORKEL, False), (SNORKEL_NO, True)):
            matrices = {}
            for label in range(len(problem.shares)):
                matrix = problem.matrix(label)
                if silence:
                    one_sided = ~(matrix == 0).any(axis=0)
                    matrix[:, one_sided] = np.maximum(matrix[:, one_sided], 0)
                matrices[str(label)] = matrix.astype(np.int8)
            np.savez(asked, **matrices)
            answer(
                "benchmarks.quality.snorkel_labels",
                [asked, answered],
                limit=limit,
                python=python,
                environment=ONE_THREAD,
            )
            found[name] = np.load(answered) > 0.5
    return found


def scored(problem: ManyLabels, methods: Sequence[Callable[[ManyLabels], dict[str, BoolArray]]]) -> dict[str, Any]:
    """Micro and macro F1 of each method, in %, or why there is none."""
    found: dict[str, Any] = {}
    for method in methods:
        try:
            for name, given in method(problem).items():
                found[name] = [100 * score for score in f1_scores(given, problem.truth)]
        except NotRunError as error:
            found[SNORKEL] = str(error)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="run snorkel too, installed from PyPI")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--limit", type=float, default=900.0, help="most seconds of snorkel on a problem (%(default)s)")
    parser.add_argument("--scratch", type=Path, default=peer_environment.SCRATCH)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    methods: list[Callable[[ManyLabels], dict[str, BoolArray]]] = [by_vote, by_assay]
    if given.peers:
        python = peer_environment.python_of(given.scratch)
        methods.append(lambda problem: by_snorkel(problem, python, given.limit))
    rows: list[dict[str, Any]] = []
    settings = [(kind, errors) for errors in SHARED for kind in KINDS]
    for kind, errors in track(settings, "problems", transient=True):
        # Seeds that nothing was chosen on.
        draws = [
            scored(draw(seed, items=given.items, kinds=KINDS[kind], shared=SHARED[errors]), methods)
            for seed in range(1_000, 1_000 + given.draws)
        ]
        row: dict[str, Any] = {"sources": kind, "errors": errors, "draws": given.draws}
        for name in draws[0]:
            failed = [one[name] for one in draws if isinstance(one[name], str)]
            row[name] = failed[0] if failed else np.mean([one[name] for one in draws], axis=0).tolist()
        print(row, file=sys.stderr)
        rows.append(row)
    names = [name for name in rows[0] if name not in ("sources", "errors", "draws")]
    cells = [
        [f"{row['sources']}, {row['errors']}"]
        + [row[name] if isinstance(row[name], str) else " / ".join(f"{one:.1f}" for one in row[name]) for name in names]
        for row in rows
    ]
    targets = [
        Target(
            f"{row['sources']}, {row['errors']}: {what} F1, Assay − majority vote", row[ASSAY][at] - row[VOTE][at], 0
        )
        for row in rows
        for at, what in enumerate(("micro", "macro"))
    ]
    console = Console(width=180)
    console.print(plain_table("micro / macro F1 in %", ["sources and errors", *names], cells))
    console.print(target_table(targets))
    save(given.out / "quality_many_labels.json", {"items": given.items, "rows": rows}, targets)


if __name__ == "__main__":
    main()
