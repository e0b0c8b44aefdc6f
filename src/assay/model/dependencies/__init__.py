"""Learning which sources depend on each other."""

from assay.model.dependencies.learned import LearnedDependencies, LearnedEdge
from assay.model.dependencies.learning import learn_dependencies

__all__ = ["LearnedDependencies", "LearnedEdge", "learn_dependencies"]
