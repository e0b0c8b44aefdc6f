"""Sphinx settings. Build with ``make docs``; warnings are errors."""

import re
from pathlib import Path

import assay

project = "Assay"
author = "The Assay developers"
copyright = author
version = release = assay.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

napoleon_google_docstring = False
napoleon_attr_annotations = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = f"Assay {release}"
html_show_sphinx = False


def draw_task_graph(app):
    """Draw the picture in the tutorial with the code of today."""
    tasks = assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            assay.Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        ]
    )
    picture = Path(app.srcdir, "_build", "task-graph.svg")
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(tasks.to_svg(), encoding="utf-8")


def tidy_page(app, name, source):
    """Drop the blank line that ends an example; doctest needs it, readers do not."""
    source[0] = re.sub(r"\n\n```(?=\n|\Z)", "\n```", source[0])


def tidy_docstring(app, what, name, obj, options, lines):
    """Help napoleon with two habits of our docstrings: examples without a heading, and colons that end no type."""
    if what in ("attribute", "property") and lines:
        lines[0] = lines[0].replace(": ", " – ", 1)
    example = next((number for number, line in enumerate(lines) if line.startswith(">>>")), None)
    if example and any(line.startswith("---") for line in lines[:example]):
        lines[example:example] = ["Examples", "--------"]


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", draw_task_graph)
    app.connect("source-read", tidy_page)
    app.connect("autodoc-process-docstring", tidy_docstring, priority=400)  # before napoleon
