"""One training of the end model on one method's labels, and what it then says about dev and the test items."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, hstack

import assay
from benchmarks.experiments.labelers import GOLD, Labeled
from benchmarks.experiments.problem import Problem

NGRAMS, LSTM, EMBEDDED = "n-grams", "LSTM", "n-grams + MiniLM"
ENCODERS = (NGRAMS, LSTM, EMBEDDED)
SETTINGS: dict[str, dict[str, Any]] = {
    # Assay's default.
    NGRAMS: {"encoder": assay.NGrams()},
    # The paper's is larger, and has layers of 200 and 50 above the LSTM. On dev this does no worse, and learns faster.
    LSTM: {"encoder": assay.BiLSTM(embedding=50, hidden=50), "layers": ()},
    # The default's features, and beside them what a pretrained transformer makes of a text.
    EMBEDDED: {"encoder": assay.Features()},
}
GOLD_EPOCHS = {NGRAMS: 100, LSTM: 30, EMBEDDED: 100}
"""A few hundred items make few steps an epoch. Chosen by cross-validation on dev."""
WEIGHT = 2.0
"""Of embeddings, whose differences are small, beside n-grams. Chosen on dev."""
Embeddings = Mapping[str, npt.NDArray[np.float32]]
"""Per split (items, 384)."""


@dataclass(frozen=True)
class Trial:
    """Which task, which labels, which encoder, which seed."""

    task: str
    method: str
    encoder: str = NGRAMS
    share: float = 1.0
    """Of the training items."""
    seed: int = 0

    @property
    def name(self) -> str:
        """For a file."""
        parts = (self.task, self.encoder, self.method, f"{self.share:g}", str(self.seed))
        return "_".join(part.replace(" ", "-").replace(",", "") for part in parts)


def train(
    problem: Problem, trial: Trial, labeled: Labeled | None, embeddings: Embeddings | None = None
) -> dict[str, Any]:
    """Train, and predict the outcomes of dev, test_a and test_b."""
    if labeled is None:
        assert trial.method == GOLD
        truth = problem.gold["dev"]
        labels = assay.Labels(problem.tasks, (np.eye(len(problem.tasks.label_space.outcomes))[truth],))
        split, rows, more = "dev", np.arange(len(truth)), {"epochs": GOLD_EPOCHS[trial.encoder]}
    else:
        labels = assay.Labels(problem.tasks, (labeled.train,)).voted(problem.votes["train"].take(labeled.rows))
        split, rows, more = "train", labeled.rows, {}
    begun = time.perf_counter()
    read = _Reader(problem, split, rows, embeddings if trial.encoder == EMBEDDED else None)
    model = assay.EndModel(problem.tasks, **SETTINGS[trial.encoder], **more, seed=trial.seed)
    model.fit(read(split, rows), labels, progress=False)
    return {
        **asdict(trial),
        "seconds": time.perf_counter() - begun,
        "predictions": {
            name: model.predict_proba(read(name)).argmax(axis=1).tolist() for name in ("dev", "test_a", "test_b")
        },
    }


class _Reader:
    """The data of some items of a split: texts, or a matrix of n-grams and embeddings."""

    def __init__(
        self, problem: Problem, split: str, rows: npt.NDArray[np.int64], embeddings: Embeddings | None
    ) -> None:
        self.problem, self.embeddings = problem, embeddings
        if embeddings is not None:
            self.centre = embeddings[split][rows].mean(axis=0)
            self.ngrams = assay.NGrams().learn(self._texts(split, rows))

    def __call__(self, split: str, rows: npt.NDArray[np.int64] | None = None) -> Any:
        chosen = np.arange(len(self.problem.texts[split])) if rows is None else rows
        texts = self._texts(split, chosen)
        if self.embeddings is None:
            return texts
        found = self.ngrams.read(texts)
        grams = csr_matrix((found.values, found.columns, found.starts), shape=(len(texts), self.ngrams.width))
        return hstack([grams, csr_matrix(WEIGHT * (self.embeddings[split][chosen] - self.centre))]).tocsr()

    def _texts(self, split: str, rows: npt.NDArray[np.int64]) -> list[str]:
        return [self.problem.texts[split][row] for row in rows]
