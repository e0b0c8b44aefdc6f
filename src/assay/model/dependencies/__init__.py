"""Learning which sources depend on each other.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.model.dependencies.learned": ["LearnedDependencies", "LearnedEdge"],
    "assay.model.dependencies.learning": ["learn_dependencies", "learn_from_tally"],
    "assay.model.dependencies.screening": ["strong_dependencies"],
}

__all__ = ["LearnedDependencies", "LearnedEdge", "learn_dependencies", "learn_from_tally", "strong_dependencies"]

if TYPE_CHECKING:
    from assay.model.dependencies.learned import LearnedDependencies, LearnedEdge
    from assay.model.dependencies.learning import learn_dependencies, learn_from_tally
    from assay.model.dependencies.screening import strong_dependencies

__getattr__ = lazy_names(globals(), _HOMES)
