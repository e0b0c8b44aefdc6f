"""Runs in the background: watched, stopped, refused twice, and going on without the studio that started them."""

import os
import re
import shutil
from pathlib import Path

import pytest

from assay.project import Project, Workbench, current_job, runs_of
from tests.support.studios import TOKEN, started, until, window

WAITING = '''

@assay.source(task="entity")
def waiting(row):
    """Says nothing until it is told to go on, so that a run can be met in the middle."""
    import time
    (HERE / "begun").touch()
    while not (HERE / "go").exists():
        time.sleep(0.02)
    return None
'''


@pytest.fixture
def slow(tmp_path, example):
    """A project whose next run waits for a file."""
    home = shutil.copytree(example, tmp_path / "mine")
    with (home / "sources.py").open("a") as file:
        file.write(WAITING)
    toml = home / "assay.toml"
    toml.write_text(toml.read_text().replace('workers = "auto"', "workers = 1"))
    yield home
    job = current_job(Project.load(home))
    if job is not None and is_alive(job.process):
        os.killpg(job.process, 9)
        raise AssertionError("a process was left behind")


def is_alive(process):
    """Whether a process runs; one that has ended and was not yet asked for its code does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def job_of(folder):
    return current_job(Project.load(folder))


def begin(studio):
    assert studio.ask("/job/start", {"command": "run"}).status == 303
    until((studio.folder / "begun").exists, "the run to begin")


def ended(folder):
    return until(lambda: (job := job_of(folder)) and not job.is_running and job, "the run to end")


def test_killed_in_the_middle_of_a_run_the_run_goes_on(slow, browser):
    before = len(runs_of(Project.load(slow)))
    with started(slow, "--token", TOKEN) as studio:
        begin(studio)
        studio.kill()
    job = job_of(slow)
    assert job.is_running
    assert is_alive(job.process)
    # The results of the run before are whole, and so is all that is kept.
    assert len(runs_of(Project.load(slow))) == before
    assert Workbench(slow).contents().labels is not None

    with started(slow, "--token", TOKEN) as studio, window(browser, studio) as tab:
        assert "is running" in tab.locator("main").inner_text()
        tab.goto(f"{studio.home}/runs")
        tab.wait_for_selector(".job-state b:has-text('is running')")
        refused = studio.ask("/job/start", {"command": "run"})
        assert refused.status == 400
        assert "running already" in refused.text
        assert job_of(slow).process == job.process
        (slow / "go").touch()
        tab.wait_for_selector(".job-state b.good", timeout=60_000)
        tab.locator("tbody th", has_text=re.compile(f"^{before + 1}$")).wait_for()
    assert ended(slow).code == 0
    assert len(runs_of(Project.load(slow))) == before + 1
    assert "waiting" in Workbench(slow).contents().names
    assert not is_alive(job.process)


def test_a_run_can_be_stopped_and_leaves_nothing_half_written(slow, browser):
    before = {path: path.read_bytes() for path in (slow / "out").glob("*.*")}
    with started(slow) as studio, window(browser, studio) as tab:
        tab.goto(f"{studio.home}/runs")
        tab.get_by_role("button", name="Run", exact=True).click()
        until((slow / "begun").exists, "the run to begin")
        process = job_of(slow).process
        tab.get_by_role("button", name="Stop").click()
        tab.wait_for_selector(".job-state b:has-text('was stopped')")
        job = ended(slow)
        assert job.code in (130, 143)
        until(lambda: not is_alive(process), "the process to end")
        assert {path: path.read_bytes() for path in (slow / "out").glob("*.*")} == before
        # And then another one may start.
        (slow / "go").touch()
        tab.get_by_role("button", name="Run", exact=True).click()
        tab.wait_for_selector(".job-state b.good", timeout=60_000)


def test_a_run_that_is_killed_is_told_to_have_failed(slow):
    with started(slow) as studio:
        begin(studio)
        process = job_of(slow).process
        os.killpg(process, 9)
        job = ended(slow)
        assert job.has_failed
        assert "failed" in studio.ask("/runs").text
        assert studio.ask("/data").status == 200


def test_what_goes_wrong_is_told_with_what_was_printed(copy_of, browser):
    with (copy_of / "sources.py").open("a") as file:
        file.write('\n\n@assay.source(task="entity")\ndef broken(row):\n    return 1 / (row.id - 5)\n')
    with started(copy_of) as studio, window(browser, studio) as tab:
        tab.goto(f"{studio.home}/runs")
        tab.get_by_role("button", name="Only apply the sources").click()
        tab.wait_for_selector(".job-state b.bad", timeout=60_000)
        assert "broken" in tab.locator("pre.log").inner_text()
        assert ended(copy_of).code == 2


def test_events_tell_how_far_it_is_until_the_end(slow):
    with started(slow) as studio:
        begin(studio)
        (slow / "go").touch()
        answer = studio.ask("/job/events")
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = re.findall(r"^event: (\w+)$", answer.text, re.MULTILINE)
        assert events[-1] == "end"
        assert set(events[:-1]) == {"state"}
        assert "is running" in answer.text.split("\n\n")[0]
        assert "is done" in answer.text.split("\n\n")[-3]
        assert ended(slow).code == 0


def test_without_a_run_events_end_at_once(studio):
    assert "event: end" in studio.ask("/job/events").text


def test_one_run_cannot_be_compared(studio):
    answer = studio.ask("/runs/compare")
    assert answer.status == 400
    assert "two runs are needed" in answer.text


def test_what_there_is_no_command_for_is_not_started(studio):
    for command in ("", "init", "studio", "run --help", "../run"):
        assert studio.ask("/job/start", {"command": command}).status == 400
    assert job_of(studio.folder) is None
