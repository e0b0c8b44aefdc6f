"""MeTaL's multi-task label model on one problem, in a process of its own, in the peers' environment.

Reads an .npz file: ``fit`` and ``label``, (tasks, items, sources), the votes on each task, from 1, and 0 for none;
``feasible``, (outcomes, tasks), the labels that go together, with N/A as a task's last; ``cardinalities``, (tasks,),
N/A counted; and ``dependencies``, (pairs, 2). Writes (items, outcomes) probabilities, and prints the seconds as JSON.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from benchmarks.support import measuring


def labeled(stored: Any) -> Any:
    import networkx as nx

    # networkx renamed this after MeTaL's last release.
    nx.Graph.node = property(lambda graph: graph.nodes)
    from metal.label_model import LabelModel
    from metal.multitask import MTLabelModel
    from metal.multitask.task_graph import TaskGraph
    from scipy.sparse import csr_matrix

    class Feasible(TaskGraph):
        """Its own hierarchies are trees whose every label is refined; this takes any label vectors."""

        def feasible_set(self) -> Any:
            return iter(stored["feasible"])

    model = MTLabelModel(task_graph=Feasible([int(k) for k in stored["cardinalities"]]), seed=0, verbose=False)
    model.train_model(
        [csr_matrix(task) for task in stored["fit"]], deps=[(int(i), int(j)) for i, j in stored["dependencies"]]
    )
    # Its own predict_proba goes on to labels of single tasks.
    return LabelModel.predict_proba(model, [csr_matrix(task) for task in stored["label"]])


def main() -> None:
    votes, labels = sys.argv[1:]
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    measuring.die_first()
    start = time.process_time()
    with np.load(votes) as stored, redirect_stdout(sys.stderr):
        found = np.asarray(labeled(stored), dtype=np.float64)
    np.savez(labels, labels=found)
    print(json.dumps({"seconds": time.process_time() - start}))


if __name__ == "__main__":
    main()
