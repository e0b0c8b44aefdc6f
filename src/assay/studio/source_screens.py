"""Screens for sources: all of them, one of them, and writing a new one while seeing what it would do."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any

import numpy as np
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assay.errors import AssayError
from assay.project import (
    Contents,
    Filter,
    LeftOut,
    SourceFile,
    declare_list,
    declare_source,
    in_toml,
    item_lines,
    left_out,
    made_source,
    mistakes_of,
    preview_source,
    rows_found,
    source_lines,
    switch_source,
    text_of_source,
    version_of,
)
from assay.studio.pages import contents_of, link, pages_of

_KINDS = {"keywords": "words", "regex": "a regular expression"}
_CASE_COUNTS = {"keywords": False, "regex": True}
"""Whether case counts for a kind if an entry says nothing about it."""
_MISTAKES = 12
_NOT, _APART = "not ", "."
"""In the choice of labels: before one that is ruled out, and between a task and its label."""


def sources(request: Request) -> Response:
    """All sources, with what is known of each."""
    contents = contents_of(request)
    lines = source_lines(contents)
    return pages_of(request).page(
        request, "sources.html", contents=contents, sources=lines, fault=in_toml(contents.fault)
    )


def source(request: Request) -> Response:
    """One source: how it is written, how right it is, what it gets wrong, and what labels would be without it."""
    contents = contents_of(request)
    name = request.query_params.get("name", "")
    line = next((one for one in source_lines(contents) if one.name == name), None)
    if line is None:
        raise AssayError(f"there is no source {name!r}")
    wrong = mistakes_of(contents, name)
    effect, why_not = None, ""
    if request.query_params.get("without"):
        effect, why_not = _effect(contents, name)
    return pages_of(request).page(
        request,
        "source.html",
        contents=contents,
        source=line,
        text=text_of_source(contents, name),
        wrong=len(wrong),
        mistakes=item_lines(contents, wrong[:_MISTAKES]),
        effect=effect,
        why_not=why_not,
    )


def _effect(contents: Contents, name: str) -> tuple[LeftOut | None, str]:
    try:
        return left_out(contents, name), ""
    except AssayError as error:
        return None, in_toml(str(error))


def new_source(request: Request) -> Response:
    """A form for a source: empty, or filled with what was selected in an item, searched for, or is to be edited."""
    contents = contents_of(request)
    query = request.query_params
    wanted = Filter.from_query(query)
    edited = query.get("edit", "")
    given = _filled(contents, edited) if edited else _from_query(contents, wanted, query)
    return _form(request, contents, given, edited, wanted)


def _form(
    request: Request, contents: Contents, given: Mapping[str, str], edited: str, wanted: Filter, note: str = ""
) -> Response:
    chosen = None if edited or wanted.is_text_alone or not wanted.query else len(rows_found(contents, wanted))
    return pages_of(request).page(
        request,
        "new_source.html",
        status=400 if note else 200,
        contents=contents,
        given=given,
        edited=edited,
        kinds=_KINDS,
        labels=_choices(contents),
        query=wanted.query,
        chosen=chosen,
        note=note,
    )


def _from_query(contents: Contents, wanted: Filter, query: Mapping[str, str]) -> dict[str, str]:
    words = query.get("words", "") or wanted.text
    return {
        "name": "",
        "kind": "regex" if wanted.regex else "keywords",
        "what": words if wanted.regex else _on_a_line(words),
        "on": query.get("on", "") or next(iter(contents.texts), ""),
        "label": query.get("choice", ""),
        "case": "",
        "version": "",
    }


def _filled(contents: Contents, name: str) -> dict[str, str]:
    file = SourceFile.read(contents.project.sources_file)
    said = file[name].said
    kind = next((kind for kind in _KINDS if kind in said), None)
    what = None if kind is None else said[kind]
    if kind is None or isinstance(what, Mapping) or not isinstance(said.get("label"), str | Mapping):
        raise AssayError(f"{name} is of a kind that is edited in {contents.project.sources_file.name} itself")
    phrases = [what] if isinstance(what, str) else what or ()
    return {
        "name": name,
        "kind": kind,
        "what": str(what) if kind == "regex" else "\n".join(map(_on_a_line, phrases)),
        "on": str(said.get("on", "")),
        "label": _choice_of(contents, said),
        "case": "1" if said.get("case_sensitive", _CASE_COUNTS[kind]) else "",
        "version": version_of(file, name),
    }


def _choice_of(contents: Contents, said: Mapping[str, Any]) -> str:
    """The label of an entry, as the choice in the form calls it."""
    label, task = said["label"], said.get("task")
    if isinstance(label, Mapping):
        names = label.get("none_of", [])
        return f"{_NOT}{names[0]}" if len(names) == 1 else ""
    is_known = any(value == label for _, choices in _choices(contents) for value, _ in choices)
    return str(label) if is_known or not task else f"{task}{_APART}{label}"


def _choices(contents: Contents) -> list[tuple[str, list[tuple[str, str]]]]:
    """Per task its labels: as a form calls them, and as people read them; and what is ruled out."""
    named: dict[str, int] = {}
    for task in contents.project.tasks.declared:
        for label in task.labels:
            named[label] = named.get(label, 0) + 1
    found = []
    for task in contents.project.tasks.declared:
        plain = [(label if named[label] == 1 else f"{task.name}{_APART}{label}", label) for label in task.labels]
        against = [(f"{_NOT}{label}", f"not {label}") for label in task.labels if named[label] == 1]
        found.append((task.name, [*plain, *against]))
    return found


def _label(contents: Contents, choice: str) -> dict[str, Any]:
    """The keys of an entry that say what it votes for."""
    for task in contents.project.tasks.declared:
        for label in task.labels:
            if choice == label:
                return {"label": label}
            if choice == f"{_NOT}{label}":
                return {"label": {"none_of": [label]}}
            if choice == f"{task.name}{_APART}{label}":
                return {"label": label, "task": task.name}
    raise AssayError("choose the label that the source votes for")


def _entry(contents: Contents, form: FormData) -> dict[str, Any]:
    """What the form says, as ``sources.toml`` has it."""
    kind, what = str(form.get("kind", "")), str(form.get("what", "")).replace("\r\n", "\n").strip("\n")
    if kind not in _KINDS:
        raise AssayError(f"a source here is {' or '.join(_KINDS.values())}")
    if not what.strip():
        raise AssayError("say what to look for: words, one on a line, or a regular expression")
    said: Any = what if kind == "regex" else _words(what)
    on = str(form.get("on", ""))
    if on not in contents.data.columns:
        raise AssayError(f"the data has no column {on!r}")
    name = str(form.get("name", "")).strip() or "new_source"
    counts = bool(form.get("case"))
    case = {} if counts == _CASE_COUNTS[kind] else {"case_sensitive": counts}
    label = _label(contents, str(form.get("label", "")))
    return {"name": name, kind: said, **label, "on": on, **case, **_not_in_the_form(contents, kind, form)}


def _words(what: str) -> list[str]:
    """Words and phrases, each on a line of its own or with commas between; one that has a comma is in quotation marks.

    >>> _words('late, still waiting\\n"Regards, Ann"')
    ['late', 'still waiting', 'Regards, Ann']
    """
    lines = [next(csv.reader([line], skipinitialspace=True), []) for line in what.split("\n")]
    return list(dict.fromkeys(word.strip() for line in lines for word in line if word.strip()))


def _on_a_line(word: str) -> str:
    """A word or phrase as :func:`_words` reads it."""
    doubled = word.replace('"', '""')
    return f'"{doubled}"' if "," in word or word.startswith('"') else word


def _not_in_the_form(contents: Contents, kind: str, form: FormData) -> dict[str, Any]:
    """What else the source that is edited says, which the form has no field for."""
    edited = str(form.get("edit", ""))
    if not edited:
        return {}
    said = SourceFile.read(contents.project.sources_file)[edited].said
    own = {"enabled", *({"whole_words"} if kind == "keywords" else ())}
    return {key: value for key, value in said.items() if key in own}


def preview(request: Request, form: FormData) -> Response:
    """What the source of the form would do; a piece of a page."""
    contents = contents_of(request)
    note, found, examples = "", None, []
    try:
        entry = {**_entry(contents, form), "enabled": True}
        found = preview_source(contents, made_source(contents.project, entry))
        examples = item_lines(contents, np.array(found.examples, dtype=np.int64))
        note = in_toml(found.note)
    except AssayError as error:
        note = in_toml(str(error))
    return pages_of(request).page(request, "preview_piece.html", preview=found, note=note, examples=examples)


def save(request: Request, form: FormData) -> Response:
    """Write the source of the form into the project's own file."""
    contents = contents_of(request)
    name = str(form.get("name", "")).strip()
    given = {key: str(value) for key, value in form.items()} if form.get("list") else {}
    wanted = Filter.from_query(given)
    edited, version = (str(form.get(field, "")) for field in ("edit", "version"))
    try:
        if not name:
            raise AssayError("give the source a name")
        if form.get("list"):
            said = _label(contents, str(form.get("choice", "")))
            declare_list(contents, rows_found(contents, wanted), name, said["label"], said.get("task"))
        else:
            entry = _entry(contents, form)
            declare_source(contents.project, entry, instead_of=edited or None, version=version or None)
    except AssayError as error:
        # What was typed is worth more than a page of its own for the fault.
        fields = ("name", "kind", "what", "on", "label", "case", "version")
        typed = {field: str(form.get(field, "")) for field in fields}
        return _form(request, contents, typed, edited, wanted, in_toml(str(error)))
    return RedirectResponse(link("/source", {"name": name}), 303)


def switch(request: Request, form: FormData) -> Response:
    """Switch a declared source off, or on again."""
    switch_source(contents_of(request).project, str(form.get("name", "")), on=form.get("on") == "1")
    return RedirectResponse("/sources", 303)


def remove(request: Request, form: FormData) -> Response:
    """Take a declared source out of the file."""
    project = contents_of(request).project
    SourceFile.read(project.sources_file).remove(str(form.get("name", ""))).save()
    return RedirectResponse("/sources", 303)
