"""Probabilities as votes: classifiers of known, uncalibrated confidence beside rules, against what is possible.

    python -m benchmarks.quality.soft_votes

Three classifiers that say a label and how sure they are of it, and five rules, on 10,000 items. Confidence is
distorted: one classifier is overconfident, one underconfident, and one is calibrated; or all are overconfident. *Bayes*
labels with the true densities of what every source says. *soft* is the default on soft votes, *hard* on the same votes
without their confidence, *average* the mean of all probabilities, and *vote* a majority vote. Classifiers of the kind
*vector* say more than a label and a probability: how probable each other label is, which soft votes leave out; they are
shown, and are no target. Where Bayes itself is hardly two points better than another method, soft votes must be as much
better, up to what they may be behind Bayes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import assay
from assay.gold import accuracy
from benchmarks.quality.methods import labeled
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, save, target_table

Codes = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

ITEMS, SEEDS, FIRST_SEED = 10_000, range(6), 700
METHODS = ("bayes", "soft", "hard", "average", "vote")
NEAR, BETTER = 0.5, 2.0
"""Points that soft votes may be behind Bayes, and must be ahead of what does not weigh confidence."""
MIXED, OVER = (3.0, 0.4, 1.0), (3.0, 4.0, 2.0)
"""What the log-odds of each classifier's confidence are multiplied by."""


@dataclass(frozen=True)
class Row:
    """Votes of one kind, to be drawn several times."""

    kind: str
    classes: int
    distortion: tuple[float, ...] = MIXED

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return f"{self.kind}, {'all overconfident' if self.distortion == OVER else 'over- and underconfident'}"


ROWS = (
    Row("margin", 2),
    Row("margin", 2, OVER),
    Row("label", 2),
    Row("label", 2, OVER),
    Row("label", 4),
    Row("label", 4, OVER),
    Row("vector", 4),
)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What classifiers and rules say, the truth, and what follows from the true densities."""

    probabilities: list[FloatArray]
    """Per classifier (items, classes)."""
    rules: list[Codes]
    """Per rule (items,), −1 where it abstains."""
    gold: Codes
    bayes: FloatArray
    """(items, classes)."""

    def votes(self, *, soft: bool) -> assay.Votes:
        """As votes; or as hard ones."""
        classes = self.bayes.shape[1]
        tasks = assay.TaskGraph.flat("label", [str(number) for number in range(classes)])
        said = self.probabilities if soft else [_certain(table.argmax(axis=1), classes) for table in self.probabilities]
        sources = {f"classifier {j}": table for j, table in enumerate(said)}
        sources |= {f"rule {j}": _certain(rule, classes) for j, rule in enumerate(self.rules)}
        return assay.Votes.from_probabilities(tasks, sources)

    @property
    def average(self) -> FloatArray:
        """The mean of all probabilities; a rule is certain, and says nothing where it abstains."""
        classes = self.bayes.shape[1]
        return sum(self.probabilities) + sum(np.nan_to_num(_certain(rule, classes)) for rule in self.rules)


def _certain(labels: Codes, classes: int) -> FloatArray:
    return np.where(labels[:, None] >= 0, np.eye(classes)[labels], np.nan)


def draw(row: Row, seed: int, items: int = ITEMS) -> Drawn:
    """Classifiers and rules of a row; the same for the same seed."""
    rng = np.random.default_rng([FIRST_SEED + seed, row.classes])
    balance = rng.dirichlet(np.full(row.classes, 20.0))
    y = rng.choice(row.classes, size=items, p=balance)
    log_joint = np.log(balance)[None].repeat(items, axis=0)
    probabilities, rules = [], []
    for number, distortion in enumerate(row.distortion):
        said, log_density = _by_label(y, row, number, distortion, rng)
        if row.kind != "label":
            said, log_density = _by_vector(y, row, number, distortion, rng)
        probabilities.append(said)
        log_joint += log_density
    for number in range(5):
        votes, log_density = _rule(y, row.classes, None if number < 2 else number % row.classes, rng)
        rules.append(votes)
        log_joint += log_density
    return Drawn(probabilities, rules, y, log_joint)


def _by_vector(
    y: Codes, row: Row, number: int, distortion: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Scores of classes are normal, with a larger mean for the true one; two classes have but a margin between them."""
    strength = (1.2, 1.5, 1.0)[number] * (1.0 if row.classes == 2 else 1.3)
    scores = rng.normal(size=(len(y), row.classes))
    scores[np.arange(len(y)), y] += strength
    raised = np.exp(distortion * strength * (scores - scores.max(axis=1, keepdims=True)))
    return raised / raised.sum(axis=1, keepdims=True), strength * scores


def _by_label(
    y: Codes, row: Row, number: int, distortion: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """A label that is right with a probability of its own for each item; of the others none is more probable."""
    classes, items = row.classes, np.arange(len(y))
    a, b = ((0.8, 1.2), (0.64, 1.0), (0.48, 0.8))[number]
    sure = np.clip(1 / classes + (1 - 1 / classes) * rng.beta(a, b, size=len(y)), 1e-9, 1 - 1e-9)
    label = np.where(rng.random(len(y)) < sure, y, (y + rng.integers(1, classes, size=len(y))) % classes)
    chance = -np.log(classes - 1)
    odds = chance + distortion * (np.log(sure / (1 - sure)) - chance)
    told = np.clip(1 / (1 + np.exp(-odds)), 1 / classes, 1 - 1e-12)
    probabilities = ((1 - told) / (classes - 1))[:, None].repeat(classes, axis=1)
    probabilities[items, label] = told
    log_density = np.log((1 - sure) / (classes - 1))[:, None].repeat(classes, axis=1)
    log_density[items, label] = np.log(sure)
    return probabilities, log_density


def _rule(y: Codes, classes: int, label: int | None, rng: np.random.Generator) -> tuple[Codes, FloatArray]:
    """A rule that votes for one label, more often where it is true; or, without one, for any."""
    coverage, right = rng.uniform(0.1, 0.4), rng.uniform(0.6, 0.85)
    if label is not None:
        others = coverage * (1 - right) * classes / (classes - 1)
        chance = np.where(np.arange(classes) == label, min(coverage * right * classes, 0.95), others)
        fires = rng.random(len(y)) < chance[y]
        return np.where(fires, label, -1), np.where(fires[:, None], np.log(chance), np.log1p(-chance))
    said = np.where(rng.random(len(y)) < right, y, (y + rng.integers(1, classes, size=len(y))) % classes)
    fires = rng.random(len(y)) < coverage
    log_density = np.full((len(y), classes), np.log((1 - right) / (classes - 1)))
    log_density[np.arange(len(y)), said] = np.log(right)
    return np.where(fires, said, -1), np.where(fires[:, None], log_density, 0.0)


def scored(row: Row, seed: int) -> dict[str, float]:
    """Accuracies in %."""
    drawn = draw(row, seed)
    hard = drawn.votes(soft=False)
    found = {
        "bayes": drawn.bayes,
        "soft": labeled(drawn.votes(soft=True)),
        "hard": labeled(hard),
        "average": drawn.average,
        "vote": assay.majority_vote(hard),
    }
    return {name: 100 * accuracy(labels, drawn.gold) for name, labels in found.items()}


def means(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """A row each, with the means over seeds and the largest distance to Bayes."""
    jobs = [(row, seed) for row in rows for seed in SEEDS]
    found = dict(zip(jobs, in_parallel(scored, jobs, progress="soft votes"), strict=True))
    told = []
    for row in rows:
        trials = [found[row, seed] for seed in SEEDS]
        mean = {name: float(np.mean([one[name] for one in trials])) for name in METHODS}
        worst = max(one["bayes"] - one["soft"] for one in trials)
        told.append({"row": asdict(row) | {"name": row.name}, **mean, "worst gap": worst})
    return told


def judged(rows: Sequence[dict[str, Any]]) -> list[Target]:
    targets = []
    for one in rows:
        name = f"{one['row']['classes']} classes, {one['row']['name']}"
        if one["row"]["kind"] == "vector":
            continue
        targets.append(Target(f"Bayes − soft, {name}", one["bayes"] - one["soft"], high=NEAR))
        for other in ("hard", "average"):
            possible = one["bayes"] - one[other] - NEAR
            targets.append(Target(f"soft − {other}, {name}", one["soft"] - one[other], low=min(BETTER, possible)))
    return targets


def table(rows: Sequence[dict[str, Any]]) -> Table:
    told = [
        [one["row"]["name"], str(one["row"]["classes"]), *(f"{one[name]:.2f}" for name in (*METHODS, "worst gap"))]
        for one in rows
    ]
    title = f"right labels in %: three classifiers and five rules, {ITEMS:,} items, means of {len(SEEDS)}"
    return plain_table(title, ["classifiers", "classes", *METHODS, "worst gap to Bayes"], told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    found = means(ROWS)
    targets = judged(found)
    console = Console(width=150)
    console.print(table(found))
    console.print(target_table(targets))
    save(given.out / "quality_soft_votes.json", {"rows": found}, targets)


if __name__ == "__main__":
    main()
