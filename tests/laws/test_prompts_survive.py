"""A drill: a server that fails half of the time and a program that is killed three times give the votes of a calm day.

What was answered and written is never asked again, as counted at the server: a kill loses at most what was under way,
and a cut connection one answer.
"""

import os
import signal
import subprocess
import sys
import time

import assay
from tests.support.model_server import ModelServer, Wrong, chance_of, last_text, yes_or_no

CALLS = 2_000
CONCURRENCY = 64
KILLED_AFTER = (300, 900, 1_500)
FAULTS = [Wrong("429", ("Retry-After: 0.01",)), Wrong("500"), Wrong("slow"), Wrong("cut"), Wrong("garbage")]

PROGRAM = """
import sys
from tests.laws.test_prompts_survive import votes
votes(sys.argv[1], sys.argv[2]).to_parquet(sys.argv[3])
"""


def votes(base_url, cache):
    settings = assay.PromptSettings(
        base_url=base_url,
        model="m",
        cache=cache,
        concurrency=CONCURRENCY,
        timeout=1.0,
        retries=40,
        first_pause=0.01,
    )
    source = assay.prompt("Is this spam? {text}", answers={"yes": "Spam", "no": "Ham"}, name="p")
    rows = [{"text": f"comment {number}"} for number in range(CALLS)]
    tasks = assay.TaskGraph.flat("mail", ["Ham", "Spam"])
    return assay.apply(source, rows, tasks, prompts=settings, progress=False)


def sometimes(body, before):
    """A tenth of each kind of fault."""
    chance = chance_of(last_text(body), before)
    return FAULTS[int(10 * chance)] if chance < len(FAULTS) / 10 else yes_or_no(body)


def test_faults_and_kills_change_nothing(tmp_path):
    cache, written = tmp_path / "answers.sqlite", tmp_path / "votes.parquet"
    with ModelServer(sometimes, slow=3.0) as server:
        command = [sys.executable, "-c", PROGRAM, server.base_url, str(cache), str(written)]
        for answers in KILLED_AFTER:
            process = subprocess.Popen(command)
            while sum(server.answered.values()) < answers:
                assert process.poll() is None
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            assert not written.exists()
        subprocess.run(command, check=True, timeout=120)
        cut = server.failed["cut"]
        assert min(server.failed[fault.kind] for fault in FAULTS) > CALLS / 20
        assert len(server.answered) == CALLS
        repeats = sum(server.answered.values()) - CALLS
        assert repeats <= len(KILLED_AFTER) * CONCURRENCY + cut
        # Were every answer of a killed program asked for again, there would be as many repeats as answers until then.
        assert len(KILLED_AFTER) * CONCURRENCY < KILLED_AFTER[0]
    with ModelServer() as calm:
        expected = votes(calm.base_url, None)
    found = assay.Votes.from_parquet(written)
    assert found.faults == ()
    assert found.to_pandas().equals(expected.to_pandas())
    assert found.to_pandas()["p"].notna().all()
