"""What is attached to votes, models and the rest: each kind has its pictures and its table; showing never raises."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import assay
from assay._core.extras import how_to_install
from assay.checks import CheckReport
from assay.report import DependencyPlots, EvaluationPlots, LabelPlots, ModelPlots, VotePlots, html_of, plots_of

TASKS = assay.TaskGraph.flat("mail", ["ham", "spam"])
LABELS = assay.Labels(TASKS, (np.array([[0.9, 0.1], [0.2, 0.8]]),))
THINGS = {
    VotePlots: assay.Votes.from_matrix([[0, 1], [1, 1]]),
    LabelPlots: LABELS,
    ModelPlots: assay.LabelModel(),
    DependencyPlots: assay.LearnedDependencies(("a", "b"), (), np.eye(2)),
    EvaluationPlots: assay.evaluate(LABELS, ["ham", "spam"]),
}


@pytest.mark.parametrize("kind", THINGS)
def test_every_kind_has_its_pictures(kind):
    thing = THINGS[kind]
    assert type(thing.plot) is kind
    assert type(plots_of(thing)) is kind


@pytest.mark.parametrize("thing", [*(THINGS[kind] for kind in THINGS if kind is not DependencyPlots), CheckReport()])
def test_notebooks_show_what_the_report_makes(thing):
    assert thing._repr_html_() == html_of(thing)


def test_what_has_no_pictures_is_named():
    with pytest.raises(TypeError, match="no pictures of int"):
        plots_of(3)
    with pytest.raises(TypeError, match="no table of int"):
        html_of(3)


def test_showing_never_raises(monkeypatch):
    def broken(votes):
        raise ValueError("<b>")

    monkeypatch.setattr("assay.report.notebook.votes_html", broken)
    votes = assay.Votes.from_matrix([[0, 1]])
    assert votes._repr_html_() == f"<pre>{votes!r}</pre><p>No table: ValueError: &lt;b&gt;.</p>"


def test_not_even_where_an_object_cannot_be_printed(monkeypatch):
    def broken(self):
        raise ValueError("no")

    monkeypatch.setattr(assay.Votes, "__repr__", broken)
    shown = assay.Votes.from_matrix([[0, 1]])._repr_html_()
    assert "Votes object at" in shown
    assert "ValueError: no" in shown


def test_without_altair_tables_work_and_pictures_say_what_to_install(tmp_path):
    program = """
import sys
sys.modules["altair"] = None
import assay
from assay.report import percent
votes = assay.Votes.from_matrix([[0, 1]])
assert votes._repr_html_().startswith("<div>")
try:
    votes.plot
except assay.AssayError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"charts need altair, which is not installed: {how_to_install('report')}"


def test_without_altair_the_command_line_works(tmp_path):
    program = """
import sys
sys.modules["altair"] = None
from assay.cli import app
for command in (["init", "here", "--texts", "50"], ["apply", "here"], ["summary", "here"]):
    app(command, standalone_mode=False)
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True)


def test_no_import_is_hidden_in_a_string():
    """Beside the doors, which load their own names and so look at no room but their own; and what users name."""
    home = Path(assay.__file__).parent
    loading = {path.relative_to(home).as_posix() for path in home.rglob("*.py") if "import_module" in path.read_text()}
    assert loading == {"_core/lazy_names.py", "project/modules.py"}
