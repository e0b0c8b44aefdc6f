"""Streamed end models: ``python -m benchmarks.speed.streamed_end_model 100000 1000000``.

Texts of 22 made-up words, four classes, soft labels; train and predict each in a process of its own, from files. Prints
seconds and peak memory, as JSON lines.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer

import assay
from assay.labels import write_labels

_CLASSES, _WORDS, _AT_ONCE = 4, 20_000, 50_000


def write(folder: Path, items: int) -> None:
    """Texts and labels, made from a seed."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 9))) for _ in range(_WORDS)])
    tasks = assay.TaskGraph.flat("topic", [f"t{number}" for number in range(_CLASSES)])
    parts = []
    with (folder / "texts.jsonl").open("w") as file:
        for start in range(0, items, _AT_ONCE):
            count = min(_AT_ONCE, items - start)
            truth = rng.integers(0, _CLASSES, count)
            picked = rng.integers(0, _WORDS, (count, 22))
            # Every class has words of its own, of which a text has some.
            own = rng.random((count, 22)) < 0.1
            picked = np.where(own, truth[:, None] * 100 + picked % 100, picked)
            file.writelines(json.dumps({"text": " ".join(row)}) + "\n" for row in words[picked])
            believed = np.where(rng.random(count) < 0.85, truth, rng.integers(0, _CLASSES, count))
            parts.append(assay.Labels(tasks, (0.8 * np.eye(_CLASSES)[believed] + 0.2 / _CLASSES,)))
    write_labels(parts, folder / "labels.parquet")


def step(what: str, folder: Path, epochs: int) -> None:
    """Train or predict, in this process."""
    begun = time.perf_counter()
    if what == "train":
        tasks = assay.Labels.from_parquet(folder / "labels.parquet").tasks
        model = assay.EndModel(tasks, epochs=epochs)
        model.fit(folder / "texts.jsonl", folder / "labels.parquet", stream=True, checkpoint=folder / "checkpoint")
        model.save(folder / "model.safetensors")
    else:
        model = assay.EndModel.load(folder / "model.safetensors")
        write_labels(model.label_parts(folder / "texts.jsonl"), folder / "predictions.parquet")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps({"step": what, "seconds": round(time.perf_counter() - begun, 1), "peak_gb": round(peak, 2)}))


def main(
    items: Annotated[list[int], typer.Argument(help="numbers of texts")],
    epochs: Annotated[int, typer.Option(help="at most so many")] = 2,
) -> None:
    """Measure each number of texts."""
    for count in items:
        with TemporaryDirectory() as temporary:
            write(Path(temporary), count)
            for what in ("train", "predict"):
                program = (
                    "from pathlib import Path; from benchmarks.speed.streamed_end_model import step; "
                    f"step({what!r}, Path({temporary!r}), {epochs})"
                )
                done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
                print(json.dumps({"items": count, "epochs": epochs, **json.loads(done.stdout)}), flush=True)


if __name__ == "__main__":
    typer.run(main)
