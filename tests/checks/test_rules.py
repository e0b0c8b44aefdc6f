"""Every rule on a minimal problem: what it tells, of whom, and what to do."""

import numpy as np
import pytest

import assay
from assay.checks import check_tally
from assay.counts import Tally
from assay.simulate import flat_world, task_world
from tests.support.check_reports import CLEAN, codes_of, only


class TestErrors:
    @pytest.mark.parametrize("votes", [np.full((5, 3), -1), np.full((0, 3), -1)])
    def test_no_votes_at_all(self, votes):
        problem = only(assay.check(votes))
        assert (problem.code, problem.severity, problem.tasks) == ("A001", "error", ("label",))
        assert problem.message.startswith("there are no votes")

    def test_nobody_votes_on_a_component(self, pair):
        votes = task_world(assay.TaskGraph.flat("mood", ["good", "bad"]), ["mood"] * 4).draw(500).votes
        votes = assay.Votes.from_codes(pair, votes.codes, votes.names, votes.values)
        problem = only(assay.check(votes))
        assert (problem.code, problem.severity, problem.tasks) == ("A001", "error", ("food",))
        assert problem.fix == "add three or more sources that vote on task 'food'"

    @pytest.mark.parametrize("count", [1, 2])
    def test_one_or_two_sources_only(self, count):
        report = assay.check(CLEAN.select(range(count)))
        problem = only(report)
        assert not report.ok
        assert (problem.code, problem.severity, problem.sources) == ("A002", "error", CLEAN.names[:count])
        assert problem.fix.startswith("add a third source" if count == 2 else "add two more sources")

    def test_a_third_source_that_never_votes_is_none(self):
        votes = CLEAN.codes[:, :3].copy()
        votes[:, 2] = -1
        assert assay.check(votes).codes == {"A002", "A303"}

    def test_three_sources_all_dependent(self):
        problem = only(assay.check(CLEAN.codes[:, :3], [(0, 1, 2)]))
        assert (problem.code, problem.severity, problem.sources) == ("A003", "error", ("0", "1", "2"))
        assert "add two sources for task 'label'" in problem.fix
        assert "drop the dependencies ('0', '1'), ('0', '2') and ('1', '2')" in problem.fix

    def test_a_chain_of_three_is_all_dependent_too(self):
        assert only(assay.check(CLEAN.codes[:, :3], [(0, 1), (1, 2)])).code == "A003"

    def test_two_groups_of_dependent_sources(self):
        votes = assay.Votes.from_matrix(CLEAN.codes[:, :3], names=["kb", "kb2", "crowd"], task="person")
        problem = only(assay.check(votes, [("kb", "kb2")]))
        assert (problem.code, problem.severity, problem.sources) == ("A004", "error", ("kb", "kb2", "crowd"))
        assert problem.fix == (
            "add a third source for task 'person' that is independent of these, drop the dependency ('kb', 'kb2'), "
            "or label about 50 items by hand and fit with them as gold"
        )

    def test_following_the_advice_helps(self):
        assert assay.check(CLEAN.codes[:, :3]).ok
        assert assay.check(CLEAN.codes[:, :4], [(0, 1)]).ok
        assert assay.check(CLEAN.codes[:, :4], [(0, 1), (1, 2)]).ok
        assert assay.check(CLEAN.codes[:, :5], [(0, 1, 2)]).ok

    def test_three_leaves_of_a_star_are_independent_given_its_centre(self):
        assert assay.check(CLEAN.codes[:, :4], [(0, 1), (0, 2), (0, 3)]).ok

    def test_dependencies_count_where_both_vote(self, pair):
        world = task_world(assay.TaskGraph.flat("mood", ["good", "bad"]), ["mood"] * 3)
        mood = world.draw(500).votes
        food = [[label, None] for label in ("good", "cold")]
        columns = {name: list(mood.to_pandas()[name]) for name in mood.names}
        columns = {name: [None if v is None else ("mood", v) for v in column] for name, column in columns.items()}
        columns |= {f"f{j}": [("food", x) if x else None for x in food[j % 2] * 250] for j in range(3)}
        votes = assay.Votes.from_columns(pair, columns)
        report = assay.check(votes, [("s0", "f0"), ("s1", "f0"), ("s2", "f0")])
        assert report.ok


class TestInverseGraph:
    def test_bipartite(self):
        first = np.arange(2000)[:, None] % 4
        ring = np.where((first == np.arange(4)) | ((first + 1) % 4 == np.arange(4)), CLEAN.codes[:, :4], -1)
        problem = only(assay.check(ring), "A101")
        assert (problem.code, problem.severity, problem.sources) == ("A101", "warning", ("0", "1", "2", "3"))
        assert "bipartite" in problem.message
        assert "'0' and '2' is less for '1' and '3'" in problem.message
        assert problem.fix == "add a source that is independent of '0' and '1' and votes on items of both"
        everywhere = np.column_stack([ring, CLEAN.codes[:, 4]])
        assert not assay.check(everywhere).problems

    def test_disconnected(self):
        halves = CLEAN.codes.copy()
        halves[:1000, :3] = halves[1000:, 3:] = -1
        problem = only(assay.check(halves))
        assert (problem.code, problem.severity, problem.sources) == ("A102", "warning", CLEAN.names)
        assert "assumed to be better than random on average" in problem.message
        assert problem.fix.startswith("add a source that is independent of all groups")

    def test_disconnected_through_dependencies(self):
        problem = only(assay.check(CLEAN.codes[:, :4], [(0, 1), (0, 2), (0, 3)]))
        assert (problem.code, problem.severity) == ("A102", "warning")

    def test_a_source_that_overlaps_with_no_other(self):
        votes = CLEAN.codes.copy()
        votes[:1000, 5] = votes[1000:, :5] = -1
        problem = only(assay.check(votes))
        assert (problem.code, problem.severity, problem.sources) == ("A305", "warning", ("5",))
        assert problem.fix == "add sources that vote on the same items, or drop it"


class TestAmounts:
    def test_fewer_items_than_parameters(self):
        # Per source one rate for each of two outcomes, and the balance: 12 × 2 + 1.
        world = flat_world(sources=12, seed=1)
        problem = only(assay.check(world.draw(24).votes))
        assert (problem.code, problem.severity) == ("A104", "warning")
        assert "24 items" in problem.message
        assert "25 parameters" in problem.message
        assert not assay.check(world.draw(25).votes).problems

    def test_parameters_of_dependent_sources(self):
        # Two of them have three free joint votes, where apart they had one each.
        report = assay.check(flat_world(sources=12, seed=1).draw(26).votes, [(0, 1)])
        assert "27 parameters" in only(report, "A104").message

    def test_added_dependencies(self):
        problem = only(assay.check(CLEAN.codes, [(0, 1), (1, 2), (2, 3), (3, 0)]))
        assert (problem.code, problem.severity) == ("A105", "warning")
        assert set(problem.sources) in ({"0", "2"}, {"1", "3"})

    def test_too_few_separate_groups_for_moments(self):
        votes = flat_world(sources=5, seed=1).draw(2000).votes
        chain = [(0, 1), (1, 2), (2, 3)]
        tally = Tally.of(votes)
        assert not check_tally(tally, chain).errors
        problem = only(check_tally(tally, chain, by_moments=True), "A006")
        assert (problem.severity, problem.sources) == ("error", ("0", "1", "2", "3", "4"))
        assert "only two groups, '0', '1', '2' and '3' against '4'" in problem.message
        assert "method='em'" in problem.fix
        alone = only(check_tally(tally, [*chain, (3, 4)], by_moments=True), "A006")
        assert "to one group" in alone.message
        assert "two sources" in alone.fix
        assert not check_tally(tally, chain[:2], by_moments=True).errors
        assert "A006" not in check_tally(tally, [(0, 1, 2, 3)], by_moments=True).codes

    def test_a_large_group(self):
        votes = flat_world(classes=20, sources=7).draw(5000).votes
        problem = only(assay.check(votes, [(0, 1, 2, 3)]), "A005")
        assert (problem.severity, problem.sources) == ("error", ("0", "1", "2", "3"))
        assert problem.fix == "declare dependencies between fewer of them"


class TestLabels:
    def test_two_labels_that_no_source_separates(self, entities):
        votes = task_world(entities, ["entity"] * 4 + ["org"] * 4).draw(2000).votes
        problem = only(assay.check(votes), "A201")
        assert (problem.severity, problem.tasks) == ("warning", ("person",))
        assert "'Doctor' and 'Lawyer' of task 'person'" in problem.message
        assert problem.fix == "add a source for task 'person' that says which it is, or merge these labels"

    def test_a_task_nobody_votes_on(self, entities):
        votes = task_world(entities, ["entity"] * 4 + ["org"] * 4).draw(2000).votes
        problem = only(assay.check(votes), "A202")
        assert (problem.severity, problem.tasks) == ("warning", ("person",))
        assert "do not settle it" in problem.message

    def test_a_task_that_others_settle(self, entities):
        votes = task_world(entities, ["person"] * 4 + ["org"] * 4).draw(2000).votes
        problem = only(assay.check(votes), "A202")
        assert (problem.severity, problem.tasks) == ("warning", ("entity",))
        assert "learned through other tasks" in problem.message

    def test_a_label_nobody_votes_for(self):
        votes = assay.Votes.from_matrix(CLEAN.codes, labels=["ham", "spam", "phishing"])
        problem = only(assay.check(votes))
        assert (problem.code, problem.severity, problem.tasks) == ("A203", "warning", ("label",))
        assert problem.message == "nobody votes for 'phishing' of task 'label'"

    def test_a_label_may_be_voted_for_through_a_finer_task(self, entities):
        world = task_world(entities, ["person"] * 4 + ["org"] * 4).draw(2000)
        columns = {name: list(column) for name, column in world.votes.to_pandas().items()}
        columns["company"] = ["Organization" if gold >= 2 else None for gold in world.gold]
        assert "A203" not in assay.check(assay.Votes.from_columns(entities, columns)).codes


class TestSources:
    def test_a_source_that_never_votes(self):
        problem = only(assay.check(codes_of(np.full(2000, -1))))
        assert (problem.code, problem.severity, problem.sources) == ("A303", "warning", ("6",))

    def test_a_source_with_three_votes(self):
        few = np.where(np.arange(2000) < 3, CLEAN.codes[:, 0], -1)
        problem = only(assay.check(codes_of(few)))
        assert (problem.code, problem.severity, problem.sources) == ("A304", "warning", ("6",))

    def test_a_constant_source(self):
        problem = only(assay.check(codes_of(np.zeros(2000, dtype=int))))
        assert (problem.code, problem.severity, problem.sources) == ("A306", "warning", ("6",))
        sometimes = np.where(np.arange(2000) % 2, 0, -1)
        problem = only(assay.check(codes_of(sometimes)))
        assert (problem.code, problem.severity, problem.sources) == ("A306", "warning", ("6",))
