"""A Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from assay.engine.job import packed, result_of, run
from assay.errors import AssayError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Dask:
    """A Dask cluster, through its ``distributed.Client``.

    The workers need Assay installed. If one dies its pieces are done again by others;
    each result is taken once, so nothing is counted twice.

    Parameters
    ----------
    client
        A ``distributed.Client``.
    ahead
        How many pieces each thread of the cluster may have waiting.
    """

    def __init__(self, client: Any, *, ahead: int = 2) -> None:
        if not hasattr(client, "submit") or not hasattr(client, "scheduler_info"):
            raise AssayError(f"expected a distributed.Client, but got {client!r}")
        self.client = client
        self.ahead = ahead

    def __repr__(self) -> str:
        return f"Dask({self.client!r})"

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Pieces are sent as the cluster has room for them."""
        from distributed import KilledWorker

        work = self.client.scatter(packed(job), broadcast=True, hash=False)
        waiting: deque[Any] = deque()
        try:
            for piece in pieces:
                waiting.append(self.client.submit(run, work, piece, pure=False))
                if len(waiting) > self.ahead * self._threads():
                    yield result_of(waiting.popleft().result())
            while waiting:
                yield result_of(waiting.popleft().result())
        except KilledWorker as error:
            raise AssayError(f"workers of the Dask cluster died again and again on the same piece: {error}") from error
        finally:
            for future in waiting:
                future.cancel()

    def _threads(self) -> int:
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return max(sum(int(worker["nthreads"]) for worker in workers), 1)
