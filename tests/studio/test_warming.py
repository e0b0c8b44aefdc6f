"""What is worked out beforehand is what screens ask for: afterwards, nothing is left to do."""

from assay.project import Workbench, source_lines
from assay.studio.warming import keep_ready, warm
from tests.support.studios import until


def test_what_screens_ask_for_is_there(example):
    contents = Workbench(example).contents()
    assert contents.results.memo == {}
    warm(contents)
    known = set(vars(contents.results))
    assert {"is_voted", "is_contested", "by_confidence", "changed"} <= known
    before = contents.results.memo["summary"]
    source_lines(contents)
    assert contents.results.memo["summary"] is before


def test_a_folder_is_read_in_the_background(example):
    workbench = Workbench(example)
    keep_ready(workbench)
    until(lambda: "summary" in workbench.contents().results.memo, "the summary", 20)


def test_a_project_that_never_ran_is_no_obstacle(copy_of):
    for path in (copy_of / "out").glob("*.*"):
        path.unlink()
    warm(Workbench(copy_of).contents())
