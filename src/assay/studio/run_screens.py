"""Screens for runs: start one in the background, watch it, compare what it gave, and read its report."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from assay.errors import AssayError
from assay.project import (
    REPORT_FILE,
    compare,
    current_job,
    is_report_old,
    learning_curve,
    run_folder,
    start_job,
    stop_job,
)
from assay.report import security_policy
from assay.studio.data_screens import number_in
from assay.studio.pages import contents_of, pages_of, workbench_of

_EVERY = 0.4
"""Seconds between two looks at a job."""


def runs(request: Request) -> Response:
    """What runs now or ran last, the runs that are kept, and what can be started."""
    contents = contents_of(request)
    return pages_of(request).page(
        request,
        "runs.html",
        contents=contents,
        job=current_job(contents.project),
        runs=list(reversed(contents.runs)),
        curve=learning_curve(contents.runs),
    )


def start(request: Request, form: FormData) -> Response:
    """Start a command in the background."""
    start_job(workbench_of(request).project(), str(form.get("command", "")))
    return RedirectResponse("/runs", 303)


def stop(request: Request, form: FormData) -> Response:
    """Stop the command that runs."""
    stop_job(workbench_of(request).project())
    return RedirectResponse("/runs", 303)


async def events(request: Request) -> Response:
    """How a job goes on, as events, until it has ended."""
    project = workbench_of(request).project()

    async def states() -> AsyncIterator[str]:
        before = ""
        while not await request.is_disconnected():
            job = await run_in_threadpool(current_job, project)
            page = pages_of(request).page(request, "job_piece.html", job=job)
            text = bytes(page.body).decode()
            if text != before:
                yield f"event: state\ndata: {json.dumps(text)}\n\n"
                before = text
            if job is None or not job.is_running:
                yield "event: end\ndata: {}\n\n"
                return
            await asyncio.sleep(_EVERY)

    return StreamingResponse(states(), media_type="text/event-stream")


def comparison(request: Request) -> Response:
    """What changed from one run to another."""
    contents = contents_of(request)
    query = request.query_params
    numbers = [run.number for run in contents.runs]
    if len(numbers) < 2:
        raise AssayError("two runs are needed to compare: change something, and run again")
    one, other = number_in(query, "from", numbers[-2]), number_in(query, "to", numbers[-1])
    found = compare(*(run_folder(contents.project, number) for number in (one, other)), items=20)
    return pages_of(request).page(
        request, "comparison.html", contents=contents, found=found, one=one, other=other, numbers=numbers
    )


def report(request: Request) -> Response:
    """The report of the last run, inside of the studio."""
    contents = contents_of(request)
    return pages_of(request).page(
        request,
        "report.html",
        contents=contents,
        has_report=(contents.project.output / REPORT_FILE).is_file(),
        is_old=is_report_old(contents.project),
        has_labels=contents.labels is not None,
    )


def report_page(request: Request) -> Response:
    """The page of the report itself, which may do even less than the studio's own."""
    path = workbench_of(request).project().output / REPORT_FILE
    if not path.is_file():
        raise AssayError("there is no report yet")
    rules = f"{security_policy()}; frame-ancestors 'self'; sandbox allow-scripts"
    return HTMLResponse(path.read_text(encoding="utf-8"), headers={"content-security-policy": rules})
