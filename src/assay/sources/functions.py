"""Sources that are Python functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from assay._core.arguments import whole_number
from assay._core.event_loop import gathered
from assay._core.foreign_settings import explains_foreign
from assay._core.rows import Batch
from assay.errors import SourceError
from assay.sources.base import Emission, Failure, Source, levels_for
from assay.sources.preprocessing import memoised
from assay.votes import intern

CONCURRENCY = 32
"""How many rows an ``async`` function is asked about at a time, unless it says so."""


@dataclass(frozen=True, kw_only=True)
class FunctionSource(Source):
    """A source that asks a Python function about each row."""

    function: Callable[..., Any]
    resources: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[Any, ...] | None = None
    cache: bool | None = None
    """Whether its votes may be kept for the next time; None: if they depend on nothing but the row and itself."""
    concurrency: int = CONCURRENCY
    """How many rows an ``async`` function is asked about at a time."""

    def __call__(self, row: Any) -> Any:
        """What the function says about one row; handy when trying a source out."""
        return self.function(row, **self.resources)

    def default_name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    @property
    def declared(self) -> tuple[Any, ...] | None:
        return self.labels

    def emit(self, batch: Batch) -> Emission:
        ask = functools.partial(self.function, **self.resources) if self.resources else self.function
        with memoised(batch):
            said, failures = (self._awaited if is_async(self.function) else self._asked)(ask, batch)
        codes, values = intern(said)
        return Emission(codes, values, failures)

    def _asked(self, ask: Callable[[Any], Any], batch: Batch) -> tuple[list[Any], list[Failure]]:
        said: list[Any] = []
        failures: list[Failure] = []
        rows = iter(batch.rows)
        while len(said) < len(batch):
            try:
                # Answers are kept as they come, so that after a failure we go on with the next row.
                said.extend(map(ask, rows))
            except Exception as error:
                failures.append(Failure(batch.start + len(said), error))
                said.append(None)
        return said, failures

    def _awaited(self, ask: Callable[[Any], Any], batch: Batch) -> tuple[list[Any], list[Failure]]:
        """The same of an ``async`` function, asked about several rows at a time."""
        said = gathered(ask, batch.rows, self.concurrency)
        failures = [Failure(batch.start + at, one) for at, one in enumerate(said) if isinstance(one, Exception)]
        return [None if isinstance(one, Exception) else one for one in said], failures


def is_async(function: Any) -> bool:
    """Whether a function gives what must be awaited: one that is written ``async def``, or an object that is called so.

    >>> async def asks(row): ...
    >>> is_async(asks), is_async(functools.partial(asks)), is_async(len)
    (True, True, False)
    """
    plain = function.func if isinstance(function, functools.partial) else function
    return inspect.iscoroutinefunction(plain) or inspect.iscoroutinefunction(getattr(plain, "__call__", None))  # noqa: B004


@overload
def source(function: Callable[..., Any], /) -> FunctionSource: ...
@overload
def source(
    *,
    task: str | Sequence[str] | None = None,
    name: str | None = None,
    labels: Sequence[Any] | None = None,
    levels: Sequence[float] | None = None,
    resources: Mapping[str, Any] | None = None,
    cache: bool | None = None,
    concurrency: int = CONCURRENCY,
) -> Callable[[Callable[..., Any]], FunctionSource]: ...
@explains_foreign
def source(
    function: Callable[..., Any] | None = None,
    /,
    *,
    task: str | Sequence[str] | None = None,
    name: str | None = None,
    labels: Sequence[Any] | None = None,
    levels: Sequence[float] | None = None,
    resources: Mapping[str, Any] | None = None,
    cache: bool | None = None,
    concurrency: int = CONCURRENCY,
) -> FunctionSource | Callable[[Callable[..., Any]], FunctionSource]:
    """Make a source of a function that looks at a row.

    The function returns a label name, ``{"task": "label", ...}`` to label several
    tasks at once (with ``None`` for one that does not apply), or ``None`` to abstain. It may say how sure it is:
    ``("label", 0.7)``, or the probability of each label, ``{"label": 0.7, "other": 0.2}``, of which it votes for
    the most probable, and what is missing to 1 is the probability of something else. It may be ``async def``: then
    it is asked about several rows at a time, which helps where it waits for a server.

    Parameters
    ----------
    task
        The task or tasks it labels. Without one the labels it returns decide.
    name
        What to call it; the function's name by default.
    labels
        The labels it may return, if you want others to be an error.
    levels
        Where levels of confidence start, ascending; below the lowest it abstains. By default they are cut from its
        own probabilities, which need not be calibrated. ``[]``: confidence does not count.
    resources
        What the function needs besides the row: passed as keyword arguments, and
        taken along to worker processes.
    cache
        Whether :func:`apply` may keep its votes and use them again, if it is told to keep any. By default it may, if
        the function, what it calls and the data they use are all that its votes depend on, as far as can be told.
        ``True`` promises so, for a function that asks a server, say; ``False`` says that it must be asked each time.
    concurrency
        How many rows an ``async`` function is asked about at a time.

    >>> @source(task="entity", resources={"titles": ("Dr.", "Mr.")})
    ... def honorific(row, titles):
    ...     return "Person" if row.text.startswith(titles) else None
    >>> honorific.name
    'honorific'
    """

    def decorate(function: Callable[..., Any]) -> FunctionSource:
        whole_number("concurrency", concurrency, least=1, error=SourceError)
        if not (cache is None or isinstance(cache, bool)):
            raise SourceError(f"cache must be True, False or None, but is {cache!r}")
        if not callable(function):
            raise SourceError(f"@assay.source decorates a function of a row, but got {function!r}")
        return FunctionSource(
            function=function,
            given_name=name,
            task=task if task is None or isinstance(task, str) else tuple(task),
            labels=None if labels is None else tuple(labels),
            levels=levels_for(levels),
            resources=dict(resources or {}),
            cache=cache,
            concurrency=concurrency,
        )

    return decorate if function is None else decorate(function)
