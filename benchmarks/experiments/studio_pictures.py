"""Pictures of the studio for the documentation, of the example project.

    python -m benchmarks.experiments.studio_pictures

Makes the example, adds two sources in sources.toml, labels forty items as its gold has them, and runs it twice; then
opens every screen in Chromium, and writes docs/_static/studio-*.png. Needs Chromium, and what the ``dev`` extra brings.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from assay.project import Answers, Project, Workbench, declare_source, queue, run, write_report
from assay.project.demo import write_example
from benchmarks.experiments.report_pictures import FLAGS, STATIC
from benchmarks.speed.studio import TOKEN, studio

SCREENS = {
    "overview": "/",
    "data": "/data?text=court&order=unsure",
    "item": "/items/5",
    "sources": "/sources",
    "new-source": "/sources/new?words=deposition&on=text&choice=Lawyer",
    "label": "/label?random=1",
    "runs": "/runs",
    "compare": "/runs/compare",
    "report": "/report",
}
PHONE = ("overview", "label", "sources")
LABELED = 40


def project(home: Path) -> None:
    """The example, with sources that are declared, hand labels, and two runs."""
    write_example(home, 3_000, 7)
    found = Project.load(home)
    declare_source(found, {"name": "heartbeat", "keywords": ["heartbeat"], "label": "Doctor", "on": "text"})
    declare_source(
        found, {"name": "files", "keywords": ["files", "law"], "label": {"none_of": ["Hospital"]}, "on": "text"}
    )
    run(found, progress=False)
    contents = Workbench(home).contents()
    columns = found.gold_columns()
    assert columns is not None
    answers = Answers.of(found, "ann")
    for queued in queue(found, LABELED):
        truth = {task: column[queued.row] for task, column in columns.items()}
        answers.record(queued, contents.item(queued.row), truth)
    run(found, progress=False)
    write_report(found)


def pictures(origin: str) -> None:
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, path in SCREENS.items():
            screenshot(browser, origin, path, STATIC / f"studio-{name}.png", width=1180, height=760)
        for name in PHONE:
            place = STATIC / f"studio-{name}-phone.png"
            screenshot(browser, origin, SCREENS[name], place, width=400, height=800, color_scheme="dark")
        browser.close()


def screenshot(
    browser: Any, origin: str, path: str, to: Path, *, width: int, height: int, color_scheme: str = "light"
) -> None:
    window = browser.new_context(viewport={"width": width, "height": height}, color_scheme=color_scheme)
    tab = window.new_page()
    tab.goto(f"{origin}/?token={TOKEN}")
    tab.goto(f"{origin}{path}")
    if "/new" in path:
        tab.wait_for_selector("#preview section", timeout=30_000)
    tab.wait_for_timeout(500)
    tab.screenshot(path=to)
    window.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "demo"
        project(home)
        with studio(home) as (client, _):
            pictures(str(client.base_url).rstrip("/"))
    print(f"wrote {len(SCREENS) + len(PHONE)} pictures to {os.path.relpath(STATIC)}", file=sys.stderr)


if __name__ == "__main__":
    main()
