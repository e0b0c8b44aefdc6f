"""A file of suggested sources: as ``sources.toml`` has them, each with its figures, and what was refused at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
from rich.table import Table

from assay._core.atomic_files import writing
from assay._core.rows import batches
from assay._core.texts import printable
from assay.errors import ProjectError
from assay.project.project import Project
from assay.project.source_file import source_toml
from assay.report import plain_table
from assay.sources import PromptCosts
from assay.suggestions import SourceSuggestion, SuggestedSource, suggest_sources, suggestion_costs

SUGGESTED_FILE = "suggested.toml"


def suggest(project: Project, **given: Any) -> SourceSuggestion:
    """What a project's model proposes for its tasks and data; ``given`` are arguments of ``assay.suggest_sources``.

    By default it looks at the column that people are shown, or the only one of texts.
    """
    others = project.sources() if project.has_sources else ()
    return suggest_sources(project.tasks, project.data, others=others, **_with_defaults(project, given))


def suggest_costs(project: Project, **given: Any) -> PromptCosts:
    """What :func:`suggest` would ask and pay, without asking."""
    return suggestion_costs(project.tasks, project.data, **_with_defaults(project, given))


def _with_defaults(project: Project, given: dict[str, Any]) -> dict[str, Any]:
    told = {name: value for name, value in given.items() if value is not None}
    return {"on": told.pop("on", None) or text_column(project), "prompts": project.prompts, **told}


def text_column(project: Project) -> str:
    """The column that holds the texts of a project: the one that people are shown, or the only one of texts."""
    if len(project.show) == 1:
        return project.show[0]
    first = next(iter(batches(project.data)), None)
    frame = None if first is None else first.frame
    texts = [] if frame is None else [column.name for column in frame.get_columns() if column.dtype == pl.String]
    if "text" in texts or len(texts) == 1:
        return "text" if "text" in texts else texts[0]
    raise ProjectError(
        f"{project.data} has {'no column of texts' if not texts else 'several columns of texts: ' + ', '.join(texts)}; "
        "say which one to look at: --on COLUMN, or show in [data] of assay.toml"
    )


def suggestion_toml(found: SourceSuggestion) -> str:
    """Suggested sources as ``sources.toml`` has them, with figures and what was refused as comments."""
    head = [
        f"# Sources that {found.model} proposed, from the labels and {found.shown:,} unlabeled texts.",
        "# Review them: models name words that sound right. Delete what is wrong, and append the rest to sources.toml.",
        f"# Figures are counted on {found.measured:,} items. Two votes agree if both can be right.",
    ]
    lines = ["\n".join(map(_comment_safe, head)) + "\n"]
    lines += [f"{_comment_safe(f'# {_figures(one)}')}\n{source_toml(one.source)}" for one in found.sources]
    if found.refused:
        told = [_comment_safe(f"# - {one}") for one in found.refused]
        lines.append("\n".join([f"# {len(found.refused)} refused:", *told]) + "\n")
    return "\n".join(lines)


def write_suggestion(found: SourceSuggestion, path: str | Path) -> Path:
    """Write suggested sources to a new file."""
    target = Path(path)
    refuse_existing(target)
    text = suggestion_toml(found)
    with writing(target) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    return target


def refuse_existing(path: Path) -> None:
    """Raise if there is such a file already: it may have been reviewed."""
    if path.exists():
        raise ProjectError(f"{path} is there already, and may have been reviewed; choose another file, or remove it")


def suggestion_table(found: SourceSuggestion) -> Table:
    """Suggested sources in the terminal, a row for each."""
    numbers = ("votes", "coverage", "agree", "agree among")
    table = plain_table(f"what {printable(found.model)} proposed", "source", "label", *numbers, numbers=numbers)
    for one in found.sources:
        shares = (_share(one.agreement), _share(one.agreement_suggested))
        table.add_row(one.name, one.label, f"{one.votes:,}", f"{one.coverage:.1%}", *shares)
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _figures(one: SuggestedSource) -> str:
    return "; ".join([f"coverage {one.coverage:.1%} ({one.votes:,} items)", *_agreements(one)])


def _agreements(one: SuggestedSource) -> Iterator[str]:
    for share, met, whom in (
        (one.agreement, one.met, "sources that are there"),
        (one.agreement_suggested, one.met_suggested, "the other suggestions"),
    ):
        yield f"meets no vote of {whom}" if share is None else f"agrees with {share:.0%} of {met:,} votes of {whom}"


def _comment_safe(line: str) -> str:
    """A comment on one line, whatever a model said."""
    return " ".join(printable(line).splitlines()).replace("\x7f", "")
