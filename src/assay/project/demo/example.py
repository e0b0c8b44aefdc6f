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
        return [name for name in present if _was_edited(folder / name, templates[name])]
    return sorted([*templates, "texts.jsonl", "gold.jsonl", "known.jsonl"])


def _was_edited(path: Path, template: str) -> bool:
    """Whether a file is not what the example has; the section on prompts that the demo may add is no edit."""
    text = path.read_text(encoding="utf-8")
    added = text.find("\n[prompts]")
    return (text if added < 0 else text[:added]).rstrip() != template.rstrip()
