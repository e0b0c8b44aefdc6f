"""Apply sources to data: batch by batch, in one process or several, and no batch twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from assay._core.arguments import whole_number
from assay._core.batch_size import BATCH_SIZE
from assay._core.foreign_settings import explains_foreign
from assay._core.progress import Progress
from assay._core.rows import Batch, batches, row_count
from assay._core.warned import warn
from assay.engine import Auto, Engine, Local, Processes, engine_of
from assay.errors import FaultWarning, SourceError, TaskError
from assay.llm import PromptSettings, Session
from assay.sources.base import Source, flatten
from assay.sources.batch_job import Job, OnError, Part, PromptJob, declared_votes
from assay.sources.collected import Collected
from assay.sources.functions import FunctionSource, is_async
from assay.sources.kept_votes import KeptVotes
from assay.sources.naming import NamesInPassing
from assay.sources.prompts import PromptSource
from assay.tasks import TaskGraph, Vote, task_graph_declared_last
from assay.votes import Votes

_MOST_WAITING = 8
"""As many batches that nobody must be asked about wait for one before them."""
_MOST_TOLD = 5
"""As many failing sources are named in a warning."""


@explains_foreign
def apply(
    sources: Source | Iterable[Any],
    data: Any,
    tasks: TaskGraph | None = None,
    *,
    id: str | None = None,
    on_error: OnError = "raise",
    workers: int | Literal["auto"] = 1,
    engine: Engine | Literal["local"] = "local",
    batch_size: int = BATCH_SIZE,
    progress: bool = True,
    prompts: PromptSettings | None = None,
    ask: Iterable[int] | None = None,
    keep: str | Path | KeptVotes | None = None,
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
        ``"raise"`` stops and names source, row and cause; ``"abstain"`` takes it as an abstention,
        counts it in ``votes.faults`` and says so at the end, in a :class:`assay.FaultWarning`.
    workers
        How many processes to use. ``"auto"``: one, and after some seconds as many as there are cores, if one core is
        all that the sources use. The votes do not depend on it.
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
    keep
        A folder in which votes are kept, batch by batch: if this process is stopped, or a source fails, the next call
        goes on from there, and where one source has changed, only that one is asked again. Sources whose votes may
        depend on more than the row, their code and the data they use are always asked; :class:`assay.KeptVotes`
        tells which.

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
    if workers != "auto":
        whole_number("workers", workers, least=1, error=SourceError)
    whole_number("batch_size", batch_size, least=1, error=SourceError)
    flat = flatten(sources)
    graph = tasks if tasks is not None else task_graph_declared_last()
    if graph is None:
        raise TaskError("no task graph: declare assay.TaskGraph([...]) first, or give apply(..., tasks=...)")
    if not isinstance(graph, TaskGraph):
        raise TaskError(
            f"tasks must be a TaskGraph, but got {graph!r}; for one task with these labels write "
            "assay.TaskGraph.flat('label', ['Ham', 'Spam'])"
        )
    flat = [source.knowing({task.name: task.labels for task in graph.declared}) for source in flat]
    declared = declared_votes(flat, graph.label_space)
    collected = Collected(flat, graph, declared)
    asked = [source for source in flat if isinstance(source, PromptSource)]
    others = [source for source in flat if not isinstance(source, PromptSource)]
    place = _place(engine, workers, others)
    names = NamesInPassing(id, data)
    rows = names.noted(batches(data, batch_size))
    kept = keep if keep is None or isinstance(keep, KeptVotes) else KeptVotes(keep)
    with nullcontext() if kept is None else kept.opened(others, graph) as store:
        steps = _Steps(Job(others, graph.label_space, declared), place, store, on_error)
        if asked:
            chosen = None if ask is None else frozenset(map(int, ask))
            total = row_count(data) if chosen is None else len(chosen)
            settings = prompts or PromptSettings()
            parts = _with_prompts(steps, asked, declared, chosen, rows, total, settings, progress)
        else:
            parts = _with_progress(steps.parts(rows), row_count(data), progress)
        for part in parts:
            if on_error == "raise":
                _raise_failures(flat, part, names, data, batch_size)
            collected.add(part)
        if store is not None:
            store.prune()
    votes = replace(collected.votes(), items=names.all())
    if on_error == "abstain" and votes.faults:
        warn(FaultWarning(_failed(votes)))
    return votes


def _failed(votes: Votes) -> str:
    """Who failed how often, in a sentence."""
    told = [
        f"{fault.source!r} on {'all ' if fault.count == len(votes) else ''}{fault.count:,} of {len(votes):,} rows, "
        f"first on row {fault.row}: {fault.error}"
        for fault in sorted(votes.faults, key=lambda fault: -fault.count)[:_MOST_TOLD]
    ]
    more = len(votes.faults) - len(told)
    return "sources failed, and count as abstaining there: " + "; ".join(told) + (f"; and {more} more" if more else "")


def _place(engine: Any, workers: int | Literal["auto"], sources: Sequence[Source]) -> Engine:
    place = engine_of(engine)
    if workers == 1:
        return place
    if not isinstance(place, Local):
        if workers == "auto":
            return place
        raise SourceError(f"workers are processes of this machine; with engine={engine!r} leave them out")
    if workers == "auto":
        # What waits for a server in one process would wait in several.
        waits = any(isinstance(source, FunctionSource) and is_async(source.function) for source in sources)
        return place if waits else Auto()
    return Processes(workers)


@dataclass(frozen=True)
class _Steps:
    """Batch after batch to where the work is done, except for what is kept already."""

    job: Job
    place: Engine
    store: KeptVotes | None
    on_error: OnError

    def parts(self, rows: Iterable[Batch]) -> Iterator[tuple[Batch, Part]]:
        """The batches in their order, each with what all sources of the job said about it."""
        coming = iter(rows)
        for batch in coming:
            one = self._looked_up(batch)
            if one.missing:
                yield from self._worked(one, coming)
            else:
                yield one.batch, one.part

    def _worked(self, first: _Waiting, rows: Iterator[Batch]) -> Iterator[tuple[Batch, Part]]:
        """The same, from a batch that sources must be asked about; up to a stretch of batches about which none must.

        What is known waits for what is not, and none would ever come if nobody has to be asked any more: then all of
        the data would be held in memory.
        """
        waiting: deque[_Waiting] = deque()

        def pieces() -> Iterator[tuple[Batch, frozenset[str]]]:
            known = 0
            for one in chain([first], map(self._looked_up, rows)):
                waiting.append(one)
                if one.missing:
                    yield one.batch, one.missing
                known = 0 if one.missing else known + 1
                if known == _MOST_WAITING:
                    return

        def known() -> Iterator[tuple[Batch, Part]]:
            while waiting and not waiting[0].missing:
                one = waiting.popleft()
                yield one.batch, one.part

        for said in self.place.map(self.job, pieces()):
            yield from known()
            one = waiting.popleft()
            self._keep(one, said)
            yield one.batch, one.part | said
        yield from known()

    def _looked_up(self, batch: Batch) -> _Waiting:
        names = [source.name for source in self.job.sources]
        if self.store is None:
            return _Waiting(batch, None, {}, frozenset(names))
        digest = batch.digest()
        part: Part = {}
        for name in names:
            said = self.store.found(name, batch.start, len(batch), digest, self.job.space)
            if said is not None and not (said.failed and said.failed.grave and self.on_error == "raise"):
                part[name] = said
                self.store.note(name, batch.start, len(batch), is_kept=True)
        return _Waiting(batch, digest, part, frozenset(names) - part.keys())

    def _keep(self, one: _Waiting, part: Part) -> None:
        if self.store is not None:
            for name, said in part.items():
                self.store.note(name, one.batch.start, len(one.batch), is_kept=False)
                self.store.add(name, one.batch.start, one.digest, said, self.on_error)


@dataclass(frozen=True)
class _Waiting:
    """A batch on its way."""

    batch: Batch
    digest: bytes | None
    part: Part
    """What was kept of it."""
    missing: frozenset[str]
    """The sources that must be asked."""


def _raise_failures(sources: Sequence[Source], part: Part, names: NamesInPassing, data: Any, batch_size: int) -> None:
    """Raise the failure of the first source that has one; what the others said is kept by then."""
    for source in sources:
        failed = part[source.name].failed
        if failed is not None and failed.grave is not None:
            row, told = failed.grave
            item = names.of(row)
            which = f"row {row}" if item is None else f"row {row} (item {item!r})"
            again = () if isinstance(data, Iterator) else batches(data, batch_size)
            told = source.told_of_all(told, again)
            raise SourceError(f"source {source.name!r} failed on {which}: {told}") from failed.cause


def _with_progress(parts: Iterator[tuple[Batch, Part]], total: int | None, progress: bool) -> Iterator[Part]:
    with Progress("applying sources", total, show=progress) as bar:
        for batch, part in parts:
            yield part
            bar.advance(len(batch))


def _with_prompts(
    steps: _Steps,
    prompts: Sequence[PromptSource],
    declared: dict[str, list[Vote]],
    chosen: frozenset[int] | None,
    rows: Iterator[Batch],
    total: int | None,
    settings: PromptSettings,
    progress: bool,
) -> Iterator[Part]:
    """The parts of all sources: prompts are asked here, about batches whose other votes are done, wherever that was."""
    for prompt in prompts:
        settings.price_of(prompt.endpoint(settings).model)  # what is wrong with it is said before anything is asked
    calls = None if total is None else total * len(prompts)
    with (
        Progress("asking", calls, show=progress, unit="questions") as bar,
        Session(settings, bar=bar) as session,
    ):
        ask_prompts = PromptJob(prompts, steps.job.space, declared, session, chosen)
        for batch, part in steps.parts(rows):
            yield part | ask_prompts((batch, None))
