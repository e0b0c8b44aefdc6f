"""Sources that may err together, found without statistics: by what they are made from, and by plain counting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from assay.sources.base import Source, flatten
from assay.sources.copied_votes import copied_votes
from assay.sources.prompts import PromptSource
from assay.sources.shared_parts import asked_words, parts_of, words_of
from assay.votes import as_votes

_SHARE = 0.3
"""Sources share words if at least this fraction of the words of the one with fewer is in the other."""
_MOST_WORDS = 5
_ALIKE = 0.5
"""Prompts are alike if at least this share of the words of both is in each."""


@dataclass(frozen=True)
class Hint:
    """Two sources that are made from the same thing, or whose votes look copied, and so may err together."""

    sources: tuple[str, str]
    kind: Literal["resource", "preprocessor", "words", "prompt", "same votes", "nested votes", "copied votes"]
    what: str
    """The name of what they share, the words, or what the votes show."""

    def __str__(self) -> str:
        one, other = self.sources
        told = (
            self.what
            if self.kind.endswith("votes") or self.kind == "prompt"
            else f"both use the {self.kind} {self.what}"
        )
        return f"{one} – {other}: {told}"


def dependency_hints(sources: Any = (), *, votes: Any = None, ignore: Iterable[str] = ()) -> list[Hint]:
    """Pairs of sources that share a resource, a preprocessor or words, ask alike, or whose votes look copied.

    Hints are reasons to look, not dependencies: :func:`assay.learn_dependencies` tells which of them show in the votes.
    What more than half of all sources use is not a hint.

    Parameters
    ----------
    sources
        What :func:`assay.apply` takes. Words are those of patterns, dictionaries and code.
    votes
        Votes, or a matrix of class numbers. Hints are votes that are the same, votes that are nested, and
        workers who copy: who also agree where most others say something else.
    ignore
        Words that mean nothing, such as the names of labels.

    >>> import assay
    >>> spam = assay.keywords(["subscribe", "channel"], "spam", on="text", name="subscribe")
    >>> more = assay.regex("(channel|video)", "spam", on="text", name="videos")
    >>> other = assay.keywords(["song"], "ham", on="text", name="song")
    >>> print(*dependency_hints([spam, more, other]))
    subscribe – videos: both use the words channel
    """
    made = flatten(sources) if sources else []
    parts = [parts_of(source) for source in made]
    known = frozenset(word.lower() for word in ignore)
    words = [words_of(source) - known for source in made]
    users = {key: sum(key in each for each in parts) for key in {key for each in parts for key in each}}
    common = {word for word in set().union(*words) if sum(word in each for each in words) > max(len(made) / 2, 2)}
    found = [] if votes is None else [Hint(*told) for told in copied_votes(as_votes(votes))]
    for i, j in combinations(range(len(made)), 2):
        pair = (made[i].name, made[j].name)
        for key in parts[i].keys() & parts[j].keys():
            if users[key] <= max(len(made) / 2, 2):
                kind, name = parts[i][key]
                found.append(Hint(pair, kind, repr(name)))
        shared = (words[i] & words[j]) - common
        if shared and len(shared) >= _SHARE * min(len(words[i] - common), len(words[j] - common)):
            few = sorted(shared)[:_MOST_WORDS]
            more = f" and {len(shared) - len(few)} more" if len(shared) > len(few) else ""
            found.append(Hint(pair, "words", ", ".join(few) + more))
        alike = _alike(made[i], made[j])
        if alike is not None:
            found.append(Hint(pair, "prompt", alike))
    return sorted(found, key=lambda hint: (hint.sources, hint.kind, hint.what))


def _alike(one: Source, other: Source) -> str | None:
    """How far two prompts to one model ask the same, if they do."""
    if not (isinstance(one, PromptSource) and isinstance(other, PromptSource)) or one.asks != other.asks:
        return None
    words, others = asked_words(one), asked_words(other)
    share = len(words & others) / max(len(words | others), 1)
    return f"prompts to one model that share {share:.0%} of their words" if share >= _ALIKE else None
