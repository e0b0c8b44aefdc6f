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
STEPS = {
    "data": "1. Look at data",
    "new-source": "2. Write a source, and see what it would do",
    "label": "3. Label some items, a key an answer",
    "report": "4. Run, and read what to fix first",
}
"""Screens side by side, for those who have not seen the studio yet."""
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
        steps(browser, STATIC / "studio-steps.png")
        browser.close()


def steps(browser: Any, to: Path) -> None:
    """The screens of the loop in one picture."""
    pictures = "".join(
        f'<figure><figcaption>{text}</figcaption><img src="{(STATIC / f"studio-{name}.png").as_uri()}"></figure>'
        for name, text in STEPS.items()
    )
    style = (
        "body { margin: 0; padding: 18px; display: grid; grid-template-columns: 1fr 1fr; gap: 18px; background: #fff;"
        " font: 600 19px 'DejaVu Sans', sans-serif; color: #1c2430 } figure { margin: 0 }"
        " img { width: 100%; border: 1px solid #cfd5dd; border-radius: 10px; margin-top: 6px }"
    )
    page = to.with_suffix(".html")
    page.write_text(f"<meta charset='utf-8'><style>{style}</style>{pictures}", encoding="utf-8")
    try:
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.goto(page.as_uri())
        tab.screenshot(path=to, full_page=True)
    finally:
        page.unlink()


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
    print(f"wrote {len(SCREENS) + len(PHONE) + 1} pictures to {os.path.relpath(STATIC)}", file=sys.stderr)


if __name__ == "__main__":
    main()
