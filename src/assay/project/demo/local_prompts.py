"""Two prompts to a small model on this machine, about the texts that the other sources of the example leave unsure."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay._core.atomic_files import writing
from assay._core.project_file import FILE, SOURCES_FILE
from assay.llm import LocalModel
from assay.project.gold_files import gold_votes
from assay.project.pipeline import Run, label_model
from assay.project.project import Project
from assay.project.prompt_notes import PromptNotes
from assay.project.source_file import source_toml
from assay.sources import PromptSource, prompt
from assay.tasks import none_of
from assay.votes import compare_with_gold

ASKED = 40
"""About as many texts; the model takes half a second for each question."""
PORT = 8093
_SECTION = """
[prompts]               # a small model on this machine; python -m assay.llm.local_model {port} serves it
base_url = "http://127.0.0.1:{port}/v1"
model = "{model}"
concurrency = 2
where = "unsure"        # ask about the texts that the other sources leave the label model least sure of
share = {share:.6f}
"""


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


def add_prompts(folder: Path, texts: int, *, asked: int = ASKED) -> None:
    """Add the prompts, and where they are asked, to the example in a folder, as far as it has none."""
    settings, sources = folder / FILE, folder / SOURCES_FILE
    said = settings.read_text(encoding="utf-8")
    added = _SECTION.format(port=PORT, model=LocalModel.name, share=min(asked / texts, 1.0))
    for path, text in (
        (settings, said if "[prompts]" in said else said.rstrip("\n") + "\n" + added),
        (sources, "\n".join(map(source_toml, local_prompts()))),
    ):
        if path == settings or not path.exists():
            with writing(path) as unfinished:
                unfinished.write_text(text, encoding="utf-8")


@contextmanager
def answering(project: Project) -> Iterator[Project]:
    """The project while its model answers: the local one is started, if that is the one it asks."""
    if project.prompts.model != LocalModel.name or project.prompts.base_url != f"http://127.0.0.1:{PORT}/v1":
        yield project
        return
    with LocalModel(PORT if _is_free(PORT) else 0) as model:
        yield replace(project, prompts=replace(project.prompts, base_url=model.base_url))


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@dataclass(frozen=True)
class PromptEffect:
    """What asking prompts changed, counted against gold."""

    asked: int
    """How many texts they were asked about."""
    changed: int
    """How many labels of all texts are others than without them."""
    right_before: int
    right_after: int
    """How many labels of the texts asked about are right, without and with them."""

    def __str__(self) -> str:
        return (
            f"prompts were asked about {self.asked:,} texts, those that the other sources leave least sure: labels of "
            f"{self.changed:,} texts changed; of those asked about, {self.right_before:,} labels were right without "
            f"prompts, and {self.right_after:,} are with them"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


def effect_of_prompts(made: Run) -> PromptEffect:
    """What a run with prompts changed over one without."""
    notes = PromptNotes.stored(made.project.output)
    others = made.votes.select([name for name in made.votes.names if name not in notes.models])
    settings = {**label_model(made.project).get_params(), "asked_later": ()}
    model = type(made.model)(**settings).fit(others, progress=False)
    before, after = model.predict(others), made.model.predict(made.votes)
    gold = gold_votes(made.project, made.votes)
    rows = np.arange(len(others)) if notes.asked is None else np.array(notes.asked, dtype=np.int64)
    outcomes = made.project.tasks.label_space.outcomes
    right = [0, 0]
    if gold is not None:
        for at, chosen in enumerate((before, after)):
            said = others.from_columns(made.project.tasks, {"label": [dict(outcomes[one]) for one in chosen[rows]]})
            right[at] = int(compare_with_gold(said, gold.take(rows))[0].sum())
    return PromptEffect(len(rows), int((before != after).sum()), *right)
