"""A run and its steps: what is kept is what is used, and what does not fit any more is refused."""

import json

import numpy as np
import pytest

import assay
from assay.gold import accuracy
from assay.project import Project
from assay.project.demo import write_example
from assay.project.pipeline import apply_sources, check_votes, run
from assay.project.stored import current_votes, stored_votes, votes_path


@pytest.fixture
def project(tmp_path):
    write_example(tmp_path, 300, 7)
    return Project.load(tmp_path)


def test_a_run_is_its_steps(project):
    made = run(project, progress=False)
    assert (
        stored_votes(project)
        == made.votes
        == assay.apply(project.sources(), project.data, project.tasks, id=project.id)
    )
    assert made.model.check_ == check_votes(project)
    joint = made.labels.joint[0]
    assert np.array_equal(joint, made.model.predict_proba(made.votes))
    rows = [json.loads(line) for line in (project.folder / "gold.jsonl").read_text().splitlines()]
    outcomes = project.tasks.label_space.outcomes
    gold = np.array([outcomes.index({task: row[task] for task in project.tasks.names}) for row in rows])
    by_method = {name: found.accuracy for name, found in made.evaluations.items()}
    assert by_method["label model"] == pytest.approx(accuracy(joint, gold))
    assert by_method["majority vote"] == pytest.approx(accuracy(assay.majority_vote(made.votes), gold))


def test_votes_are_made_once_and_kept(project):
    with pytest.raises(assay.ProjectError, match="has no votes yet; run 'assay apply"):
        stored_votes(project)
    made = current_votes(project)
    stamp = votes_path(project).stat().st_mtime_ns
    assert current_votes(project) == made
    assert votes_path(project).stat().st_mtime_ns == stamp


def test_votes_for_other_tasks_are_refused(project):
    apply_sources(project, progress=False)
    settings = project.folder / "assay.toml"
    settings.write_text(settings.read_text().replace('"Office"', '"Practice"'))
    with pytest.raises(assay.ProjectError, match=r"was made for other tasks than assay\.toml has now"):
        stored_votes(Project.load(project.folder))
