"""The example project: its files, and texts made from a seed."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from assay.errors import ProjectError
from assay.project.demo.texts import make, write


def write_example(folder: Path, texts: int, seed: int, *, keep_edited: bool = False) -> list[str]:
    """Write the example project; returns what was written or, if edited files are kept, the names of those."""
    templates = {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in files("assay.project.demo").joinpath("project").iterdir()
        if entry.is_file()
    }
    present = [name for name in templates if (folder / name).exists()]
    if present and not keep_edited:
        raise ProjectError(f"{folder} already has {', '.join(present)}; choose another folder, or move them away")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in templates.items():
        if name not in present:
            (folder / name).write_text(text, encoding="utf-8")
    write(folder, make(texts, seed))
    if keep_edited:
        # Prompts that the demo has added are no edits.
        return [
            name
            for name in present
            if not (folder / name).read_text(encoding="utf-8").startswith(templates[name].rstrip())
        ]
    return sorted([*templates, "texts.jsonl", "gold.jsonl", "known.jsonl"])
