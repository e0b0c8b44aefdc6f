"""The report on a run."""

from assay.project.demo.example import write_example
from assay.project.pipeline import run
from assay.project.project import Project


def test_a_run_writes_its_report(tmp_path):
    write_example(tmp_path / "p", 300, 7)
    made = run(Project.load(tmp_path / "p"), progress=False)
    page = made.report(tmp_path / "page.html", items=2).read_text()
    assert "<title>p · Assay</title>" in page
    assert page.count("<details>") == 2
    for found in made.evaluations.values():
        assert f"{100 * found.accuracy:.1f}%" in page
