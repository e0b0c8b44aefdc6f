"""Sources that are held out."""

from __future__ import annotations

import numpy as np

import assay
from assay.endmodel.refinement.held_out_sources import Cast, _for_sources, groups_of
from tests.support.refining import SmallWorld


def test_every_source_is_held_out_once_and_nothing_of_it_is_seen(world: SmallWorld) -> None:
    sample = np.flatnonzero(np.diff(world.votes.cast.starts) > 0)
    groups = list(groups_of(world.votes, sample, assay.LabelModel(), None, seed=0))
    assert len(groups) == 4
    votes_on_sample = world.votes.take(sample).cast
    alone = np.diff(votes_on_sample.starts) == 1
    held = sum(len(group.rows) for group in groups)
    # Votes that are the only one on their item have nobody to foresee them.
    assert held <= len(votes_on_sample.codes) - alone.sum()
    for group in groups:
        assert group.has_votes[group.rows].all()
        likelihood = group.evidence(0, (), world.labels.joint[0]).likelihood
        np.testing.assert_allclose(likelihood.max(axis=1), 1)
        assert len(likelihood) == len(group.rows)


def test_likelihoods_are_rates_among_labels(world: SmallWorld) -> None:
    """Of a source that is usually right, a vote is most likely if it is."""
    sample = np.flatnonzero(np.diff(world.votes.cast.starts) > 0)
    for group in groups_of(world.votes, sample, assay.LabelModel(), None, seed=0):
        truth = world.truth[sample][group.rows]
        likelihood = group.evidence(0, (), world.labels.joint[0]).likelihood
        right = likelihood[np.arange(len(truth)), truth]
        assert right.mean() > likelihood[np.arange(len(truth)), 1 - truth].mean()


def test_rates_are_counts_of_labels_by_brute_force(world: SmallWorld) -> None:
    votes, labels = world.votes.cast, world.labels.joint[0]
    found = Cast.of(world.votes).rates(labels)
    value = 0
    for source, table in enumerate(world.votes.values):
        for code in range(len(table)):
            rows = votes.row[(votes.sources == source) & (votes.codes == code)]
            pseudo = 0.5 * labels[rows].sum() / len(labels)
            rates = (labels[rows].sum(axis=0) + pseudo) / (labels.sum(axis=0) + 0.5)
            np.testing.assert_allclose(found[value], rates / rates.max())
            value += 1
    assert value == len(found)


def test_gold_teaches_the_labels_of_the_other_sources_too(world: SmallWorld) -> None:
    sample = np.flatnonzero(np.diff(world.votes.cast.starts) > 0)
    gold = [int(label) if row % 7 == 0 else -1 for row, label in enumerate(world.truth)]
    known = np.array(gold)[sample] >= 0
    for group in groups_of(world.votes, sample, assay.LabelModel(), gold, seed=0):
        np.testing.assert_array_equal(group.joint[0][known].argmax(axis=1), world.truth[sample][known])


def test_settings_of_the_label_model_are_kept_for_the_sources_that_stay() -> None:
    votes = assay.Votes.from_matrix(np.zeros((3, 4), dtype=int), cardinality=2)
    model = assay.LabelModel(dependencies=[(0, 1), (1, 2, 3)], adversarial=[0], beliefs={2: 0.8})
    kept = _for_sources(model, votes, votes.select([1, 2]))
    assert list(kept.dependencies) == [(votes.names[1], votes.names[2])]
    assert list(kept.adversarial) == []
    assert kept.beliefs == {votes.names[2]: 0.8}
