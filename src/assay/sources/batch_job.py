"""Asking sources about a batch of rows: what a worker does, wherever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay._core.rows import Batch
from assay.errors import AssayError, SourceError, VoteError, near_miss
from assay.llm import Session
from assay.sources.base import Emission, Failure, Source
from assay.sources.patterns import PatternRule, match_patterns
from assay.sources.prompts import PromptSource, emit_prompts
from assay.tasks import LabelSpace, Vote, votes_for
from assay.votes import Fault, SoftReader, best_of, canonical, not_probabilities, smallest

OnError = Literal["raise", "abstain"]
Codes = npt.NDArray[np.signedinteger[Any]]
FloatArray = npt.NDArray[np.float64]


def declared_votes(sources: Sequence[Source], space: LabelSpace) -> dict[str, list[Vote]]:
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
class Failures:
    """The rows of a batch that a source failed on: how many, the first, and the first that counts as an error."""

    count: int
    row: int
    error: str
    grave: tuple[int, str] | None
    """The row and what is told of it; None if the source has such failures now and then."""
    cause: Exception | None = None

    def __getstate__(self) -> dict[str, Any]:
        # The cause may not survive the way back from a worker process; its text does.
        return {**self.__dict__, "cause": None}

    def fault(self, source: str) -> Fault:
        """As votes tell it."""
        return Fault(source, self.count, self.row, self.error)


@dataclass(frozen=True)
class Said:
    """What one source said about one batch."""

    codes: Codes
    """(rows,): indices into ``votes``, −1 where it abstains."""
    votes: list[tuple[Vote, ...]]
    """Those of this batch, without levels of confidence: one a code, unless any subset of labels may apply."""
    scores: FloatArray | None = None
    """(rows,): how sure it is; None if it is certain of all."""
    failed: Failures | None = None


Part = dict[str, Said]
"""What sources said about one batch, by name."""


@dataclass(frozen=True)
class Job:
    """Ask sources about a batch; what a worker process runs."""

    sources: Sequence[Source]
    space: LabelSpace
    declared: dict[str, list[Vote]]

    def __call__(self, given: tuple[Batch, frozenset[str] | None]) -> Part:
        """What the named sources say about a batch; None: all of them."""
        batch, wanted = given
        asked = [source for source in self.sources if wanted is None or source.name in wanted]
        emissions = zip(asked, self._emissions(asked, batch), strict=True)
        return {source.name: self._checked(source, emission, batch) for source, emission in emissions}

    def _emissions(self, asked: Sequence[Source], batch: Batch) -> Iterator[Emission]:
        """What each source says; all patterns in one go, since polars then uses all cores."""
        patterns = {source.name: source for source in asked if isinstance(source, PatternRule)}
        matched = dict(zip(patterns, match_patterns(patterns.values(), batch), strict=True))
        for source in asked:
            yield matched[source.name] if source.name in matched else source.emit(batch)

    def _checked(self, source: Source, emission: Emission, batch: Batch) -> Said:
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
                if not source.emits_others:
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
        return Said(codes, votes, sure, _failures(source, failures))

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
class PromptJob(Job):
    """Ask all prompts about a batch; always in this process, which alone knows what was asked and spent."""

    session: Session
    rows: frozenset[int] | None
    """The numbers of those to ask about; None: all."""

    def _emissions(self, asked: Sequence[Source], batch: Batch) -> Iterator[Emission]:
        prompts = [source for source in asked if isinstance(source, PromptSource)]
        yield from emit_prompts(prompts, batch, self.session, self.rows)


def _failures(source: Source, found: dict[int, Exception]) -> Failures | None:
    if not found:
        return None
    first, grave = min(found), min((row for row, error in found.items() if not source.forgives(error)), default=None)
    told = None if grave is None else (grave, _told(found[grave]))
    return Failures(len(found), first, _told(found[first]), told, None if grave is None else found[grave])


def _told(cause: Exception) -> str:
    return str(cause) if isinstance(cause, AssayError) else f"{type(cause).__name__}: {cause}"
