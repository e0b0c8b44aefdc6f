"""What holds for the whole program: whether tracebacks are shown, and where JSON goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Session:
    """One run of the program."""

    debug: bool = False
    json_out: int | None = None
    """The file descriptor that only JSON goes to, once everything else that is printed goes to stderr."""


session = Session()
