"""Refining labels of simulated texts, some of which share errors with the votes on purpose.

    python -m benchmarks.quality.refining [--seeds 1] [--first 10] [--only traps]

For each of :data:`benchmarks.quality.text_worlds.WORLDS`: accuracy of the label model, of the end model that it
teaches, and of refined labels; then the same with the gold of 200 random items, scored on the others. What is asked
for: refined labels lose at most 0.5 points to the better of label model and end model, in each world. Writes
``quality_refining.json`` to ``benchmarks/results``. A world with texts takes about half a minute of two cores.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import assay
from benchmarks.quality.text_worlds import WORLDS, TextWorld
from benchmarks.support.problems import RESULTS, save

GOLD = 200
MOST_LOST = 0.5


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=10, help="the first seed; the form was chosen on 0 to 9")
    parser.add_argument("--only", default="", help="worlds whose name has this")
    given = parser.parse_args()
    found = []
    for world in (world for world in WORLDS if given.only in world.name):
        for seed in range(given.first, given.first + given.seeds):
            found.append({"world": world.name, "seed": seed} | scores(world, seed))
            print(found[-1], flush=True)
    worst = min(row["refined"] - max(row["label model"], row["end model"]) for row in found)
    print(f"least gain over the better of the two: {worst:+.1f} (at least {-MOST_LOST})")
    if not given.only:
        save(RESULTS / "quality_refining.json", {"worlds": found, "least_gain": worst}, [])


def scores(world: TextWorld, seed: int) -> dict[str, Any]:
    """Accuracies in percent, and the weights that were found."""
    drawn = world.draw(seed)
    truth, tasks = drawn.truth, drawn.votes.tasks
    gold = np.zeros(len(truth), dtype=bool)
    gold[np.random.default_rng(seed).permutation(len(truth))[:GOLD]] = True
    outcomes = tasks.label_space.outcomes
    by_hand = [outcomes[label] if known else None for label, known in zip(truth, gold, strict=True)]

    def end_model() -> assay.EndModel:
        return assay.EndModel(tasks, encoder=assay.NGrams(words=(1, 1), characters=None), calibrate=False)

    def labels(known: Any) -> assay.Labels:
        model = assay.LabelModel(allow_unidentifiable=True).fit(drawn.votes, known, progress=False)
        return model.label(drawn.votes, progress=False)

    def right(found: assay.Labels, which: Any = slice(None)) -> float:
        return 100 * float((found.joint[0].argmax(axis=1) == truth)[which].mean())

    alone, taught = labels(None), labels(by_hand)
    refined, with_gold = (assay.refine(drawn.votes, drawn.texts, each, model=end_model()) for each in (alone, taught))
    end = end_model().fit(drawn.texts, alone.voted(drawn.votes), progress=False).label(drawn.texts)
    assert refined.refined is not None
    return {
        "label model": right(alone),
        "end model": right(end),
        "refined": right(refined),
        "label model with gold": right(taught, ~gold),
        "refined with gold": right(with_gold, ~gold),
        "weights": refined.refined.to_dict(),
    }


if __name__ == "__main__":
    main()
