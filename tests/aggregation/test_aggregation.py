"""A crowd in one line: what the label model says, skills that cover the truth, and a start that takes a moment."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.aggregation import pooled


def crowd(rng, items=150, workers=8, labels=3, each=4):
    """A long table as crowd-kit has it, the truth, and the true skill of each worker."""
    truth = rng.integers(labels, size=items)
    skill = rng.uniform(0.5, 0.95, workers)
    rows = [
        (f"t{item}", f"w{worker}", "abcde"[truth[item] if rng.random() < skill[worker] else wrong])
        for item in range(items)
        for worker in rng.choice(workers, each, replace=False)
        for wrong in [(truth[item] + rng.integers(1, labels)) % labels]
    ]
    table = pd.DataFrame(rows, columns=["task", "worker", "label"])
    return table, pd.Series([*truth], index=[f"t{item}" for item in range(items)]).map(lambda at: "abcde"[at]), skill


def test_it_says_what_the_label_model_says():
    table, truth, _ = crowd(np.random.default_rng(0))
    found = assay.aggregate(table)
    votes = assay.Votes.from_long(table, item="task")
    labels = assay.LabelModel().fit(votes).label(votes)
    assert found.labels.tolist() == labels.names("label").tolist()
    np.testing.assert_array_equal(found.probabilities.to_numpy(), labels["label"][:, :3])
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert found.labels.index.tolist() == list(dict.fromkeys(table["task"]))
    assert (found.labels == truth[found.labels.index]).mean() > 0.85


def test_a_majority_vote_stands_beside_it_and_ties_are_told():
    found = assay.aggregate(
        {"task": [1, 1, 1, 2, 2, 3], "worker": ["a", "b", "c", "a", "b", "c"], "label": ["x", "x", "y", "x", "y", "y"]}
    )
    assert found.majority.tolist() == ["x", None, "y"]
    assert found.to_pandas()["votes"].tolist() == [3, 2, 1]
    assert "tied on 1" in repr(found)


def test_the_order_of_rows_does_not_matter():
    table, _, _ = crowd(np.random.default_rng(1))
    one, other = assay.aggregate(table), assay.aggregate(table.sample(frac=1, random_state=2))
    pd.testing.assert_frame_equal(one.probabilities, other.probabilities.loc[one.probabilities.index])
    pd.testing.assert_frame_equal(one.skills, other.skills)


def test_intervals_of_skills_cover_the_true_skills():
    covered = []
    for seed in range(12):
        table, _, skill = crowd(np.random.default_rng(seed), items=300)
        found = assay.aggregate(table).skills.loc[[f"w{worker}" for worker in range(len(skill))]]
        assert found["votes"].sum() == len(table)
        assert ((found["low"] <= found["skill"]) & (found["skill"] <= found["high"])).all()
        covered += [*((found["low"] <= skill) & (skill <= found["high"]))]
    assert np.mean(covered) > 0.9


def test_a_skill_is_the_mean_of_its_values_and_untold_ones_stay_untold():
    table = pd.DataFrame(
        {
            "source": ["a", "a", "b", "b", "c"],
            "accuracy": [0.8, 0.6, 0.7, 0.7, 0.5],
            "low": [0.7, 0.4, 0.0, 0.0, 0.2],
            "high": [0.9, 0.8, 1.0, 1.0, 0.8],
            "votes": [30, 10, 5, 5, 0],
        }
    )
    found = pooled(table)
    assert found.index.tolist() == ["a", "b"]
    assert found.loc["a", "accuracy"] == pytest.approx(0.75)
    assert 0.6 < found.loc["a", "low"] < 0.7
    assert found.loc["b", ["low", "high"]].tolist() == [0, 1]


def test_gold_and_a_model_of_ones_own_are_used():
    table, truth, _ = crowd(np.random.default_rng(3))
    few = truth.iloc[:60]
    assert (assay.aggregate(table, gold=few).labels[few.index] == few).all()
    assert assay.aggregate(table, model=assay.LabelModel(method="em")).model.method == "em"


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        (["task", "worker", "label"], {}),
        (["item_id", "annotator", "answer"], {}),
        (["a", "b", "c"], {"item": "a", "worker": "b", "label": "c"}),
        (["task", "b", "label"], {"worker": "b"}),
    ],
)
def test_columns_are_known_by_their_names_or_told(columns, given):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    found = assay.aggregate(table.set_axis(columns, axis=1), **given)
    assert found.labels.tolist() == assay.aggregate(table).labels.tolist()


@pytest.mark.parametrize(
    ("columns", "given", "said"),
    [
        (["task", "x", "label"], {}, "worker='x'"),
        (["task", "item", "label"], {"worker": "wrker"}, "no column 'wrker'"),
        (["worker", "annotator", "label"], {}, "items"),
    ],
)
def test_columns_that_cannot_be_told_are_asked_for(columns, given, said):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    with pytest.raises(assay.VoteError, match=said):
        assay.aggregate(table.set_axis(columns, axis=1), **given)


def test_a_table_without_votes_is_refused():
    with pytest.raises(assay.VoteError, match="no votes"):
        assay.aggregate({"task": ["a"], "worker": ["b"], "label": [None]})


@pytest.mark.parametrize("numbers", [True, False])
def test_a_long_table_in_place_of_a_matrix_is_pointed_here(numbers):
    table, _, _ = crowd(np.random.default_rng(5))
    if numbers:
        table = table.apply(lambda column: pd.factorize(column)[0])
    with pytest.raises(assay.VoteError, match=r"assay\.aggregate\(table\)"):
        assay.LabelModel().fit(table)


def test_a_fresh_process_has_labels_in_a_moment():
    """Processor time, since tests run beside each other; on an idle machine it is the time that passes."""
    program = """
import time, assay
table = {"task": [1, 1, 1, 2, 2, 2, 3, 3, 3] , "worker": ["a", "b", "c"] * 3, "label": list("xxyxxxyyx")}
result = assay.aggregate(table)
result.labels, result.skills, result.agreement
print(time.process_time())
"""
    run = [sys.executable, "-c", program]
    taken = (float(subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()) for _ in range(3))
    assert any(seconds < 3.0 for seconds in taken)  # 1.5 where nothing else runs; shared processors are half as fast


# Values as in the table


NUMBERS = {
    "integers": lambda number: number + 1,
    "past ten": lambda number: 9 + number,
    "negative": lambda number: number - 2,
    "floats": lambda number: number / 2,
    "truth values": lambda number: number > 0,
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("how", ["pandas", "dict", "polars"])
def test_numbers_stay_numbers_and_nothing_else_changes(kind, how):
    """Whatever labels and workers are called, the result is that of their texts, under the names of the table."""
    texts, _, _ = crowd(np.random.default_rng(6), items=80, labels=2 if kind == "truth values" else 3, workers=12)
    value = dict(zip("abc", map(NUMBERS[kind], range(3)), strict=True))
    table = texts.assign(label=texts["label"].map(value), worker=texts["worker"].str[1:].astype(int))
    given = {"pandas": table, "dict": table.to_dict("list"), "polars": pl.from_pandas(table)}[how]
    found = assay.aggregate(given)
    by_text = assay.aggregate(table.astype({"label": str, "worker": str}))

    occur = sorted(table["label"].unique().tolist())
    assert found.probabilities.columns.tolist() == occur
    assert found.skills.index.tolist() == sorted(table["worker"].unique().tolist())
    assert [*map(type, found.labels.tolist())] == [type(occur[0])] * len(found.labels)
    assert set(map(type, found.majority.dropna().tolist())) == {type(occur[0])}
    assert found.labels.map(str).tolist() == by_text.labels.tolist()
    assert found.majority.dropna().map(str).tolist() == by_text.majority.dropna().tolist()
    assert repr(found) == repr(by_text)
    np.testing.assert_array_equal(found.probabilities, by_text.probabilities[[*map(str, occur)]])
    np.testing.assert_array_equal(found.skills, by_text.skills.loc[[*map(str, found.skills.index)]])
    np.testing.assert_array_equal(
        found.confusion(3), by_text.confusion("3").loc[[*map(str, occur)], [*map(str, occur)]]
    )


def test_a_mixture_stays_text():
    labels = [1, 1, "b", 1, 1, 1, "b", "b", "b"]
    found = assay.aggregate({"task": [1, 1, 1, 2, 2, 2, 3, 3, 3], "worker": [7, "x", 8] * 3, "label": labels})
    assert found.labels.to_dict() == {1: "1", 2: "1", 3: "b"}
    assert found.skills.index.tolist() == ["7", "8", "x"]


def test_gold_of_numbers_are_labels_and_not_their_positions():
    table, truth, _ = crowd(np.random.default_rng(3))
    value = dict(zip("abc", [2, 3, 10], strict=True))  # as texts, 10 comes first
    numbers, few = table.assign(label=table["label"].map(value)), truth.iloc[:60]
    expected = assay.aggregate(table, gold=few).labels.map(value)
    every = [*few.map(value), *[-1] * (len(truth) - 60)]
    in_order = pd.Series(every, index=truth.index).loc[expected.index]
    for gold in (
        few.map(value).astype("Int64").reindex(expected.index),
        few.map(value),
        few.map(value).astype(float),
        in_order.tolist(),
        in_order.to_numpy(),
        {"label": in_order},
    ):
        found = assay.aggregate(numbers, gold=gold)
        assert (found.labels[few.index] == few.map(value)).all()
        assert (found.labels == expected).mean() > 0.98
    with pytest.raises(assay.VoteError, match="gold says 7 of item"):
        assay.aggregate(numbers, gold=few.map({"a": 7, "b": 2, "c": 3}))


# What follows


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_file_holds_the_table(tmp_path, ending, numbers):
    labels = ["x", "x", "y", "x", "y", "y"]
    table = {"task": [1, 1, 1, 2, 2, 3], "worker": ["a", "b", "c", "a", "b", "c"], "label": labels}
    found = assay.aggregate({**table, "label": [int(label == "x") for label in labels]} if numbers else table)
    path = found.to_file(tmp_path / f"crowd{ending}")
    read = {".csv": pl.read_csv, ".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}
    again = read[ending](path)
    assert again["majority"].to_list() == ([1, None, 0] if numbers else ["x", None, "y"])
    assert again.to_dict(as_series=False) == found.to_pandas().reset_index().to_dict("list")


def test_a_file_of_another_ending_is_refused(tmp_path):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    with pytest.raises(assay.AssayError, match=r"\.csv, \.jsonl or \.parquet"):
        assay.aggregate(table).to_file(tmp_path / "crowd.txt")


def test_next_items_are_those_of_the_model_by_name_and_never_have_gold():
    table, truth, _ = crowd(np.random.default_rng(3))
    few = truth.iloc[:60]
    found = assay.aggregate(table, gold=few)
    rows = assay.next_items(found.model, found.votes, 15, seed=4)
    assert found.next_items(15, seed=4) == found.votes.items[rows].tolist()
    assert not set(found.next_items(90)) & set(few.index)


def test_confusion_is_that_of_the_truth():
    """Rows sum to one, and with many items they are how often a worker says each label of those that are truly so."""
    table, truth, _ = crowd(np.random.default_rng(8), items=2_000, workers=6, each=4)
    found = assay.aggregate(table)
    for worker, own in table.groupby("worker"):
        counted = pd.crosstab(own["task"].map(truth), own["label"], normalize="index")
        estimated = found.confusion(worker)
        np.testing.assert_allclose(estimated.sum(axis=1), 1)
        assert (estimated.index.tolist(), estimated.columns.tolist()) == (["a", "b", "c"],) * 2
        np.testing.assert_allclose(estimated, counted, atol=0.08)


def test_confusion_of_a_worker_who_is_not_there():
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    with pytest.raises(assay.VoteError, match=r"no worker 'w33'.*'w3'"):
        assay.aggregate(table).confusion("w33")
    numbers = table.assign(worker=table["worker"].str[1:].astype(int))
    with pytest.raises(assay.VoteError, match=r"no worker 33\. Did you mean 3"):
        assay.aggregate(numbers).confusion(33)


# What is refused


@pytest.mark.parametrize("model", ["dawid_skene", assay.DawidSkene(), assay.LabelModel, 3])
def test_a_model_is_a_label_model(model):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    with pytest.raises(assay.AssayError, match=r"model=assay\.LabelModel\(.*assay\.DawidSkene\(\)\.fit\(votes\)"):
        assay.aggregate(table, model=model)


def test_arguments_of_crowd_kit_are_answered():
    table, truth, _ = crowd(np.random.default_rng(4), items=40)
    with pytest.raises(assay.AssayError, match=r"aggregate\(table, gold="):
        assay.aggregate(table, true_labels=truth)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "item='a', worker='b', label='c'"),
        ({"worker": "b"}, "item='a', label='c'"),
        ({"item": "x", "worker": "y", "label": "c"}, "no columns 'x', 'y'"),
        ({"item": "x"}, "no column 'x'.*workers.*labels"),
    ],
)
def test_all_missing_columns_are_named_at_once(given, said):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    with pytest.raises(assay.VoteError, match=said):
        assay.aggregate(table.set_axis(["a", "b", "c"], axis=1), **given)


def test_too_few_workers_are_refused_with_a_way_out_that_works():
    table, _, _ = crowd(np.random.default_rng(4), items=40, workers=2, each=2)
    with pytest.raises(assay.UnidentifiableError, match=r"model=assay\.LabelModel\(allow_unidentifiable=True\)"):
        assay.aggregate(table)
    found = assay.aggregate(table, model=assay.LabelModel(allow_unidentifiable=True))
    assert len(found.labels) == 40


def test_the_least_sure_items_are_those_of_lowest_confidence_without_gold():
    table, truth, _ = crowd(np.random.default_rng(3))
    found = assay.aggregate(table)
    confidence = found.to_pandas()["confidence"]
    assert found.least_sure(30) == confidence.sort_values(kind="stable").index[:30].tolist()
    gold = truth[found.least_sure(30)]
    assert not set(assay.aggregate(table, gold=gold).least_sure(1000)) & set(gold.index)
    with pytest.raises(assay.AssayError, match="n must be"):
        found.least_sure(0)


def test_indexes_are_called_as_the_column_of_items():
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    found = assay.aggregate(table.rename(columns={"task": "question"}))
    assert {part.index.name for part in (found.labels, found.probabilities, found.majority, found.to_pandas())} == {
        "question"
    }


@pytest.mark.parametrize("numbers", [False, True])
def test_labels_go_to_label_studio_beside_their_own_data(numbers, tmp_path):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    if numbers:
        table["task"] = table["task"].str[1:].astype(int)
    found = assay.aggregate(table)
    data = pd.DataFrame({"task": found.labels.index, "image": [f"{name}.jpg" for name in found.labels.index]})
    records = found.to_label_studio(data.sample(frac=1, random_state=0), tmp_path / "tasks.json", on="image")
    said = {one["data"]["image"]: one["predictions"][0]["result"][0]["value"]["choices"][0] for one in records}
    assert said == {f"{name}.jpg": label for name, label in found.labels.items()}
    assert [one["metadata"]["image"] for one in found.to_argilla(data, on="task")] == data["image"].tolist()
    assert (tmp_path / "tasks.json").is_file()


@pytest.mark.parametrize(("name", "said"), [("skills_", r"\.skills"), ("to_csv", r"to_file\('labels\.csv'\)")])
def test_names_of_other_libraries_are_answered(name, said):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    found = assay.aggregate(table)
    assert not hasattr(found, name)
    with pytest.raises(AttributeError, match=said):
        getattr(found, name)
