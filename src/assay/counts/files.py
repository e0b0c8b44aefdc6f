"""Counts on disk: plain arrays, and JSON for what they are counts of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay._core.atomic_files import Arrays, read_arrays, write_arrays
from assay.errors import AssayError
from assay.tasks import TaskGraph
from assay.votes import Votes

_FORMAT = 1


def write_counts(path: str | Path, nothing: Votes, arrays: Arrays) -> Path:
    """Write counts whole, or not at all."""
    return write_arrays(path, {"format": _FORMAT, "counts of": description(nothing)}, arrays)


def read_counts(path: str | Path) -> tuple[Votes, Arrays]:
    """What :func:`write_counts` was given."""
    stored = read_arrays(path, "counts")
    try:
        said = json.loads(str(stored["said"]))
        whose = said["counts of"]
        if said["format"] != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (counts format {said['format']})")
        return described(whose), stored
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise AssayError(f"{path} holds no counts that Assay wrote, or is damaged: {error}") from error


def description(nothing: Votes) -> dict[str, Any]:
    """Tasks, sources and their values, as JSON has them."""
    return {
        "tasks": nothing.tasks.to_dict(),
        "sources": [
            {"name": name, "values": [dict(vote.labels) for vote in values]}
            for name, values in zip(nothing.names, nothing.values, strict=True)
        ],
    }


def described(said: Mapping[str, Any]) -> Votes:
    """No votes of the sources that were described."""
    tasks = TaskGraph.from_dict(said["tasks"])
    names = tuple(source["name"] for source in said["sources"])
    values = tuple(tuple(tasks.label_space.vote(value) for value in source["values"]) for source in said["sources"])
    return Votes(tasks, np.empty((0, len(names)), dtype=np.int8), names, values)
