"""What a report counts over patterns is what one finds by looking at every item."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from strategies import said

from assay import LabelModel, Task, TaskGraph, Votes
from assay.counts.patterns import Sketch
from assay.counts.tally import Tally
from assay.report.contested import contested_items
from assay.report.facts import Counted, component_facts, source_facts, task_facts, vote_text
from assay.report.source_matrices import agreement, most_overlapping, similar_adjacent
from assay.simulate import flat_world, task_world
from assay.votes.summary import contradictions, summarize


@pytest.fixture(scope="module")
def fitted():
    tasks = TaskGraph(
        [
            Task("entity", ["Person", "Organization"]),
            Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        ]
    )
    speak = ["entity", "entity", "person", "org", "person", "org", ("entity", "person")]
    drawn = task_world(tasks, speak, seed=5).draw(3_000)
    return LabelModel().fit(drawn.votes), drawn.votes, drawn.votes.gold(drawn.gold)


@pytest.fixture(scope="module")
def counted(fitted):
    model, votes, _ = fitted
    return Counted(model.fitted_, Tally.of(votes))


@given(said(min_rows=1))
def test_pairs_of_votes_that_contradict_each_other_are_counted(given_votes):
    votes = given_votes.votes
    sets = [
        [component.allows(values[code]) if code >= 0 else None for values, code in zip(votes.values, row, strict=True)]
        for component in votes.label_space.components
        for row in votes.codes
    ]
    pairs = [
        sum(not (a & b).any() for a, b in combinations([mask for mask in row if mask is not None], 2)) for row in sets
    ]
    by_component = np.array(pairs).reshape(len(votes.label_space.components), len(votes))
    assert contradictions(votes).tolist() == by_component.sum(axis=0).tolist()


@given(said(min_rows=1))
def test_a_summary_of_patterns_with_weights_is_that_of_the_items(given_votes):
    votes = given_votes.votes
    repeats = 1 + np.arange(len(votes)) % 3
    everything = votes.take(np.repeat(np.arange(len(votes)), repeats))
    for by in ("source", "task", "overall"):
        weighted = summarize(votes, None, by, repeats.astype(float))
        whole = summarize(everything, None, by)
        numbers = whole.select_dtypes("number").columns
        np.testing.assert_allclose(weighted[numbers].to_numpy(float), whole[numbers].to_numpy(float))


class TestSources:
    def test_are_as_the_summary_and_the_model_say(self, fitted, counted):
        model, votes, gold = fitted
        facts = source_facts(counted, (votes, gold))
        summary = votes.summary(gold)
        every = zip(votes.names, votes.values, strict=True)
        names = [(name, vote_text(vote)) for name, values in every for vote in values]
        told = dict(zip(names, model.sources_.to_dict("records"), strict=True))
        for source in facts:
            row = summary.loc[source.name]
            assert (source.coverage, source.overlaps, source.conflicts) == pytest.approx(
                (row["coverage"], row["overlaps"], row["conflicts"])
            )
            assert source.gold.accuracy == pytest.approx(row["accuracy"])
            assert (source.gold.low, source.gold.high) == (row["accuracy_low"], row["accuracy_high"])
            for value in source.values:
                known = told[source.name, value.label]
                assert (value.accuracy, value.low, value.high) == (known["accuracy"], known["low"], known["high"])
                assert value.votes == known["votes"]

    def test_chance_is_how_common_the_outcomes_of_a_vote_are(self, fitted, counted):
        model, _, _ = fitted
        by_name = {
            (source.name, value.label): value.chance
            for source in source_facts(counted, None)
            for value in source.values
        }
        for name, values in zip(counted.fitted.names, counted.fitted.values, strict=True):
            for vote in values:
                if (name, str(vote)) in by_name:
                    mask = model.fitted_.tasks.label_space.allows(vote)
                    assert by_name[name, str(vote)] == pytest.approx(model.class_balance_[mask].sum())

    def test_a_source_that_is_turned_round_is_worse_than_chance(self):
        drawn = flat_world(sources=8, seed=2).draw(4_000)
        codes = drawn.votes.codes.copy()
        codes[:, 3] = np.where(codes[:, 3] >= 0, 1 - codes[:, 3], -1)
        votes = Votes.from_matrix(codes)
        model = LabelModel().fit(votes)
        facts = source_facts(Counted(model.fitted_, Tally.of(votes)), None)
        assert [source.name for source in facts if source.is_worse_than_chance] == ["3"]


class TestLabels:
    def test_shares_are_those_of_the_labels(self, fitted, counted):
        model, votes, gold = fitted
        labels = model.label(votes)
        for task in task_facts(counted, gold):
            names = labels.names(task.name)
            true = [gold.values[0][code] for code in gold.codes[:, 0]]
            for label in task.labels:
                wanted = None if label.name == "N/A" else label.name
                assert label.share == pytest.approx(np.mean([name == wanted for name in names]))
                assert label.gold == pytest.approx(
                    np.mean([dict(vote.labels).get(task.name) == wanted for vote in true])
                )

    def test_confidence_is_that_of_items_with_votes(self, fitted, counted):
        model, votes, gold = fitted
        (part,) = component_facts(counted, gold)
        voted = (votes.codes >= 0).any(axis=1)
        best = model.predict_proba(votes)[voted].max(axis=1)
        np.testing.assert_allclose(part.confidence, np.histogram(best, bins=part.edges)[0])
        assert part.covered == pytest.approx(voted.mean())
        assert [entry.share for entry in part.balance] == pytest.approx(model.class_balance_.tolist())

    def test_a_label_with_a_comma_that_nobody_votes_for_is_named(self):
        votes = Votes.from_matrix(np.random.default_rng(0).integers(0, 2, (300, 4)), labels=["a", "b", "c, or d"])
        model = LabelModel(allow_unidentifiable=True).fit(votes)
        (task,) = task_facts(Counted(model.fitted_, Tally.of(votes)), None)
        assert task.never_voted == ("c, or d",)
        assert task.sources == 4


def test_a_sample_of_the_patterns_gives_nearly_the_same(fitted, counted):
    model, votes, _ = fitted
    small = Counted(model.fitted_, Tally.of(votes, size=2_000))
    assert not small.is_exact
    assert isinstance(small.tally.sketch, Sketch)
    for few, all_of_them in zip(source_facts(small, None), source_facts(counted, None), strict=True):
        assert few.coverage == all_of_them.coverage  # counted over all items all the same
        assert few.conflicts == pytest.approx(all_of_them.conflicts, abs=0.05)


class TestMeetings:
    def test_agreement_is_the_share_of_common_items_without_contradiction(self, fitted):
        _, votes, _ = fitted
        met, found = agreement(Tally.of(votes))
        component = votes.label_space.only
        masks = [np.array([component.allows(vote) for vote in values] or [[]]) for values in votes.values]
        for i, j in combinations(range(len(votes.names)), 2):
            both = (votes.codes[:, i] >= 0) & (votes.codes[:, j] >= 0)
            assert met[i, j] == both.sum()
            if both.sum() >= 5:
                right = (masks[i][votes.codes[both, i]] & masks[j][votes.codes[both, j]]).any(axis=1)
                assert found.cells[i, j] == found.cells[j, i] == pytest.approx(right.mean())
            else:
                assert np.isnan(found.cells[i, j])

    def test_of_many_sources_those_that_meet_most_are_shown(self):
        met = np.array([[9, 0, 3], [0, 9, 1], [3, 1, 9]])
        assert most_overlapping(met, 2).tolist() == [0, 2]

    def test_sources_that_are_alike_stand_side_by_side(self):
        drawn = flat_world(sources=8, copies=[(0, 6), (2, 5)], copy_probability=0.95, seed=1).draw(4_000)
        _, found = agreement(Tally.of(drawn.votes))
        order = similar_adjacent(found).tolist()
        assert sorted(order) == list(range(8))
        for one, other in ((0, 6), (2, 5)):
            assert abs(order.index(one) - order.index(other)) == 1


class TestContested:
    def test_items_have_the_votes_and_the_posterior_that_are_told(self, fitted, counted):
        model, votes, gold = fitted
        found = contested_items(counted, votes, gold, 12)
        assert len(found) == 12
        pairs = contradictions(votes)
        outcomes = ["Doctor", "Lawyer", "Hospital", "Office"]
        for item in found:
            assert item.pairs == pairs[item.row]
            row = votes.codes[item.row]
            told = {votes.names[j]: vote_text(votes.values[j][code]) for j, code in enumerate(row) if code >= 0}
            assert dict(item.votes) == told
            assert item.alike == (votes.codes == row).all(axis=1).sum()
            posterior = model.predict_proba(votes.take([item.row]))[0]
            assert dict(item.posterior) == pytest.approx(dict(zip(outcomes, posterior, strict=True)))
        assert [item.pairs for item in found] == sorted((item.pairs for item in found), reverse=True)

    def test_no_other_pattern_is_more_contested(self, fitted, counted):
        _, votes, _ = fitted
        found = contested_items(counted, votes, None, 5)
        distinct = votes.take(np.unique(votes.codes, axis=0, return_index=True)[1])
        assert [item.pairs for item in found] == np.sort(contradictions(distinct))[::-1][:5].tolist()

    def test_contributions_add_up_to_the_odds_of_the_two_best(self, fitted, counted):
        _, votes, _ = fitted
        for item in contested_items(counted, votes, None, 6):
            (_, first), (_, second), *_ = item.posterior
            assert sum(part.log_odds for part in item.contributions) == pytest.approx(np.log(first / second))

    def test_items_are_named_and_found_in_pieces_too(self, fitted, counted):
        _, votes, _ = fitted
        names = np.array([f"item {row}" for row in range(len(votes))])
        named = Votes(votes.tasks, votes.codes, votes.names, votes.values, names)
        whole = contested_items(counted, named, None, 5)
        parts = contested_items(counted, [named.take(slice(0, 1_000)), named.take(slice(1_000, None))], None, 5)
        assert whole == parts
        assert all(item.name == f"item {item.row}" for item in whole)
        assert {item.row for item in contested_items(counted, Tally.of(votes), None, 5)} == {None}
