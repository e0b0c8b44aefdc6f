"""A small world of texts about four kinds of people and organisations."""

import numpy as np

import assay

TEXTS = ["A rose is a rose", "an Apple, a day", "rose day"]
WORDS = {
    "Doctor": ["patient", "surgery", "dose", "pulse", "ward round"],
    "Lawyer": ["judge", "appeal", "bail", "verdict", "closing brief"],
    "Hospital": ["beds", "nurses", "ambulance", "clinic", "new wing"],
    "Office": ["clients", "partners", "firm", "billing", "top floor"],
}


def entity_tasks():
    """The hierarchy of the paper's running example."""
    return assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            assay.Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        ]
    )


def small_world(tasks, items=240, seed=0, sure=0.8):
    """Texts that tell their outcome, soft labels that mostly know it, and the outcome numbers."""
    rng = np.random.default_rng(seed)
    kinds = list(WORDS)
    truth = rng.integers(0, 4, items)
    texts = [
        f"the {rng.choice(WORDS[kinds[y]])} and the {rng.choice(WORDS[kinds[y]])} number {i}"
        for i, y in enumerate(truth)
    ]
    believed = np.where(rng.random(items) < 0.9, truth, rng.integers(0, 4, items))
    joint = np.full((items, 4), (1 - sure) / 3)
    joint[np.arange(items), believed] = sure
    return texts, assay.Labels(tasks, (joint,)), truth
