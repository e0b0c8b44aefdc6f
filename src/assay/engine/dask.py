"""A Dask cluster."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from assay.engine.job import in_order, packed, run
from assay.errors import AssayError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


WAIT = 60.0
"""How many seconds a cluster may be without workers, unless it is said."""
_LOOK_EVERY = 2.0
"""Seconds between two looks whether there are workers."""


class Dask:
    """A Dask cluster, through its ``distributed.Client``.

    The scheduler and the workers need Assay installed. If a worker dies its pieces are done
    again by others; each result is taken once, so nothing is counted twice.

    Parameters
    ----------
    client
        A ``distributed.Client``.
    ahead
        How many pieces each thread of the cluster may have waiting.
    wait
        How many seconds the cluster may be without workers before that is an error.
    """

    def __init__(self, client: Any, *, ahead: int = 2, wait: float = WAIT) -> None:
        if not hasattr(client, "submit") or not hasattr(client, "scheduler_info"):
            raise AssayError(f"expected a distributed.Client, but got {client!r}")
        self.client = client
        self.ahead = ahead
        self.wait = wait

    def __repr__(self) -> str:
        return f"Dask({self.client!r})"

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Pieces are sent as the cluster has room for them."""
        from distributed import CancelledError, KilledWorker

        # A task like the others, and not scattered: then it can be had again when all that hold it have died.
        work = self._submit(_itself, packed(job))
        try:
            yield from in_order(
                lambda piece: self._submit(run, work, piece),
                pieces,
                lambda: self.ahead * self._threads(),
                self._result,
            )
        except KilledWorker as error:
            raise AssayError(f"workers of the Dask cluster kept dying on the same piece of data: {error}") from error
        except CancelledError as error:
            raise AssayError(f"the Dask cluster cancelled the work, or was closed: {error}") from error
        finally:
            work.cancel()

    def _submit(self, function: Callable[..., Any], *given: Any) -> Any:
        with warnings.catch_warnings():
            # Large pieces are meant to be with the scheduler, where no worker can lose them.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return self.client.submit(function, *given, pure=False)

    def _result(self, future: Any) -> Any:
        """The result of a future, unless there is nobody left who could compute it."""
        alone_since: float | None = None
        while True:
            try:
                return future.result(timeout=min(_LOOK_EVERY, self.wait))
            except TimeoutError:
                if future.done():  # meanwhile, or it is what the work itself raised
                    return future.result()
            if self._workers():
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since >= self.wait:
                raise AssayError(
                    f"the Dask cluster has had no workers for {self.wait:g} seconds; start some, and run this again"
                )

    def _workers(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        except OSError as error:
            raise AssayError(f"the scheduler of the Dask cluster cannot be reached: {error}") from error
        return found

    def _threads(self) -> int:
        return max(sum(int(worker["nthreads"]) for worker in self._workers().values()), 1)


def _itself(given: bytes) -> bytes:
    return given
