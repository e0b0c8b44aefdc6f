"""Labels from votes and data together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.linear_model import LogisticRegression

import assay
from assay.labels import label_parts
from tests.support.refining import SmallWorld, regression

FloatArray = npt.NDArray[np.float64]


def test_both_together_beat_either(world: SmallWorld, refined: assay.Labels) -> None:
    end = regression().fit(world.features, world.labels.voted(world.votes)).label(world.features)
    assert world.right(refined) > max(world.right(world.labels), world.right(end)) + 0.005
    for joint in refined.joint:
        np.testing.assert_allclose(joint.sum(axis=1), 1)
        assert (joint >= 0).all()


def test_every_label_says_what_it_rests_on(world: SmallWorld, refined: assay.Labels) -> None:
    has_votes = np.diff(world.votes.cast.starts) > 0
    assert refined.evidence is not None
    assert set(refined.evidence[has_votes]) == {"votes and data"}
    assert set(refined.evidence[~has_votes]) == {"data"}
    assert (refined.joint[0][~has_votes].argmax(axis=1) == world.truth[~has_votes]).mean() > 0.75
    assert world.labels.evidence is None


def test_to_learn_from_are_items_of_which_votes_or_data_tell_something(
    world: SmallWorld, refined: assay.Labels, tmp_path: Path
) -> None:
    has_votes = np.diff(world.votes.cast.starts) > 0
    assert not has_votes.all()
    assert len(world.labels.voted(world.votes)) == has_votes.sum()
    assert len(refined.voted(world.votes)) == len(refined)
    stored = list(label_parts(refined.to_parquet(tmp_path / "refined.parquet")))
    assert sum(len(part.voted()) for part in stored) == len(refined)
    fresh = SmallWorld(seed=9)
    right = [
        fresh.right(regression().fit(world.features, labels.voted(world.votes)).label(fresh.features))
        for labels in (world.labels, refined)
    ]
    assert right[1] > right[0]


def test_data_of_no_use_changes_nothing(world: SmallWorld) -> None:
    noise = np.random.default_rng(0).normal(size=(len(world.votes), 3))
    found = assay.refine(world.votes, noise, world.labels, model=regression())
    assert len(found.voted(world.votes)) == len(world.labels.voted(world.votes))
    np.testing.assert_array_equal(found.joint[0].argmax(axis=1), world.labels.joint[0].argmax(axis=1))
    np.testing.assert_allclose(found.joint[0], world.labels.joint[0], atol=1e-5)
    assert found.refined is not None
    assert any("does not foresee" in note for note in found.refined.notes)
    assert set(found.evidence) == {"votes", "class balance"}


def test_errors_that_data_and_votes_share_cost_little() -> None:
    """A feature misleads four sources of seven, and a model that is taught by them; three know better."""
    losses = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, 2_000)
        trap = rng.random(2_000) < 0.25
        misled = np.where(trap, 1 - truth, truth)
        votes = np.stack(
            [np.where(rng.random(2_000) < 0.85, misled if at < 4 else truth, 1 - truth) for at in range(7)], axis=1
        )
        votes = np.where(rng.random(votes.shape) < 0.6, votes, -1)
        features = np.eye(2)[misled] + 0.4 * rng.normal(size=(2_000, 2))
        labels = assay.LabelModel(cardinality=2).fit(votes).label(votes)
        better = assay.refine(votes, features, labels, model=regression())
        end = regression().fit(features, labels).label(features)
        right = [(part.joint[0].argmax(axis=1) == truth).mean() for part in (labels, end, better)]
        losses.append(right[2] - right[0])
    assert np.mean(losses) > -0.005


def test_gold_alone_teaches_what_votes_and_data_get_wrong_together() -> None:
    """All sources fall for a trap which the data shows: only a model that no vote has taught can tell."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 3_000)
    trap = rng.random(3_000) < 0.3
    misled = np.where(trap, 1 - truth, truth)
    votes = np.stack([np.where(rng.random(3_000) < 0.85, misled, 1 - misled) for _ in range(6)], axis=1)
    votes = np.where(rng.random(votes.shape) < 0.6, votes, -1)
    seen = 2.0 * misled - 1
    features = np.column_stack([seen, seen * trap]) + 0.3 * rng.normal(size=(3_000, 2))
    gold = np.where(rng.random(3_000) < 0.07, truth, -1)
    labels = assay.LabelModel(cardinality=2).fit(votes, gold).label(votes)
    better = assay.refine(votes, features, labels, model=regression())
    before, after = ((part.joint[0].argmax(axis=1) == truth)[gold < 0].mean() for part in (labels, better))
    assert before < 0.72
    assert after > 0.85
    assert better.refined is not None
    assert better.refined.data_weights["data, by gold"][0] > 0.5


def test_same_seed_same_bits(world: SmallWorld, refined: assay.Labels) -> None:
    again = assay.refine(world.votes, world.features, world.labels, model=regression())
    np.testing.assert_array_equal(again.joint[0], refined.joint[0])


def test_an_explanation_has_a_line_for_the_data(world: SmallWorld, refined: assay.Labels) -> None:
    model = assay.LabelModel().fit(world.votes, progress=False)
    for row in (0, 5, int(np.flatnonzero(np.diff(world.votes.cast.starts) == 0)[0])):
        found = model.explain(world.votes, row, labels=refined)
        np.testing.assert_allclose(found.posterior, refined.joint[0][row])
        parts = found.table.drop(index="total")
        np.testing.assert_allclose(parts.sum(), found.table.loc["total"], atol=1e-9)
        assert "data" in parts.index
        chances = np.exp(found.table.loc["total"].to_numpy())
        np.testing.assert_allclose(chances / chances.sum(), refined.joint[0][row], atol=1e-9)
    with pytest.raises(assay.VoteError, match="expected refined labels of the 1500 items"):
        model.explain(world.votes, 0, labels=refined.where(np.arange(1_500) < 10))


def test_changes_are_those_of_the_most_probable_outcome(world: SmallWorld, refined: assay.Labels) -> None:
    changed = refined.changes(world.labels)
    old, new = (labels.names("label") for labels in (world.labels, refined))
    np.testing.assert_array_equal(changed["row"], np.flatnonzero(old != new))
    assert changed["before"].tolist() == old[changed["row"]].tolist()
    assert changed["after"].tolist() == new[changed["row"]].tolist()


def test_a_file_keeps_what_labels_rest_on(refined: assay.Labels, tmp_path: Path) -> None:
    again = assay.Labels.from_parquet(refined.to_parquet(tmp_path / "labels.parquet"))
    assert again.refined is not None
    assert refined.refined is not None
    np.testing.assert_array_equal(again.refined.kinds, refined.refined.kinds)
    assert again.refined.to_dict() == refined.refined.to_dict()
    some = np.arange(len(refined)) % 2 == 0
    parts = assay.Labels.concat([again.where(some), again.where(~some)])
    assert sorted(parts.evidence) == sorted(refined.evidence)


# Gold


def test_gold_items_get_their_gold_and_are_judged_without_it(world: SmallWorld) -> None:
    gold = np.where(np.arange(len(world.truth)) % 10 == 0, world.truth, -1)
    found = assay.refine(world.votes, world.features, world.labels, gold=gold, model=regression())
    known = gold >= 0
    np.testing.assert_array_equal(found.joint[0][known].argmax(axis=1), world.truth[known])
    assert set(found.evidence[known]) == {"gold"}
    assert found.gold is not None
    np.testing.assert_array_equal(found.gold.rows, np.flatnonzero(known))
    judged = (found.gold.held_out[0].argmax(axis=1) == world.truth[known]).mean()
    others = (found.joint[0][~known].argmax(axis=1) == world.truth[~known]).mean()
    assert judged < 1
    assert judged == pytest.approx(others, abs=0.08)


def test_gold_that_labels_have_learned_from_is_not_asked_for_again(world: SmallWorld) -> None:
    gold = np.where(np.arange(len(world.truth)) % 10 == 0, world.truth, -1)
    labels = assay.LabelModel().fit(world.votes, gold, progress=False).label(world.votes)
    found = assay.refine(world.votes, world.features, labels, model=regression())
    assert found.gold is not None
    np.testing.assert_array_equal(found.gold.rows, np.flatnonzero(gold >= 0))
    more = np.where(np.arange(len(world.truth)) % 10 < 2, world.truth, -1)
    both = assay.refine(world.votes, world.features, labels, gold=more, model=regression())
    assert both.gold is not None
    np.testing.assert_array_equal(both.gold.rows, np.flatnonzero(more >= 0))


# Other shapes of problems


def test_views_have_a_weight_each(world: SmallWorld) -> None:
    noise = np.random.default_rng(0).normal(size=(len(world.votes), 3))
    found = assay.refine(
        world.votes,
        {"features": world.features, "noise": noise},
        world.labels,
        model={"features": regression(), "noise": regression()},
    )
    assert found.refined is not None
    assert found.refined.data_weights["features"][0] > 0.5
    useless = np.abs(found.refined.data_weights["noise"][0])
    alone = assay.refine(world.votes, world.features, world.labels, model=regression())
    assert useless < 2
    assert world.right(found) > world.right(alone) - 0.01


def test_components_and_taxonomies() -> None:
    rng = np.random.default_rng(0)
    tasks = assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            assay.Task("urgent", ["yes", "no"]),
        ]
    )
    truth = rng.integers(0, 3, 900)
    urgent = rng.integers(0, 2, 900)
    names = np.array(["Doctor", "Lawyer", "Organization"], dtype=object)
    columns = {}
    for at in range(4):
        wrong = rng.random(900) < 0.25
        said = names[np.where(wrong, rng.integers(0, 3, 900), truth)]
        columns[f"kind{at}"] = [
            None if rng.random() < 0.3 else ("entity", name) if name == "Organization" else ("person", name)
            for name in said
        ]
        flips = rng.random(900) < 0.2
        columns[f"urgent{at}"] = ("urgent", [["yes", "no"][u ^ f] for u, f in zip(urgent, flips, strict=True)])
    votes = assay.Votes.from_columns(tasks, columns)
    features = np.column_stack([np.eye(3)[truth], urgent]) + 0.6 * rng.normal(size=(900, 4))
    labels = assay.LabelModel().fit(votes, progress=False).label(votes)
    better = assay.refine(votes, features, labels, model=regression())
    assert [part.shape for part in better.joint] == [part.shape for part in labels.joint]
    assert (better.names("urgent") == np.array(["yes", "no"])[urgent]).mean() > (
        labels.names("urgent") == np.array(["yes", "no"])[urgent]
    ).mean()
    person = better["person"]
    np.testing.assert_allclose(person[:, -1], better["entity"][:, 1], atol=1e-9)


def test_a_single_source_is_taken_on_trust() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    votes = np.where(rng.random(600) < 0.8, truth, 1 - truth)[:, None]
    features = 2 * np.eye(2)[truth] + rng.normal(size=(600, 2))
    labels = assay.LabelModel(cardinality=2, allow_unidentifiable=True).fit(votes).label(votes)
    found = assay.refine(votes, features, labels, model=regression())
    assert found.refined is not None
    assert any("too few sources" in note for note in found.refined.notes)
    assert (found.joint[0].argmax(axis=1) == truth).mean() > 0.85


def test_texts_use_ngrams_by_default() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    texts = [
        " ".join(rng.choice(["win", "prize"] if y else ["noon", "lunch"], 2)) + f" w{rng.integers(50)}" for y in truth
    ]
    codes = np.where(rng.random((400, 4)) < 0.75, truth[:, None], 1 - truth[:, None])
    labels = assay.LabelModel(cardinality=2).fit(codes).label(codes)
    found = assay.refine(codes, texts, labels, rounds=1, folds=2)
    assert (found.joint[0].argmax(axis=1) == truth).mean() > 0.97


# Mistakes


def test_mistakes_are_explained(world: SmallWorld) -> None:
    with pytest.raises(assay.AssayError, match="expected the labels to refine"):
        assay.refine(world.votes, world.features, world.labels.joint[0])
    with pytest.raises(assay.DataError, match="a row of data for each of the 1,500 items, but there are 10"):
        assay.refine(world.votes, world.features[:10], world.labels, model=regression())
    with pytest.raises(assay.AssayError, match="refine labels of all items"):
        assay.refine(world.votes, world.features, world.labels.voted(world.votes), model=regression())
    with pytest.raises(assay.AssayError, match="folds must be an integer of 2 or more"):
        assay.refine(world.votes, world.features, world.labels, folds=1)
    with pytest.raises(assay.AssayError, match="must be an end model"):
        assay.refine(world.votes, world.features, world.labels, model=LogisticRegression())
    with pytest.raises(assay.AssayError, match="data must be a dict with the same names"):
        assay.refine(world.votes, world.features, world.labels, model={"a": regression()})


def test_too_few_items_stay_as_they_are() -> None:
    votes = np.array([[0, 0, -1], [1, -1, 1], [-1, -1, -1]])
    labels = assay.LabelModel(cardinality=2, allow_unidentifiable=True).fit(votes).label(votes)
    found = assay.refine(votes, np.zeros((3, 1)), labels, model=regression())
    np.testing.assert_array_equal(found.joint[0], labels.joint[0])
    assert list(found.evidence) == ["votes", "votes", "class balance"]
