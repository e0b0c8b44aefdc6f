"""How a solver ended, by name, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

ADVICE = {
    "converged": "",
    "max_steps": "the steps ran out before it settled; raise max_steps, or see what assay.check says",
    "singular_covariance": "some indicators never vary or repeat each other; these were set aside",
    "unreliable_balance": "three-way overlaps do not settle the class balance; give class_balance, or use method='em'",
    "too_few_sources": "fewer than three independent sources tell of something; it was left at what the votes suggest",
}


@dataclass(frozen=True)
class SolverOutcome:
    """A named end, with its cost and its advice.

    >>> SolverOutcome("converged", steps=12, objective=0.0).advice
    ''
    """

    status: str
    steps: int
    objective: float

    @property
    def advice(self) -> str:
        """What to do about it; empty if nothing."""
        return ADVICE[self.status]

    @property
    def converged(self) -> bool:
        """Whether the solver settled."""
        return self.status == "converged"
