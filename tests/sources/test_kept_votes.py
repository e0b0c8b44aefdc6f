"""Kept votes are those that sources would cast now; what is damaged, stale or unfinished is cast again."""

import threading
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import KeptVotes, SourceError, TaskGraph
from tests.sources.test_applying import ROWS, TASKS, some_sources

MAIL = TaskGraph.flat("mail", ["ham", "spam"])
DATA = pl.DataFrame({"id": list(range(1000)), "text": [f"{'win' if i % 3 else 'dear'} {i}" for i in range(1000)]})


def rules():
    return [
        assay.keywords(["win"], "spam", on="text", name="win"),
        assay.regex("^dear", "ham", on="text", name="dear"),
        assay.threshold("id", "ham", above=500, name="late"),
    ]


def used(kept):
    return {one.source: (one.kept, one.applied) for one in kept.reuse}


def test_every_kind_of_source_is_found_again(tmp_path):
    frame = pl.DataFrame(ROWS)
    expected = assay.apply(some_sources(), frame, TASKS)
    for turn in range(2):
        kept = KeptVotes(tmp_path)
        found = assay.apply(some_sources(), frame, TASKS, batch_size=3, keep=kept)
        assert found == expected
        assert found.faults == expected.faults
        assert all(one.reason is None for one in kept.reuse)
        assert {one.kept for one in kept.reuse} == {turn * len(ROWS)}


def test_only_what_changed_is_asked(tmp_path):
    assay.apply(rules(), DATA, MAIL, batch_size=100, keep=tmp_path)
    kept = KeptVotes(tmp_path)
    edited = [*rules()[:2], assay.threshold("id", "ham", above=700, name="late")]
    found = assay.apply(edited, DATA, MAIL, batch_size=100, keep=kept)
    assert found == assay.apply(edited, DATA, MAIL)
    assert used(kept) == {"win": (1000, 0), "dear": (1000, 0), "late": (0, 1000)}
    # other rows in one place
    other = DATA.with_columns(pl.when(pl.col("id") == 450).then(pl.lit("win")).otherwise("text").alias("text"))
    found = assay.apply(edited, other, MAIL, batch_size=100, keep=kept)
    assert found == assay.apply(edited, other, MAIL)
    assert used(kept)["win"] == (900, 100)
    # another batch size, and more rows
    longer = pl.concat([other, other.with_columns(pl.col("id") + 1000)])
    assert assay.apply(edited, longer, MAIL, batch_size=100, keep=kept) == assay.apply(edited, longer, MAIL)
    assert used(kept)["win"] == (1000, 1000)
    assert assay.apply(edited, longer, MAIL, batch_size=170, keep=kept) == assay.apply(edited, longer, MAIL)
    assert used(kept)["win"] == (0, 2000)


def test_an_error_at_the_last_row_loses_nothing(tmp_path):
    def fragile(row):
        if row.id == 999:
            raise ValueError("the last")
        return "spam"

    sources = [assay.source(task="mail")(fragile), *rules()]
    with pytest.raises(SourceError, match="source 'fragile' failed on row 999: ValueError: the last"):
        assay.apply(sources, DATA, MAIL, batch_size=100, keep=tmp_path)
    kept = KeptVotes(tmp_path)
    with pytest.raises(SourceError, match="row 999"):
        assay.apply(sources, DATA, MAIL, batch_size=100, keep=kept)
    assert used(kept) == {"fragile": (900, 100), "win": (1000, 0), "dear": (1000, 0), "late": (1000, 0)}
    found = assay.apply(sources, DATA, MAIL, batch_size=100, keep=kept, on_error="abstain")
    assert used(kept)["fragile"] == (900, 100)
    assert found == assay.apply(sources, DATA, MAIL, on_error="abstain")
    assert found.faults[0].row == 999
    # the failure is kept too, but never in place of an error
    again = assay.apply(sources, DATA, MAIL, batch_size=100, keep=kept, on_error="abstain")
    assert used(kept)["fragile"] == (1000, 0)
    assert again.faults == found.faults
    with pytest.raises(SourceError, match="row 999"):
        assay.apply(sources, DATA, MAIL, batch_size=100, keep=kept)


def test_what_cannot_be_compared_is_asked_each_time(tmp_path):
    lock = threading.Lock()

    @assay.source(task="mail")
    def locked(row):
        with lock:
            return "ham"

    for _ in range(2):
        kept = KeptVotes(tmp_path)
        assay.apply([locked, *rules()], DATA, MAIL, keep=kept)
    assert used(kept)["locked"] == (0, 1000)
    assert "cannot be compared" in kept.reuse[0].reason

    # rows that are objects
    class Row:
        def __init__(self, id):
            self.id = id

    for _ in range(2):
        assay.apply(rules()[2:], [Row(i) for i in range(9)], MAIL, keep=kept)
        assert used(kept) == {"late": (0, 9)}


def test_rows_of_plain_values_are_told_apart():
    from assay._core.rows import Batch

    def digest(*rows):
        return Batch.of_records(list(rows)).digest()

    assert digest({"a": 1}) == digest({"a": 1})
    different = [{"a": 1}, {"a": 1.0}, {"a": True}, {"a": "1"}, {"b": 1}, {"a": None}, {"a": np.int64(1)}, {"a": [1]}]
    assert len({digest(row) for row in different}) == len(different)
    assert digest({"a": object()}) is None
    assert digest({"a": 1}, {"a": 2}) != digest({"a": 2}, {"a": 1})


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_damage_never_changes_votes(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    expected = assay.apply(rules(), DATA, MAIL, batch_size=250, keep=folder)
    path = data.draw(st.sampled_from(sorted(folder.glob("*.votes"))))
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[at] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
    else:
        path.write_bytes(content[:at])
    for _ in range(2):
        kept = KeptVotes(folder)
        assert assay.apply(rules(), DATA, MAIL, batch_size=250, keep=kept) == expected
    assert set(used(kept).values()) == {(1000, 0)}


def test_old_votes_are_pruned(tmp_path):
    for bound in range(5):
        assay.apply(assay.threshold("id", "ham", above=bound, name="x"), DATA, MAIL, keep=KeptVotes(tmp_path))
    assert KeptVotes(tmp_path).count == 5
    kept = KeptVotes(tmp_path, most_bytes=0)
    assay.apply(assay.threshold("id", "ham", above=4, name="x"), DATA, MAIL, keep=kept)
    assert (kept.count, used(kept)) == (1, {"x": (1000, 0)})
    size = kept.size
    for turn in range(3):  # the file does not grow with data that is no longer there
        assay.apply(
            assay.threshold("id", "ham", above=4, name="x"), DATA.with_columns(pl.col("id") + turn), MAIL, keep=kept
        )
    assert kept.size < size + 100
    assert kept.clear() == 1
    assert kept.count == 0


def test_fresh_asks_everybody(tmp_path):
    assay.apply(rules(), DATA, MAIL, keep=tmp_path)
    kept = KeptVotes(tmp_path, fresh=True)
    found = assay.apply(rules(), DATA, MAIL, keep=kept)
    assert {applied for _, applied in used(kept).values()} == {1000}
    assert assay.apply(rules(), DATA, MAIL, keep=KeptVotes(tmp_path)) == found


def test_equal_sources_share_what_is_kept(tmp_path):
    one = assay.threshold("id", "ham", above=4, name="one")
    kept = KeptVotes(tmp_path)
    for _ in range(2):
        found = assay.apply([one, replace(one, given_name="two")], DATA, MAIL, batch_size=100, keep=kept)
    assert kept.count == 1
    assert used(kept) == {"one": (1000, 0), "two": (1000, 0)}
    assert (found.codes[:, 0] == found.codes[:, 1]).all()


def test_soft_votes_are_found_again(tmp_path):
    source = assay.source(task="mail")(lambda row: ("spam", (row.id % 10) / 10 + 0.05))
    first = assay.apply(source, DATA, MAIL, batch_size=100, keep=tmp_path)
    kept = KeptVotes(tmp_path)
    again = assay.apply(source, DATA, MAIL, batch_size=100, keep=kept)
    assert kept.reuse[0].kept == 1000
    assert again == first
    np.testing.assert_array_equal(again.scores[source.name], first.scores[source.name])


def test_another_process_may_read_but_not_write(tmp_path):
    assay.apply(rules()[:1], DATA, MAIL, keep=tmp_path)
    holder = KeptVotes(tmp_path)
    with holder.opened(rules(), MAIL):
        kept = KeptVotes(tmp_path)
        assert assay.apply(rules(), DATA, MAIL, keep=kept) == assay.apply(rules(), DATA, MAIL)
        assert used(kept)["win"] == (1000, 0)
        assert kept.count == 1
