"""Engines by name: a cluster that is there, or one on this machine, connected to and left as settings say."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.engine.dask import WAIT, Dask
from assay.engine.local import Local
from assay.engine.spark import Spark
from assay.errors import AssayError

EngineName = Literal["local", "dask", "spark"]


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """Which engine does the work, and where it is."""

    kind: EngineName = "local"
    address: str | None = None
    """Of Dask's scheduler, or Spark's master; None: a cluster on this machine, with a process for each core."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """For Dask those of its ``Client``, or of ``LocalCluster`` without an address; for Spark its configuration."""
    wait: float = WAIT
    """How many seconds a Dask cluster may be without workers before that is an error."""


@contextmanager
def connected(settings: EngineSettings) -> Iterator[Local | Dask | Spark]:
    """The engine that settings name, for as long as the block lasts.

    >>> with connected(EngineSettings()) as engine:
    ...     type(engine).__name__
    'Local'
    """
    if settings.kind == "local":
        yield Local()
        return
    with ExitStack() as stack:
        make = _dask if settings.kind == "dask" else _spark
        try:
            engine = make(settings, stack)
        except ImportError as error:
            extra = f"assay[{settings.kind}]"
            raise AssayError(
                f"the engine {settings.kind!r} needs {error.name or settings.kind}: pip install '{extra}'"
            ) from error
        yield engine


def _dask(settings: EngineSettings, stack: ExitStack) -> Dask:
    import distributed as library

    distributed: Any = library  # without types
    options = dict(settings.options)
    try:
        if settings.address is None:
            given = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, **options}
            client = distributed.Client(stack.enter_context(distributed.LocalCluster(**given)))
        else:
            client = distributed.Client(settings.address, **options)
    except (OSError, TypeError, ValueError) as error:
        where = settings.address or "this machine"
        raise AssayError(f"cannot connect to a Dask cluster at {where}: {error}") from error
    return Dask(stack.enter_context(client), wait=settings.wait)


def _spark(settings: EngineSettings, stack: ExitStack) -> Spark:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # Workers on this machine must run this Python; those elsewhere are told by whoever set them up.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(settings.address or f"local[{os.cpu_count() or 1}]").appName("assay")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **settings.options,
    }.items():
        builder = builder.config(name, str(value).lower() if isinstance(value, bool) else str(value))
    try:
        session = builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise AssayError(
            f"cannot start Spark at {settings.address or 'this machine'}: {told}; is Java there?"
        ) from error
    stack.callback(session.stop)
    session.sparkContext.setLogLevel("OFF")
    return Spark(session)
