"""What sources said about all batches, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.sources.base import Source
from assay.sources.batch_job import FloatArray, Part
from assay.tasks import LabelSpace, TaskGraph, Vote
from assay.votes import Fault, Schema, SparseCodes, Votes, canonical, cast_votes, lookup, recode, smallest, value_table


class Collected:
    """The parts so far. Tables of values grow as values appear, and are put in order at the end."""

    def __init__(self, sources: Sequence[Source], tasks: TaskGraph, declared: Mapping[str, list[Vote]]) -> None:
        self.tasks = tasks
        self.names = [source.name for source in sources]
        self.tables = [list(_table(source, tasks.label_space, declared.get(source.name))) for source in sources]
        self.blocks: list[npt.NDArray[Any]] = []
        """Each (sources, rows): what is done with votes is done source by source."""
        self.scores: list[list[FloatArray | None]] = [[] for _ in sources]
        """Per source, and part: how sure it is. Levels of confidence are cut at the end, whatever the parts."""
        self.levels = {source.name: source.levels for source in sources if source.levels is not None}
        self.listed: list[SparseCodes] = []
        """The same where any subset of labels may apply, so that a source may cast several votes on a row."""
        self.faults: dict[str, Fault] = {}

    def add(self, part: Part) -> None:
        """Take what all sources said about the next batch."""
        columns = [part[name] for name in self.names]
        for table, said in zip(self.tables, columns, strict=True):
            known = set(table)
            table += dict.fromkeys(vote for votes in said.votes for vote in votes if vote not in known)
        rows = len(columns[0].codes)
        self._note([said.failed.fault(name) for name, said in part.items() if said.failed])
        if self.tasks.multiple:
            self.listed.append(cast_votes(rows, [(said.codes, said.votes) for said in columns], self.tables))
            return
        block = np.empty((len(columns), rows), dtype=smallest(max(map(len, self.tables))))
        for j, (table, said) in enumerate(zip(self.tables, columns, strict=True)):
            block[j] = recode(said.codes, [vote for (vote,) in said.votes], table)
            self.scores[j].append(said.scores)
        self.blocks.append(block)

    def _note(self, faults: Sequence[Fault]) -> None:
        for fault in faults:
            known = self.faults.get(fault.source)
            self.faults[fault.source] = (
                fault if known is None else Fault(known.source, known.count + fault.count, known.row, known.error)
            )

    def votes(self) -> Votes:
        """All of it."""
        tables = [canonical(self.tasks.label_space, table) for table in self.tables]
        faults = tuple(self.faults[name] for name in self.names if name in self.faults)
        if self.tasks.multiple:
            schema = Schema(self.tasks, tuple(self.names), tuple(tables))
            cast = SparseCodes.concat([SparseCodes.empty(len(self.names)), *self.listed])
            lookups = [lookup(old, new, schema.code_type) for old, new in zip(self.tables, tables, strict=True)]
            return Votes(schema, cast.recoded(lookups).ordered(), faults=faults)
        empty = np.empty((len(self.names), 0), dtype=np.int8)
        codes = np.concatenate(self.blocks or [empty], axis=1)
        scores = self._all_scores()
        self.blocks.clear()  # they are as large as the whole
        for j, (old, new) in enumerate(zip(self.tables, tables, strict=True)):
            codes[j] = recode(codes[j], old, new)
        return Votes.from_codes(
            self.tasks, codes.T, tuple(self.names), tuple(tables), faults=faults, scores=scores, levels=self.levels
        )

    def _all_scores(self) -> dict[str, FloatArray]:
        """Soft source -> (rows,): how sure it is. Where it says nothing of that, it is certain."""
        return {
            name: np.concatenate(
                [
                    np.ones(block.shape[1]) if part is None else part
                    for part, block in zip(parts, self.blocks, strict=True)
                ]
            )
            for name, parts in zip(self.names, self.scores, strict=True)
            if any(part is not None for part in parts)
        }


def _table(source: Source, space: LabelSpace, declared: Sequence[Vote] | None) -> tuple[Vote, ...]:
    """The values known before any row is read: the declared labels, or those of the one task."""
    if declared is not None:
        return canonical(space, set(declared))
    return value_table(space, [], source.task) if isinstance(source.task, str) and not space.multiple else ()
