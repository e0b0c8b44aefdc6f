"""Commands in the background: one at a time, stopped as a whole, and known by whoever looks."""

import os
import signal
import subprocess
import sys

import pytest

from assay.errors import ProjectError
from assay.project import Project, current_job, start_job, stop_job
from assay.project.demo import write_example
from assay.project.jobs import JOBS_FOLDER, Progress, _read_log
from assay.project.provenance import REFINED_FILE
from tests.support.studios import until

WAITING = """
import time
from pathlib import Path
import assay
HERE = Path(__file__).parent

@assay.source(task="entity")
def waiting(row):
    (HERE / "begun").touch()
    while not (HERE / "go").exists():
        time.sleep(0.02)
    return "Person"

@assay.source(task="entity")
def other(row):
    return "Organization"
"""


@pytest.fixture
def project(unrun):
    (unrun / "sources.py").write_text(WAITING)
    toml = unrun / "assay.toml"
    toml.write_text(toml.read_text().replace('workers = "auto"', "workers = 1"))
    found = Project.load(unrun)
    yield found
    job = current_job(found)
    if job is not None and job.is_running:
        os.killpg(job.process, signal.SIGKILL)


def begin(project, command="apply"):
    start_job(project, command)
    until((project.folder / "begun").exists, "the job to begin")


def ended(project):
    return until(lambda: (job := current_job(project)) and not job.is_running and job, "the job to end")


def test_before_anything_was_started_there_is_none(project):
    assert current_job(project) is None
    assert not stop_job(project)


def test_one_at_a_time_until_it_has_ended(project):
    begin(project)
    job = current_job(project)
    assert (job.command, job.is_running, job.code, job.has_failed) == ("apply", True, None, False)
    with pytest.raises(ProjectError, match="running already"):
        start_job(project, "run")
    # Another process sees it, and is refused as well.
    code = "import sys; from assay.project import *; start_job(Project.load(sys.argv[1]), 'run')"
    told = subprocess.run([sys.executable, "-c", code, str(project.folder)], capture_output=True, text=True)
    assert "running already" in told.stderr
    assert current_job(project).process == job.process
    (project.folder / "go").touch()
    done = ended(project)
    assert (done.code, done.has_failed, done.progress) == (0, False, None)
    assert done.seconds > 0
    assert '{"progress"' not in done.log
    assert (project.output / "votes.parquet").is_file()
    start_job(project, "apply")
    assert ended(project).code == 0


def test_stopped_it_leaves_nothing_half_written(project):
    begin(project)
    process = current_job(project).process
    assert stop_job(project)
    job = ended(project)
    assert job.code in (130, 143)
    assert job.has_failed
    assert {path.name for path in project.output.iterdir()} <= {JOBS_FOLDER, "kept_votes", "runs"}
    assert not stop_job(project)
    until(lambda: not _group(process), "all of its processes to end")


def _group(process):
    try:
        os.killpg(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_killed_it_has_failed(project):
    begin(project)
    os.killpg(current_job(project).process, signal.SIGKILL)
    job = ended(project)
    assert job.code == -signal.SIGKILL
    assert job.has_failed
    assert job.seconds >= 0


def test_what_goes_wrong_is_in_the_log(unrun):
    (unrun / "sources.py").write_text("nonsense = = 1")
    project = Project.load(unrun)
    start_job(project, "apply")
    job = ended(project)
    assert job.code == 2
    assert "sources.py" in job.log
    assert "Traceback" not in job.log


def test_refining_is_a_run_with_that_option(tmp_path):
    write_example(tmp_path / "p", 120, 7)
    with (tmp_path / "p" / "assay.toml").open("a") as file:
        file.write("\n[endmodel]\nepochs = 1\n[refine]\nrounds = 1\nfolds = 2\n")
    found = Project.load(tmp_path / "p")
    start_job(found, "refine")
    job = until(lambda: (job := current_job(found)) and not job.is_running and job, "the job to end", 120)
    assert job.code == 0, job.log
    assert (found.output / REFINED_FILE).is_file()


@pytest.mark.parametrize("command", ["", "demo", "init", "studio", "apply; ls"])
def test_there_are_only_these_commands(project, command):
    with pytest.raises(ProjectError, match="must be one of"):
        start_job(project, command)
    assert current_job(project) is None


def test_progress_is_the_last_that_was_told_and_no_part_of_the_log(tmp_path):
    log = tmp_path / "log.txt"
    log.write_text(
        'first\n{"progress": "applying", "done": 1, "total": 4, "unit": "rows"}\nsecond\n'
        '{"progress": "applying", "done": 3, "total": 4, "unit": "rows"}\n{"progress": "cut o'
    )
    text, progress = _read_log(log)
    assert progress == Progress("applying", 3, 4, "rows")
    assert progress.share == 0.75
    assert text == 'first\nsecond\n{"progress": "cut o'
    assert _read_log(tmp_path / "none") == ("", None)
    assert Progress("x", 3, None, "rows").share is None
    assert Progress("x", 5, 4, "rows").share == 1


def test_of_a_long_log_the_end_is_read(tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("x" * 99 + "\n")
    log.write_text(("x" * 99 + "\n") * 5_000 + "the end\n")
    text, _ = _read_log(log)
    assert len(text) <= 200_000
    assert text.endswith("the end")
