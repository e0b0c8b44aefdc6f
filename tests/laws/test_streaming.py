"""Votes larger than memory: the same counts, parameters and labels from files and batches as from memory."""

import json
from dataclasses import fields
from itertools import islice, pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay import AssayError, LabelModel, Labels, Tally, VoteError, Votes
from assay.model import counted
from assay.simulate import flat_world
from assay.votes import pieces
from tests.support.sameness import as_stored, same_counts, same_labels, same_model

ROWS = 3_000
SKETCH = 2**13
"""So small that patterns are sampled."""


def stored(votes, path, *, group=400):
    """Votes in a file of several row groups."""
    pq.write_table(votes.to_arrow(), path, row_group_size=group)
    return path


def sliced(votes, *cuts):
    edges = [0, *cuts, len(votes)]
    return [votes.take(slice(start, stop)) for start, stop in pairwise(edges)]


@pytest.fixture(scope="module")
def votes():
    return flat_world(sources=7, classes=3, coverage=0.5, seed=1).draw(ROWS).votes


@pytest.fixture(scope="module")
def crowded():
    """Too many patterns for a small sketch, and one that a fifth of the items have."""
    votes = flat_world(sources=12, coverage=0.6, seed=2).draw(12_000).votes
    codes = votes.codes.copy()
    codes[::5] = codes[0]
    return Votes.from_codes(votes.tasks, codes, votes.names, votes.values)


@pytest.fixture(scope="module")
def fitted(votes):
    return LabelModel().fit(votes)


@pytest.fixture
def small_pieces(monkeypatch):
    """Files and votes in memory come in many pieces, and pieces in several parts."""
    monkeypatch.setattr(pieces, "ITEMS_AT_ONCE", 700)


@pytest.fixture
def small_sketch(monkeypatch):
    monkeypatch.setattr(counted, "SKETCH_SIZE", SKETCH)


def as_file(votes, folder):
    return stored(votes, folder / "votes.parquet")


def as_text(votes, folder):
    return str(as_file(votes, folder))


def as_one_group(votes, folder):
    return votes.to_parquet(folder / "votes.parquet")


def as_folder(votes, folder):
    home = folder / "days"
    home.mkdir()
    for day, part in enumerate(sliced(votes, 1, 1_100, 1_100, 2_950)):
        stored(part, home / f"day{day}.parquet")
    (home / "notes.txt").write_text("not votes")
    return home


def as_list(votes, folder):
    return sliced(votes, 10, 2_000)


def as_tuple(votes, folder):
    return tuple(sliced(votes, 2_999))


def as_generator(votes, folder):
    return iter(sliced(votes, 10, 10, 2_000))


AGAIN = [as_file, as_text, as_one_group, as_folder, as_list, as_tuple]
"""Can be gone through twice."""
SHAPES = [*AGAIN, as_generator]


@pytest.mark.usefixtures("small_pieces")
class TestTheSameAsInMemory:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_counts(self, votes, shape, tmp_path):
        assert same_counts(assay.count(shape(votes, tmp_path)), Tally.of(votes))

    @pytest.mark.parametrize("shape", SHAPES)
    def test_fit_and_label(self, votes, fitted, shape, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        learned = LabelModel().fit(shape(votes, tmp_path / "a"))
        assert same_model(learned, fitted)
        assert learned.check_ == fitted.check_
        assert learned.sources_.equals(fitted.sources_)
        assert same_labels(learned.label(shape(votes, tmp_path / "b")), fitted.label(votes))

    @pytest.mark.parametrize("shape", SHAPES)
    def test_labels_in_a_file(self, votes, fitted, shape, tmp_path):
        out = fitted.label(shape(votes, tmp_path), out=tmp_path / "new" / "labels.parquet")
        assert out == tmp_path / "new" / "labels.parquet"
        assert same_labels(Labels.from_parquet(out), as_stored(fitted.label(votes)))
        assert [path.name for path in out.parent.iterdir()] == ["labels.parquet"]

    @pytest.mark.parametrize("shape", AGAIN)
    def test_in_a_sample_of_patterns_too(self, crowded, shape, tmp_path):
        expected = Tally.of(crowded, size=SKETCH)
        assert not expected.sketch.is_exact
        assert expected.sketch.needs_second_pass
        assert 1 <= len(expected.sketch.frequent.keys) < 50
        assert same_counts(assay.count(shape(crowded, tmp_path), size=SKETCH), expected)

    @pytest.mark.usefixtures("small_sketch")
    def test_a_fit_on_a_sample_of_patterns(self, crowded, tmp_path):
        one, other = LabelModel().fit(crowded), LabelModel().fit(as_folder(crowded, tmp_path))
        assert same_model(one, other)

    def test_batches_that_are_seen_once_stand_for_all_items(self, crowded):
        once = assay.count(iter(sliced(crowded, 2_000, 7_000)), size=SKETCH)
        expected = Tally.of(crowded, size=SKETCH)
        assert np.array_equal(once.pair, expected.pair)
        assert np.array_equal(once.sketch.keys, expected.sketch.keys)
        patterns = once.sketch.patterns()
        assert patterns.items == pytest.approx(len(crowded))
        (found,) = np.flatnonzero((patterns.codes == crowded.codes[0]).all(axis=1))
        assert patterns.counts[found] == pytest.approx((crowded.codes == crowded.codes[0]).all(axis=1).sum(), rel=0.1)

    @pytest.mark.parametrize("method", ["completion", "covariance"])
    def test_other_methods(self, votes, method, tmp_path):
        known = LabelModel(method=method, class_balance=[1 / 3] * 3)
        learned = LabelModel(method=method, class_balance=[1 / 3] * 3).fit(as_file(votes, tmp_path))
        assert same_model(learned, known.fit(votes))

    def test_a_check(self, votes, tmp_path):
        for chosen in (votes, votes.select([0, 1])):
            path = as_file(chosen, tmp_path)
            assert assay.check(path) == assay.check(chosen)
            assert assay.check(str(path)) == assay.check(assay.count(path)) == assay.check(iter([chosen]))
        assert "A002" in assay.check(path).codes

    def test_hierarchies_and_item_names(self, entities, tmp_path):
        rng = np.random.default_rng(0)
        outcome = rng.integers(0, 4, ROWS)
        says = {
            "entity": np.array(["Person", "Person", "Organization", "Organization"]),
            "fine": np.array(["Doctor", "Lawyer", "Hospital", "Office"]),
        }
        columns = {}
        for j in range(6):
            wrong = np.where(rng.random(ROWS) < 0.2, rng.integers(0, 4, ROWS), outcome)
            said = says["entity" if j < 3 else "fine"][wrong].astype(object)
            said[rng.random(ROWS) < 0.3] = None
            columns[f"s{j}"] = said
        items = np.array([f"item {i}" for i in range(ROWS)])
        plain = Votes.from_columns(entities, columns)
        named = Votes.from_codes(entities, plain.codes, plain.names, plain.values, items)
        known = LabelModel().fit(named)
        path = as_folder(named, tmp_path)
        learned = LabelModel().fit(path)
        assert same_model(learned, known)
        expected = known.label(named)
        assert expected.items.tolist() == items.tolist()
        assert same_labels(learned.label(path), expected)
        found = Labels.from_parquet(learned.label(path, out=tmp_path / "labels.parquet"))
        assert same_labels(found, as_stored(expected))
        np.testing.assert_allclose(found["person"], expected["person"], atol=1e-7)
        assert found.names("org").tolist() == expected.names("org").tolist()

    def test_several_components(self, pair, tmp_path):
        rng = np.random.default_rng(0)
        mood, food = rng.choice(["good", "bad"], ROWS), rng.choice(["good", "cold"], ROWS)
        columns = {f"mood{j}": ("mood", np.where(rng.random(ROWS) < 0.8, mood, "bad")) for j in range(3)}
        columns |= {f"food{j}": ("food", np.where(rng.random(ROWS) < 0.8, food, "cold")) for j in range(3)}
        votes = Votes.from_columns(pair, columns)
        known = LabelModel().fit(votes)
        path = as_file(votes, tmp_path)
        learned = LabelModel().fit(path)
        assert same_labels(learned.label(path), known.label(votes))
        out = learned.label(path, out=tmp_path / "labels.parquet")
        assert same_labels(Labels.from_parquet(out), as_stored(known.label(votes)))

    def test_several_processes(self, votes, fitted, tmp_path):
        engine = assay.engine.Processes(2)
        for shape in (as_file, as_generator):
            home = tmp_path / shape.__name__
            home.mkdir()
            assert same_counts(assay.count(shape(votes, home), engine=engine), Tally.of(votes))
        assert same_labels(fitted.label(votes, engine=engine), fitted.label(votes))


class TestAlignment:
    def test_a_reordered_dictionary(self, votes, fitted, tmp_path):
        table = votes.to_arrow()
        columns = {}
        for name in votes.names:
            column = table.column(name).combine_chunks()
            size = len(column.dictionary)
            turned = pa.array(np.arange(size)[::-1].astype(np.int8)).take(column.indices)
            columns[name] = pa.DictionaryArray.from_arrays(turned, column.dictionary.take(pa.array(range(size)[::-1])))
        path = tmp_path / "turned.parquet"
        pq.write_table(pa.table(columns).replace_schema_metadata(table.schema.metadata), path, row_group_size=500)
        assert same_counts(assay.count(path), Tally.of(votes))
        assert same_labels(fitted.label(path), fitted.label(votes))

    def test_plain_texts(self, votes, tmp_path):
        table = votes.to_arrow()
        plain = pa.table({name: table.column(name).cast(pa.string()) for name in votes.names})
        path = tmp_path / "plain.parquet"
        pq.write_table(plain.replace_schema_metadata(table.schema.metadata), path, row_group_size=500)
        assert same_counts(assay.count(path), Tally.of(votes))

    def test_a_row_group_of_abstentions(self, votes, tmp_path):
        codes = votes.codes.copy()
        codes[400:800] = -1
        silent = Votes.from_codes(votes.tasks, codes, votes.names, votes.values)
        assert same_counts(assay.count(stored(silent, tmp_path / "votes.parquet")), Tally.of(silent))

    def test_files_whose_sources_and_values_are_in_another_order(self, votes, tmp_path):
        first, second = sliced(votes, 1_000)
        other = second.select(list(reversed(second.names)))
        turned = Votes.from_codes(
            other.tasks,
            np.where(other.codes >= 0, 2 - other.codes, -1),
            other.names,
            tuple(tuple(reversed(values)) for values in other.values),
        )
        home = tmp_path / "days"
        home.mkdir()
        stored(first, home / "1.parquet")
        stored(turned, home / "2.parquet")
        assert same_counts(assay.count(home), Tally.of(votes))
        assert same_counts(assay.count([first, turned]), Tally.of(votes))

    def test_a_value_that_was_never_said_before(self, letters, tmp_path):
        few = Votes.from_columns(letters, {f"s{j}": ["A", "B"] * 50 for j in range(3)})
        narrow = Votes.from_codes(letters, few.codes, few.names, tuple(values[:2] for values in few.values))
        more = Votes.from_columns(letters, {f"s{j}": ["C", "B"] * 50 for j in range(3)})
        home = tmp_path / "days"
        home.mkdir()
        stored(narrow, home / "1.parquet")
        stored(more, home / "2.parquet")
        with pytest.raises(VoteError, match="source 's0' says 'C', which is not among the values"):
            assay.count(home)

    def test_files_of_other_sources_or_tasks(self, votes, pair, tmp_path):
        with pytest.raises(VoteError, match="lack sources that the model was fitted on"):
            assay.count([votes, votes.drop(["3"])])
        with pytest.raises(VoteError, match="on other tasks"):
            assay.count([votes, Votes.from_columns(pair, {"0": ("mood", ["good"])})])
        model = LabelModel().fit(votes)
        with pytest.raises(VoteError, match="lack sources that the model was fitted on: '3'"):
            model.label(as_file(votes.drop(["3"]), tmp_path))
        wider = tmp_path / "wider.parquet"
        extra = Votes.from_matrix(np.column_stack([votes.codes, votes.codes[:, 0]]), cardinality=3)
        stored(Votes.from_codes(votes.tasks, extra.codes, extra.names, extra.values), wider)
        assert same_labels(model.label(wider), model.label(votes))


def damaged(votes, folder):
    """A file whose second row group cannot be read."""
    path = stored(votes, folder / "damaged.parquet", group=1_000)
    with pq.ParquetFile(path) as file:
        column = file.metadata.row_group(1).column(0)
        start, size = column.dictionary_page_offset or column.data_page_offset, column.total_compressed_size
    content = bytearray(path.read_bytes())
    content[start : start + size] = b"\xff" * size
    path.write_bytes(content)
    return path


def no_file(votes, folder):
    return folder / "nowhere.parquet"


def no_parquet(votes, folder):
    (folder / "notes.txt").write_text("no votes")
    return folder


def not_parquet(votes, folder):
    (folder / "votes.parquet").write_text("no votes")
    return folder / "votes.parquet"


def no_bytes(votes, folder):
    (folder / "votes.parquet").write_bytes(b"")
    return folder / "votes.parquet"


def cut_off(votes, folder):
    path = as_file(votes, folder)
    path.write_bytes(path.read_bytes()[:-100])
    return path


def somebody_elses(votes, folder):
    pq.write_table(pa.table({"a": [1]}), folder / "votes.parquet")
    return folder / "votes.parquet"


def of_another_version(votes, folder):
    table = votes.to_arrow()
    said = json.loads(table.schema.metadata[b"assay.votes"]) | {"version": 99}
    pq.write_table(table.replace_schema_metadata({b"assay.votes": json.dumps(said)}), folder / "votes.parquet")
    return folder / "votes.parquet"


def without_a_column(votes, folder):
    table = votes.to_arrow()
    pq.write_table(table.drop_columns(["2"]), folder / "votes.parquet")
    return folder / "votes.parquet"


def with_an_unknown_label(votes, folder):
    table = votes.to_arrow()
    odd = table.set_column(2, "2", pa.array(["perhaps"] * len(votes)))
    pq.write_table(odd, folder / "votes.parquet")
    return folder / "votes.parquet"


def texts(votes, folder):
    return iter(["votes.parquet"])


def votes_then_a_matrix(votes, folder):
    return iter([votes, votes.codes])


def a_mixed_list(votes, folder):
    return [votes, votes.codes]


def no_batches(votes, folder):
    return iter([])


def an_empty_list(votes, folder):
    return []


WRONG = {
    damaged: "damaged.parquet is not a valid Parquet file, or it is damaged",
    no_file: "there is no file or folder .*nowhere.parquet",
    no_parquet: "the folder .* contains no .parquet files",
    not_parquet: "is not a valid Parquet file",
    no_bytes: "is not a valid Parquet file",
    cut_off: "is not a valid Parquet file",
    somebody_elses: "is not a votes file written by Assay",
    of_another_version: r"written by another version of Assay \(votes format 99\)",
    without_a_column: "is not a valid votes file.*2",
    with_an_unknown_label: "source '2' has the value 'perhaps', which its table does not list",
    texts: "expected batches of assay.Votes, but got str",
    votes_then_a_matrix: "expected batches of assay.Votes, but got ndarray",
    a_mixed_list: "expected batches of assay.Votes, but got ndarray",
    no_batches: "expected batches of votes, but there are none",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
class TestWhatIsWrongIsSaid:
    def test_when_counting(self, votes, wrong, tmp_path):
        with pytest.raises(VoteError, match=WRONG[wrong]):
            assay.count(wrong(votes, tmp_path))

    def test_when_learning(self, votes, wrong, tmp_path):
        with pytest.raises(VoteError, match=WRONG[wrong]):
            LabelModel().fit(wrong(votes, tmp_path))

    def test_when_labeling_and_nothing_is_left_behind(self, votes, fitted, wrong, tmp_path):
        given, home = tmp_path / "given", tmp_path / "out"
        given.mkdir()
        home.mkdir()
        (home / "labels.parquet").write_text("from yesterday")
        with pytest.raises(VoteError, match=WRONG[wrong]):
            fitted.label(wrong(votes, given), out=home / "labels.parquet")
        assert [path.name for path in home.iterdir()] == ["labels.parquet"]
        assert (home / "labels.parquet").read_text() == "from yesterday"


def test_labels_are_written_as_they_come(votes, fitted, tmp_path):
    """So many batches may be open that they never fit into memory."""
    taken = []

    def endless():
        while True:
            taken.append(len(list(tmp_path.iterdir())))
            yield votes

    fitted.label(islice(endless(), 4), out=tmp_path / "labels.parquet")
    assert taken == [1, 1, 1, 1]  # the unfinished file is there from the start
    assert len(Labels.from_parquet(tmp_path / "labels.parquet")) == 4 * ROWS


def test_a_failing_iterator_leaves_nothing_behind(votes, fitted, tmp_path):
    def fails():
        yield votes
        raise RuntimeError("the database went away")

    with pytest.raises(RuntimeError, match="went away"):
        fitted.label(fails(), out=tmp_path / "labels.parquet")
    with pytest.raises(RuntimeError, match="went away"):
        fitted.fit(fails())
    assert not list(tmp_path.iterdir())


def test_item_names_in_some_batches_only(votes, fitted, tmp_path):
    first, second = sliced(votes, 1_000)
    named = Votes.from_codes(first.tasks, first.codes, first.names, first.values, np.arange(1_000))
    assert fitted.label([named, second]).items is None
    for batches in ([named, second], [second, named]):
        with pytest.raises(VoteError, match="item names"):
            fitted.label(batches, out=tmp_path / "labels.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("names", [None, np.array([], dtype=object), np.array([], dtype=np.int64)], ids=str)
def test_files_without_items(votes, fitted, names, tmp_path):
    empty = Votes.from_codes(votes.tasks, votes.codes[:0], votes.names, votes.values, names)
    path = empty.to_parquet(tmp_path / "1.parquet")
    assert same_counts(assay.count(path), Tally.of(empty))
    assert len(fitted.label(path)) == 0
    assert len(Labels.from_parquet(fitted.label(path, out=tmp_path / "out" / "labels.parquet"))) == 0
    with pytest.raises(AssayError) as from_file:
        LabelModel().fit(path)
    with pytest.raises(AssayError) as from_memory:
        LabelModel().fit(empty)
    assert str(from_file.value) == str(from_memory.value)
    items = None if names is None else np.array([f"i{i}" for i in range(ROWS)])
    full = Votes.from_codes(votes.tasks, votes.codes, votes.names, votes.values, items)
    stored(full, tmp_path / "2.parquet")
    assert same_counts(assay.count(tmp_path), Tally.of(full))
    found = Labels.from_parquet(fitted.label(tmp_path, out=tmp_path / "out" / "labels.parquet"))
    assert same_labels(found, as_stored(fitted.label(full)))


def test_gold_is_learned_from_alike_wherever_votes_are(votes, tmp_path):
    gold = np.where(np.arange(ROWS) % 7 == 0, np.arange(ROWS) % len(votes.label_space.outcomes), -1)
    path = as_file(votes, tmp_path)
    here, there = LabelModel().fit(votes, gold), LabelModel().fit(path, gold)
    assert same_labels(here.label(votes), there.label(votes))
    stored_labels = Labels.from_parquet(there.label(path, out=tmp_path / "out" / "labels.parquet"))
    assert same_labels(stored_labels, as_stored(here.label(votes)))
    known = gold >= 0
    assert (here.predict(votes)[known] == gold[known]).all()


def test_fitting_nothing_in_a_list():
    with pytest.raises(AssayError):
        LabelModel().fit([])


def test_every_field_of_a_tally_is_compared():
    """So that a new one is not forgotten above."""
    assert {field.name for field in fields(Tally)} == {
        "schema", "items", "single", "covered", "sketch", "pair", "counted_overlaps", "meetings", "parts"
    }  # fmt: skip
