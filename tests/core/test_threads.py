"""Work over several cores: every piece once, results in order, and as many threads as were asked for."""

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._core.threads import one_blas_thread, parallel_map, ranges, thread_count


@given(st.integers(0, 200), st.integers(1, 9), st.integers(1, 16))
def test_ranges_make_up_the_whole_in_order(size, parts, step):
    found = ranges(size, parts, step)
    assert [number for part in found for number in range(part.start, part.stop)] == list(range(size))
    assert len(found) <= parts
    assert all((part.stop - part.start) % step == 0 for part in found[:-1])


@pytest.mark.parametrize("threads", ["1", "3"])
def test_results_come_in_the_order_of_the_pieces(monkeypatch, threads):
    monkeypatch.setenv("ASSAY_THREADS", threads)
    first_may_end = threading.Event()

    def job(piece):
        if threads == "3":  # the first piece ends last
            assert first_may_end.wait(10) if piece == 0 else True
        first_may_end.set()
        return -piece

    assert parallel_map(job, range(5)) == [0, -1, -2, -3, -4]


def test_what_fails_in_a_thread_fails_here(monkeypatch):
    monkeypatch.setenv("ASSAY_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        parallel_map(lambda piece: 1 // piece, [1, 0])


@pytest.mark.parametrize("asked", ["", "0", "-2", "many"])
def test_as_many_threads_as_were_asked_for_or_as_there_are_cores(monkeypatch, asked):
    monkeypatch.setenv("ASSAY_THREADS", "7")
    assert thread_count() == 7
    monkeypatch.setenv("ASSAY_THREADS", asked)
    assert thread_count() == len(os.sched_getaffinity(0))


def test_blas_gets_its_threads_back():
    from threadpoolctl import ThreadpoolController

    def threads():
        return [pool.num_threads for pool in ThreadpoolController().select(user_api="blas").lib_controllers]

    before = threads()
    with one_blas_thread():
        assert set(threads()) == {1}
    assert threads() == before
