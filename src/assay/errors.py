"""Everything that can go wrong through a user's hand, and how we say it.

Every error derives from :class:`AssayError` and says four things: what was
expected, what came, where, and what to do about it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import Any, Self

_LONGEST_LINE = 1_000
"""Longer lines of a message quote something whole that nobody reads, such as the contents of a file."""


class AssayError(Exception):
    """Base of every error that a user of Assay can cause.

    Its message can be printed, and read: a long line, which quotes a long value, is cut in the middle.

    >>> len(str(AssayError(f"expected a label, but got {'x' * 50_000!r}; write its name")))
    1000
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(readable(arg) if isinstance(arg, str) else arg for arg in args))


class TaskError(AssayError):
    """The task graph contradicts itself or names something that does not exist."""


class VoteError(AssayError):
    """A vote, or a table of votes, does not fit the label space."""


class SourceError(AssayError):
    """A source is badly declared, or failed on a row."""


class DataError(AssayError):
    """The data cannot be read, or lacks what a source asks for."""


class UnidentifiableError(AssayError):
    """Nothing useful can be learned from the votes, whatever the method; the message says why."""


class NotFittedError(AssayError, ValueError, AttributeError):
    """An estimator was asked for what it has yet to learn; the message says what to call first.

    Where scikit-learn is in use, what is raised is an instance of its ``NotFittedError`` too; and it is an
    ``AttributeError``, so that ``hasattr(model, "sources_")`` is False before ``fit``.
    """

    def __new__(cls, *args: Any) -> Self:
        """The error of both libraries, if scikit-learn is loaded; nobody can be waiting for its error before that."""
        theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
        return super().__new__(cls if theirs is None else _of_both(theirs), *args)

    def __reduce__(self) -> tuple[Any, ...]:
        return NotFittedError, self.args


@cache
def _of_both(theirs: type) -> type[Any]:
    """The class of errors that are ours and scikit-learn's; to whoever looks at it, it is ours."""
    ours = NotFittedError
    return type(ours.__name__, (ours, theirs), {"__module__": ours.__module__, "__doc__": ours.__doc__})


class FaultWarning(UserWarning):
    """Sources failed on some rows, and were taken to abstain there, as :func:`assay.apply` was told to."""


class CheckWarning(UserWarning):
    """What :func:`assay.check` warns of, found while a label model was fitted; the message starts with its code.

    One kind is silenced by its code, all of them by the category:

    >>> import warnings
    >>> warnings.filterwarnings("ignore", "A304", CheckWarning)
    >>> warnings.simplefilter("ignore", CheckWarning)
    """


class ProjectError(AssayError):
    """A project folder or its ``assay.toml`` is not as it should be."""


def readable(text: str) -> str:
    """A message with its long lines cut in the middle, and half characters (lone surrogates) written as escapes.

    >>> readable("a" * 2_000)[640:680]
    'aaaaaaaaa … 1,000 characters more … aaaa'
    """
    whole = text.encode("utf-8", "backslashreplace").decode()
    return "\n".join(map(_cut, whole.split("\n"))) if len(whole) > _LONGEST_LINE else whole


def _cut(line: str) -> str:
    left_out = len(line) - _LONGEST_LINE
    if left_out <= 0:
        return line
    # What went wrong comes first and what to do about it last; what was quoted is between them.
    notice = f" … {left_out:,} characters more … "
    kept = _LONGEST_LINE - len(notice)
    return line[: kept - kept // 3] + notice + line[-(kept // 3) :]


def near_miss(name: object, options: Iterable[str]) -> str:
    """The sentence that helps after an unknown name: the nearest option, or all of them.

    >>> near_miss("Docter", ["Doctor", "Lawyer"])
    "Did you mean 'Doctor'?"
    >>> near_miss("x", ["Doctor", "Lawyer"])
    "Known: 'Doctor', 'Lawyer'."
    """
    known = list(options)
    lowered = {option.lower(): option for option in known}
    close = get_close_matches(str(name)[:_LONGEST_LINE].lower(), lowered, n=1)
    if close:
        return f"Did you mean {lowered[close[0]]!r}?"
    return f"Known: {listing(known)}." if known else "None are known."


def listing(names: Iterable[object], most: int = 8) -> str:
    """Names in quotes, cut after ``most``.

    >>> listing(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = [repr(name) for name in names]
    cut = len(shown) - most
    return ", ".join(shown) if cut <= 0 else f"{', '.join(shown[:most])} and {cut} more"
