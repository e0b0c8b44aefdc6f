"""Families of simulated votes that stand for the kinds users have, with what makes each hard.

Each family draws a world anew for every seed: accuracies, coverages, class balances and who copies whom differ from
seed to seed, so that a constant cannot be fitted to one world. Forms and constants of the label model are chosen on
seeds below :data:`REPORTED`; seeds from there on are for reporting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

import assay
from assay.simulate import task_world
from benchmarks.support.problems import LABELED, TASKS

Codes = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Rng = np.random.Generator

ITEMS = (300, 2_000, 20_000)
REPORTED = 1_000
"""Seeds below are for choosing, those from here on for reporting."""


@dataclass(frozen=True)
class Draw:
    """Simulated votes with their truth; only items that somebody votes on."""

    votes: assay.Votes = field(repr=False)
    gold: Codes = field(repr=False)
    """(items,): the number of the true outcome."""
    balance: FloatArray
    """The true class balance of the world that the items come from, before those without votes were left out."""


# Worlds are built from truths (items,), and from votes (items,) of one source each; −1 abstains.


def truth(balance: npt.ArrayLike, n: int, rng: Rng) -> Codes:
    """Labels drawn with a class balance."""
    chances = np.asarray(balance, dtype=float)
    return rng.choice(len(chances), size=n, p=chances / chances.sum())


def two_sided(y: Codes, classes: int, accuracy: float | FloatArray, coverage: float, rng: Rng) -> Codes:
    """A source that names any class; ``accuracy`` is one number, or one an item."""
    wrong = (y + rng.integers(1, classes, len(y))) % classes
    said = np.where(rng.random(len(y)) < accuracy, y, wrong)
    return np.where(rng.random(len(y)) < coverage, said, -1)


def one_sided(y: Codes, label: int, hit: float, slip: float, rng: Rng) -> Codes:
    """A source that only ever names ``label``: on a share ``hit`` of its items, and on ``slip`` of all others."""
    return np.where(rng.random(len(y)) < np.where(y == label, hit, slip), label, -1)


def confused(y: Codes, table: FloatArray, coverage: float, rng: Rng) -> Codes:
    """A source with a confusion table, (true, said)."""
    edges = np.cumsum(table, axis=1)[y]
    said = np.minimum((rng.random(len(y))[:, None] > edges).sum(axis=1), table.shape[1] - 1)
    return np.where(rng.random(len(y)) < coverage, said, -1)


def near_copy(said: Codes, same: float, other: Codes, rng: Rng) -> Codes:
    """What another source said on a share ``same`` of the items, its own votes on the rest."""
    return np.where(rng.random(len(said)) < same, said, other)


def _flat(columns: list[Codes], y: Codes, balance: npt.ArrayLike) -> Draw:
    matrix = np.column_stack(columns)
    kept = (matrix >= 0).any(axis=1)
    shares = np.asarray(balance, dtype=float)
    votes = assay.Votes.from_matrix(matrix[kept], cardinality=len(shares))
    return Draw(votes, y[kept], shares / shares.sum())


def _balance(rng: Rng, classes: int, evenness: float = 5.0) -> FloatArray:
    return np.maximum(rng.dirichlet(np.full(classes, evenness)), 0.3 / classes**1.5)


def _between(rng: Rng, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


# The families


def independent(n: int, rng: Rng) -> Draw:
    """Ten two-sided sources of any quality."""
    balance = _balance(rng, 2)
    y = truth(balance, n, rng)
    accuracies, coverages = rng.uniform(0.55, 0.9, 10), rng.uniform(0.3, 1.0, 10)
    return _flat([two_sided(y, 2, a, c, rng) for a, c in zip(accuracies, coverages, strict=True)], y, balance)


def five_classes(n: int, rng: Rng) -> Draw:
    """Ten sources with confusions of their own, five classes."""
    balance = _balance(rng, 5)
    y = truth(balance, n, rng)
    columns = []
    for _ in range(10):
        right = _between(rng, 0.45, 0.85)
        table = right * np.eye(5) + (1 - right) * rng.dirichlet(np.full(5, 1.0), 5)
        columns.append(confused(y, table, _between(rng, 0.3, 1.0), rng))
    return _flat(columns, y, balance)


def few_sources(n: int, rng: Rng) -> Draw:
    """Three to five sources, uneven classes."""
    share = _between(rng, 0.2, 0.5)
    balance = [1 - share, share]
    y = truth(balance, n, rng)
    columns = [
        two_sided(y, 2, _between(rng, 0.65, 0.9), _between(rng, 0.5, 1.0), rng) for _ in range(int(rng.integers(3, 6)))
    ]
    return _flat(columns, y, balance)


def unbalanced(n: int, rng: Rng) -> Draw:
    """A class of 3 to 10%, two-sided sources."""
    share = _between(rng, 0.03, 0.1)
    y = truth([1 - share, share], n, rng)
    columns = [two_sided(y, 2, _between(rng, 0.75, 0.95), _between(rng, 0.4, 1.0), rng) for _ in range(8)]
    return _flat(columns, y, [1 - share, share])


def one_sided_independent(n: int, rng: Rng) -> Draw:
    """Eight to sixteen one-sided sources, independent given the truth; two to four classes."""
    classes = int(rng.integers(2, 5))
    balance = _balance(rng, classes, 3.0)
    y = truth(balance, n, rng)
    count = int(rng.integers(8, 17))
    columns = [one_sided(y, j % classes, _between(rng, 0.2, 0.6), _between(rng, 0.01, 0.1), rng) for j in range(count)]
    return _flat(columns, y, balance)


def one_sided_rare(n: int, rng: Rng) -> Draw:
    """A class of 2 to 6%, five one-sided sources for each class."""
    share = _between(rng, 0.02, 0.06)
    y = truth([1 - share, share], n, rng)
    columns = [one_sided(y, j % 2, _between(rng, 0.3, 0.6), _between(rng, 0.02, 0.1), rng) for j in range(10)]
    return _flat(columns, y, [1 - share, share])


def lopsided(n: int, rng: Rng) -> Draw:
    """Six one-sided sources for one class, one for the other."""
    share = _between(rng, 0.3, 0.6)
    y = truth([1 - share, share], n, rng)
    columns = [one_sided(y, 1, _between(rng, 0.25, 0.55), _between(rng, 0.03, 0.12), rng) for _ in range(6)]
    return _flat([*columns, one_sided(y, 0, _between(rng, 0.3, 0.6), 0.08, rng)], y, [1 - share, share])


def prompts(n: int, rng: Rng) -> Draw:
    """One-sided prompts with shared errors: items that look like the other class fool most of them."""
    share = _between(rng, 0.15, 0.6)
    y = truth([1 - share, share], n, rng)
    looks = np.where(rng.random(n) < _between(rng, 0.05, 0.2), 1 - y, y)
    # How plain an item is: prompts of both classes fire more often on plain items.
    plain = rng.beta(1.5, 1.5, n)
    columns = []
    for j in range(int(rng.integers(8, 21))):
        label, hit, slip = int(rng.random() < 0.6), _between(rng, 0.2, 0.9), _between(rng, 0.01, 0.1)
        chance = np.where(looks == label, hit * (0.4 + 1.2 * plain), slip * (1.6 - 1.2 * plain))
        columns.append(np.where(rng.random(n) < chance, label if j > 1 else j, -1))
    return _flat(columns, y, [1 - share, share])


def topics(n: int, rng: Rng) -> Draw:
    """One-sided prompts or rules for kinds of items: what two of them share may be a kind, and not a class.

    Some sources of each class are about the class as a whole, the others about one or two of its kinds.
    """
    share = _between(rng, 0.2, 0.6)
    y = truth([1 - share, share], n, rng)
    kinds = int(rng.integers(3, 6))
    # The kinds of each class are of very different size.
    sizes = rng.dirichlet(np.full(kinds, 1.5), 2)
    kind = np.where(y == 1, truth(sizes[1], n, rng), truth(sizes[0], n, rng))
    columns = []
    for j in range(int(rng.integers(8, 17))):
        label = j % 2
        about = rng.random(kinds) < 0.4
        about[int(rng.integers(kinds))] = True
        if rng.random() < 0.3:
            about[:] = True
        hit, slip = _between(rng, 0.4, 0.9), _between(rng, 0.01, 0.1)
        # Some kinds of the other class look alike.
        fooled = rng.random(kinds) < 0.15
        chance = np.where(y == label, np.where(about[kind], hit, 0.05), np.where(fooled[kind], hit / 2, slip))
        columns.append(np.where(rng.random(n) < chance, label, -1))
    return _flat(columns, y, [1 - share, share])


def paraphrases(n: int, rng: Rng) -> Draw:
    """Prompts in groups that reword each other."""
    share = _between(rng, 0.2, 0.6)
    y = truth([1 - share, share], n, rng)
    columns: list[Codes] = []
    for j in range(6):
        label, hit, slip = j % 2, _between(rng, 0.3, 0.8), _between(rng, 0.02, 0.15)
        first = one_sided(y, label, hit, slip, rng)
        same = _between(rng, 0.7, 0.97)
        columns += [first]
        columns += [
            near_copy(first, same, one_sided(y, label, hit, slip, rng), rng) for _ in range(int(rng.integers(0, 4)))
        ]
    return _flat(columns, y, [1 - share, share])


def nested(n: int, rng: Rng) -> Draw:
    """One-sided rules, most of which refine a broad one: all their votes are inside of its votes."""
    share = _between(rng, 0.3, 0.6)
    y = truth([1 - share, share], n, rng)
    columns: list[Codes] = []
    for label in (0, 1):
        for _ in range(int(rng.integers(1, 4))):
            broad = one_sided(y, label, _between(rng, 0.3, 0.8), _between(rng, 0.1, 0.5), rng)
            columns.append(broad)
            for _ in range(int(rng.integers(0, 6))):
                fine = one_sided(y, label, _between(rng, 0.03, 0.3), _between(rng, 0.01, 0.1), rng)
                columns.append(np.where(broad >= 0, fine, -1))
        columns += [one_sided(y, label, _between(rng, 0.02, 0.2), _between(rng, 0.01, 0.08), rng) for _ in range(3)]
    return _flat(columns, y, [1 - share, share])


def keywords(n: int, rng: Rng) -> Draw:
    """Thirty to sixty sparse rules, five classes; rules fire on words, and words come together."""
    classes = 5
    balance = _balance(rng, classes)
    y = truth(balance, n, rng)
    words = 20
    about = rng.integers(0, classes, words)
    chance = np.where(about[None, :] == np.arange(classes)[:, None], rng.uniform(0.05, 0.3, words), 0.015)
    present = rng.random((n, words)) < chance[y]
    columns = []
    for _ in range(int(rng.integers(30, 61))):
        word = int(rng.integers(words))
        fires = present[:, word] & (rng.random(n) < _between(rng, 0.3, 0.95))
        columns.append(np.where(fires | (rng.random(n) < 0.003), about[word], -1))
    return _flat(columns, y, balance)


def plain_and_obscure(n: int, rng: Rng) -> Draw:
    """Two to eleven classes with two to five rules each, but one for the first; all fire more often on plain items."""
    classes = int(rng.integers(2, 12))
    balance = _balance(rng, classes, _between(rng, 0.5, 5.0))
    y = truth(balance, n, rng)
    looks = np.where(rng.random(n) < _between(rng, 0.02, 0.15), rng.integers(0, classes, n), y)
    evenness = _between(rng, 0.5, 3.0)
    plain = 2 * rng.beta(evenness, evenness, n)
    most_slips = 0.1 if classes < 4 else 0.02
    columns = []
    for label in range(classes):
        for _ in range(int(rng.integers(2, 6)) if label else 1):
            chance = np.where(looks == label, _between(rng, 0.1, 0.7) * plain, _between(rng, 0.0, most_slips))
            columns.append(np.where(rng.random(n) < chance, label, -1))
    return _flat(columns, y, balance)


def many_classes(n: int, rng: Rng) -> Draw:
    """Twenty classes with two one-class rules each."""
    classes = 20
    y = truth(np.ones(classes), n, rng)
    columns = [one_sided(y, j % classes, _between(rng, 0.2, 0.6), _between(rng, 0.002, 0.02), rng) for j in range(40)]
    return _flat(columns, y, np.ones(classes))


def mixed_sides(n: int, rng: Rng) -> Draw:
    """One-sided rules beside two-sided classifiers, three classes, difficult items."""
    balance = _balance(rng, 3)
    y = truth(balance, n, rng)
    hard = rng.random(n) < 0.25
    columns = [one_sided(y, j % 3, _between(rng, 0.2, 0.5), _between(rng, 0.01, 0.08), rng) for j in range(9)]
    columns += [
        two_sided(y, 3, np.where(hard, 0.45, _between(rng, 0.7, 0.9)), _between(rng, 0.5, 1.0), rng) for _ in range(3)
    ]
    return _flat(columns, y, balance)


def copies_of_a_weak_one(n: int, rng: Rng) -> Draw:
    """Six to fourteen independent sources, and three or four near-copies of a weak one."""
    classes = int(rng.choice([2, 2, 4]))
    y = truth(np.ones(classes), n, rng)
    weak = 1 / classes + _between(rng, 0.08, 0.25)
    first = two_sided(y, classes, weak, 1.0, rng)
    same = _between(rng, 0.8, 1.0)
    columns = [two_sided(y, classes, _between(rng, 0.6, 0.8), 1.0, rng) for _ in range(int(rng.integers(6, 15)))]
    columns += [
        near_copy(first, same, two_sided(y, classes, weak, 1.0, rng), rng) for _ in range(int(rng.integers(3, 5)))
    ]
    return _flat(columns, y, np.ones(classes))


def copies_of_a_good_one(n: int, rng: Rng) -> Draw:
    """Six to ten sources with gaps, and two to four near-copies of a good one."""
    balance = _balance(rng, 3)
    y = truth(balance, n, rng)
    first = two_sided(y, 3, _between(rng, 0.75, 0.9), 0.7, rng)
    columns = [
        two_sided(y, 3, _between(rng, 0.5, 0.8), _between(rng, 0.3, 1.0), rng) for _ in range(int(rng.integers(6, 11)))
    ]
    same = _between(rng, 0.8, 1.0)
    columns += [near_copy(first, same, two_sided(y, 3, 0.8, 0.7, rng), rng) for _ in range(int(rng.integers(2, 5)))]
    return _flat(columns, y, balance)


def twice(n: int, rng: Rng) -> Draw:
    """Five sources, each there twice."""
    y = truth([0.5, 0.5], n, rng)
    columns = []
    for _ in range(5):
        accuracy = _between(rng, 0.6, 0.85)
        first = two_sided(y, 2, accuracy, 0.8, rng)
        columns += [first, near_copy(first, _between(rng, 0.9, 1.0), two_sided(y, 2, accuracy, 0.8, rng), rng)]
    return _flat(columns, y, [0.5, 0.5])


def classifiers(n: int, rng: Rng) -> Draw:
    """Four to six classifiers that always vote; trained on similar data, they confuse the same classes."""
    classes = int(rng.integers(3, 7))
    balance = _balance(rng, classes)
    y = truth(balance, n, rng)
    # The scores of the classes: some items are far from their class for all, and some classes are close to each other.
    near = rng.normal(0, 0.5, (classes, classes))
    shared = 1.5 * np.eye(classes)[y] + near[y] + rng.normal(0, _between(rng, 0.4, 0.8), (n, classes))
    columns = []
    for _ in range(int(rng.integers(4, 7))):
        noise = rng.normal(0, _between(rng, 0.5, 1.5), (n, classes)) + rng.normal(0, 0.3, classes)
        columns.append((shared + noise).argmax(axis=1))
    return _flat(columns, y, balance)


def difficult_items(n: int, rng: Rng) -> Draw:
    """Eight sources whose accuracy falls with the difficulty of the item."""
    classes = int(rng.integers(2, 5))
    balance = _balance(rng, classes)
    y = truth(balance, n, rng)
    ease = rng.beta(2.0, 1.0, n)
    columns = []
    for _ in range(8):
        accuracy = 1 / classes + (1 - 1 / classes) * ease ** _between(rng, 0.3, 2.0)
        columns.append(two_sided(y, classes, accuracy, _between(rng, 0.4, 1.0), rng))
    return _flat(columns, y, balance)


def adversaries(n: int, rng: Rng) -> Draw:
    """Ten sources, two or three of which are worse than chance."""
    y = truth([0.5, 0.5], n, rng)
    bad = int(rng.integers(2, 4))
    columns = [two_sided(y, 2, _between(rng, 0.2, 0.4) if j < bad else _between(rng, 0.65, 0.85), 0.8, rng)
               for j in range(10)]  # fmt: skip
    return _flat(columns, y, [0.5, 0.5])


def _crowd(y: Codes, tables: list[FloatArray], votes_each: int, rng: Rng) -> list[Codes]:
    """Workers who each see some items, so that every item has about ``votes_each`` votes."""
    coverage = np.minimum(rng.dirichlet(np.full(len(tables), 0.6)) * votes_each + 0.002, 0.9)
    return [confused(y, table, share, rng) for table, share in zip(tables, coverage, strict=True)]


def small_workers(n: int, rng: Rng) -> Draw:
    """A crowd of 60 to 150, uneven classes, five votes an item, workers with a side they favour."""
    share = _between(rng, 0.2, 0.5)
    y = truth([1 - share, share], n, rng)
    tables = []
    for _ in range(int(rng.integers(60, 151))):
        right = np.clip(rng.normal(0.75, 0.12) + np.array([1, -1]) * rng.normal(0, 0.1), 0.3, 0.97)
        tables.append(np.array([[right[0], 1 - right[0]], [1 - right[1], right[1]]]))
    return _flat(_crowd(y, tables, 5, rng), y, [1 - share, share])


def sub_types(n: int, rng: Rng) -> Draw:
    """A crowd of 20 to 40, four classes, with kinds of items that many workers take for another class."""
    classes = 4
    balance = _balance(rng, classes)
    y = truth(balance, n, rng)
    # An odd item of a class looks like another class to a worker who does not know better.
    odd, looks = rng.random(n) < 0.25, (y + rng.integers(1, classes, classes)[y]) % classes
    columns = []
    coverage = np.minimum(rng.dirichlet(np.full(30, 1.0)) * 6, 0.9)
    for share in coverage:
        able, fooled = _between(rng, 0.6, 0.95), _between(rng, 0.2, 0.7)
        seen = np.where(odd & (rng.random(n) < fooled), looks, y)
        columns.append(two_sided(seen, classes, able, float(share), rng))
    return _flat(columns, y, balance)


def distractors(n: int, rng: Rng) -> Draw:
    """A crowd of 30 to 100, three to eight classes: wrong votes on an item mostly go to the same wrong class.

    Some items look so much like another class that most workers take them for it.
    """
    classes = int(rng.integers(3, 9))
    balance = _balance(rng, classes)
    y = truth(balance, n, rng)
    ease = np.where(rng.random(n) < _between(rng, 0.05, 0.3), 0.1, rng.beta(2.5, 1.0, n))
    distractor = (y + rng.integers(1, classes, n)) % classes
    workers = int(rng.integers(30, 101))
    coverage = np.minimum(rng.dirichlet(np.full(workers, 0.8)) * _between(rng, 4, 10) + 0.002, 0.9)
    columns = []
    for share in coverage:
        right = 1 / classes + (1 - 1 / classes) * ease ** _between(rng, 0.3, 1.5)
        said = two_sided(y, classes, right, 1.0, rng)
        said = np.where((said != y) & (rng.random(n) < 0.6), distractor, said)
        columns.append(np.where(rng.random(n) < share, said, -1))
    return _flat(columns, y, balance)


def batches(n: int, rng: Rng) -> Draw:
    """A crowd that works through batches of items: who sees an item depends on its batch, and so does its class."""
    classes = int(rng.integers(2, 7))
    size = 40
    batch = np.arange(n) // size
    count = int(batch[-1]) + 1
    balances = rng.dirichlet(np.full(classes, 2.0), count)
    y = np.minimum((rng.random(n)[:, None] > np.cumsum(balances, axis=1)[batch]).sum(axis=1), classes - 1)
    ease = rng.beta(2.0, 1.0, n)
    distractor = (y + rng.integers(1, classes, n)) % classes
    seen = [rng.random(count) < share for share in rng.dirichlet(np.full(60, 0.7)) * _between(rng, 5, 10) + 0.5 / count]
    columns = []
    for mine in seen:
        said = two_sided(y, classes, 1 / classes + (1 - 1 / classes) * ease ** _between(rng, 0.2, 1.5), 1.0, rng)
        said = np.where((said != y) & (rng.random(n) < 0.5), distractor, said)
        columns.append(np.where(mine[batch], said, -1))
    return _flat(columns, y, balances.mean(axis=0))


def dense_crowd(n: int, rng: Rng) -> Draw:
    """Twenty to forty workers who all label everything; each favours a side, and some items fool most of them."""
    share = _between(rng, 0.25, 0.5)
    y = truth([1 - share, share], n, rng)
    # How far an item is from the border between the classes; beyond it for those that fool most.
    plain = rng.normal(1.0, 0.8, n) * np.where(y == 1, 1, -1)
    columns = []
    for _ in range(int(rng.integers(20, 41))):
        skill, side = _between(rng, 0.2, 1.5), rng.normal(0, 0.7)
        columns.append((skill * plain + side + rng.normal(0, 1, n) > 0).astype(np.int64))
    return _flat(columns, y, [1 - share, share])


def spammers(n: int, rng: Rng) -> Draw:
    """A crowd of 40 in which a third answers at random or always the same; three classes."""
    balance = _balance(rng, 3)
    y = truth(balance, n, rng)
    tables = []
    for worker in range(40):
        kind = worker % 6
        if kind == 0:
            tables.append(np.tile(rng.dirichlet(np.ones(3)), (3, 1)))
        elif kind == 1:
            tables.append(np.tile(np.eye(3)[int(rng.integers(3))] * 0.96 + 0.0133, (3, 1)))
        else:
            right = _between(rng, 0.6, 0.9)
            tables.append(right * np.eye(3) + (1 - right) * rng.dirichlet(np.ones(3), 3))
    return _flat(_crowd(y, tables, 6, rng), y, balance)


def _tree(n: int, rng: Rng, *, pairs: bool = False, sides: int = 2) -> Draw:
    """Ten sources over three tasks; with undeclared pairs, or with sources that name one label of their task only."""
    seed = int(rng.integers(2**31))
    world = task_world(TASKS, LABELED, seed=seed)
    drawn = world.draw(n, seed=seed)
    codes = drawn.votes.codes.copy()
    if pairs:
        # The first source of the coarse task and of a fine one is copied by its neighbour.
        for original in (0, 4):
            codes[:, original + 1] = near_copy(codes[:, original], 0.8, codes[:, original + 1], rng)
    if sides == 1:
        codes[codes != np.arange(codes.shape[1]) % 2] = -1
    kept = (codes >= 0).any(axis=1)
    schema = drawn.votes.schema
    votes = assay.Votes.from_codes(schema.tasks, codes[kept], schema.names, schema.values)
    return Draw(votes, drawn.gold[kept], world.balance)


def hierarchy(n: int, rng: Rng) -> Draw:
    """Three tasks in a tree, ten sources of different granularity."""
    return _tree(n, rng)


def hierarchy_with_pairs(n: int, rng: Rng) -> Draw:
    """The same with two undeclared pairs."""
    return _tree(n, rng, pairs=True)


def one_sided_hierarchy(n: int, rng: Rng) -> Draw:
    """The same with sources that name one label of their task only."""
    return _tree(n, rng, sides=1)


def _taxonomy(domains: int, intents: int) -> assay.TaskGraph:
    """A coarse task, and a fine one for each of its labels."""
    numbers, names = range(intents), [f"domain{number}" for number in range(domains)]
    fine = [assay.Task(f"in_{name}", [f"{name}_{i}" for i in numbers], parent=("domain", name)) for name in names]
    return assay.TaskGraph([assay.Task("domain", names), *fine])


def taxonomy(n: int, rng: Rng) -> Draw:
    """Many outcomes in a tree, uneven: one-sided rules for coarse labels and for some of the fine ones.

    Rules of all kinds fire more often on plain items, and on items that look like another label they err together.
    """
    domains, intents = int(rng.integers(2, 9)), int(rng.integers(2, 7))
    tasks = _taxonomy(domains, intents)
    count = domains * intents
    balance = _balance(rng, count, _between(rng, 0.5, 5.0))
    y = truth(balance, n, rng)
    looks = np.where(rng.random(n) < _between(rng, 0.03, 0.15), (y + rng.integers(1, count, count)[y]) % count, y)
    plain = rng.random(n)
    columns: dict[str, tuple[str, list[str | None]]] = {}

    def add(name: str, task: str, label: str, right: npt.NDArray[np.bool_], slip: float) -> None:
        chance = np.where(right, _between(rng, 0.3, 0.9) * 1.5 * plain, slip)
        columns[name] = (task, [label if fires else None for fires in rng.random(n) < chance])

    for outcome in range(count):
        domain = outcome // intents
        # Rules are written for what is seen most, and some of the others have none.
        for rule in range(int(rng.poisson(balance[outcome] / balance.mean()))):
            label = f"domain{domain}_{outcome % intents}"
            add(f"fine{outcome}_{rule}", f"in_domain{domain}", label, looks == outcome, _between(rng, 0.0, 0.01))
    for domain in range(domains):
        for rule in range(int(rng.integers(1, 3))):
            of_it = looks // intents == domain
            add(f"coarse{domain}_{rule}", "domain", f"domain{domain}", of_it, _between(rng, 0.0, 0.03))
    votes = assay.Votes.from_columns(tasks, columns)
    kept = np.flatnonzero((votes.codes >= 0).any(axis=1))
    return Draw(votes.take(kept), y[kept], balance / balance.sum())


FAMILIES: dict[str, Callable[[int, Rng], Draw]] = {
    maker.__name__.replace("_", " "): maker
    for maker in (
        *(independent, five_classes, few_sources, unbalanced),
        *(
            one_sided_independent,
            one_sided_rare,
            lopsided,
            prompts,
            topics,
            paraphrases,
            nested,
            keywords,
            many_classes,
            plain_and_obscure,
            mixed_sides,
        ),
        *(copies_of_a_weak_one, copies_of_a_good_one, twice, classifiers, difficult_items, adversaries),
        *(
            small_workers,
            sub_types,
            distractors,
            batches,
            dense_crowd,
            spammers,
            hierarchy,
            hierarchy_with_pairs,
            one_sided_hierarchy,
            taxonomy,
        ),
    )
}


def draw(name: str, n: int, seed: int) -> Draw:
    """Votes of one family; the same for the same seed."""
    return FAMILIES[name](n, np.random.default_rng([seed, n, *name.encode()]))
