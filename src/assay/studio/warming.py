"""Working out beforehand what screens will ask for, after the start and after each run, so that nobody waits."""

from __future__ import annotations

import logging
import time
from threading import Thread

from assay.errors import AssayError
from assay.project import Contents, Workbench, labels_of_sample, source_lines

_log = logging.getLogger(__name__)
_EVERY = 1.0
"""Seconds between two looks at the folder."""


def keep_ready(workbench: Workbench) -> None:
    """From now on read what changes in a project's folder, in the background."""
    Thread(target=_watch, args=(workbench,), daemon=True).start()


def _watch(workbench: Workbench) -> None:
    seen = None
    while True:
        try:
            contents = workbench.contents()
            if contents.results is not seen:
                seen = contents.results
                warm(contents)
        except AssayError:  # which is told to whoever asks for a screen
            pass
        except Exception:
            _log.exception("looking at %s failed; screens still work, and may take longer", workbench.folder)
        time.sleep(_EVERY)


def warm(contents: Contents) -> None:
    """Work out what screens ask for of all items."""
    results = contents.results
    _ = results.is_voted, results.is_contested, results.by_confidence, results.changed
    _ = contents.is_wrong
    source_lines(contents)
    if contents.labels is not None and contents.votes is not None:
        labels_of_sample(contents)
