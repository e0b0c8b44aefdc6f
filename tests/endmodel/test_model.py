"""The end model as a user meets it: every encoder, on disk and off, and what it refuses."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_matrix
from sklearn.base import clone

import assay
from tests.support.encoders import Wider, numbers_of
from tests.support.small_texts import entity_tasks, small_world

ENCODERS = {
    "ngrams": (lambda: None, {}, "texts"),
    "ngrams with layers": (lambda: assay.NGrams(words=None, characters=(1, 3)), {"layers": (16,)}, "texts"),
    "lstm": (lambda: assay.BiLSTM(embedding=8, hidden=8), {"layers": (8,), "epochs": 12}, "texts"),
    "dense": (lambda: assay.Features(), {"epochs": 30}, "dense"),
    "sparse": (lambda: assay.Features(), {"epochs": 30, "learning_rate": 0.05}, "sparse"),
    "own": (Wider, {"epochs": 30}, "dense"),
}


def data_of(kind, texts, truth):
    if kind == "texts":
        return texts
    return numbers_of(truth) if kind == "dense" else csr_matrix(numbers_of(truth))


@pytest.fixture(params=ENCODERS, scope="module")
def trained(request):
    make, settings, kind = ENCODERS[request.param]
    tasks = entity_tasks()
    texts, labels, truth = small_world(tasks)
    torch.manual_seed(0)
    encoder = make()
    model = assay.EndModel(tasks, encoder=encoder, **{"batch_size": 16, "epochs": 8, **settings})
    data = data_of(kind, texts, truth)
    return model.fit(data, labels), data, truth


def test_it_learns_what_the_labels_hint_at(trained):
    """A tenth of the labels are wrong, and all are unsure; what was learned is better than they are."""
    model, data, truth = trained
    assert (model.predict_proba(data).argmax(axis=1) == truth).mean() > 0.93
    assert not model.interrupted_
    assert len(model.history_) == model.epochs


def test_saved_and_loaded_it_predicts_the_same_bits(trained, tmp_path):
    model, data, _ = trained
    path = model.save(tmp_path / "model.safetensors")
    own = Wider() if isinstance(model.encoder, Wider) else None
    again = assay.EndModel.load(path, encoder=own)
    np.testing.assert_array_equal(again.predict_proba(data), model.predict_proba(data))
    pd.testing.assert_frame_equal(again.history_, model.history_)
    if own is None:
        assert again.save(tmp_path / "again.safetensors").read_bytes() == path.read_bytes()
    header = path.read_bytes()[8 : 8 + int.from_bytes(path.read_bytes()[:8], "little")]
    assert json.loads(json.loads(header)["__metadata__"]["assay"])["format"] == 2


def test_labels_do_not_depend_on_the_company_of_an_item(trained):
    model, data, _ = trained
    whole = model.predict_proba(data)
    order = np.random.default_rng(0).permutation(len(whole))
    some = [data[i] for i in order[:50]] if isinstance(data, list) else data[order[:50]]
    np.testing.assert_allclose(model.predict_proba(some), whole[order[:50]], atol=1e-6)


def test_names_fit_the_task_graph(trained):
    model, data, _ = trained
    labels, outcomes = model.label(data), model.tasks.label_space.outcomes
    named = zip(*(labels.names(task) for task in labels), strict=True)
    for number, names in zip(model.predict(data), named, strict=True):
        assert dict(zip(model.tasks.names, names, strict=True)) == outcomes[number]


def test_the_order_of_items_hardly_matters(entities, world):
    """It decides which items share a batch, and nothing else."""
    texts, labels, _ = world
    order = np.random.default_rng(0).permutation(len(texts))
    settings = {"epochs": 300, "batch_size": 1000, "learning_rate": 0.1}
    one = assay.EndModel(entities, **settings).fit(texts, labels)
    shuffled = assay.Labels(entities, (labels.joint[0][order],))
    other = assay.EndModel(entities, **settings).fit([texts[i] for i in order], shuffled)
    np.testing.assert_allclose(one.predict_proba(texts), other.predict_proba(texts), atol=1e-3)


def test_several_components_give_lists(pair):
    texts = ["sunny warm", "sunny cold", "rainy warm", "rainy cold"] * 10
    mood = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]] * 10)
    food = np.array([[0.8, 0.2], [0.2, 0.8]] * 20)
    model = assay.EndModel(pair, batch_size=8, epochs=20).fit(texts, assay.Labels(pair, (mood, food)))
    found = model.predict_proba(["sunny cold", "rainy warm"])
    assert [part.shape for part in found] == [(2, 2), (2, 2)]
    assert model.predict(["sunny cold", "rainy warm"]).tolist() == [[0, 1], [1, 0]]
    labels = model.label(texts)
    assert labels.names("food")[:2].tolist() == ["good", "cold"]
    assert assay.evaluate(labels, {"mood": labels.names("mood").tolist()}).accuracy == 1


@pytest.mark.parametrize("mode", ["masked", "outcome"])
def test_it_converges_to_the_labels_themselves(entities, mode):
    """With enough freedom and one kind of item, what is predicted is what the labels say on average."""
    joint = np.tile([[0.5, 0.2, 0.2, 0.1]], (30, 1))
    model = assay.EndModel(entities, not_applicable=mode, l2=0.0, epochs=150, batch_size=5)
    found = model.fit(["same"] * 30, assay.Labels(entities, (joint,))).predict_proba(["same"])
    np.testing.assert_allclose(found[0], joint[0], atol=1e-3)


def test_items_that_were_left_out_are_not_trained_on(entities, world):
    """Their texts still help to see how rare an n-gram is; their labels do not count."""
    texts, labels, _ = world
    keep = np.arange(len(texts)) % 2 == 0
    wrong = labels.joint[0].copy()
    wrong[~keep] = np.roll(wrong[~keep], 1, axis=1)
    one, other = (
        assay.EndModel(entities, epochs=2).fit(texts, assay.Labels(entities, (joint,)).where(keep))
        for joint in (labels.joint[0], wrong)
    )
    np.testing.assert_array_equal(one.predict_proba(texts), other.predict_proba(texts))
    cut = assay.EndModel(entities, epochs=2).fit([t for t, k in zip(texts, keep, strict=True) if k], labels.where(keep))
    assert cut.predict_proba(texts).shape == (len(texts), 4)


def test_empty_and_missing_texts_are_labeled(entities, world):
    """Nothing is known about them, so what they get is what all items get on average."""
    texts, labels, _ = world
    model = assay.EndModel(entities, epochs=3).fit([*texts[:3], "", None, *texts[5:]], labels)
    found = model.predict_proba([None, "", "  ", "?!", texts[0]])
    np.testing.assert_array_equal(found[:3], found[1:4])
    assert (found[0] != found[4]).any()


def test_weights_let_rare_labels_count(entities, world):
    """With one label a task left out of all texts but a few, it is found more often, not less."""
    texts, labels, truth = world
    keep = (truth != 0) | (np.arange(len(truth)) % 8 == 0)
    few = labels.where(keep)
    plain = assay.EndModel(entities, epochs=3).fit(texts, few)
    for weights in ("balanced", {"person": {"Doctor": 8.0}}):
        weighted = assay.EndModel(entities, epochs=3, class_weights=weights).fit(texts, few)
        assert weighted.label(texts)["person"][:, 0].mean() > plain.label(texts)["person"][:, 0].mean()
    same = assay.EndModel(entities, epochs=3, class_weights={"person": {"Doctor": 1.0}}).fit(texts, few)
    np.testing.assert_array_equal(same.predict_proba(texts), plain.predict_proba(texts))


def test_it_has_the_habits_of_scikit_learn(entities):
    model = assay.EndModel(entities, epochs=3, l2=0.5)
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "EndModel(epochs=3, l2=0.5)"
    with pytest.raises(assay.AssayError, match="Did you mean 'epochs'"):
        model.set_params(epoch=4)
    assert model.set_params(epochs=4).epochs == 4


class TestBadInput:
    @pytest.mark.parametrize("rows", [0, 1, 239, 241])
    def test_another_number_of_rows(self, entities, world, rows):
        texts, labels, _ = world
        given = (texts + texts)[:rows]
        with pytest.raises(assay.AssayError, match=rf"{rows} rows and 240 labels" if rows else "none of the 0 texts"):
            assay.EndModel(entities).fit(given, labels)
        with pytest.raises(assay.DataError, match="chosen from 240 rows"):
            assay.EndModel(entities).fit((texts + texts)[:241], labels.confident(0.5))

    def test_labels_of_another_task_graph(self, entities, letters, pair, world):
        texts, labels, _ = world
        with pytest.raises(assay.AssayError, match=r"another task graph.*entity, person, org, rather than letter"):
            assay.EndModel(letters).fit(texts, labels)
        other = assay.TaskGraph([assay.Task(task.name, task.labels) for task in entities])
        with pytest.raises(assay.AssayError, match="the same tasks with other labels or logic"):
            assay.EndModel(other).fit(texts, labels)

    def test_an_unknown_task(self, entities, world):
        texts, labels, _ = world
        with pytest.raises(assay.AssayError, match="Did you mean 'person'"):
            assay.EndModel(entities).fit(texts, labels, dev=(texts[:2], {"persen": ["Doctor", None]}))
        model = assay.EndModel(entities, epochs=1).fit(texts, labels)
        with pytest.raises(assay.VoteError, match="Did you mean 'person'"):
            model.label(texts)["persen"]

    def test_missing_numbers(self, entities, world):
        _, labels, truth = world
        numbers = numbers_of(truth)
        numbers[7, 2] = np.nan
        with pytest.raises(assay.DataError, match="row 7 has nan for feature 2"):
            assay.EndModel(entities, encoder=assay.Features()).fit(numbers, labels)
        with pytest.raises(assay.DataError, match="row 7 has"):
            assay.EndModel(entities, encoder=Wider()).fit(numbers, labels)

    def test_labels_that_are_none(self, entities, world):
        texts, labels, _ = world
        with pytest.raises(assay.AssayError, match=r"LabelModel\.label"):
            assay.EndModel(entities).fit(texts, "truth")
        with pytest.raises(assay.AssayError, match="were all items left out"):
            assay.EndModel(entities).fit(texts, labels.confident(1.0))
        broken = labels.joint[0].copy()
        broken[5] = np.nan
        with pytest.raises(assay.AssayError, match="those of item 5"):
            assay.EndModel(entities).fit(texts, assay.Labels(entities, (broken,)))

    @pytest.mark.parametrize(
        "settings",
        [
            {"epochs": 0}, {"batch_size": 1.5}, {"learning_rate": 0}, {"learning_rate": "fast"}, {"l2": -1},
            {"dropout": 1}, {"layers": (0,)}, {"layers": 5}, {"patience": 0}, {"seed": -1}, {"not_applicable": "none"},
            {"encoder": "ngrams"}, {"device": "abacus"}, {"calibrate": 1}, {"class_weights": "even"},
            {"class_weights": {"persen": {}}}, {"class_weights": {"person": {"Docter": 2}}},
            {"class_weights": {"person": {"Doctor": 0}}},
        ],
        ids=str,
    )  # fmt: skip
    def test_settings(self, entities, world, settings):
        texts, labels, _ = world
        with pytest.raises(assay.AssayError, match=next(iter(settings))):
            assay.EndModel(entities, **settings).fit(texts, labels)

    def test_no_tasks(self, world):
        with pytest.raises(assay.AssayError, match="the task graph first"):
            assay.EndModel(["entity"]).fit(*world[:2])

    def test_not_trained_yet(self, entities):
        for use in (lambda m: m.predict(["a"]), lambda m: m.save("x")):
            with pytest.raises(assay.AssayError, match="is not fitted yet"):
                use(assay.EndModel(entities))

    def test_an_encoder_that_gives_something_else(self, entities, world):
        _, labels, truth = world
        for module in (torch.nn.Flatten(0), torch.nn.LSTM(4, 2)):
            with pytest.raises(assay.AssayError, match="items × features"):
                assay.EndModel(entities, encoder=module).fit(numbers_of(truth).astype(np.float32), labels)
        with pytest.raises(assay.DataError, match="arrays or tensors of numbers"):
            assay.EndModel(entities, encoder=Wider()).fit(world[0], labels)

    def test_dev_items_without_gold(self, entities, world):
        texts, labels, _ = world
        with pytest.raises(assay.DataError, match="need gold"):
            assay.EndModel(entities).fit(texts, labels, dev=(texts[:2], [-1, -1]))
        with pytest.raises(assay.VoteError, match="each of the 3 items"):
            assay.EndModel(entities).fit(texts, labels, dev=(texts[:3], [0, 1]))
