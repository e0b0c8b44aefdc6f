"""What is kept beside votes about the prompts that cast some of them: their models, their examples, whom they asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import read_json, write_json
from assay._core.reading import reading
from assay._core.stored_arrays import of_type
from assay.errors import ProjectError
from assay.votes import rows_named

if TYPE_CHECKING:
    from assay.llm import PromptSettings
    from assay.sources import Source
    from assay.votes import Votes

NOTES_FILE = "prompts.json"
_WHAT = "note about prompts; run 'assay apply' again"

Item = int | str


@dataclass(frozen=True)
class PromptNotes:
    """What is known of the prompts among the sources of some votes."""

    models: Mapping[str, str] = field(default_factory=dict)
    """Prompt -> the model it asks, and where."""
    examples: Mapping[str, Sequence[Item]] = field(default_factory=dict)
    """Prompt -> the items whose gold it shows, by name or number."""
    asked: tuple[int, ...] | None = None
    """The rows that prompts were asked about; None: all."""

    @classmethod
    def of(cls, sources: Iterable[Source], settings: PromptSettings, asked: Iterable[int] | None) -> PromptNotes:
        """Those of some sources."""
        from assay.sources import PromptSource

        prompts = [source for source in sources if isinstance(source, PromptSource)]
        endpoints = {source.name: source.endpoint(settings) for source in prompts}
        return cls(
            {name: f"{endpoint.model} at {endpoint.base_url}" for name, endpoint in endpoints.items()},
            {source.name: source.example_items for source in prompts if source.example_items},
            None if asked is None else tuple(sorted(map(int, asked))),
        )

    @property
    def of_one_model(self) -> list[tuple[str, ...]]:
        """Groups of prompts that ask the same model."""
        groups: dict[str, list[str]] = {}
        for name, model in self.models.items():
            groups.setdefault(model, []).append(name)
        return [tuple(names) for names in groups.values() if len(names) > 1]

    def keep(self, folder: Path) -> None:
        """Write them to a folder; without prompts there is nothing to note."""
        path = folder / NOTES_FILE
        if self.models:
            told = {"models": dict(self.models), "examples": {name: list(all_) for name, all_ in self.examples.items()}}
            write_json(path, {**told, "asked": None if self.asked is None else list(self.asked)})
        else:
            path.unlink(missing_ok=True)

    @classmethod
    def stored(cls, folder: Path) -> PromptNotes:
        """Those in a folder; empty if there are none."""
        path = folder / NOTES_FILE
        if not path.is_file():
            return cls()
        said = read_json(path, _WHAT, ProjectError)
        with reading(path, _WHAT, ProjectError):
            asked = of_type(list[int] | None, said["asked"])
            models = of_type(dict[str, str], said["models"])
            examples = of_type(dict[str, list[int | str]], said["examples"])
        return cls(models, examples, None if asked is None else tuple(asked))

    def example_rows(self, votes: Votes) -> npt.NDArray[np.int64]:
        """The rows of the items that are shown as examples."""
        items = list(dict.fromkeys(item for shown in self.examples.values() for item in shown))
        rows = rows_named(votes.items, len(votes), items)
        return np.unique(rows[rows >= 0])
