"""The problems that a check may find: a code for each kind, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from assay._core import views

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Code:
    """A kind of problem: how bad it is, what it means in one line, and where the documentation is."""

    severity: Severity
    meaning: str
    docs: str


def _codes(severity: Severity, meanings: dict[str, str]) -> dict[str, Code]:
    return {code: Code(severity, meaning, f"checks/{code}") for code, meaning in meanings.items()}


CODES: dict[str, Code] = _codes(
    "error",
    {
        "A001": "nobody votes on some tasks",
        "A002": "fewer than three sources",
        "A003": "all sources depend on each other",
        "A004": "only two independent groups of sources",
        "A005": "a group of dependent sources is too large",
        "A006": "too few separate groups of sources for this method",
    },
) | _codes(
    "warning",
    {
        "A101": "the inverse graph is bipartite",
        "A102": "the inverse graph is disconnected",
        "A103": "the votes alone may not determine the class balance",
        "A104": "fewer items than parameters",
        "A105": "dependencies were added to make the source graph chordal",
        "A106": "too little agreement between sources to learn accuracies",
        "A107": "the votes do not tell the class balance",
        "A108": "labels that fewer than three sources name",
        "A201": "labels that no source tells apart",
        "A202": "a task nobody votes on",
        "A203": "a label nobody votes for",
        "A204": "votes contradict the task graph",
        "A301": "duplicated sources",
        "A302": "nearly duplicated or nested sources",
        "A303": "a source that never votes",
        "A304": "a source with very few votes",
        "A305": "a source that overlaps with no other",
        "A306": "a source that always says the same",
        "A307": "prompts to one language model",
        "A308": "gold that has nothing to do with the votes",
    },
)
"""Every code, defined here and nowhere else."""


@dataclass(frozen=True)
class Problem:
    """One finding of :func:`assay.check`: what is wrong, with whom, and what would fix it."""

    code: str
    message: str
    fix: str
    sources: tuple[str, ...] = ()
    """The sources concerned."""
    tasks: tuple[str, ...] = ()
    """The tasks concerned."""

    @property
    def severity(self) -> Severity:
        """``"error"`` if nothing useful can be learned, ``"warning"`` if fitting copes."""
        return CODES[self.code].severity

    @property
    def title(self) -> str:
        """What the code means, in one line."""
        return CODES[self.code].meaning

    def __str__(self) -> str:
        lines = [f"{self.severity}[{self.code}]: {self.message}"]
        lines += [f"  --> {what}: {_cut(names)}" for what, names in self._places() if names]
        return "\n".join([*lines, f"  = fix: {self.fix}"])

    def _places(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return ("tasks", self.tasks), ("sources", self.sources)

    def to_dict(self) -> dict[str, Any]:
        """Everything it says, for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "title": self.title,
            "message": self.message,
            "tasks": list(self.tasks),
            "sources": list(self.sources),
            "fix": self.fix,
        }


@dataclass(frozen=True, repr=False)
class CheckReport:
    """All that :func:`assay.check` found, errors first. Prints like a compiler."""

    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no error, so that something useful can be learned."""
        return not self.errors

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that stop a fit."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The problems that a fit copes with."""
        return tuple(problem for problem in self.problems if problem.severity == "warning")

    @property
    def codes(self) -> frozenset[str]:
        """The codes that occur."""
        return frozenset(problem.code for problem in self.problems)

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.problems), self._counts()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return views.html_of(self)

    def _counts(self) -> str:
        counts = [(len(self.errors), "error"), (len(self.warnings), "warning")]
        told = [f"{count} {what}{'s' * (count != 1)}" for count, what in counts if count]
        return ", ".join(told) or "no problems found"

    def to_dict(self) -> dict[str, Any]:
        """The whole report, for JSON."""
        return {
            "ok": self.ok,
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "problems": [problem.to_dict() for problem in self.problems],
        }


def in_order(problems: Iterable[Problem]) -> CheckReport:
    """A report of problems by code; codes of errors come first."""
    return CheckReport(tuple(sorted(problems, key=lambda problem: problem.code)))


def _cut(names: tuple[str, ...], most: int = 12) -> str:
    cut = len(names) - most
    return ", ".join(names) if cut <= 0 else f"{', '.join(names[:most])} and {cut:,} more"
