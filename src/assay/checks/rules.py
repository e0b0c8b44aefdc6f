"""The rules: each looks at what was counted and tells of its problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import networkx as nx
import numpy as np
import numpy.typing as npt

from assay.checks.census import Census
from assay.checks.codes import Problem
from assay.checks.copies import inside_another, nearly_alike, renamed
from assay.checks.identifiability import (
    Part,
    View,
    classes_of,
    independent_groups,
    meets_kruskal,
    parts_of,
    rarely_separated,
)
from assay.checks.wording import dependencies_text, joined, labels_text, pairs_of_labels, tasks_text, them
from assay.counts import MAX_CONFIGURATIONS, SourceGraph

FEW_VOTES = 10
"""A source with fewer votes keeps its prior."""
NAMED_OUTCOMES = 400
"""Up to so many outcomes, pairs of them are looked at one by one."""


def nobody_votes(found: Sequence[Census]) -> Iterator[Problem]:
    """A001."""
    empty = tuple(task for census in found if not census.names for task in census.tasks)
    if not empty:
        return
    if any(census.names for census in found):
        message = f"nobody votes on {tasks_text(empty)}"
    elif any(census.items for census in found):
        message = "there are no votes: every source abstains on every item"
    else:
        message = "there are no votes, since there are no items"
    fix = f"add three or more sources that vote on {tasks_text(empty)}"
    yield Problem("A001", message, fix, tasks=empty)


def too_few_sources(census: Census) -> Iterator[Problem]:
    """A002, A003, A004: fewer than three sources that are independent of each other."""
    count = len(census.names)
    most = census.independent_sources
    if not count or most >= 3:
        return
    where = tasks_text(census.tasks)
    if count < 3:
        which = f"only {count} source{'s' * (count != 1)} {'vote' if count != 1 else 'votes'} on {where}"
        missing = "a third source" if most == 2 else "two more sources"
        fix = f"add {missing} for {where}, independent of {joined(census.names)}"
        yield _problem("A002", census, f"{which}; accuracies can be learned from three independent ones or more", fix)
        return
    dependencies = [(census.names[i], census.names[j]) for i, j in census.edges]
    groups = parts_of(census.tied)
    if len(groups) == 1:
        message = f"all {count} sources on {where} depend on each other, so they cannot check one another"
        missing = "two sources" if most == 1 else "a source"
        fix = (
            f"add {missing} for {where} that {'are' if most == 1 else 'is'} independent of these, "
            f"or drop {dependencies_text(dependencies)}"
        )
        yield _problem("A003", census, message, fix)
        return
    one, other = (joined([census.names[source] for source in group.members]) for group in groups)
    message = (
        f"the sources on {where} are only two independent groups, {one} against {other} "
        "(the inverse graph is bipartite); accuracies can be learned from three or more"
    )
    fix = (
        f"add a third source for {where} that is independent of these, or drop {dependencies_text(dependencies, 'or')}"
    )
    yield _problem("A004", census, message, fix)


def bipartite(census: Census, parts: Sequence[Part]) -> Iterator[Problem]:
    """A101."""
    found = [part for part in parts if part.sides is not None and len(part.members) > 1]
    if not found:
        return
    names = _names(census, (source for part in found for source in part.members))
    sides = found[0].sides
    assert sides is not None
    one, other = (joined(_names(census, side), most=3) for side in sides)
    message = (
        f"no three of {joined(names, most=4)} are independent and vote on the same items in pairs "
        "(the inverse graph is bipartite): their accuracies are known only up to a trade-off, "
        f"more for {one} is less for {other}"
    )
    first, second = _an_edge(census, sides)
    fix = f"add a source that is independent of {first!r} and {second!r} and votes on items of both"
    yield Problem("A101", message, fix, names, census.tasks)


def disconnected(census: Census, parts: Sequence[Part], lonely: npt.NDArray[np.intp]) -> Iterator[Problem]:
    """A102. Sources that overlap with nobody are left to A305."""
    alone = set(lonely.tolist())
    groups = [part.members for part in parts if not set(part.members) <= alone]
    if len(groups) < 2:
        return
    shown = "; ".join(joined(_names(census, group), most=3) for group in groups[:4])
    more = f"; and {len(groups) - 4} more" if len(groups) > 4 else ""
    message = (
        f"{len(groups)} groups of sources on {tasks_text(census.tasks)} say nothing about each other "
        f"(the inverse graph is disconnected): {shown}{more}; "
        "each is assumed to be better than random on average"
    )
    fix = (
        "add a source that is independent of all groups and votes on items of each, "
        "or make sure that most sources of each group are better than random"
    )
    yield Problem("A102", message, fix, _names(census, (source for group in groups for source in group)), census.tasks)


def overlaps_with_nobody(census: Census, lonely: npt.NDArray[np.intp]) -> Iterator[Problem]:
    """A305."""
    if not len(lonely):
        return
    names = _names(census, lonely)
    never, keep = ("never votes", "keeps its") if len(names) == 1 else ("never vote", "keep their")
    message = f"{joined(names)} {never} on an item on which another source votes, and {keep} prior accuracy"
    yield Problem(
        "A305", message, f"add sources that vote on the same items, or drop {them(names)}", names, census.tasks
    )


def unknown_balance(census: Census, lonely: npt.NDArray[np.intp]) -> Iterator[Problem]:
    """A103: Kruskal's condition, over outcomes that are told apart at all and sources that overlap with others."""
    _, first = np.unique(classes_of(census.emitted_masks), return_index=True)
    groups = _views(census, np.setdiff1d(np.arange(len(census.names)), lonely), first)
    if meets_kruskal(groups):
        return
    message = f"the votes alone may not determine the class balance of {tasks_text(census.tasks)}"
    fix = "give class_balance, or add independent sources"
    if groups and len(first) <= NAMED_OUTCOMES:
        pairs = np.argwhere(np.triu(rarely_separated(groups)))
        if len(pairs):
            told = pairs_of_labels(census.component, first[pairs])
            message += f": fewer than three independent sources tell apart {told}"
            fix += " that do"
    yield Problem("A103", message, fix, tasks=census.tasks)


def _views(census: Census, sources: npt.NDArray[np.intp], outcomes: npt.NDArray[np.intp]) -> list[View]:
    """What each group of independent sources tells apart among some outcomes."""
    known: dict[bytes, View] = {}
    views = []
    for said in census.emitted[sources]:
        if said.tobytes() not in known:
            known[said.tobytes()] = View.of(np.ascontiguousarray(census.masks[said][:, outcomes]))
        views.append(known[said.tobytes()])
    groups = independent_groups(census.tied[np.ix_(sources, sources)])
    return [sum((views[j] for j in group[1:]), views[group[0]]) for group in groups]


def too_few_items(census: Census) -> Iterator[Problem]:
    """A104."""
    kinds = census.emitted.sum(axis=1) + (census.votes < census.items)
    tied = sorted({source for edge in census.edges for source in edge})
    free = float(np.delete(kinds - 1, tied).sum())
    if tied:
        among = np.searchsorted(tied, census.edges).tolist()
        graph = SourceGraph(_names(census, tied), among)
        sizes = kinds[tied].astype(float)
        free += sum(np.prod(sizes[list(clique)]) - 1 for clique in graph.cliques)
        free -= sum(np.prod(sizes[list(separator)]) - 1 for separator in graph.separators)
    outcomes = len(census.component)
    parameters = free * outcomes + outcomes - 1
    if census.covered >= parameters:
        return
    message = (
        f"{census.covered:,} items have a vote on {tasks_text(census.tasks)}, "
        f"but there are {parameters:,.0f} parameters to learn; priors will decide many of them"
    )
    yield Problem("A104", message, "add items, or use fewer sources, labels or dependencies", tasks=census.tasks)


def added_dependencies(graph: SourceGraph) -> Iterator[Problem]:
    """A105."""
    added = sorted(graph.edges - graph.declared)
    if not added:
        return
    pairs = [(graph.names[i], graph.names[j]) for i, j in added]
    names = tuple(graph.names[source] for source in sorted({source for pair in added for source in pair}))
    message = (
        f"to make the source graph chordal, {dependencies_text(pairs)} {'was' if len(pairs) == 1 else 'were'} added"
    )
    fix = f"declare {them(pairs)} yourself if that is right, or drop a dependency of the cycle that was cut"
    yield Problem("A105", message, fix, names)


def large_cliques(census: Census) -> Iterator[Problem]:
    """A005."""
    linked: nx.Graph[int] = nx.Graph(list(census.edges))
    sizes = [count + 1.0 for count in census.value_counts]
    found = [sorted(clique) for clique in nx.find_cliques(linked)]
    large = sorted(clique for clique in found if np.prod([sizes[source] for source in clique]) > MAX_CONFIGURATIONS)
    if not large:
        return
    groups = "; ".join(joined(_names(census, clique), most=4) for clique in large[:3])
    message = f"dependent sources have more than {MAX_CONFIGURATIONS:,} joint votes, too many to learn: {groups}"
    names = _names(census, sorted({source for clique in large for source in clique}))
    yield Problem("A005", message, "declare dependencies between fewer of them", names, census.tasks)


def inseparable(census: Census) -> Iterator[Problem]:
    """A201."""
    classes = classes_of(census.emitted_masks)
    order = np.argsort(classes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(classes[order])) + 1)
    together = [group for group in groups if len(group) > 1]
    if not together:
        return
    shown = "; ".join(labels_text(census.component, group) for group in together[:4])
    more = f"; and {len(together) - 4} more" if len(together) > 4 else ""
    tasks = tuple(
        task
        for position, task in enumerate(census.tasks)
        if any(len(np.unique(census.component.codes[group, position])) > 1 for group in together)
    )
    message = f"no source tells apart {shown}{more}; they share their mass by the class balance"
    fix = f"add a source for {tasks_text(tasks)} that says which it is, or merge these labels"
    yield Problem("A201", message, fix, tasks=tasks)


def silent_tasks(census: Census) -> Iterator[Problem]:
    """A202."""
    silent = tuple(task for task in census.tasks if task not in census.spoken and len(_labels_of(census, task)) > 1)
    if not silent:
        return
    classes = classes_of(census.emitted_masks)
    open_tasks = [task for task in silent if not _determines(classes, census.component.label_of(task))]
    known = [task for task in silent if task not in open_tasks]
    told = []
    if known:
        told.append(f"nobody votes on {tasks_text(known)}, which can be learned through other tasks alone")
    if open_tasks:
        told.append(f"nobody votes on {tasks_text(open_tasks)}, and votes on other tasks do not settle it")
    yield Problem(
        "A202", "; ".join(told), f"add sources for {tasks_text(silent)}, or drop {them(silent)}", tasks=silent
    )


def silent_labels(census: Census) -> Iterator[Problem]:
    """A203: no vote leaves only outcomes with that label."""
    missing = {}
    for task in census.tasks:
        labels = _labels_of(census, task)
        if task in census.spoken and len(labels) > 1:
            label_of = census.component.label_of(task)
            lowest = np.where(census.emitted_masks, label_of, np.iinfo(np.int16).max).min(axis=1)
            highest = np.where(census.emitted_masks, label_of, -2).max(axis=1)
            voted = set(lowest[lowest == highest].tolist())
            never = [label for index, label in enumerate(labels) if index not in voted]
            if never:
                missing[task] = never
    if not missing:
        return
    told = "; ".join(f"{joined(labels)} of task {task!r}" for task, labels in missing.items())
    fix = f"add a source that votes for {them([label for labels in missing.values() for label in labels])}"
    yield Problem("A203", f"nobody votes for {told}", f"{fix}, or give class_balance", tasks=tuple(missing))


def duplicated(census: Census, copies: list[list[int]]) -> Iterator[Problem]:
    """A301: the same votes on the same items."""
    groups = [group for group in copies if census.independent[np.ix_(group, group)].any()]
    if not groups:
        return
    message = f"sources with identical votes, which count twice as evidence: {_groups(census, groups)}"
    one, other = _names(census, groups[0][:2])
    fix = f"drop all but one of each, or declare the dependency ({one!r}, {other!r})"
    yield _of_groups("A301", census, groups, message, fix)


def nearly_duplicated(census: Census, copies: list[list[int]]) -> Iterator[Problem]:
    """A302: agreement far beyond chance, all votes inside another source's, or other votes one for one."""
    close = np.argwhere(nearly_alike(census, copies)).tolist()
    nested = np.argwhere(inside_another(census, copies)).tolist()
    other_words = np.argwhere(renamed(census)).tolist()
    if not close and not nested and not other_words:
        return
    told = []
    if close:
        told.append(f"sources that nearly always say the same: {_groups(census, _linked(close))}")
    if nested:
        shown = ", ".join(" in ".join(map(repr, _names(census, pair))) for pair in nested[:4])
        more = f" and {len(nested) - 4} more" if len(nested) > 4 else ""
        told.append(f"sources all of whose votes are inside another's: {shown}{more}")
    if other_words:
        told.append(
            "sources that vote on the same items and say different things, but each time the same one for the same: "
            f"{_groups(census, _linked(other_words))}"
        )
    one, other = _names(census, (close or nested or other_words)[0])
    fix = f"if one is made from the other, drop it or declare the dependency ({one!r}, {other!r})"
    yield _of_groups("A302", census, [*close, *nested, *other_words], "; ".join(told), fix)


def never_votes(found: Sequence[Census], sources: tuple[str, ...]) -> Iterator[Problem]:
    """A303."""
    speaking = {name for census in found for name in census.names}
    silent = tuple(name for name in sources if name not in speaking)
    if not silent or not speaking:
        return
    never, which = "never says" if len(silent) == 1 else "never say", them(silent)
    message = f"{joined(silent)} {never} anything that rules an outcome out; nothing is learned about {which}"
    yield Problem("A303", message, f"drop {which}, or find out why nothing comes from {which}", silent)


def few_votes(census: Census) -> Iterator[Problem]:
    """A304."""
    names = _names(census, np.flatnonzero(census.votes < FEW_VOTES))
    if not names:
        return
    has, keep, vote = ("has", "keeps its", "it votes") if len(names) == 1 else ("have", "keep their", "they vote")
    message = (
        f"{joined(names)} {has} fewer than {FEW_VOTES} votes on {tasks_text(census.tasks)} and {keep} prior accuracy"
    )
    yield Problem(
        "A304",
        message,
        f"add items on which {vote}, merge such sources, or drop {them(names)}",
        names,
        census.tasks,
    )


def constant(census: Census) -> Iterator[Problem]:
    """A306."""
    always = (census.emitted.sum(axis=1) == 1) & (census.votes == census.items) & (census.votes >= FEW_VOTES)
    names = _names(census, np.flatnonzero(always))
    if not names:
        return
    say = "says the same on every item and tells" if len(names) == 1 else "say the same on every item and tell"
    message = f"{joined(names)} {say} nothing about {tasks_text(census.tasks)}"
    which = them(names)
    yield Problem("A306", message, f"let {which} abstain where nothing is known, or drop {which}", names, census.tasks)


def lonely_sources(census: Census) -> npt.NDArray[np.intp]:
    """Sources that vote on no item on which another source votes."""
    return np.flatnonzero((census.overlap > 0).sum(axis=1) == 1)


def _problem(code: str, census: Census, message: str, fix: str) -> Problem:
    return Problem(code, message, fix, census.names, census.tasks)


def _of_groups(code: str, census: Census, groups: Iterable[Sequence[int]], message: str, fix: str) -> Problem:
    members = sorted({source for group in groups for source in group})
    return Problem(code, message, fix, _names(census, members), census.tasks)


def _names(census: Census, sources: Iterable[int]) -> tuple[str, ...]:
    return tuple(census.names[source] for source in sources)


def _groups(census: Census, groups: Sequence[Sequence[int]]) -> str:
    shown = "; ".join(joined(_names(census, group), most=4) for group in groups[:4])
    return shown + (f"; and {len(groups) - 4} more" if len(groups) > 4 else "")


def _linked(pairs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Pairs joined to groups."""
    graph: nx.Graph[int] = nx.Graph([(one, other) for one, other in pairs])
    return sorted(sorted(part) for part in nx.connected_components(graph))


def _an_edge(census: Census, sides: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[str, str]:
    joined = (census.overlap > 0) & census.independent
    one, other = np.argwhere(joined[np.ix_(*sides)])[0]
    return census.names[sides[0][one]], census.names[sides[1][other]]


def _labels_of(census: Census, task: str) -> tuple[str, ...]:
    return census.component.labels[census.tasks.index(task)]


def _determines(classes: npt.NDArray[np.int64], labels: npt.NDArray[np.int16]) -> bool:
    """Whether outcomes of one class always have one label."""
    pairs = np.unique(np.column_stack([classes, labels]), axis=0)
    return len(pairs) == len(np.unique(classes))
