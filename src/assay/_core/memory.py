"""How much memory there is, so that what cannot fit is refused before it is gone."""

from __future__ import annotations

import os


def memory_bytes() -> int:
    """The memory of this machine; a generous guess where the system does not tell.

    >>> memory_bytes() > 10**8
    True
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return 2**36
