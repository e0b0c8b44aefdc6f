"""The main job from end to end, on the example: from sources to labels, an end model, hand labels, scores, a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay._core.rows import as_polars
from assay.evaluation import Evaluation
from assay.project.demo.example import write_example
from assay.project.demo.local_prompts import PromptEffect, add_prompts, answering, effect_of_prompts
from assay.project.demo.simulated_answers import simulate_answers
from assay.project.end_model import compare_methods, held_out, train
from assay.project.extras import can_draw, can_train
from assay.project.pipeline import Run, run
from assay.project.project import Project
from assay.project.prompt_notes import PromptNotes
from assay.project.provenance import REFINED
from assay.project.reporting import write_report


@dataclass(frozen=True)
class Demo:
    """What the demo gave."""

    run: Run
    """With votes alone."""
    taught: Run
    """With hand labels too."""
    simulated: int
    """How many of these are simulated; 0 if somebody had labeled texts there, which then count."""
    held_out: Mapping[str, Evaluation]
    """All methods against gold, on items held out of training; empty where no end model can be trained."""
    page: Path | None
    """The report; None where charts cannot be drawn."""
    prompts: PromptEffect | None
    """What the prompts to a local model changed; None if there are none."""
    kept: list[str]
    """Files that were edited before, and left alone."""


def run_demo(folder: Path, texts: int, seed: int, *, llm: bool = False, progress: bool = True) -> Demo:
    """Write the example to a folder, and do all that can be done with it."""
    kept = write_example(folder, texts, seed, keep_edited=True)
    if llm:
        add_prompts(folder, texts)
    with answering(Project.load(folder)) as project:
        return _run_demo(project, seed, kept, progress)


def _run_demo(project: Project, seed: int, kept: list[str], progress: bool) -> Demo:
    made = run(project, hand_labels=False, refine=can_train(), progress=progress)
    effect = effect_of_prompts(made) if PromptNotes.stored(project.output).models else None
    before = _scores(project, progress)
    # None of the texts that are scored is asked about, so that no score rests on its own answer.
    may_ask = ~held_out(project, len(made.votes))
    gold = [] if project.gold is None else as_polars(project.gold).to_dicts()
    simulated = simulate_answers(project, gold, may_ask, seed) if gold else 0
    taught = run(project, refine=can_train(), progress=progress)
    told = 0 if taught.hand_labels is None else len(taught.hand_labels)
    scores = _beside(before, _scores(project, progress), f"with {told} hand labels") if told else before
    return Demo(
        run=made,
        taught=taught,
        simulated=simulated,
        held_out=scores,
        page=write_report(project) if can_draw() else None,
        prompts=effect,
        kept=[*kept, *([] if simulated else [path.name for path in project.hand_labels if path.is_file()])],
    )


def _scores(project: Project, progress: bool) -> Mapping[str, Evaluation]:
    if not can_train():
        return {}
    train(project, fresh=True, progress=progress)
    return compare_methods(project)


def _beside(before: Mapping[str, Evaluation], after: Mapping[str, Evaluation], how: str) -> dict[str, Evaluation]:
    """Each method, followed by what it gives afterwards if it learns from labels."""
    found: dict[str, Evaluation] = {}
    for name, evaluation in before.items():
        found[name] = evaluation
        if name in ("label model", "end model", REFINED):
            found[f"{name} {how}"] = after[name]
    return found
