"""What a report counts over patterns is what one finds by looking at every item."""

import numpy as np
import pytest

from assay import LabelModel, Report, Votes
from assay.counts.patterns import Sketch
from assay.counts.tally import Tally
from assay.report.facts import Counted, component_facts, source_facts, task_facts, vote_text
from assay.simulate import flat_world
from tests.support.soft import probabilities, soft_votes


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


@pytest.fixture(scope="module")
def soft():
    tables, truth = probabilities(2_000, ["one", "two", "three", "four"])
    votes = soft_votes(tables)
    return LabelModel().fit(votes), votes, truth


class TestSoftSources:
    def test_a_label_has_one_row_with_its_levels(self, soft):
        model, votes, truth = soft
        gold = votes.gold(truth)
        table = model.sources_
        for source in source_facts(Counted(model.fitted_, Tally.of(votes)), (votes, gold)):
            assert sorted(value.label for value in source.values) == ["ham", "spam"]
            for value in source.values:
                own = table[(table.source == source.name) & table.value.str.startswith(value.label)]
                assert len(value.levels) == len(own) == 8
                assert value.votes == own.votes.sum()
                assert value.accuracy == pytest.approx(np.average(own.accuracy, weights=own.votes))
                assert value.low < value.accuracy < value.high
                assert [level.accuracy for level in value.levels] == own.accuracy.tolist()
                said = votes.codes[:, votes.position(source.name)] // 8 == ["ham", "spam"].index(value.label)
                assert value.gold.votes == said.sum()
                assert value.gold.accuracy == pytest.approx((truth[said] == (value.label == "spam")).mean())

    def test_the_page_shows_a_bar_for_each_level(self, soft):
        model, votes, truth = soft
        page = Report.of(model, votes, gold=truth).to_html()
        assert page.count('class="levels"') == 8
        assert "by confidence, below 0." in page


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
