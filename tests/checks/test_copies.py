"""Sources that repeat each other are told of, and those that are only good are not."""

import numpy as np

import assay
from assay.simulate import flat_world
from tests.support.check_reports import CLEAN, codes_of, only


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
