"""Templates into pages: every text is escaped, and numbers read as in the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from assay._core.texts import printable
from assay.project import Contents, Workbench
from assay.studio.security import TOKEN_FIELD

NAME_COOKIE = "assay_name"


class Pages:
    """The templates of one studio."""

    def __init__(self, form_token: str) -> None:
        self._templates = Environment(
            loader=PackageLoader("assay.studio"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_plain,
        )
        self._templates.filters |= {"percent": percent, "points": points, "link": link, "cut": cut}
        self._templates.globals |= {"token_field": TOKEN_FIELD, "form_token": form_token}

    def page(self, request: Request, name: str, *, status: int = 200, **given: Any) -> HTMLResponse:
        """A page, or a piece of one."""
        title = workbench_of(request).folder.resolve().name
        text = self._templates.get_template(name).render(project_title=title, path=request.url.path, **given)
        return HTMLResponse(text, status)


def _plain(value: Any) -> Any:
    """Texts without what a page cannot hold."""
    return printable(value) if type(value) is str else value


def percent(share: float | None, digits: int = 0) -> str:
    """A share as people read it.

    >>> percent(0.1234), percent(None)
    ('12%', '–')
    """
    return "–" if share is None else f"{share:.{digits}%}"


def points(share: float) -> str:
    """A place on a scale from 0 to 100, for drawings."""
    return f"{100 * min(max(share, 0.0), 1.0):.2f}"


def link(path: str, query: Mapping[str, Any] | None = None) -> str:
    """A path with a query.

    >>> link("/data", {"text": "a b"})
    '/data?text=a+b'
    """
    told = {name: value for name, value in (query or {}).items() if value not in ("", None)}
    return f"{path}?{urlencode(told)}" if told else path


def cut(text: Any, most: int = 240) -> str:
    """A text that is not endless."""
    plain = " ".join(str("" if text is None else text).split())
    return plain if len(plain) <= most else f"{plain[:most]}…"


def pages_of(request: Request) -> Pages:
    """The templates of the studio that was asked."""
    pages: Pages = request.app.state.pages
    return pages


def workbench_of(request: Request) -> Workbench:
    """The project folder of the studio that was asked."""
    workbench: Workbench = request.app.state.workbench
    return workbench


def contents_of(request: Request) -> Contents:
    """What the project's folder holds now."""
    return workbench_of(request).contents()


def person_of(request: Request) -> str:
    """Who uses this browser, as they said; else whoever started the studio."""
    said = unquote(request.cookies.get(NAME_COOKIE, "")).strip()
    default: str = request.app.state.by
    return said or default
