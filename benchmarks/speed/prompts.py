"""The cost of asking: CPU time per call and memory, with a server on this machine that answers at once.

``python -m benchmarks.speed.prompts [calls]``
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import assay

RESULTS = Path(__file__).parents[1] / "results" / "prompts.json"
CALLS = 100_000
TASKS = assay.TaskGraph.flat("mail", ["Ham", "Spam"])


def memory() -> float:
    """The resident memory of this process, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def measure(base_url: str, calls: int, cache: Path) -> dict[str, float]:
    source = assay.prompt(
        "Is this comment spam? Answer yes or no. {text}", answers={"yes": "Spam", "no": "Ham"}, name="p"
    )
    settings = assay.PromptSettings(base_url=base_url, model="m", cache=cache, concurrency=16)
    levels: list[float] = []

    def rows():
        for number in range(calls):
            if number % (calls // 20) == 0:
                levels.append(memory())
            yield {"text": f"this is comment number {number}, subscribe to my channel"}

    start, wall = time.process_time(), time.perf_counter()
    votes = assay.apply(source, rows(), TASKS, prompts=settings, batch_size=1_000)
    cpu, seconds = time.process_time() - start, time.perf_counter() - wall
    assert len(votes) == calls
    assert not votes.faults
    start = time.process_time()
    again = assay.apply(source, rows(), TASKS, prompts=settings, batch_size=1_000)
    cached = time.process_time() - start
    assert again.to_pandas().equals(votes.to_pandas())
    return {
        "calls": calls,
        "cpu_ms_per_call": 1e3 * cpu / calls,
        "cpu_ms_per_cached_call": 1e3 * cached / calls,
        "calls_per_second": calls / seconds,
        "memory_mb_after_a_tenth": levels[2],
        "memory_mb_at_the_end": levels[19],
        "cache_mb": cache.stat().st_size / 2**20,
    }


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    server = subprocess.Popen([sys.executable, "-m", "tests.support.model_server"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        base_url = server.stdout.readline().strip()
        with tempfile.TemporaryDirectory() as folder:
            found = measure(base_url, calls, Path(folder) / "answers.sqlite")
    finally:
        server.kill()
        server.wait()
    for name, value in found.items():
        print(f"{name:28} {value:,.3f}")
    if calls == CALLS:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
