"""The rules: each looks at the counts and yields the problems that it finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from assay.checks.copies import inside_another, nearly_alike, renamed
from assay.checks.identifiability import Part, classes_of, parts_of
from assay.checks.problems import Problem
from assay.checks.unvarying import unvarying
from assay.checks.vote_counts import VoteCounts
from assay.checks.wording import BY_HAND, dependencies_text, joined, labels_text, tasks_text, them
from assay.counts import MAX_CONFIGURATIONS, SourceGraph

FEW_VOTES = 10
"""A source with fewer votes keeps its prior."""


def nobody_votes(found: Sequence[VoteCounts]) -> Iterator[Problem]:
    """A001."""
    empty = tuple(task for counts in found if not counts.names for task in counts.tasks)
    if not empty:
        return
    if any(counts.names for counts in found):
        message = f"nobody votes on {tasks_text(empty)}"
    elif any(counts.items for counts in found):
        message = "there are no votes: every source abstains on every item"
    else:
        message = "there are no votes, since there are no items"
    fix = f"add three or more sources that vote on {tasks_text(empty)}"
    yield Problem("A001", message, fix, tasks=empty)


def too_few_sources(counts: VoteCounts) -> Iterator[Problem]:
    """A002, A003, A004: fewer than three sources that are independent of each other."""
    count = len(counts.names)
    most = counts.independent_sources
    if not count or most >= 3:
        return
    where = tasks_text(counts.tasks)
    if count < 3:
        which = f"only {count} source{'s' * (count != 1)} {'vote' if count != 1 else 'votes'} on {where}"
        missing = "a third source" if most == 2 else "two more sources"
        fix = f"add {missing} for {where}, independent of {joined(counts.names)}, or {BY_HAND}"
        yield _problem("A002", counts, f"{which}; accuracies can be learned from three independent ones or more", fix)
        return
    dependencies = [(counts.names[i], counts.names[j]) for i, j in counts.edges]
    groups = parts_of(counts.tied)
    if len(groups) == 1:
        message = f"all {count} sources on {where} depend on each other, so they cannot check one another"
        missing = "two sources" if most == 1 else "a source"
        fix = (
            f"add {missing} for {where} that {'are' if most == 1 else 'is'} independent of these, "
            f"drop {dependencies_text(dependencies)}, or {BY_HAND}"
        )
        yield _problem("A003", counts, message, fix)
        return
    one, other = (joined([counts.names[source] for source in group.members]) for group in groups)
    message = (
        f"the sources on {where} are only two independent groups, {one} against {other} "
        "(the inverse graph is bipartite); accuracies can be learned from three or more"
    )
    fix = (
        f"add a third source for {where} that is independent of these, drop {dependencies_text(dependencies, 'or')}, "
        f"or {BY_HAND}"
    )
    yield _problem("A004", counts, message, fix)


def too_few_groups(counts: VoteCounts) -> Iterator[Problem]:
    """A006: sources without an edge between them are not independent if others connect them."""
    if not counts.names or counts.independent_sources < 3 or counts.is_wide:
        return  # the first two are an error of their own; of many sources there are many groups
    groups = [joined(_names(counts, part.members), most=4) for part in parts_of(counts.tied)]
    if len(groups) >= 3:
        return
    where = tasks_text(counts.tasks)
    found = f"only two groups, {groups[0]} against {groups[1]}" if len(groups) == 2 else "one group"
    message = (
        f"dependencies connect the sources on {where} to {found}; method='completion' and method='covariance' "
        "learn from three groups that no dependency connects"
    )
    missing = "a source" if len(groups) == 2 else "two sources"
    fix = f"use method='em', declare fewer dependencies, or add {missing} for {where} independent of these"
    yield _problem("A006", counts, message, fix)


def bipartite(counts: VoteCounts, parts: Sequence[Part]) -> Iterator[Problem]:
    """A101."""
    found = [part for part in parts if part.sides is not None and len(part.members) > 1]
    if not found:
        return
    names = _names(counts, (source for part in found for source in part.members))
    sides = found[0].sides
    assert sides is not None
    one, other = (joined(_names(counts, side), most=3) for side in sides)
    message = (
        f"no three of {joined(names, most=4)} are independent and vote on the same items in pairs "
        "(the inverse graph is bipartite): their accuracies are known only up to a trade-off, "
        f"more for {one} is less for {other}"
    )
    first, second = _an_edge(counts, sides)
    fix = f"add a source that is independent of {first!r} and {second!r} and votes on items of both"
    yield Problem("A101", message, fix, names, counts.tasks)


def disconnected(counts: VoteCounts, parts: Sequence[Part], lonely: npt.NDArray[np.intp]) -> Iterator[Problem]:
    """A102. Sources that overlap with nobody are left to A305."""
    alone = set(lonely.tolist())
    groups = [part.members for part in parts if not set(part.members) <= alone]
    if len(groups) < 2:
        return
    shown = "; ".join(joined(_names(counts, group), most=3) for group in groups[:4])
    more = f"; and {len(groups) - 4} more" if len(groups) > 4 else ""
    message = (
        f"{len(groups)} groups of sources on {tasks_text(counts.tasks)} say nothing about each other "
        f"(the inverse graph is disconnected): {shown}{more}; "
        "each is assumed to be better than random on average"
    )
    fix = (
        "add a source that is independent of all groups and votes on items of each, "
        "or make sure that most sources of each group are better than random"
    )
    yield Problem("A102", message, fix, _names(counts, (source for group in groups for source in group)), counts.tasks)


def overlaps_with_nobody(counts: VoteCounts, lonely: npt.NDArray[np.intp]) -> Iterator[Problem]:
    """A305."""
    if not len(lonely):
        return
    names = _names(counts, lonely)
    never, keep = ("never votes", "keeps its") if len(names) == 1 else ("never vote", "keep their")
    message = f"{joined(names)} {never} on an item on which another source votes, and {keep} prior accuracy"
    yield Problem(
        "A305", message, f"add sources that vote on the same items, or drop {them(names)}", names, counts.tasks
    )


def too_few_items(counts: VoteCounts) -> Iterator[Problem]:
    """A104."""
    kinds = counts.emitted.sum(axis=1) + (counts.votes < counts.items)
    tied = sorted({source for edge in counts.edges for source in edge})
    free = float(np.delete(kinds - 1, tied).sum())
    if tied:
        among = np.searchsorted(tied, counts.edges).tolist()
        graph = SourceGraph(_names(counts, tied), among)
        sizes = kinds[tied].astype(float)
        free += sum(np.prod(sizes[list(clique)]) - 1 for clique in graph.cliques)
        free -= sum(np.prod(sizes[list(separator)]) - 1 for separator in graph.separators)
    outcomes = len(counts.component)
    parameters = free * outcomes + outcomes - 1
    if counts.covered >= parameters:
        return
    message = (
        f"{counts.covered:,} items have a vote on {tasks_text(counts.tasks)}, "
        f"but there are {parameters:,.0f} parameters to learn; priors will decide many of them"
    )
    yield Problem("A104", message, "add items, or use fewer sources, labels or dependencies", tasks=counts.tasks)


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


def large_cliques(counts: VoteCounts) -> Iterator[Problem]:
    """A005."""
    if not counts.edges:
        return
    import networkx as nx

    linked: nx.Graph[int] = nx.Graph(list(counts.edges))
    sizes = [count + 1.0 for count in counts.value_counts]
    found = [sorted(clique) for clique in nx.find_cliques(linked)]
    large = sorted(clique for clique in found if np.prod([sizes[source] for source in clique]) > MAX_CONFIGURATIONS)
    if not large:
        return
    groups = "; ".join(joined(_names(counts, clique), most=4) for clique in large[:3])
    message = f"dependent sources have more than {MAX_CONFIGURATIONS:,} joint votes, too many to learn: {groups}"
    names = _names(counts, sorted({source for clique in large for source in clique}))
    yield Problem("A005", message, "declare dependencies between fewer of them", names, counts.tasks)


def inseparable(counts: VoteCounts) -> Iterator[Problem]:
    """A201."""
    classes = classes_of(counts.emitted_masks)
    order = np.argsort(classes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(classes[order])) + 1)
    together = [group for group in groups if len(group) > 1]
    if not together:
        return
    shown = "; ".join(labels_text(counts.component, group) for group in together[:4])
    more = f"; and {len(together) - 4} more" if len(together) > 4 else ""
    tasks = tuple(
        task
        for position, task in enumerate(counts.tasks)
        if any(len(np.unique(counts.component.codes[group, position])) > 1 for group in together)
    )
    message = f"no source tells apart {shown}{more}; they share their probability in proportion to the class balance"
    fix = f"add a source for {tasks_text(tasks)} that says which it is, or merge these labels"
    yield Problem("A201", message, fix, tasks=tasks)


def silent_tasks(counts: VoteCounts) -> Iterator[Problem]:
    """A202."""
    silent = tuple(task for task in counts.tasks if task not in counts.spoken and len(_labels_of(counts, task)) > 1)
    if not silent:
        return
    classes = classes_of(counts.emitted_masks)
    open_tasks = [task for task in silent if not _determines(classes, counts.component.label_of(task))]
    known = [task for task in silent if task not in open_tasks]
    told = []
    if known:
        told.append(f"nobody votes on {tasks_text(known)}, which can be learned through other tasks alone")
    if open_tasks:
        told.append(f"nobody votes on {tasks_text(open_tasks)}, and votes on other tasks do not settle it")
    yield Problem(
        "A202", "; ".join(told), f"add sources for {tasks_text(silent)}, or drop {them(silent)}", tasks=silent
    )


def silent_labels(counts: VoteCounts) -> Iterator[Problem]:
    """A203: no vote leaves only outcomes with that label."""
    missing = {}
    for task in counts.tasks:
        labels = _labels_of(counts, task)
        if task in counts.spoken and len(labels) > 1:
            label_of = counts.component.label_of(task)
            lowest = np.where(counts.emitted_masks, label_of, np.iinfo(np.int16).max).min(axis=1)
            highest = np.where(counts.emitted_masks, label_of, -2).max(axis=1)
            voted = set(lowest[lowest == highest].tolist())
            never = [label for index, label in enumerate(labels) if index not in voted]
            if never:
                missing[task] = never
    if not missing:
        return
    told = "; ".join(f"{joined(labels)} of task {task!r}" for task, labels in missing.items())
    fix = f"add a source that votes for {them([label for labels in missing.values() for label in labels])}"
    yield Problem("A203", f"nobody votes for {told}", f"{fix}, or give class_balance", tasks=tuple(missing))


def duplicated(counts: VoteCounts, copies: list[list[int]]) -> Iterator[Problem]:
    """A301: the same votes on the same items."""
    groups = [group for group in copies if counts.independent[np.ix_(group, group)].any()]
    if not groups:
        return
    message = f"sources with identical votes, which count twice as evidence: {_groups(counts, groups)}"
    one, other = _names(counts, groups[0][:2])
    fix = f"drop all but one of each, or declare the dependency ({one!r}, {other!r})"
    yield _of_groups("A301", counts, groups, message, fix)


def nearly_duplicated(counts: VoteCounts, copies: list[list[int]]) -> Iterator[Problem]:
    """A302: agreement far beyond chance, all votes inside another source's, or other votes one for one."""
    close = np.argwhere(nearly_alike(counts, copies)).tolist()
    nested = np.argwhere(inside_another(counts, copies)).tolist()
    other_words = np.argwhere(renamed(counts)).tolist()
    if not close and not nested and not other_words:
        return
    told = []
    if close:
        told.append(f"sources that nearly always say the same: {_groups(counts, _linked(close))}")
    if nested:
        shown = ", ".join(" in ".join(map(repr, _names(counts, pair))) for pair in nested[:4])
        more = f" and {len(nested) - 4} more" if len(nested) > 4 else ""
        told.append(f"sources all of whose votes are inside another's: {shown}{more}")
    if other_words:
        told.append(
            "sources that vote on the same items, with labels that correspond one to one: "
            f"{_groups(counts, _linked(other_words))}"
        )
    one, other = _names(counts, (close or nested or other_words)[0])
    fix = f"if one is made from the other, drop it or declare the dependency ({one!r}, {other!r})"
    yield _of_groups("A302", counts, [*close, *nested, *other_words], "; ".join(told), fix)


def never_votes(found: Sequence[VoteCounts], sources: tuple[str, ...]) -> Iterator[Problem]:
    """A303."""
    speaking = {name for counts in found for name in counts.names}
    silent = tuple(name for name in sources if name not in speaking)
    if not silent or not speaking:
        return
    never, which = "never says" if len(silent) == 1 else "never say", them(silent)
    message = f"{joined(silent)} {never} anything that rules an outcome out; nothing is learned about {which}"
    yield Problem("A303", message, f"drop {which}, or find out why nothing comes from {which}", silent)


def few_votes(counts: VoteCounts) -> Iterator[Problem]:
    """A304."""
    names = _names(counts, np.flatnonzero(counts.votes < FEW_VOTES))
    if not names:
        return
    one = len(names) == 1
    message = (
        f"{joined(names)} {'has' if one else 'have'} fewer than {FEW_VOTES} votes on {tasks_text(counts.tasks)}, too "
        f"few to learn how accurate {'it is' if one else 'they are'}"
    )
    fix = (
        f"as {'a worker' if one else 'workers'} of a crowd, leave {them(names)} as {'it is' if one else 'they are'}; "
        f"as {'a rule' if one else 'rules'}, let {them(names)} vote on more items, or merge rules that rarely vote"
    )
    yield Problem("A304", message, fix, names, counts.tasks)


def constant(counts: VoteCounts) -> Iterator[Problem]:
    """A306."""
    always = (counts.emitted.sum(axis=1) == 1) & (counts.votes == counts.items) & (counts.votes >= FEW_VOTES)
    for sources, where in (
        (np.flatnonzero(always), "the same on every item"),
        (
            unvarying(counts, FEW_VOTES),
            "the same wherever {they} {vote}, on items of which others say what they say of any,",
        ),
    ):
        names = _names(counts, sources)
        if not names:
            continue
        say, tell, they, vote = ("says", "tells", "it", "votes") if len(names) == 1 else ("say", "tell", "they", "vote")
        told = where.format(they=they, vote=vote)
        message = f"{joined(names)} {say} {told} and {tell} nothing about {tasks_text(counts.tasks)}"
        fix = f"let {them(names)} abstain where nothing is known, or drop {them(names)}"
        yield Problem("A306", message, fix, names, counts.tasks)


def one_language_model(groups: Iterable[Sequence[str]], dependent: Iterable[Sequence[str]]) -> Iterator[Problem]:
    """A307: groups of sources that ask one model, none of whose dependencies is known."""
    known = [set(pair) for pair in dependent]
    for group in groups:
        if len(group) > 1 and not any(len(pair & set(group)) > 1 for pair in known):
            message = f"{joined(group)} ask the same language model, so that their errors may be correlated"
            fix = 'let the label model learn how far, with dependencies="learn", or declare them as dependencies'
            yield Problem("A307", message, fix, tuple(group))


def lonely_sources(counts: VoteCounts) -> npt.NDArray[np.intp]:
    """Sources that vote on no item on which another source votes."""
    return np.flatnonzero(np.bincount(np.concatenate(counts.met), minlength=len(counts.names)) == 0)


def _problem(code: str, counts: VoteCounts, message: str, fix: str) -> Problem:
    return Problem(code, message, fix, counts.names, counts.tasks)


def _of_groups(code: str, counts: VoteCounts, groups: Iterable[Sequence[int]], message: str, fix: str) -> Problem:
    members = sorted({source for group in groups for source in group})
    return Problem(code, message, fix, _names(counts, members), counts.tasks)


def _names(counts: VoteCounts, sources: Iterable[int]) -> tuple[str, ...]:
    return tuple(counts.names[source] for source in sources)


def _groups(counts: VoteCounts, groups: Sequence[Sequence[int]]) -> str:
    shown = "; ".join(joined(_names(counts, group), most=4) for group in groups[:4])
    return shown + (f"; and {len(groups) - 4} more" if len(groups) > 4 else "")


def _linked(pairs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Pairs joined to groups."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph([(one, other) for one, other in pairs])
    return sorted(sorted(part) for part in nx.connected_components(graph))


def _an_edge(counts: VoteCounts, sides: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[str, str]:
    first = sides[0][0]  # which is joined to some source on the other side
    return counts.names[first], counts.names[int(counts.joined[[first]].nonzero()[1].min())]


def _labels_of(counts: VoteCounts, task: str) -> tuple[str, ...]:
    return counts.component.labels[counts.tasks.index(task)]


def _determines(classes: npt.NDArray[np.int64], labels: npt.NDArray[np.int16]) -> bool:
    """Whether outcomes of one class always have one label."""
    pairs = np.unique(np.column_stack([classes, labels]), axis=0)
    return len(pairs) == len(np.unique(classes))
