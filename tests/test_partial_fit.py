"""Yesterday's counts plus today's: the fit on both, in one process after another."""

import json
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sameness import same_counts, same_labels, same_model
from strategies import matrices

import assay
from assay import AssayError, LabelModel, Tally, VoteError, Votes
from assay.counts import tally
from assay.model import label_model
from assay.simulate import flat_world

SKETCH = 2**13


@pytest.fixture(scope="module")
def votes():
    return flat_world(sources=6, classes=3, coverage=0.6, seed=4).draw(3_000).votes


@pytest.fixture(scope="module")
def days(votes):
    return [votes.take(slice(0, 900)), votes.take(slice(900, 1_000)), votes.take(slice(1_000, 3_000))]


@pytest.fixture(scope="module")
def fitted(votes):
    return LabelModel().fit(votes)


@given(matrices(max_rows=10, classes=3), matrices(max_rows=10, classes=3), st.sampled_from([3, 20, 2**21]))
def test_counts_add_and_survive_a_file(tmp_path_factory, one, other, size):
    width = min(len(one[0]), len(other[0]))
    first, second = (Votes.from_matrix(np.array(rows)[:, :width], cardinality=3) for rows in (one, other))
    path = tmp_path_factory.mktemp("counts") / "day.npz"
    yesterday = Tally.load(assay.count(first, size=size).save(path))
    assert same_counts(yesterday, assay.count(first, size=size))
    both = yesterday + assay.count(second, size=size)
    assert both.items == len(first) + len(second)
    together = Votes.from_matrix(np.vstack([first.codes, second.codes]), cardinality=3)
    expected = Tally.of(together, size=size)
    assert np.array_equal(both.pair, expected.pair)
    assert np.array_equal(both.single, expected.single)
    assert np.array_equal(both.covered, expected.covered)
    assert np.array_equal(both.sketch.keys, expected.sketch.keys)
    assert np.array_equal(both.sketch.counts, expected.sketch.counts)
    if expected.sketch.is_exact:
        assert same_counts(both, expected)


class TestDayByDay:
    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=str)
    def test_the_same_as_all_at_once(self, votes, days, fitted, order):
        learned = LabelModel()
        for day in order:
            assert learned.partial_fit(days[day]) is learned
        assert same_model(learned, fitted)
        assert learned.sources_.equals(fitted.sources_)
        assert learned.check_ == fitted.check_
        assert same_labels(learned.label(votes), fitted.label(votes))

    def test_counts_instead_of_votes(self, days, fitted, tmp_path):
        paths = [assay.count(day).save(tmp_path / f"{number}.npz") for number, day in enumerate(days)]
        assert same_model(LabelModel().fit(reduce(add, map(Tally.load, paths))), fitted)
        learned = LabelModel()
        for path in paths:
            learned.partial_fit(Tally.load(path))
        assert same_model(learned, fitted)

    def test_files_batches_and_votes_mixed(self, days, fitted, tmp_path):
        learned = LabelModel().partial_fit(days[0].to_parquet(tmp_path / "day.parquet"))
        learned.partial_fit(iter([days[1]])).partial_fit([days[2]])
        assert same_model(learned, fitted)

    def test_a_matrix(self, votes, days, fitted):
        learned = LabelModel(cardinality=3)
        for day in days:
            learned.partial_fit(day.codes)
        assert same_model(learned, LabelModel(cardinality=3).fit(votes.codes))

    def test_a_matrix_that_lacks_a_class_today(self):
        rng = np.random.default_rng(0)
        gold = rng.integers(0, 3, 2_000)
        codes = np.column_stack([np.where(rng.random(2_000) < 0.7, gold, rng.integers(0, 3, 2_000)) for _ in range(4)])
        today = np.where(codes[:500] == 2, -1, codes[:500])
        learned = LabelModel().partial_fit(codes).partial_fit(today)
        assert same_model(learned, LabelModel().fit(np.vstack([codes, today])))
        with pytest.raises(VoteError, match="3"):
            learned.partial_fit(np.full((5, 4), 3))

    @pytest.mark.parametrize("method", ["completion", "covariance"])
    def test_other_methods(self, votes, days, method):
        settings = {"method": method, "class_balance": [1 / 3] * 3}
        learned = LabelModel(**settings)
        for day in days:
            learned.partial_fit(day)
        assert same_model(learned, LabelModel(**settings).fit(votes))

    def test_a_hierarchy_of_two_components(self, pair):
        rng = np.random.default_rng(0)
        mood, food = rng.choice(["good", "bad"], 2_000), rng.choice(["good", "cold"], 2_000)
        columns = {f"mood{j}": ("mood", np.where(rng.random(2_000) < 0.8, mood, "bad")) for j in range(3)}
        columns |= {f"food{j}": ("food", np.where(rng.random(2_000) < 0.8, food, "cold")) for j in range(3)}
        votes = Votes.from_columns(pair, columns)
        learned = LabelModel().partial_fit(votes.take(slice(0, 700))).partial_fit(votes.take(slice(700, 2_000)))
        assert same_labels(learned.label(votes), LabelModel().fit(votes).label(votes))

    def test_a_sample_of_patterns_comes_close(self, monkeypatch):
        """Frequent patterns of days that are gone cannot be looked at again, so they stand for their bucket."""
        monkeypatch.setattr(label_model, "SKETCH_SIZE", SKETCH)
        drawn = flat_world(sources=12, coverage=0.6, seed=2).draw(12_000).votes
        codes = drawn.codes.copy()
        codes[::5] = codes[0]
        votes = Votes(drawn.tasks, codes, drawn.names, drawn.values)
        learned = LabelModel().partial_fit(votes.take(slice(0, 5_000))).partial_fit(votes.take(slice(5_000, 12_000)))
        whole = LabelModel().fit(votes)
        assert not learned._counts.sketch.is_exact
        assert np.array_equal(learned._counts.pair, Tally.of(votes).pair)
        np.testing.assert_allclose(learned.predict_proba(votes), whole.predict_proba(votes), atol=0.02)


class TestGoingOn:
    def test_after_a_night_on_disk(self, days, fitted, tmp_path):
        learned = LabelModel()
        for number, day in enumerate(days):
            learned.partial_fit(day)
            learned = LabelModel.load(learned.save(tmp_path / f"{number}.npz"))
        assert same_model(learned, fitted)
        assert same_counts(learned._counts, reduce(add, map(assay.count, days)))

    def test_counts_by_source_on_disk(self, votes, days, tmp_path, monkeypatch):
        monkeypatch.setattr(tally, "MAX_VALUES", 3)
        assert Tally.of(votes).pair is None
        paths = [assay.count(day).save(tmp_path / f"{number}.npz") for number, day in enumerate(days)]
        assert same_counts(reduce(add, map(Tally.load, paths)), Tally.of(votes))

    def test_fit_forgets_what_was_counted(self, votes, days, fitted):
        learned = LabelModel().partial_fit(days[0])
        assert same_model(learned.fit(votes), fitted)
        # and what fit learned from is not kept either
        assert same_model(learned.partial_fit(days[2]), LabelModel().fit(days[2]))

    def test_after_fit_and_load_it_starts_anew(self, votes, days, tmp_path):
        loaded = LabelModel.load(LabelModel().fit(votes).save(tmp_path / "model.npz"))
        assert same_model(loaded.partial_fit(days[2]), LabelModel().fit(days[2]))

    def test_a_day_that_fails_leaves_no_trace(self, days):
        learned = LabelModel().partial_fit(days[0])
        before = learned._counts
        with pytest.raises(VoteError):
            learned.partial_fit(days[1].drop(["2"]))

        def broken():
            yield days[1]
            raise RuntimeError("no more")

        with pytest.raises(RuntimeError, match="no more"):
            learned.partial_fit(broken())
        assert learned._counts is before
        assert same_model(learned, LabelModel().fit(days[0]))

    def test_too_little_on_the_first_day_is_not_kept(self, days):
        learned = LabelModel()
        with pytest.raises(assay.UnidentifiableError):
            learned.partial_fit(days[0].take([]))
        assert learned._counts is None
        assert same_model(learned.partial_fit(days[2]), LabelModel().fit(days[2]))


class TestWhatDoesNotGoTogether:
    def test_other_sources(self, days, tmp_path):
        learned = LabelModel().partial_fit(days[0])
        lacking = days[1].drop(["2"])
        for given_votes in (lacking, lacking.to_parquet(tmp_path / "day.parquet"), [lacking], iter([lacking])):
            with pytest.raises(VoteError, match="lack sources that were learned from: '2'"):
                learned.partial_fit(given_votes)
        with pytest.raises(VoteError, match="only counts of the same tasks, sources and values can be added"):
            learned.partial_fit(assay.count(lacking))

    def test_other_tasks(self, days, pair):
        learned = LabelModel().partial_fit(days[0])
        other = Votes.from_columns(pair, {name: ("mood", ["good"]) for name in days[0].names})
        with pytest.raises(VoteError, match="on other tasks"):
            learned.partial_fit(other)
        with pytest.raises(VoteError, match="only counts of the same"):
            assay.count(days[0]) + assay.count(other)

    def test_more_sources_and_another_order_do(self, days, fitted, tmp_path):
        learned = LabelModel().partial_fit(days[0])
        learned.partial_fit(days[1].select(list(reversed(days[1].names))))
        more = Votes.from_matrix(np.column_stack([days[2].codes, days[2].codes[:, 0]]), cardinality=3)
        wider = Votes(days[2].tasks, more.codes, more.names, more.values)
        learned.partial_fit(wider.to_parquet(tmp_path / "wider.parquet"))
        assert same_model(learned, fitted)


class TestCountsOnDisk:
    @pytest.fixture
    def path(self, votes, tmp_path):
        return assay.count(votes).save(tmp_path / "counts.npz")

    def test_a_round_trip(self, votes, path):
        assert same_counts(Tally.load(str(path)), Tally.of(votes))
        assert repr(Tally.load(path)) == repr(Tally.of(votes))

    def test_a_sample_of_patterns(self, tmp_path):
        votes = flat_world(sources=12, coverage=0.6, seed=2).draw(6_000).votes
        counts = assay.count(votes, size=2**10)
        assert not counts.sketch.is_exact
        loaded = Tally.load(counts.save(tmp_path / "counts.npz"))
        assert same_counts(loaded, counts)
        assert loaded.sketch.size == counts.sketch.size

    def test_no_file(self, tmp_path):
        with pytest.raises(AssayError, match=r"there is no file .*nowhere.npz"):
            Tally.load(tmp_path / "nowhere.npz")

    def test_another_version(self, path):
        with np.load(path) as file:
            stored = dict(file)
        said = json.loads(str(stored["said"])) | {"format": 99}
        np.savez(path, **(stored | {"said": np.array(json.dumps(said))}))
        with pytest.raises(AssayError, match=r"written by another version of Assay \(counts format 99\)"):
            Tally.load(path)

    @pytest.mark.parametrize("missing", ["said", "items", "pair", "single", "pattern keys", "pattern starts"])
    def test_something_is_missing(self, path, missing):
        with np.load(path) as file:
            stored = {name: array for name, array in file.items() if name != missing}
        np.savez(path, **stored)
        with pytest.raises(AssayError, match="holds no counts that Assay wrote, or is damaged"):
            Tally.load(path)

    @pytest.mark.parametrize("other", ["single", "pair", "covered", "pattern keys", "pattern codes", "pattern starts"])
    def test_something_has_another_shape(self, path, other):
        with np.load(path) as file:
            stored = dict(file)
        stored[other] = stored[other][:-1]
        np.savez(path, **stored)
        with pytest.raises(AssayError, match="holds no counts that Assay wrote, or is damaged"):
            Tally.load(path)

    def test_damage_anywhere_is_noticed_or_harmless(self, votes, path):
        """Zip files hold bytes that nobody reads; any other change is said in words, and never goes unnoticed."""
        content = path.read_bytes()
        expected = Tally.load(path)
        rng = np.random.default_rng(0)
        for place in [*rng.integers(0, len(content), 150), *range(40), *range(len(content) - 60, len(content))]:
            changed = bytearray(content)
            changed[place] ^= 0x55
            path.write_bytes(changed)
            try:
                found = Tally.load(path)
            except AssayError:
                continue
            assert same_counts(found, expected)

    @pytest.mark.parametrize("content", [b"", b"no counts", b"PK\x03\x04"], ids=str)
    def test_something_else(self, path, content):
        path.write_bytes(content)
        with pytest.raises(AssayError, match="is not a valid counts file, or it is damaged"):
            Tally.load(path)

    def test_a_model_is_not_counts(self, fitted, tmp_path):
        with pytest.raises(AssayError, match="holds no counts that Assay wrote"):
            Tally.load(fitted.save(tmp_path / "model.npz"))
