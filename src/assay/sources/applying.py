"""Apply sources to data: batch by batch, in one process or several."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay._core.arguments import whole_number
from assay._core.progress import Progress
from assay._core.rows import BATCH_SIZE, Batch, batches, row_count
from assay.engine import Engine, Local, Processes, engine_of
from assay.errors import AssayError, SourceError, TaskError, VoteError, near_miss
from assay.llm import PromptSettings, Session
from assay.sources.base import Emission, Failure, Source, flatten
from assay.sources.naming import NamesInPassing
from assay.sources.patterns import PatternRule, match_patterns
from assay.sources.prompts import PromptSource, emit_prompts
from assay.tasks import LabelSpace, TaskGraph, Vote, task_graph_declared_last, votes_for
from assay.votes import (
    Fault,
    Schema,
    SoftReader,
    SparseCodes,
    Votes,
    best_of,
    canonical,
    cast_votes,
    lookup,
    not_probabilities,
    recode,
    smallest,
    value_table,
)

OnError = Literal["raise", "abstain"]
Codes = npt.NDArray[np.signedinteger[Any]]
FloatArray = npt.NDArray[np.float64]


def apply(
    sources: Source | Iterable[Any],
    data: Any,
    tasks: TaskGraph | None = None,
    *,
    id: str | None = None,
    on_error: OnError = "raise",
    workers: int = 1,
    engine: Engine | Literal["local"] = "local",
    batch_size: int = BATCH_SIZE,
    progress: bool = True,
    prompts: PromptSettings | None = None,
    ask: Iterable[int] | None = None,
) -> Votes:
    """Ask every source about every row.

    Parameters
    ----------
    sources
        Functions decorated with :func:`assay.source`, rules such as
        :func:`assay.keywords`, and lists of them as :func:`assay.crowd` makes.
    data
        A pandas, polars or other dataframe; an Arrow table or stream; a DuckDB
        relation; a Hugging Face dataset; an iterable of dicts or objects; or a path
        to a CSV, JSONL or Parquet file, which is read piece by piece and may be
        larger than memory.
    tasks
        The task graph; by default the one that was declared last.
    id
        The column of the data that holds the names of the items: a value of its own for each
        row. Without it, the index of a pandas table names them, unless it only numbers the rows.
    on_error
        What to do when a source fails on a row or votes for an unknown label:
        ``"raise"`` stops and names source, row and cause; ``"abstain"`` counts it in
        ``votes.faults`` and takes it as an abstention.
    workers
        How many processes to use. The votes do not depend on it.
    engine
        Where to work: ``"local"``, or a cluster as ``assay.engine.Dask(client)`` or
        ``assay.engine.Spark(session)``. The votes do not depend on it.
    batch_size
        How many rows are worked on at a time. The votes do not depend on it.
    progress
        Whether to show progress on a terminal.
    prompts
        How :func:`assay.prompt` sources are asked: limits, budget, prices, and the cache of their answers. They are
        always asked from this process, whatever the engine.
    ask
        The numbers of the rows that prompts are asked about; on others they abstain. By default all.

    Returns
    -------
    Votes
        A row for each row of the data, a column for each source; ``votes.items`` has the names.

    Examples
    --------
    >>> from assay import TaskGraph, keywords, source
    >>> tasks = TaskGraph.flat("mail", ["ham", "spam"])
    >>> @source(task="mail")
    ... def greeting(row):
    ...     return "ham" if row.text.startswith("Dear") else None
    >>> rows = [{"text": "Dear Ana, lunch?"}, {"text": "win a prize"}]
    >>> apply([greeting, keywords(["prize"], "spam", on="text", name="prize")], rows, tasks).to_pandas()
      greeting prize
    0      ham  None
    1     None  spam
    """
    if on_error not in ("raise", "abstain"):
        raise SourceError(f"on_error must be 'raise' or 'abstain', but got {on_error!r}")
    for name, number in (("workers", workers), ("batch_size", batch_size)):
        whole_number(name, number, least=1, error=SourceError)
    flat = flatten(sources)
    graph = tasks if tasks is not None else task_graph_declared_last()
    if graph is None:
        raise TaskError("no task graph: declare assay.TaskGraph([...]) first, or give apply(..., tasks=...)")
    declared = _declared(flat, graph.label_space)
    collected = _Collected(flat, graph, declared)
    job = _Job(flat, graph.label_space, declared, on_error)
    place = engine_of(engine)
    if workers > 1:
        if not isinstance(place, Local):
            raise SourceError(f"workers are processes of this machine; with engine={engine!r} leave them out")
        place = Processes(workers)
    names = NamesInPassing(id, data)
    rows = names.noted(batches(data, batch_size))
    if any(isinstance(source, PromptSource) for source in flat):
        chosen = None if ask is None else frozenset(map(int, ask))
        total = row_count(data) if chosen is None else len(chosen)
        parts = _with_prompts(job, chosen, place, rows, total, prompts or PromptSettings(), progress)
    else:
        parts = _with_progress(place.map(job, rows), row_count(data), progress)
    for part in parts:
        collected.add(part)
    return replace(collected.votes(), items=names.all())


def _with_progress(parts: Iterator[_Part], total: int | None, progress: bool) -> Iterator[_Part]:
    with Progress("applying sources", total, show=progress) as bar:
        for part in parts:
            yield part
            bar.advance(len(part.columns[0].codes))


def _with_prompts(
    job: _Job,
    chosen: frozenset[int] | None,
    place: Engine,
    rows: Iterator[Batch],
    total: int | None,
    settings: PromptSettings,
    progress: bool,
) -> Iterator[_Part]:
    """The parts of all sources: prompts are asked here, about batches whose other votes are done, wherever that was."""
    prompts = [source for source in job.sources if isinstance(source, PromptSource)]
    others = [source for source in job.sources if not isinstance(source, PromptSource)]
    for prompt in prompts:
        settings.price_of(prompt.endpoint(settings).model)  # what is wrong with it is said before anything is asked
    waiting: deque[Batch] = deque()

    def noted() -> Iterator[Batch]:
        for batch in rows:
            waiting.append(batch)
            yield batch

    calls = None if total is None else total * len(prompts)
    with (
        Progress("asking", calls, show=progress, unit="questions") as bar,
        Session(settings, bar=bar) as session,
    ):
        ask_prompts = _PromptJob(prompts, job.space, job.declared, job.on_error, session, chosen)
        for other in place.map(replace(job, sources=others), noted()):
            asked = ask_prompts(waiting.popleft())
            yield _joined(job.sources, prompts, asked, others, other)


def _joined(
    sources: Sequence[Source], some: Sequence[Source], part: _Part, others: Sequence[Source], other: _Part
) -> _Part:
    """Two parts about the same batch as one, in the order of all sources."""
    said = dict(zip([source.name for source in (*some, *others)], (*part.columns, *other.columns), strict=True))
    return _Part([said[source.name] for source in sources], part.faults + other.faults)


def _declared(sources: Sequence[Source], space: LabelSpace) -> dict[str, list[Vote]]:
    """Per source that tells, the votes it may cast. An unknown task or label is refused before any row is read."""
    declared: dict[str, list[Vote]] = {}
    for source in sources:
        for task in (source.task,) if isinstance(source.task, str) else source.task or ():
            known = {*space.tasks, *space.multiple}
            if task not in known:
                raise SourceError(
                    f"source {source.name!r} labels task {task!r}, which does not exist. {near_miss(task, known)}"
                )
        try:
            votes = [vote for label in source.mentioned for vote in votes_for(space, label, source.task)]
            if source.declared is not None:
                declared[source.name] = votes
        except VoteError as error:
            raise SourceError(f"source {source.name!r}: {error}") from error
    return declared


@dataclass(frozen=True)
class _Part:
    """What all sources said about one batch."""

    columns: list[_Said]
    """Per source what it said."""
    faults: list[Fault]


@dataclass(frozen=True)
class _Said:
    """What one source said about one batch."""

    codes: Codes
    """(rows,): indices into ``votes``, −1 where it abstains."""
    votes: list[tuple[Vote, ...]]
    """Those of this batch, without levels of confidence: one a code, unless any subset of labels may apply."""
    scores: FloatArray | None = None
    """(rows,): how sure it is; None if it is certain of all."""


@dataclass(frozen=True)
class _Job:
    """Ask all sources about a batch; what a worker process runs."""

    sources: Sequence[Source]
    space: LabelSpace
    declared: dict[str, list[Vote]]
    on_error: OnError

    def __call__(self, batch: Batch) -> _Part:
        columns, faults = [], []
        for source, emission in zip(self.sources, self._emissions(batch), strict=True):
            said, fault = self._checked(source, emission, batch)
            columns.append(said)
            faults += [fault] if fault else []
        return _Part(columns, faults)

    def _emissions(self, batch: Batch) -> Iterator[Emission]:
        """What each source says; all patterns in one go, since polars then uses all cores."""
        patterns = {source.name: source for source in self.sources if isinstance(source, PatternRule)}
        matched = dict(zip(patterns, match_patterns(patterns.values(), batch), strict=True))
        for source in self.sources:
            yield matched[source.name] if source.name in matched else source.emit(batch)

    def _checked(self, source: Source, emission: Emission, batch: Batch) -> tuple[_Said, Fault | None]:
        """An emission with its values checked against the label space, and what was wrong with it."""
        if emission.probabilities is not None:
            emission = self._most_probable(source, emission, batch)
        failures = {failure.row: failure.error for failure in emission.failures}
        may_emit = self.declared.get(source.name)
        read = self._reader(source, may_emit)
        place_of: dict[tuple[Vote, ...], int] = {(): -1}
        lookup = np.full(len(emission.values) + 1, -1, dtype=smallest(len(emission.values)))
        scores = np.ones(len(emission.values) + 1)
        for code, value in enumerate(emission.values):
            try:
                said, scores[code] = read(value)
                self._check_declared(said, may_emit)
            except VoteError as error:
                failures |= {batch.start + int(row): error for row in np.flatnonzero(emission.codes == code)}
                continue
            lookup[code] = place_of.setdefault(said, len(place_of) - 1)
        votes = [said for said in place_of if said]
        # With a vote of its own for each value, a value's number is its vote's.
        codes = emission.codes if len(votes) == len(emission.values) else lookup[emission.codes]
        sure = emission.scores
        if sure is None and (scores != 1).any():
            sure = scores[emission.codes]
        found = _Said(codes, votes, sure)
        if not failures:
            return found, None
        grave = {row: error for row, error in failures.items() if not source.forgives(error)}
        if self.on_error == "raise" and grave:
            first = min(grave)
            cause = grave[first]
            # The cause may not survive the way back from a worker process; its text does.
            raise SourceError(f"source {source.name!r} failed on row {first}: {_told(cause)}") from cause
        first = min(failures)
        return found, Fault(source.name, len(failures), first, _told(failures[first]))

    def _reader(
        self, source: Source, may_emit: Sequence[Vote] | None
    ) -> Callable[[Any], tuple[tuple[Vote, ...], float]]:
        """What reads a value as votes, one unless any subset of labels may apply, and as how sure the source is."""
        if self.space.multiple:
            return lambda value: (votes_for(self.space, value, source.task, among=may_emit), 1.0)
        soft = SoftReader(self.space, source.task)

        def read(value: Any) -> tuple[tuple[Vote, ...], float]:
            vote, score = soft(value)
            return () if vote is None else (vote,), score

        return read

    def _check_declared(self, said: tuple[Vote, ...], may_emit: Sequence[Vote] | None) -> None:
        if may_emit is None:
            return
        # Whoever may name a label may also say that it does not apply.
        questions = {vote.tasks for vote in may_emit} if self.space.multiple else set()
        unexpected = [vote for vote in said if vote not in may_emit and vote.tasks not in questions]
        if unexpected:
            known = ", ".join(sorted({repr(str(vote)) for vote in may_emit}))
            raise VoteError(f"it is declared to emit {known}, but it voted {str(unexpected[0])!r}")

    def _most_probable(self, source: Source, emission: Emission, batch: Batch) -> Emission:
        """An emission of probabilities as one of labels and scores; of equal ones the first label of the task."""
        assert emission.probabilities is not None
        if self.space.multiple:
            raise SourceError(
                f"source {source.name!r} gives probabilities, which tasks with multiple=True do not take yet; "
                "name the labels above a threshold instead"
            )
        votes = [self.space.vote(value, source.task) for value in emission.values]
        order = [votes.index(vote) for vote in canonical(self.space, votes)]
        table = emission.probabilities[:, order]
        wrong = dict(not_probabilities(table))
        table[list(wrong)] = np.nan
        codes, scores = best_of(table)
        failures = [Failure(batch.start + row, VoteError(what)) for row, what in wrong.items()]
        values = [emission.values[at] for at in order]
        return Emission(codes, values, [*emission.failures, *failures], scores)


@dataclass(frozen=True)
class _PromptJob(_Job):
    """Ask all prompts about a batch; always in this process, which alone knows what was asked and spent."""

    session: Session
    rows: frozenset[int] | None
    """The numbers of those to ask about; None: all."""

    def _emissions(self, batch: Batch) -> Iterator[Emission]:
        prompts = [source for source in self.sources if isinstance(source, PromptSource)]
        yield from emit_prompts(prompts, batch, self.session, self.rows)


def _told(cause: Exception) -> str:
    return str(cause) if isinstance(cause, AssayError) else f"{type(cause).__name__}: {cause}"


class _Collected:
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

    def add(self, part: _Part) -> None:
        for table, said in zip(self.tables, part.columns, strict=True):
            known = set(table)
            table += dict.fromkeys(vote for votes in said.votes for vote in votes if vote not in known)
        rows = len(part.columns[0].codes)
        if self.tasks.multiple:
            said_of = [(said.codes, said.votes) for said in part.columns]
            self.listed.append(cast_votes(rows, said_of, self.tables))
            self._note(part.faults)
            return
        block = np.empty((len(part.columns), rows), dtype=smallest(max(map(len, self.tables))))
        for j, (table, said) in enumerate(zip(self.tables, part.columns, strict=True)):
            block[j] = recode(said.codes, [vote for (vote,) in said.votes], table)
            self.scores[j].append(said.scores)
        self.blocks.append(block)
        self._note(part.faults)

    def _note(self, faults: Sequence[Fault]) -> None:
        for fault in faults:
            known = self.faults.get(fault.source)
            self.faults[fault.source] = (
                fault if known is None else Fault(known.source, known.count + fault.count, known.row, known.error)
            )

    def votes(self) -> Votes:
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
