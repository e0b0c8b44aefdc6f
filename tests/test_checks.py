"""The compiler pass: every code on a minimal problem, and laws that hold on any votes."""

import json
from itertools import combinations, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import matrices, said
from typer.testing import CliRunner

import assay
from assay.checks import CODES, CheckReport, Problem, count_votes
from assay.checks.identifiability import (
    View,
    independence_number,
    independent_groups,
    meets_kruskal,
    parts_of,
    rarely_separated,
)
from assay.cli import app
from assay.counts import SourceGraph, Tally
from assay.simulate import flat_world, task_world

PAGES = Path(__file__).parent.parent / "docs" / "checks"
CLEAN = flat_world(sources=6).draw(2000).votes


def codes_of(*columns):
    """Votes of the clean problem with more columns beside them."""
    return np.column_stack([CLEAN.codes, *columns])


def only(report, code=None):
    """The one problem there is, or the one with a code."""
    (problem,) = [problem for problem in report.problems if code in (None, problem.code)]
    return problem


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


class TestErrors:
    @pytest.mark.parametrize("votes", [np.full((5, 3), -1), np.full((0, 3), -1)])
    def test_no_votes_at_all(self, votes):
        problem = only(assay.check(votes))
        assert (problem.code, problem.severity, problem.tasks) == ("A001", "error", ("label",))
        assert problem.message.startswith("there are no votes")

    def test_nobody_votes_on_a_component(self, pair):
        votes = task_world(assay.TaskGraph.flat("mood", ["good", "bad"]), ["mood"] * 4).draw(500).votes
        votes = assay.Votes(pair, votes.codes, votes.names, votes.values)
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
            "add a third source for task 'person' that is independent of these, or drop the dependency ('kb', 'kb2')"
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
        problem = only(assay.check(ring))
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
    def test_class_balance(self):
        world = flat_world(classes=3, sources=3, polarity="one", coverage=0.3, seed=1)
        problem = only(assay.check(world.draw(2000).votes))
        assert (problem.code, problem.severity, problem.tasks) == ("A103", "warning", ("label",))
        assert "tell apart '0', '1' and '2' of task 'label'" in problem.message
        assert problem.fix.startswith("give class_balance")

    def test_class_balance_of_labels_that_few_tell_apart(self, entities):
        world = task_world(entities, ["entity"] * 3 + ["person"] * 3 + ["org"] * 2)
        problem = only(assay.check(world.draw(2000).votes))
        assert problem.code == "A103"
        assert problem.message.endswith(
            "fewer than three independent sources tell apart 'Hospital' and 'Office' of task 'org'"
        )

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
        problem = only(assay.check(votes))
        assert (problem.code, problem.severity, problem.tasks) == ("A202", "warning", ("entity",))
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


class TestTaxonomy:
    def test_votes_that_contradict_the_task_graph(self, entities):
        person = np.arange(600) % 2 == 0
        columns = {f"coarse{j}": ("entity", np.where(person, "Person", "Organization").tolist()) for j in range(3)}
        right = [(here and "Doctor") or None for here in person]
        wrong = [None if here else "Doctor" for here in person]
        for fine, told in ((right, False), (wrong, True)):
            report = assay.check(assay.Votes.from_columns(entities, columns | {"fine": ("person", fine)}))
            assert ("A204" in report.codes) == told


class TestSources:
    def test_a_duplicated_source(self):
        problem = only(assay.check(codes_of(CLEAN.codes[:, 0])))
        assert (problem.code, problem.severity, problem.sources) == ("A301", "warning", ("0", "6"))
        assert problem.fix == "drop all but one of each, or declare the dependency ('0', '6')"
        assert not assay.check(codes_of(CLEAN.codes[:, 0]), [(0, 6)]).problems

    def test_other_words_for_the_same_are_no_duplicate_but_told(self):
        problem = only(assay.check(codes_of(1 - CLEAN.codes[:, 0])))
        assert (problem.code, problem.sources) == ("A302", ("0", "6"))
        assert "correspond one to one" in problem.message
        assert not assay.check(codes_of(1 - CLEAN.codes[:, 0]), [(0, 6)]).problems

    def test_a_duplicate_by_name_and_not_by_code(self, letters):
        votes = flat_world(classes=3, sources=4).draw(500).votes.codes
        columns = {f"s{j}": ["ABC"[code] for code in votes[:, j]] for j in range(4)}
        columns["late"] = [None] * 250 + columns["s0"][250:]
        columns["copy"] = columns["s0"]
        assert only(assay.check(assay.Votes.from_columns(letters, columns)), "A301").sources == ("s0", "copy")

    def test_few_equal_votes_make_no_duplicate(self):
        votes = np.full((2000, 2), -1)
        votes[:20] = CLEAN.codes[:20, :1]
        assert not assay.check(codes_of(votes)).problems

    def test_a_near_duplicate(self):
        near = CLEAN.codes[:, 0].copy()
        near[:20] = 1 - near[:20]
        problem = only(assay.check(codes_of(near)))
        assert (problem.code, problem.severity, problem.sources) == ("A302", "warning", ("0", "6"))
        assert "('0', '6')" in problem.fix

    def test_copies_of_95_percent_are_near_duplicates(self):
        world = flat_world(sources=6, copies=[(0, 1)], copy_probability=0.95)
        assert only(assay.check(world.draw(2000).votes)).sources == ("0", "1")

    def test_good_sources_are_no_near_duplicates(self):
        assert not assay.check(flat_world(sources=6, accuracy=(0.95, 0.97)).draw(5000).votes).problems
        rare = flat_world(sources=6, accuracy=(0.95, 0.97), balance=[0.95, 0.05], kind="class-conditional")
        assert not assay.check(rare.draw(5000).votes).problems

    def test_nested_votes(self):
        wide = np.where(np.arange(2000) < 800, CLEAN.codes[:, 0], -1)
        narrow = np.where(np.arange(2000) < 100, wide, -1)
        problem = only(assay.check(np.column_stack([CLEAN.codes[:, 1:], wide, narrow])))
        assert (problem.code, problem.severity, problem.sources) == ("A302", "warning", ("5", "6"))
        assert "'6' in '5'" in problem.message

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
        assert not assay.check(codes_of(sometimes)).problems


class TestReports:
    def test_print_like_a_compiler(self):
        votes = assay.Votes.from_matrix(CLEAN.codes[:, :3], names=["kb", "kb2", "none"]).codes.copy()
        votes[:, 2] = -1
        assert str(assay.check(votes)).splitlines() == [
            "error[A002]: only 2 sources vote on task 'label'; accuracies can be learned from three independent ones "
            "or more",
            "  --> tasks: label",
            "  --> sources: 0, 1",
            "  = fix: add a third source for task 'label', independent of '0' and '1'",
            "",
            "warning[A303]: '2' never says anything that rules an outcome out; nothing is learned about it",
            "  --> sources: 2",
            "  = fix: drop it, or find out why nothing comes from it",
            "",
            "1 error, 1 warning",
        ]

    def test_are_immutable(self):
        problem = only(assay.check(CLEAN.select(["0", "1"])))
        with pytest.raises(AttributeError):
            problem.code = "A999"

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


class TestTable:
    @pytest.mark.parametrize("code", CODES)
    def test_every_code_is_documented_with_its_message_and_fix(self, code):
        page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {code}: ")
        assert f"**{CODES[code].severity.capitalize()}.**" in page
        assert f"{CODES[code].severity}[{code}]: " in page
        assert "\n  = fix: " in page
        assert "## How to fix it" in page

    def test_no_page_without_a_code(self):
        assert {page.stem for page in PAGES.glob("A*.md")} == set(CODES)

    @pytest.mark.parametrize("code", CODES)
    def test_every_code_is_in_the_index(self, code):
        index = (PAGES / "index.md").read_text(encoding="utf-8")
        assert f"| [{code}]({code}.md) | {CODES[code].severity} | {CODES[code].meaning} |" in index

    @pytest.mark.parametrize("code", CODES)
    def test_every_code_is_tested_here(self, code):
        assert f'"{code}"' in Path(__file__).read_text(encoding="utf-8")

    def test_errors_come_first(self):
        assert [kind.severity for kind in CODES.values()] == sorted(kind.severity for kind in CODES.values())


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


@given(st.integers(0, 60), st.integers(1, 12), st.integers(1, 4), st.floats(0.01, 1), st.integers(0, 99))
def test_counts_are_those_of_brute_force(n, m, k, density, seed):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((n, m)) < density, rng.integers(k, size=(n, m)), -1)
    votes = assay.Votes.from_matrix(codes, cardinality=max(k, 2))
    (counts,) = count_votes(Tally.of(votes))
    kept = codes[:, (codes >= 0).any(axis=0)]
    pairs = list(product(range(kept.shape[1]), repeat=2))
    assert [counts.overlap[i, j] for i, j in pairs] == [((kept[:, i] >= 0) & (kept[:, j] >= 0)).sum() for i, j in pairs]
    assert [counts.agreement[i, j] for i, j in pairs] == [
        ((kept[:, i] >= 0) & (kept[:, i] == kept[:, j])).sum() for i, j in pairs
    ]
    assert counts.covered == (codes >= 0).any(axis=1).sum()


@st.composite
def adjacencies(draw, most=7):
    size = draw(st.integers(1, most))
    edges = draw(st.lists(st.sampled_from([*combinations(range(size), 2), (0, 0)]), max_size=12))
    joined = np.zeros((size, size), dtype=bool)
    for one, other in edges:
        joined[one, other] = joined[other, one] = one != other
    return joined


@given(adjacencies())
def test_parts_are_those_of_networkx(joined):
    graph = nx.from_numpy_array(joined)
    expected = {frozenset(part) for part in nx.connected_components(graph)}
    parts = parts_of(joined)
    assert {frozenset(part.members) for part in parts} == expected
    for part in parts:
        inside = graph.subgraph(part.members)
        assert (part.sides is not None) == nx.is_bipartite(inside)
        if part.sides is not None:
            assert not any(set(edge) <= set(side) for side in part.sides for edge in inside.edges)


@given(adjacencies())
def test_independent_sources_are_those_of_brute_force(joined):
    size = len(joined)
    graph = SourceGraph([str(j) for j in range(size)], [(int(i), int(j)) for i, j in np.argwhere(joined)])
    tied = np.zeros((size, size), dtype=bool)
    for one, other in graph.edges:
        tied[one, other] = tied[other, one] = True
    most = max(
        count
        for count in range(size + 1)
        for chosen in combinations(range(size), count)
        if not tied[np.ix_(chosen, chosen)].any()
    )
    assert independence_number(~tied & ~np.eye(size, dtype=bool)) == min(most, 3)
    found = independent_groups(tied)
    assert len(found) == most or len(found) >= 3
    for one, other in combinations(found, 2):
        assert not tied[np.ix_(one, other)].any()


@st.composite
def mask_lists(draw, outcomes):
    """What some sources say: sets of outcomes, neither none nor all of them."""
    sets = st.sets(st.integers(0, outcomes - 1), min_size=1, max_size=max(outcomes - 1, 1)).map(frozenset)
    said = draw(st.lists(st.lists(sets, min_size=1, max_size=3, unique=True), min_size=1, max_size=3))
    return [np.array([[y in one for y in range(outcomes)] for one in source]) for source in said]


@given(st.integers(2, 5).flatmap(mask_lists), st.integers(0, 99))
def test_kruskal_ranks_are_those_of_random_accuracies(sources, seed):
    rng = np.random.default_rng(seed)
    outcomes = sources[0].shape[1]
    table = np.ones((1, outcomes))
    for masks in sources:
        rates = rng.uniform(0.05, 0.15, len(masks))[:, None] + rng.uniform(0.05, 0.15, len(masks))[:, None] * masks
        own = np.vstack([rates, 1 - rates.sum(axis=0)])
        table = (table[:, None] * own[None]).reshape(-1, outcomes)
    table = table / table.max(axis=1, keepdims=True)
    expected = max(
        k
        for k in range(outcomes + 1)
        if all(np.linalg.matrix_rank(table[:, chosen], tol=1e-7) == k for chosen in combinations(range(outcomes), k))
    )
    views = [View.of(masks) for masks in sources]
    assert sum(views[1:], views[0]).kruskal_rank() == expected


@given(st.integers(2, 4).flatmap(lambda r: st.lists(mask_lists(r).map(lambda masks: masks[0]), min_size=1, max_size=5)))
def test_kruskals_condition_is_met_if_some_split_meets_it(sources):
    views = [View.of(masks) for masks in sources]
    outcomes = sources[0].shape[1]

    def rank(chosen):
        return sum(chosen[1:], chosen[0]).kruskal_rank() if chosen else 1

    expected = any(
        sum(rank([v for v, place in zip(views, places, strict=True) if place == p]) for p in range(3))
        >= 2 * outcomes + 2
        for places in product(range(3), repeat=len(views))
    )
    assert meets_kruskal(views) == expected
    if expected:
        assert not rarely_separated(views).any()


class TestCommand:
    def run(self, *arguments):
        return CliRunner().invoke(app, ["check", *map(str, arguments)])

    @pytest.fixture
    def project(self, tmp_path):
        CliRunner().invoke(app, ["init", str(tmp_path / "p"), "--texts", "300"])
        return tmp_path / "p"

    def test_applies_the_sources_if_there_are_no_votes(self, project):
        result = self.run(project)
        assert result.exit_code == 0, result.output
        assert list(project.rglob("votes.parquet"))

    def test_json(self, project):
        report = json.loads(self.run(project, "--json").stdout)
        assert report["ok"]
        assert report["errors"] == 0

    def test_errors_give_exit_code_1(self, project):
        sources = (project / "sources.py").read_text()
        settings = (project / "assay.toml").read_text()
        (project / "assay.toml").write_text(settings.replace('dependencies = [["tagger", "tagger2"]]', ""))
        (project / "sources.py").write_text(
            "import assay\n\n@assay.source(task='entity')\ndef one(row):\n    return 'Person'\n"
        )
        result = self.run(project)
        assert result.exit_code == 1
        assert "error[A002]" in result.stdout
        (project / "sources.py").write_text(sources)
        assert self.run(project).exit_code == 1, "the stored votes are looked at"
