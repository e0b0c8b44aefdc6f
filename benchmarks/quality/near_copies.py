"""Near-copies of a source that nobody declared: the default against a majority vote, and against declaring them.

    python -m benchmarks.quality.near_copies

Independent sources that always vote, and one or several groups: a source, often a weak one, and near-copies of it,
which say what it says on a share of the items (93% if nothing else is told) and err on their own on the rest.
Independent accuracies are drawn from 60 to 80% with two classes, from 50 to 80% with four. The second table varies the
number of items, the share that is copied, and the groups. Seconds are of one processor, for fit and predict.
Where a group has too many joint votes to be declared, the default is held against a fit without the copies.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import assay
from assay.gold import accuracy
from assay.simulate import task_world
from assay.tasks import Vote
from benchmarks.quality.demo_votes import SEEDS as DEMO_SEEDS
from benchmarks.quality.demo_votes import TEXTS, demo_votes
from benchmarks.quality.families import near_copy, truth, two_sided
from benchmarks.quality.methods import labeled
from benchmarks.support.problems import LABELED, RESULTS, TASKS, Target, in_parallel, plain_table, save, target_table

Codes = npt.NDArray[np.int64]

METHODS = ("vote", "default", "none", "learned", "declared", "no copies")
ITEMS, SAME, SEEDS = 5_000, 0.93, range(4)
NEAR, DEARER = 1.0, 1.5
"""Points that the default may be behind declared dependencies, and how much dearer it may be than none."""
FIRST_SEED = 500
"""Sources and votes are drawn from here on; the demo has seeds of its own."""


@dataclass(frozen=True)
class Row:
    """Votes of one kind, to be drawn several times."""

    name: str
    classes: int = 2
    """0: the hierarchy of three tasks. −1: the demo."""
    independent: int = 10
    groups: tuple[tuple[float, int], ...] = ()
    """Groups: the accuracy of the source that is copied, and its number of near-copies."""
    items: int = ITEMS
    same: float = SAME
    declares: bool = True
    """Whether joint votes of the groups are few enough to be declared."""
    learns: bool = True
    must_match: bool = True
    """Whether there are sources enough, against the copies, to tell them from the truth."""


@dataclass(frozen=True)
class Copied:
    """Drawn votes, and the groups of sources that depend on each other."""

    votes: assay.Votes
    gold: Codes
    groups: list[list[str]]


FIRST = (
    Row("6 + 3 copies of a 62% one, 2 classes", independent=6, groups=((0.62, 3),)),
    Row("6 + 5 copies of a 62% one, 2 classes", independent=6, groups=((0.62, 5),), must_match=False),
    Row("10 + 3 copies of a 62% one, 2 classes", groups=((0.62, 3),)),
    Row("10 + 4 copies of a 50% one, 4 classes", 4, groups=((0.5, 4),)),
    Row("20 + 10 copies of a 50% one, 4 classes", 4, 20, ((0.5, 10),), declares=False),
    Row("hierarchy, 10 + 3 copies of a 62% one", 0, groups=((0.62, 3),)),
    Row("the demo without its declared pair", -1, items=TEXTS),
)
SIZES, SHARES = (300, 2_000, 20_000, 200_000, 1_000_000), (0.8, 0.9, 0.93, 1.0)
GROUPS = {
    "two weak sources": ((0.62, 3), (0.58, 3)),
    "a weak and a good source": ((0.62, 3), (0.78, 3)),
    "three sources, once each": ((0.62, 1), (0.7, 1), (0.78, 1)),
    "a good source": ((0.78, 3),),
}
SECOND = (
    *(Row("10 + 3 of 62%", groups=((0.62, 3),), items=items, learns=False) for items in SIZES),
    *(Row("10 + 4 of 50%", 4, groups=((0.5, 4),), items=items, learns=False) for items in SIZES),
    *(Row("10 + 3 of 62%", groups=((0.62, 3),), same=same, learns=False) for same in SHARES),
    *(Row("10 + 4 of 50%", 4, groups=((0.5, 4),), same=same, learns=False) for same in SHARES),
    *(Row(f"10 + {name}", groups=groups, learns=False) for name, groups in GROUPS.items()),
    *(Row(f"10 + {name}", 4, groups=groups, learns=False) for name, groups in GROUPS.items()),
)


def draw(row: Row, seed: int) -> Copied:
    """Votes of a row; the same for the same seed."""
    if row.classes < 0:
        return Copied(*demo_votes(DEMO_SEEDS[seed]))
    rng = np.random.default_rng([FIRST_SEED + seed, row.items])
    return _flat(row, rng) if row.classes else _in_a_tree(row, rng)


def _flat(row: Row, rng: np.random.Generator) -> Copied:
    y = truth(np.ones(row.classes), row.items, rng)
    accuracies = rng.uniform(0.6 if row.classes == 2 else 0.5, 0.8, row.independent)
    columns = [two_sided(y, row.classes, float(accuracy), 1.0, rng) for accuracy in accuracies]
    groups = []
    for weak, copies in row.groups:
        groups.append([str(j) for j in range(len(columns), len(columns) + copies + 1)])
        columns += _group(y, row.classes, weak, copies, row.same, rng)
    return Copied(assay.Votes.from_matrix(np.column_stack(columns), cardinality=row.classes), y, groups)


def _in_a_tree(row: Row, rng: np.random.Generator) -> Copied:
    """The hierarchy's ten sources, and sources that tell people from organisations on every item."""
    seed = int(rng.integers(2**31))
    drawn = task_world(TASKS, LABELED, seed=seed).draw(row.items, seed=seed)
    schema, root = drawn.votes.schema, TASKS.names[0]
    coarse = TASKS.label_space.only.label_of(root)[drawn.gold].astype(np.int64)
    names, columns, groups = list(schema.names), [], []
    for weak, copies in row.groups:
        groups.append([f"copy{len(columns) + j}" for j in range(copies + 1)])
        columns += _group(coarse, 2, weak, copies, row.same, rng)
        names += groups[-1]
    both = tuple(Vote(((root, label),)) for label in TASKS[root].labels)
    votes = assay.Votes.from_codes(
        TASKS,
        np.column_stack([drawn.votes.codes, *columns]),
        names,
        (*schema.values, *[both] * len(columns)),
    )
    return Copied(votes, drawn.gold, groups)


def _group(y: Codes, classes: int, weak: float, copies: int, same: float, rng: np.random.Generator) -> list[Codes]:
    """A source and its near-copies."""
    first = two_sided(y, classes, weak, 1.0, rng)
    return [first, *(near_copy(first, same, two_sided(y, classes, weak, 1.0, rng), rng) for _ in range(copies))]


def scored(row: Row, seed: int) -> dict[str, float]:
    """Accuracies in %, and seconds of the default and without dependencies."""
    _warm(row.classes)
    drawn = draw(row, seed)
    found = {"vote": 100 * accuracy(assay.hierarchical_majority_vote(drawn.votes), drawn.gold)}
    settings: dict[str, Any] = {"default": {}, "none": {"dependencies": ()}}
    if row.learns:
        settings["learned"] = {"dependencies": "learn"}
    if row.declares:
        settings["declared"] = {"dependencies": drawn.groups}
    else:
        copies = {name for group in drawn.groups for name in group[1:]}
        only = drawn.votes.select([name for name in drawn.votes.names if name not in copies])
        found["no copies"] = 100 * accuracy(labeled(only, dependencies=()), drawn.gold)
    for name, setting in settings.items():
        start = time.process_time()
        labels = labeled(drawn.votes, **setting)
        found[f"{name} seconds"] = time.process_time() - start
        found[name] = 100 * accuracy(labels, drawn.gold)
    return found


@cache
def _warm(classes: int) -> None:
    """Load and compile what the default needs, off the clock."""
    few = draw(Row("", max(classes, 0), groups=((0.6, 2),), items=200), 0)
    labeled(few.votes)
    labeled(few.votes, dependencies=())


def seeds_of(row: Row) -> range:
    """Fewer of the large ones, which differ less."""
    return range(1 if row.items > 500_000 else 2 if row.items > 50_000 else len(SEEDS))


def means(rows: Sequence[Row], progress: str) -> list[dict[str, Any]]:
    """A row each, with the means over seeds."""
    jobs = sorted(((row, seed) for row in rows for seed in seeds_of(row)), key=lambda job: -job[0].items)
    found = dict(zip(jobs, in_parallel(scored, jobs, progress=progress), strict=True))
    told = []
    for row in rows:
        trials = [found[row, seed] for seed in seeds_of(row)]
        told.append({"row": asdict(row)} | {name: float(np.mean([one[name] for one in trials])) for name in trials[0]})
    return told


def best_known(one: dict[str, Any]) -> float:
    """With dependencies declared or, where joint votes are too many for that, without the copies."""
    known: float = one["declared"] if "declared" in one else one["no copies"]
    return known


def judged(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> list[Target]:
    targets = []
    for one in first:
        name = one["row"]["name"]
        if one["row"]["must_match"]:
            known = "declared" if "declared" in one else "no copies"
            targets.append(Target(f"default − {known}, {name}", one["default"] - best_known(one), low=-NEAR))
        else:
            targets.append(Target(f"default − vote, {name}", one["default"] - one["vote"], low=0.0))
    if second:
        over = min(one["default"] - one["vote"] for one in second)
        near = np.mean([one["default"] >= best_known(one) - NEAR for one in second])
        targets.append(Target("second table: the worst difference to the vote", over, low=0.0))
        targets.append(Target(f"second table: % of rows within {NEAR:g} of declared", 100 * float(near), low=100.0))
    both = [*first, *second]
    dearer = sum(one["default seconds"] for one in both) / sum(one["none seconds"] for one in both)
    return [*targets, Target("seconds of the default over those without dependencies", dearer, high=DEARER)]


def table(title: str, rows: Sequence[dict[str, Any]]) -> Table:
    names = [name for name in METHODS if any(name in one for one in rows)]
    told = []
    for one in rows:
        row = one["row"]
        figures = [f"{one[name]:.1f}" if name in one else "–" for name in names]
        seconds = [f"{one[f'{name} seconds']:.2f}" for name in ("default", "none")]
        kind = {0: "tree", -1: "tree"}.get(row["classes"], str(row["classes"]))
        told.append([row["name"], kind, f"{row['items']:,}", f"{row['same']:.0%}", *figures, *seconds])
    return plain_table(title, ["sources", "classes", "items", "same", *names, "s, default", "s, none"], told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", action="store_true", help="the first table only")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    first = means(FIRST, "first table")
    second = [] if given.first else means(SECOND, "second table")
    targets = judged(first, second)
    console = Console(width=150)
    console.print(table("right labels in %: near-copies that nobody declared", first))
    if second:
        console.print(table("right labels in %: sizes, shares copied and mixtures", second))
    console.print(target_table(targets))
    save(given.out / "quality_near_copies.json", {"first": first, "second": second}, targets)


if __name__ == "__main__":
    main()
