"""The example's prompts, asked of the real local model."""

from assay.project import Project, run
from assay.project.demo import write_example
from assay.project.demo.local_prompts import ask_local_model
from tests.support.local_model import started


def test_prompts_are_asked_about_the_least_sure_texts(tmp_path):
    started()  # skips where it is not installed
    write_example(tmp_path, 300, seed=7)
    made = run(Project.load(tmp_path), progress=False)
    unsure, summary = ask_local_model(made, texts=4, progress=False)
    assert len(unsure.rows) == 4
    assert list(summary.index) == ["llm_entity", "llm_field"]
    assert (summary["coverage"] <= 4 / 300).all()
    assert summary["coverage"].max() > 0
    assert "accuracy" in summary
