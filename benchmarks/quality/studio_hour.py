"""What an hour in the studio gives: a scripted user who follows the overview's advice, from nothing.

    ASSAY_DATA=… python -m benchmarks.quality.studio_hour

The user starts with texts and tasks, and no source. At each turn they take the first step that the overview advises
(``assay.project.next_steps``) by the same functions that the studio calls, and understand what they read: the script
knows the true label of texts that the user has read, and of no others.

- *Write a source*: read twenty texts, those that the step points to, and take the word, of all texts read so far, that
  tells one label best and is no source yet: one action.
- *Label*: answer for ten items: ten actions.
- *Run*, *switch a source off* that is more often wrong than right: one action each.

Score: the share of all texts whose labels are right, beside a majority vote of the same sources. The texts are those of
the demo (two levels of labels), and questions of trec50 with gold here (dev and test_a, six coarse labels).
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from assay.errors import CheckWarning
from assay.project import (
    Answers,
    Contents,
    Filter,
    Step,
    Workbench,
    declare_source,
    next_steps,
    queue,
    rows_found,
    run,
    switch_source,
)
from assay.project.demo import write_example
from benchmarks.experiments.prepare import items
from benchmarks.support.problems import RESULTS, plain_table, save

ACTIONS = (10, 20, 40, 80, 120, 160)
READ, ANSWERS = 20, 10
"""Texts read for a source, and answers given at a time."""
LEAST_READ = 2
"""In how many of the texts read a word must be."""


@dataclass
class User:
    """Somebody at the studio, and what they have read."""

    home: Path
    truth: Sequence[Mapping[str, str | None]]
    """Per row the labels of all tasks."""
    texts: Sequence[str]
    rng: np.random.Generator
    actions: int = 0
    read: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    """Those that sources look for already."""
    scores: list[tuple[int, float, float]] = field(default_factory=list)
    """Actions so far, the share of labels that are right, and the vote's."""

    def work(self, most: int) -> None:
        workbench = Workbench(self.home)
        since_run = 0
        while self.actions < most:
            contents = workbench.contents()
            step = next_steps(contents, most=1)[0]
            has_new = since_run >= 4 and contents.project.has_sources
            if (step.place == "run" and since_run > 0) or has_new:
                self._run(contents)
                since_run = 0
            elif step.place == "label":
                self._label(contents)
                since_run += ANSWERS
            elif step.place == "source":
                switch_source(contents.project, step.query["name"], on=False)
                self.actions += 1
                since_run += 1
            else:
                self._write(contents, step)
                since_run += 1
        self._run(workbench.contents())

    def _run(self, contents: Contents) -> None:
        project = contents.project
        if not project.has_sources:
            return
        made = run(project, progress=False)
        self.actions += 1
        gold = {task: [row.get(task) for row in self.truth] for task in project.tasks.names}
        vote = assay.Labels(project.tasks, tuple(_joint(assay.hierarchical_majority_vote(made.votes))))
        right = [assay.evaluate(labels, made.votes.gold(gold)).accuracy for labels in (made.labels, vote)]
        self.scores.append((self.actions, 100 * right[0], 100 * right[1]))

    def _label(self, contents: Contents) -> None:
        project = contents.project
        answers = Answers.of(project, "script")
        for queued in queue(project, ANSWERS, votes=contents.votes, model=contents.model):
            answers.record(queued, contents.item(queued.row), dict(self.truth[queued.row]))
            self.read.add(queued.row)
            self.actions += 1

    def _write(self, contents: Contents, step: Step) -> None:
        wanted = Filter.from_query(step.query) if step.place == "data" else Filter()
        rows = (
            rows_found(contents, wanted) if contents.votes is not None or not wanted.query else np.arange(len(contents))
        )
        first = rows[: 20 * READ]
        self.read.update(self.rng.permutation(first)[:READ].tolist())
        found = self._best_word()
        self.actions += 1
        if found is not None:
            word, label = found
            self.words.add(word)
            entry = {"name": f"word_{word}", "keywords": [word], "label": label, "on": "text"}
            declare_source(contents.project, entry)

    def _best_word(self) -> tuple[str, str] | None:
        """The word that tells a label best among the texts read, and that label: right votes less twice the wrong."""
        seen: dict[str, Counter[str]] = defaultdict(Counter)
        for row in self.read:
            label = [label for label in self.truth[row].values() if label is not None][-1]
            for word in set(re.findall(r"[a-z][a-z'-]+", self.texts[row].lower())):
                seen[word][label] += 1
        best: tuple[float, str, str] | None = None
        for word, labels in sorted(seen.items()):
            label, right = labels.most_common(1)[0]
            worth = right - 2 * (labels.total() - right)
            if word not in self.words and right >= LEAST_READ and (best is None or worth > best[0]):
                best = (worth, word, label)
        return None if best is None else (best[1], best[2])


def _joint(labels: Any) -> list[Any]:
    return labels if isinstance(labels, list) else [labels]


def demo(home: Path, seed: int) -> tuple[list[str], list[dict[str, str | None]]]:
    """The texts of the demo, in a project without sources."""
    made = home.with_name("example")
    write_example(made, 2_000, seed)
    texts = [json.loads(line)["text"] for line in (made / "texts.jsonl").read_text().splitlines()]
    gold = [json.loads(line) for line in (made / "gold.jsonl").read_text().splitlines()]
    tasks = """
[[tasks]]
name = "entity"
labels = ["Person", "Organization"]

[[tasks]]
name = "person"
labels = ["Doctor", "Lawyer"]
parent = ["entity", "Person"]

[[tasks]]
name = "org"
labels = ["Hospital", "Office"]
parent = ["entity", "Organization"]
"""
    write_project(home, texts, tasks)
    return texts, [{task: row[task] for task in ("entity", "person", "org")} for row in gold]


def trec(home: Path, seed: int) -> tuple[list[str], list[dict[str, str | None]]]:
    """Questions with gold, by their coarse label."""
    rows = [*items("trec50", "dev"), *items("trec50", "test_a")]
    texts, labels = [row["text"] for row in rows], [row["gold"].split(":")[0] for row in rows]
    names = ", ".join(f'"{label}"' for label in sorted(set(labels)))
    write_project(home, texts, f'\n[[tasks]]\nname = "kind"\nlabels = [{names}]\n')
    return texts, [{"kind": label} for label in labels]


def write_project(home: Path, texts: Sequence[str], tasks: str) -> None:
    home.mkdir()
    rows = [json.dumps({"id": f"t{number}", "text": text}) for number, text in enumerate(texts)]
    (home / "texts.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    toml = f'[data]\npath = "texts.jsonl"\nid = "id"\n{tasks}\n[model]\nallow_unidentifiable = true\n'
    (home / "assay.toml").write_text(toml, encoding="utf-8")


def at(scores: Sequence[tuple[int, float, float]], actions: int) -> tuple[float, float] | None:
    """The last scores after so many actions."""
    known = [(model, vote) for done, model, vote in scores if done <= actions]
    return known[-1] if known else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=3, help="of each kind of text (%(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore", CheckWarning)
    curves: dict[str, list[list[tuple[int, float, float]]]] = {}
    for name, make in {"demo": demo, "trec50, coarse": trec}.items():
        for seed in range(given.users):
            with tempfile.TemporaryDirectory() as scratch:
                home = Path(scratch) / "project"
                texts, truth = make(home, seed)
                user = User(home, truth, texts, np.random.default_rng(seed))
                user.work(max(ACTIONS))
                curves.setdefault(name, []).append(user.scores)
    rows = []
    for name, found in curves.items():
        for actions in ACTIONS:
            reached = [score for score in (at(scores, actions) for scores in found) if score is not None]
            figures = [f"{np.mean(part):.1f}" for part in zip(*reached, strict=True)] if reached else ["–", "–"]
            rows.append([name, str(actions), *figures])
    columns = ["texts", "actions", "labels right, %", "majority vote"]
    Console(width=100).print(plain_table(f"means of {given.users} scripted users", columns, rows))
    save(given.out / "quality_studio_hour.json", {"users": given.users, "curves": curves}, [])


if __name__ == "__main__":
    main()
