"""Named solver outcomes, each with advice."""

from __future__ import annotations

from dataclasses import dataclass

ADVICE = {
    "converged": "",
    "max_steps": "it did not converge within max_steps; raise max_steps, or run assay.check",
    "unsettled": "it still moved after its usual number of steps, as it does where votes tell little; more do not help",
    "singular_covariance": "some indicators are constant or linearly dependent; these were left out",
    "unreliable_balance": "three-way overlaps do not identify the class balance; set class_balance or use method='em'",
    "too_few_groups": (
        "it needs three groups of sources without a dependency between them; estimates are not reliable: declare "
        "fewer dependencies, add independent sources, or use method='em'"
    ),
    "too_few_sources": (
        "fewer than three independent sources inform some parameters; these were set from vote rates or are arbitrary"
    ),
}


@dataclass(frozen=True)
class SolverOutcome:
    """How a solver ended: status, steps, and the final objective.

    >>> SolverOutcome("converged", steps=12, objective=0.0).advice
    ''
    """

    status: str
    steps: int
    objective: float

    @property
    def advice(self) -> str:
        """What to do about it; empty if it converged."""
        return ADVICE[self.status]

    @property
    def converged(self) -> bool:
        """Whether the solver converged."""
        return self.status == "converged"
