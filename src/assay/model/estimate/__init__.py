"""One estimation method a file, and what they share."""

from assay.model.estimate.em import EMSettings, Evidence, expectation_maximization
from assay.model.estimate.rank_one import complete
from assay.model.estimate.residuals import residual_correlations
from assay.model.estimate.self_assessment import Redundancy
from assay.model.estimate.solver import SolverOutcome
from assay.model.estimate.start import from_majority

__all__ = [
    "EMSettings",
    "Evidence",
    "Redundancy",
    "SolverOutcome",
    "complete",
    "expectation_maximization",
    "from_majority",
    "residual_correlations",
]
