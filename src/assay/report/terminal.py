"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from rich import markup
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from assay._core.texts import printable

if TYPE_CHECKING:
    import pandas as pd

    from assay.evaluation import Evaluation, TrainingComparison
    from assay.labels import Guarantee
    from assay.report.evidence import EvidenceFacts


def percent(value: Any) -> str:
    """A share as people read it.

    >>> percent(0.1234), percent(None)
    ('12.3%', '–')
    """
    return "–" if value is None or value != value else f"{100 * value:.1f}%"


_SHARES = ("coverage", "overlaps", "conflicts", "accuracy")


def summary_table(summary: pd.DataFrame, title: str) -> Table:
    """The table of :meth:`assay.Votes.summary`, with the interval beside the accuracy."""
    columns = [name for name in summary.columns if name not in ("accuracy_low", "accuracy_high")]
    table = _table(title)
    table.add_column(str(summary.index.name), no_wrap=True)
    for name in columns:
        table.add_column(name, justify="left" if summary[name].dtype.kind not in "iuf" else "right")
    for index, row in zip(summary.index, summary.to_dict("records"), strict=True):
        cells = []
        for name in columns:
            text = _cell(name)(row[name])
            if name == "accuracy" and text != "–":
                text += f" ({percent(row['accuracy_low'])[:-1]}–{percent(row['accuracy_high'])[:-1]})"
            cells.append(escape(text))
        table.add_row(escape(str(index)), *cells)
    return table


def evidence_table(facts: EvidenceFacts, title: str) -> Table:
    """What refined labels rest on, with how often they are right where gold tells."""
    from assay.report.evidence import COLUMNS, evidence_rows

    table = _table(title)
    for name in COLUMNS:
        table.add_column(name.lower(), justify="left" if name == COLUMNS[0] else "right")
    for row in evidence_rows(facts):
        table.add_row(*map(escape, row))
    return table


def sources_table(sources: pd.DataFrame, title: str) -> Table:
    """The table of ``LabelModel.sources_``, without values that were never emitted."""
    table = _table(title)
    for name in ("source", "task", "value"):
        table.add_column(name)
    for name in ("accuracy", "95% interval", "coverage", "votes"):
        table.add_column(name, justify="right")
    for row in sources[sources["votes"] > 0].to_dict("records"):
        table.add_row(
            *(escape(str(row[name])) for name in ("source", "task", "value")),
            percent(row["accuracy"]),
            f"{percent(row['low'])[:-1]}–{percent(row['high'])[:-1]}",
            percent(row["coverage"]),
            f"{row['votes']:,}",
        )
    return table


def skills_table(skills: pd.DataFrame, title: str) -> Table:
    """The table of :attr:`assay.Aggregation.skills`."""
    table = plain_table(title, "worker", "skill", "95% interval", "votes", numbers=("skill", "95% interval", "votes"))
    for worker, row in zip(skills.index.tolist(), skills.to_dict("records"), strict=True):
        bounds = f"{percent(row['low'])[:-1]}–{percent(row['high'])[:-1]}"
        table.add_row(escape(str(worker)), percent(row["skill"]), bounds, f"{int(row['votes']):,}")
    return table


def labels_table(shares: pd.DataFrame, title: str) -> Table:
    """The table of :attr:`assay.Aggregation.shares`."""
    table = plain_table(title, "label", "items", "share", "majority vote", numbers=("items", "share", "majority vote"))
    for label, row in zip(shares.index.tolist(), shares.to_dict("records"), strict=True):
        table.add_row(escape(str(label)), f"{int(row['items']):,}", percent(row["share"]), percent(row["majority"]))
    return table


def dependencies_table(edges: pd.DataFrame, title: str) -> Table:
    """The table of :meth:`assay.LearnedDependencies.to_pandas`."""
    table = _table(title)
    for name in ("source", "source"):
        table.add_column(name)
    for name in ("correlation", "confidence"):
        table.add_column(name, justify="right")
    table.add_column("used")
    for row in edges.to_dict("records"):
        table.add_row(
            escape(str(row["one"])),
            escape(str(row["other"])),
            f"{row['strength']:+.2f}",
            percent(row["confidence"]),
            "yes" if row["kept"] else "no",
        )
    return table


def score_table(evaluations: Mapping[str, Evaluation], title: str) -> Table:
    """Methods and their accuracies."""
    table = _table(title)
    table.add_column("method")
    table.add_column("accuracy", justify="right")
    for method, found in evaluations.items():
        table.add_row(escape(method), accuracy_text(found))
    return table


def comparison_table(evaluations: Mapping[str, Evaluation], title: str) -> Table:
    """Methods side by side: accuracy over outcomes, for each task, and for each slice."""
    table = _table(title)
    table.add_column("method", no_wrap=True)
    first = next(iter(evaluations.values()))
    for name in ("accuracy", *first.tasks.index, *first.slices.index, "calibration error"):
        table.add_column(escape(str(name)), justify="right")
    for method, found in evaluations.items():
        shares = [*found.tasks["accuracy"], *found.slices["accuracy"], found.calibration_error]
        table.add_row(escape(method), accuracy_text(found), *(percent(share) for share in shares))
    return table


def accuracy_text(found: Evaluation) -> str:
    """An accuracy, with its 95% interval where gold is a sample that taught the model."""
    low, high = found.interval()
    return percent(found.accuracy) + (f" ({100 * low:.0f}–{100 * high:.0f})" if found.cross_fitted else "")


def shares_table(shares: pd.DataFrame, title: str) -> Table:
    """The table of :meth:`assay.Labels.balance`."""
    table = plain_table(
        title, "task", "label", "share", "95% interval", "gold", numbers=("share", "95% interval", "gold")
    )
    for row in shares.to_dict("records"):
        table.add_row(
            escape(str(row["task"])),
            escape(str(row["label"])),
            percent(row["share"]),
            f"{percent(row['low'])[:-1]}–{percent(row['high'])[:-1]}",
            f"{row['gold']:,}",
        )
    return table


def training_table(found: TrainingComparison) -> Table:
    """End models that were trained on different labels, by hand labels that they have not seen."""
    table = plain_table(
        f"end models, by {found.items:,} hand labels that they were not trained with",
        *("trained on", "items", "accuracy", "95% interval"),
        numbers=("items", "accuracy", "95% interval"),
    )
    for name, figure in found.accuracy.items():
        bounds = f"{percent(figure.low)[:-1]}–{percent(figure.high)[:-1]}"
        table.add_row(escape(name), f"{found.trained_on[name]:,}", percent(figure.value), bounds)
    return table


def guarantee_text(found: Guarantee) -> str:
    """What :meth:`assay.Labels.guarantee` found, in a sentence."""
    return (
        f"from a confidence of {found.threshold:.3f} on, at least {percent(found.precision)} of the labels are right: "
        f"{percent(found.coverage)} of the items, {len(found.rest):,} are left for people "
        f"({percent(found.estimate)} of {found.gold:,} hand labels above it are right)"
    )


def plain_table(title: str, *columns: str, numbers: Collection[str] = ()) -> Table:
    """An empty table; ``numbers`` are the columns that are read from the right."""
    table = _table(title)
    for name in columns:
        table.add_column(name, justify="right" if name in numbers else "left")
    return table


def show(*parts: Any) -> None:
    """Print tables and texts on stdout, as wide as the terminal or, in a pipe, as they need to be."""
    console = Console(highlight=False)
    if not console.is_terminal:
        wide = Console(highlight=False, width=1_000)
        console = Console(highlight=False, width=max(80, *(wide.measure(part).maximum for part in parts)))
    for part in parts:
        console.print(part)


def escape(text: str) -> str:
    """A text without markup, and without what would command the terminal."""
    return markup.escape(printable(text))


def _table(title: str) -> Table:
    return Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)


def _cell(name: str) -> Callable[[Any], str]:
    if name in _SHARES:
        return percent
    return lambda value: f"{value:,}" if isinstance(value, int) else str(value)
