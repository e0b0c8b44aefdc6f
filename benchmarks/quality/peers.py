"""The peers of quality/run.py, each run by it in a process of its own, in their environment; all with their defaults.

What they need is loaded when one is run, so that run.py can list them without having them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.quality import cell as quality_cell
from benchmarks.quality import ebcc
from benchmarks.quality.cell import Codes, FloatArray, Method
from benchmarks.support import contenders

HYPER, SNORKEL, METAL, FLYING_SQUID = "Hyper Label Model", contenders.SNORKEL, "MeTaL", "FlyingSquid"
DAWID_SKENE, ONE_COIN, MACE = contenders.DAWID_SKENE, "one-coin Dawid-Skene (crowd-kit)", "MACE (crowd-kit)"
EBCC = "EBCC"


def by_dawid_skene(votes: Codes, classes: int, gold: Codes | None = None) -> Any:
    """As speed/run.py runs it; with gold, its ``true_labels``."""
    import pandas as pd

    contender = contenders.DawidSkene(classes)
    held = contender.prepare(votes)
    contender.model.fit(held, None if gold is None else pd.Series(gold[gold >= 0], index=np.flatnonzero(gold >= 0)))
    return contender.labels(contender.predict(held), held, len(votes))


def by_snorkel(votes: Codes, classes: int, balance: FloatArray | None = None) -> Any:
    model = contenders.Snorkel(classes).model
    model.fit(votes, class_balance=None if balance is None else balance.tolist(), progress_bar=False)
    return model.predict_proba(votes)


def by_crowd_kit(votes: Codes, classes: int, *, name: str) -> Any:
    from crowdkit import aggregation

    frame = contenders.PEERS[contenders.DAWID_SKENE](classes).prepare(votes)
    labels = getattr(aggregation, name)().fit_predict_proba(frame)
    return labels.reindex(index=range(len(votes)), columns=range(classes)).fillna(0.0).to_numpy()


def by_hyper_label_model(votes: Codes, classes: int, gold: Codes | None = None) -> FloatArray:
    """With gold, its semi-supervised mode: some steps of training on the items that have it."""
    import torch
    from hyperlm import HyperLabelModel

    # Its weights are stored with a number of numpy's beside them, which torch no longer reads unless told to.
    torch.serialization.add_safe_globals([np.core.multiarray.scalar, np.dtype, type(np.dtype(float))])
    known = {} if gold is None else {"y_indices": np.flatnonzero(gold >= 0), "y_vals": gold[gold >= 0]}
    found = HyperLabelModel().infer(votes, return_probs=True, **known)
    # It takes the highest class that occurs (in gold, if there is any) for the last one.
    return np.pad(found, [(0, 0), (0, classes - found.shape[1])])


def by_metal(votes: Codes, classes: int) -> Any:
    import networkx as nx

    # networkx renamed this after MeTaL's last release.
    nx.Graph.node = property(lambda graph: graph.nodes)
    from metal.label_model import LabelModel
    from scipy.sparse import csr_matrix

    # Its classes count from one; zero abstains.
    shifted = csr_matrix(votes + 1)
    model = LabelModel(k=classes, seed=0, verbose=False)
    model.train_model(shifted)
    return np.asarray(model.predict_proba(shifted))


def by_flying_squid(votes: Codes, classes: int) -> FloatArray:
    """It knows two classes only; several are each set against the rest, as is usual, and their shares scaled to one."""
    from flyingsquid.label_model import LabelModel

    def chance_of(label: int) -> FloatArray:
        signs = np.where(votes < 0, 0, np.where(votes == label, 1, -1))
        model = LabelModel(votes.shape[1])
        model.fit(signs)
        found: FloatArray = model.predict_proba(signs)[:, 1]
        return found

    if classes == 2:
        second = chance_of(1)
        return np.column_stack([1 - second, second])
    chances = np.column_stack([chance_of(label) for label in range(classes)])
    return chances / chances.sum(axis=1, keepdims=True)


PEERS = {
    HYPER: Method(by_hyper_label_model, ("hyperlm", "torch", "numpy")),
    SNORKEL: Method(by_snorkel, contenders.Snorkel.packages),
    METAL: Method(by_metal, ("snorkel-metal", "torch", "numpy")),
    FLYING_SQUID: Method(by_flying_squid, ("flyingsquid", "pgmpy", "numpy")),
    DAWID_SKENE: Method(by_dawid_skene, contenders.DawidSkene.packages),
    ONE_COIN: Method(partial(by_crowd_kit, name="OneCoinDawidSkene"), contenders.DawidSkene.packages),
    MACE: Method(partial(by_crowd_kit, name="MACE"), contenders.DawidSkene.packages),
    EBCC: Method(ebcc.ebcc, ("numpy", "scipy")),
}


if __name__ == "__main__":
    quality_cell.main(PEERS)
