"""Votes on new rows, without values that a fitted model has never met."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.errors import listing
from assay.votes.levels import bare
from assay.votes.schema import Schema
from assay.votes.sparse_codes import SparseCodes
from assay.votes.votes import Fault, Votes


def without_new_values(votes: Votes, known: Schema) -> Votes:
    """The same votes, in which a source abstains where it says what it never does in a schema; faults tell of these.

    >>> votes = Votes.from_matrix([[0], [2]], cardinality=3)
    >>> known = replace(votes.schema, values=(votes.values[0][:2],))
    >>> less = without_new_values(votes, known)
    >>> less.codes.tolist(), less.faults[0].count, less.faults[0].row
    ([[0], [-1]], 1, 1)
    """
    if votes.tasks != known.tasks:  # whoever uses both says what is wrong, or puts labels together
        return votes
    cast = votes.cast
    rows = np.repeat(np.arange(len(votes)), np.diff(cast.starts))
    new = np.zeros(len(rows), dtype=bool)
    faults = []
    for name, table in zip(known.names, known.values, strict=True):
        if name not in votes.names:
            continue
        source, labels = votes.names.index(name), {bare(vote) for vote in table}
        strange = [code for code, vote in enumerate(votes.values[source]) if bare(vote) not in labels]
        found = (cast.sources == source) & np.isin(cast.codes, strange)
        if found.any():
            new |= found
            said = listing(sorted({str(votes.values[source][code]) for code in cast.codes[found].tolist()}))
            told = f"it says {said}, which the model did not learn of"
            faults.append(Fault(name, int(found.sum()), int(rows[found][0]), told))
    if not faults:
        return votes
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[~new], minlength=len(votes)))])
    store = SparseCodes(starts, cast.sources[~new], cast.codes[~new], cast.width)
    return replace(votes, store=store, faults=(*votes.faults, *faults))
