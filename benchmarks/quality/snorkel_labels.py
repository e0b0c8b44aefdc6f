"""Snorkel on each of many labels by itself, in a process of its own, in the peers' environment.

Reads an .npz file of matrices (items, sources), one a label, by number: 1 for a vote that it applies, 0 that it does
not, −1 for none. Writes (items, labels) the probability that each applies, and prints the seconds as JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np


def main() -> None:
    from snorkel.labeling.model import LabelModel

    asked, answered = sys.argv[1:]
    begun = time.perf_counter()
    with np.load(asked) as stored:
        matrices = [stored[str(label)].astype(int) for label in range(len(stored.files))]
    chances = np.zeros((len(matrices[0]), len(matrices)))
    for label, matrix in enumerate(matrices):
        if matrix.shape[1] < 3:  # it needs three sources; with fewer, a vote for the label is taken at its word
            chances[:, label] = (matrix == 1).any(axis=1)
            continue
        model = LabelModel(cardinality=2, verbose=False)
        model.fit(matrix, progress_bar=False, seed=0)
        # An item without votes would get the class balance; that the label does not apply is the better guess.
        chances[:, label] = np.where((matrix >= 0).any(axis=1), model.predict_proba(matrix)[:, 1], 0.0)
    np.save(answered, chances)
    print(json.dumps({"seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    main()
