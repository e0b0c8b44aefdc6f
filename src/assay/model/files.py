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
from assay.counts import Layout, SourceGraph, Tally, layout_of
from assay.errors import AssayError
from assay.gold import GoldItems
from assay.model.dependencies import LearnedDependencies
from assay.model.estimate import Fit, GoodnessOfFit, Redundancy, SelfAssessment, SolverOutcome
from assay.model.fitted import Fitted, FittedComponent
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring
from assay.model.settings import plain
from assay.votes import Schema

_FORMAT = 6


def write_model(path: str | Path, settings: Mapping[str, Any], fitted: Fitted, counts: Tally | None) -> Path:
    """Write a model atomically, with its counts if it is to be updated later."""
    arrays: Arrays = {f"uses {j}": uses for j, uses in enumerate(fitted.uses)}
    for index, part in enumerate(fitted.components):
        arrays[f"balance {index}"] = part.fit.parameters.balance
        arrays |= _scoring_arrays(part.fit.scoring, f"scoring {index}")
        arrays |= {f"joint {index} {at}": table for at, table in enumerate(part.fit.parameters.joint)}
        arrays |= {f"interval {index} {at}": np.array(ends) for at, ends in enumerate(part.fit.intervals)}
        if part.fit.uncorrected is not None:
            arrays |= _scoring_arrays(part.fit.uncorrected, f"uncorrected {index}")
        if part.fit.held_out is not None:
            arrays[f"held out {index}"] = part.fit.held_out
    said = {
        "format": _FORMAT,
        "settings": plain(settings),
        **fitted.schema.to_dict(),
        "components": [
            {
                "solvers": {name: asdict(outcome) for name, outcome in part.fit.solvers.items()},
                "ignore_abstentions": part.fit.parameters.ignore_abstentions,
                "scoring": _scoring_entry(part.fit.scoring),
                "uncorrected": None if part.fit.uncorrected is None else _scoring_entry(part.fit.uncorrected),
                "em weight": part.fit.em_weight,
                "balance told": part.fit.balance_told,
                "balance known": part.fit.balance_known,
                "outlook": asdict(part.fit.assessment),
                "fitness": None if part.fit.goodness_of_fit is None else asdict(part.fit.goodness_of_fit),
            }
            for part in fitted.components
        ],
        "learned": None if fitted.learned is None else fitted.learned.to_dict(),
        "problems": [asdict(problem) for problem in fitted.check.problems],
        "unidentified": sorted(fitted.unidentified),
        "gold": None if fitted.gold is None else fitted.gold.to_dict(),
        "has counts": counts is not None,
    }
    if fitted.gold is not None:
        arrays |= {f"gold {name}": array for name, array in fitted.gold.arrays().items()}
    if counts is not None:
        arrays |= {f"counted {name}": array for name, array in counts.arrays().items()}
    return write_arrays(path, said, arrays)


def read_model(path: str | Path) -> tuple[dict[str, Any], Fitted, Tally | None]:
    """The settings, the fitted model and the counts that :func:`write_model` wrote."""
    stored = read_arrays(path, "model")
    try:
        said = json.loads(str(stored["said"]))
        if said["format"] != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (model format {said['format']})")
        fitted = _fitted(said, stored)
        counts = None
        if said["has counts"]:
            counted = {name.removeprefix("counted "): array for name, array in stored.items()}
            counts = Tally.from_arrays(fitted.schema, counted)
        return said["settings"], fitted, counts
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise AssayError(f"{path} is not a valid model file, or it is damaged: {error}") from error


def _fitted(said: Mapping[str, Any], stored: Mapping[str, npt.NDArray[Any]]) -> Fitted:
    schema = Schema.from_dict(said)
    learned = None if said["learned"] is None else LearnedDependencies.from_dict(said["learned"])
    graph = SourceGraph(schema.names, said["settings"]["dependencies"]) if learned is None else learned.graph
    components = []
    for index, entry in enumerate(said["components"]):
        layout = layout_of(schema, index, graph)
        joint = tuple(stored[f"joint {index} {at}"] for at in range(len(layout.cliques)))
        parameters = Parameters(layout, stored[f"balance {index}"], joint, entry["ignore_abstentions"])
        before = entry["uncorrected"]
        ends = [stored[f"interval {index} {at}"] for at in range(len(layout.masks))]
        fit = Fit(
            parameters,
            _scoring(layout, entry["scoring"], stored, f"scoring {index}"),
            {name: SolverOutcome(**outcome) for name, outcome in entry["solvers"].items()},
            known_intervals=[(accuracy, low, high) for accuracy, low, high in ends],
            known_assessment=_assessment(entry["outlook"]),
            balance_known=entry["balance known"],
            goodness_of_fit=None if entry["fitness"] is None else GoodnessOfFit(**entry["fitness"]),
            em_weight=entry["em weight"],
            balance_told=entry["balance told"],
            uncorrected=None if before is None else _scoring(layout, before, stored, f"uncorrected {index}"),
            held_out=stored.get(f"held out {index}"),
        )
        components.append(FittedComponent(fit))
    uses = tuple(stored[f"uses {j}"] for j in range(len(schema.names)))
    problems = [{**p, "sources": tuple(p["sources"]), "tasks": tuple(p["tasks"])} for p in said["problems"]]
    report = CheckReport(tuple(Problem(**problem) for problem in problems))
    gold = None
    if said["gold"] is not None:
        arrays = {name.removeprefix("gold "): array for name, array in stored.items()}
        gold = GoldItems.from_dict(schema, said["gold"], arrays)
    return Fitted(schema, uses, tuple(components), report, learned, frozenset(said["unidentified"]), gold)


def _scoring_arrays(scoring: Scoring, name: str) -> Arrays:
    arrays: Arrays = {f"{name} prior": scoring.prior, f"{name} without votes": scoring.without_votes}
    return arrays | {f"{name} weight {at}": logs for at, logs in enumerate(scoring.logs)}


def _scoring_entry(scoring: Scoring) -> dict[str, Any]:
    return {"bayes": scoring.is_bayes, "scores silence": scoring.scores_silence, "discount": scoring.discount}


def _scoring(layout: Layout, entry: Mapping[str, Any], stored: Mapping[str, npt.NDArray[Any]], name: str) -> Scoring:
    return Scoring(
        layout,
        stored[f"{name} prior"],
        tuple(stored[f"{name} weight {at}"] for at in range(len(layout.cliques))),
        stored[f"{name} without votes"],
        scores_silence=entry["scores silence"],
        discount=entry["discount"],
        is_bayes=entry["bayes"],
    )


def _assessment(said: Mapping[str, Any]) -> SelfAssessment:
    pairs = tuple(Redundancy(**{**pair, "sources": tuple(pair["sources"])}) for pair in said["redundant"])
    return SelfAssessment(**{**said, "redundant": pairs})
