"""A Spark cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from assay.engine.job import in_order, packed, run
from assay.errors import AssayError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


_ATTEMPTS = 3
"""How often a piece is tried whose worker died."""
_DIED = "Python worker exited unexpectedly"


class Spark:
    """A Spark cluster, through its ``SparkSession``.

    The workers need Assay installed, and ``PYSPARK_PYTHON`` must name the Python that has it.

    Parameters
    ----------
    session
        A ``pyspark.sql.SparkSession`` that runs in this process; Spark Connect has no way to send functions.
    ahead
        How many pieces for each core of the cluster may be waiting.
    """

    def __init__(self, session: Any, *, ahead: int = 2) -> None:
        if not hasattr(session, "sparkContext"):
            raise AssayError(f"expected a pyspark.sql.SparkSession, but got {session!r}")
        self.session = session
        self.ahead = ahead

    def __repr__(self) -> str:
        return f"Spark({self.session!r})"

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """A Spark job for each piece, so that a slow one holds up no others and limits are those of a piece."""
        from py4j.protocol import Py4JJavaError

        context = self.session.sparkContext
        cores = max(int(context.defaultParallelism), 1)
        work = context.broadcast(packed(job))

        def ask(piece: Piece, attempts: int = _ATTEMPTS) -> Any:
            try:
                (answer,) = context.parallelize([piece], 1).map(lambda given: run(work.value, given)).collect()
            except Py4JJavaError as error:
                # With local[n] Spark itself does not try again; a piece that kills every worker is given up.
                if attempts > 1 and _DIED in str(error.java_exception):
                    return ask(piece, attempts - 1)
                raise AssayError(f"the Spark job failed: {_telling(error)}") from error
            return answer

        try:
            with ThreadPoolExecutor(cores, thread_name_prefix="assay-spark") as pool:
                yield from in_order(lambda piece: pool.submit(ask, piece), pieces, lambda: self.ahead * cores)
        finally:
            work.destroy()


def _telling(error: Any) -> str:
    """The line of a Java exception that says most: the last one that names an error."""
    lines = [line.strip() for line in str(error.java_exception).splitlines() if line.strip()]
    named = [line for line in lines if "Error" in line or "Exception" in line]
    return (named or lines or [str(error)])[-1]
