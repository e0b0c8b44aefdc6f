"""Rules whose labels are dicts over several tasks."""

from __future__ import annotations

import assay

DOCTOR = {"entity": "Person", "person": "Doctor"}
DOCTOR_TOO = dict(reversed(DOCTOR.items()))


def said(rule, rows, tasks):
    return assay.apply(rule, rows, tasks).to_pandas().iloc[:, 0].tolist()


def test_the_order_of_the_tasks_in_a_label_does_not_matter(entities):
    rule = assay.dictionary({"dr": DOCTOR, "surgeon": DOCTOR_TOO}, on="text")
    assert said(rule, {"text": ["a dr and surgeon", "dr"]}, entities) == ["entity=Person, person=Doctor"] * 2
    rule = assay.column("said", mapping={"dr": DOCTOR, "surgeon": DOCTOR_TOO, "?": None})
    assert said(rule, {"said": ["surgeon", "?", "dr"]}, entities) == [
        "entity=Person, person=Doctor",
        None,
        "entity=Person, person=Doctor",
    ]


def test_entries_with_different_joint_labels_cancel_out(entities):
    rule = assay.dictionary({"dr": DOCTOR, "lawyer": {"entity": "Person", "person": "Lawyer"}}, on="text")
    assert said(rule, {"text": ["dr and lawyer", "lawyer"]}, entities) == [None, "entity=Person, person=Lawyer"]
