"""Several votes of one source on one item."""

import numpy as np
import pytest

from assay import Task, TaskGraph, VoteError, Votes, apply, at_most, keywords, source

LABELS = ["a", "b", "c"]
TASKS = TaskGraph([Task("topics", LABELS, multiple=True), Task("kind", ["x", "y"])])
SAID = {
    "kb": [["a", "b"], None, [], {"a": True, "c": False}],
    "rule": ["a", None, "a", None],
    "both": [{"topics": ["c"], "kind": "x"}, "y", None, ["b"]],
}


@pytest.fixture
def votes():
    return Votes.from_columns(TASKS, SAID)


def test_who_says_what_is_kept(votes):
    table = votes.to_pandas()
    assert table["kb"].tolist() == [["a", "b"], None, ["not a", "not b", "not c"], ["a", "not c"]]
    assert table["both"].tolist() == [["c", "x"], ["y"], None, ["b"]]
    assert votes.names == ("kb", "rule", "both")
    assert len(votes.values[0]) == 5, "values are by label, not by subset"


def test_each_component_has_its_own_votes(votes):
    own = votes.of_component(0)
    assert own.names == ("kb", "rule")
    assert [str(vote) for vote in own.values[0]] == ["not a", "a"]
    assert own.codes.tolist() == [[1, 0], [-1, -1], [0, 0], [1, -1]]
    assert votes.of_component(3).to_pandas()["both"].tolist() == ["x", "y", None, None]


def test_a_table_of_codes_has_no_room(votes):
    with pytest.raises(VoteError, match=r"several votes on one item.*of_component"):
        _ = votes.codes


def test_round_trips(votes, tmp_path):
    assert Votes.from_parquet(votes.to_parquet(tmp_path / "v.parquet")) == votes
    assert Votes.concat([votes.take([0, 1]), votes.take([2, 3])]) == votes
    assert votes.select(["both", "kb", "rule"]).select(votes.names) == votes
    assert votes.take([3, 1, 0, 2]).take([2, 1, 3, 0]) == votes


def test_applied_sources_say_the_same_as_columns_whatever_the_batches(votes):
    @source(task="topics")
    def kb(row):
        return SAID["kb"][row.at]

    @source
    def both(row):
        return SAID["both"][row.at]

    rows = [{"at": at, "text": "word" if said else ""} for at, said in enumerate(SAID["rule"])]
    rule = keywords(["word"], "a", on="text", name="rule")
    for size in (1, 3, 100):
        assert apply([kb, rule, both], rows, TASKS, batch_size=size, progress=False) == votes


def test_a_source_declares_what_it_may_name():
    @source(task="topics", labels=["a", "b"])
    def kb(row):
        return row.said

    rows = [{"said": ["a"]}, {"said": []}, {"said": None}]
    votes = apply([kb], rows, TASKS, progress=False)
    assert votes.to_pandas()["kb"].tolist() == [["a"], ["not a", "not b"], None]
    found = apply([kb], [{"said": ["c"]}, {"said": ["zz"]}], TASKS, on_error="abstain", progress=False)
    assert found.faults[0].count == 2
    assert "it is declared to emit 'a', 'b', but it voted 'c'" in found.faults[0].error


def test_long_tables_with_a_row_for_each_label():
    long = {"item": ["i", "i", "j", "j"], "worker": ["ann", "ann", "ann", "bob"], "label": ["a", "b", "c", "a"]}
    votes = Votes.from_long(long, TASKS, task="topics")
    assert votes.to_pandas().to_numpy().tolist() == [[["a", "b"], None], [["c"], ["a"]]]


def test_gold_is_of_all_labels(votes):
    lists = [["a"], None, [], ["b", "c"]]
    table = np.array([[1, 0, 0], [0, 1, 1]])
    only = Votes.from_columns(TaskGraph([Task("topics", LABELS, multiple=True)]), {"kb": [["a"], ["b"]]})
    assert votes.gold(lists).sets_of(1).tolist() == [0, -1, 0, 1]
    assert votes.gold({"topics": lists, "kind": ["x", "y", None, "y"]}).sets_of(3).tolist() == [0, 1, -1, 1]
    assert only.gold(table).to_pandas()["gold"].tolist() == [["a", "not b", "not c"], ["not a", "b", "c"]]
    summary = votes.summary(lists)
    assert summary.loc["rule", ["correct", "incorrect"]].tolist() == [1, 1]
    with pytest.raises(VoteError, match="has ones and zeros, a column for each of its 3 labels"):
        only.gold(np.zeros((2, 2)))


def test_conflicts_are_between_votes_on_one_label(votes):
    assert votes.conflicts().tolist() == [[False] * 3, [False] * 3, [True, True, False], [False] * 3]


def test_linked_votes_are_taken_apart():
    linked = TaskGraph([Task("topics", LABELS, multiple=True)], constraints=[at_most(2, "topics")])
    votes = Votes.from_columns(linked, {"kb": [["a", "b"], [], None]})
    gold = votes.gold([["a"], ["b", "c"], []])
    assert votes.unlinked.to_pandas().equals(votes.to_pandas())
    assert gold.unlinked.to_pandas()["gold"].tolist()[1] == ["not a", "b", "c"]
    assert votes.unlinked.gold(gold).to_pandas().equals(gold.unlinked.to_pandas())
    assert votes.gold(gold.unlinked) == gold
