"""Random problems, taken all the way: every step must give what makes sense, or refuse with a clear error."""

from __future__ import annotations

import string
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import assay
from benchmarks.drill.damage import Rng

_STRANGE = ["", " ", "\x00", "\x1b[2J", "\ufffe", "N/A", "item", "a=b", "<b>", "'", '"', "é", "\N{OCTOPUS}", "a" * 300]


def problem(rng: Rng) -> tuple[assay.Votes, Any]:
    """Votes on a random task graph, with gold: of few or many items, by few or many sources, regular or not."""
    tasks = assay.TaskGraph(list(_tasks(rng)))
    items = int(rng.choice([0, 1, 2, 5, 40, 400]))
    space = tasks.label_space
    truth = [rng.integers(len(component), size=items) for component in space.components]
    columns: dict[str, tuple[str, list[str | None]]] = {}
    for number in range(int(rng.choice([1, 2, 3, 5, 9]))):
        task = tasks.tasks[int(rng.integers(len(tasks.tasks)))]
        index = space.component_of(task.name)
        told = space.components[index].label_of(task.name)[truth[index]]
        right, coverage = rng.choice([0.2, 0.5, 0.7, 0.95, 1.0]), rng.choice([0.0, 0.1, 0.6, 1.0])
        said = np.where(rng.random(items) < right, told, rng.integers(len(task.labels), size=items))
        silent = (rng.random(items) >= coverage) | (said < 0)
        name = f"{number}{_name(rng)}"
        columns[name] = (
            task.name,
            [None if quiet else task.labels[at] for at, quiet in zip(said, silent, strict=True)],
        )
    votes = assay.Votes.from_columns(tasks, columns)
    first = tasks.tasks[0]
    told = space.components[space.component_of(first.name)].label_of(first.name)[truth[space.component_of(first.name)]]
    gold = {first.name: [first.labels[at] if at >= 0 and rng.random() < 0.5 else None for at in told]}
    return votes, gold


def _tasks(rng: Rng) -> Iterator[assay.Task]:
    above: list[tuple[str, str]] = []
    for number in range(int(rng.choice([1, 1, 2, 4]))):
        labels = [f"{at}{_name(rng)}" for at in range(int(rng.choice([1, 2, 3, 6])))]
        parent = above[int(rng.integers(len(above)))] if above and rng.random() < 0.5 else None
        task = assay.Task(f"{number}{_name(rng)}", labels, parent=parent)
        above += [(task.name, label) for label in labels]
        yield task


def _name(rng: Rng) -> str:
    if rng.random() < 0.3:
        return _STRANGE[int(rng.integers(len(_STRANGE)))]
    return "".join(rng.choice(list(string.ascii_letters), size=4))


def steps(votes: assay.Votes, gold: Any, rng: Rng, folder: Path) -> Iterator[tuple[str, Any]]:
    """The steps of a run by name, each a function without arguments; a step may need those before it."""
    done: dict[str, Any] = {}
    method = str(rng.choice(["auto", "auto", "em", "robust", "completion", "covariance"]))
    learns = method in ("auto", "em", "robust") and rng.random() < 0.5

    def fit() -> None:
        done["model"] = assay.LabelModel(method=method, allow_unidentifiable=True, max_steps=20).fit(
            votes, gold if learns else None, progress=False
        )

    def label() -> None:
        done["labels"] = done["model"].label(votes, progress=False)
        _check(done["labels"].joint, len(votes))

    def predict() -> None:
        found = done["model"].predict_proba(votes)
        _check(found if isinstance(found, list) else [found], len(votes))

    def save_and_load() -> None:
        again = assay.LabelModel.load(done["model"].save(folder / "model.npz"))
        for one, other in zip(again.label(votes, progress=False).joint, done["labels"].joint, strict=True):
            np.testing.assert_array_equal(one, other)
        kept = assay.Labels.from_parquet(done["labels"].to_parquet(folder / "labels.parquet"))
        for one, other in zip(kept.joint, done["labels"].joint, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-7)  # files hold single precision
            np.testing.assert_array_equal(one.argmax(axis=1), other.argmax(axis=1))
        assert assay.Votes.from_parquet(votes.to_parquet(folder / "votes.parquet")) == votes

    def partial_fit() -> None:
        growing = assay.LabelModel(allow_unidentifiable=True, max_steps=5)
        for half in (votes.take(slice(0, len(votes) // 2)), votes.take(slice(len(votes) // 2, len(votes)))):
            growing.partial_fit(half, progress=False)
        _check(growing.label(votes, progress=False).joint, len(votes))

    yield "check", lambda: str(assay.check(votes))
    yield "summary", lambda: votes.summary(gold).to_json()
    yield "fit", fit
    yield "predict", predict
    yield "label", label
    yield "explain", lambda: str(done["model"].explain(votes, 0))
    yield "sources", lambda: _check_sources(done["model"].sources_)
    yield "save, load", save_and_load
    yield "partial_fit", partial_fit
    yield "learn_dependencies", lambda: str(assay.learn_dependencies(votes, resamples=2, progress=False))
    yield "baselines", lambda: [_check(_listed(method(votes)), len(votes)) for method in _BASELINES]
    yield "report", lambda: assay.Report.of(done["model"], votes, gold=gold).to_html()


_BASELINES = (
    assay.majority_vote,
    assay.hierarchical_majority_vote,
    assay.dawid_skene,
    assay.data_programming,
)


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _check(parts: Any, items: int) -> None:
    for part in parts:
        assert part.shape[0] == items
        assert np.isfinite(part).all()
        np.testing.assert_allclose(part.sum(axis=1), 1, atol=1e-6)


def _check_sources(table: Any) -> None:
    spoken = table[table["votes"] > 0][["accuracy", "low", "high", "coverage"]].to_numpy(dtype=float)
    assert np.isfinite(spoken).all()
    assert ((spoken >= 0) & (spoken <= 1)).all()


def run(seed: int, folder: Path, *, with_report: bool = True) -> Iterator[tuple[str, str, str]]:
    """The steps of one problem: each with what came of it (right, refused or wrong) and why."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", assay.CheckWarning)  # told of, and coped with
        votes, gold = problem(rng)
        failed = False
        for name, step in steps(votes, gold, rng, folder):
            if name == "report" and not with_report:
                continue
            try:
                step()
                yield name, "right", ""
            except assay.AssayError as error:
                failed = True
                yield name, "refused" if len(str(error)) < 5_000 else "wrong", str(error)
            except Exception as error:  # which is what the drill looks for
                if failed and isinstance(error, KeyError):
                    continue  # a step before was refused, and this one needs it
                yield name, "wrong", f"{type(error).__name__}: {error}"
