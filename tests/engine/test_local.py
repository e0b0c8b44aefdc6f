"""One process and several give the same results in the same order."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.engine import Auto, Local, Processes
from assay.errors import AssayError


def test_one_process_works_only_when_it_is_asked():
    done = []
    results = Local().map(done.append, range(3))
    assert not done
    assert list(results) == [None] * 3
    assert done == [0, 1, 2]


def test_several_processes_give_what_one_gives_and_are_others():
    factor = 3

    def job(piece):
        return factor * piece, os.getpid()

    results = list(Processes(2).map(job, iter(range(20))))
    assert [result for result, _ in results] == [result for result, _ in Local().map(job, range(20))]
    assert os.getpid() not in {process for _, process in results}


WORKING = """
import time
from assay.engine.local import Processes

def job(piece):
    time.sleep(0.1)
    return piece

for piece in Processes(2).map(job, range(600)):
    print(piece, flush=True)
"""


def descendants(process: int) -> set[int]:
    """The processes that a process started, and those that they started."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:  # gone meanwhile
            continue
    found, newest = set(), {process}
    while newest:
        newest = {child for child, parent in parents.items() if parent in newest}
        found |= newest
    return found


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGKILL], ids=lambda kind: kind.name)
def test_workers_end_with_the_process_that_started_them(kind):
    with subprocess.Popen([sys.executable, "-c", WORKING], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        started = descendants(process.pid)
        process.send_signal(kind)
        process.stdout.close()
    assert len(started) >= 2
    until = time.monotonic() + 15
    while any(map(is_running, started)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not [one for one in started if is_running(one)]


def test_a_slip_of_the_pen_does_not_start_a_hundred_processes():
    with pytest.raises(AssayError, match="workers must be at most"):
        Processes(99_999)


class TestAuto:
    def test_small_work_stays_here(self):
        assert {pid for _, pid in Auto().map(lambda piece: (piece, os.getpid()), range(5))} == {os.getpid()}

    def test_slow_work_goes_elsewhere_in_the_same_order(self, monkeypatch):
        monkeypatch.setattr("assay.engine.local._cores", lambda: 2)

        def job(piece):
            time.sleep(0.01)
            return piece, os.getpid()

        results = list(Auto(patience=0.02).map(job, iter(range(30))))
        assert [piece for piece, _ in results] == list(range(30))
        assert results[0][1] == os.getpid()
        assert os.getpid() not in {pid for _, pid in results[-10:]}

    def test_what_cannot_be_sent_stays_here(self, monkeypatch):
        monkeypatch.setattr("assay.engine.local._cores", lambda: 2)
        lock = threading.Lock()

        def job(piece):
            with lock:
                return os.getpid()

        assert set(Auto(patience=0.0).map(job, range(5))) == {os.getpid()}

    def test_nothing_is_started_for_nothing(self):
        assert list(Processes(2).map(abs, [])) == []
