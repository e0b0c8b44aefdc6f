"""How much the constants of the robust model owe to the sets they were chosen on: leave one set out.

Every combination of constants near the default is scored on every set. For each set the combination that is best on
the others is taken, and scored on that set alone: what one would have got by choosing without it. Only constants are
chosen this way; the form of the model was found while looking at these sets, which no such figure tells.

    ASSAY_DATA=… python -m benchmarks.quality.tuning
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track

import assay
from assay.counts import Evidence, SourceGraph, Tally, layout_of
from assay.model.estimate import Knowledge
from assay.model.estimate.robust import RobustSettings, robust
from assay.model.scorer import Scorer
from benchmarks.quality.sets import KINDS, VoteSet, score, stored_sets
from benchmarks.support.problems import RESULTS, plain_table

FloatArray = npt.NDArray[np.float64]

GRID: dict[str, Sequence[float]] = {
    "share_strength": (50.0, 100.0, 200.0),
    "alike": (0.15, 0.3, 0.6),
    "many": (6.0, 8.0, 10.0),
    "learning_correlation": (0.0, 0.05, 0.1),
}
"""Half, once and twice the default or so; 81 combinations."""


class Problem:
    """One set of votes, ready to be learned from again and again."""

    def __init__(self, given: VoteSet) -> None:
        self.given = given
        self.votes = assay.Votes.from_matrix(given.votes.astype(int), cardinality=given.classes)
        tally = Tally.of(self.votes)
        self.evidence = Evidence.of(tally, layout_of(tally.schema, 0, SourceGraph(tally.names)))
        self.known = given.gold >= 0
        self.majority = self._score(np.asarray(assay.majority_vote(self.votes)))

    def scored(self, changes: dict[str, float]) -> float:
        """The score of the robust model with these constants."""
        settings = replace(RobustSettings(), **changes)
        _, scoring, _ = robust(self.evidence, Knowledge.none(self.evidence.layout), settings)
        return self._score(Scorer(scoring)(self.votes))

    def _score(self, labels: FloatArray) -> float:
        return 100 * score(labels[self.known], self.given.gold[self.known], self.given.metric)


def left_out(found: FloatArray, kinds: npt.NDArray[np.str_]) -> npt.NDArray[np.int64]:
    """(sets,): the combination that is best on all sets but this one, by the mean of the means of both kinds."""
    chosen = []
    for out in range(found.shape[1]):
        rest = np.arange(found.shape[1]) != out
        means = [found[:, rest & (kinds == kind)].mean(axis=1) for kind in KINDS]
        chosen.append(int(np.argmax(np.mean(means, axis=0))))
    return np.array(chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS)
    out = parser.parse_args().out
    problems = [Problem(given) for given in stored_sets()]
    kinds = np.array([problem.given.kind for problem in problems])
    combinations = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
    found = np.array(
        [[problem.scored(one) for problem in problems] for one in track(combinations, "combinations", transient=True)]
    )
    majority = np.array([problem.majority for problem in problems])
    default = np.array([problem.scored({}) for problem in problems])
    chosen = left_out(found, kinds)
    without = found[chosen, np.arange(len(problems))]

    def row(name: str, scores: FloatArray) -> dict[str, Any]:
        behind = scores - majority
        return {
            "what": name,
            **{kind: float(scores[kinds == kind].mean()) for kind in KINDS},
            "sets more than 0.5 below majority vote": int((behind < -0.5).sum()),
            "worst against majority vote": float(behind.min()),
        }

    means = np.array([found[:, kinds == kind].mean(axis=1) for kind in KINDS])
    rows = [row("majority vote", majority), row("default", default), row("leave one set out", without)]
    spread = {kind: [float(m.min()), float(np.median(m)), float(m.max())] for kind, m in zip(KINDS, means, strict=True)}
    table = plain_table(
        f"the robust model with constants near the default ({len(combinations)} combinations)",
        ["", *KINDS, "> 0.5 below", "worst"],
        [[str(next(iter(r.values()))), *(f"{value:.2f}" for value in list(r.values())[1:])] for r in rows],
    )
    Console().print(table)
    for kind, (least, middle, most) in spread.items():
        Console().print(f"{kind}: {least:.2f} to {most:.2f} over all combinations, median {middle:.2f}")
    result = {
        "rows": rows,
        "all combinations": {"least, median, most": spread, "grid": GRID},
        "sets": {
            p.given.name: {"majority": m, "default": d, "left out": w, "chosen without it": combinations[c]}
            for p, m, d, w, c in zip(problems, majority, default, without, chosen, strict=True)
        },
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "quality_tuning.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
