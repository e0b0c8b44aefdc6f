"""A Dask cluster."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from assay.engine.job import in_order, packed, run
from assay.errors import AssayError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


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
        from distributed import CancelledError, KilledWorker

        # A task like the others, and not scattered: then it can be had again when all that hold it have died.
        work = self._submit(_itself, packed(job))
        try:
            yield from in_order(
                lambda piece: self._submit(run, work, piece), pieces, lambda: self.ahead * self._threads()
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

    def _threads(self) -> int:
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return max(sum(int(worker["nthreads"]) for worker in workers), 1)


def _itself(given: bytes) -> bytes:
    return given
