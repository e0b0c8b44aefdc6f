"""What the tests of the studio share: a browser, and a small project that has run."""

import shutil

import pytest

from assay.project import REPORT_FILE, Project, run
from assay.project.demo import write_example
from tests.support.browser import browser
from tests.support.studios import started

__all__ = ["browser", "copy_of", "example", "studio"]


@pytest.fixture(scope="session")
def example(tmp_path_factory):
    """The example project, run once, with its report. To be looked at only."""
    home = tmp_path_factory.mktemp("example") / "letters"
    write_example(home, 300, 7)
    (home / "sources.toml").write_text(DECLARED, encoding="utf-8")
    project = Project.load(home)
    run(project, progress=False).report(project.output / REPORT_FILE)
    return home


DECLARED = """\
# What we found by reading, in May.

[[source]]
name = "surgeons"
keywords = ["surgery", "patient"]  # both were checked by hand
label = "Doctor"
on = "text"

# Not sure about this one.
[[source]]
name = "courts"
regex = "(?i)court|verdict"
label = "Lawyer"
on = "text"
"""


@pytest.fixture
def copy_of(tmp_path, example):
    """A project of the test's own, to be changed."""
    return shutil.copytree(example, tmp_path / "mine")


@pytest.fixture(scope="session")
def studio(example):
    """A studio on the example, which no test changes."""
    with started(example) as running:
        yield running
