"""Labels of some items of a file that may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay.labels.files import StoredLabels
from assay.labels.labels import Labels


def label_parts(path: Path) -> Iterator[Labels]:
    """The labels of a file, part by part, without their gold."""
    stored = StoredLabels.of(path)
    refined, start = stored.refined(), 0
    for joint, items, has_votes in stored.parts():
        stop = start + len(joint[0])
        told = None if refined is None else refined.take(slice(start, stop))
        yield Labels(stored.tasks, joint, items, has_votes=has_votes, refined=told)
        start = stop


def labels_of_rows(path: Path, rows: npt.NDArray[np.int64]) -> Labels:
    """The labels of some rows of a file, in ascending order, with the gold that these items carry."""
    stored = StoredLabels.of(path)
    found, start = [], 0
    for part in label_parts(path):
        wanted = np.zeros(len(part), dtype=bool)
        wanted[rows[(rows >= start) & (rows < start + len(part))] - start] = True
        found.append(part.where(wanted))
        start += len(part)
    whole = Labels.concat(found) if found else Labels.from_parquet(path)
    gold = stored.gold
    if gold is not None:
        here = np.isin(gold.rows, rows)
        gold = gold.take(here, np.searchsorted(rows, gold.rows[here])) if here.any() else None
    return Labels(whole.tasks, whole.joint, whole.items, gold=gold, has_votes=whole.has_votes)
