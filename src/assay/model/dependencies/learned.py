"""The result of learning dependencies between sources."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay._core.stored_arrays import of_type
from assay.counts import SourceGraph

if TYPE_CHECKING:
    import pandas as pd

    from assay.report import DependencyPlots

FloatArray = npt.NDArray[np.float64]

_MOST_LINES = 20
"""The most dependencies that are printed."""
_MOST_NAMED = 5
"""The most that are named in a sentence."""


@dataclass(frozen=True)
class LearnedEdge:
    """Two sources that have more in common than the truth explains."""

    sources: tuple[str, str]
    strength: float
    """The residual correlation of their votes, given the truth: 1 for copies."""
    surprise: float
    """The standardised residual (z-score) of the pair, relative to what is usual for these sources."""
    confidence: float | None
    """The share of half-samples in which the dependency is found again; None if none were drawn."""
    kept: bool = True
    """Whether it is in the graph."""
    why_not: str = ""
    """Why it is not, if it is not."""

    def __str__(self) -> str:
        confidence = "" if self.confidence is None else f", confidence {self.confidence:.0%}"
        note = "" if self.kept else f" (left out: {self.why_not})"
        return f"{self.sources[0]} – {self.sources[1]}: correlation {self.strength:+.2f}{confidence}{note}"


@dataclass(frozen=True, eq=False, repr=False)
class LearnedDependencies:
    """The dependencies found in votes, strongest evidence first.

    Use ``pairs`` wherever dependencies are declared: ``LabelModel(dependencies=learned.pairs)``.

    >>> from assay import learn_dependencies
    >>> from assay.simulate import flat_world
    >>> votes = flat_world(sources=8, copies=[(0, 1)], seed=3).draw(2_000).votes
    >>> learned = learn_dependencies(votes, resamples=4)
    >>> learned.pairs, learned.graph
    ([('0', '1')], SourceGraph(8 sources, 1 dependencies, 7 cliques))
    """

    names: tuple[str, ...]
    edges: tuple[LearnedEdge, ...]
    residuals: FloatArray = field(repr=False)
    """(sources, sources): the residual correlation of two sources' votes, given the truth; empty if too many."""
    notes: tuple[str, ...] = ()
    """What could not be tested, in sentences."""
    strong: bool = False
    """Whether only near-copies were looked for."""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The dependencies that are in the graph, by name, for ``LabelModel(dependencies=...)``."""
        return [edge.sources for edge in self.edges if edge.kept]

    @cached_property
    def graph(self) -> SourceGraph:
        """The graph of the dependencies that were kept."""
        return SourceGraph(self.names, self.pairs)

    def only(self, pairs: Collection[tuple[str, str]], why_not: str) -> LearnedDependencies:
        """The same with only some of the dependencies kept; ``why_not`` is the reason for leaving out the others."""
        edges = (
            replace(edge, kept=False, why_not=why_not) if edge.kept and edge.sources not in pairs else edge
            for edge in self.edges
        )
        return replace(self, edges=tuple(edges))

    def summary(self) -> str:
        """The result in one sentence."""
        if not self.pairs:
            return "found no dependencies between sources"
        first = ", ".join(f"{one!r} and {other!r}" for one, other in self.pairs[:_MOST_NAMED])
        more = len(self.pairs) - _MOST_NAMED
        rest = f", and {more} more" if more > 0 else ""
        count = f"{len(self.pairs)} {'dependency' if len(self.pairs) == 1 else 'dependencies'}"
        if self.strong:
            return f"found {count} between near-copies, which count together: {first}{rest}"
        return f"learned {count} from the votes: between {first}{rest}"

    def to_pandas(self) -> pd.DataFrame:
        """One row for each dependency: the two sources, strength, surprise, confidence, and whether it was kept."""
        import pandas as pd

        rows = [
            {"one": edge.sources[0], "other": edge.sources[1], "strength": edge.strength, "surprise": edge.surprise}
            | {"confidence": edge.confidence, "kept": edge.kept}
            for edge in self.edges
        ]
        return pd.DataFrame(rows, columns=["one", "other", "strength", "surprise", "confidence", "kept"])

    def __str__(self) -> str:
        kept = len(self.pairs)
        found = f"{kept} {'dependency' if kept == 1 else 'dependencies'} between {len(self.names)} sources"
        lines = [f"  {edge}" for edge in self.edges[:_MOST_LINES]]
        more = len(self.edges) - _MOST_LINES
        lines += [f"  and {more} more"] if more > 0 else []
        return "\n".join([found, *lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__

    @property
    def plot(self) -> DependencyPlots:
        """Charts: ``learned.plot.residuals()``, an Altair chart, and ``learned.plot.graph()``, an SVG picture."""
        plots: DependencyPlots = views.plots_of(self)
        return plots

    def to_dict(self) -> dict[str, Any]:
        """Its contents as plain types, for JSON."""
        return {
            "names": list(self.names),
            "edges": [asdict(edge) for edge in self.edges],
            "residuals": self.residuals.tolist(),
            "notes": list(self.notes),
            "strong": self.strong,
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> LearnedDependencies:
        """The result that :meth:`to_dict` describes."""
        edges = tuple(of_type(LearnedEdge, edge) for edge in said["edges"])
        size = len(said["names"]) if said["residuals"] else 0
        residuals = np.array(said["residuals"], dtype=float).reshape(size, size)
        return cls(tuple(said["names"]), edges, residuals, tuple(said["notes"]), said["strong"])
