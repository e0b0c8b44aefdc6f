"""Memory and speed on a file that is larger than what may be held at once.

Writes a file of the given size, applies ten sources to its path in a process of its
own, and measures rows and megabytes per second and the most memory that process and
its workers had resident:

    python -m benchmarks.speed.large_file --gigabytes 2
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.speed import apply_workload as workload

RESULTS = Path(__file__).parents[1] / "results" / "large_file.json"
KINDS = ("jsonl", "csv", "parquet")
BLOCK = 50_000
LIMIT = 1e9
"""How many bytes of memory the process may take."""


def write(path: Path, size: float) -> None:
    """A file of about ``size`` bytes, written block by block. Only the ids of the rows differ between blocks."""
    texts = workload.texts(BLOCK)
    scores = [(7 * i % 1000) / 1000 for i in range(BLOCK)]
    if path.suffix == ".parquet":
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        schema = pa.schema({"id": pa.int64(), "text": pa.string(), "score": pa.float64(), "language": pa.string()})
        with ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
            for start in count(0, BLOCK):
                if path.stat().st_size >= size:
                    return
                columns = [range(start, start + BLOCK), texts, scores, ["en"] * BLOCK]
                writer.write_table(pa.table([pa.array(column) for column in columns], schema=schema))
    rest = [_line(path.suffix, text, score) for text, score in zip(texts, scores, strict=True)]
    opening = '{"id": ' if path.suffix == ".jsonl" else ""
    with path.open("w", encoding="utf-8") as file:
        if path.suffix == ".csv":
            file.write("id,text,score,language\n")
        for start in count(0, BLOCK):
            if path.stat().st_size >= size:
                return
            file.writelines(f"{opening}{number}{line}" for number, line in enumerate(rest, start))


def _line(suffix: str, text: str, score: float) -> str:
    """A line without its beginning, the id."""
    if suffix == ".csv":
        return f',"{text}",{score},en\n'
    return f', "text": {json.dumps(text)}, "score": {score}, "language": "en"}}\n'


def sources() -> list[Any]:
    """Ten sources: rules on text and on a number, and two functions."""
    import assay

    keywords = [
        assay.keywords(words, label, on="text", name=name)
        for name, (label, words) in list(workload.KEYWORDS.items())[:5]
    ]
    patterns = [
        assay.regex(pattern, label, on="text", name=name)
        for name, (label, pattern) in list(workload.PATTERNS.items())[:2]
    ]
    threshold = assay.threshold("score", "Business", at_least=0.9, name="score")
    written = dict(zip(workload.NAMES, workload.functions(*workload.LABELS, abstain=None), strict=True))
    asked = [assay.source(task="topic", name=name)(written[name]) for name in ("companies", "money")]
    return [*keywords, *patterns, threshold, *asked]


def apply(path: Path, workers: int) -> None:
    """What the process under test does; prints JSON."""
    import assay

    tasks = assay.TaskGraph([assay.Task("topic", list(workload.LABELS))])
    start = time.perf_counter()
    votes = assay.apply(sources(), path, tasks, workers=workers, progress=False)
    seconds = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(
        json.dumps(
            {
                "rows": len(votes),
                "sources": len(votes.names),
                "coverage": float((votes.codes >= 0).mean()),
                "seconds": seconds,
                "peak_memory": most,
            }
        )
    )


def measured(path: Path, workers: int) -> dict[str, Any]:
    """Run :func:`apply` in a process of its own while watching its memory and that of its workers."""
    command = [sys.executable, "-m", "benchmarks.speed.large_file", "--apply", str(path), "--workers", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        seen = 0
        while process.poll() is None:
            seen = max(seen, sum(map(_resident, _tree(process.pid))))
            time.sleep(0.02)
        assert process.stdout is not None
        answer = process.stdout.read()
    if process.returncode:
        sys.exit(f"applying the sources to the {path.suffix} file failed with exit code {process.returncode}")
    result: dict[str, Any] = json.loads(answer)
    size = path.stat().st_size
    return {
        "kind": path.suffix.removeprefix("."),
        "bytes": size,
        "workers": workers,
        **result,
        "peak_memory": max(seen, result["peak_memory"]),
        "rows_per_second": result["rows"] / result["seconds"],
        "megabytes_per_second": size / 1e6 / result["seconds"],
    }


def _tree(process: int) -> Iterator[int]:
    """A process and its descendants, where the system lists them."""
    yield process
    try:
        children = [
            int(child)
            for thread in Path(f"/proc/{process}/task").iterdir()
            for child in (thread / "children").read_text().split()
        ]
    except OSError:
        return
    for child in children:
        yield from _tree(child)


def _resident(process: int) -> int:
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def shown(found: list[dict[str, Any]]) -> Table:
    table = Table(title="Ten sources applied to the path of a file", title_justify="left")
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "file": lambda one: one["kind"],
        "GB": lambda one: f"{one['bytes'] / 1e9:.2f}",
        "rows": lambda one: f"{one['rows']:,}",
        "workers": lambda one: str(one["workers"]),
        "seconds": lambda one: f"{one['seconds']:.1f}",
        "rows/s": lambda one: f"{one['rows_per_second']:,.0f}",
        "MB/s": lambda one: f"{one['megabytes_per_second']:.0f}",
        "peak memory, MB": lambda one: f"{one['peak_memory'] / 1e6:,.0f}",
    }
    for title in columns:
        table.add_column(title, justify="left" if title == "file" else "right")
    for one in found:
        table.add_row(*(cell(one) for cell in columns.values()))
    return table


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--gigabytes", type=float, default=2.0, help="how large a file to write (%(default)s)")
    arguments.add_argument("--kinds", nargs="+", choices=KINDS, default=["jsonl"], help="file kinds (jsonl)")
    arguments.add_argument("--workers", type=int, default=1, help="processes that apply sources (%(default)s)")
    arguments.add_argument("--folder", type=Path, help="where to write the file (a new temporary folder)")
    arguments.add_argument("--keep", action="store_true", help="do not delete the file")
    arguments.add_argument("--output", type=Path, default=RESULTS, help="the JSON (benchmarks/results/large_file.json)")
    arguments.add_argument("--apply", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.apply is not None:
        apply(given.apply, given.workers)
        return

    found = []
    folder = Path(tempfile.mkdtemp(prefix="assay-benchmark-", dir=given.folder))
    try:
        for kind in given.kinds:
            path = folder / f"large.{kind}"
            write(path, given.gigabytes * 1e9)
            found.append(measured(path, given.workers))
            if not given.keep:
                path.unlink()
    finally:
        if given.keep:
            print(f"the files are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder)
    console = Console(width=120)
    console.print(shown(found))
    within = all(one["peak_memory"] < LIMIT for one in found)
    console.print(f"Memory under {LIMIT / 1e6:,.0f} MB: {'yes' if within else 'no'}")

    given.output.parent.mkdir(parents=True, exist_ok=True)
    result = {
        "processors": os.cpu_count(),
        "versions": {name: version(name) for name in ("assay", "polars", "pyarrow")}
        | {"python": platform.python_version()},
        "target": {"peak_memory_below": LIMIT, "reached": within},
        "files": found,
    }
    given.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    sys.exit(0 if within else 1)


if __name__ == "__main__":
    main()
