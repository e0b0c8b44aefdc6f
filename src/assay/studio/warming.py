"""Working out beforehand what screens will ask for, after the start and after each run, so that nobody waits."""

from __future__ import annotations

import time
from contextlib import suppress
from threading import Thread

from assay.errors import AssayError
from assay.project import Contents, Workbench, labels_of_sample, source_lines

_EVERY = 1.0
"""Seconds between two looks at the folder."""


def keep_ready(workbench: Workbench) -> None:
    """From now on read what changes in a project's folder, in the background."""
    Thread(target=_watch, args=(workbench,), daemon=True).start()


def _watch(workbench: Workbench) -> None:
    seen = None
    while True:
        with suppress(AssayError):  # which is told to whoever asks for a screen
            contents = workbench.contents()
            if contents.results is not seen:
                seen = contents.results
                warm(contents)
        time.sleep(_EVERY)


def warm(contents: Contents) -> None:
    """Work out what screens ask for of all items."""
    results = contents.results
    _ = results.is_voted, results.is_contested, results.by_confidence, results.changed
    _ = contents.is_wrong
    source_lines(contents)
    if contents.labels is not None and contents.votes is not None:
        labels_of_sample(contents)
