"""Labels from votes and data together: ``ASSAY_DATA=... python -m benchmarks.experiments.refined``.

The label model learns from the votes on the training items and labels all items; :func:`assay.refine` then adds what
the texts say, of all items too, with the end model of each encoder. *with gold* is the same with dev's gold, given to
the label model. Beside them stand the label model and the end model by themselves. Nothing was chosen on these tasks.
Needs what ``benchmarks.experiments.run`` needs. Prints tables; writes ``experiments_refined.md`` and ``.json``, and
adds ``refined_prediction`` and ``refined_gold_prediction`` to ``<task>_test_b.jsonl``. A run that was interrupted
goes on where it was.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from rich.markdown import Markdown

from assay._core.atomic_files import writing
from benchmarks.experiments.embeddings import embed
from benchmarks.experiments.jobs import RESULTS
from benchmarks.experiments.labelers import JOINT, Labeled
from benchmarks.experiments.prepare import SPLITS, TASKS
from benchmarks.experiments.problem import Problem, load, prepare_and_load
from benchmarks.experiments.refining import all_splits, label, refine
from benchmarks.experiments.tables import table
from benchmarks.experiments.trial import EMBEDDED, ENCODERS, Embeddings, Reader, Trial, train

FloatArray = npt.NDArray[np.float64]
SCRATCH = RESULTS / "scratch" / "refined"
LABELS, END, REFINED, LABELS_GOLD, REFINED_GOLD = (
    "label model",
    "end model",
    "refined",
    "label model + gold",
    "refined + gold",
)
ROWS = (LABELS, END, REFINED, LABELS_GOLD, REFINED_GOLD)


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="which of openi, trec50, clinc90; default: all")] = None,
    trials: Annotated[int, typer.Option(help="seeds of each end model")] = 10,
    encoders: Annotated[
        list[str] | None, typer.Option("--encoder", help="of the end model; default: all three")
    ] = None,
    rounds: Annotated[int, typer.Option(help="of refining")] = 2,
) -> None:
    """Run what has not been run yet, then write the tables and predictions."""
    chosen = [encoder for encoder in ENCODERS if encoder in (encoders or ENCODERS)]
    for seed in range(trials):
        for task in tasks or TASKS:
            for encoder in chosen:
                path = SCRATCH / f"{task}_{encoder.replace(' ', '')}_{seed}_{rounds}.json"
                if not path.is_file():
                    found = one_trial(task, encoder, seed, rounds)
                    with writing(path) as unfinished:
                        unfinished.write_text(json.dumps(found))
    summarize()


def one_trial(task: str, encoder: str, seed: int, rounds: int) -> dict[str, Any]:
    """Predictions for dev, test_a and test_b by each of :data:`ROWS`."""
    problem = prepare_and_load(task)
    begun = time.perf_counter()
    embeddings = _embeddings(problem) if encoder == EMBEDDED else None
    votes, parts = all_splits(problem)
    data = Reader(problem, [("train", None)], embeddings)([(split, None) for split in SPLITS])
    labels, with_gold = label(problem, votes, parts)
    print(f"{task}, {encoder}, seed {seed}: refining", flush=True)
    said: dict[str, FloatArray] = {LABELS: labels.joint[0], LABELS_GOLD: with_gold.joint[0]}
    facts: dict[str, Any] = {}
    for name, given in ((REFINED, labels), (REFINED_GOLD, with_gold)):
        kept = SCRATCH / "folds" / f"{task}_{encoder.replace(' ', '')}_{seed}"
        better = refine(problem, votes, data, given, encoder, seed=seed, rounds=rounds, checkpoint=kept, progress=True)
        assert better.refined is not None
        said[name], facts[name] = better.joint[0], better.refined.to_dict()
        print(f"  {name}: {facts[name]}", flush=True)
    trained = Labeled(np.arange(len(problem.texts["train"])), labels.joint[0][parts["train"]], {})
    end = train(problem, Trial(task, JOINT, encoder, 1.0, seed), trained, embeddings)
    predictions = {
        name: {split: joint[parts[split]].argmax(axis=1).tolist() for split in SPLITS[1:]}
        for name, joint in said.items()
    }
    return {
        "task": task,
        "encoder": encoder,
        "seed": seed,
        "seconds": time.perf_counter() - begun,
        "facts": facts,
        "calibration": {
            name: calibration_error(joint[parts["test_a"]], problem.gold["test_a"]) for name, joint in said.items()
        },
        "predictions": {**predictions, END: end["predictions"]},
    }


def _embeddings(problem: Problem) -> Embeddings:
    path = SCRATCH / f"{problem.name}_embeddings.npz"
    if not path.is_file():
        found = {split: embed(texts) for split, texts in problem.texts.items()}
        with writing(path) as unfinished, unfinished.open("wb") as file:
            np.savez(file, **found)
    with np.load(path) as file:
        return dict(file)


def calibration_error(joint: FloatArray, gold: npt.NDArray[np.int64], bins: int = 10) -> float:
    """In percent: how far confidence is from the share of right labels, over bins of equal size."""
    confidence, right = joint.max(axis=1), joint.argmax(axis=1) == gold
    parts = np.array_split(np.argsort(confidence, kind="stable"), bins)
    gaps = [abs(confidence[part].mean() - right[part].mean()) * len(part) for part in parts if len(part)]
    return 100 * float(np.sum(gaps)) / len(gold)


@dataclass(frozen=True, eq=False)
class Trials:
    """All trials of one task and encoder, on test_a."""

    right: dict[str, FloatArray]
    """Per row (trials, items): 1 where the whole outcome is right."""
    calibration: dict[str, float]
    """Per row, in percent, mean over trials."""

    @classmethod
    def of(cls, found: Sequence[dict[str, Any]], gold: npt.NDArray[np.int64]) -> Trials:
        """From predictions."""
        right = {
            row: np.array([np.array(trial["predictions"][row]["test_a"]) == gold for trial in found], dtype=float)
            for row in ROWS
        }
        names = found[0]["calibration"]
        return cls(right, {name: float(np.mean([trial["calibration"][name] for trial in found])) for name in names})

    def gain(self, row: str, others: Sequence[str], draws: int = 10_000) -> tuple[float, float, float, FloatArray]:
        """A row minus the better of some others, with a paired 95% interval over items; and its bootstrap."""
        best = max(others, key=lambda name: self.right[name].mean())
        better = self.right[row].mean(axis=0) - self.right[best].mean(axis=0)
        boot = np.random.default_rng(0).choice(better, (draws, len(better))).mean(axis=1)
        low, high = np.quantile(boot, [0.025, 0.975])
        return 100 * float(better.mean()), 100 * float(low), 100 * float(high), boot


def summarize() -> None:
    """Tables and predictions from all trials that are there."""
    found = [json.loads(path.read_text()) for path in sorted(SCRATCH.glob("*.json"))]
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for trial in found:
        groups.setdefault((trial["encoder"], trial["task"]), []).append(trial)
    sections, figures = [], []
    for encoder in (name for name in ENCODERS if any(key[0] == name for key in groups)):
        tasks = [task for task in TASKS if (encoder, task) in groups]
        trials = {task: Trials.of(groups[encoder, task], load(task).gold["test_a"]) for task in tasks}
        rows: list[list[Any]] = [
            [row, *(f"{100 * share:.1f}" for share in (*shares, np.mean(shares)))]
            for row in ROWS
            for shares in [[trials[task].right[row].mean() for task in tasks]]
        ]
        for name, row, others in (
            ("*refined minus the better of label model and end model*", REFINED, (LABELS, END)),
            ("*gold adds to refined*", REFINED_GOLD, (REFINED,)),
        ):
            gains = [trials[task].gain(row, others) for task in tasks]
            low, high = 100 * np.quantile(np.mean([gain[3] for gain in gains], axis=0), [0.025, 0.975])
            mean = float(np.mean([gain[0] for gain in gains]))
            cells = [(gain[0], gain[1], gain[2]) for gain in gains] + [(mean, float(low), float(high))]
            rows.append([name, *(f"{points:+.1f} ({low:+.1f} to {high:+.1f})" for points, low, high in cells)])
            figures += [
                {"encoder": encoder, "task": task, "what": name.strip("*"), "points": p, "low": lo, "high": hi}
                for task, (p, lo, hi) in zip([*tasks, "mean"], cells, strict=True)
            ]
        rows.append(
            ["*calibration error, refined / with gold*"]
            + [f"{trials[t].calibration[REFINED]:.1f} / {trials[t].calibration[REFINED_GOLD]:.1f}" for t in tasks]
            + [""]
        )
        counts = ", ".join(f"{task} {len(groups[encoder, task])}" for task in tasks)
        sections.append(
            f"### Refined labels ({encoder}), test_a, trials: {counts}\n\n{table(['', *tasks, 'mean'], rows)}"
        )
        figures += [
            {"encoder": encoder, "task": task, "row": row, "accuracy": 100 * float(trials[task].right[row].mean())}
            for task in tasks
            for row in ROWS
        ]
    page = "\n\n".join([*sections, "Intervals are over test items, paired."]) + "\n"
    (RESULTS / "experiments_refined.md").write_text(page, encoding="utf-8")
    seconds = {
        encoder: float(np.mean([t["seconds"] for t in found if t["encoder"] == encoder])) for encoder, _ in groups
    }
    (RESULTS / "experiments_refined.json").write_text(
        json.dumps({"figures": figures, "seconds_of_a_trial": seconds, "cores": os.cpu_count()}, indent=1) + "\n"
    )
    for task in TASKS:
        _add_predictions(task, groups)
    Console().print(Markdown(page))


def _add_predictions(task: str, groups: dict[tuple[str, str], list[dict[str, Any]]]) -> None:
    """For every test_b item what refined labels say, with n-grams and embeddings if there are such trials.

    The first trial stands for all; no choice is made.
    """
    at_hand = [encoder for encoder in (EMBEDDED, *ENCODERS) if (encoder, task) in groups]
    path = RESULTS / f"{task}_test_b.jsonl"
    if not at_hand or not path.is_file():
        return
    trial = min(groups[at_hand[0], task], key=lambda one: one["seed"])
    problem = load(task)
    names = problem.gold_names
    said = {key: trial["predictions"][row]["test_b"] for key, row in FIELDS.items()}
    added = {
        item: {key: names[outcomes[at]] for key, outcomes in said.items()}
        for at, item in enumerate(problem.ids["test_b"])
    }
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with writing(path) as unfinished:
        unfinished.write_text("".join(json.dumps(row | added[row["id"]]) + "\n" for row in rows), encoding="utf-8")


FIELDS = {"refined_prediction": REFINED, "refined_gold_prediction": REFINED_GOLD}

if __name__ == "__main__":
    typer.run(main)
