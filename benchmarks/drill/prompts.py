"""A server that fails half of the time and a program that is killed three times: counts what was asked again.

    python -m benchmarks.drill.prompts

2,000 questions; a tenth of each kind of fault (429, 500, slow, cut, garbage). The same is asserted in
``tests/laws/test_prompts_survive.py``; here it is counted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import assay
from tests.laws.test_prompts_survive import CALLS, CONCURRENCY, FAULTS, KILLED_AFTER, PROGRAM, sometimes, votes
from tests.support.model_server import ModelServer


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ModelServer(sometimes, slow=3.0) as server:
        cache, written = Path(folder) / "answers.sqlite", Path(folder) / "votes.parquet"
        command = [sys.executable, "-c", PROGRAM, server.base_url, str(cache), str(written)]
        for answers in KILLED_AFTER:
            process = subprocess.Popen(command)
            while sum(server.answered.values()) < answers:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        subprocess.run(command, check=True)
        found = assay.Votes.from_parquet(written)
        with ModelServer() as calm:
            expected = votes(calm.base_url, None)
        again = sum(server.answered.values()) - CALLS
        allowed = len(KILLED_AFTER) * CONCURRENCY + server.failed["cut"]
        print("faults:", ", ".join(f"{fault.kind} {server.failed[fault.kind]}" for fault in FAULTS))
        print(f"questions: {CALLS}, answered at least once: {len(server.answered)}, kills: {len(KILLED_AFTER)}")
        print(f"answered again: {again}, allowed {allowed} ({CONCURRENCY} a kill, one a cut connection)")
        print(f"votes equal to those of a calm day: {found.to_pandas().equals(expected.to_pandas())}")
        print(f"items without a vote: {int(found.to_pandas()['p'].isna().sum())}")


if __name__ == "__main__":
    main()
