"""What was asked and spent, and whether another question still fits into the budget."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from assay.llm.exchange import Reply, Request
from assay.llm.failures import BudgetSpentError
from assay.llm.settings import PromptSettings


@dataclass
class Ledger:
    """Counts of calls, tokens and money, and a promise: what was spent never exceeds the budget.

    A question is sent only if the budget covers the most it can cost, together with all that are under way. A
    question whose answer was lost on the way may have been paid for, and counts as if it had cost the most it can.
    """

    settings: PromptSettings
    calls: int = 0
    """Questions that were answered."""
    from_cache: int = 0
    """Questions that had been answered before."""
    repeated: int = 0
    """Attempts that failed, and were made again."""
    not_asked: int = 0
    """Questions that the budget had no room for."""
    input_tokens: int = 0
    output_tokens: int = 0
    spent: float = 0.0
    promised: float = 0.0
    """The most that questions under way can cost."""
    unpriced: Counter[str] = field(default_factory=Counter)
    """Answers of models that have no price."""

    def most(self, request: Request) -> float:
        """The most that a question can cost."""
        price = self.settings.price_of(request.endpoint.model)
        return 0.0 if price is None else price.cost(*request.most_tokens)

    def promise(self, request: Request) -> float:
        """Set aside the most that a question can cost."""
        most, budget = self.most(request), self.settings.budget
        if budget is not None and self.spent + self.promised + most > budget:
            self.not_asked += 1
            raise BudgetSpentError(
                f"not asked, since the budget of {budget:g} has no room for another question ({self.spent:.6g} spent); "
                "give a larger budget, and ask again: answers that are kept in a cache cost nothing"
            )
        self.promised += most
        return most

    def settle(self, promised: float, request: Request, reply: Reply) -> None:
        """Pay for an answer."""
        self.promised -= promised
        self.calls += 1
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens
        price = self.settings.price_of(request.endpoint.model)
        if price is None:
            self.unpriced[request.endpoint.model] += 1
        else:  # a guess of ours is no promise
            told = price.cost(reply.input_tokens, reply.output_tokens)
            self.spent += told if reply.is_billed_as_told else promised

    def lose(self, promised: float, *, may_be_billed: bool) -> None:
        """Give up on an attempt."""
        self.promised -= promised
        self.spent += promised if may_be_billed else 0.0

    def __str__(self) -> str:
        """For a progress bar."""
        budget = self.settings.budget
        cost = "" if not self.spent and budget is None else f", {self.spent:.4g}"
        of = "" if budget is None else f" of {budget:g}"
        return f"asking, {self.calls:,} calls{cost}{of}"
