"""End models on hand labels, on labels, and on both: no model is scored on what it was trained with."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import assay
from assay import HandAnswer, HandLabels
from assay.evaluation import BOTH, HAND_LABELS, LABELS
from assay.simulate import flat_world, task_world

SIMULATION = flat_world(sources=6, seed=3).draw(600)
RNG = np.random.default_rng(1)
FEATURES = 2 * np.eye(2)[SIMULATION.gold] + RNG.normal(size=(600, 2))


def gold_of(rows, truth=SIMULATION.gold):
    gold = np.full(len(truth), -1)
    gold[rows] = truth[rows]
    return gold


class Remembering(LogisticRegression):
    """A classifier that keeps the rows it has seen, which their first feature numbers."""

    seen: list[set[int]] = []

    def fit(self, X, y, sample_weight=None):  # noqa: N803
        self.seen.append(set(X[:, 0].astype(int).tolist()))
        return super().fit(X[:, 1:], y, sample_weight)

    def predict_proba(self, X):  # noqa: N803
        return super().predict_proba(X[:, 1:])


def test_items_of_a_fold_are_in_no_training_of_it():
    rows = np.arange(50)
    Remembering.seen = []
    data = np.column_stack([np.arange(600), FEATURES])
    assay.compare_training(assay.SklearnEndModel(Remembering()), data, SIMULATION.votes, gold_of(rows))
    assert len(Remembering.seen) == 15
    for hand, labels, both in zip(*(Remembering.seen[start::3] for start in range(3)), strict=True):
        assert len(hand) == 40
        assert hand < set(range(50))
        held = set(range(50)) - hand
        assert not held & labels
        assert not held & both
        assert hand <= both
    folds = [set(range(50)) - hand for hand in Remembering.seen[::3]]
    assert sorted(row for fold in folds for row in fold) == list(range(50))


def test_a_model_that_learns_by_heart_gains_nothing_from_it():
    """Features are noise: all that can be known of a row is its own label, which nobody is told."""
    model = assay.SklearnEndModel(DecisionTreeClassifier(random_state=0))
    noise = np.random.default_rng(5).normal(size=(600, 2))
    found = assay.compare_training(model, noise, SIMULATION.votes, gold_of(np.arange(100)))
    base = max(np.bincount(SIMULATION.gold[:100])) / 100
    assert all(figure.value <= base + 0.1 for figure in found.accuracy.values())


def test_votes_that_are_noise_leave_hand_labels_ahead():
    votes = assay.Votes.from_matrix(np.random.default_rng(2).integers(0, 2, size=(600, 5)))
    found = assay.compare_training(
        assay.SklearnEndModel(LogisticRegression()),
        FEATURES,
        votes,
        gold_of(np.arange(150)),
        label_model=assay.LabelModel(allow_unidentifiable=True),
    )
    assert found.accuracy[HAND_LABELS].value > 0.85
    assert found.gains[HAND_LABELS, LABELS].low > 0


def test_few_hand_labels_of_many_features_are_worse_than_many_labels():
    features = np.hstack([FEATURES, np.random.default_rng(4).normal(scale=3, size=(600, 100))])
    model = assay.SklearnEndModel(LogisticRegression(C=10.0, max_iter=1000))
    found = assay.compare_training(model, features, SIMULATION.votes, gold_of(np.arange(60)))
    assert found.accuracy[BOTH].value > found.accuracy[HAND_LABELS].value + 0.05
    assert found.trained_on[HAND_LABELS] == 48
    assert not hasattr(model, "_fitted")


def test_a_network_on_texts_with_hand_labels_of_a_hierarchy():
    tasks = assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
        ]
    )
    drawn = task_world(tasks, ["entity", "entity", "person", "person", "entity"], seed=2).draw(300)
    outcomes = tasks.label_space.outcomes
    texts = [f"word{number} number {row}" for row, number in enumerate(drawn.gold)]
    answers = [dict(outcomes[number]) for number in drawn.gold[:40]]
    # Of some people no more is known than that they are people.
    for answer in answers[:8]:
        answer.pop("person")
    hand = HandLabels.of(
        [HandAnswer(row, by="ann", answer=a, chosen="random", chance=0.1) for row, a in enumerate(answers)]
    )
    model = assay.EndModel(tasks, epochs=3)
    found = assay.compare_training(model, texts, drawn.votes, hand, folds=2, progress=False)
    assert found.folds == 2
    assert 32 <= found.items <= 40
    assert found.trained_on[HAND_LABELS] <= found.items / 2
    assert found.accuracy[BOTH].value > 0.6
    assert model.epochs == 3
    assert assay.compare_training(model, texts, drawn.votes, hand, folds=2, progress=False) == found


def test_what_votes_alone_do_not_tell_is_left_out():
    two = SIMULATION.votes.select([SIMULATION.votes.names[0], SIMULATION.votes.names[1]])
    with pytest.raises(assay.UnidentifiableError):
        assay.LabelModel().fit(two)
    model = assay.SklearnEndModel(LogisticRegression())
    found = assay.compare_training(model, FEATURES, two, gold_of(np.arange(100)))
    assert list(found.accuracy) == [HAND_LABELS, BOTH]
    assert found.advice


def test_labels_to_train_on_are_chosen():
    model = assay.SklearnEndModel(LogisticRegression())
    found = assay.compare_training(
        model, FEATURES, SIMULATION.votes, gold_of(np.arange(20)), choose=lambda labels: labels.confident(0.9), folds=2
    )
    assert found.trained_on[BOTH] < 500


@pytest.mark.parametrize(("rows", "folds", "says"), [(3, 5, "there are 3 items"), (50, 1, "folds must be")])
def test_what_cannot_be_compared(rows, folds, says):
    model = assay.SklearnEndModel(LogisticRegression())
    with pytest.raises(assay.AssayError, match=says):
        assay.compare_training(model, FEATURES, SIMULATION.votes, gold_of(np.arange(rows)), folds=folds)
