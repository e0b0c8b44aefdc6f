"""How long screens of the studio take on a million rows and twenty sources, and how much memory it needs.

    python -m benchmarks.speed.studio [--rows 1000000] [--folder FOLDER]

Writes a project of generated texts (twelve sources of the example and eight of words) into a folder, runs it, starts
``assay studio`` on it as a person would, and asks for each screen over HTTP: once for the first time, and then several
times with other filters, pages or words, of which the slowest counts. A key press is timed from sending it to having
the next item, with the answer on disk. Memory is the largest resident set that the studio's process had.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from assay.project.demo import write_example
from benchmarks.support.problems import RESULTS

TOKEN = "benchmark-of-the-studio"
WORDS = {
    "Doctor": ("clinic", "stethoscope"),
    "Lawyer": ("court", "deposition"),
    "Hospital": ("ward", "intensive"),
    "Office": ("counsel", "litigation"),
}
LIMITS = {"a page": 0.3, "a search, first": 2.0, "a search, next page": 0.5, "a preview": 2.0, "a key": 0.1}
"""Seconds."""
MOST_MEMORY = 2e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=None, help="a project that is there already, with its run")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = given.folder or made(Path(scratch) / "large", given.rows)
        found = measured(home)
    print(f"{found['rows']:,} rows, {found['sources']} sources; ready {found['ready']:.1f} s after the start")
    for kind, seconds in found["slowest"].items():
        print(line(kind, 1_000 * seconds, 1_000 * LIMITS[kind], "ms"))
    print(line("memory", found["memory"] / 1e6, MOST_MEMORY / 1e6, "MB"))
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "studio.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def line(what: str, figure: float, most: float, unit: str) -> str:
    """A figure beside the most that it may be."""
    return f"{what:<22} {figure:>6.0f} {unit}   (at most {most:.0f}: {'reached' if figure <= most else 'missed'})"


def made(home: Path, rows: int) -> Path:
    """A project of generated texts with twenty sources, run."""
    write_example(home, rows, 7)
    toml = [
        f'[[source]]\nname = "word_{word}"\nkeywords = ["{word}"]\nlabel = "{label}"\non = "text"\n'
        for label, words in WORDS.items()
        for word in words
    ]
    (home / "sources.toml").write_text("\n".join(toml), encoding="utf-8")
    subprocess.run([sys.executable, "-c", "from assay.cli import main; main()", "run", str(home)], check=True)
    return home


@contextmanager
def studio(home: Path) -> Iterator[tuple[httpx2.Client, int]]:
    """A studio in a process of its own, a browser that has its cookie, and the process."""
    command = [sys.executable, "-c", "from assay.cli import main; main()", "studio", str(home)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--token", TOKEN, "--by", "ann"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        place = re.search(r"http://[^/]+", said)
        assert place is not None, said
        origin = place.group()
        with httpx2.Client(base_url=origin, timeout=300, headers={"origin": origin}) as client:
            client.get("/", params={"token": TOKEN}, follow_redirects=True)
            yield client, process.pid
    finally:
        process.terminate()
        process.wait(30)


def measured(home: Path) -> dict[str, Any]:
    started = time.perf_counter()
    with studio(home) as (client, process):
        token = re.search(r'csrf-token" content="([^"]+)"', client.get("/").text)
        assert token is not None
        ready = _when_quiet(client, started)
        seconds = {
            kind: {name: _timed(step) for name, step in steps.items()}
            for kind, steps in _steps(client, token.group(1)).items()
        }
        memory = _peak(process)
        shown = client.get("/").text
    tiles = re.findall(r"<dd>([\d,]+)<small>", shown)
    return {
        "rows": int(tiles[0].replace(",", "")),
        "sources": int(tiles[1]),
        "ready": ready,
        "seconds": seconds,
        "slowest": {kind: max(found.values()) for kind, found in seconds.items()},
        "memory": memory,
    }


def _when_quiet(client: httpx2.Client, started: float) -> float:
    """Seconds until screens that look at all items answer at once: the studio has worked out what they need."""
    while True:
        before = time.perf_counter()
        for path in ("/data?only=wrong", "/sources"):
            client.get(path)
        if time.perf_counter() - before < 2 * LIMITS["a page"]:
            return before - started
        time.sleep(1)


def _steps(client: httpx2.Client, token: str) -> dict[str, dict[str, Callable[[], Any]]]:
    def page(path: str) -> Callable[[], Any]:
        return lambda: client.get(path).raise_for_status()

    def preview(**said: str) -> Callable[[], Any]:
        form = {"csrf": token, "kind": "keywords", "on": "text", "name": "new", **said}
        return lambda: client.post("/sources/preview", data=form, headers={"x-piece": "1"}).raise_for_status()

    keys = iter(["1", "1", "2", "2", "1", "2", "Space", "Backspace", "ArrowRight", "v", "v", "?", "1", "1"])
    version = iter(range(1_000))
    client.get("/label?random=1")

    def press() -> Any:
        form = {"csrf": token, "random": "1", "key": next(keys), "version": str(next(version))}
        return client.post("/label/press", data=form, headers={"x-piece": "1"}).raise_for_status()

    pages = {
        path: page(path)
        for path in (
            "/",
            "/data",
            "/data?page=20000",
            "/data?order=unsure",
            "/data?order=unsure&page=3",
            "/data?only=conflict",
            "/data?only=wrong&order=sure",
            "/data?task=person&label=Doctor&least=0.6",
            "/data?source=courtroom",
            "/items/777777",
            "/sources",
            "/source?name=courtroom",
            "/sources/new",
            "/label?random=1",
            "/runs",
            "/report",
        )
    }
    return {
        "a page": pages,
        "a search, first": {
            "words": page("/data?text=verdict"),
            "pattern": page("/data?text=appeal%7Cbail.*court&regex=1&order=unsure"),
        },
        "a search, next page": {
            "words": page("/data?text=verdict&page=2"),
            "pattern": page("/data?text=appeal%7Cbail.*court&regex=1&order=unsure&page=2"),
        },
        "a preview": {
            "words": preview(what="verdict\njudge", label="Lawyer"),
            "pattern": preview(kind="regex", what=r"\b(Dr|Prof)\.", label="Doctor"),
            "not": preview(what="nurses", label="not Office"),
        },
        "a key": {f"{number}": press for number in range(14)},
    }


def _timed(step: Callable[[], Any]) -> float:
    before = time.perf_counter()
    step()
    return time.perf_counter() - before


def _peak(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return 0 if found is None else int(found.group(1)) * 1024


if __name__ == "__main__":
    main()
