"""Laws of graphs of many unrelated components: each is counted, checked, fitted and labeled as if it were alone."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest

import assay
from assay import LabelModel, Tally, Task, TaskGraph, Votes
from assay.counts import SourceGraph, layout_of
from assay.counts import tally as tallies
from assay.votes import schema as schemas
from tests.support.sameness import as_stored, same_labels

ITEMS = 600
LABELS = ("no", "yes", "later")


def columns_of(name, labels, rng, sources):
    """Votes of some sources on one task."""
    truth = rng.integers(0, len(labels), ITEMS)
    found = {}
    for source in range(sources):
        said = np.where(rng.random(ITEMS) < 0.7, truth, rng.integers(0, len(labels), ITEMS))
        missing = rng.random(ITEMS) < 0.4
        found[f"{name} {source}"] = (name, [None if no else labels[at] for at, no in zip(said, missing, strict=True)])
    return found, [labels[at] for at in truth]


def drawn(tasks=10, sources=4, seed=0):
    """Votes on unrelated tasks, the columns of each, and gold as a dict of columns."""
    rng = np.random.default_rng(seed)
    graph = TaskGraph([Task(f"t{at}", LABELS[: 2 + at % 2]) for at in range(tasks)])
    parts, gold = {}, {}
    for task in graph:
        parts[task.name], gold[task.name] = columns_of(task.name, task.labels, rng, sources)
    columns = {name: column for part in parts.values() for name, column in part.items()}
    return Votes.from_columns(graph, columns), parts, gold


VOTES, PARTS, GOLD = drawn()


@cache
def fitted():
    return LabelModel().fit(VOTES)


def alone(name):
    """The votes on one of the tasks, in a graph of its own."""
    task = VOTES.tasks[name]
    return Votes.from_columns(TaskGraph([Task(task.name, task.labels)]), PARTS[name])


@contextmanager
def together(votes=VOTES):
    """The same votes, where as many components as there are here are few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schemas, "FEW_COMPONENTS", len(votes.tasks))
        fresh = Votes.from_codes(votes.tasks, votes.codes, votes.names, votes.values, votes.items)
        assert not fresh.schema.is_taken_apart
        yield fresh


class TestEachAsIfAlone:
    def test_fitted_together_they_equal_those_fitted_alone_to_the_last_bit(self):
        together = fitted().predict_proba(VOTES)
        for at, name in enumerate(VOTES.tasks.names):
            own = alone(name)
            model = LabelModel().fit(own)
            assert np.array_equal(model.predict_proba(own), together[at])
            for source in own.names:
                assert np.array_equal(model.conditionals_[source], fitted().conditionals_[source])
            rows = fitted().sources_[fitted().sources_.task == name].reset_index(drop=True)
            assert model.sources_.equals(rows)

    def test_votes_are_taken_apart_as_they_were_put_together(self):
        listed = Votes(VOTES.schema, VOTES.cast)
        for at, name in enumerate(VOTES.tasks.names):
            assert np.array_equal(VOTES.of_component(at).codes, alone(name).codes)
            assert np.array_equal(listed.of_component(at).codes, alone(name).codes)
            assert VOTES.of_component(at).values == alone(name).values

    def test_checked_together_they_equal_those_checked_alone(self):
        few = VOTES.drop(["t3 0", "t3 1"])
        found = assay.check(few)
        assert {problem.tasks for problem in found.errors} == {("t3",)}
        own = assay.check(alone("t3").drop(["t3 0", "t3 1"]))
        assert [problem.message for problem in own.problems] == [
            problem.message for problem in found.problems if problem.tasks == ("t3",)
        ]

    def test_majority_votes_and_summaries_too(self):
        summary = VOTES.summary(GOLD)
        for at, name in enumerate(VOTES.tasks.names):
            own = alone(name)
            assert np.array_equal(assay.majority_vote(VOTES)[at], assay.majority_vote(own))
            assert own.summary([{name: label} for label in GOLD[name]]).equals(summary.loc[list(own.names)])
        by_task = VOTES.summary(GOLD, by="task")
        assert by_task.loc[["t1"]].equals(alone("t1").summary({"t1": GOLD["t1"]}, by="task"))


class TestCountedApartAndTogether:
    def test_the_same_counts(self):
        apart = Tally.of(VOTES)
        overlaps = [[apart.overlaps(at, compatible=flag) for flag in (False, True)] for at in range(len(VOTES.tasks))]
        votes_on = [apart.votes_on(at) for at in range(len(VOTES.tasks))]
        assert apart.parts is not None
        with together() as votes:
            whole = Tally.of(votes)
            assert whole.parts is None
            assert np.array_equal(whole.single, apart.single)
            assert np.array_equal(whole.covered, apart.covered)
            assert np.array_equal(whole.sketch.patterns().codes, apart.sketch.patterns().codes)
            for at in range(len(VOTES.tasks)):
                assert np.array_equal(whole.votes_on(at), votes_on[at])
                for compatible in (False, True):
                    found = whole.overlaps(at, compatible=compatible)
                    assert np.array_equal(found.overlap, overlaps[at][compatible].overlap)
                    assert np.array_equal(found.agreement, overlaps[at][compatible].agreement)

    def test_the_same_sets_layouts_checks_and_summaries(self):
        graph = SourceGraph(VOTES.names)
        sets, summary, conflicts = VOTES.outcome_sets, VOTES.summary(GOLD), VOTES.conflicts()
        layouts = [layout_of(VOTES.schema, at, graph) for at in range(len(VOTES.tasks))]
        checked = str(assay.check(VOTES))
        with together() as votes:
            for at, (apart, layout) in enumerate(zip(sets, layouts, strict=True)):
                assert np.array_equal(votes.outcome_sets[at].masks, apart.masks)
                assert np.array_equal(votes.outcome_sets[at].of_value, apart.of_value)
                found = layout_of(votes.schema, at, graph)
                assert np.array_equal(found.sources, layout.sources)
                assert np.array_equal(found.all_masks, layout.all_masks)
            assert str(assay.check(votes)) == checked
            assert votes.summary(GOLD).equals(summary)
            assert np.array_equal(votes.conflicts(), conflicts)

    def test_nearly_the_same_labels(self):
        with together() as votes:
            found = LabelModel().fit(votes).predict_proba(votes)
        for one, other in zip(found, fitted().predict_proba(VOTES), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-3)  # patterns are summed in another order

    def test_counts_of_an_earlier_version_fit_but_do_not_add(self, tmp_path):
        with together() as votes:
            path = Tally.of(votes).save(tmp_path / "counts.npz")
        stored = Tally.load(path)
        assert stored.parts is None
        assert LabelModel().fit(stored).converged_
        with pytest.raises(assay.VoteError, match="earlier version"):
            stored + Tally.of(VOTES)


class TestAnyWayOfGivingVotes:
    def test_pieces_counts_and_files_do_not_show(self, tmp_path):
        path = VOTES.to_parquet(tmp_path / "votes.parquet")
        parts = [VOTES.take(slice(0, 250)), VOTES.take(slice(250, None))]
        counted = assay.count(parts[0]) + assay.count(parts[1])
        stored = assay.Tally.load(counted.save(tmp_path / "counts.npz"))
        twice = LabelModel().partial_fit(parts[0]).partial_fit(parts[1])
        expected = fitted().label(VOTES)
        for model in (LabelModel().fit(path), LabelModel().fit(parts), LabelModel().fit(stored), twice):
            assert same_labels(model.label(VOTES), expected)
        again = LabelModel.load(twice.save(tmp_path / "model.npz"))
        assert same_labels(again.label(path), expected)
        assert same_labels(again.partial_fit(parts[0]).label(VOTES), twice.partial_fit(parts[0]).label(VOTES))
        out = fitted().label(path, out=tmp_path / "labels.parquet", progress=False)
        assert same_labels(assay.Labels.from_parquet(out), as_stored(expected))

    def test_listed_votes_give_the_same(self):
        listed = Votes(VOTES.schema, VOTES.cast)
        assert same_labels(LabelModel().fit(listed).label(listed), fitted().label(VOTES))
        assert listed.summary(GOLD).equals(VOTES.summary(GOLD))

    def test_a_sample_of_patterns_from_pieces_is_that_from_memory(self, monkeypatch):
        """Frequent patterns are counted in a second pass, over all pieces."""
        monkeypatch.setattr(tallies, "_LEAST_SKETCH", 64)
        votes, _, _ = drawn(sources=7)
        whole = assay.count(votes, size=64)
        assert any(part.sketch.needs_second_pass for part in whole.parts)
        pieces = assay.count(
            [votes.take(slice(0, 100)), votes.take(slice(100, 333)), votes.take(slice(333, None))], size=64
        )
        for one, other in zip(whole.parts, pieces.parts, strict=True):
            a, b = one.sketch.patterns(), other.sketch.patterns()
            assert np.array_equal(a.codes, b.codes)
            assert np.array_equal(a.counts, b.counts)

    def test_labels_do_not_depend_on_the_order_of_tasks(self):
        turned = TaskGraph([Task(task.name, task.labels) for task in reversed(VOTES.tasks.tasks)])
        columns = {name: column for part in PARTS.values() for name, column in part.items()}
        votes = Votes.from_columns(turned, columns)
        for one, other in zip(
            LabelModel().fit(votes).predict_proba(votes)[::-1], fitted().predict_proba(VOTES), strict=True
        ):
            assert np.array_equal(one, other)


class TestVotesOnSeveralComponents:
    """A source may say something of many tasks at once."""

    @staticmethod
    def merged(votes_of, sources=4):
        columns = {}
        for source in range(sources):
            said = [PARTS[name][f"{name} {source}"][1] for name in votes_of]
            rows = (zip(votes_of, row, strict=True) for row in zip(*said, strict=True))
            columns[f"s{source}"] = [{name: label for name, label in row if label} or None for row in rows]
        return columns

    def test_they_count_on_each_as_if_said_of_it_alone(self):
        votes = Votes.from_columns(VOTES.tasks, self.merged(VOTES.tasks.names))
        renamed = {
            task.name: Votes.from_columns(
                TaskGraph([Task(task.name, task.labels)]),
                {f"s{at}": column for at, column in enumerate(PARTS[task.name].values())},
            )
            for task in VOTES.tasks
        }
        model = LabelModel().fit(votes)
        for at, own in enumerate(renamed.values()):
            assert np.array_equal(votes.of_component(at).to_matrix(), own.to_matrix())
            found = LabelModel().fit(own)
            np.testing.assert_allclose(found.predict_proba(own), model.predict_proba(votes)[at], atol=1e-9)
        listed = Votes(votes.schema, votes.cast)
        assert all(np.array_equal(listed.of_component(at).codes, votes.of_component(at).codes) for at in range(10))
        assert np.array_equal(Tally.of(listed).single, Tally.of(votes).single)
        assert Tally.of(votes).single.sum() == len(votes.cast.codes)

    def test_summaries_are_those_of_all_at_once(self):
        apart = Votes.from_columns(VOTES.tasks, self.merged(VOTES.tasks.names[:3]))
        summary, conflicts = apart.summary(GOLD), apart.conflicts()
        with together(apart) as votes:
            assert votes.summary(GOLD).equals(summary)
            assert np.array_equal(votes.conflicts(), conflicts)


class TestGold:
    SOME = {name: [label if at < 80 else None for at, label in enumerate(column)] for name, column in GOLD.items()}

    def test_each_component_learns_from_its_own(self):
        model = LabelModel().fit(VOTES, self.SOME)
        labels = model.label(VOTES)
        assert labels.gold is not None
        for at, name in enumerate(VOTES.tasks.names):
            own = alone(name)
            found = LabelModel().fit(own, {name: self.SOME[name]})
            assert np.array_equal(found.predict_proba(own), model.predict_proba(VOTES)[at])
            assert labels.names(name)[:80].tolist() == GOLD[name][:80]
        assert assay.evaluate(labels).cross_fitted == 80

    def test_from_a_file_and_in_two_parts(self, tmp_path):
        model = LabelModel().fit(VOTES, self.SOME)
        path = VOTES.to_parquet(tmp_path / "votes.parquet")
        assert same_labels(LabelModel().fit(path, self.SOME).label(path), model.label(VOTES))
        first = {name: column[:250] for name, column in self.SOME.items()}
        twice = LabelModel().partial_fit(VOTES.take(slice(0, 250)), first).partial_fit(VOTES.take(slice(250, None)))
        assert same_labels(twice.label(VOTES), model.label(VOTES))


class TestWhatElseIsAskedOfAFit:
    def test_explanations_add_up(self):
        row = 3
        table = fitted().explain(VOTES, row).table
        assert len(table)
        assert {*table.index} - {"total"}

    def test_drift_is_looked_for_where_a_source_may_vote(self):
        codes = VOTES.codes.copy()
        codes[300:, VOTES.position("t4 0")] = -1
        votes = Votes.from_codes(VOTES.tasks, codes, VOTES.names, VOTES.values)
        model = LabelModel().partial_fit(votes.take(slice(0, 300))).partial_fit(votes.take(slice(300, None)))
        assert set(model.drift_.source) == {"t4 0"}

    def test_near_copies_are_found(self):
        codes = VOTES.codes.copy()
        codes[:, VOTES.position("t5 1")] = codes[:, VOTES.position("t5 0")]
        votes = Votes.from_codes(VOTES.tasks, codes, VOTES.names, VOTES.values)
        assert LabelModel().fit(votes).learned_.pairs == [("t5 0", "t5 1")]

    def test_a_report_shows_what_it_shows_of_few(self):
        found = assay.Report.of(fitted(), VOTES)
        with together() as votes:
            expected = assay.Report.of(fitted(), votes)
        assert found.sources == expected.sources
        assert [item.row for item in found.contested] == [item.row for item in expected.contested]
        for one, other in zip(found.components, expected.components, strict=True):
            assert np.array_equal(one.confidence, other.confidence)
        assert np.allclose(found.residuals.cells, expected.residuals.cells, equal_nan=True)
