"""The compiler pass: what can be learned from votes at all, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.checks import rules
from assay.checks.agreement import among_votes, with_abstentions
from assay.checks.class_balance import tasks_told, unknown_balance, votes_do_not_tell
from assay.checks.copies import duplicate_groups
from assay.checks.identifiability import parts_of
from assay.checks.many_labels import gathered, too_few_for_labels
from assay.checks.problems import CheckReport, Problem, in_order
from assay.checks.signal import too_little_signal
from assay.checks.taxonomy import contradicted
from assay.checks.vote_counts import VoteCounts, count_votes
from assay.counts import (
    MAX_TABLED,
    MAX_VALUES,
    Dependency,
    SourceGraph,
    Tally,
    needs_counting_in_pieces,
    tally_of,
)
from assay.votes import Schema, as_votes

MOST_COMPARED = 1_000
"""With too many sources to compare each with each other, copies are looked for among as many that vote most often."""


def check(
    votes: Any,
    dependencies: Iterable[Dependency] = (),
    *,
    class_balance: Any = None,
    cardinality: int | None = None,
    sources: Iterable[Asking] = (),
    progress: bool = True,
) -> CheckReport:
    """Check that the accuracies of sources can be learned from their votes, before anything is fitted.

    An *error* means that nothing useful can be learned about some tasks: fewer
    than three sources that are independent of each other vote on them. A
    *warning* is something that a fit copes with, but that you should know.

    Parameters
    ----------
    votes
        The votes, or a matrix (items, sources) of class numbers in which −1 abstains; or
        a Parquet file of votes, or counts, as :meth:`assay.LabelModel.fit` takes them.
    dependencies
        Pairs or groups of sources that are not independent given the truth, by
        name or column number.
    class_balance
        What is known of the class balance, as :class:`assay.LabelModel` takes it. Then nobody needs to be told that
        the votes do not tell it.
    cardinality
        The number of classes, if the votes are a matrix.
    sources
        The sources that cast the votes, if they are known: prompts to one language model are pointed out.
    progress
        Whether to show progress on a terminal while votes in files are counted.

    Returns
    -------
    CheckReport
        ``.ok``, ``.problems``, ``.errors``, ``.warnings``; prints like a compiler.

    >>> print(check([[0, 1], [1, 1], [0, 0]] * 10))
    error[A002]: only 2 sources vote on task 'label'; accuracies can be learned from three independent ones or more
      --> tasks: label
      --> sources: 0, 1
      = fix: add a third source for task 'label', independent of '0' and '1', or label about 50 items by hand ...
    <BLANKLINE>
    1 error
    """
    given = votes if needs_counting_in_pieces(votes) else as_votes(votes, cardinality)
    declared = list(dependencies)
    tally = tally_of(given, engine="local", size=0, progress=progress)
    found = check_tally(tally, declared, class_balance)
    asked = {source.name: source.asks for source in sources if source.asks is not None}
    return with_models(found, asked, tally.names, declared)


class Asking(Protocol):
    """A source that may ask a language model."""

    @property
    def name(self) -> str:
        """What the source is called."""
        ...

    @property
    def asks(self) -> str | None:
        """The language model that it asks, if any."""
        ...


def with_models(
    report: CheckReport, asked: Mapping[str, str], names: Sequence[str], dependencies: Iterable[Dependency]
) -> CheckReport:
    """What was found, and whether prompts to one language model are taken for independent.

    ``asked`` is source -> model.
    """
    groups: dict[str, list[str]] = {}
    for name, model in asked.items():
        if name in names:
            groups.setdefault(model, []).append(name)
    dependent = [[names[one] if isinstance(one, int) else str(one) for one in group] for group in dependencies]
    return in_order([*report.problems, *rules.one_language_model(groups.values(), dependent)])


@dataclass(frozen=True)
class _Known:
    """What the user tells beside the votes."""

    labeled: frozenset[str]
    """Tasks with hand labels for enough items."""
    balance: frozenset[str]
    """Tasks whose class balance is told, or known from hand labels."""


def check_tally(
    tally: Tally,
    dependencies: Iterable[Dependency] = (),
    class_balance: Any = None,
    labeled: Iterable[str] = (),
    *,
    by_moments: bool = False,
) -> CheckReport:
    """The same for votes that are counted already.

    ``labeled`` are tasks with ``HAND_LABELS`` hand labels or more; ``by_moments`` asks whether the moment methods can
    learn, too.
    """
    graph = _source_graph(tally.names, dependencies)
    found = [counts.given(graph) for counts in count_votes(tally)]
    by_hand = frozenset(labeled)
    known = _Known(by_hand, by_hand | tasks_told(class_balance, tally.tasks))
    problems = list(_problems(tally, found, graph, known))
    if tally.tasks.multiple:
        problems = gathered(problems, tally.tasks)
    if by_moments:
        problems += [problem for counts in found for problem in rules.too_few_groups(counts)]
    return in_order(problems)


def left_out(schema: Schema) -> list[str]:
    """What a check leaves out because there are too many sources, in sentences; nothing where there are few."""
    if schema.value_count <= MAX_VALUES or len(schema.names) <= MAX_TABLED:
        return []
    if schema.is_taken_apart and len(schema.label_space.components) > 1:
        return list(dict.fromkeys(note for place in schema.places for note in left_out(place.schema)))
    return [
        f"of {len(schema.names):,} sources, copies were looked for among the {MOST_COMPARED:,} that vote most often, "
        "and whether votes agree by more than chance was not checked"
    ]


@dataclass(frozen=True, eq=False)
class Learnability:
    """Whether :func:`check` finds no error, asked for one set of dependencies after another.

    What has to be counted for that is counted once.

    >>> from assay import Votes
    >>> learnable = Learnability.of(Tally.of(Votes.from_matrix([[0, 1, 1], [1, 1, 0], [0, 0, 0]] * 10)))
    >>> learnable.ok(), learnable.ok([("0", "1")])
    (True, False)
    """

    names: tuple[str, ...]
    """All sources."""
    counted: Sequence[VoteCounts]

    @classmethod
    def of(cls, tally: Tally) -> Learnability:
        """Count what is needed."""
        return cls(tally.names, count_votes(tally))

    def ok(self, dependencies: Iterable[Dependency] = ()) -> bool:
        """Whether accuracies can be learned if these sources depend on each other."""
        graph = _source_graph(self.names, dependencies)
        return not any(_errors([counts.given(graph) for counts in self.counted]))


def _source_graph(names: tuple[str, ...], dependencies: Iterable[Dependency]) -> SourceGraph:
    declared = list(dependencies)
    # Without dependencies there is nothing to triangulate, which for a thousand sources takes seconds.
    return SourceGraph(names if declared else (), declared)


def _problems(tally: Tally, found: Sequence[VoteCounts], graph: SourceGraph, known: _Known) -> Iterator[Problem]:
    yield from _errors(found, known.labeled)
    yield from too_few_for_labels(found, tally.tasks, known.labeled)
    yield from rules.never_votes(found, tally.names)
    yield from rules.added_dependencies(graph)
    for counts in found:
        if counts.names:
            yield from _warnings(counts, known)
            yield from contradicted(tally.of_component(counts.index)[0], counts.component)


def _errors(found: Sequence[VoteCounts], labeled: frozenset[str] = frozenset()) -> Iterator[Problem]:
    """What stops a fit. All of it follows from who votes, who depends on whom, and which tasks have hand labels."""
    # A label that nobody names is no reason not to learn about others.
    silent = not any(counts.names for counts in found)
    yield from rules.nobody_votes([counts for counts in found if silent or not counts.names_labels])
    for counts in found:
        if counts.names:
            # However few sources there are, hand labels tell their accuracies.
            if not set(counts.tasks) <= labeled and not counts.names_labels:
                yield from rules.too_few_sources(counts)
            yield from rules.large_cliques(counts)


def _warnings(counts: VoteCounts, known: _Known) -> Iterator[Problem]:
    """What a fit copes with, in one component on which somebody votes; beside what is known."""
    yield from rules.inseparable(counts)
    yield from rules.silent_tasks(counts)
    yield from rules.silent_labels(counts)
    compared = counts.of_busiest(MOST_COMPARED) if counts.is_wide else counts
    copies = duplicate_groups(compared)
    yield from rules.duplicated(compared, copies)
    yield from rules.nearly_duplicated(compared, copies)
    yield from rules.few_votes(counts)
    yield from rules.constant(counts)
    if counts.independent_sources < 3:
        return  # what follows would only repeat the error in other words
    lonely = rules.lonely_sources(counts)
    parts = parts_of(counts.joined)
    yield from rules.overlaps_with_nobody(counts, lonely)
    yield from rules.bipartite(counts, parts)
    yield from rules.disconnected(counts, parts, lonely)
    yield from rules.too_few_items(counts)
    if counts.is_wide:
        return  # what follows needs a table of all pairs
    votes = among_votes(counts)
    unrelated = list(too_little_signal(counts, with_abstentions(counts, votes).among(counts.independent), parts))
    by_hand = set(counts.tasks) <= known.labeled
    if not by_hand:
        yield from unrelated
    undetermined = [] if by_hand else list(unknown_balance(counts, lonely, known.balance))
    yield from undetermined or votes_do_not_tell(counts, votes, known.balance, related=not unrelated)
