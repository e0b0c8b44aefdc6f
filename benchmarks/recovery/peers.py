"""The peers of recovery/run.py, run by it in an environment of their own.

Reads matrices of votes from one .npz file, writes labels and accuracies to another,
and prints JSON.
"""

from __future__ import annotations

import json
import platform
import sys
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene
from snorkel.labeling.model import LabelModel


def by_snorkel(votes: Any) -> tuple[Any, Any]:
    model = LabelModel(cardinality=2, verbose=False)
    model.fit(votes, n_epochs=500, seed=0, progress_bar=False)
    said = model.get_conditional_probs()[:, 1:]
    return model.predict_proba(votes), right(said)


def by_dawid_skene(votes: Any) -> tuple[Any, Any]:
    item, source = np.nonzero(votes >= 0)
    frame = pd.DataFrame({"task": item, "worker": source, "label": votes[item, source]})
    model = DawidSkene(n_iter=100)
    known = model.fit_predict_proba(frame).reindex(columns=[0, 1]).fillna(0.0)
    labels = np.tile(model.priors_.reindex([0, 1]).fillna(0.0).to_numpy(), (len(votes), 1))
    labels[known.index.to_numpy()] = known.to_numpy()
    index = pd.MultiIndex.from_product([range(votes.shape[1]), [0, 1]])
    said = model.errors_.reindex(index).reindex(columns=[0, 1]).fillna(0.0).to_numpy()
    return labels, right(said.reshape(votes.shape[1], 2, 2))


def right(said: Any) -> Any:
    """(sources, 2): P(right | votes, class), from P(vote | class)."""
    return np.diagonal(said, axis1=1, axis2=2) / np.maximum(said.sum(axis=1), 1e-12)


def main() -> None:
    warnings.simplefilter("ignore")
    peers = {"snorkel": by_snorkel, "Dawid-Skene (crowd-kit)": by_dawid_skene}
    found = {}
    with np.load(sys.argv[1]) as asked:
        for at, key in enumerate(asked.files):
            votes = asked[key].astype(int)
            for name, run in peers.items():
                found[f"{name} labels {at}"], found[f"{name} accuracies {at}"] = run(votes)
    np.savez_compressed(sys.argv[2], **found)
    versions = {name: version(name) for name in ("snorkel", "crowd-kit", "torch", "numpy")}
    print(json.dumps({"names": list(peers), "versions": versions | {"python": platform.python_version()}}))


if __name__ == "__main__":
    main()
