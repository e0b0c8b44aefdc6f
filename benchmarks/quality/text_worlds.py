"""Simulated texts with votes: how far both go wrong together is set, and the truth is known.

A text is a bag of words: words of its class, words of other classes (noise), and words of no class. Sources are of two
kinds. *Keyword* sources vote for a class where one of its words occurs, so that they err where the text misleads;
*outside* sources, such as people or a knowledge base, know nothing of the text. *Traps* are phrases of another class
in some texts, which several keyword sources fall for at once, and a model of the text with them: shared errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import assay

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TextWorld:
    """How texts and votes are made."""

    name: str
    classes: int = 4
    groups: int = 1
    """Above 1: classes are in this many groups, a coarse task above the fine one, and some sources know only that."""
    items: int = 4_000
    length: float = 10.0
    """Words of a text, on average."""
    signal: float = 0.35
    """The share of words that are of the class."""
    noise: float = 0.12
    """The share of words that are of another class."""
    words: int = 40
    """Words of a class."""
    ordinary: int = 2_000
    """Words of no class."""
    keyword_sources: int = 0
    """For each class."""
    keywords: int = 3
    """Words that a keyword source looks for."""
    outside_sources: int = 0
    outside_accuracy: tuple[float, float] = (0.6, 0.85)
    outside_coverage: tuple[float, float] = (0.3, 0.7)
    traps: float = 0.0
    """The share of texts with a trap: two of three keyword sources of another class vote for that one."""
    sharp: float = 0.0
    """How often a keyword source that would be wrong sees it from the context, and abstains."""
    skew: float = 0.0
    """Above 0: classes differ in how frequent they are."""

    def draw(self, seed: int) -> Drawn:
        """Texts, votes and the truth."""
        rng = np.random.default_rng([seed, len(self.name), sum(map(ord, self.name))])
        shares = (1.0 + np.arange(self.classes)) ** -self.skew
        truth = rng.choice(self.classes, self.items, p=shares / shares.sum())
        trapped = np.where(rng.random(self.items) < self.traps, self._others(truth, rng), -1)
        texts = self._texts(truth, trapped, rng)
        tasks = self.tasks()
        columns = self._keyword_votes(texts, truth, trapped, rng) | self._outside_votes(truth, rng)
        return Drawn([" ".join(text) for text in texts], assay.Votes.from_columns(tasks, columns), truth)

    def tasks(self) -> assay.TaskGraph:
        """One flat task, or fine classes below coarse ones; outcomes are in the order of the classes."""
        if self.groups == 1:
            return assay.TaskGraph.flat("label", [f"c{number}" for number in range(self.classes)])
        parts = np.array_split(np.arange(self.classes), self.groups)
        coarse = assay.Task("coarse", [f"g{number}" for number in range(self.groups)])
        fine = [
            assay.Task(f"fine{at}", [f"c{number}" for number in part], parent=("coarse", f"g{at}"))
            for at, part in enumerate(parts)
        ]
        return assay.TaskGraph([coarse, *fine])

    def _others(self, truth: IntArray, rng: np.random.Generator) -> IntArray:
        """For each item a class that it does not have; mostly the next, so that errors are alike."""
        step = np.where(rng.random(len(truth)) < 0.7, 1, rng.integers(1, self.classes, len(truth)))
        return (truth + step) % self.classes

    def _texts(self, truth: IntArray, trapped: IntArray, rng: np.random.Generator) -> list[list[str]]:
        common = 1 / (1.0 + np.arange(self.words))
        rare = 1 / (5.0 + np.arange(self.ordinary))
        common, rare = common / common.sum(), rare / rare.sum()
        found = []
        for at, label in enumerate(truth):
            size = 1 + rng.poisson(self.length)
            kind = rng.random(size)
            of_class = np.where(kind < self.signal, label, (label + rng.integers(1, self.classes, size)) % self.classes)
            with_class = kind < self.signal + self.noise
            own, other = rng.choice(self.words, size, p=common), rng.choice(self.ordinary, size, p=rare)
            words = [
                f"w{c}x{w}" if is_own else f"o{o}"
                for c, w, o, is_own in zip(of_class, own, other, with_class, strict=True)
            ]
            if trapped[at] >= 0:
                words += [f"t{trapped[at]}x{number}" for number in rng.choice(4, 2, replace=False)]
            found.append(words)
        return found

    def _keyword_votes(
        self, texts: list[list[str]], truth: IntArray, trapped: IntArray, rng: np.random.Generator
    ) -> dict[str, tuple[str, list[str | None]]]:
        found: dict[str, tuple[str, list[str | None]]] = {}
        held = [set(text) for text in texts]
        for label in range(self.classes):
            for number in range(self.keyword_sources):
                looked_for = {f"w{label}x{word}" for word in rng.choice(self.words, self.keywords, replace=False)}
                falls = number % 3 < 2
                says = np.array([bool(words & looked_for) for words in held])
                says &= (truth == label) | (rng.random(len(says)) >= self.sharp)
                says |= falls & (trapped == label)
                found[f"k{label}.{number}"] = self._said(np.where(says, label, -1), coarse=number % 3 == 2)
        return found

    def _outside_votes(self, truth: IntArray, rng: np.random.Generator) -> dict[str, tuple[str, list[str | None]]]:
        found = {}
        for number in range(self.outside_sources):
            right = rng.random(len(truth)) < rng.uniform(*self.outside_accuracy)
            votes = np.where(right, truth, (truth + rng.integers(1, self.classes, len(truth))) % self.classes)
            speaks = rng.random(len(truth)) < rng.uniform(*self.outside_coverage)
            found[f"p{number}"] = self._said(np.where(speaks, votes, -1), coarse=number % 3 == 2)
        return found

    def _said(self, votes: IntArray, coarse: bool) -> tuple[str, list[str | None]]:
        """Votes by name; those of the fine tasks name their task too, as dicts do."""
        if self.groups == 1:
            return "label", [None if vote < 0 else f"c{vote}" for vote in votes]
        parts = np.array_split(np.arange(self.classes), self.groups)
        group = np.concatenate([np.full(len(part), at) for at, part in enumerate(parts)])
        if coarse:
            return "coarse", [None if vote < 0 else f"g{group[vote]}" for vote in votes]
        return [None if vote < 0 else {f"fine{group[vote]}": f"c{vote}"} for vote in votes]  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Texts, votes on them, and their classes."""

    texts: list[str]
    votes: assay.Votes
    truth: IntArray
    """(items,): outcome numbers."""


WORLDS = (
    TextWorld(name="outside sources, good text", outside_sources=6),
    TextWorld(name="outside sources, weak text", outside_sources=6, signal=0.15, noise=0.1),
    TextWorld(name="outside sources, text of no use", outside_sources=6, signal=0.0, noise=0.0),
    TextWorld(name="few outside sources, good text", outside_sources=3, outside_coverage=(0.3, 0.4)),
    TextWorld(name="strong outside sources", outside_sources=8, outside_accuracy=(0.8, 0.95)),
    TextWorld(name="keywords", keyword_sources=3),
    TextWorld(name="keywords, long texts", keyword_sources=3, length=40, signal=0.1, noise=0.05),
    TextWorld(name="sharp keywords, weak text", keyword_sources=8, sharp=0.8, length=30, signal=0.08, noise=0.08),
    TextWorld(
        name="sharp keywords, few items",
        keyword_sources=8,
        sharp=0.8,
        length=30,
        signal=0.1,
        noise=0.1,
        items=1_200,
        classes=6,
    ),
    TextWorld(name="keywords, few items", keyword_sources=3, items=700),
    TextWorld(name="keywords, two classes", keyword_sources=6, classes=2),
    TextWorld(name="keywords, skewed", keyword_sources=3, classes=6, skew=1.2),
    TextWorld(name="keywords, many classes", keyword_sources=3, classes=40, items=6_000, words=25, keywords=2),
    TextWorld(name="keywords and outside", keyword_sources=3, outside_sources=3),
    TextWorld(name="keywords and outside, weak text", keyword_sources=3, outside_sources=4, signal=0.15, noise=0.1),
    TextWorld(name="hierarchy", keyword_sources=3, outside_sources=3, classes=8, groups=3, items=5_000),
    TextWorld(name="hierarchy, keywords", keyword_sources=4, classes=12, groups=3, items=5_000),
    TextWorld(name="traps 10%", keyword_sources=3, traps=0.1),
    TextWorld(name="traps 25%", keyword_sources=3, traps=0.25),
    TextWorld(name="traps 10%, outside", keyword_sources=3, outside_sources=3, traps=0.1),
    TextWorld(name="traps 25%, outside", keyword_sources=3, outside_sources=4, traps=0.25),
    TextWorld(
        name="traps 25%, strong outside",
        keyword_sources=3,
        outside_sources=3,
        outside_accuracy=(0.8, 0.9),
        outside_coverage=(0.4, 0.6),
        traps=0.25,
    ),
    TextWorld(
        name="traps 40%, strong outside",
        keyword_sources=3,
        outside_sources=3,
        outside_accuracy=(0.8, 0.9),
        outside_coverage=(0.4, 0.6),
        traps=0.4,
    ),
    TextWorld(name="outside sources, good text, skewed", outside_sources=6, skew=1.5),
    TextWorld(name="keywords, two classes, skewed", keyword_sources=6, classes=2, skew=2.0),
    TextWorld(name="keywords, long texts, skewed", keyword_sources=3, length=40, signal=0.1, noise=0.05, skew=0.7),
    TextWorld(name="keywords, few items, skewed", keyword_sources=3, items=700, skew=1.0),
    TextWorld(name="keywords and outside, skewed", keyword_sources=3, outside_sources=3, skew=1.0),
    TextWorld(
        name="hierarchy, skewed", keyword_sources=3, outside_sources=3, classes=8, groups=3, items=5_000, skew=1.0
    ),
    TextWorld(name="traps 25%, skewed", keyword_sources=3, traps=0.25, skew=1.0),
    TextWorld(
        name="sharp keywords, skewed",
        keyword_sources=8,
        classes=5,
        sharp=0.9,
        items=3_000,
        length=30,
        signal=0.1,
        noise=0.1,
        skew=1.0,
    ),
    TextWorld(
        name="sharp keywords, hierarchy",
        keyword_sources=5,
        keywords=4,
        classes=12,
        groups=3,
        sharp=0.9,
        items=3_000,
        length=20,
        signal=0.12,
        noise=0.08,
        skew=0.7,
    ),
)
"""Those with traps share errors on purpose."""
