"""One estimation method per file, and what they share.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.model.estimate.balance_belief": ["BalanceBelief"],
    "assay.model.estimate.correction_path": ["GoldVotes"],
    "assay.model.estimate.em": ["expectation_maximization"],
    "assay.model.estimate.fit": ["Fit", "fit_component"],
    "assay.model.estimate.goodness_of_fit": ["GoodnessOfFit"],
    "assay.model.estimate.hand_labels": ["with_gold"],
    "assay.model.estimate.knowledge": ["Knowledge"],
    "assay.model.estimate.merged_outcomes": ["fit_merged"],
    "assay.model.estimate.methods": ["METHODS", "EMSettings"],
    "assay.model.estimate.rank_one": ["complete"],
    "assay.model.estimate.residuals": ["residual_correlations"],
    "assay.model.estimate.self_assessment": ["Redundancy", "SelfAssessment"],
    "assay.model.estimate.solver": ["SolverOutcome"],
    "assay.model.estimate.start": ["from_majority"],
}

__all__ = [
    "METHODS",
    "BalanceBelief",
    "EMSettings",
    "Fit",
    "GoldVotes",
    "GoodnessOfFit",
    "Knowledge",
    "Redundancy",
    "SelfAssessment",
    "SolverOutcome",
    "complete",
    "expectation_maximization",
    "fit_component",
    "fit_merged",
    "from_majority",
    "residual_correlations",
    "with_gold",
]

if TYPE_CHECKING:
    from assay.model.estimate.balance_belief import BalanceBelief
    from assay.model.estimate.correction_path import GoldVotes
    from assay.model.estimate.em import expectation_maximization
    from assay.model.estimate.fit import Fit, fit_component
    from assay.model.estimate.goodness_of_fit import GoodnessOfFit
    from assay.model.estimate.hand_labels import with_gold
    from assay.model.estimate.knowledge import Knowledge
    from assay.model.estimate.merged_outcomes import fit_merged
    from assay.model.estimate.methods import METHODS, EMSettings
    from assay.model.estimate.rank_one import complete
    from assay.model.estimate.residuals import residual_correlations
    from assay.model.estimate.self_assessment import Redundancy, SelfAssessment
    from assay.model.estimate.solver import SolverOutcome
    from assay.model.estimate.start import from_majority

__getattr__ = lazy_names(globals(), _HOMES)
