"""Tables of votes and of gold in the shapes that people have them, and clear words for those that do not fit."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from tests.aggregation.test_aggregation import crowd

TABLE, TRUTH, _ = crowd(np.random.default_rng(3), items=60)
FEW = TRUTH.iloc[:20].rename("truth").rename_axis("task")
EXPECTED = assay.aggregate(TABLE, gold=FEW).labels.tolist()


@pytest.mark.parametrize(
    "gold",
    [
        FEW.reset_index(),
        FEW.reset_index().rename(columns={"task": "item", "truth": "label"}),
        FEW.reset_index().assign(checked_by="ann"),
        pd.concat([FEW.reset_index(), FEW.reset_index().head(3)]),
        FEW.to_frame(),
        FEW.reindex(TRUTH.index).to_frame(),
        FEW.to_dict(),
        pl.from_pandas(FEW.reset_index()),
        {"task": FEW.index.tolist(), "gold": FEW.tolist()},
    ],
)
def test_gold_is_taken_in_any_shape(gold):
    assert assay.aggregate(TABLE, gold=gold).labels.tolist() == EXPECTED


def test_gold_is_read_from_a_file(tmp_path):
    FEW.to_csv(tmp_path / "gold.csv")
    assert assay.aggregate(TABLE, gold=tmp_path / "gold.csv").labels.tolist() == EXPECTED
    assert assay.aggregate(TABLE, gold=str(tmp_path / "gold.csv")).labels.tolist() == EXPECTED


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (FEW.reset_index().rename(columns={"truth": "x"}).assign(y=1), "'x', 'y', and none of these is known"),
        (pd.DataFrame({"task": ["t1", "t1"], "truth": ["a", "b"]}), "two labels of task 't1', 'a' and 'b'"),
        (FEW.replace("a", "aa"), r"gold says 'aa' of item 't\d+', which no worker says.*Did you mean 'a'"),
        (FEW.set_axis([f"{name}.jpg" for name in FEW.index]), r"not there: 't0\.jpg'"),
    ],
)
def test_gold_that_does_not_fit_is_told(gold, said):
    with pytest.raises(assay.VoteError, match=said):
        assay.aggregate(TABLE, gold=gold)


def test_annotations_are_a_table_of_votes(tmp_path):
    export = [
        {"id": item, "text": "x", "label": [label], "annotator": worker}
        for item, worker, label in TABLE.itertuples(index=False)
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, export)))
    said = assay.read_annotations(tmp_path / "all.jsonl", by="one")
    said = type(said)(said.tool, tuple(
        assay.annotations.Annotation(one.item, worker, one.labels)
        for one, worker in zip(said.said, TABLE["worker"], strict=True)
    ))  # fmt: skip
    assert assay.aggregate(said).labels.tolist() == assay.aggregate(TABLE).labels.tolist()
    with pytest.raises(assay.VoteError, match=r"assay\.read_annotations\('project-1\.json'\)"):
        assay.aggregate("project-1.json")


def test_a_wide_table_is_told_with_what_makes_it_long():
    wide = TABLE.pivot(index="task", columns="worker", values="label")
    with pytest.raises(assay.VoteError, match=r"wide table.*one column a worker.*table\.stack"):
        assay.aggregate(wide)
    again = wide.stack().rename("label").reset_index()
    assert assay.aggregate(again).labels.to_dict() == assay.aggregate(TABLE).labels.to_dict()
    as_read = wide.rename_axis(None, axis=1).reset_index()
    with pytest.raises(assay.VoteError, match=r"table\.melt\('task'"):
        assay.aggregate(as_read)
    again = as_read.melt("task", var_name="worker", value_name="label").dropna()
    assert assay.aggregate(again).labels.to_dict() == assay.aggregate(TABLE).labels.to_dict()


def test_a_vote_without_a_worker_is_told_with_its_row():
    broken = TABLE.copy()
    broken.loc[[5, 9], "worker"] = None
    with pytest.raises(assay.VoteError, match="column 'worker' is empty in 2 of 240 rows, the first of them row 5"):
        assay.aggregate(broken)


def test_errors_speak_of_workers_and_do_not_quote_numbers():
    numbers = TABLE.assign(worker=TABLE["worker"].str[1:].astype(int))
    with pytest.raises(assay.UnidentifiableError, match=r"(?s)only 2 workers vote.*independent of 0 and 1") as error:
        assay.aggregate(numbers[numbers["worker"] < 2])
    assert "source" not in str(error.value)
    twice = pd.concat([numbers, numbers.head(1).assign(label="c"), numbers.head(1).assign(label="b")])
    with pytest.raises(assay.VoteError, match=r"^worker \d votes twice on item 't0'"):
        assay.aggregate(twice)


def test_labels_that_differ_in_blanks_or_capitals_are_warned_of():
    misspelt = TABLE.copy()
    misspelt.loc[5, "label"] = "A "
    with pytest.warns(UserWarning, match="'A ', 'a' differ only in capitals or in blanks"):
        found = assay.aggregate(misspelt)
    assert found.probabilities.columns.tolist() == ["A ", "a", "b", "c"]


def test_a_batch_of_mechanical_turk_is_pointed_to_reading_it(tmp_path):
    batch = TABLE.set_axis(["HITId", "WorkerId", "Answer.animal.label"], axis=1)
    batch.to_csv(tmp_path / "batch.csv", index=False)
    with pytest.raises(assay.VoteError, match=r"assay\.read_annotations\('.*batch\.csv'\)"):
        assay.aggregate(tmp_path / "batch.csv")
    found = assay.aggregate(assay.read_annotations(tmp_path / "batch.csv"))
    assert found.labels.tolist() == assay.aggregate(TABLE).labels.tolist()


def test_annotations_of_several_questions_are_refused():
    said = [assay.annotations.Annotation(1, "ann", ("x",), task) for task in ("mood", "food")]
    with pytest.raises(assay.VoteError, match="several questions, 'food', 'mood'"):
        assay.aggregate(assay.annotations.Annotations("doccano", tuple(said)))
