"""How much memory there is, so that what cannot fit is refused before it is gone."""

from __future__ import annotations

import os

from assay.errors import AssayError

_MOST = 0.7
"""How much of the memory may be needed; the rest is for what is there already."""


def memory_bytes() -> int:
    """The memory of this machine; a generous guess where the system does not tell.

    >>> memory_bytes() > 10**8
    True
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return 2**36


def check_memory(needed: float, what: str, advice: str, error: type[AssayError] = AssayError) -> None:
    """Refuse work that would need more than most of the memory, before it is gone.

    >>> check_memory(1e18, "counting the co-votes of 100,000,000 sources", "leave out some sources")
    Traceback (most recent call last):
    assay.errors.AssayError: counting the co-votes of 100,000,000 sources needs about 931,322,575 GiB of memory, ...
    """
    most = memory_bytes()
    if needed > _MOST * most:
        here = f"{most / 2**30:,.0f}"
        raise error(f"{what} needs about {needed / 2**30:,.0f} GiB of memory, but this machine has {here}; {advice}")
