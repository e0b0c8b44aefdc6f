"""The table of codes: each is documented and tested, and problems read like a compiler's."""

from pathlib import Path

import pytest

import assay
from assay.checks.problems import CODES
from tests.support.check_reports import CLEAN, only

PAGES = Path(__file__).parents[2] / "docs" / "checks"


class TestReports:
    def test_print_like_a_compiler(self):
        votes = assay.Votes.from_matrix(CLEAN.codes[:, :3], names=["kb", "kb2", "none"]).codes.copy()
        votes[:, 2] = -1
        assert str(assay.check(votes)).splitlines() == [
            "error[A002]: only 2 sources vote on task 'label'; accuracies can be learned from three independent ones "
            "or more",
            "  --> tasks: label",
            "  --> sources: 0, 1",
            "  = fix: add a third source for task 'label', independent of '0' and '1', "
            "or label about 50 items by hand and fit with them as gold",
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
        beside = Path(__file__).parent.glob("test_*.py")
        assert any(f'"{code}"' in path.read_text(encoding="utf-8") for path in beside)

    def test_errors_come_first(self):
        assert [kind.severity for kind in CODES.values()] == sorted(kind.severity for kind in CODES.values())
