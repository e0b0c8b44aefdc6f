"""Debian's Chromium, for tests that look at pages as people do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def path_of_chromium() -> str:
    """Where Chromium is; without it tests are skipped, or fail where everything should be there."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("pages are looked at in Chromium, and there is none: make system")
        pytest.skip("pages are looked at in Chromium, and there is none: apt-get install chromium")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser with a new, empty profile."""
    from playwright.sync_api import sync_playwright

    path = path_of_chromium()
    with sync_playwright() as player:
        started = player.chromium.launch(executable_path=path, args=FLAGS, chromium_sandbox=False)
        yield started
        started.close()
