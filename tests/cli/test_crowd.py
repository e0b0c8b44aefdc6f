"""The command for a crowd's table: what it prints and writes is what aggregate says."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from tests.aggregation.test_aggregation import crowd

runner = CliRunner()
TABLE, TRUTH, _ = crowd(np.random.default_rng(3), items=80, workers=24, each=6)


@pytest.fixture
def votes(tmp_path):
    TABLE.to_csv(tmp_path / "crowd.csv", index=False)
    TRUTH.iloc[:20].rename("truth").rename_axis("task").to_csv(tmp_path / "gold.csv")
    return tmp_path / "crowd.csv"


def call(*words):
    return runner.invoke(app, ["aggregate", *map(str, words)])


def test_labels_and_skills_are_those_of_aggregate(votes):
    home = votes.parent
    done = call(votes, "--out", home / "labels.csv", "--skills", home / "skills.csv", "--gold", home / "gold.csv")
    assert done.exit_code == 0, done.output
    expected = assay.aggregate(TABLE, gold=TRUTH.iloc[:20])
    written = pd.read_csv(home / "labels.csv")
    assert written.columns.tolist() == ["task", "label", "confidence", "majority", "votes"]
    assert written["label"].tolist() == expected.labels.tolist()
    assert pd.read_csv(home / "skills.csv", index_col="worker").index.tolist() == expected.skills.index.tolist()
    assert f"Krippendorff's α is {expected.agreement}" in done.stdout
    assert f"{expected.differing} labels differ from a majority vote" in done.stdout
    ranked = expected.skills.sort_values("skill").index.tolist()
    worst, best = done.stdout.split("the 10 best workers")
    assert [name for name in ranked if f" {name} " in worst] == ranked[:10]
    assert [name for name in ranked if f" {name} " in best] == ranked[-10:]


def test_json_has_it_all(votes):
    told = json.loads(call(votes, "--json").stdout)
    expected = assay.aggregate(TABLE)
    assert (told["items"], told["workers"], told["votes"]) == (80, 24, 480)
    assert told["agreement"]["alpha"] == pytest.approx(expected.agreement.alpha)
    assert sum(one["items"] for one in told["labels"]) == 80
    assert len(told["skills"]) == 24


def test_columns_are_options_and_so_is_advice(votes):
    TABLE.set_axis(["a", "b", "c"], axis=1).to_csv(votes, index=False)
    assert call(votes, "--item", "a", "--worker", "b", "--label", "c").exit_code == 0
    with pytest.raises(assay.VoteError, match="--item 'a', --worker 'b', --label 'c'"):
        runner.invoke(app, ["aggregate", str(votes)], catch_exceptions=False)
    TABLE[TABLE["worker"].isin(["w1", "w2"])].to_csv(votes, index=False)
    with pytest.raises(assay.UnidentifiableError, match="as --gold") as error:
        runner.invoke(app, ["aggregate", str(votes)], catch_exceptions=False)
    assert "LabelModel" not in str(error.value)


def test_a_table_that_cannot_be_written_is_told_before_any_work(votes):
    with pytest.raises(assay.AssayError, match=r"\.csv, \.jsonl or \.parquet"):
        runner.invoke(app, ["aggregate", "nowhere.csv", "--out", "labels.xlsx"], catch_exceptions=False)


def test_a_batch_of_mechanical_turk_is_read(votes):
    TABLE.set_axis(["HITId", "WorkerId", "Answer.animal.label"], axis=1).to_csv(votes, index=False)
    assert json.loads(call(votes, "--json").stdout)["workers"] == 24
