"""The first screen: where the project stands, and what to do next."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from assay.project import Place, current_job, in_toml, label_worth, learning_curve, next_steps
from assay.studio.pages import contents_of, link, pages_of

_PATHS: dict[Place, str] = {
    "data": "/data",
    "sources": "/sources",
    "source": "/source",
    "new source": "/sources/new",
    "label": "/label",
    "run": "/runs",
    "report": "/report",
}


def overview(request: Request) -> Response:
    """Key figures, three steps, and how the score has gone."""
    contents = contents_of(request)
    steps = [(step, link(_PATHS[step.place], step.query)) for step in next_steps(contents)]
    return pages_of(request).page(
        request,
        "overview.html",
        contents=contents,
        note=in_toml(contents.note),
        covered=float(contents.results.is_voted.mean()) if len(contents) else 0.0,
        steps=steps,
        worth=label_worth(contents),
        curve=learning_curve(contents.runs),
        job=current_job(contents.project),
    )
