"""One process and several give the same results in the same order."""

import os

from assay.engine import Local, Processes


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
