"""Sphinx settings. Build with ``make docs``; warnings are errors."""

import re
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import assay

project = "Assay"
author = "The Assay developers"
copyright = author
version = release = assay.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

napoleon_google_docstring = False
napoleon_attr_annotations = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = f"Assay {release}"
html_show_sphinx = False
html_math_renderer = "mathml"  # browsers know it; no script from elsewhere is needed to read a formula


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
    if example and "Examples" not in lines and any(line.startswith("---") for line in lines[:example]):
        lines[example:example] = ["Examples", "--------"]


def write_formula(writer, node):
    """A formula in a line of text."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def write_displayed_formula(writer, node):
    """A formula on a line of its own, which scrolls where it is too wide for the page."""
    formula = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="math-wrapper" style="overflow-x: auto; margin: 1em 0">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (write_formula, None), (write_displayed_formula, None))
    app.connect("builder-inited", draw_task_graph)
    app.connect("source-read", tidy_page)
    app.connect("autodoc-process-docstring", tidy_docstring, priority=400)  # before napoleon
