"""The answers of a project's prompts: what is kept of them, and forgetting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.errors import ProjectError, near_miss
from assay.llm import AnswerCache
from assay.project.project import Project


@dataclass(frozen=True)
class AnswersKept:
    """The answers that a project keeps."""

    path: Path
    bytes: int
    models: Sequence[Mapping[str, Any]]
    """Per model: its name and server, answers, tokens, what they cost (None without a price), when the last came."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"cache": str(self.path), "bytes": self.bytes, "models": list(self.models)}


def answers_kept(project: Project) -> AnswersKept:
    """What is kept; nothing, if no prompt was asked yet."""
    path = _path(project)
    if not path.exists():
        return AnswersKept(path, 0, [])
    with AnswerCache(path) as cache:
        kept, size = cache.kept(), cache.bytes
    models = []
    for one in kept:
        price = project.prompts.prices.get(one.model)
        models.append(
            {
                "model": one.model,
                "url": one.url,
                "answers": one.answers,
                "input_tokens": one.input_tokens,
                "output_tokens": one.output_tokens,
                "cost": None if price is None else price.cost(one.input_tokens, one.output_tokens),
                "last": datetime.fromtimestamp(one.last, UTC).isoformat(timespec="seconds"),
            }
        )
    return AnswersKept(path, size, models)


def forget_answers(project: Project, model: str | None = None) -> int:
    """Forget all answers, or those of one model; returns how many there were."""
    path = _path(project)
    if not path.exists():
        return 0
    with AnswerCache(path) as cache:
        known = sorted({one.model for one in cache.kept()})
        if model is not None and model not in known:
            raise ProjectError(f"{path} holds no answers of {model!r}. {near_miss(model, known)}")
        return cache.clear(model=model)


def _path(project: Project) -> Path:
    return project.folder / "answers.sqlite" if project.prompts.cache is None else Path(project.prompts.cache)
