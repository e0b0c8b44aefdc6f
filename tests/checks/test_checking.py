"""The compiler pass: laws that hold on any votes."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.checks.problems import CheckReport, Problem
from assay.simulate import flat_world, task_world
from tests.support.check_reports import CLEAN, only
from tests.support.strategies import matrices, said


def test_a_clean_problem_has_no_problems():
    report = assay.check(CLEAN)
    assert report.ok
    assert report == CheckReport(())
    assert str(report) == "no problems found"


@pytest.mark.parametrize("copies", [[], [(0, 1)], [(0, 1, 2)], [(0, 1), (1, 2)]])
def test_declared_dependencies_of_a_solvable_problem_are_no_problem(copies):
    world = flat_world(sources=6, copies=copies)
    assert not assay.check(world.draw(2000).votes, world.dependencies).problems


def test_the_hierarchy_of_the_design_is_no_problem(entities):
    world = task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3)
    assert not assay.check(world.draw(2000).votes).problems


class TestReports:
    def test_a_thousand_workers_make_one_paragraph_a_code(self):
        rng = np.random.default_rng(0)
        votes = np.full((3000, 1000), -1, dtype=np.int8)
        for row, truth in enumerate(rng.integers(2, size=3000)):
            votes[row, rng.choice(1000, 3, replace=False)] = truth ^ (rng.random(3) < 0.2)
        report = assay.check(votes)
        assert report.ok
        assert len(report.problems) == len(report.codes)
        assert len(str(report)) < 4000

    def test_wrong_dependencies_are_told_of(self):
        with pytest.raises(assay.VoteError, match="does not exist"):
            assay.check(CLEAN, [("0", "nobody")])

    def test_cardinality_of_a_matrix(self):
        assert "A203" in assay.check(CLEAN.codes, cardinality=3).codes


@st.composite
def groups(draw, sources):
    """One group of dependent sources, or none; always chordal."""
    if sources < 2 or draw(st.booleans()):
        return []
    return [draw(st.lists(st.integers(0, sources - 1), min_size=2, max_size=sources, unique=True))]


def sound(report):
    assert all(isinstance(problem, Problem) and problem.message and problem.fix for problem in report.problems)
    assert report.ok == (not report.errors)
    assert set(report.errors) | set(report.warnings) == set(report.problems)
    assert json.loads(json.dumps(report.to_dict()))["ok"] == report.ok
    assert str(report)


@given(said(max_tasks=4, max_rows=6), st.data())
def test_check_never_raises_on_valid_votes(votes, data):
    sound(assay.check(votes.votes, data.draw(groups(len(votes.columns)))))


@given(said(max_tasks=3, max_rows=4, min_rows=1), st.data())
def test_repeated_votes_never_raise(votes, data):
    many = assay.Votes.concat([votes.votes] * 30)
    sound(assay.check(many, data.draw(groups(len(votes.columns)))))


@given(st.integers(0, 7), st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=3, unique=True), max_size=6))
def test_any_dependencies_are_taken(rows, dependencies):
    sound(assay.check(flat_world(sources=7).draw(rows).votes, dependencies))


@given(matrices(max_rows=8, max_sources=6), st.integers(1, 40), st.data())
def test_codes_do_not_depend_on_the_order_of_rows_or_sources(matrix, times, data):
    votes = np.array(matrix * times)
    tied = data.draw(groups(votes.shape[1]))
    rows = data.draw(st.permutations(range(len(votes))))
    sources = data.draw(st.permutations(range(votes.shape[1])))
    moved = [[sources.index(source) for source in group] for group in tied]
    before = assay.check(votes, tied, cardinality=3)
    after = assay.check(votes[rows][:, sources], moved, cardinality=3)
    assert before.codes == after.codes
    for code in before.codes - {"A105"}:
        names = {str(sources[int(name)]) for name in only(after, code).sources}
        assert names == set(only(before, code).sources)


class TestLanguageModels:
    """Prompts to one model are pointed out, unless some dependence of theirs is known."""

    VOTES = flat_world(sources=5).draw(300).votes
    PROMPTS = tuple(
        assay.prompt(f"{name} {{text}}", answers=["0", "1"], name=name, model=model)
        for name, model in (("0", "a"), ("1", "a"), ("2", "a"), ("3", "b"))
    )

    def test_those_of_one_model_are_named(self):
        (found,) = [one for one in assay.check(self.VOTES, sources=self.PROMPTS).problems if one.code == "A307"]
        assert found.sources == ("0", "1", "2")

    def test_dependencies_among_them_are_enough(self):
        for pair in (("0", "1"), (0, 1)):
            assert "A307" not in assay.check(self.VOTES, [pair], sources=self.PROMPTS).codes
        assert "A307" in assay.check(self.VOTES, [("0", "3")], sources=self.PROMPTS).codes

    def test_other_sources_ask_nobody(self):
        assert "A307" not in assay.check(self.VOTES).codes
        rules = [assay.keywords([name], "1", on="text", name=name) for name in "012"]
        assert "A307" not in assay.check(self.VOTES, sources=rules).codes
