"""Votes that contradict the logic between tasks."""

import numpy as np

import assay


class TestTaxonomy:
    def test_votes_that_contradict_the_task_graph(self, entities):
        person = np.arange(600) % 2 == 0
        columns = {f"coarse{j}": ("entity", np.where(person, "Person", "Organization").tolist()) for j in range(3)}
        right = [(here and "Doctor") or None for here in person]
        wrong = [None if here else "Doctor" for here in person]
        for fine, told in ((right, False), (wrong, True)):
            report = assay.check(assay.Votes.from_columns(entities, columns | {"fine": ("person", fine)}))
            assert ("A204" in report.codes) == told
