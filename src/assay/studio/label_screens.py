"""The screen for labeling by hand: an item, a question, and a key for each answer."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assay.errors import AssayError
from assay.project import (
    ENOUGH_LABELS,
    KEYS_IN_WORDS,
    Contents,
    Filter,
    item_lines,
    item_view,
    label_worth,
    learning_curve,
)
from assay.studio.labeling import Desk, Desks, key_of
from assay.studio.pages import NAME_COOKIE, contents_of, pages_of, person_of

_LONGEST_NAME = 80


def labeling(request: Request) -> Response:
    """The item that is asked about now."""
    return _screen(request, contents_of(request), Filter.from_query(request.query_params),
                   bool(request.query_params.get("random")))  # fmt: skip


def _desk(request: Request, contents: Contents, wanted: Filter, is_random: bool) -> Desk:
    desks: Desks = request.app.state.desks
    return desks.at(contents, person_of(request), wanted if wanted.query else None, is_random)


def _screen(request: Request, contents: Contents, wanted: Filter, is_random: bool, told: str = "") -> Response:
    desk = _desk(request, contents, wanted, is_random)
    state = desk.state
    row = None if state.current is None else state.current.row
    shown = None if row is None else item_lines(contents, [row])[0]
    given: dict[str, Any] = {
        "desk": desk,
        "state": state,
        "item": shown,
        "votes": item_view(contents, row).votes if row is not None and state.shows_votes else (),
        "keys": KEYS_IN_WORDS,
        "told": told or state.message,
        "query": {**wanted.query, **({"random": "1"} if is_random else {})},
        "enough": min(ENOUGH_LABELS, len(contents)),
    }
    if request.headers.get("x-piece"):
        return pages_of(request).page(request, "label_piece.html", **given)
    return pages_of(request).page(
        request,
        "label.html",
        contents=contents,
        worth=label_worth(contents),
        curve=learning_curve(contents.runs),
        by=desk.by,
        **given,
    )


def pressed(request: Request, form: FormData) -> Response:
    """Do what a key says. What is to be kept is on disk when this answers."""
    contents = contents_of(request)
    wanted = Filter.from_query({name: str(value) for name, value in form.items()})
    is_random = bool(form.get("random"))
    desk = _desk(request, contents, wanted, is_random)
    key = key_of(form.get("key", ""))
    version = str(form.get("version", ""))
    desks: Desks = request.app.state.desks
    told = desks.press(contents, desk, key, int(version) if re.fullmatch(r"\d{1,30}", version) else -1) if key else ""
    if not request.headers.get("x-piece"):
        query = {**wanted.query, **({"random": "1"} if is_random else {})}
        return RedirectResponse(request.url_for("labeling").include_query_params(**query), 303)
    return _screen(request, contents, wanted, is_random, told)


def name(request: Request, form: FormData) -> Response:
    """Remember who uses this browser."""
    said = " ".join(str(form.get("by", "")).split())
    if not said or len(said) > _LONGEST_NAME or not said.isprintable():
        raise AssayError(f"a name has 1 to {_LONGEST_NAME} characters")
    answer = RedirectResponse("/label", 303)
    # A header has no place for most of the world's letters.
    answer.set_cookie(NAME_COOKIE, quote(said), max_age=365 * 86_400, httponly=True, samesite="lax")
    return answer
