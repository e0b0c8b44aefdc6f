"""Jobs on their way: results in order, little ahead, and errors that arrive as what they were."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import AssayError, VoteError
from assay.engine.job import in_order, packed, run


class Future:
    """Done when it is asked for."""

    def __init__(self, job, piece):
        self.job, self.piece, self.cancelled = job, piece, False

    def result(self):
        return self.job(self.piece)

    def cancel(self):
        self.cancelled = True


@given(st.integers(0, 20), st.integers(0, 5))
def test_results_come_in_order_and_pieces_are_read_only_so_far_ahead(count, ahead):
    read = []

    def pieces():
        for piece in range(count):
            read.append(piece)
            yield piece

    for done, result in enumerate(in_order(lambda piece: Future(abs, piece), pieces(), lambda: ahead)):
        assert result == done
        assert len(read) <= done + ahead + 1
    assert len(read) == count


def test_what_is_waiting_is_cancelled_when_one_fails():
    sent = []

    def submit(piece):
        sent.append(Future(lambda number: 1 // number, piece))
        return sent[-1]

    with pytest.raises(ZeroDivisionError):
        list(in_order(submit, [1, 0, 1, 1], lambda: 2))
    assert [future.cancelled for future in sent] == [False, True, True, True]


def test_a_users_error_comes_back_as_what_it_was():
    def job(piece):
        raise VoteError(f"row {piece} is wrong")

    work = packed(job)
    with pytest.raises(VoteError, match="row 3 is wrong"):
        list(in_order(lambda piece: Future(lambda given: run(work, given), piece), [3], lambda: 1))
    with pytest.raises(ZeroDivisionError):
        run(packed(lambda piece: 1 // piece), 0)


def test_what_cannot_be_sent_or_received_says_so():
    lock = threading.Lock()
    with pytest.raises(AssayError, match="the work cannot be sent to other processes"):
        packed(lambda piece: lock)
    with pytest.raises(AssayError, match="a worker cannot unpickle its job"):
        list(in_order(lambda piece: Future(lambda given: run(b"no job", given), piece), [1], lambda: 1))
