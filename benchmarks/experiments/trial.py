"""One training of the end model on one method's labels, and what it then says about dev and the test items."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, hstack

import assay
from benchmarks.experiments.labelers import GOLD, REFINED, REFINED_WITH_GOLD, WITH_GOLD, Labeled
from benchmarks.experiments.problem import IntArray, Problem

NGRAMS, LSTM, EMBEDDED, PAPER_LSTM = "n-grams", "LSTM", "n-grams + MiniLM", "LSTM (paper)"
ENCODERS = (NGRAMS, LSTM, EMBEDDED)
"""Those that every method is tried with. The paper's own needs dev's gold, so that gold cannot be its rival."""
SETTINGS: dict[str, dict[str, Any]] = {
    # Assay's default.
    NGRAMS: {"encoder": assay.NGrams()},
    # The paper's is larger, and has layers of 200 and 50 above the LSTM. On dev this does no worse, and learns faster.
    LSTM: {"encoder": assay.BiLSTM(embedding=50, hidden=50), "layers": ()},
    # The default's features, and beside them what a pretrained transformer makes of a text.
    EMBEDDED: {"encoder": assay.Features()},
    # The paper's appendix, column OpenI. The learning rate and the ℓ2 penalty are found on dev, for each task.
    PAPER_LSTM: {
        "encoder": assay.BiLSTM(embedding=200, hidden=150),
        "layers": (200, 50),
        "epochs": 50,
        "dropout": 0.1,
        "frozen_epochs": 5,
        "patience": 10,
        "stop_after": 20,
        "calibrate": False,
    },
}
GOLD_EPOCHS = {NGRAMS: 100, LSTM: 30, EMBEDDED: 100}
"""A few hundred items make few steps an epoch. Chosen by cross-validation on dev."""
WEIGHT = 2.0
"""Of embeddings, whose differences are small, beside n-grams. Chosen on dev."""
GOLD_REPEATS = 3
"""How often dev items are among those of :data:`WITH_GOLD`. Chosen by cross-validation on dev."""
KNOW_GOLD = (GOLD, WITH_GOLD, REFINED_WITH_GOLD)
Items = Sequence[tuple[str, IntArray | None]]
"""Splits, and which of their items; None for all."""
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
    problem: Problem,
    trial: Trial,
    labeled: Labeled | None,
    embeddings: Embeddings | None = None,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Train, and predict the outcomes of dev, test_a and test_b; ``more`` are settings besides the encoder's."""
    begun = time.perf_counter()
    splits, labels = _training_set(problem, trial, labeled)
    read = Reader(problem, splits, embeddings if trial.encoder == EMBEDDED else None)
    settings = {**SETTINGS[trial.encoder], **(more or {})}
    if trial.method == GOLD:
        settings["epochs"] = GOLD_EPOCHS[trial.encoder]
    model = assay.EndModel(problem.tasks, **settings, seed=trial.seed)
    model.fit(read(splits), labels, dev=_dev(problem, trial), progress=False)
    return {
        **asdict(trial),
        "seconds": time.perf_counter() - begun,
        "dev_scores": [] if model.dev_score_ is None else model.history_["dev_score"].tolist(),
        "predictions": {
            name: model.predict_proba(read([(name, None)])).argmax(axis=1).tolist()
            for name in ("dev", "test_a", "test_b")
        },
    }


def _dev(problem: Problem, trial: Trial) -> tuple[list[str], list[Any]] | None:
    """Texts and gold to stop early on, for the encoder that does."""
    if trial.encoder != PAPER_LSTM:
        return None
    assert trial.method not in KNOW_GOLD, "it would stop on what it learns from"
    outcomes = problem.tasks.label_space.outcomes
    return problem.texts["dev"], [outcomes[truth] for truth in problem.gold["dev"]]


def _training_set(problem: Problem, trial: Trial, labeled: Labeled | None) -> tuple[Items, assay.Labels]:
    """Items and their labels: training items as they were labeled, or dev items with their gold, or both."""
    truth = np.eye(len(problem.tasks.label_space.outcomes))[problem.gold["dev"]]
    if labeled is None:
        assert trial.method == GOLD
        return [("dev", None)], assay.Labels(problem.tasks, (truth,))
    found = assay.Labels(problem.tasks, (labeled.train,))
    if trial.method not in (REFINED, REFINED_WITH_GOLD):
        # Refined labels of items without votes are what the texts say.
        found = found.voted(problem.votes["train"].take(labeled.rows))
    if trial.method not in KNOW_GOLD:
        return [("train", labeled.rows)], found
    by_hand = assay.Labels(problem.tasks, (truth,))
    return (
        [("train", labeled.rows), *[("dev", None)] * GOLD_REPEATS],
        assay.Labels.concat([found, *[by_hand] * GOLD_REPEATS]),
    )


class Reader:
    """The data of some items: texts, or a matrix of n-grams and embeddings."""

    def __init__(self, problem: Problem, learned_from: Items, embeddings: Embeddings | None) -> None:
        self.problem, self.embeddings = problem, embeddings
        if embeddings is not None:
            self.centre = self._embedded(embeddings, learned_from).mean(axis=0)
            self.ngrams = assay.NGrams().learn(self._texts(learned_from))

    def __call__(self, items: Items) -> Any:
        texts = self._texts(items)
        if self.embeddings is None:
            return texts
        found = self.ngrams.read(texts)
        grams = csr_matrix((found.values, found.columns, found.starts), shape=(len(texts), self.ngrams.width))
        return hstack([grams, csr_matrix(WEIGHT * (self._embedded(self.embeddings, items) - self.centre))]).tocsr()

    def _texts(self, items: Items) -> list[str]:
        return [self.problem.texts[split][row] for split, rows in items for row in self._rows(split, rows)]

    def _embedded(self, embeddings: Embeddings, items: Items) -> npt.NDArray[np.float32]:
        return np.vstack([embeddings[split][self._rows(split, rows)] for split, rows in items])

    def _rows(self, split: str, rows: IntArray | None) -> IntArray:
        return np.arange(len(self.problem.texts[split])) if rows is None else rows
