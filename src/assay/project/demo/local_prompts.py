"""Two prompts to a small model on this machine, about the texts that the other sources of the example leave unsure."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from assay.llm import LocalModel
from assay.project.pipeline import Run, gold_votes
from assay.project.unsure import Unsure, least_sure
from assay.sources import PromptSource, apply, prompt
from assay.tasks import none_of

ASKED = 40
"""About as many texts; the model takes half a second for each question."""
_CACHE = "answers.sqlite"


def local_prompts() -> list[PromptSource]:
    """Who a text is about, and in which field: the second speaks about both fine tasks, by what they are not."""
    return [
        prompt(
            "Is the following text about a person or an organization? Answer with one word.\n\n{text}\n\nAnswer:",
            answers={"person": "Person", "organization": "Organization"},
            task="entity",
            calibrate=True,
            name="llm_entity",
        ),
        prompt(
            "Is the following text about medicine or about law? Answer with one word.\n\n{text}\n\nAnswer:",
            answers={
                "medicine": {"person": none_of("Lawyer"), "org": none_of("Office")},
                "law": {"person": none_of("Doctor"), "org": none_of("Hospital")},
            },
            calibrate=True,
            name="llm_field",
        ),
    ]


def ask_local_model(made: Run, *, texts: int = ASKED, progress: bool = True) -> tuple[Unsure, pd.DataFrame]:
    """The texts that were asked about, and what the prompts said: coverage of all texts, and accuracy against gold."""
    project = made.project
    prompts = local_prompts()
    unsure = least_sure(made.labels, min(texts / len(made.labels), 1.0), seed=project.model.seed)
    with LocalModel() as model:
        votes = apply(
            prompts,
            project.data,
            project.tasks,
            id=project.id,
            prompts=replace(model.settings, cache=project.folder / _CACHE),
            ask=unsure.rows.tolist(),
            progress=progress,
        )
    return unsure, votes.summary(gold_votes(project, votes))
