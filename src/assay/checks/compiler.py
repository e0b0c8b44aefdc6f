"""The compiler pass: what can be learned from votes at all, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from assay.checks import rules
from assay.checks.census import Census, censuses
from assay.checks.codes import CODES, CheckReport, Code, Problem, in_order
from assay.checks.copies import duplicate_groups
from assay.checks.identifiability import parts_of
from assay.checks.taxonomy import contradicted
from assay.counts import Dependency, SourceGraph, Tally, needs_counting_in_pieces, tally_of
from assay.votes import Votes

__all__ = ["CODES", "CheckReport", "Code", "Problem", "check", "check_tally"]


def check(
    votes: Votes | Any, dependencies: Iterable[Dependency] = (), *, cardinality: int | None = None
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
    cardinality
        The number of classes, if the votes are a matrix.

    Returns
    -------
    CheckReport
        ``.ok``, ``.problems``, ``.errors``, ``.warnings``; prints like a compiler.

    >>> print(check([[0, 1], [1, 1], [0, 0]] * 10))
    error[A002]: only 2 sources vote on task 'label'; accuracies can be learned from three independent ones or more
      --> tasks: label
      --> sources: 0, 1
      = fix: add a third source for task 'label', independent of '0' and '1'
    <BLANKLINE>
    1 error
    """
    if not needs_counting_in_pieces(votes) and not isinstance(votes, Votes):
        votes = Votes.from_matrix(votes, cardinality=cardinality)
    return check_tally(tally_of(votes, engine="local", size=0, progress=True), dependencies)


def check_tally(tally: Tally, dependencies: Iterable[Dependency] = ()) -> CheckReport:
    """The same for votes that are counted already."""
    declared = list(dependencies)
    # Without dependencies there is nothing to triangulate, which for a thousand sources takes seconds.
    graph = SourceGraph(tally.names if declared else (), declared)
    return in_order(_problems(tally, graph))


def _problems(tally: Tally, graph: SourceGraph) -> Iterator[Problem]:
    found = list(censuses(tally, graph))
    yield from rules.nobody_votes(found)
    yield from rules.never_votes(found, tally.names)
    yield from rules.added_dependencies(graph)
    for census in found:
        if census.names:
            yield from _problems_of(census)
            yield from contradicted(tally, census.component)


def _problems_of(census: Census) -> Iterator[Problem]:
    """What is wrong in one component on which somebody votes."""
    yield from rules.too_few_sources(census)
    yield from rules.large_cliques(census)
    yield from rules.inseparable(census)
    yield from rules.silent_tasks(census)
    yield from rules.silent_labels(census)
    copies = duplicate_groups(census)
    yield from rules.duplicated(census, copies)
    yield from rules.nearly_duplicated(census, copies)
    yield from rules.few_votes(census)
    yield from rules.constant(census)
    if census.independent_sources < 3:
        return  # what follows would only repeat the error in other words
    lonely = rules.lonely_sources(census)
    parts = parts_of((census.overlap > 0) & census.independent)
    yield from rules.overlaps_with_nobody(census, lonely)
    yield from rules.bipartite(census, parts)
    yield from rules.disconnected(census, parts, lonely)
    yield from rules.unknown_balance(census, lonely)
    yield from rules.too_few_items(census)
