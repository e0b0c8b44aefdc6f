"""Where the work is done: in this process, in several, or on a cluster that exists.

An engine does one thing: it maps a job over pieces of the data and gives back
the results in the order of the pieces, each exactly once. Applying sources,
counting votes and labeling items are all such maps, so they run on any engine
and give the same votes, counts and labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from assay.engine.connecting import EngineName, EngineSettings, connected
from assay.engine.dask import WAIT, Dask
from assay.engine.job import is_installed
from assay.engine.local import Auto, Local, Processes
from assay.engine.spark import Spark
from assay.errors import AssayError

__all__ = [
    "WAIT",
    "Auto",
    "Dask",
    "Engine",
    "EngineName",
    "EngineSettings",
    "Local",
    "Processes",
    "Spark",
    "connected",
    "engine_of",
    "is_installed",
]

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Engine(Protocol):
    """Maps a job over pieces."""

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """The job's results in the order of the pieces. Pieces are asked for only as they are needed."""
        ...


def engine_of(given: Any) -> Engine:
    """The engine that a user named or made.

    >>> type(engine_of("local")).__name__
    'Local'
    """
    if isinstance(given, str) and given == "local":
        return Local()
    if not hasattr(given, "map") or isinstance(given, type):
        raise AssayError(
            "engine must be 'local', assay.engine.Dask(client), assay.engine.Spark(session) or "
            f"assay.engine.Processes(n), but is {given!r}"
        )
    engine: Engine = given
    return engine
