"""A fitted model on disk: one ``.npz`` file of plain arrays, and JSON for the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import Arrays, read_arrays, write_arrays
from assay.checks import CheckReport, Problem
from assay.counts import SourceGraph, Tally, described, description, reading_of
from assay.errors import AssayError
from assay.model.dependencies.learned import LearnedDependencies
from assay.model.estimate.fit import Fit
from assay.model.estimate.goodness_of_fit import Fitness
from assay.model.estimate.self_assessment import Outlook, Redundancy
from assay.model.estimate.solver import SolverOutcome
from assay.model.fitted import Fitted, FittedComponent
from assay.model.parameters import Parameters

_FORMAT = 4


def write_model(
    path: str | Path, settings: Mapping[str, Any], fitted: Fitted, report: CheckReport, counts: Tally | None
) -> Path:
    """Write a model whole, or not at all; with it the counts, if it is to learn more."""
    arrays: Arrays = {f"uses {j}": uses for j, uses in enumerate(fitted.uses)}
    for index, part in enumerate(fitted.components):
        arrays[f"balance {index}"] = part.fit.parameters.balance
        if part.fit.parameters.prior is not None:
            arrays[f"prior {index}"] = part.fit.parameters.prior
        arrays |= {f"weight {index} {at}": logs for at, logs in enumerate(part.fit.parameters.weight or ())}
        arrays |= {f"joint {index} {at}": table for at, table in enumerate(part.fit.parameters.joint)}
        arrays |= {f"interval {index} {at}": np.array(ends) for at, ends in enumerate(part.fit.intervals)}
    said = {
        "format": _FORMAT,
        "settings": _plain(settings),
        **description(fitted.nothing),
        "components": [
            {
                "solvers": {name: asdict(outcome) for name, outcome in part.fit.solvers.items()},
                "ignore_abstentions": part.fit.parameters.ignore_abstentions,
                "weighted": part.fit.parameters.weight is not None,
                "discount": part.fit.parameters.discount,
                "outlook": asdict(part.fit.outlook),
                "fitness": None if part.fit.fitness is None else asdict(part.fit.fitness),
            }
            for part in fitted.components
        ],
        "learned": None if fitted.learned is None else fitted.learned.to_dict(),
        "problems": [asdict(problem) for problem in report.problems],
        "has counts": counts is not None,
    }
    if counts is not None:
        arrays |= {f"counted {name}": array for name, array in counts.arrays().items()}
    return write_arrays(path, said, arrays)


def read_model(path: str | Path) -> tuple[dict[str, Any], Fitted, CheckReport, Tally | None]:
    """What :func:`write_model` was given."""
    stored = read_arrays(path, "model")
    try:
        said = json.loads(str(stored["said"]))
        if said["format"] != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (model format {said['format']})")
        problems = [{**p, "sources": tuple(p["sources"]), "tasks": tuple(p["tasks"])} for p in said["problems"]]
        fitted = _fitted(said, stored)
        counts = None
        if said["has counts"]:
            counted = {name.removeprefix("counted "): array for name, array in stored.items()}
            counts = Tally.from_arrays(fitted.nothing, counted)
        return said["settings"], fitted, CheckReport(tuple(Problem(**p) for p in problems)), counts
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise AssayError(f"{path} holds no model that Assay wrote, or is damaged: {error}") from error


def _fitted(said: Mapping[str, Any], stored: Mapping[str, npt.NDArray[Any]]) -> Fitted:
    nothing = described(said)
    learned = None if said["learned"] is None else LearnedDependencies.from_dict(said["learned"])
    graph = SourceGraph(nothing.names, said["settings"]["dependencies"]) if learned is None else learned.graph
    components = []
    for index, entry in enumerate(said["components"]):
        layout, reading = reading_of(nothing, index, graph)
        joint = tuple(stored[f"joint {index} {at}"] for at in range(len(layout.cliques)))
        weighted = range(len(layout.cliques)) if entry["weighted"] else ()
        parameters = Parameters(
            layout,
            stored[f"balance {index}"],
            joint,
            ignore_abstentions=entry["ignore_abstentions"],
            weight=tuple(stored[f"weight {index} {at}"] for at in weighted) or None,
            prior=stored.get(f"prior {index}"),
            discount=entry["discount"],
        )
        solvers = {name: SolverOutcome(**outcome) for name, outcome in entry["solvers"].items()}
        ends = [stored[f"interval {index} {at}"] for at in range(len(reading.sources))]
        intervals = [(accuracy, low, high) for accuracy, low, high in ends]
        fits = None if entry["fitness"] is None else Fitness(**entry["fitness"])
        fit = Fit(
            parameters,
            solvers,
            known_intervals=intervals,
            known_outlook=_outlook(entry["outlook"]),
            fitness=fits,
        )
        components.append(FittedComponent(layout, reading, fit))
    uses = tuple(stored[f"uses {j}"] for j in range(len(nothing.names)))
    return Fitted(nothing.tasks, nothing.names, nothing.values, uses, tuple(components), learned)


def _outlook(said: Mapping[str, Any]) -> Outlook:
    pairs = tuple(Redundancy(**{**pair, "sources": tuple(pair["sources"])}) for pair in said["redundant"])
    return Outlook(**{**said, "redundant": pairs})


def _plain(value: Any) -> Any:
    """A setting as JSON has it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(entry) for entry in value]
    return value
