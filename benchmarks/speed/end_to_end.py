"""From texts to a trained linear model: Assay, and snorkel with pandas and scikit-learn, step by step.

    python -m benchmarks.speed.end_to_end --rows 1000000

Both apply the same ten sources to the same texts, learn from the votes, label all texts, and train the same
linear model (hashed words, logistic loss) on those that have votes. Each runs in a process of its own, snorkel in an
environment of its own, made once under --scratch.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

from benchmarks.speed import apply_workload as workload

ASSAY, SNORKEL = "assay", "snorkel"
STEPS = ("apply", "fit", "label", "train")


class Clock:
    """Seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, step: str, run: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        answer = run()
        self.seconds[step] = time.perf_counter() - start
        return answer


def linear_model(texts: list[str], labels: Any) -> Any:
    """The same on both sides."""
    words = HashingVectorizer(n_features=2**18, alternate_sign=False).transform(texts)
    return SGDClassifier(loss="log_loss", max_iter=5, tol=None, random_state=0).fit(words, labels)


def with_assay(rows: int) -> dict[str, Any]:
    import polars as pl

    import assay
    from benchmarks.speed import apply

    texts = workload.texts(rows)
    frame = pl.DataFrame({"text": texts})
    tasks = assay.TaskGraph.flat("topic", list(workload.LABELS))
    clock = Clock()
    votes = clock("apply", lambda: assay.apply(apply.declarative(), frame, tasks, progress=False))
    model = clock("fit", lambda: assay.LabelModel().fit(votes, progress=False))
    labels = clock("label", lambda: model.label(votes, progress=False).voted())
    kept = [text for text, has in zip(texts, labels.kept, strict=True) if has]
    clock("train", lambda: linear_model(kept, labels.names("topic").astype(str)))
    codes = votes.codes
    return {"seconds": clock.seconds, "votes": int((codes >= 0).sum()), "labeled": len(kept)}


def with_snorkel(rows: int) -> dict[str, Any]:
    import pandas as pd
    from snorkel.labeling import LabelingFunction, PandasLFApplier
    from snorkel.labeling.model import LabelModel

    frame = pd.DataFrame({"text": workload.texts(rows)})
    written = workload.functions(0, 1, 2, 3, abstain=-1)
    functions = [LabelingFunction(name, function) for name, function in zip(workload.NAMES, written, strict=True)]
    clock = Clock()
    matrix = clock("apply", lambda: PandasLFApplier(functions).apply(frame, progress_bar=False))
    model = LabelModel(cardinality=len(workload.LABELS), verbose=False)
    clock("fit", lambda: model.fit(matrix, seed=0, progress_bar=False))
    labels = clock("label", lambda: model.predict_proba(matrix).argmax(axis=1))
    voted = (matrix >= 0).any(axis=1)
    clock("train", lambda: linear_model(frame["text"][voted].tolist(), labels[voted]))
    return {"seconds": clock.seconds, "votes": int((matrix >= 0).sum()), "labeled": int(voted.sum())}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=1_000_000, help="how many texts (%(default)s)")
    arguments.add_argument("--scratch", type=Path, default=None, help="where the peers' environment is kept")
    arguments.add_argument("--limit", type=float, default=3600.0, help="most seconds of a process (%(default)s)")
    arguments.add_argument("--output", type=Path, default=None, help="the JSON (benchmarks/results/end_to_end.json)")
    arguments.add_argument("--contender", choices=[ASSAY, SNORKEL], help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.contender is not None:
        print(json.dumps({ASSAY: with_assay, SNORKEL: with_snorkel}[given.contender](given.rows)))
        return
    compare(given)


def compare(given: argparse.Namespace) -> None:
    """Run both, and show them side by side."""
    from rich.console import Console

    from benchmarks.support import peer_environment, problems, processes
    from benchmarks.support.problems import Target

    peers = peer_environment.python_of(given.scratch or peer_environment.SCRATCH)
    found = {}
    for name, python in ((ASSAY, sys.executable), (SNORKEL, peers)):
        own = ["--contender", name, "--rows", str(given.rows)]
        found[name] = processes.answer("benchmarks.speed.end_to_end", own, limit=given.limit, python=python)
        print(name, found[name], file=sys.stderr)
    if found[ASSAY]["votes"] != found[SNORKEL]["votes"]:
        sys.exit(f"the votes differ: {found[ASSAY]['votes']:,} and {found[SNORKEL]['votes']:,}")
    ours, theirs = (found[name]["seconds"] for name in (ASSAY, SNORKEL))
    totals = sum(ours.values()), sum(theirs.values())
    rows = [[step, f"{ours[step]:.2f}", f"{theirs[step]:.2f}", f"{theirs[step] / ours[step]:.1f}"] for step in STEPS]
    rows.append(["all", f"{totals[0]:.2f}", f"{totals[1]:.2f}", f"{totals[1] / totals[0]:.1f}"])
    console = Console(width=120)
    title = f"{given.rows:,} texts, ten sources: seconds"
    console.print(problems.plain_table(title, ["step", "Assay", "snorkel + pandas", "ratio"], rows))
    targets = [Target("6  end to end, snorkel + pandas / Assay", totals[1] / totals[0], low=1.0)]
    home = problems.RESULTS if given.rows == 1_000_000 else problems.RESULTS / "scratch"
    problems.save(given.output or home / "end_to_end.json", {"rows": given.rows, "contenders": found}, targets)


if __name__ == "__main__":
    main()
