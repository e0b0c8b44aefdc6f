"""What asking simulated prompts where the example's other sources are unsure gives: in a layer, and fitted together.

    python -m benchmarks.quality.asked_later

Texts, sources and gold are those of ``assay demo``; prompts know the answer 85, 80 and 75% of the time, and else guess:
they are right 89, 85 and 81% of the time. Then on families of simulated votes, half of whose sources, taken by chance,
are only asked about the fifth of the items that the other half leaves the model least sure of.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import assay
from assay.gold import outcome_numbers
from assay.project import Project, apply_sources, gold_votes, least_sure
from assay.project.demo import write_example
from benchmarks.quality.families import REPORTED, draw

TEXTS, SEED = 6_000, 7
KNOWN = (0.85, 0.8, 0.75)
SHARES = (0.007, 0.05, 0.2, 0.5)
FAMILIES = (
    "independent",
    "difficult items",
    "twice",
    "mixed sides",
    "one sided independent",
    "prompts",
    "paraphrases",
)
ITEMS, DRAWS, ASKED = 1_500, 5, 0.2


def in_family(family: str, seed: int) -> dict[str, float]:
    """Accuracies without those asked later, with them in a layer and fitted together, and asked about all items."""
    drawn = draw(family, ITEMS, seed)
    votes = drawn.votes
    names = np.random.default_rng(seed).permutation(votes.names).tolist()
    later = names[len(names) // 2 :]
    columns = [votes.position(name) for name in later]
    others = votes.silenced(columns)

    def labeled(given: assay.Votes, **settings: object) -> assay.Labels:
        fitted = assay.LabelModel(allow_unidentifiable=True, **settings).fit(given, progress=False)
        return fitted.label(given, progress=False)

    first = labeled(votes.select([name for name in votes.names if name not in later]))
    codes = others.codes.copy()
    rows = least_sure(first, ASKED, seed=seed).rows
    codes[np.ix_(rows, columns)] = votes.codes[np.ix_(rows, columns)]
    asked = assay.Votes.from_codes(votes.tasks, codes, votes.names, votes.values)
    found = {
        "without": first,
        "layer": labeled(asked, asked_later=later),
        "together": labeled(asked),
        "all": labeled(votes),
    }
    return {name: float((labels.joint[0].argmax(axis=1) == drawn.gold).mean()) for name, labels in found.items()}


def main() -> None:
    in_the_example()
    for family in FAMILIES:
        draws = [in_family(family, REPORTED + number) for number in range(DRAWS)]
        mean = {name: float(np.mean([one[name] for one in draws])) for name in draws[0]}
        print(f"{family:22}" + ", ".join(f"{name} {share:.1%}" for name, share in mean.items()), flush=True)


def in_the_example() -> None:
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
