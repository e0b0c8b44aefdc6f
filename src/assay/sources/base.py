"""What a source is: something that says, for a batch of rows, which values it emits."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from assay.errors import SourceError, VoteError
from assay.votes import given_levels

if TYPE_CHECKING:
    from assay._core.rows import Batch


@dataclass(frozen=True)
class Failure:
    """A row on which a source failed, and why."""

    row: int
    error: Exception


@dataclass(frozen=True)
class Emission:
    """What a source said about a batch."""

    codes: npt.NDArray[np.signedinteger[Any]]
    """(rows,): indices into ``values``, −1 where it abstains."""
    values: Sequence[Any]
    """The labels as the source wrote them, not yet checked against the label space."""
    failures: Sequence[Failure] = ()
    scores: npt.NDArray[np.float64] | None = None
    """(rows,): how sure it is of each vote, from 0 to 1, if it says so apart from its values."""
    probabilities: npt.NDArray[np.float64] | None = None
    """(rows, values): in place of codes and scores, how probable each value is; a row of NaN abstains."""


@dataclass(frozen=True, kw_only=True)
class Source(ABC):
    """A labeler. Made by :func:`assay.source` or one of the rules, e.g. :func:`assay.keywords`."""

    given_name: str | None = None
    task: str | tuple[str, ...] | None = None
    """The task, or tasks, that it labels; without one the labels it emits decide."""
    levels: tuple[float, ...] | None = None
    """Where levels of confidence start, if that is given; if empty, confidence does not count."""

    @property
    def name(self) -> str:
        """What the source is called: as given, or else after what it does."""
        return self.given_name or self.default_name()

    @abstractmethod
    def default_name(self) -> str:
        """A name for a source that was given none."""

    @abstractmethod
    def emit(self, batch: Batch) -> Emission:
        """What the source says about the rows of a batch."""

    @property
    def declared(self) -> tuple[Any, ...] | None:
        """The labels it may emit, where that is known beforehand."""
        return None

    @property
    def mentioned(self) -> tuple[Any, ...]:
        """Labels that it was made with, to be checked before any row is read."""
        return self.declared or ()

    @property
    def emits_others(self) -> bool:
        """Whether it may emit labels beside the declared ones."""
        return False

    def knowing(self, labels: Mapping[str, Sequence[str]]) -> Source:
        """The same source for tasks with these labels, by task; most sources do not care."""
        return self

    @property
    def asks(self) -> str | None:
        """The language model that it asks, if any: sources that ask the same one may err alike."""
        return None

    def forgives(self, error: Exception) -> bool:
        """Whether a failure is what such a source has now and then: counted as an abstention, never raised."""
        return False

    def told_of_all(self, told: str, rows: Iterable[Batch]) -> str:
        """What to tell of a failure that stops everything, with all rows at hand, so that it need not happen again."""
        return told

    def named(self, name: str) -> Self:
        """The same source under another name."""
        return dataclasses.replace(self, given_name=name)


def levels_for(given: Sequence[float] | None) -> tuple[float, ...] | None:
    """The levels of confidence that a user gave a source, checked."""
    try:
        return None if given is None else given_levels(given)
    except VoteError as error:
        raise SourceError(str(error)) from error


def flatten(sources: Any) -> list[Source]:
    """Sources, and lists of sources as :func:`assay.crowd` makes them, as one list with unique names."""
    flat: list[Source] = []
    for entry in sources if isinstance(sources, Iterable) else [sources]:
        if isinstance(entry, Source):
            flat.append(entry)
        elif isinstance(entry, Iterable) and not isinstance(entry, str):
            flat += flatten(entry)
        else:
            what = f"the function {entry.__name__!r}" if hasattr(entry, "__name__") else repr(entry)
            raise SourceError(f"expected sources, but got {what}; decorate functions with @assay.source")
    seen: set[str] = set()
    for source in flat:
        if source.name in seen:
            raise SourceError(f"two sources are called {source.name!r}; tell them apart with name=...")
        seen.add(source.name)
    if not flat:
        raise SourceError("expected at least one source, but got none")
    return flat
