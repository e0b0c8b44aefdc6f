"""The file that makes a folder a project, read as it is: quickly, so that a folder without it is refused at once."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from assay._core.reading import is_file, reading
from assay.errors import ProjectError

FILE = "assay.toml"
SOURCES_FILE = "sources.toml"


def read_project_file(folder: str | Path) -> dict[str, Any]:
    """What ``assay.toml`` in a folder says, unchecked.

    Raises
    ------
    ProjectError
        If it is missing, or not TOML.

    >>> read_project_file("nowhere")
    Traceback (most recent call last):
    assay.errors.ProjectError: there is no assay.toml in nowhere; 'assay init nowhere' writes an example
    """
    home = Path(folder)
    path = home / FILE
    if not is_file(path):
        raise ProjectError(f"there is no {FILE} in {home}; 'assay init {home}' writes an example")
    with reading(path, "TOML file", ProjectError):
        return tomllib.loads(path.read_text(encoding="utf-8"))
