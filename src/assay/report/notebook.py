"""How the main objects look in a notebook: a line that says what they are, and the table one asks for next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.report.html import Content, Markup, tag
from assay.report.terminal import percent

if TYPE_CHECKING:
    from assay.checks import CheckReport
    from assay.evaluation import Evaluation
    from assay.labels import Labels
    from assay.model import LabelModel
    from assay.votes import Votes

_MOST_ROWS = 20
_SILENT = "no votes"
_MOST_VOTES = 5_000_000
"""Votes on more items and sources than this are not summarised just to be displayed."""


def votes_html(votes: Votes) -> str:
    """What they are, and how much each source says.

    >>> from assay import Votes
    >>> votes_html(Votes.from_matrix([[0, 1]], names=["<kb>", "crowd"])).count("&lt;kb&gt;")
    1
    """
    if len(votes) * len(votes.names) > _MOST_VOTES:
        return tag("p", repr(votes), "; ", "see ", tag("code", "votes.summary()"))
    table = votes.summary()
    shares = ["coverage", "overlaps", "conflicts"]
    rows = [
        [str(name), row["task"], row["labels"], *(percent(row[share]) for share in shares)]
        for name, row in zip(table.index, table.to_dict("records"), strict=True)
    ]
    return _shown(repr(votes), ["source", "task", "labels", *shares], rows, len(rows))


def labels_html(labels: Labels) -> str:
    """What they are, and the first of them."""
    tasks = labels.tasks.names
    first = labels.where([at < _MOST_ROWS for at in range(len(labels))])
    columns = [(first.names(task), first[task].max(axis=1)) for task in tasks]
    items = range(len(first)) if first.items is None else first.items
    voted = [True] * len(first) if first.has_votes is None else first.has_votes.tolist()
    rows = [
        [
            str(item),
            *(f"{_label(names[at])} ({percent(best[at])})" if voted[at] else _SILENT for names, best in columns),
        ]
        for at, item in enumerate(items)
    ]
    return _shown(repr(labels), ["item", *tasks], rows, len(labels))


def model_html(model: LabelModel) -> str:
    """Its settings and, once it has learned, how accurate the sources seem."""
    if not model.__sklearn_is_fitted__():
        return tag("p", repr(model), ", which is not fitted yet")
    used = model.sources_[model.sources_["votes"] > 0]
    rows = [
        [row["source"], row["value"], percent(row["accuracy"]), _interval(row), percent(row["coverage"])]
        for row in used.head(_MOST_ROWS).to_dict("records")
    ]
    return _shown(repr(model), ["source", "value", "accuracy", "95% interval", "coverage"], rows, len(used))


def evaluation_html(evaluation: Evaluation) -> str:
    """How right the labels are, over outcomes and for each task."""
    rows = [
        [str(task), percent(row["accuracy"]), percent(row["macro_f1"]), f"{row['items']:,}"]
        for task, row in zip(evaluation.tasks.index, evaluation.tasks.to_dict("records"), strict=True)
    ]
    rows.insert(0, ["outcome", percent(evaluation.accuracy), "", f"{evaluation.items:,}"])
    title = f"calibration error {percent(evaluation.calibration_error)}"
    return _shown(title, ["task", "accuracy", "macro F1", "items"], rows, len(rows))


def check_html(report: CheckReport) -> str:
    """What the check says, and what would fix it."""
    if not report.problems:
        return tag("p", str(report))
    rows = [[f"{problem.severity} {problem.code}", problem.message, problem.fix] for problem in report.problems]
    return _shown(str(report).splitlines()[-1], ["problem", "what", "fix"], rows, len(rows))


def _interval(row: Any) -> str:
    return f"{percent(row['low'])} – {percent(row['high'])}"


def _label(name: Any) -> str:
    return "N/A" if name is None else str(name)


def _shown(title: str, columns: Sequence[str], rows: Sequence[Sequence[Content]], count: int) -> Markup:
    shown = rows[:_MOST_ROWS]
    head = tag("thead", tag("tr", [tag("th", name) for name in columns]))
    body = tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in shown])
    more = tag("p", f"and {count - len(shown):,} more") if count > len(shown) else None
    return tag("div", tag("p", title), tag("table", head, body), more)
