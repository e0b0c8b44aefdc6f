"""What an end model is worth that learns from refined labels, on new texts that nobody voted on.

    python -m benchmarks.quality.refined_training [--seeds 3] [--first 10] [--only traps]

For each of :data:`benchmarks.quality.text_worlds.WORLDS`: seven tenths of the texts have votes, and the end model
labels the others by their words alone. It learns from the labels of items with votes (*label model*), or from refined
labels of all items of which votes or words tell something (*refined*); then both again with the gold of 200 random
items, or of a third of them if they are few. Beside them stands a majority vote as the teacher. That refined labels
are what to train on was found with seeds 0 to 3. What is asked for: in no world more than half a point worse by them.
Writes ``quality_refined_training.json`` to ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

import assay
from benchmarks.quality.refining import GOLD
from benchmarks.quality.sets import LEAST
from benchmarks.quality.text_worlds import WORLDS
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, save, target_table

NEW = 0.3
"""The share of texts without votes."""
TEACHERS = ("majority vote", "label model", "refined", "label model with gold", "refined with gold")
MOST_LOST = 0.5


def scores(number: int, seed: int) -> dict[str, Any]:
    """Accuracy in percent and log loss on new texts, per teacher."""
    drawn = WORLDS[number].draw(seed)
    truth, tasks = drawn.truth, drawn.votes.tasks
    rng = np.random.default_rng(seed)
    new, old = (np.sort(part) for part in np.split(rng.permutation(len(truth)), [round(NEW * len(truth))]))
    votes, texts = drawn.votes.take(old), [drawn.texts[row] for row in old]
    known = np.isin(np.arange(len(old)), rng.permutation(len(old))[: min(GOLD, len(old) // 3)])
    outcomes = tasks.label_space.outcomes
    gold = [outcomes[label] if shown else None for label, shown in zip(truth[old], known, strict=True)]

    def end_model() -> assay.EndModel:
        encoder = assay.NGrams(words=(1, 1), characters=None)
        return assay.EndModel(tasks, encoder=encoder, calibrate=False, seed=seed)

    def on_new_texts(labels: assay.Labels) -> list[float]:
        model = end_model().fit(texts, labels.voted(votes), progress=False)
        found = model.label([drawn.texts[row] for row in new]).joint[0]
        likely = np.maximum(found[np.arange(len(new)), truth[new]], LEAST)
        return [100 * float((found.argmax(axis=1) == truth[new]).mean()), -float(np.log(likely).mean())]

    teachers = {TEACHERS[0]: assay.Labels(tasks, (assay.hierarchical_majority_vote(votes),))}
    for given, (plain, refined) in ((None, TEACHERS[1:3]), (gold, TEACHERS[3:])):
        model = assay.LabelModel(allow_unidentifiable=True).fit(votes, given, progress=False)
        teachers[plain] = model.label(votes, progress=False)
        teachers[refined] = assay.refine(votes, texts, teachers[plain], model=end_model())
    return {"world": WORLDS[number].name, "seed": seed} | {
        name: on_new_texts(labels) for name, labels in teachers.items()
    }


def averaged(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each world: means over seeds."""
    return [
        {"world": world} | {name: np.mean([one[name] for one in its], axis=0).tolist() for name in TEACHERS}
        for world in dict.fromkeys(one["world"] for one in found)
        for its in [[one for one in found if one["world"] == world]]
    ]


def gains(rows: Sequence[dict[str, Any]], refined: str, plain: str) -> list[float]:
    """Points of accuracy by which refined labels are the better teacher, per world."""
    return [row[refined][0] - row[plain][0] for row in rows]


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=10)
    parser.add_argument("--only", default="", help="worlds whose name has this")
    given = parser.parse_args()
    chosen = [number for number, world in enumerate(WORLDS) if given.only in world.name]
    jobs = [(number, seed) for number in chosen for seed in range(given.first, given.first + given.seeds)]
    rows = averaged(in_parallel(scores, jobs, progress="worlds"))
    mean = {"world": "mean"} | {name: np.mean([row[name] for row in rows], axis=0).tolist() for name in TEACHERS}
    cells = [
        [row["world"], *(f"{row[name][0]:.1f} / {row[name][1]:.2f}" for name in TEACHERS)] for row in [*rows, mean]
    ]
    targets = [
        Target(f"the least gain of an end model by refined labels{how}", min(gains(rows, refined, plain)), -MOST_LOST)
        for how, refined, plain in (("", TEACHERS[2], TEACHERS[1]), (", with gold", TEACHERS[4], TEACHERS[3]))
    ]
    console = Console()
    console.print(plain_table("end model on new texts: accuracy / log loss", ["taught by", *TEACHERS], cells))
    console.print(target_table(targets))
    if not given.only:
        save(RESULTS / "quality_refined_training.json", {"worlds": rows, "mean": mean}, targets)


if __name__ == "__main__":
    main()
