"""Commands that run in the background: started, watched, stopped, by whoever looks at the project.

A job is the same command that a person would type, in a process of its own, which outlives whoever started it. It holds
a lock on the output folder as long as it runs, so that a second one is refused, and a studio that was killed and
started again finds it. What it prints is in a file beside the lock.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from assay._core.atomic_files import read_json, write_json
from assay._core.progress import TOLD_BY
from assay.errors import ProjectError
from assay.project.project import Project

COMMANDS = {"apply": ["apply"], "run": ["run"], "refine": ["run", "--refine"], "train": ["train"], "report": ["report"]}
"""What can be started, and what a person would type."""
JOBS_FOLDER = "jobs"
_LOCK, _LOG, _RECORD, _END = "running.lock", "log.txt", "job.json", "ended.json"
_MOST_LOG = 200_000
"""How many bytes at the end of a log are looked at."""


@dataclass(frozen=True)
class Progress:
    """How far a job is."""

    title: str
    done: int
    total: int | None
    unit: str

    @property
    def share(self) -> float | None:
        """From 0 to 1; None if it is not known how much there is to do."""
        return None if not self.total else min(self.done / self.total, 1.0)


@dataclass(frozen=True)
class Job:
    """The last command that was started in the background, and what became of it."""

    command: str
    started: float
    """In seconds since 1970."""
    process: int
    is_running: bool
    code: int | None
    """What it ended with: 0 if all went well; None while it runs."""
    log: str
    progress: Progress | None
    seconds: float

    @property
    def has_failed(self) -> bool:
        """Whether it ended with a fault, or was stopped."""
        return not self.is_running and self.code not in (0, None)


def start_job(project: Project, command: str) -> None:
    """Start one of :data:`COMMANDS` in the background.

    Raises
    ------
    ProjectError
        If one is running already, or there is no such command.
    """
    if command not in COMMANDS:
        raise ProjectError(f"the command must be one of {', '.join(COMMANDS)}, but is {command!r}")
    home = project.output / JOBS_FOLDER
    home.mkdir(parents=True, exist_ok=True)
    lock = _locked(home)
    if lock is None:
        raise ProjectError("a command is running already; wait until it has ended, or stop it")
    try:
        (home / _END).unlink(missing_ok=True)
        starter = [sys.executable, "-c", _STARTER, str(home / _END)]
        with (home / _LOG).open("wb") as log:
            # The lock goes with the open file, which only the new process keeps.
            process = subprocess.Popen(  # noqa: S603  our own command, with arguments that are not from a shell
                [*starter, *COMMANDS[command], str(project.folder.resolve())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(lock,),
                env={**os.environ, TOLD_BY: "json", "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "100"},
            )
        write_json(home / _RECORD, {"command": command, "started": time.time(), "process": process.pid})
        Thread(target=process.wait, daemon=True).start()  # so that nothing is left of it once it has ended
    finally:
        os.close(lock)


_STARTER = """
import sys
end = sys.argv[1]
sys.argv = ["assay", *sys.argv[2:]]
code = 1
try:
    from assay.cli import main
    main()
    code = 0
except SystemExit as ended:
    code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
finally:
    from assay.project.jobs import note_end
    note_end(end, code)
"""


def note_end(path: str, code: int) -> None:
    """Write down how a job ended; by the job itself, since whoever started it may be gone."""
    write_json(Path(path), {"code": code, "ended": time.time()})


def current_job(project: Project) -> Job | None:
    """The command that runs in the background, or the last one that did; None if there was none."""
    home = project.output / JOBS_FOLDER
    known = _said(home / _RECORD)
    if not known:
        return None
    running = _is_locked(home)
    # One that was killed could not write down how it ended.
    end = {} if running else _said(home / _END) or {"code": -signal.SIGKILL, "ended": _last_sign(home / _LOG)}
    log, progress = _read_log(home / _LOG)
    return Job(
        command=str(known["command"]),
        started=float(known["started"]),
        process=int(known["process"]),
        is_running=running,
        code=end.get("code"),
        log=log,
        progress=progress if running else None,
        seconds=max(float(end.get("ended", time.time())) - float(known["started"]), 0.0),
    )


def stop_job(project: Project) -> bool:
    """Stop what runs in the background, as Ctrl-C would; nothing half-written is left. False if nothing runs."""
    job = current_job(project)
    if job is None or not job.is_running:
        return False
    try:
        os.killpg(job.process, signal.SIGTERM)
    except ProcessLookupError:
        return False
    return True


def _locked(home: Path) -> int | None:
    """A file that is locked for this process and those that it is handed on to; None if another has it."""
    import fcntl

    handle = os.open(home / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _is_locked(home: Path) -> bool:
    if not (home / _LOCK).is_file():
        return False
    handle = _locked(home)
    if handle is None:
        return True
    os.close(handle)
    return False


def _said(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found: dict[str, Any] = read_json(path, "record of a command; remove it", ProjectError)
    return found


def _last_sign(log: Path) -> float:
    return log.stat().st_mtime if log.is_file() else 0.0


def _read_log(path: Path) -> tuple[str, Progress | None]:
    """What a job printed, and how far it said that it is."""
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - _MOST_LOG, 0))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return "", None
    lines, progress = [], None
    for line in text.splitlines():
        told = _told(line)
        if told is None:
            lines.append(line)
        else:
            progress = told
    return "\n".join(lines), progress


def _told(line: str) -> Progress | None:
    if not line.startswith('{"progress"'):
        return None
    try:
        said = json.loads(line)
        return Progress(str(said["progress"]), int(said["done"]), said["total"], str(said["unit"]))
    except (ValueError, KeyError, TypeError):
        return None
