"""How far a reader has to walk: what a fit and a labeling pass through, counted.

    python -m benchmarks.walk --json walk.json

Follows ``LabelModel().fit(votes)`` and then ``.label(votes)`` on 250 simulated items of a hierarchy, call by call
and return by return, and looks at Python functions of the ``assay`` package only:

files, functions
    How many different ones are entered. Comprehensions and generator expressions are read where they stand
    and are not counted as functions.
hops
    Calls of functions from a function in another file: the next one on the stack that is in the package. A
    generator that goes on is not called again.
returns to the model
    How often the walk comes from another file, by a call or a return, to the file that defines ``LabelModel``.

Other votes are fitted and labeled first, so that nothing is compiled or imported on the way.
Nothing but public names is used: it runs on any version, ``PYTHONPATH=elsewhere/src python benchmarks/walk.py``.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from rich.console import Console
from rich.table import Table

import assay
from assay.simulate import task_world

ITEMS = 250
SPOKEN = ["entity"] * 4 + ["person"] * 3 + ["org"] * 3
"""The task of each of the ten sources."""
IN_PLACE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


@dataclass(frozen=True)
class Walk:
    files: int
    functions: int
    hops: int
    returns_to_the_model: int


class Follower:
    """Notes where control is, as ``sys.setprofile`` tells it; files are those of one package."""

    def __init__(self, package: Path, home: str) -> None:
        self._package = str(package) + os.sep
        self._home = home
        self._stack: list[str] = []
        self._here: str | None = None
        self._generators: set[FrameType] = set()
        self._files: set[str] = set()
        self._functions: set[CodeType] = set()
        self._hops = 0
        self._returns = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if not file.startswith(self._package):
            return
        if event == "call":
            self._called(frame, file)
            self._stack.append(file)
            self._to(file)
        elif event == "return":  # also by an exception, and where a generator yields
            self._stack.pop()
            if self._stack:
                self._to(self._stack[-1])

    def _called(self, frame: FrameType, file: str) -> None:
        code = frame.f_code
        if frame in self._generators:
            return
        if code.co_flags & inspect.CO_GENERATOR:
            self._generators.add(frame)
        self._files.add(file)
        if code.co_name not in IN_PLACE:
            self._functions.add(code)
        if self._stack and self._stack[-1] != file:
            self._hops += 1

    def _to(self, file: str) -> None:
        if self._here is not None and self._here != file == self._home:
            self._returns += 1
        self._here = file

    def walk(self) -> Walk:
        return Walk(len(self._files), len(self._functions), self._hops, self._returns)


def followed(run: Callable[[], Any]) -> tuple[Walk, Any]:
    """What a call passes through, and what it gives."""
    home = inspect.getsourcefile(assay.LabelModel)
    assert assay.__file__ is not None
    assert home is not None
    follower = Follower(Path(assay.__file__).parent, home)
    sys.setprofile(follower)
    try:
        given = run()
    finally:
        sys.setprofile(None)
    return follower.walk(), given


def some_votes(seed: int) -> assay.Votes:
    """Votes on a task graph of their own, so that nothing that was worked out before is found again."""
    tasks = assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            assay.Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        ]
    )
    return task_world(tasks, SPOKEN, seed=seed).draw(ITEMS).votes


def walks() -> dict[str, Walk]:
    os.environ["ASSAY_THREADS"] = "1"  # the walk is followed in this thread, so all of it had better be here
    before = some_votes(seed=1)
    assay.LabelModel().fit(before).label(before)
    votes = some_votes(seed=0)
    fit, model = followed(lambda: assay.LabelModel().fit(votes))
    label, _ = followed(lambda: model.label(votes))
    return {"fit": fit, "label": label}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--json", type=Path, default=None, help="a file to write the figures to")
    given = arguments.parse_args()
    found = walks()
    table = Table(title=f"a walk through {Path(assay.__file__ or '').parent}", title_justify="left")
    table.add_column("")
    figures = {name: asdict(walk) for name, walk in found.items()}
    for figure in figures["fit"]:
        table.add_column(figure.replace("_", " "), justify="right")
    for name, walk in figures.items():
        table.add_row(name, *map(str, walk.values()))
    Console().print(table)
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
