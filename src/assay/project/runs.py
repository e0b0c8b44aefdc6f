"""The runs of a project: what each was made from, its scores, and which labels it changed; the latest are kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import assay
from assay._core.atomic_files import read_arrays, read_json, write_arrays, write_json
from assay._core.reading import reading
from assay._core.stored_arrays import of_type, stored_array
from assay.errors import ProjectError
from assay.project.project import Project
from assay.project.provenance import FILES, LABELS, MODEL, RECORD_FILE, VOTES, Record, records
from assay.votes import matched_rows

if TYPE_CHECKING:
    from assay.labels import Labels
    from assay.tasks import Task
    from assay.votes import Names, Votes

RUNS_FOLDER = "runs"
NOT_APPLICABLE = "N/A"
"""The label of a task that does not apply, to be read."""
_RUN_FILE, _CHANGES_FILE = "run.json", "changed_labels.npz"
_FILES = (*FILES.values(), RECORD_FILE)
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ChangedLabels:
    """The labels of one task that a run changed."""

    rows: IntArray
    """(changes,): the items, by row number in this run."""
    before: IntArray
    """(changes,): the label before, by its place in the task's labels; one past the last is N/A."""
    after: IntArray


@dataclass(frozen=True)
class RunRecord:
    """A run that is kept: what it was made from, and what it gave."""

    number: int
    when: str
    """When it ended, in UTC."""
    folder: str
    """Where its votes, model and labels are."""
    items: int
    sources: Mapping[str, str | None]
    """By name the fingerprint of each source; None if it has none."""
    data: str | None
    """The digest of the data."""
    settings: Mapping[str, Any]
    """Of the label model."""
    hand_labels: int
    scores: Mapping[str, float]
    """Per method the accuracy against gold, if there is any."""
    previous: int | None = None
    """The run that it is compared with."""
    flipped: int | None = None
    """How many items have another label for some task than in the previous run; None if that cannot be told."""
    changed: tuple[str, ...] = ()
    """What is different from the previous run, in words."""
    version: str = assay.__version__

    def to_dict(self) -> dict[str, Any]:
        """Everything it says, for JSON."""
        return asdict(self)


def runs_folder(project: Project) -> Path:
    """Where a project's runs are kept."""
    return project.output / RUNS_FOLDER


def runs_of(project: Project) -> list[RunRecord]:
    """The runs that are kept, the oldest first."""
    return [_read(path) for path in _paths(runs_folder(project))]


def run_folder(project: Project, number: int) -> Path:
    """The folder of a run; raises if it is not kept."""
    known = {int(path.name): path for path in _paths(runs_folder(project))}
    if number not in known:
        kept = ", ".join(map(str, known)) or "none"
        raise ProjectError(f"{project.folder} has no run {number}; kept are: {kept}")
    return known[number]


def last_two(project: Project) -> tuple[Path, Path]:
    """The folders of the last run and the one before; raises if there are fewer."""
    paths = _paths(runs_folder(project))
    if len(paths) < 2:
        raise ProjectError(
            f"{project.folder} has {len(paths)} kept run{'s' * (len(paths) != 1)}, but two are needed to compare; "
            f"change something, and run 'assay run {project.folder}'"
        )
    return paths[-2], paths[-1]


def runs_to_compare(one: Path, other: Path | None, first: int | None, second: int | None) -> tuple[Path, Path]:
    """The folders of two runs, as a user names them: two folders, or one project and the numbers of its runs."""
    if other is None and first is None and second is None:
        return last_two(Project.load(one))
    before = one if first is None else run_folder(Project.load(one), first)
    if other is None and first is None:
        raise ProjectError("which run to compare with is told by --from, or by a second folder")
    after = one if other is None else other
    return before, after if second is None else run_folder(Project.load(after), second)


def changed_labels(project: Project, number: int | None = None) -> dict[str, ChangedLabels]:
    """By task the labels that a run changed, by default the last one; nothing for the first run."""
    paths = _paths(runs_folder(project))
    if number is None and not paths:
        return {}
    path = (paths[-1] if number is None else run_folder(project, number)) / _CHANGES_FILE
    if not path.is_file():
        return {}
    said, arrays = read_arrays(path, "list of changed labels")
    with reading(path, "list of changed labels", ProjectError):
        found = {}
        for at, task in enumerate(of_type(list[str], said["tasks"])):
            count = int(arrays[f"rows {at}"].size)
            columns = [stored_array(arrays, f"{name} {at}", (count,), np.int64, low=0)
                       for name in ("rows", "before", "after")]  # fmt: skip
            found[task] = ChangedLabels(*columns)
        return found


def keep_run(
    project: Project, votes: Votes, labels: Labels, *, hand_labels: int, scores: Mapping[str, float]
) -> RunRecord:
    """Keep what the output folder holds as a run, and forget the oldest; a run that gave the same is not kept again."""
    home = runs_folder(project)
    made = records(project.output)
    earlier = _paths(home)
    last = _read(earlier[-1]) if earlier else None
    if last is not None and _same_files(records(earlier[-1]), made):
        return last
    changes, flipped = _changes(earlier[-1], votes, labels) if earlier else ({}, None)
    entry = made[VOTES]
    number = 1 if last is None else last.number + 1
    now = RunRecord(
        number=number,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        folder=str(home / f"{number:04d}"),
        items=len(votes),
        sources=entry["sources"],
        data=entry["data"].get("digest"),
        settings=made[MODEL]["settings"],
        hand_labels=hand_labels,
        scores=dict(scores),
        previous=None if last is None else last.number,
        flipped=flipped,
        changed=() if last is None else tuple(_differences(last, entry, made[MODEL]["settings"], hand_labels)),
    )
    _write(home, now, project.output, changes)
    for old in _paths(home)[: -project.settings.keep_runs or None] if project.settings.keep_runs else _paths(home):
        shutil.rmtree(old, ignore_errors=True)
    return now


def _write(home: Path, run: RunRecord, output: Path, changes: Mapping[str, ChangedLabels]) -> None:
    unfinished = home / f".{run.number:04d}"
    shutil.rmtree(unfinished, ignore_errors=True)  # of a process that was killed
    unfinished.mkdir(parents=True)
    for name in _FILES:
        # Files are replaced and never changed, so that a second name for one costs nothing.
        try:
            os.link(output / name, unfinished / name)
        except OSError:
            shutil.copyfile(output / name, unfinished / name)
    arrays = {
        f"{name} {at}": getattr(one, name)
        for at, one in enumerate(changes.values())
        for name in ("rows", "before", "after")
    }
    write_arrays(unfinished / _CHANGES_FILE, {"tasks": list(changes)}, arrays)
    write_json(unfinished / _RUN_FILE, {key: value for key, value in run.to_dict().items() if key != "folder"})
    unfinished.rename(home / f"{run.number:04d}")


def _paths(home: Path) -> list[Path]:
    return sorted(path for path in home.glob("[0-9]*") if path.name.isdigit() and (path / _RUN_FILE).is_file())


def _read(path: Path) -> RunRecord:
    said = read_json(path / _RUN_FILE, "record of a run; remove its folder", ProjectError)
    with reading(path / _RUN_FILE, "record of a run; remove its folder", ProjectError):
        found: RunRecord = of_type(RunRecord, {**said, "folder": str(path)})
        return found


def _same_files(one: Mapping[str, Record], other: Mapping[str, Record]) -> bool:
    return all(
        one.get(name, {}).get("file") == other.get(name, {}).get("file") is not None for name in (VOTES, MODEL, LABELS)
    )


def _changes(earlier: Path, votes: Votes, labels: Labels) -> tuple[dict[str, ChangedLabels], int | None]:
    """By task the labels that are not what they were in an earlier run, and how many items have any."""
    from assay.labels import Labels

    before = Labels.from_parquet(earlier / FILES[LABELS])
    rows = _matched(before.items, len(before), labels.items, len(labels))
    if rows is None:
        return {}, None
    flipped = np.zeros(len(rows[0]), dtype=bool)
    found = {}
    for task in labels.tasks:
        if task not in before.tasks.tasks:
            continue
        was, now = chosen_labels(before, task)[rows[0]], chosen_labels(labels, task)[rows[1]]
        moved = was != now
        flipped |= moved
        found[task.name] = ChangedLabels(rows[1][moved], was[moved], now[moved])
    return found, int(flipped.sum())


def chosen_labels(labels: Labels, task: Task) -> IntArray:
    """(items,): the label of a task in the most probable outcome, by its place; one past the last where N/A."""
    index = labels.tasks.label_space.component_of(task.name)
    place = labels.tasks.label_space.components[index].label_of(task.name).astype(np.int64)
    chosen: IntArray = np.where(place < 0, len(task.labels), place)[labels.joint[index].argmax(axis=1)]
    return chosen


def _matched(before: Names | None, n: int, after: Names | None, m: int) -> tuple[IntArray, IntArray] | None:
    if before is not None and after is not None:
        return matched_rows(before, after)
    return (np.arange(n), np.arange(n)) if n == m else None


def _differences(last: RunRecord, votes: Record, settings: Mapping[str, Any], hand_labels: int) -> list[str]:
    """What is different from an earlier run, in words."""
    now = votes["sources"]
    told = [f"added {name}" for name in now if name not in last.sources]
    told += [f"removed {name}" for name in last.sources if name not in now]
    told += [f"changed {name}" for name in now if name in last.sources and now[name] != last.sources[name]]
    if votes["data"].get("digest") != last.data:
        told.append("other data")
    told += [f"{name} = {value!r}" for name, value in settings.items() if last.settings.get(name) != value]
    if hand_labels != last.hand_labels:
        told.append(f"{hand_labels:,} hand labels, before {last.hand_labels:,}")
    return told
