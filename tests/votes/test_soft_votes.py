"""Votes with levels of confidence: hard votes are the special case of certainty, and levels are those of the whole."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import LabelModel, Tally, TaskGraph, VoteError, Votes
from assay.votes import Schema

TASKS = TaskGraph.flat("letter", ["A", "B", "C"])


def drawn(seed, items=400, sources=2):
    """Probabilities, of which some rows abstain, and some are certain."""
    rng = np.random.default_rng(seed)
    found = {}
    for number in range(sources):
        table = rng.dirichlet(np.full(3, 0.4), size=items)
        table[rng.random(items) < 0.1] = np.nan
        certain = rng.random(items) < 0.05 * number
        table[certain] = np.eye(3)[rng.integers(3, size=int(certain.sum()))]
        found[f"clf {number}"] = table
    return found


def votes_of(tables):
    return Votes.from_probabilities(TASKS, tables)


def taken(tables, rows):
    return {name: table[rows] for name, table in tables.items()}


seeds = st.integers(0, 2**32 - 1)


class TestCertainty:
    @given(st.lists(st.integers(-1, 2), min_size=1, max_size=200))
    def test_probabilities_of_zero_and_one_are_hard_votes(self, said):
        codes = np.array(said)
        certain = np.where(codes[:, None] >= 0, np.eye(3)[codes], np.nan)
        hard = Votes.from_columns(TASKS, {"clf": ("letter", [None if c < 0 else "ABC"[c] for c in said])})
        soft = votes_of({"clf": ("letter", certain)})
        assert soft == hard
        assert soft.codes.dtype == hard.codes.dtype
        assert not soft.scores
        assert json.dumps(soft.schema.to_dict()) == json.dumps(hard.schema.to_dict())

    def test_and_give_the_same_model(self):
        rng = np.random.default_rng(0)
        y = rng.integers(3, size=600)
        said = np.stack([np.where(rng.random(600) < 0.7, y, rng.integers(3, size=600)) for _ in range(5)])
        hard = Votes.from_codes(TASKS, said.T, list("vwxyz"), [votes_of({"a": np.eye(3)}).values[0]] * 5)
        soft = votes_of({name: np.eye(3)[column] for name, column in zip("vwxyz", said, strict=True)})
        one, other = LabelModel().fit(hard).predict_proba(hard), LabelModel().fit(soft).predict_proba(soft)
        assert np.array_equal(one, other)

    def test_a_label_alone_is_certain_beside_probabilities(self):
        said = [("A", 0.6)] * 60 + [("A", 0.8)] * 60 + ["A"] * 60
        votes = Votes.from_columns(TASKS, {"clf": said})
        assert [str(vote) for vote in votes.values[0]] == ["A, below 0.8", "A, 0.8 to 1", "A"]
        assert np.bincount(votes.codes[:, 0]).tolist() == [60, 60, 60]


class TestInvariance:
    @given(seeds, st.lists(st.integers(1, 399), max_size=3))
    @settings(max_examples=20)
    def test_to_partition(self, seed, cuts):
        tables = drawn(seed)
        bounds = [0, *sorted(cuts), 400]
        parts = [votes_of(taken(tables, slice(a, b))) for a, b in itertools.pairwise(bounds) if a < b]
        assert Votes.concat(parts) == votes_of(tables)

    @given(seeds)
    @settings(max_examples=20)
    def test_to_order(self, seed):
        tables = drawn(seed)
        order = np.random.default_rng(seed).permutation(400)
        assert votes_of(taken(tables, order)) == votes_of(tables).take(order)

    @given(seeds, st.sampled_from([lambda p: p**3, np.sqrt, lambda p: p / (2 - p), lambda p: 0.2 + 0.8 * p]))
    @settings(max_examples=20)
    def test_to_monotone_transforms_of_scores(self, seed, transform):
        tables = drawn(seed)
        before = votes_of(tables)
        said = {name: [_said(row) for row in table] for name, table in tables.items()}
        told = {
            name: [None if one is None else (one[0], float(transform(one[1]))) for one in column]
            for name, column in said.items()
        }
        one, other = (Votes.from_columns(TASKS, {n: ("letter", c) for n, c in some.items()}) for some in (said, told))
        assert np.array_equal(one.codes, before.codes)
        assert np.array_equal(other.codes, before.codes)
        assert [len(table) for table in other.values] == [len(table) for table in before.values]


def _said(row):
    return None if np.isnan(row).any() else ("ABC"[int(row.argmax())], float(row.max()))


class TestLevelsOfOthers:
    def test_votes_alike_have_the_levels_of_the_others(self):
        tables = drawn(1, items=1_000)
        first, later = taken(tables, slice(0, 700)), taken(tables, slice(700, 1_000))
        schema = votes_of(first).schema
        assert votes_of(later).schema != schema
        found = votes_of(later).like(schema)
        assert found.schema == schema
        for j, name in enumerate(schema.names):
            for code, row in zip(found.codes[:, j], later[name], strict=True):
                if code < 0:
                    assert np.isnan(row).all()
                    continue
                vote = schema.values[j][code]
                assert vote.labels[0][1] == "ABC"[int(row.argmax())]
                low, high = vote.level or (0.0, 1.0)
                assert low <= row.max() <= high

    def test_a_single_item_keeps_its_confidence(self):
        tables = drawn(2, items=1_000)
        votes = votes_of(tables)
        for row in range(20):
            alone = votes_of(taken(tables, slice(row, row + 1)))
            assert np.array_equal(alone.like(votes).codes[0], votes.codes[row])

    def test_partial_fit_keeps_the_levels_of_its_first_call(self):
        tables = drawn(3, items=1_500, sources=4)
        days = [votes_of(taken(tables, slice(a, b))) for a, b in ((0, 900), (900, 1_000), (1_000, 1_500))]
        model = LabelModel(allow_unidentifiable=True)
        for day in days:
            model.partial_fit(day)
        assert model.fitted_.schema == days[0].schema
        whole = Votes.concat([day.like(days[0]) for day in days])
        expected = LabelModel(allow_unidentifiable=True).fit(whole)
        assert np.allclose(model.predict_proba(whole), expected.predict_proba(whole))

    def test_batches_have_the_levels_of_the_first(self):
        tables = drawn(4, items=1_200, sources=4)
        parts = [votes_of(taken(tables, slice(a, a + 400))) for a in (0, 400, 800)]
        counts = LabelModel(allow_unidentifiable=True).fit(parts).fitted_
        assert counts.schema == parts[0].schema
        assert sum(int(uses.sum()) for uses in counts.uses) == 4 * 1_200

    def test_without_scores_the_middle_of_a_level_counts(self):
        tables = drawn(5, items=1_000)
        votes = votes_of(tables)
        forgetful = Votes(votes.schema, votes.store)
        other = votes_of(taken(tables, slice(0, 500)))
        near = forgetful.like(other).codes
        exact = votes.like(other).codes
        assert (near == exact).mean() > 0.8
        assert (np.abs(near - exact) <= 1).all()

    def test_a_label_that_is_not_known_is_refused(self):
        known = Votes.from_columns(TASKS, {"clf": [("A", 0.7), ("B", 0.6)]})
        with pytest.raises(VoteError, match="says 'C', which is not among the values"):
            Votes.from_columns(TASKS, {"clf": [("C", 0.7)]}).like(known)


class TestGivenLevels:
    def test_below_the_lowest_is_an_abstention(self):
        votes = Votes.from_probabilities(
            TASKS, {"clf": [[0.4, 0.3, 0.3], [0.6, 0.2, 0.2], [0.95, 0, 0]]}, levels=[0.5, 0.9]
        )
        assert votes.to_pandas()["clf"].tolist() == [None, "A, 0.5 to 0.9", "A, 0.9 to 1"]

    def test_the_table_does_not_depend_on_the_rows(self):
        one, other = ({"clf": ("letter", table)} for table in ([[0.9, 0, 0]], [[0, 0, 1.0], [0, 0.6, 0]]))
        levels = [0.5, 0.8]
        assert (
            Votes.from_probabilities(TASKS, one, levels=levels).schema
            == Votes.from_probabilities(TASKS, other, levels=levels).schema
        )


class TestRoundTrips:
    @given(seeds)
    @settings(max_examples=10)
    def test_schema(self, seed):
        schema = votes_of(drawn(seed)).schema
        assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema

    def test_a_schema_of_hard_votes_is_written_as_ever(self):
        stored = votes_of({"clf": np.eye(3)}).schema.to_dict()
        assert stored["sources"] == [{"name": "clf", "values": [{"letter": "A"}, {"letter": "B"}, {"letter": "C"}]}]

    @given(seeds)
    @settings(max_examples=10)
    def test_parquet(self, tmp_path_factory, seed):
        votes = votes_of({**drawn(seed), "clf 0 (confidence)": np.eye(3)[[0] * 400]})
        found = Votes.from_parquet(votes.to_parquet(tmp_path_factory.mktemp("votes") / "votes.parquet"))
        assert found == votes
        assert found.scores.keys() == votes.scores.keys()
        for name, scores in votes.scores.items():
            assert np.array_equal(found.scores[name], scores, equal_nan=True)

    def test_tally_and_model(self, tmp_path):
        votes = votes_of(drawn(7, items=800, sources=4))
        counts = Tally.of(votes)
        assert Tally.load(counts.save(tmp_path / "counts.npz")).schema == votes.schema
        model = LabelModel(allow_unidentifiable=True).fit(votes)
        again = LabelModel.load(model.save(tmp_path / "model.npz"))
        assert again.fitted_.schema == votes.schema
        assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
        assert [table.shape for table in model.conditionals_] == [(len(table) + 1, 3) for table in votes.values]

    def test_codes_and_what_they_stand_for(self):
        votes = votes_of(drawn(8))
        again = Votes.from_codes(TASKS, votes.codes, votes.names, votes.values)
        assert again == votes
        said = [
            [None if code < 0 else table[code] for code in column]
            for table, column in zip(votes.values, votes.codes.T, strict=True)
        ]
        found = Votes.from_columns(TASKS, dict(zip(votes.names, said, strict=True)))
        assert found.to_pandas().equals(votes.to_pandas())
