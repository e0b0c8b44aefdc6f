"""Sources that a language model proposes from labels and some unlabeled texts: rules to review, with their figures."""

from __future__ import annotations

import hashlib
import heapq
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.arguments import whole_number
from assay._core.progress import Progress
from assay._core.rows import batches
from assay.counts import Tally
from assay.errors import DataError, FaultWarning, SourceError
from assay.llm import Ask, BudgetSpentError, PromptSettings, Reply, Request, Session
from assay.sources import PromptCosts, PromptSource, Source, apply, costs_of_requests, flatten
from assay.suggestions.rule_answers import Proposed, Refused, found_in, names_for, read_rules, without_repeats
from assay.suggestions.rule_question import ANSWER_TOKENS, Labels, rule_requests
from assay.tasks import TaskGraph
from assay.votes import is_missing

if TYPE_CHECKING:
    import pandas as pd

ITEMS = 100
_MEASURED = 20_000
"""Of more rows, so many are looked at to measure rules."""


@dataclass(frozen=True)
class SuggestedSource:
    """A rule that a model proposed, with what the data say of it."""

    source: Source
    task: str
    label: str
    votes: int
    """On how many items it votes."""
    coverage: float
    met: int
    """How often another source votes on an item that it votes on, each counted."""
    agreement: float | None
    """With which share of these it agrees, which is that both can be right; None if there are none."""
    met_suggested: int
    agreement_suggested: float | None
    """The same with the other suggestions."""

    @property
    def name(self) -> str:
        """What the source is called."""
        return self.source.name


@dataclass(frozen=True)
class SourceSuggestion:
    """What :func:`assay.suggest_sources` found: rules to review, and all that was refused."""

    tasks: TaskGraph
    sources: tuple[SuggestedSource, ...]
    refused: tuple[Refused, ...]
    """What else the model said, and why it is not taken."""
    model: str
    shown: int
    """How many texts the model has seen."""
    measured: int
    """On how many items coverage and agreement were counted."""

    def to_pandas(self) -> pd.DataFrame:
        """A row for each source."""
        import pandas as pd

        columns = ["task", "label", "votes", "coverage", "met", "agreement", "met_suggested", "agreement_suggested"]
        rows = [{"source": one.name, **{name: getattr(one, name) for name in columns}} for one in self.sources]
        return pd.DataFrame(rows, columns=["source", *columns]).set_index("source")

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows = [{name: value for name, value in vars(one).items() if name != "source"} for one in self.sources]
        return {
            "model": self.model,
            "items_shown": self.shown,
            "items_measured": self.measured,
            "sources": [{"name": one.name, **row} for one, row in zip(self.sources, rows, strict=True)],
            "refused": [vars(one) for one in self.refused],
        }


def suggest_sources(
    tasks: TaskGraph,
    data: Any,
    *,
    on: str,
    prompts: PromptSettings,
    others: Iterable[Any] = (),
    items: int = ITEMS,
    seed: int = 0,
    progress: bool = True,
) -> SourceSuggestion:
    """Ask a language model for words and patterns that tell labels apart, from some unlabeled texts.

    What it proposes are rules to review, not sources to trust: models name words that sound right. Nothing of an answer
    is run. Labels must exist, patterns must compile, be short, and match something; what is refused is listed
    with the reason. ``assay suggest`` writes them to a file, as ``sources.toml`` has them.

    Parameters
    ----------
    tasks
        The task graph, whose labels the model is told.
    data
        The unlabeled rows, in any shape that :func:`assay.apply` takes.
    on
        The column of texts.
    prompts
        Which model is asked, and how; answers are kept in its cache.
    others
        Sources that there are already, to measure agreement with. Prompts among them are not asked.
    items
        How many texts the model is shown, chosen by chance, in as many questions as it takes.
    seed
        For that choice; it does not depend on the order of rows.
    progress
        Whether to show progress on a terminal.

    Returns
    -------
    SourceSuggestion
        ``.sources`` with coverage and agreement, ``.refused`` with reasons, ``.to_pandas()``.
    """
    known = [source for source in (flatten(others) if others else []) if not isinstance(source, PromptSource)]
    rows = _rows(data, on, seed)
    requests, shown = _requests(tasks, rows, on, prompts, items)
    proposed, refused = _asked(requests, tasks, prompts, progress)
    distinct, repeated = without_repeats(proposed, tasks)
    there, absent = found_in(distinct, _texts(rows, on))
    named = zip(there, names_for(there, [source.name for source in known]), strict=True)
    made = [(rule, rule.made(on, name, tasks)) for rule, name in named]
    found, everywhere = _measured(made, known, rows, tasks)
    return SourceSuggestion(
        tasks=tasks,
        sources=tuple(found),
        refused=(*refused, *repeated, *absent, *everywhere),
        model=requests[0].endpoint.model,
        shown=shown,
        measured=len(rows),
    )


def suggestion_costs(
    tasks: TaskGraph, data: Any, *, on: str, prompts: PromptSettings, items: int = ITEMS, seed: int = 0
) -> PromptCosts:
    """What :func:`suggest_sources` would ask and pay, without asking."""
    requests, _ = _requests(tasks, _rows(data, on, seed), on, prompts, items)
    return costs_of_requests("suggestions", requests, prompts, ANSWER_TOKENS)


def _rows(data: Any, on: str, seed: int) -> list[dict[str, Any]]:
    """All rows, or as many as are needed to measure on, in an order by chance that their own order does not change."""
    kept: list[tuple[int, int, dict[str, Any]]] = []
    count = 0
    for batch in batches(data):
        for number, text in enumerate(batch.column(on).to_list()):
            digest = hashlib.sha256(f"{seed} {text}".encode("utf-8", "replace")).digest()
            place = -int.from_bytes(digest[:8], "big"), -count  # the heap has the largest first
            if len(kept) < _MEASURED:
                heapq.heappush(kept, (*place, batch.record(number)))
            elif place > kept[0][:2]:
                heapq.heapreplace(kept, (*place, batch.record(number)))
            count += 1
    if not kept:
        raise DataError("there are no rows to propose sources for")
    return [row for _, _, row in sorted(kept, key=lambda one: one[:2], reverse=True)]


def _texts(rows: Sequence[Mapping[str, Any]], on: str) -> list[str]:
    return [str(row[on]) for row in rows if not is_missing(row[on])]


def _requests(
    tasks: TaskGraph, rows: Sequence[Mapping[str, Any]], on: str, prompts: PromptSettings, items: int
) -> tuple[list[Request], int]:
    whole_number("items", items, least=1, error=SourceError)
    texts = [text for text in dict.fromkeys(_texts(rows, on)) if text.strip()][:items]
    if not texts:
        raise DataError(f"column {on!r} has no texts to propose sources for")
    endpoint = prompts.endpoint()
    prompts.price_of(endpoint.model)  # what is wrong with it is said before anything is asked
    return rule_requests(endpoint, tasks, texts), len(texts)


def _asked(
    requests: Sequence[Request], tasks: TaskGraph, prompts: PromptSettings, progress: bool
) -> tuple[list[Proposed], list[Refused]]:
    """The rules in the answers to all questions, in their order; and what is not taken."""
    replies: dict[int, Reply | BudgetSpentError] = {}

    def job(request: Request) -> Any:
        async def one(ask: Ask) -> Reply | BudgetSpentError:
            try:
                return await ask(request)
            except BudgetSpentError as error:
                return error

        return one

    with (
        Progress("asking", len(requests), show=progress, unit="questions") as bar,
        Session(prompts, bar=bar) as session,
    ):
        session.run(map(job, requests), replies.__setitem__)
    places = Labels.of(tasks).places
    rules: list[Proposed] = []
    refused: list[Refused] = []
    for number in range(len(requests)):
        reply = replies[number]
        if isinstance(reply, Reply):
            found, why_not = read_rules(reply.text, reply.finished, places)
            rules += found
            refused += why_not
        else:
            refused.append(Refused(f"question {number + 1} of {len(requests)}", str(reply)))
    return rules, refused


def _measured(
    made: Sequence[tuple[Proposed, Source]], others: Sequence[Source], rows: Sequence[Any], tasks: TaskGraph
) -> tuple[list[SuggestedSource], list[Refused]]:
    """Rules with their figures; those that vote on every item say nothing, and are refused."""
    if not made:
        return [], []
    sources = [source for _, source in made]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FaultWarning)  # what fails is not suggested
        votes = apply([*sources, *others], rows, tasks, on_error="abstain", progress=False)
    tally = Tally.of(votes)
    overlap, agreed = (np.zeros((len(tally.names), len(tally.names))) for _ in range(2))
    for component in range(len(tasks.label_space.components)):
        counted = tally.overlaps(component, compatible=True)
        overlap += counted.overlap
        agreed += counted.agreement
    numbers = np.arange(len(tally.names))
    says_nothing = (overlap.diagonal() == len(rows)) & (len(rows) > 1)
    is_suggested = (numbers < len(sources)) & ~says_nothing
    found: list[SuggestedSource] = []
    refused: list[Refused] = []
    for at, (rule, source) in enumerate(made):
        cast = int(overlap[at, at])
        if says_nothing[at]:
            refused.append(Refused(f"{', '.join(map(repr, rule.patterns))} for {rule.label}", "it matches every text"))
            continue
        with_others = _agreement(overlap[at], agreed[at], numbers >= len(sources))
        with_suggested = _agreement(overlap[at], agreed[at], is_suggested & (numbers != at))
        found.append(
            SuggestedSource(source, rule.task, rule.label, cast, cast / len(rows), *with_others, *with_suggested)
        )
    return found, refused


def _agreement(
    overlap: npt.NDArray[np.float64], agreed: npt.NDArray[np.float64], chosen: npt.NDArray[np.bool_]
) -> tuple[int, float | None]:
    met = int(overlap[chosen].sum())
    return met, float(agreed[chosen].sum() / met) if met else None
