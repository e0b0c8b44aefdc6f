"""Progress is for people who look at a terminal."""

import io

import pytest

from assay._core.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "show", "seen"), [(Terminal, True, True), (Terminal, False, False), (io.StringIO, True, False)]
)
def test_it_shows_on_a_terminal_and_nowhere_else(monkeypatch, stream, show, seen):
    written = stream()
    monkeypatch.setattr("sys.stderr", written)
    monkeypatch.setenv("TERM", "xterm")
    with Progress("counting", total=10, show=show) as bar:
        bar.advance(4)
        bar.describe("still counting")
    assert ("counting" in written.getvalue()) == seen


def test_it_ends_with_the_work_even_if_that_fails(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    with pytest.raises(ValueError, match="no"), Progress("counting", total=None) as bar:
        raise ValueError("no")
    assert bar._bar.live.is_started is False
