"""Learning which sources depend on each other."""

from assay.model.dependencies.learned import LearnedDependencies, LearnedEdge
from assay.model.dependencies.learning import learn_dependencies, learn_from_tally
from assay.model.dependencies.screening import strong_dependencies

__all__ = ["LearnedDependencies", "LearnedEdge", "learn_dependencies", "learn_from_tally", "strong_dependencies"]
