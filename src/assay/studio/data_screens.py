"""Screens that show items: a list of those that pass a filter, and one of them closely."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from assay.errors import AssayError
from assay.project import ANYTHING, NOT_APPLICABLE, NOTHING, ONLY, ORDERS, Contents, Filter, item_lines, item_view
from assay.project import rows_found as rows_of
from assay.studio.pages import contents_of, pages_of

PAGE = 25
"""Items on a page."""


def items(request: Request) -> Response:
    """The items that pass the filter of the link, a page of them."""
    contents = contents_of(request)
    wanted = Filter.from_query(request.query_params)
    fault = ""
    try:
        rows = rows_of(contents, wanted)
    except AssayError as error:
        fault, rows = str(error), rows_of(contents, Filter())[:0]
    pages = max(-(-len(rows) // PAGE), 1)
    page = min(max(number_in(request.query_params, "page", 1), 1), pages)
    shown = item_lines(contents, rows[(page - 1) * PAGE : page * PAGE])
    given: dict[str, Any] = {
        "contents": contents,
        "wanted": wanted,
        "query": wanted.query,
        "found": len(rows),
        "page": page,
        "pages": pages,
        "items": shown,
        "fault": fault,
        "only": ONLY,
        "orders": ORDERS,
        "said": _sayings(contents, wanted.source),
        "labels": _labels(contents, wanted.task),
    }
    is_piece = request.headers.get("x-piece")
    return pages_of(request).page(request, "items_piece.html" if is_piece else "items.html", **given)


def number_in(query: Mapping[str, str], name: str, default: int) -> int:
    """A number of a link, or the default if it is none."""
    said = query.get(name, "")
    return int(said) if re.fullmatch(r"\d{1,9}", said) else default


def _sayings(contents: Contents, source: str) -> list[str]:
    if contents.votes is None or source not in contents.names:
        return [ANYTHING, NOTHING]
    return [ANYTHING, NOTHING, *map(str, contents.votes.select(source).values[0])]


def _labels(contents: Contents, task: str) -> list[str]:
    if contents.labels is None or task not in contents.labels.tasks.names:
        return []
    return [*contents.labels.tasks[task].labels, NOT_APPLICABLE]


def item(request: Request) -> Response:
    """One item: its texts, votes, label and why, gold, and what became of it over the runs."""
    contents = contents_of(request)
    wanted = Filter.from_query(request.query_params)
    row = request.path_params["row"]
    shown = item_view(contents, row, highlight=wanted.pattern if wanted.text else "")
    before, after = _neighbours(contents, wanted, row)
    return pages_of(request).page(
        request, "item.html", contents=contents, item=shown, query=wanted.query, before=before, after=after
    )


def _neighbours(contents: Contents, wanted: Filter, row: int) -> tuple[int | None, int | None]:
    """The items before and after one, among those that the link found."""
    rows = rows_of(contents, wanted)
    at = (rows == row).nonzero()[0]
    if not len(at):
        return None, None
    here = int(at[0])
    return (
        int(rows[here - 1]) if here else None,
        int(rows[here + 1]) if here + 1 < len(rows) else None,
    )
