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


def test_in_a_notebook_it_is_a_line_that_is_written_over(monkeypatch, capsys):
    monkeypatch.setattr("assay._core.progress.in_notebook", lambda: True)
    monkeypatch.setattr("assay._core.progress._Line._EVERY", 0.0)
    with Progress("counting", total=20) as bar:
        bar.advance(5)
        bar.describe("still counting")
    shown = capsys.readouterr().err
    assert "counting: 5 of 20 rows" in shown
    assert "still counting: 5 of 20 rows" in shown
    assert "\n" not in shown
    assert shown.endswith("\r"), "nothing of it is left"


def test_nothing_is_shown_where_nobody_looks(capsys):
    with Progress("counting", total=20) as bar:
        bar.advance(5)
    assert capsys.readouterr().err == ""
