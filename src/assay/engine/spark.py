"""A Spark cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from assay.engine.job import packed, result_of, run
from assay.errors import AssayError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Spark:
    """A Spark cluster, through its ``SparkSession``.

    The workers need Assay installed, and ``PYSPARK_PYTHON`` must name the Python that has it.

    Parameters
    ----------
    session
        A ``pyspark.sql.SparkSession``.
    ahead
        How many pieces for each core of the cluster are sent in one Spark job.
    """

    def __init__(self, session: Any, *, ahead: int = 4) -> None:
        if not hasattr(session, "sparkContext"):
            raise AssayError(f"expected a pyspark.sql.SparkSession, but got {session!r}")
        self.session = session
        self.ahead = ahead

    def __repr__(self) -> str:
        return f"Spark({self.session!r})"

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Pieces are sent in waves, one Spark job each, so that they need not all be in memory."""
        from py4j.protocol import Py4JJavaError

        context = self.session.sparkContext
        work = context.broadcast(packed(job))
        remaining = iter(pieces)
        try:
            while wave := list(islice(remaining, self.ahead * max(context.defaultParallelism, 1))):
                spread = context.parallelize(wave, len(wave))
                try:
                    answers = spread.map(lambda piece: run(work.value, piece)).collect()
                except Py4JJavaError as error:
                    raise AssayError(f"the Spark job failed: {_last_line(error)}") from error
                yield from map(result_of, answers)
        finally:
            work.destroy()


def _last_line(error: Any) -> str:
    lines = [line.strip() for line in str(error.java_exception).splitlines() if line.strip()]
    telling = [line for line in lines if "Error" in line or "Exception" in line]
    return (telling or lines or [str(error)])[-1]
