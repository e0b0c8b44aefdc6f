"""Soft votes: from labels and scores to values with levels of confidence, and from some levels to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.tasks import Vote
from assay.votes.dense_codes import DenseCodes
from assay.votes.encoding import canonical, lookup, smallest
from assay.votes.levels import Codes, bare, coded, is_soft, nearest, score_of, table_of
from assay.votes.schema import Schema

if TYPE_CHECKING:
    from assay.votes.votes import Store, Votes

FloatArray = npt.NDArray[np.float64]


def with_levels(votes: Votes, scores: Mapping[str, FloatArray], levels: Mapping[str, Sequence[float]]) -> Votes:
    """Votes for bare labels, with levels of confidence: given, or cut from the scores of each source."""
    tables, columns, kept = list(votes.values), list(votes.store.columns()), {}
    for j, name in enumerate(votes.names):
        codes, given = columns[j], levels.get(name)
        sure = scores.get(name)
        if given == () or (sure is None and given is None):
            continue
        if sure is None:
            sure = np.ones(len(votes))
        sure = np.where(codes < 0, np.nan, sure)
        if given is None and bool((sure[codes >= 0] == 1).all()):
            continue
        tables[j] = table_of(votes.label_space, votes.values[j], codes, sure, given)
        columns[j] = coded(tables[j], votes.values[j], codes, sure)
        sure.flags.writeable = False
        kept[name] = sure
    schema = Schema(votes.tasks, votes.names, tuple(tables))
    return replace(votes, schema=schema, store=_stored(columns, len(votes), schema), scores=kept)


def recoded(votes: Votes, schema: Schema) -> Store:
    """The votes with other tables of values for the same sources; levels are those of the new tables."""
    lookups = [nearest(old, new, schema.code_type) for old, new in zip(votes.values, schema.values, strict=True)]
    exact = {
        j: votes.scores[name]
        for j, name in enumerate(votes.names)
        if name in votes.scores and votes.values[j] != schema.values[j]
    }
    store = votes.store.recoded(lookups)
    if not exact or votes.is_sparse:
        return store
    columns = list(store.columns())
    for j, scores in exact.items():
        labels = tuple(dict.fromkeys(map(bare, votes.values[j])))
        said = lookup([bare(vote) for vote in votes.values[j]], labels, smallest(len(labels)))[votes.codes[:, j]]
        columns[j] = coded(schema.values[j], labels, said, scores)
    return _stored(columns, len(votes), schema)


def _stored(columns: Sequence[Codes], items: int, schema: Schema) -> DenseCodes:
    codes = np.empty((items, len(columns)), dtype=schema.code_type, order="F")
    for j, column in enumerate(columns):
        codes[:, j] = column
    return DenseCodes(codes)


def common_tables(blocks: Sequence[Votes]) -> tuple[tuple[Vote, ...], ...]:
    """Per source a table of values for all of some votes: levels are cut anew where they differ."""
    first = blocks[0]
    scored = {name for block in blocks for name in block.scores}
    found = []
    for j, tables in enumerate(zip(*(block.values for block in blocks), strict=True)):
        every = {vote for table in tables for vote in table}
        alike, levels = len(set(tables)) == 1, is_soft(every)
        # Parts that are too small for levels may be large enough together.
        if (levels and not alike) or (first.names[j] in scored and not levels):
            labels = canonical(first.label_space, {bare(vote) for vote in every})
            said, scores = zip(*(_labels_and_scores(block, j, labels) for block in blocks), strict=True)
            found.append(table_of(first.label_space, labels, np.concatenate(said), np.concatenate(scores), None))
        else:
            found.append(tables[0] if alike else canonical(first.label_space, every))
    return tuple(found)


def _labels_and_scores(votes: Votes, source: int, labels: Sequence[Vote]) -> tuple[Codes, FloatArray]:
    """(items,): which label a source says, −1 where it abstains, and how sure it is, as far as that is known."""
    table = votes.values[source]
    codes = votes.codes[:, source]
    said = lookup([bare(vote) for vote in table], labels, smallest(len(labels)))[codes]
    scores = votes.scores.get(votes.names[source])
    if scores is None:
        scores = np.array([*map(score_of, table), np.nan])[codes]
    return said, scores


def common_scores(blocks: Sequence[Votes]) -> dict[str, FloatArray]:
    """The scores of all of some votes of the same sources; 1 where one block has none, as its votes are certain."""
    named = dict.fromkeys(name for block in blocks for name in block.scores)
    return {
        name: np.concatenate([_labels_and_scores(block, block.position(name), ())[1] for block in blocks])
        for name in named
    }
