"""Why a question got no answer."""

from __future__ import annotations

from assay.errors import SourceError


class UnansweredError(SourceError):
    """A question got no answer, however often it was asked."""


class UnreachableError(SourceError):
    """No question will get an answer: the server is not there, or refuses us."""


class BudgetSpentError(SourceError):
    """A question was not asked, since it could exceed the budget."""
