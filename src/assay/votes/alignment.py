"""Checks that votes can be recoded to the schema of other votes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assay.errors import VoteError, listing
from assay.votes.levels import bare
from assay.votes.schema import Schema
from assay.votes.sparse_codes import CodeArray


def check_sources(given: Schema, wanted: Schema) -> None:
    """Raise unless both have the same tasks, and no source is missing."""
    if given.tasks != wanted.tasks:
        raise VoteError("these votes are on other tasks than those the model was fitted on")
    known = set(given.names)
    missing = [name for name in wanted.names if name not in known]
    if missing:
        raise VoteError(f"these votes lack sources that the model was fitted on: {listing(missing)}")


def check_emitted(given: Schema, wanted: Schema, emitted_by: Iterable[CodeArray]) -> None:
    """Raise if a source emitted a value that it does not have in the wanted schema.

    ``emitted_by`` are the codes of each source, in any order. Values that are listed but were never emitted are
    ignored.
    """
    for name, table, known, codes in zip(wanted.names, given.values, wanted.values, emitted_by, strict=True):
        labels = {bare(vote) for vote in known}
        unknown = [code for code, vote in enumerate(table) if bare(vote) not in labels]
        if not unknown:
            continue
        emitted = np.flatnonzero(np.isin(codes, unknown))
        if len(emitted):
            raise VoteError(
                f"source {name!r} says {str(table[codes[emitted[0]]])!r}, "
                "which is not among the values that the model was fitted on; fit it on votes that have it, or declare "
                "beforehand what the source may say, as with @assay.source(task=...) or labels=[...]"
            )
