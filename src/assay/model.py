"""The label model: settings and assembly; the work is done in the rooms below."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from assay.checks import CheckReport, Problem, check
from assay.cliques import Layout, layout_of
from assay.encoding import recode
from assay.errors import AssayError, UnidentifiableError, VoteError, listing, near_miss
from assay.estimate.em import Belief
from assay.estimate.fit import METHODS, Fit, FitSettings, Method, fit_component
from assay.estimate.outcome import SolverOutcome
from assay.explain import Explanation, explain
from assay.graph import Dependency, SourceGraph
from assay.labels import Labels
from assay.parameters import Parameters
from assay.posterior import posterior
from assay.statistics import Patterns
from assay.store import writing
from assay.tasks import TaskGraph
from assay.votes import Votes

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]

_FORMAT = 1


class BySource(tuple[Any, ...]):
    """Values in the order of the sources, which can be asked for by position or by name."""

    names: tuple[str, ...]

    def __new__(cls, values: Iterable[Any], names: Sequence[str]) -> Self:
        """Join values and names."""
        made = super().__new__(cls, values)
        made.names = tuple(names)
        return made

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.names:
                raise VoteError(f"there is no source {key!r}. {near_miss(key, self.names)}")
            return super().__getitem__(self.names.index(key))
        return super().__getitem__(key)


@dataclass(frozen=True, eq=False)
class FittedComponent:
    """One component of the label space: its layout, its sources and what was learned."""

    layout: Layout
    sources: npt.NDArray[np.int64]
    """(its sources,): their columns in the votes."""
    fit: Fit


class LabelModel:
    """Learns how accurate sources are from votes alone, and labels items accordingly.

    Parameters
    ----------
    method
        How parameters are learned: ``"em"`` (moments, then expectation-maximization),
        ``"completion"`` (Algorithm 1 of the paper, on the inverse covariance) or
        ``"covariance"`` (the class-conditional model from pairwise covariances).
    class_balance
        P(outcome), if it is known: (outcomes,), or a list of those for several
        components. None means: estimate it.
    dependencies
        Pairs or groups of sources, by name or column number, that are not
        independent given the truth.
    adversarial
        Sources that are known to be wrong more often than right.
    beliefs
        Prior beliefs about sources: name -> the share of its votes that are right, or
        a pair of that and what the belief is worth in votes.
    abstentions
        ``"informative"``: that a source abstains tells something about the truth.
        ``"ignored"``: only what it says counts.
    accuracies
        ``"global"``: a source errs alike on all outcomes that its vote rules out.
        ``"local"``: it may err differently where its tasks do not apply. Matters for
        sources with few votes, which are drawn to this.
    cardinality
        The number of classes, where votes are given as a bare matrix.
    allow_unidentifiable
        Fit even what :func:`assay.check` refuses; ``notes_`` then says what was assumed.
    max_steps
        The most steps of expectation-maximization.
    seed
        For the random directions of the class-balance estimate.

    Attributes
    ----------
    sources_
        DataFrame: per source and value its accuracy, the 95% interval of that, coverage.
    class_balance_
        (outcomes,), or a list of those for several components.
    conditionals_
        Per source (values + 1, outcomes): P(vote | outcome); the last row is abstain.
    check_
        What :func:`assay.check` said.
    converged_
        Whether all solvers settled.
    notes_
        What a user should know about this fit, in sentences.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=6, seed=3).draw(4000)
    >>> model = LabelModel().fit(simulation.votes)
    >>> model.predict_proba(simulation.votes).shape
    (4000, 2)
    >>> bool((model.predict(simulation.votes) == simulation.gold).mean() > 0.85)
    True
    """

    sources_: pd.DataFrame
    class_balance_: FloatArray | list[FloatArray]
    conditionals_: BySource
    check_: CheckReport
    converged_: bool
    notes_: list[str]
    solvers_: list[dict[str, SolverOutcome]]

    def __init__(
        self,
        *,
        method: Method = "em",
        class_balance: Any = None,
        dependencies: Iterable[Dependency] = (),
        adversarial: Iterable[str | int] = (),
        beliefs: Mapping[str | int, float | tuple[float, float]] | None = None,
        abstentions: Literal["informative", "ignored"] = "informative",
        accuracies: Literal["global", "local"] = "global",
        cardinality: int | None = None,
        allow_unidentifiable: bool = False,
        max_steps: int = 1_000,
        seed: int = 0,
    ) -> None:
        self.method = method
        self.class_balance = class_balance
        self.dependencies = dependencies
        self.adversarial = adversarial
        self.beliefs = beliefs
        self.abstentions = abstentions
        self.accuracies = accuracies
        self.cardinality = cardinality
        self.allow_unidentifiable = allow_unidentifiable
        self.max_steps = max_steps
        self.seed = seed

    # scikit-learn's habits

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **settings: Any) -> Self:
        """Change settings, by name."""
        known = self.get_params()
        for name, value in settings.items():
            if name not in known:
                raise AssayError(f"LabelModel has no setting {name!r}. {near_miss(name, known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
        changed = [f"{n}={v!r}" for n, v in self.get_params().items() if repr(v) != repr(defaults[n])]
        return f"LabelModel({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_components")

    # Learning

    def fit(self, votes: Any, gold: Any = None) -> Self:
        """Learn from votes.

        Parameters
        ----------
        votes
            :class:`assay.Votes`, or a matrix of class numbers with −1 for abstain.
        gold
            True labels of a few items, if there are some: in any of the shapes that
            :meth:`assay.Votes.summary` takes.

        Raises
        ------
        UnidentifiableError
            If nothing useful can be learned from these votes, and why.
        """
        self._check_settings()
        votes = self._as_votes(votes)
        dependencies = list(self.dependencies)
        graph = SourceGraph(votes.names, dependencies)
        self.check_ = check(votes, dependencies)
        if not self.check_.ok and not self.allow_unidentifiable:
            raise UnidentifiableError(
                f"nothing useful can be learned from these votes:\n{self.check_}\n"
                "LabelModel(allow_unidentifiable=True) fits all the same."
            )
        truth = None if gold is None else votes.gold(gold)
        balances = self._balances(votes.tasks)
        self._names, self._values, self._tasks = votes.names, votes.values, votes.tasks
        self._components = [
            self._fit_component(votes, index, graph, truth, balances[index])
            for index in range(len(votes.label_space.components))
        ]
        self._describe(votes)
        return self

    def _fit_component(
        self, votes: Votes, index: int, graph: SourceGraph, gold: Votes | None, balance: FloatArray | None
    ) -> FittedComponent:
        layout, codes, sources = layout_of(votes, index, graph)
        position = {int(source): at for at, source in enumerate(sources)}
        signs = np.ones(len(sources))
        for name in self.adversarial:
            if votes.position(name) in position:
                signs[position[votes.position(name)]] = -1
        beliefs = {
            position[votes.position(name)]: _belief(belief)
            for name, belief in (self.beliefs or {}).items()
            if votes.position(name) in position
        }
        settings = FitSettings(
            method=self.method,
            balance=balance,
            signs=signs,
            beliefs=beliefs,
            applies=_applies(votes, index, sources) if self.accuracies == "local" else None,
            ignore_abstentions=self.abstentions == "ignored",
            max_steps=self.max_steps,
            seed=self.seed,
        )
        if gold is None:
            return FittedComponent(layout, sources, fit_component(layout, Patterns.of(codes), None, settings))
        truth = gold.outcome_sets[index]
        said = truth.of_code[0][gold.codes[:, 0]]
        both = Patterns.of(np.column_stack([codes, said]))
        allowed = np.vstack([truth.masks, np.ones((1, layout.outcomes), dtype=bool)])[both.codes[:, -1]]
        patterns = Patterns(both.codes[:, :-1], both.counts)
        return FittedComponent(layout, sources, fit_component(layout, patterns, allowed, settings))

    def _describe(self, votes: Votes) -> None:
        balances = [part.fit.parameters.balance for part in self._components]
        self.class_balance_ = balances[0] if len(balances) == 1 else balances
        self.solvers_ = [part.fit.solvers for part in self._components]
        self.converged_ = all(outcome.converged for solvers in self.solvers_ for outcome in solvers.values())
        self.conditionals_ = BySource(self._conditionals(votes), votes.names)
        self.sources_ = self._sources_table(votes)
        self.notes_ = [
            f"{name}: {outcome.advice}"
            for solvers in self.solvers_
            for name, outcome in solvers.items()
            if not outcome.converged
        ]
        if not self.check_.ok:
            self.notes_ += [f"assumed in spite of {problem.code}: {problem.message}" for problem in self.check_.errors]

    def _conditionals(self, votes: Votes) -> list[Any]:
        """Per source its tables in the values of the votes, one for each component it speaks about."""
        found: list[list[FloatArray]] = [[] for _ in votes.names]
        for index, part in enumerate(self._components):
            sets = votes.outcome_sets[index]
            for at, source in enumerate(part.sources):
                table = part.fit.parameters.conditionals[at]
                found[source].append(_in_own_values(table, sets.of_code[source], votes.codes[:, source]))
        silent = np.ones((1, len(votes.label_space.components[0])))
        return [tables[0] if len(tables) == 1 else tables or silent for tables in found]

    def _sources_table(self, votes: Votes) -> pd.DataFrame:
        import pandas as pd

        rows = []
        for j, name in enumerate(votes.names):
            counts = np.bincount(votes.codes[:, j] + 1, minlength=len(votes.values[j]) + 1)[1:]
            for code, vote in enumerate(votes.values[j]):
                accuracy, low, high = self._accuracy_of(votes, j, code)
                rows.append(
                    {
                        "source": name,
                        "task": ", ".join(vote.tasks),
                        "value": str(vote),
                        "accuracy": accuracy,
                        "low": low if counts[code] else 0.0,
                        "high": high if counts[code] else 1.0,
                        "coverage": counts[code] / max(len(votes), 1),
                        "votes": int(counts[code]),
                    }
                )
        return pd.DataFrame(rows, columns=["source", "task", "value", "accuracy", "low", "high", "coverage", "votes"])

    def _accuracy_of(self, votes: Votes, source: int, code: int) -> tuple[float, float, float]:
        """A value's accuracy with its interval: the least of its components, if it speaks about several."""
        found = []
        for index, part in enumerate(self._components):
            said = votes.outcome_sets[index].of_code[source]
            if said[code] >= 0:
                at = int(np.flatnonzero(part.sources == source)[0])
                value = int(np.searchsorted(np.unique(said[said >= 0]), said[code]))
                found.append(tuple(float(numbers[value]) for numbers in part.fit.intervals[at]))
        return min(found) if found else (1.0, 0.0, 1.0)  # type: ignore[return-value]

    # Labeling

    def predict_proba(self, votes: Any) -> FloatArray | list[FloatArray]:
        """(items, outcomes): P(outcome | votes); a list of those, one a component, if there are several.

        An item without votes gets the class balance.
        """
        parts = self._posteriors(self._aligned(votes))
        return parts[0] if len(parts) == 1 else parts

    def predict(self, votes: Any) -> npt.NDArray[np.int64]:
        """(items,): the number of the most probable outcome; (items, components) if there are several components."""
        chosen = [part.argmax(axis=1) for part in self._posteriors(self._aligned(votes))]
        return chosen[0] if len(chosen) == 1 else np.column_stack(chosen)

    def label(self, votes: Any) -> Labels:
        """Probabilistic labels for every task."""
        aligned = self._aligned(votes)
        return Labels(aligned.tasks, tuple(self._posteriors(aligned)), aligned.items)

    def explain(self, votes: Any, row: int) -> Explanation:
        """What each source contributed to the label of one item, in log-odds that add up to the posterior."""
        aligned = self._aligned(votes)
        if not -len(aligned) <= row < len(aligned):
            raise VoteError(f"there is no row {row}; there are {len(aligned)} items")
        one = aligned.take([row])
        parts = []
        for index, part in enumerate(self._components):
            _, codes, _ = layout_of(one, index, SourceGraph(one.names))
            texts = [str(one.values[s][c]) if (c := one.codes[0, s]) >= 0 else None for s in part.sources]
            names = [one.names[source] for source in part.sources]
            outcomes = one.label_space.components[index].outcomes
            parts.append(explain(part.fit.parameters, codes[0], names, texts, outcomes))
        return Explanation.joined(parts)

    def _posteriors(self, votes: Votes) -> list[FloatArray]:
        found = []
        for index, part in enumerate(self._components):
            _, codes, _ = layout_of(votes, index, SourceGraph(votes.names))
            probabilities = posterior(part.fit.parameters, codes)
            probabilities[~(codes >= 0).any(axis=1)] = part.fit.parameters.balance
            found.append(probabilities)
        return found

    # On disk

    def save(self, path: str | Path) -> Path:
        """Write the fitted model to one ``.npz`` file of plain arrays and JSON; :meth:`load` restores it exactly."""
        self._check_fitted()
        arrays: dict[str, npt.NDArray[Any]] = {}
        for index, part in enumerate(self._components):
            arrays[f"balance {index}"] = part.fit.parameters.balance
            for at, table in enumerate(part.fit.parameters.joint):
                arrays[f"joint {index} {at}"] = table
            for at, interval in enumerate(part.fit.intervals):
                arrays[f"interval {index} {at}"] = np.array(interval)
        said = {
            "version": _FORMAT,
            "settings": _plain(self.get_params()),
            "tasks": self._tasks.to_dict(),
            "sources": [
                {"name": name, "values": [dict(vote.labels) for vote in values]}
                for name, values in zip(self._names, self._values, strict=True)
            ],
            "solvers": [{name: asdict(outcome) for name, outcome in solvers.items()} for solvers in self.solvers_],
            "problems": [asdict(problem) for problem in self.check_.problems],
            "notes": self.notes_,
        }
        for name in ("accuracy", "low", "high", "coverage", "votes"):
            arrays[f"column {name}"] = self.sources_[name].to_numpy()
        for j, conditional in enumerate(self.conditionals_):
            for index, part_of in enumerate(conditional if isinstance(conditional, list) else [conditional]):
                arrays[f"conditional {j} {index}"] = part_of
        target = Path(path)
        with writing(target) as unfinished, unfinished.open("wb") as file:
            np.savez(file, said=np.array(json.dumps(said)), **arrays)  # type: ignore[arg-type]
        return target

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted model from a file that :meth:`save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as file:
                stored = {name: file[name] for name in file.files}
            said = json.loads(str(stored["said"]))
            if said["version"] != _FORMAT:
                raise AssayError(f"{path} was written by another version of Assay (model format {said['version']})")
            return cls(**said["settings"])._restored(said, stored)
        except FileNotFoundError:
            raise AssayError(f"there is no file {path}") from None
        except (KeyError, ValueError, TypeError, OSError, EOFError, BadZipFile) as error:
            raise AssayError(f"{path} holds no model that Assay wrote, or is damaged: {error}") from error

    def _restored(self, said: Mapping[str, Any], stored: Mapping[str, npt.NDArray[Any]]) -> Self:
        import pandas as pd

        self._tasks = TaskGraph.from_dict(said["tasks"])
        space = self._tasks.label_space
        self._names = tuple(source["name"] for source in said["sources"])
        self._values = tuple(tuple(space.vote(value) for value in source["values"]) for source in said["sources"])
        nothing = Votes(self._tasks, np.empty((0, len(self._names)), dtype=np.int8), self._names, self._values)
        graph = SourceGraph(self._names, self.dependencies)
        self._components = []
        for index, solvers in enumerate(said["solvers"]):
            layout, _, sources = layout_of(nothing, index, graph)
            joint = tuple(stored[f"joint {index} {at}"] for at in range(len(layout.cliques)))
            parameters = Parameters(layout, stored[f"balance {index}"], joint, self.abstentions == "ignored")
            intervals = [tuple(stored[f"interval {index} {at}"]) for at in range(len(sources))]
            outcomes = {name: SolverOutcome(**outcome) for name, outcome in solvers.items()}
            self._components.append(FittedComponent(layout, sources, Fit(parameters, outcomes, intervals)))
        self.check_ = CheckReport(
            tuple(
                Problem(**{**problem, "sources": tuple(problem["sources"]), "tasks": tuple(problem["tasks"])})
                for problem in said["problems"]
            )
        )
        self.notes_ = list(said["notes"])
        self.solvers_ = [part.fit.solvers for part in self._components]
        self.converged_ = all(outcome.converged for solvers in self.solvers_ for outcome in solvers.values())
        balances = [part.fit.parameters.balance for part in self._components]
        self.class_balance_ = balances[0] if len(balances) == 1 else balances
        tables = []
        for j in range(len(self._names)):
            found = [stored[key] for key in stored if key.startswith(f"conditional {j} ")]
            tables.append(found[0] if len(found) == 1 else found)
        self.conditionals_ = BySource(tables, self._names)
        rows = [
            {"source": name, "task": ", ".join(vote.tasks), "value": str(vote)}
            for name, values in zip(self._names, self._values, strict=True)
            for vote in values
        ]
        self.sources_ = pd.DataFrame(rows).assign(
            **{name: stored[f"column {name}"] for name in ("accuracy", "low", "high", "coverage", "votes")}
        )
        return self

    # Checking what comes in

    def _check_fitted(self) -> None:
        if not hasattr(self, "_components"):
            raise AssayError("this LabelModel has not learned yet; call fit(votes) first")

    def _as_votes(self, votes: Any) -> Votes:
        if isinstance(votes, Votes):
            return votes
        return Votes.from_matrix(votes, cardinality=self.cardinality)

    def _aligned(self, votes: Any) -> Votes:
        """Votes with the sources and value tables that were learned from."""
        self._check_fitted()
        given = votes if isinstance(votes, Votes) else self._from_matrix(votes)
        if given.tasks != self._tasks:
            raise VoteError("these votes are on other tasks than the model learned from")
        missing = [name for name in self._names if name not in given.names]
        if missing:
            raise VoteError(f"the model learned from sources that these votes lack: {listing(missing)}")
        given = given.select(self._names)
        if given.values == self._values:
            return given
        for name, mine, theirs in zip(self._names, self._values, given.values, strict=True):
            new = [vote for vote in theirs if vote not in mine]
            if new:
                raise VoteError(f"source {name!r} says {str(new[0])!r}, which it never could when the model learned")
        codes = np.column_stack(
            [recode(given.codes[:, j], given.values[j], self._values[j]) for j in range(len(self._names))]
        )
        return Votes(given.tasks, codes, given.names, self._values, given.items)

    def _from_matrix(self, matrix: Any) -> Votes:
        votes = Votes.from_matrix(matrix, cardinality=len(self._tasks.tasks[0].labels))
        if len(votes.names) != len(self._names):
            raise VoteError(
                f"expected a matrix with {len(self._names)} columns, one a source, but it has {len(votes.names)}"
            )
        return Votes(self._tasks, votes.codes, self._names, self._values)

    def _check_settings(self) -> None:
        choices = {
            "method": METHODS,
            "abstentions": ("informative", "ignored"),
            "accuracies": ("global", "local"),
        }
        for name, known in choices.items():
            if getattr(self, name) not in known:
                raise AssayError(f"{name} must be one of {listing(known)}, but is {getattr(self, name)!r}")
        if not isinstance(self.max_steps, int) or self.max_steps < 1:
            raise AssayError(f"max_steps must be a whole number from 1, but is {self.max_steps!r}")

    def _balances(self, tasks: TaskGraph) -> list[FloatArray | None]:
        components = tasks.label_space.components
        if self.class_balance is None:
            return [None] * len(components)
        given = [self.class_balance] if len(components) == 1 else list(self.class_balance)
        if len(given) != len(components):
            raise AssayError(f"class_balance must have one entry for each of the {len(components)} components")
        return [_checked_balance(balance, len(part)) for balance, part in zip(given, components, strict=True)]


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON has them."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return value.tolist()
        if isinstance(value, Mapping):
            return {str(key): plain(entry) for key, entry in value.items()}
        if isinstance(value, list | tuple | set):
            return [plain(entry) for entry in value]
        return value

    return {name: plain(value) for name, value in settings.items()}


def _checked_balance(given: Any, outcomes: int) -> FloatArray:
    try:
        balance = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise AssayError(f"class_balance must be {outcomes} probabilities, but is {given!r}") from error
    if balance.shape != (outcomes,):
        raise AssayError(
            f"class_balance must have {outcomes} probabilities, one an outcome, but its shape is {balance.shape}"
        )
    if not np.isfinite(balance).all() or (balance <= 0).any() or abs(balance.sum() - 1) > 1e-6:
        raise AssayError(f"class_balance must be positive and sum to one, but is {balance.tolist()}")
    normal: FloatArray = balance / balance.sum()
    return normal


def _belief(given: float | tuple[float, float]) -> Belief:
    try:
        accuracy, strength = given if isinstance(given, tuple | list) else (given, Belief.strength)
        sound = 0 < accuracy < 1 and 0 <= strength < np.inf
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise AssayError(f"a belief is an accuracy between 0 and 1, and what it is worth in votes, but got {given!r}")
    return Belief(accuracy=accuracy, strength=strength)


def _applies(votes: Votes, index: int, sources: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.bool_], ...]:
    """Per source the outcomes in which one of its tasks applies."""
    component = votes.label_space.components[index]
    return tuple(
        np.any(
            [component.label_of(task) >= 0 for task in votes.tasks_of(int(source)) if task in component.tasks], axis=0
        )
        for source in sources
    )


def _in_own_values(table: FloatArray, of_code: npt.NDArray[np.int32], codes: npt.NDArray[np.integer]) -> FloatArray:
    """A table over a component's distinct votes as one over a source's own values, and abstain.

    Values that mean the same here share their row as often as each was used; so do
    those that mean nothing here, and abstaining.
    """
    counts = np.bincount(codes + 1, minlength=len(of_code)).astype(float)
    used = np.append(counts[1:], counts[0]) + 1e-9
    meaning = np.unique(of_code[of_code >= 0])
    rows = np.where(of_code >= 0, np.searchsorted(meaning, of_code), len(meaning))
    shares = used / np.bincount(rows, weights=used, minlength=len(meaning) + 1)[rows]
    return np.asarray(table[rows] * shares[:, None])
