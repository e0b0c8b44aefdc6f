"""The exports of annotation tools: how each is told from the others, and what its records say.

A tool is a function from one record of its export, a dict, to annotations. Fields that are looked for are those of the
tools' own documentation: Label Studio's JSON and JSON-MIN, doccano's JSONL and CSV, Prodigy's ``db-out``, Argilla's
records as dicts, flat or not, and the batch results of Mechanical Turk. A plain table is a tool too, whose columns of
labels are found before its rows are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay.annotations.annotations import Annotation
from assay.annotations.plain_tables import Record, is_empty_row, labels_said
from assay.errors import DataError, near_miss
from assay.gold import Item
from assay.tasks import TaskGraph


@dataclass(frozen=True)
class Wanted:
    """What the caller says of an export."""

    item: str | None = None
    """The field of the data that names items; by default ``item``, as Assay's exports have it, or the tool's own id."""
    by: str = "unknown"
    """Who annotated, where a record does not say."""
    labels: tuple[str, ...] = ()
    """The columns of a plain table that hold labels."""
    tasks: TaskGraph | None = None
    """The tasks of these labels."""
    usual_items: tuple[str, ...] = ()
    """Columns of a plain table that name items if ``item`` is not told, those first that come first."""

    def name(self, data: Mapping[str, Any], own: Any) -> Item:
        """The name of an item, from the data that went into the tool and the tool's own id."""
        if self.item is not None and self.item not in data:
            raise DataError(f"a record has no field {self.item!r} that names its item. {near_miss(self.item, data)}")
        found = data[self.item] if self.item is not None else data.get("item", own)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int | str):
            raise DataError(f"an item is named by a number or a text, but a record has {found!r}; say item=")
        return found


@dataclass(frozen=True)
class Tool:
    """An annotation tool."""

    wrote: Callable[[Record], bool]
    """Whether a record is one of its own."""
    read: Callable[[Record, Wanted], Iterator[Annotation]]


def label_studio(record: Record, wanted: Wanted) -> Iterator[Annotation]:
    """A task with its annotations; or, of JSON-MIN, a task with the answers of one person beside its data."""
    if "annotations" not in record:
        yield from _label_studio_min(record, wanted)
        return
    data = record.get("data") or {}
    item = wanted.name(data, record.get("id"))
    for one in record["annotations"]:
        by = _label_studio_person(one.get("completed_by"), wanted)
        answers: dict[str, list[str]] = {}
        for result in one.get("result") or []:
            if result.get("type") in ("choices", "taxonomy"):
                chosen = result.get("value", {}).get(result["type"]) or []
                # A path through a taxonomy ends in the label; the steps before it follow from the task graph.
                texts = [str(label[-1]) if isinstance(label, list) else str(label) for label in chosen]
                answers.setdefault(str(result.get("from_name")), []).extend(texts)
        at = _time(one.get("updated_at") or one.get("created_at"))
        if one.get("was_cancelled") or not answers:
            yield Annotation(item, by, at=at)
            continue
        yield from (Annotation(item, by, tuple(labels), task, at=at) for task, labels in answers.items())


_OF_MIN = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "item")


def _label_studio_min(record: Record, wanted: Wanted) -> Iterator[Annotation]:
    """The answers are the fields that are not the task's data: those that come after it, lists of choices or texts."""
    item, by = wanted.name(record, record.get("id")), _label_studio_person(record.get("annotator"), wanted)
    at = _time(record.get("updated_at") or record.get("created_at"))
    fields = list(record)
    # JSON-MIN lists the data first, then the id, then the answers.
    after = fields[fields.index("id") + 1 :] if "id" in fields else fields
    answers = {name: record[name] for name in after if name not in _OF_MIN and record[name]}
    if not answers:
        yield Annotation(item, by, at=at)
    for task, said in answers.items():
        chosen = said.get("choices", []) if isinstance(said, Mapping) else said
        labels = tuple(map(str, chosen)) if isinstance(chosen, list) else (str(chosen),)
        yield Annotation(item, by, labels, task, at=at)


def _label_studio_person(said: Any, wanted: Wanted) -> str:
    if isinstance(said, Mapping):
        said = said.get("email") or said.get("username") or said.get("id")
    return wanted.by if said is None else str(said)


def doccano(record: Record, wanted: Wanted) -> Iterator[Annotation]:
    """A text with its labels: a list, or in CSV a text with # between; older exports say who gave each."""
    item = wanted.name(record, record.get("id"))
    if isinstance(record.get("annotations"), list):
        for one in record["annotations"]:
            yield Annotation(item, str(one.get("user", wanted.by)), (str(one["label"]),))
        return
    said = record.get("label", record.get("labels"))
    if isinstance(said, str | int):
        said = [part for part in str(said).split("#") if part]
    labels = tuple(str(label) for label in said or [])
    if any(isinstance(label, list | Mapping) for label in said or []):
        raise DataError("doccano's labels of parts of a text cannot be read, only those of whole texts")
    yield Annotation(item, str(record.get("username", wanted.by)), labels)


def prodigy(record: Record, wanted: Wanted) -> Iterator[Annotation]:
    """An example with the label it was shown with, or the options that were chosen, and accept, reject or ignore."""
    data = {**(record.get("meta") or {}), **record}
    item = wanted.name(data, data.get("id", record.get("_input_hash")))
    by = str(record.get("_annotator_id") or record.get("_session_id") or wanted.by)
    stamp = record.get("_timestamp")
    at = datetime.fromtimestamp(stamp, UTC) if isinstance(stamp, int | float) else None
    answer = record.get("answer", "accept")
    if answer == "accept" and "accept" in record:
        # The id of an option is the label; its text is what the annotator sees.
        yield Annotation(item, by, tuple(str(label) for label in record["accept"]), at=at)
    elif answer == "accept" and record.get("label") is not None:
        yield Annotation(item, by, (str(record["label"]),), at=at)
    elif answer == "reject" and record.get("label") is not None:
        yield Annotation(item, by, rejected=str(record["label"]), at=at)
    else:
        yield Annotation(item, by, at=at)


def argilla(record: Record, wanted: Wanted) -> Iterator[Annotation]:
    """A record with the responses to each question; flat, or with fields, metadata and responses apart."""
    data = {**record, **(record.get("metadata") or {}), **(record.get("fields") or {})}
    item = wanted.name({**data, **({} if "item" in data else {"item": record.get("id")})}, record.get("id"))
    found = False
    for task, responses in _argilla_responses(record):
        for value, user, status in responses:
            if status in ("discarded", "draft") or value is None:
                continue
            found = True
            labels = tuple(map(str, value)) if isinstance(value, list) else (str(value),)
            yield Annotation(item, wanted.by if user is None else str(user), labels, task)
    if not found and record.get("status") == "discarded":
        yield Annotation(item, wanted.by)


def _argilla_responses(record: Record) -> Iterator[tuple[str, list[tuple[Any, Any, Any]]]]:
    if "responses" in record:
        for task, said in (record["responses"] or {}).items():
            yield task, [(one.get("value"), one.get("user_id"), one.get("status")) for one in said]
        return
    for key, values in record.items():
        if key.endswith(".responses") and values:
            users = record.get(f"{key}.users") or [None] * len(values)
            states = record.get(f"{key}.status") or [None] * len(values)
            yield key.removesuffix(".responses"), list(zip(values, users, states, strict=True))


def table(record: Record, wanted: Wanted) -> Iterator[Annotation]:
    """A row with labels in some of its columns; an empty cell says nothing."""
    if is_empty_row(record):
        return
    item = wanted.name(record, None)
    declared = () if wanted.tasks is None else tuple(task.name for task in wanted.tasks.declared)
    for column in wanted.labels:
        labels = labels_said(record, column, wanted.tasks)
        if labels:
            yield Annotation(item, wanted.by, labels, column if column in declared else None)


_ANSWER = re.compile(r"^Answer\.(?P<task>.+?)(?:\.(?P<option>[^.]+))?$")


def is_mturk(names: Collection[str]) -> bool:
    """Whether a table with such columns is one that Mechanical Turk has written."""
    return "HITId" in names and "WorkerId" in names


def mturk(record: Record, wanted: Wanted) -> Iterator[Annotation]:
    """An assignment: who worked on which HIT, the inputs it showed, and the answers; rejected ones say nothing."""
    if record.get("AssignmentStatus") == "Rejected":
        return
    inputs = {name: value for name, value in record.items() if name.startswith("Input.")}
    data = {name.removeprefix("Input."): value for name, value in inputs.items()} | inputs
    item = wanted.name(data, record["HITId"])
    at = _time(record.get("SubmitTime"))
    answers = _mturk_answers(record)
    for task, labels in answers.items():
        yield Annotation(item, str(record["WorkerId"]), tuple(labels), task, at=at)
    if not answers:
        yield Annotation(item, str(record["WorkerId"]), at=at)


def _mturk_answers(record: Record) -> dict[str | None, list[str]]:
    """Per question the labels that were given; None is the question of which buttons are on, which has no name."""
    columns = list(_mturk_columns(record))
    buttons = [task for task, option, _ in columns if option == "on"]
    answers: dict[str | None, list[str]] = {}
    for task, option, value in columns:
        is_on = str(value).lower() == "true"
        # A classifier's answer is in .label; a choice of options has a column each, that says whether it is on.
        if option in (None, "label", "labels"):
            answers.setdefault(task, []).extend(_mturk_labels(value))
        elif is_on and option == "on" and len(buttons) > 1:
            answers.setdefault(None, []).append(task)
        elif is_on:
            answers.setdefault(task, []).append(str(option))
    return answers


def _mturk_columns(record: Record) -> Iterator[tuple[str, str | None, Any]]:
    """Question, option and value of each column of answers; ``Answer.taskAnswers`` has all of them, as JSON."""
    for name, value in record.items():
        if value is None or value == "":
            continue
        if name == "Answer.taskAnswers":
            yield from _mturk_columns(_flat(json.loads(str(value))))
        elif (match := _ANSWER.match(name)) is not None:
            yield match["task"], match["option"], value


def _flat(forms: Any) -> dict[str, Any]:
    """The answers of forms, as columns are called that have them one by one."""
    found: dict[str, Any] = {}
    for form in forms if isinstance(forms, list) else [forms]:
        for task, said in form.items():
            options = said if isinstance(said, Mapping) else {None: said}
            found |= {f"Answer.{task}" + ("" if option is None else f".{option}"): v for option, v in options.items()}
    return found


def _mturk_labels(value: Any) -> list[str]:
    """One label, or several: multi-label classifiers write a list as JSON, checkboxes have | between."""
    if isinstance(value, list):
        return [str(label) for label in value]
    text = str(value)
    if text.startswith("[") and text.endswith("]"):
        return [part.strip().strip('"') for part in text[1:-1].split(",") if part.strip()]
    return text.split("|")


def _time(said: Any) -> datetime | None:
    """A time as in ISO 8601; others are left out, since nothing hangs on them."""
    try:
        at = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def _is_of_doccano(record: Record) -> bool:
    """Whether it has labels in a list, or one beside an id and a text: not each table with a column of labels is."""
    said = [record[name] for name in ("label", "labels", "annotations") if name in record]
    beside_text = "id" in record and bool({"text", "data"} & set(record))
    return bool(said) and (beside_text or isinstance(said[0], list))


TABLE = "table"
"""What a plain table counts as, which is what a CSV is that no tool wrote."""
TOOLS: dict[str, Tool] = {
    "label-studio": Tool(
        lambda record: ("data" in record and "annotations" in record) or "annotation_id" in record, label_studio
    ),
    "argilla": Tool(
        lambda record: (
            ("responses" in record and "fields" in record) or any(key.endswith(".responses") for key in record)
        ),
        argilla,
    ),
    "mturk": Tool(is_mturk, mturk),
    "prodigy": Tool(
        lambda record: "_task_hash" in record or record.get("answer") in ("accept", "reject", "ignore"), prodigy
    ),
    "doccano": Tool(_is_of_doccano, doccano),
    TABLE: Tool(lambda record: False, table),
}
"""The tools by name, each asked in turn whether a file is its own."""
