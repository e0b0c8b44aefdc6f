"""Votes for one of several labels, and against some, in every step from sources to a report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import assay
from assay import LabelModel, Votes, none_of, one_of
from assay.votes import Schema

N = 6_000
LABELS = ["Doctor", "Lawyer", "Teacher"]


@pytest.fixture(scope="module")
def known():
    """Votes of sources that know one profession, pairs of them, or what it is not, with the truth."""
    rng = np.random.default_rng(5)
    tasks = assay.TaskGraph([
        assay.Task("entity", ["Person", "Place"]),
        assay.Task("person", LABELS, parent=("entity", "Person")),
    ])  # fmt: skip
    space = tasks.label_space
    truth = rng.choice(len(space), size=N, p=[0.35, 0.25, 0.2, 0.2])
    kinds = {
        "which": [*LABELS, "Place"],
        "which2": [*LABELS, "Place"],
        "which3": [*LABELS, "Place"],
        "academic": [one_of("Doctor", "Lawyer"), none_of("Doctor", "Lawyer")],
        "person": ["Person", "Place"],
        "no doctor": [none_of("Doctor"), "Doctor"],
        "no lawyer": [none_of("Lawyer"), "Lawyer"],
    }
    columns, accuracy = {}, {}
    for name, values in kinds.items():
        right = rng.random(N) < rng.uniform(0.75, 0.9)
        masks = np.array([space.allows(value) for value in values])
        said = []
        for y, is_right in zip(truth, right, strict=True):
            fitting = np.flatnonzero(masks[:, y] == is_right)
            said.append(values[rng.choice(fitting)] if rng.random() < 0.8 else None)
        columns[name] = said
        accuracy[name] = {
            str(space.vote(value)): np.mean(mask[[y for y, v in zip(truth, said, strict=True) if v == value]])
            for value, mask in zip(values, masks, strict=True)
        }
    return Votes.from_columns(tasks, columns), truth, accuracy


def test_accuracies_are_recovered_as_the_chance_that_the_truth_is_in_the_set(known):
    votes, _, accuracy = known
    learned = LabelModel(dependencies=()).fit(votes).sources_
    for row in learned.to_dict("records"):
        assert row["accuracy"] == pytest.approx(accuracy[row["source"]][row["value"]], abs=0.06), row


@pytest.mark.parametrize("method", ["em", "robust", "completion", "covariance"])
def test_every_method_learns_from_sets(known, method):
    votes, truth, _ = known
    model = LabelModel(method=method, dependencies=()).fit(votes)
    chances = model.predict_proba(votes)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert np.mean(chances.argmax(axis=1) == truth) > 0.8
    alone = votes.select(["which", "which2", "which3"])
    without = LabelModel(method=method, dependencies=(), allow_unidentifiable=True).fit(alone).predict_proba(alone)
    assert np.mean(chances[np.arange(N), truth]) > np.mean(without[np.arange(N), truth])


def test_the_model_labels_better_than_a_majority_vote(known):
    votes, truth, _ = known
    model = LabelModel(dependencies=()).fit(votes)
    chances = model.predict_proba(votes)
    majority = assay.majority_vote(votes)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    best = [np.mean(part[np.arange(N), truth]) for part in (chances, majority)]
    assert best[0] > best[1]


def test_a_majority_vote_counts_for_each_outcome_the_votes_that_allow_it(known):
    votes, _, _ = known
    few = votes.take(slice(0, 200))
    space = few.label_space
    counts = np.zeros((len(few), len(space)))
    for row, codes in enumerate(few.codes):
        for values, code in zip(few.values, codes, strict=True):
            counts[row] += space.only.allows(values[code]) if code >= 0 else 0
    best = counts == counts.max(axis=1, keepdims=True)
    np.testing.assert_allclose(assay.majority_vote(few), best / best.sum(axis=1, keepdims=True))


def test_what_was_learned_and_counted_comes_back_from_files(known, tmp_path):
    votes, _, _ = known
    model = LabelModel(dependencies=()).fit(votes)
    model.save(tmp_path / "model.npz")
    again = LabelModel.load(tmp_path / "model.npz")
    pd.testing.assert_frame_equal(again.sources_, model.sources_)
    np.testing.assert_array_equal(again.predict_proba(votes), model.predict_proba(votes))
    tally = assay.count(votes)
    tally.save(tmp_path / "tally.npz")
    assert assay.Tally.load(tmp_path / "tally.npz").schema == tally.schema
    votes.to_parquet(tmp_path / "votes.parquet")
    assert Votes.from_parquet(tmp_path / "votes.parquet") == votes


def test_many_sources_that_mostly_abstain_come_back_too(tmp_path):
    """Lists of votes, in which a text and its source tell the value."""
    tasks = assay.TaskGraph.flat("t", ["a", "b", "c", "a or b", "not c"])
    said = ["a or b", one_of("a", "b"), "not c", none_of("c"), none_of("a", "c")]
    long = {"item": [], "worker": [], "label": []}
    for number in range(60):
        long["item"].append(number)
        long["worker"].append(f"w{number % 30}")
        long["label"].append(said[number % 5])
    votes = Votes.from_long(long, tasks)
    assert votes.is_sparse
    votes.to_parquet(tmp_path / "votes.parquet")
    assert Votes.from_parquet(tmp_path / "votes.parquet") == votes
    dense = Votes.from_codes(tasks, votes.codes, votes.names, votes.values, votes.items)
    assert not dense.is_sparse
    dense.to_parquet(tmp_path / "dense.parquet")
    assert Votes.from_parquet(tmp_path / "dense.parquet") == dense
    texts = set(votes.to_pandas().to_numpy().ravel()) - {None}
    assert texts == {'{"t": "a or b"}', '{"t": {"one_of": ["a", "b"]}}', '{"t": "not c"}', '{"t": {"none_of": ["c"]}}',
                     '{"t": {"none_of": ["a", "c"]}}'}  # fmt: skip


def test_schemas_without_sets_are_stored_as_ever():
    stored = Votes.from_matrix([[0, 1]], labels=["ham", "spam"]).schema.to_dict()
    assert stored["sources"][0]["values"] == [{"label": "ham"}, {"label": "spam"}]
    assert Schema.from_dict(stored).to_dict() == stored


def test_sets_are_shown_by_name(known, tmp_path):
    votes, _, _ = known
    assert set(votes.to_pandas()["academic"].dropna()) == {"Doctor or Lawyer", "neither Doctor nor Lawyer"}
    summary = votes.summary()
    assert summary.loc["no doctor", "labels"] == "Doctor, not Doctor"
    assert summary.loc["no doctor", "task"] == "person"
    assert votes.summary(by="task").loc["person", "never voted"] == ""
    model = LabelModel(dependencies=()).fit(votes)
    row = next(
        i for i, code in enumerate(votes.codes[:, 5]) if code >= 0 and str(votes.values[5][code]) == "not Doctor"
    )
    assert "no doctor: not Doctor" in model.explain(votes, row).table.index
    page = assay.Report.of(model, votes).save(tmp_path / "report.html").read_text()
    assert "not Doctor" in page
    assert assay.check(votes).ok


def test_votes_conflict_if_no_outcome_is_in_both(entities):
    votes = Votes.from_columns(
        entities,
        {"a": ["Doctor"] * 4, "b": [none_of("Doctor"), one_of("Doctor", "Lawyer"), none_of("Lawyer"), "Hospital"]},
    )
    assert votes.conflicts()[:, 0].tolist() == [True, False, False, True]


def test_gold_may_be_a_set(known):
    votes, truth, _ = known
    space = votes.label_space
    partial = [
        None if row >= 300 else one_of("Doctor", "Lawyer") if y < 2 else {"person": none_of("Doctor", "Lawyer")}
        for row, y in enumerate(truth)
    ]
    model = LabelModel(dependencies=()).fit(votes, gold=partial)
    chances = model.predict_proba(votes)
    for row in range(300):
        assert chances[row][~space.allows(partial[row])].sum() == pytest.approx(0, abs=1e-9)
    judged = votes.summary(partial)
    known_rows = votes.codes[:300]
    academic = votes.position("academic")
    right = sum(
        votes.values[academic][code] == space.vote(partial[row])
        for row, code in enumerate(known_rows[:, academic])
        if code >= 0
    )
    assert judged.loc["academic", "correct"] == right


def test_the_task_by_task_baseline_passes_sets_over(known):
    votes, _, _ = known
    plain = votes.select(["which", "which2", "which3"])
    with_set = votes.select(["which", "which2", "which3", "academic"])
    np.testing.assert_allclose(assay.data_programming(with_set), assay.data_programming(plain))


def test_sources_of_every_kind_emit_sets(entities):
    pro, no_doctor = one_of("Doctor", "Lawyer"), none_of("Doctor")

    @assay.source
    def function(row):
        return {"person": pro} if row.n > 1 else no_doctor

    rules = [
        function,
        assay.keywords(["dr"], pro, on="text", name="keywords"),
        assay.keywords({pro: ["dr"], no_doctor: ["esq"]}, on="text", name="both"),
        assay.regex("esq", no_doctor, on="text", name="regex"),
        assay.threshold("n", pro, above=1, otherwise=no_doctor, name="threshold"),
        assay.dictionary({"dr": pro, "esq": no_doctor}, on="text", name="dictionary"),
        assay.dictionary(["esq"], {"person": no_doctor}, on="text", name="list"),
        assay.column("said", mapping={"p": pro, "n": {"none_of": ["Doctor"]}, "?": None}, name="column"),
    ]
    table = {"text": ["dr no", "esq. x"], "n": [2, 1], "said": ["p", "n"]}
    votes = assay.apply(rules, table, entities)
    yes, no = "Doctor or Lawyer", "not Doctor"
    assert votes.to_pandas().T.values.tolist() == [
        [yes, no], [yes, None], [yes, no], [None, no], [yes, no], [yes, no], [None, no], [yes, no],
    ]  # fmt: skip
    frame = pd.DataFrame({"labels": [pro, "Doctor", None]})
    assert assay.apply([assay.column("labels")], frame, entities).to_pandas()["column(labels)"].tolist() == [
        yes, "Doctor", None,
    ]  # fmt: skip


def test_errors_name_the_source_and_the_row(entities):
    nothing = one_of("Person", "Organization")
    with pytest.raises(assay.VoteError, match=r"source 'x': row 1: one_of.* allows every label of task 'entity'"):
        Votes.from_columns(entities, {"x": [None, nothing]})

    @assay.source
    def careless(row):
        return one_of(*row["names"]) if row["names"] else none_of()

    with pytest.raises(assay.SourceError, match=r"source 'careless' failed on row 1: none_of\(\) needs at least one"):
        assay.apply([careless], [{"names": ["Doctor"]}, {"names": []}], entities)
    with pytest.raises(assay.SourceError, match=r"source 'words': task 'person' has no label 'Docter'"):
        assay.apply(
            [assay.keywords(["a"], one_of("Docter"), on="t", task="person", name="words")], {"t": ["a"]}, entities
        )
    with pytest.raises(assay.VoteError, match=r"row 1: no task has the label 'Docter'"):
        Votes.from_long({"item": [1, 2], "worker": ["a", "a"], "label": ["Doctor", none_of("Docter")]}, entities)
    with pytest.raises(assay.VoteError, match=r"column 'label' holds 'z', which its mapping lacks"):
        Votes.from_long({"item": [1], "worker": ["a"], "label": ["z"]}, entities, mapping={"y": "Doctor"})
