"""One contender on one folder of votes, in a process of its own; prints JSON.

What speed/run.py and speed/crowds.py measure.

Runs in the project's environment and in that of the peers, so each contender imports its
own library. Votes are in the container that is natural for it before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.support import measuring, stored_votes
from benchmarks.support.stored_votes import Codes, LongVotes

WARM_UP = 2_000
"""How many items are labeled first, so that code is loaded, compiled and has its threads before anything is timed."""


class Contender(Protocol):
    packages: tuple[str, ...]

    def prepare(self, raw: Codes | LongVotes) -> Any:
        """The votes in its own container."""

    def fit(self, votes: Any) -> None: ...

    def predict(self, votes: Any) -> Any: ...

    def labels(self, predicted: Any, votes: Any, items: int) -> npt.NDArray[Any]:
        """(items, classes): what was predicted, by the numbers of items and classes."""


class Assay:
    packages: tuple[str, ...] = ("assay", "numpy", "numba")

    def __init__(self, classes: int) -> None:
        import assay

        self.classes = classes
        self.model = assay.LabelModel(cardinality=classes)

    def prepare(self, raw: Codes | LongVotes) -> Any:
        import assay

        if isinstance(raw, LongVotes):
            return assay.Votes.from_long({"item": raw.item, "worker": raw.source, "label": raw.label})
        return assay.Votes.from_matrix(raw, cardinality=self.classes)

    def fit(self, votes: Any) -> None:
        self.model.fit(votes)

    def predict(self, votes: Any) -> Any:
        return self.model.predict_proba(votes)

    def labels(self, predicted: Any, votes: Any, items: int) -> npt.NDArray[Any]:
        classes = np.array([int(label) for label in votes.tasks.tasks[0].labels])
        rows = np.arange(items) if votes.items is None else votes.items
        found = np.zeros((items, self.classes))
        found[np.ix_(rows, classes)] = predicted
        return found


class BareMatrix(Assay):
    """The default from the matrix as it is: what becomes of it on the way to votes is timed, twice."""

    def prepare(self, raw: Codes | LongVotes) -> Any:
        assert not isinstance(raw, LongVotes), "there is no bare matrix of votes in long form"
        return np.array(raw)

    def labels(self, predicted: Any, votes: Any, items: int) -> npt.NDArray[Any]:
        return np.asarray(predicted)


class Completion(Assay):
    """The paper's Algorithm 1, from counts alone."""

    def __init__(self, classes: int) -> None:
        import assay

        self.classes = classes
        self.model = assay.LabelModel(cardinality=classes, method="completion")


class MajorityVote(Assay):
    """Nothing to learn: what the others have to beat in accuracy."""

    def fit(self, votes: Any) -> None:
        pass

    def predict(self, votes: Any) -> Any:
        from assay.baselines import majority_vote

        return majority_vote(votes)


class Snorkel:
    packages: tuple[str, ...] = ("snorkel", "torch", "numpy")

    def __init__(self, classes: int) -> None:
        from snorkel.labeling.model import LabelModel

        self.model = LabelModel(cardinality=classes, verbose=False)

    def prepare(self, raw: Codes | LongVotes) -> Any:
        assert not isinstance(raw, LongVotes), "snorkel takes a matrix"
        # The integers that its own appliers return.
        return raw.astype(int)

    def fit(self, votes: Any) -> None:
        self.model.fit(votes, progress_bar=False)

    def predict(self, votes: Any) -> Any:
        return self.model.predict_proba(votes)

    def labels(self, predicted: Any, votes: Any, items: int) -> npt.NDArray[Any]:
        return np.asarray(predicted)


class DawidSkene:
    """Its fit labels the items it learns from; predict only hands that out."""

    packages: tuple[str, ...] = ("crowd-kit", "pandas", "numpy")

    def __init__(self, classes: int) -> None:
        from crowdkit.aggregation import DawidSkene as CrowdKitDawidSkene

        self.classes = classes
        self.model = CrowdKitDawidSkene()

    def prepare(self, raw: Codes | LongVotes) -> Any:
        import pandas as pd

        if not isinstance(raw, LongVotes):
            item, source = np.nonzero(raw >= 0)
            raw = LongVotes(item, source, raw[item, source])
        return pd.DataFrame({"task": raw.item, "worker": raw.source, "label": raw.label})

    def fit(self, votes: Any) -> None:
        self.model.fit(votes)

    def predict(self, votes: Any) -> Any:
        return self.model.probas_

    def labels(self, predicted: Any, votes: Any, items: int) -> npt.NDArray[Any]:
        """Items without a vote are unknown to it: they get the class balance."""
        classes = range(self.classes)
        found = np.tile(self.model.priors_.reindex(classes).fillna(0.0).to_numpy(), (items, 1))
        found[predicted.index.to_numpy()] = predicted.reindex(columns=classes).fillna(0.0).to_numpy()
        return found


ASSAY, COMPLETION, MAJORITY = "Assay", "Assay, completion", "majority vote (Assay)"
BARE = "Assay, bare matrix"
SNORKEL, DAWID_SKENE = "snorkel", "Dawid-Skene (crowd-kit)"
OURS: dict[str, Callable[[int], Contender]] = {
    ASSAY: Assay,
    BARE: BareMatrix,
    COMPLETION: Completion,
    MAJORITY: MajorityVote,
}
PEERS: dict[str, Callable[[int], Contender]] = {SNORKEL: Snorkel, DAWID_SKENE: DawidSkene}


def measured(name: str, folder: Path, repeats: int, enough: float) -> dict[str, Any]:
    """The least seconds of several runs, of which no more are begun when ``enough`` seconds are spent, and memory."""
    stored = stored_votes.described(folder)
    contender = (OURS | PEERS)[name](stored.classes)
    first_call = _warmed_up(contender, folder)
    memory = {"baseline": measuring.resident()}
    preparing, votes = measuring.seconds_of(lambda: contender.prepare(stored_votes.raw_votes(folder)))
    memory |= {"preparing": measuring.peak(), "votes": measuring.resident()}
    measuring.forget_peak()
    fits: list[float] = []
    predictions: list[float] = []
    # A first run may be twice as slow as the second, so there are always two.
    while len(fits) < min(repeats, 2) or (len(fits) < repeats and sum(fits) + sum(predictions) < enough):
        predicted = None  # else two would be in memory at once
        fits.append(measuring.seconds_of(lambda: contender.fit(votes))[0])
        seconds, predicted = measuring.seconds_of(lambda: contender.predict(votes))
        predictions.append(seconds)
    memory["peak"] = measuring.peak()
    return {
        "first_call": first_call,
        "prepare": preparing,
        "fit": min(fits),
        "predict": min(predictions),
        "total": min(map(sum, zip(fits, predictions, strict=True))),
        "repeats": len(fits),
        **_parts(contender, votes, max(len(fits), 3)),
        "memory": memory,
        "accuracy": measuring.accuracy(contender.labels(predicted, votes, stored.items), stored_votes.gold_of(folder)),
        "versions": {name: version(name) for name in contender.packages} | {"python": platform.python_version()},
    }


def _warmed_up(contender: Contender, folder: Path) -> float:
    """Seconds of the first call in this process, on a few items."""
    votes = contender.prepare(stored_votes.raw_votes(folder, WARM_UP))

    def call() -> None:
        contender.fit(votes)
        contender.predict(votes)

    return measuring.seconds_of(call)[0]


def _parts(contender: Contender, votes: Any, repeats: int) -> dict[str, float]:
    """Seconds of the part of Assay's fit that grows with the items, and of the part that does not."""
    if type(contender) is not Assay:
        return {}
    import assay

    counts = assay.count(votes, progress=False)
    counting = [measuring.seconds_of(lambda: assay.count(votes, progress=False))[0] for _ in range(repeats)]
    solving = [measuring.seconds_of(lambda: contender.fit(counts))[0] for _ in range(repeats)]
    return {"counting": min(counting), "solving": min(solving)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("contender", choices=[*OURS, *PEERS])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--repeats", type=int, required=True)
    arguments.add_argument("--enough", type=float, required=True)
    given = arguments.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    measuring.die_first()
    print(json.dumps(measured(given.contender, given.folder, given.repeats, given.enough)))


if __name__ == "__main__":
    main()
