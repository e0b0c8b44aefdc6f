"""Labeling in a real terminal: keys go in through a pseudo-terminal, and the process is killed in the middle."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from assay import HandLabels
from assay.cli import app
from assay.gold import read_answers
from assay.project import ItemShown, Labeling, Project, Queued, current_votes, press, queue
from assay.project.demo import write_example
from assay.project.labeling_terminal import drawing, plain, queue_table

PATIENCE = 60.0


def _at_its_own_terminal():
    """What a login does: so that Ctrl-C reaches the process, and only this one."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """``assay label`` in a process with a terminal of its own."""

    def __init__(self, folder, *options):
        self.screen = ""
        self.master, follower = pty.openpty()
        words = ["label", str(folder), "--by", "ann", *options]
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from assay.cli import main; main()", *words],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            preexec_fn=_at_its_own_terminal,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "50"},
        )
        os.close(follower)

    def wait_for(self, text):
        """Until the screen shows a text that was not there before."""
        end = time.monotonic() + PATIENCE
        while text not in self.screen:
            assert time.monotonic() < end, f"{text!r} is not on the screen: {self.screen[-3000:]}"
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.screen += os.read(self.master, 65536).decode(errors="replace")
                except OSError:  # the other end is closed
                    assert text in self.screen, self.screen[-3000:]
        self.screen = self.screen.partition(text)[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.master)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def ended(self):
        return self.process.wait(PATIENCE)


@pytest.fixture
def project(tmp_path):
    write_example(tmp_path, 100, 7)
    project = Project.load(tmp_path)
    current_votes(project, progress=False)
    return project


@pytest.fixture
def open_terminal():
    with ExitStack() as open_ones:
        yield lambda folder, *options: open_ones.enter_context(Terminal(folder, *options))


def test_label_undo_kill_resume(project, open_terminal):
    rows = [one.row for one in queue(project, 5)]
    path = project.hand_labels[0]
    terminal = open_terminal(project.folder, "--n", "5")
    terminal.wait_for(f"1 of 5 · item {rows[0]} ")
    assert "tagger2" not in terminal.screen
    terminal.type("1")
    terminal.wait_for("person?")
    terminal.type("v")
    terminal.wait_for("what the sources say")
    terminal.type("2")
    # Once the next item shows, the answer is on disk, whatever happens now.
    terminal.wait_for(f"2 of 5 · item {rows[1]} ")
    assert HandLabels.read(path).answers == {rows[0]: {"entity": "Person", "person": "Lawyer"}}
    terminal.type("u")
    terminal.wait_for("taken back")
    assert not HandLabels.read(path).said
    terminal.type("10")
    terminal.wait_for(f"2 of 5 · item {rows[1]} ")
    terminal.type(" ")
    terminal.wait_for(f"3 of 5 · item {rows[2]} ")
    terminal.type("2")
    terminal.wait_for("org?")
    terminal.kill()
    assert [one.kind for one in read_answers(path)] == ["answer", "undo", "answer", "skipped"]

    # A line that was cut off in the middle is as good as none.
    path.write_bytes(path.read_bytes() + b'{"item": 17, "answ')
    terminal = open_terminal(project.folder, "--n", "3")
    terminal.wait_for(f"1 of 3 · item {rows[2]} ")
    terminal.wait_for("1 labeled, 1 skipped by ann")
    terminal.type("21")
    terminal.wait_for(f"2 of 3 · item {rows[3]} ")
    terminal.type("u")
    terminal.wait_for(f"1 of 3 · item {rows[2]} ")
    terminal.type("u")
    terminal.wait_for(f"item {rows[1]} ")  # an answer of the session that was killed
    terminal.type("22")
    terminal.wait_for(f"item {rows[2]} ")
    terminal.type("q")
    terminal.wait_for("2 items labeled by ann, 0 skipped, 3 of this queue left")
    assert terminal.ended() == 0
    assert HandLabels.read(path).answers == {
        rows[0]: {"entity": "Person"},
        rows[1]: {"entity": "Organization", "org": "Office"},
    }
    assert {one.chosen for one in HandLabels.read(path).said} == {"random"}


def test_killed_at_any_moment_nothing_is_lost_that_was_shown_as_done(project, open_terminal):
    """Many answers in a row, and no warning."""
    rows = [one.row for one in queue(project, 40)]
    terminal = open_terminal(project.folder, "--n", "40")
    terminal.wait_for("1 of 40")
    terminal.type("11" * 40)
    terminal.wait_for("12 of 40")
    terminal.kill()
    done = list(HandLabels.read(project.hand_labels[0]).answers)
    assert len(done) >= 11
    assert done == rows[: len(done)]
    assert queue(project, 1)[0].row == rows[len(done)] if len(done) < 40 else True


@pytest.mark.parametrize("how", ["\x03", "\x04"])
def test_interrupted_is_quit_and_the_terminal_is_as_before(project, open_terminal, how):
    terminal = open_terminal(project.folder, "--n", "2", "--file", str(project.folder / "ann.jsonl"))
    terminal.wait_for("1 of 2")
    terminal.type("\x1b[A")  # an arrow means nothing
    terminal.wait_for("is no key here")
    terminal.type(" ")
    terminal.wait_for("2 of 2")
    terminal.type(how)
    terminal.wait_for("1 of this queue left")
    terminal.wait_for("add it to the path of [hand_labels]")
    assert terminal.ended() == 0
    assert not project.hand_labels[0].exists()
    assert len(HandLabels.read(project.folder / "ann.jsonl").skipped) == 1


def test_without_a_terminal_there_is_a_clear_error(project):
    result = CliRunner().invoke(app, ["label", str(project.folder)])
    assert "stdin is not a terminal" in str(result.exception)


def on_screen(state, shown):
    console = Console(width=100, highlight=False, record=True, file=io.StringIO())
    console.print(drawing(state, shown, "ann", Path("hand.jsonl")))
    return console.export_text()


def test_what_is_drawn(entities):
    shown = ItemShown(3, "doc-3", {"text": "[bold]not markup[/] \x1b[31mred", "n": None}, (("kb", "Doctor"),))
    state = Labeling.start(entities, [Queued(3, "random", 0.5)])
    text = on_screen(state, shown)
    assert "1 of 1 · item doc-3" in text
    assert "[bold]not markup[/] �[31mred" in text
    assert "kb" not in text
    assert "kb  Doctor" in on_screen(press(state, "v")[0], shown)
    assert "no source votes on this item" in on_screen(press(state, "v")[0], ItemShown(3, 3, {}, ()))
    assert "entity: Person · person?" in on_screen(press(state, "1")[0], shown)
    assert "take back the last answer" in on_screen(press(state, "?")[0], shown)
    assert "all items are done" in on_screen(press(state, " ")[0], None)


def test_endless_texts_are_cut():
    assert len(plain("x" * 10**6)) < 5_000


def test_an_empty_item_is_called_empty():
    assert ItemShown(3, 3, {"text": None, "other": None}, ()).excerpt == ""
    console = Console(width=100, highlight=False, record=True, file=io.StringIO())
    console.print(queue_table([{"item": 3, "row": 3, "kind": "random", "chance": 0.5, "text": ""}]))
    assert "(empty)" in console.export_text()
