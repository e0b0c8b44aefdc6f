"""The same to the last bit: counts, models and labels."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from assay import LabelModel, Labels, Tally


def same_array(one, other):
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def same_sketch(one, other):
    if one is None or other is None:
        return one is other
    return (
        all(same_array(getattr(one, name), getattr(other, name)) for name in ("keys", "counts", "buckets"))
        and np.array_equal(one.rows.dense(), other.rows.dense())
        and one.limit == other.limit
        and same_sketch(one.frequent, other.frequent)
    )


def same_counts(one: Tally, other: Tally) -> bool:
    """Every field, bit for bit."""
    return (
        one.schema == other.schema
        and one.items == other.items
        and all(same_array(getattr(one, name), getattr(other, name)) for name in ("single", "covered", "pair"))
        and _same_overlaps(one.counted_overlaps, other.counted_overlaps)
        and _same_meetings(one.meetings, other.meetings)
        and same_sketch(one.sketch, other.sketch)
        and (one.parts is None) == (other.parts is None)
        and all(same_counts(*pair) for pair in zip(one.parts or (), other.parts or (), strict=True))
    )


def _same_meetings(one, other):
    if one is None or other is None:
        return one is other
    return all(
        same_array(getattr(mine, name), getattr(theirs, name))
        for mine, theirs in zip(one, other, strict=True)
        for name in ("pairs", "overlap", "agreement")
    )


def _same_overlaps(one, other):
    if one is None or other is None:
        return one is other
    return all(
        np.array_equal(a.overlap, b.overlap) and np.array_equal(a.agreement, b.agreement)
        for a, b in zip(one, other, strict=True)
    )


def same_labels(one: Labels, other: Labels) -> bool:
    return (
        one.tasks == other.tasks
        and all(np.array_equal(a, b) for a, b in zip(one.joint, other.joint, strict=True))
        and same_array(one.items, other.items)
        and same_array(one.has_votes, other.has_votes)
    )


def as_stored(labels: Labels) -> Labels:
    """Labels as they come back from a file, which keeps seven digits."""
    with TemporaryDirectory() as folder:
        return Labels.from_parquet(labels.to_parquet(Path(folder) / "labels.parquet"))


def same_model(one: LabelModel, other: LabelModel) -> bool:
    return all(
        np.array_equal(a, b) for a, b in zip(one.conditionals_, other.conditionals_, strict=True)
    ) and np.array_equal(one.class_balance_, other.class_balance_)
