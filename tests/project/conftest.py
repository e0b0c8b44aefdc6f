"""What tests of looking at a project share: an example that has run."""

import shutil

import pytest

from assay.project import Answers, Project, Workbench, queue, run
from assay.project.demo import write_example

DECLARED = """\
# Found by reading.
[[source]]
name = "surgeons"
keywords = ["surgery", "patient"]  # checked
label = "Doctor"
on = "text"

[[source]]
name = "asleep"
regex = "court"
label = "Lawyer"
on = "text"
enabled = false
"""


@pytest.fixture(scope="session")
def ran(tmp_path_factory):
    """The folder of an example with two runs and ten hand labels. To be looked at only."""
    home = tmp_path_factory.mktemp("ran") / "letters"
    write_example(home, 300, 7)
    run(Project.load(home), progress=False)
    (home / "sources.toml").write_text(DECLARED)
    project = Project.load(home)
    answers = Answers.of(project, "ann")
    for number, one in enumerate(queue(project, 10)):
        answers.record(one, one.row, {"entity": "Person", "person": "Lawyer"} if number else None)
    run(project, progress=False)
    return home


@pytest.fixture(scope="session")
def contents(ran):
    """What that folder holds."""
    return Workbench(ran).contents()


@pytest.fixture
def own(ran, tmp_path):
    """A copy of that folder, to be changed."""
    return shutil.copytree(ran, tmp_path / "own")


@pytest.fixture
def unrun(tmp_path):
    """An example that never ran."""
    write_example(tmp_path / "unrun", 60, 7)
    return tmp_path / "unrun"
