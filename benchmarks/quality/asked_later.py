"""What asking simulated prompts where the example's other sources are unsure gives: in a layer, and fitted together.

    python -m benchmarks.quality.asked_later

Texts, sources and gold are those of ``assay demo``; prompts know the answer 85, 80 and 75% of the time, and else guess:
they are right 89, 85 and 81% of the time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import assay
from assay.gold import outcome_numbers
from assay.project import Project, apply_sources, gold_votes, least_sure
from assay.project.demo import write_example

TEXTS, SEED = 6_000, 7
KNOWN = (0.85, 0.8, 0.75)
SHARES = (0.007, 0.05, 0.2, 0.5)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_example(Path(folder) / "example", TEXTS, SEED)
        project = Project.load(Path(folder) / "example")
        votes = apply_sources(project, progress=False)
        gold = gold_votes(project, votes)
    assert gold is not None
    truth = outcome_numbers(gold, 0)
    outcomes = [{task: label for task, label in one.items() if label} for one in project.tasks.label_space.outcomes]
    rng = np.random.default_rng(0)
    said = [np.where(rng.random(len(truth)) < right, truth, rng.integers(0, 4, len(truth))) for right in KNOWN]

    def with_prompts(rows: np.ndarray, count: int) -> assay.Votes:
        asked = np.zeros(len(truth), dtype=bool)
        asked[rows] = True
        columns = {
            f"p{number}": [outcomes[one] if chosen else None for one, chosen in zip(said[number], asked, strict=True)]
            for number in range(count)
        }
        later = assay.Votes.from_columns(project.tasks, columns)
        codes, values = np.hstack([votes.codes, later.codes]), [*votes.values, *later.values]
        return assay.Votes.from_codes(project.tasks, codes, [*votes.names, *later.names], values)

    def accuracy(given: assay.Votes, **settings: object) -> float:
        model = assay.LabelModel(dependencies=project.model.dependencies, **settings).fit(given, progress=False)
        return float((model.predict(given) == truth).mean())

    labels = assay.LabelModel(dependencies=project.model.dependencies).fit(votes, progress=False).label(votes)
    print(f"without prompts {accuracy(votes):.1%}")
    for count in range(1, len(KNOWN) + 1):
        names = [f"p{number}" for number in range(count)]
        for share in SHARES:
            given = with_prompts(least_sure(labels, share).rows, count)
            layer, together = accuracy(given, asked_later=names), accuracy(given)
            print(
                f"{count} prompts about {share:5.1%}: in a layer {layer:.1%}, fitted together {together:.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
