"""Probabilities as votes on real texts: small classifiers beside rules, soft against hardened votes.

    ASSAY_DATA=... python -m benchmarks.quality.soft_text [openi trec50 clinc90]

The three text tasks of ``benchmarks/experiments``, with their rules. Beside these stand three small classifiers,
logistic regressions on words, on pairs of words, and on characters, each trained on a third of the dev items of its
own; so their probabilities on all other items are out of sample. Label models learn from the votes on the training
items, without any gold, and are scored on test_a, which has 176 items of openi, 200 of trec50 and 1,450 of clinc90:
differences of single tasks are partly chance, and the target is for their mean.

*soft* is the default on soft votes, *hard* on the same votes without their
confidence, *average* the mean of the classifiers' probabilities and the rules' majority vote, *vote* a hierarchical
majority vote, and *rules* the default without the classifiers.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import assay
from assay.gold import accuracy
from benchmarks.experiments.prepare import TASKS, prepare, prepared
from benchmarks.experiments.problem import Problem, load
from benchmarks.support.problems import RESULTS, Target, plain_table, save, target_table

FloatArray = npt.NDArray[np.float64]

METHODS = ("soft", "hard", "average", "vote", "rules")
FEATURES = {
    "words": {"ngram_range": (1, 1)},
    "pairs of words": {"ngram_range": (1, 2)},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
}


def classifiers(problem: Problem, seed: int) -> list[assay.Source]:
    """Three sources, each trained on a third of the dev items; they know the finest labels."""
    order = np.random.default_rng(seed).permutation(len(problem.gold["dev"]))
    finest = [_finest(outcome) for outcome in problem.tasks.label_space.outcomes]
    found = []
    for (name, features), part in zip(FEATURES.items(), np.array_split(order, len(FEATURES)), strict=True):
        fitted = make_pipeline(TfidfVectorizer(sublinear_tf=True, **features), LogisticRegression(C=10, max_iter=2000))
        fitted.fit([problem.texts["dev"][row] for row in part], problem.gold["dev"][part])
        labels = {int(outcome): finest[outcome] for outcome in fitted.classes_}
        found.append(assay.classifier(fitted, on="text", labels=labels, name=name))
    return found


def _finest(outcome: dict[str, str | None]) -> tuple[str, str]:
    """The task below the root that applies, and its label: what gold names."""
    _, *children = outcome.items()
    return next((task, label) for task, label in children if label is not None)


def scored(name: str, seed: int) -> dict[str, Any]:
    """Accuracies on test_a in %, and each classifier's own."""
    for split in ("train", "dev", "test_a", "test_b"):
        if not prepared(name, split).exists():
            prepare(name, split)
    problem = load(name)
    sources = [*problem.project.sources(), *classifiers(problem, seed)]
    votes = {
        soft: {
            split: assay.apply(
                sources if soft else [replace(source, levels=()) for source in sources],
                prepared(name, split),
                problem.tasks,
                progress=False,
            )
            for split in ("train", "test_a")
        }
        for soft in (True, False)
    }
    gold = problem.gold["test_a"]
    rules = list(problem.votes["train"].names)
    found = {
        "soft": _predicted(votes[True]),
        "hard": _predicted(votes[False]),
        "rules": _predicted({split: part.select(rules) for split, part in votes[False].items()}),
        "vote": assay.hierarchical_majority_vote(votes[False]["test_a"]),
    }
    by_rules = assay.hierarchical_majority_vote(votes[False]["test_a"].select(rules))
    own = {source.name: _probabilities(source, problem) for source in sources[len(rules) :]}
    found["average"] = by_rules + sum(own.values())
    table = votes[True]["train"].schema
    return {
        "task": name,
        "seed": seed,
        **{method: 100 * accuracy(labels, gold) for method, labels in found.items()},
        "alone": {source: 100 * accuracy(labels, gold) for source, labels in own.items()},
        "values": {source: len(table.values[table.position(source)]) for source in own},
    }


def _predicted(votes: dict[str, assay.Votes]) -> FloatArray:
    """Probabilities on test_a, by a model that has learned from the training items."""
    model = assay.LabelModel(allow_unidentifiable=True).fit(votes["train"], progress=False)
    found: FloatArray = model.predict_proba(votes["test_a"])
    return found


def _probabilities(source: Any, problem: Problem) -> FloatArray:
    """(items of test_a, outcomes)."""
    table = np.zeros((len(problem.texts["test_a"]), len(problem.tasks.label_space.outcomes)))
    table[:, list(source.asked.classes)] = source.asked(problem.texts["test_a"])
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=TASKS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [scored(name, seed) for name in given.tasks for seed in range(given.seeds)]
    console, told, gains = Console(width=150), [], list[float]()
    for name in given.tasks:
        trials = [row for row in rows if row["task"] == name]
        mean = {method: float(np.mean([row[method] for row in trials])) for method in METHODS}
        best = float(np.mean([max(row["alone"].values()) for row in trials]))
        told.append([name, *(f"{mean[method]:.1f}" for method in METHODS), f"{best:.1f}"])
        gains.append(mean["soft"] - mean["hard"])
    title = f"right outcomes on test_a in %: rules and three small classifiers, means of {given.seeds}"
    console.print(plain_table(title, ["task", *METHODS, "best classifier alone"], told))
    targets = [Target("soft − hard, mean over tasks", float(np.mean(gains)), low=0.0)]
    console.print(target_table(targets))
    save(given.out / "quality_soft_text.json", {"rows": rows}, targets)


if __name__ == "__main__":
    main()
