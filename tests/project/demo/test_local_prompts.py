"""The example's prompts, asked of the real local model: they vote, and take part in the fit."""

import numpy as np

from assay.project import Project, run, stored_votes
from assay.project.demo import write_example
from assay.project.demo.local_prompts import add_prompts, answering, effect_of_prompts, local_prompts
from assay.report import Report
from tests.support.local_model import started

NAMES = ["llm_entity", "llm_field"]


def test_prompts_are_sources_like_any_other(tmp_path):
    started()  # skips where it is not installed
    write_example(tmp_path, 300, seed=7)
    add_prompts(tmp_path, 300, asked=4)
    with answering(Project.load(tmp_path)) as project:
        made = run(project, progress=False)
    voted = made.votes.to_pandas()[NAMES].notna().any(axis=1)
    assert 0 < voted.sum() <= 4
    assert set(NAMES) <= set(made.model.sources_["source"])
    assert list(made.model.asked_later) == NAMES
    effect = effect_of_prompts(made)
    assert effect.asked == 4
    assert effect.changed <= 4  # labels of other texts are as they would be without
    assert 0 <= effect.right_before <= 4
    page = Report.of(made.model, stored_votes(project)).to_html()
    assert "llm_field" in page
    # Answers are kept, so that the project runs again while nobody answers.
    again = run(Project.load(tmp_path), progress=False)
    assert np.array_equal(again.model.predict(again.votes), made.model.predict(made.votes))


def test_what_is_there_is_kept(tmp_path):
    write_example(tmp_path, 100, seed=7)
    add_prompts(tmp_path, 100)
    assert [source.name for source in Project.load(tmp_path).sources()][-2:] == NAMES
    assert write_example(tmp_path, 100, seed=7, keep_edited=True) == []
    settings, sources = tmp_path / "assay.toml", tmp_path / "sources.toml"
    sources.write_text('[[source]]\nname = "mine"\nkeywords = ["a"]\nlabel = "Doctor"\non = "text"\n')
    before = settings.read_text()
    add_prompts(tmp_path, 100)
    assert settings.read_text() == before
    assert "mine" in sources.read_text()
    assert [source.name for source in local_prompts()] == NAMES


def test_another_server_is_left_to_itself(tmp_path):
    write_example(tmp_path, 100, seed=7)
    project = Project.load(tmp_path)
    with answering(project) as same:
        assert same is project
