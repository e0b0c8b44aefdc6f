"""A fitted model on disk: one ``.npz`` file of plain arrays, and JSON for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import Arrays, read_arrays, write_arrays
from assay._core.reading import reading
from assay._core.stored_arrays import distribution, of_type, stored_array, stored_number
from assay.checks import CODES, CheckReport, Problem
from assay.counts import Layout, SourceGraph, Tally, layout_of
from assay.errors import AssayError
from assay.gold import GoldItems
from assay.model.dependencies import LearnedDependencies
from assay.model.estimate import Fit, GoodnessOfFit, SelfAssessment, SolverOutcome
from assay.model.fitted import Fitted, FittedComponent
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring
from assay.model.settings import ModelSettings, check_settings, plain
from assay.votes import Schema

_FORMAT = 6
_ROUNDING = 1e-6
"""How far probabilities may be off."""


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
                "balance contradicted": part.fit.balance_contradicted,
                "outlook": asdict(part.fit.assessment),
                "fitness": None if part.fit.goodness_of_fit is None else asdict(part.fit.goodness_of_fit),
            }
            for part in fitted.components
        ],
        "dependencies": _dependencies(fitted),
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


def _dependencies(fitted: Fitted) -> list[tuple[str, str]]:
    """Those that it was fitted with: fewer than were declared, if some sources were asked later."""
    graphs = [part.layout.graph for part in fitted.components]
    return sorted({(graph.names[one], graph.names[other]) for graph in graphs for one, other in graph.declared})


def read_model(path: str | Path) -> tuple[dict[str, Any], Fitted, Tally | None]:
    """The settings, the fitted model and the counts that :func:`write_model` wrote."""
    said, stored = read_arrays(path, "model file")
    with reading(path, "model file"):
        if said["format"] != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (model format {said['format']})")
        fitted = _fitted(said, stored)
        counts = None
        if said["has counts"]:
            counted = {name.removeprefix("counted "): array for name, array in stored.items()}
            counts = Tally.from_arrays(fitted.schema, counted)
        settings = ModelSettings(**said["settings"])
        check_settings(settings, has_gold=False, tasks=fitted.tasks)
        settings.adversarial = tuple(settings.adversarial)
        return vars(settings), fitted, counts


def _fitted(said: Mapping[str, Any], stored: Mapping[str, npt.NDArray[Any]]) -> Fitted:
    schema = Schema.from_dict(said)
    learned = None if said["learned"] is None else LearnedDependencies.from_dict(said["learned"])
    declared = said["settings"]["dependencies"]
    if said["settings"].get("asked_later"):
        declared = said.get("dependencies", declared)
    graph = SourceGraph(schema.names, declared) if learned is None else learned.graph
    gold = None
    if said["gold"] is not None:
        arrays = {name.removeprefix("gold "): array for name, array in stored.items() if name.startswith("gold ")}
        gold = GoldItems.from_dict(schema, said["gold"], arrays)
    if len(said["components"]) != len(schema.label_space.components):
        raise ValueError(f"its {len(schema.label_space.components)} components have {len(said['components'])} fits")
    components = []
    for index, entry in enumerate(said["components"]):
        layout = layout_of(schema, index, graph)
        joint = tuple(
            stored_array(stored, f"joint {index} {at}", (clique.size, layout.outcomes), low=0, high=1 + _ROUNDING)
            for at, clique in enumerate(layout.cliques)
        )
        balance = distribution(stored, f"balance {index}", layout.outcomes)
        parameters = Parameters(layout, balance, joint, of_type(bool, entry["ignore_abstentions"]))
        before = entry["uncorrected"]
        ends = [
            stored_array(stored, f"interval {index} {at}", (3, len(masks)), low=0, high=1)
            for at, masks in enumerate(layout.masks)
        ]
        held_out = None
        if f"held out {index}" in stored:
            held_out = stored_array(stored, f"held out {index}", (len(gold or ()), layout.outcomes), low=0, high=1)
        fit = Fit(
            parameters,
            _scoring(layout, entry["scoring"], stored, f"scoring {index}"),
            of_type(dict[str, SolverOutcome], entry["solvers"]),
            known_intervals=[(accuracy, low, high) for accuracy, low, high in ends],
            known_assessment=_assessment(layout, entry["outlook"]),
            balance_known=of_type(bool, entry["balance known"]),
            balance_contradicted=of_type(bool, entry.get("balance contradicted", False)),
            goodness_of_fit=None if entry["fitness"] is None else of_type(GoodnessOfFit, entry["fitness"]),
            em_weight=stored_number(entry, "em weight", 0, 1),
            balance_told=stored_number(entry, "balance told", 0, 1),
            uncorrected=None if before is None else _scoring(layout, before, stored, f"uncorrected {index}"),
            held_out=held_out,
        )
        components.append(FittedComponent(fit))
    uses = tuple(
        stored_array(stored, f"uses {j}", (len(values) + 1,), np.int64, low=0) for j, values in enumerate(schema.values)
    )
    report = CheckReport(tuple(of_type(Problem, problem) for problem in said["problems"]))
    unknown = [problem.code for problem in report.problems if problem.code not in CODES]
    if unknown:
        raise ValueError(f"there is no problem {unknown[0]!r}")
    unidentified = frozenset(of_type(list[str], said["unidentified"]))
    return Fitted(schema, uses, tuple(components), report, learned, unidentified, gold)


def _scoring_arrays(scoring: Scoring, name: str) -> Arrays:
    arrays: Arrays = {f"{name} prior": scoring.prior, f"{name} without votes": scoring.without_votes}
    return arrays | {f"{name} weight {at}": logs for at, logs in enumerate(scoring.logs)}


def _scoring_entry(scoring: Scoring) -> dict[str, Any]:
    return {
        "bayes": scoring.is_bayes,
        "scores silence": scoring.scores_silence,
        "discount": scoring.discount,
        "asked later": list(scoring.asked_later),
    }


def _scoring(layout: Layout, entry: Mapping[str, Any], stored: Mapping[str, npt.NDArray[Any]], name: str) -> Scoring:
    later = of_type(list[int], entry.get("asked later", []))
    if any(not 0 <= clique < len(layout.cliques) for clique in later):
        raise ValueError("what was asked later must be among the cliques of the model")
    return Scoring(
        layout,
        distribution(stored, f"{name} prior", layout.outcomes),
        tuple(
            stored_array(stored, f"{name} weight {at}", (clique.size, layout.outcomes))
            for at, clique in enumerate(layout.cliques)
        ),
        distribution(stored, f"{name} without votes", layout.outcomes),
        scores_silence=of_type(bool, entry["scores silence"]),
        discount=stored_number(entry, "discount", 0, 1),
        is_bayes=of_type(bool, entry["bayes"]),
        asked_later=tuple(later),
    )


def _assessment(layout: Layout, said: Mapping[str, Any]) -> SelfAssessment:
    found: SelfAssessment = of_type(SelfAssessment, said)
    if any(not 0 <= source < len(layout.masks) for pair in found.redundant for source in pair.sources):
        raise ValueError("redundant sources must be sources of the model")
    return found
