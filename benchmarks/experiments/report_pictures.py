"""The report on the openi experiment, for the documentation: the page without texts, and pictures of it.

    ASSAY_DATA=... python -m benchmarks.experiments.report_pictures

Runs a copy of benchmarks/experiments/openi and writes docs/_static/report-openi.html and its pictures. Needs Chromium,
and what the ``dev`` extra brings.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from assay.project import Project, run, write_report
from benchmarks.experiments.prepare import HOME, prepare

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "docs" / "_static"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
ITEMS = 8


def project(folder: Path) -> Project:
    """A copy of the experiment, run."""
    home = folder / "openi"
    prepare("openi", "train")
    shutil.copytree(HOME / "openi", home, ignore=shutil.ignore_patterns("out"))
    found = Project.load(home)
    run(found, progress=False)
    return found


def pictures(page: Path) -> None:
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        top = opened(browser, page, width=1180, height=860)
        top.screenshot(path=STATIC / "report-top.png")
        # Else the menu is in the picture of every section.
        top.evaluate("document.querySelector('nav').style.position = 'static'")
        top.locator("#agreement").screenshot(path=STATIC / "report-agreement.png")
        top.locator("#contested summary").first.click()
        top.evaluate("scrollTo({top: 0, behavior: 'instant'})")
        box = top.locator("#disagreement").bounding_box()
        assert box is not None
        clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": min(box["height"], 760)}
        top.screenshot(path=STATIC / "report-items.png", full_page=True, clip=clip)
        opened(browser, page, width=400, height=860, color_scheme="dark").screenshot(path=STATIC / "report-phone.png")
        browser.close()


def opened(browser: Any, page: Path, *, width: int, height: int, color_scheme: str = "light") -> Any:
    window = browser.new_context(viewport={"width": width, "height": height}, color_scheme=color_scheme)
    tab = window.new_page()
    tab.goto(page.as_uri())
    return tab


def main() -> None:
    if "ASSAY_DATA" not in os.environ:
        sys.exit("ASSAY_DATA is not set: it names the folder with text/openi, from which the experiment is made")
    page = STATIC / "report-openi.html"
    with tempfile.TemporaryDirectory(prefix="assay-report-") as folder:
        write_report(project(Path(folder)), page, texts=False, items=ITEMS)
    pictures(page)
    for path in sorted(STATIC.glob("report-*")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:,.0f} kB")


if __name__ == "__main__":
    main()
