"""What a model expects of itself: by brute force, and on votes whose truth is known."""

import numpy as np
import pytest

import assay
from assay.simulate import flat_world, task_world


def assessment_of(model):
    return model.fitted_.components[0].fit.assessment


@pytest.mark.parametrize("method", ["em", "robust"])
def test_it_is_what_the_labels_say(entities, method):
    votes = task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3, seed=2).draw(900).votes
    model = assay.LabelModel(method=method).fit(votes)
    spoken = (votes.codes >= 0).any(axis=1)
    labels, majority = model.predict_proba(votes)[spoken], assay.majority_vote(votes)[spoken]
    found = assessment_of(model)
    assert found.right == pytest.approx(labels.max(axis=1).mean())
    assert found.majority_right == pytest.approx((labels * majority).sum(axis=1).mean())
    chosen = np.eye(4)[labels.argmax(axis=1)]
    assert found.same == pytest.approx((chosen * majority).sum(axis=1).mean(), abs=1e-9)
    # The truth is drawn from the labels: the difference is a sum of independent draws.
    gain = ((chosen - majority) ** 2 * labels).sum(axis=1) - ((chosen - majority) * labels).sum(axis=1) ** 2
    assert found.error == pytest.approx(np.sqrt(gain.sum()) / len(gain))


def test_the_gain_is_the_one_that_gold_shows():
    world = flat_world(sources=9, accuracy=(0.5, 0.95), seed=4)
    drawn = world.draw(20_000)
    model = assay.LabelModel().fit(drawn.votes)
    found = assessment_of(model)
    majority = assay.majority_vote(drawn.votes)[np.arange(20_000), drawn.gold].mean()
    gain = (model.predict(drawn.votes) == drawn.gold).mean() - majority
    assert abs(found.gain - gain) < 4 * found.error
    assert found.gain > 0.01


def test_copies_are_told_of_and_others_are_not():
    world = flat_world(sources=8, copies=[(2, 5)], copy_probability=0.7, seed=1)
    votes = world.draw(5000).votes
    found = assessment_of(assay.LabelModel(dependencies=()).fit(votes)).redundant
    assert found[0].sources == (2, 5)
    assert found[0].seen > found[0].expected + 0.1
    for dependencies in ("auto", [(2, 5)]):
        assert assessment_of(assay.LabelModel(dependencies=dependencies).fit(votes)).redundant == ()


def test_sources_with_one_value_show_it_by_voting_together():
    world = flat_world(sources=8, coverage=0.2, polarity="one", copies=[(0, 2)], copy_probability=0.8, seed=1)
    found = assessment_of(assay.LabelModel(dependencies=()).fit(world.draw(5000).votes)).redundant
    assert found[0].sources == (0, 2)
    assert found[0].by_meeting
    assert found[0].seen > 1.5 * found[0].expected
