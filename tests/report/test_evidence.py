"""What refined labels rest on, counted."""

import numpy as np

import assay
from assay.gold import CheckedLabels
from assay.labels import KINDS, Refined
from assay.report import evidence_facts, evidence_rows

TASKS = assay.TaskGraph.flat("mail", ["ham", "spam"])
BEFORE = assay.Labels(TASKS, (np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [1.0, 0.0]]),))
KINDS_OF_ITEMS = np.array(
    [KINDS.index(name) for name in ("votes and data", "votes and data", "data", "gold")], np.uint8
)


def _refined(gold=None):
    said = Refined(KINDS_OF_ITEMS, (0.9,), {"data": (1.5,)}, ("a note",))
    return assay.Labels(TASKS, (np.array([[0.9, 0.1], [0.3, 0.7], [0.2, 0.8], [1.0, 0.0]]),), gold=gold, refined=said)


def test_kinds_are_counted_and_scored_by_gold():
    votes = assay.Votes.from_matrix([[0], [1], [-1], [0]], labels=["ham", "spam"], task="mail")
    facts = evidence_facts(_refined(), BEFORE, votes.gold([0, 1, 0, 0]))
    both, data, gold = sorted(facts.kinds, key=lambda kind: ["votes and data", "data", "gold"].index(kind.name))
    assert (both.items, both.changed, both.scored, both.before, both.after) == (2, 1, 2, 0.5, 1.0)
    assert (data.items, data.after) == (1, 0.0)
    assert (gold.items, gold.changed, gold.after) == (1, 0, 1.0)
    assert facts.votes_weight == 0.9
    assert ["100.0%" in row for row in evidence_rows(facts)].count(True) >= 1


def test_items_that_taught_are_judged_without_their_gold():
    taught = CheckedLabels(np.array([3]), (np.array([[True, False]]),), (np.array([[0.2, 0.8]]),), np.ones(1))
    facts = evidence_facts(_refined(taught), BEFORE)
    gold = next(kind for kind in facts.kinds if kind.name == "gold")
    assert (gold.scored, gold.after) == (1, 0.0)
    assert next(kind for kind in facts.kinds if kind.name == "data").after is None
    assert evidence_facts(None, BEFORE) is None
