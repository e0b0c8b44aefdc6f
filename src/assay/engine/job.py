"""A job on its way to other processes and back."""

from __future__ import annotations

import sys
import sysconfig
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import AssayError

_EVERYWHERE = ("assay", "cloudpickle", "dask", "distributed", "pyspark", "py4j")
"""Packages that workers have, wherever they are installed."""


def in_order(
    submit: Callable[[Any], Any],
    pieces: Iterable[Any],
    ahead: Callable[[], int],
    result: Callable[[Any], Any] = lambda future: future.result(),
) -> Iterator[Any]:
    """The results of pieces that were submitted for a future each, in their order; raises what a job raised.

    At most ``ahead()`` pieces are submitted beyond the one whose result is awaited: enough to keep workers
    busy, and no more, since they fill the memory. ``result`` waits for a future.
    """
    waiting: deque[Any] = deque()

    def next_result() -> Any:
        answer = result(waiting[0])  # a future that fails stays, to be cancelled with the others
        waiting.popleft()
        return _result_of(answer)

    try:
        for piece in pieces:
            waiting.append(submit(piece))
            if len(waiting) > ahead():
                yield next_result()
        while waiting:
            yield next_result()
    finally:
        for future in waiting:
            future.cancel()


def packed(job: Callable[[Any], Any]) -> bytes:
    """A job as bytes, with all that it needs: the user's own functions too, which are sent by value."""
    import cloudpickle

    try:
        with _own_modules_by_value():
            return bytes(cloudpickle.dumps(job))
    except Exception:
        # Something in a module of the user's cannot be sent; the workers may be able to import it.
        try:
            return bytes(cloudpickle.dumps(job))
        except Exception as error:
            raise AssayError(
                f"the work cannot be sent to other processes: {error}; open such things inside the source, "
                "or leave out the engine or the workers"
            ) from error


@contextmanager
def _own_modules_by_value() -> Iterator[None]:
    """Send what is defined in modules that are not installed along; workers elsewhere do not have them."""
    import cloudpickle

    known = cloudpickle.list_registry_pickle_by_value()
    own = [module for name, module in list(sys.modules.items()) if name not in known and _is_own(name, module)]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)


def _is_own(name: str, module: Any) -> bool:
    if not isinstance(module, ModuleType) or module.__name__ != name or name.split(".")[0] in _EVERYWHERE:
        return False
    return isinstance(getattr(module, "__file__", None), str) and not is_installed(name)


def is_installed(name: str, file: str | None = None) -> bool:
    """Whether a module came with Python or was installed, so that its version tells what it does.

    ``file`` says where it is, if it has not been imported. Modules of a user are not installed, nor is a checkout.

    >>> is_installed("re"), is_installed("numpy.linalg"), is_installed("__main__")
    (True, True, False)
    """
    top = name.split(".")[0]
    if top in sys.builtin_module_names or top in _EVERYWHERE:
        return True
    module = sys.modules.get(name) or sys.modules.get(top)
    where = file or getattr(module, "__file__", None)
    if not isinstance(where, str):
        return top in sys.stdlib_module_names and top != "__main__"
    if where in ("built-in", "frozen") or {"site-packages", "dist-packages"} & set(Path(where).parts):
        return True
    return any(where.startswith(sysconfig.get_path(library)) for library in ("stdlib", "platstdlib"))


@lru_cache(maxsize=4)
def _unpacked(job: bytes) -> Callable[[Any], Any]:
    import cloudpickle

    unpacked: Callable[[Any], Any] = cloudpickle.loads(job)
    return unpacked


def run(job: bytes, piece: Any) -> Any:
    """Do a packed job; what a worker calls. An error that a user caused comes back as a value."""
    try:
        work = _unpacked(job)
    except Exception as error:
        return Failed(
            AssayError,
            f"a worker cannot unpickle its job: {type(error).__name__}: {error}; it needs the packages of this process",
        )
    try:
        return work(piece)
    except AssayError as error:
        # Its cause may not survive the way back from another process; its text does.
        return Failed(type(error), str(error))


class Failed:
    """An error on its way back."""

    def __init__(self, kind: type[AssayError], message: str) -> None:
        self.kind = kind
        self.message = message


def _result_of(answer: Any) -> Any:
    if isinstance(answer, Failed):
        raise answer.kind(answer.message)
    return answer
