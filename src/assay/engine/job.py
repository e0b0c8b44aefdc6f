"""A job on its way to other processes and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from assay.errors import AssayError


def packed(job: Callable[[Any], Any]) -> bytes:
    """A job as bytes, with all that it needs: functions of the user's session too, which are sent by value."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(job))
    except Exception as error:
        raise AssayError(
            f"the work cannot be sent to other processes: {error}; open such things inside the source, "
            "or leave out the engine or the workers"
        ) from error


@lru_cache(maxsize=4)
def _unpacked(job: bytes) -> Callable[[Any], Any]:
    import cloudpickle

    unpacked: Callable[[Any], Any] = cloudpickle.loads(job)
    return unpacked


def run(job: bytes, piece: Any) -> Any:
    """Do a packed job; what a worker calls. An error that a user caused comes back as a value."""
    try:
        return _unpacked(job)(piece)
    except AssayError as error:
        # Its cause may not survive the way back from another process; its text does.
        return Failed(type(error), str(error))


class Failed:
    """An error on its way back."""

    def __init__(self, kind: type[AssayError], message: str) -> None:
        self.kind = kind
        self.message = message


def result_of(answer: Any) -> Any:
    """What the job returned; raises what it raised."""
    if isinstance(answer, Failed):
        raise answer.kind(answer.message)
    return answer
