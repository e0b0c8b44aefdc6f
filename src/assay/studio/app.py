"""The studio as an application: its routes, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from assay.errors import AssayError
from assay.project import Workbench, in_toml
from assay.report import style_sheet
from assay.studio import data_screens, label_screens, overview_screens, run_screens, source_screens
from assay.studio.labeling import Desks
from assay.studio.pages import Pages
from assay.studio.security import POLICY, TOKEN_FIELD, Guard, Keys, has_form_token

Handler = Callable[[Request], Response]
Changer = Callable[[Request, FormData], Response]


def create_app(
    folder: str | Path, *, keys: Keys, hosts: Sequence[str], cookie: str = "assay_studio", by: str = "me"
) -> Starlette:
    """The studio of a project folder.

    Parameters
    ----------
    keys
        Its secrets; the token of its link among them.
    hosts
        The names, with ports, under which it may be asked for.
    cookie
        What its cookie is called. Cookies do not know of ports, so that each studio needs its own.
    by
        Who labels, unless a person says another name.

    Raises
    ------
    ProjectError
        If the folder is no project.
    """
    workbench = Workbench(folder)
    workbench.project()
    static = str(files("assay.studio").joinpath("static"))
    app = Starlette(
        routes=[
            Route("/static/studio.css", _style),
            Mount("/static", StaticFiles(directory=static)),
            *(Route(path, screen) for path, screen in _SCREENS.items()),
            *(Route(path, _changing(change), methods=["POST"]) for path, change in _CHANGES.items()),
        ],
        middleware=[Middleware(Guard, keys=keys, hosts=hosts, cookie=cookie)],
        exception_handlers={AssayError: _fault, 404: _unknown, Exception: _bug},
    )
    app.state.workbench = workbench
    app.state.keys = keys
    app.state.by = by
    app.state.desks = Desks()
    app.state.pages = Pages(keys.form_token)
    return app


_SCREENS: dict[str, Any] = {
    "/": overview_screens.overview,
    "/data": data_screens.items,
    "/items/{row:int}": data_screens.item,
    "/sources": source_screens.sources,
    "/sources/new": source_screens.new_source,
    "/source": source_screens.source,
    "/label": label_screens.labeling,
    "/runs": run_screens.runs,
    "/runs/compare": run_screens.comparison,
    "/job/events": run_screens.events,
    "/report": run_screens.report,
    "/report/page": run_screens.report_page,
}
_CHANGES: dict[str, Changer] = {
    "/sources/preview": source_screens.preview,
    "/sources/save": source_screens.save,
    "/sources/switch": source_screens.switch,
    "/sources/remove": source_screens.remove,
    "/label/press": label_screens.pressed,
    "/label/name": label_screens.name,
    "/job/start": run_screens.start,
    "/job/stop": run_screens.stop,
}


def _changing(change: Changer) -> Handler:
    """What changes something, after the form was read and found to be one of the studio's own."""

    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=200) as form:
            if not has_form_token(request, str(form.get(TOKEN_FIELD, ""))):
                return PlainTextResponse("the page was not the studio's own, or is too old: load it again", 403)
            return await run_in_threadpool(change, request, form)

    return endpoint  # type: ignore[return-value]  # Starlette awaits what is to be awaited


def _style(request: Request) -> Response:
    own = files("assay.studio").joinpath("static/own.css").read_text(encoding="utf-8")
    return Response(f"{style_sheet()}\n{own}", media_type="text/css", headers={"cache-control": "max-age=60"})


def _fault(request: Request, error: Exception) -> Response:
    """What went wrong, in the words of the library; as a piece of a page where only a piece was asked for."""
    pages: Pages = request.app.state.pages
    told = in_toml(str(error))
    name = "fault_piece.html" if request.headers.get("x-piece") else "fault.html"
    return pages.page(request, name, status=400, fault=told)


def _bug(request: Request, error: Exception) -> Response:
    """What nobody thought of: told as such, and written to the log by the server."""
    told = f"{type(error).__name__}: {error}\nThis is a bug in Assay; its traceback is where the studio was started."
    # This answer is made outside of the guard, which gives the others their headers.
    return PlainTextResponse(told, 500, {"content-security-policy": POLICY, "x-content-type-options": "nosniff"})


def _unknown(request: Request, error: Exception) -> Response:
    pages: Pages = request.app.state.pages
    return pages.page(request, "fault.html", status=404, fault="There is no such page.")
