"""One estimation method per file, and what they share."""

from assay.model.estimate.balance_belief import BalanceBelief
from assay.model.estimate.correction_path import GoldVotes
from assay.model.estimate.em import EMSettings, expectation_maximization
from assay.model.estimate.fit import METHODS, Fit, fit_component
from assay.model.estimate.goodness_of_fit import GoodnessOfFit
from assay.model.estimate.hand_labels import with_gold
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.rank_one import complete
from assay.model.estimate.residuals import residual_correlations
from assay.model.estimate.self_assessment import Redundancy, SelfAssessment
from assay.model.estimate.solver import SolverOutcome
from assay.model.estimate.start import from_majority

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
    "from_majority",
    "residual_correlations",
    "with_gold",
]
