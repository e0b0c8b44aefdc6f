"""Labels: posterior probabilities per item, joint over outcomes and marginal per task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay._core.arguments import random_numbers
from assay.errors import AssayError, VoteError, near_miss
from assay.gold import CheckedLabels
from assay.labels.changes import changes_between
from assay.labels.decisions import Metric, decisions
from assay.labels.files import StoredLabels, column_names, probability_columns, to_arrow, write_labels
from assay.labels.guarantee import (
    Guarantee,
    gold_checks,
    supported_threshold,
    too_little_gold,
)
from assay.labels.label_subsets import applies, f1_thresholds, named, subsets
from assay.labels.linking import gold_put_together, put_together
from assay.labels.probabilities import confidence_of, held_out_confidence, held_out_marginal, marginal, tempered
from assay.labels.refined import KINDS, Refined
from assay.labels.shares import balance_table, mean_predictions
from assay.labels.tables import write_labels_table
from assay.labels.tool_records import argilla_records, label_studio_tasks, write_records
from assay.tasks import TaskGraph, question
from assay.votes import Votes, at_once, on_the_same_task

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from assay.report import LabelPlots

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Labels:
    """Probabilistic labels that never contradict the task graph.

    ``labels["person"]`` is an array (items, labels + 1) with the probability of
    each of the task's labels and, last, of N/A: the task does not apply. Of a task with
    ``multiple=True`` it is (items, labels): the probability that each label applies.

    >>> tasks = TaskGraph.flat("mail", ["ham", "spam"])
    >>> labels = Labels(tasks, (np.array([[0.9, 0.1], [0.2, 0.8]]),))
    >>> labels["mail"]
    array([[0.9, 0.1, 0. ],
           [0.2, 0.8, 0. ]])
    >>> labels.names("mail").tolist()
    ['ham', 'spam']
    """

    tasks: TaskGraph
    joint: tuple[FloatArray, ...]
    """Per component of the label space (items, outcomes): P(outcome | votes)."""
    items: npt.NDArray[Any] | None = None
    """(items,): the names of the items, if the votes had any."""
    kept: npt.NDArray[np.bool_] | None = None
    """(rows of the data,): the rows that these labels belong to, after some were dropped; None for all."""
    gold: CheckedLabels | None = None
    """The items whose gold the model has learned from, with what it would have said of them without; None if none."""
    has_votes: npt.NDArray[np.bool_] | None = None
    """(items,): whether any source votes; the label of an item without votes is only the class balance. None if these
    labels do not come from votes, or it is not known."""
    refined: Refined | None = None
    """What the labels rest on, if :func:`assay.refine` made them."""

    @classmethod
    def concat(cls, parts: Iterable[Labels]) -> Labels:
        """Concatenate the labels of several parts."""
        found = list(parts)
        if not found:
            raise VoteError("nothing to concatenate: expected at least one Labels")
        if len(found) == 1:
            return found[0]
        named = [part.items for part in found if part.items is not None]
        voted = [part.has_votes for part in found if part.has_votes is not None]
        starts = np.cumsum([0, *map(len, found)]).tolist()
        checked = [(part.gold, start) for part, start in zip(found, starts, strict=False) if part.gold is not None]
        kept = [np.ones(len(part), dtype=bool) if part.kept is None else part.kept for part in found]
        return cls(
            found[0].tasks,
            tuple(np.concatenate(joint) for joint in zip(*(part.joint for part in found), strict=True)),
            np.concatenate(named) if len(named) == len(found) else None,
            None if all(part.kept is None for part in found) else np.concatenate(kept),
            CheckedLabels.concat(*zip(*checked, strict=True)) if checked else None,
            np.concatenate(voted) if len(voted) == len(found) else None,
            Refined.concat([part.refined for part in found]),
        )

    def put_together(self) -> Labels:
        """The labels of each question as those of the graph whose logic links them, if they are not yet."""
        if self.tasks.linked is None:
            return self
        gold = None if self.gold is None else gold_put_together(self.gold, self.tasks)
        return replace(self, tasks=self.tasks.linked, joint=tuple(put_together(self.joint, self.tasks)), gold=gold)

    def without_gold(self, row: int) -> list[FloatArray]:
        """Per component (outcomes,): the label of one item, as it would be without its own gold."""
        if self.gold is not None and row in self.gold.rows:
            at = int(np.searchsorted(self.gold.rows, row))
            return [part[at] for part in self.gold.held_out]
        return [joint[row] for joint in self.joint]

    def __len__(self) -> int:
        return len(self.joint[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self.tasks.names)

    def __repr__(self) -> str:
        return f"Labels({len(self):,} items, tasks: {', '.join(self.tasks.names)})"

    def __getitem__(self, task: str) -> FloatArray:
        """(items, labels + 1): the marginal of one task; the last column is N/A.

        (items, labels) if any subset of its labels may apply: the probability that each does.
        """
        if task in self.tasks.multiple:
            return applies(self.joint, self.tasks, task)
        if task not in self.tasks:
            raise VoteError(f"there is no task {task!r}. {near_miss(task, self.tasks.names)}")
        return marginal(self.joint[self.tasks.label_space.component_of(task)], self.tasks, task)

    def names(self, task: str) -> npt.NDArray[np.object_]:
        """(items,): the label of a task in the most probable outcome; None where the task does not apply.

        A list of labels if any subset may apply: those more probable than not, changed where they break the logic
        between them.

        >>> from assay import Task
        >>> tasks = TaskGraph([Task("topics", ["sports", "art"], multiple=True)])
        >>> Labels(tasks, (np.array([[0.2, 0.8]]), np.array([[0.9, 0.1]]))).names("topics").tolist()
        [['sports']]
        """
        if task in self.tasks.multiple:
            return named(subsets(self.joint, self.tasks, task), self.tasks.multiple[task])
        index = self.tasks.label_space.component_of(task)
        component = self.tasks.label_space.components[index]
        texts = np.array([*self.tasks[task].labels, None], dtype=object)
        chosen: npt.NDArray[np.object_] = texts[component.label_of(task)[self.joint[index].argmax(axis=1)]]
        return chosen

    @property
    def evidence(self) -> npt.NDArray[np.object_] | None:
        """(items,): what each label rests on, if :func:`assay.refine` made them; else None.

        ``"votes"``, ``"data"``, ``"votes and data"``, ``"gold"``; ``"class balance"`` where nothing else is known.
        """
        if self.refined is None:
            return None
        found: npt.NDArray[np.object_] = np.array(KINDS, dtype=object)[self.refined.kinds]
        return found

    def changes(self, before: Labels) -> pd.DataFrame:
        """The items whose most probable outcome is not what it was in other labels of the same items.

        A row for each item and component: *row* and, if it has one, *item*, the outcome *before* and *after*, the
        probability of either in these labels and in those, and the *evidence* if there is any word of that.

        >>> tasks = TaskGraph.flat("mail", ["ham", "spam"])
        >>> before = Labels(tasks, (np.array([[0.9, 0.1], [0.6, 0.4]]),))
        >>> Labels(tasks, (np.array([[0.8, 0.2], [0.3, 0.7]]),)).changes(before)
           row before after  was  is
        0    1    ham  spam  0.6  0.7
        """
        return changes_between(before, self)

    @property
    def plot(self) -> LabelPlots:
        """Altair charts: ``labels.plot.confidence()``, ``counts(task)``."""
        plots: LabelPlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    # Selection for training

    def where(self, chosen: Any) -> Labels:
        """The labels of the items in a mask (items,); ``kept`` then marks the rows of the data they belong to.

        :meth:`assay.EndModel.fit` takes them with the data of all rows; otherwise use ``data[labels.kept]``.
        The gold of the items that are dropped is dropped with them; what is left still speaks for all items in
        the mask, unless the mask depends on who has gold or on what it says.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.5, 0.5]]),))
        >>> labels.where([True, False]).kept
        array([ True, False])
        """
        mask = np.asarray(chosen)
        if mask.shape != (len(self),) or mask.dtype != bool:
            raise AssayError(
                f"expected True or False for each of the {len(self)} items, "
                f"but got {mask.dtype} values of shape {mask.shape}"
            )
        kept = np.ones(len(self), dtype=bool) if self.kept is None else self.kept.copy()
        kept[np.flatnonzero(kept)[~mask]] = False
        items = None if self.items is None else self.items[mask]
        voted = None if self.has_votes is None else self.has_votes[mask]
        refined = None if self.refined is None else self.refined.take(mask)
        joint = tuple(joint[mask] for joint in self.joint)
        return Labels(self.tasks, joint, items, kept, _remaining(self.gold, mask), voted, refined)

    @property
    def confidence(self) -> FloatArray:
        """(items,): the probability of the most probable outcome; the least of those of several components."""
        return confidence_of(self.joint)

    def voted(self, votes: Any = None) -> Labels:
        """Drop the items that no source voted on: their labels are only the class balance.

        Of refined labels, those stay whose item the data tells something of: these are more than that. Items with
        gold stay, since gold is certain; those without votes no longer speak for others. Labels that
        know of their votes (``has_votes``) need not be given them.

        >>> votes = Votes.from_matrix([[0, 1], [-1, -1]])
        >>> len(Labels(votes.tasks, (np.full((2, 2), 0.5),)).voted(votes))
        1
        """
        if votes is None:
            if self.has_votes is None:
                raise AssayError("these labels do not tell which items have votes; give the votes, as in voted(votes)")
            return self._told(self.has_votes)
        rows = len(self) if self.kept is None else len(self.kept)
        votes = votes if isinstance(votes, Votes) else on_the_same_task(votes, self.tasks)
        if votes.tasks != self.tasks or len(votes) != rows:
            raise AssayError(
                f"expected the votes that these labels were made from, on {rows} items, "
                f"but got votes on {len(votes)}" + ("" if votes.tasks == self.tasks else " and other tasks")
            )
        has_votes = np.diff(votes.cast.starts) > 0
        return self._told(has_votes if self.kept is None else has_votes[self.kept])

    def _told(self, has_votes: npt.NDArray[np.bool_]) -> Labels:
        """The items whose labels tell more than the class balance."""
        chosen = has_votes if self.refined is None else has_votes | self.refined.by_data
        if self.gold is None:
            return self.where(chosen)
        stays = chosen.copy()
        stays[self.gold.rows] = True
        return _speaking(self.where(stays), chosen[self.gold.rows])

    def confident(
        self, at_least: float | None = None, task: str | None = None, *, precision: float | None = None
    ) -> Labels:
        """Drop the items whose most probable outcome, or label of ``task``, is not probable enough.

        With several components, each must be. Items with gold stay, since gold is certain; of them, only those that
        would have stayed without their gold still speak for the others.

        Parameters
        ----------
        at_least
            The probability that it must have.
        task
            The task whose labels matter; by default the outcomes do.
        precision
            In place of ``at_least``: the share of the remaining labels that must be right, with 95% confidence.
            The threshold follows from gold, see :meth:`guarantee`.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.5, 0.5]]),))
        >>> len(labels.confident(0.8))
        1
        """
        if (at_least is None) == (precision is None):
            raise AssayError(
                "confident takes either a probability, as in confident(0.9), or a precision, "
                f"as in confident(precision=0.95), but got at_least={at_least!r} and precision={precision!r}"
            )
        if precision is not None:
            at_least = self.guarantee(precision, task).threshold
        if at_least is None or not 0 <= at_least <= 1:
            raise AssayError(f"at_least must be a probability, but is {at_least!r}")
        found = self.where(self._confidence(task) >= at_least)
        if found.gold is None:
            return found
        return _speaking(found, held_out_confidence(found.gold, self.tasks, task) >= at_least)

    def _confidence(self, task: str | None) -> FloatArray:
        if task is not None and task in self.tasks.multiple:
            chances = self[task]
            return np.asarray(np.maximum(chances, 1 - chances).min(axis=1))
        return confidence_of(self.joint if task is None else (self[task],))

    def rebalance(self, to: Literal["median", "min"] | None, task: str | None = None, *, seed: int = 0) -> Labels:
        """Drop random items of frequent classes, until no class has more than the median, or the rarest, class had.

        Parameters
        ----------
        to
            ``"median"``, ``"min"``, or None to change nothing.
        task
            The task whose labels are the classes; by default the outcomes are.
        seed
            Determines which items are dropped.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.eye(2)[[0, 0, 0, 1]],))
        >>> labels.rebalance("min").names("mail").tolist()
        ['ham', 'spam']
        """
        if to not in ("median", "min", None):
            raise AssayError(f"expected 'median', 'min' or None to rebalance to, but got {to!r}")
        if to is None or not len(self):
            return self
        self._check_one_label(task, "rebalance")
        if task is None and len(self.joint) > 1:
            raise AssayError(f"there are several components; name a task. {near_miss('', self.tasks.names)}")
        classes = (self.joint[0] if task is None else self[task]).argmax(axis=1)
        counts = np.bincount(classes)
        found = counts[counts > 0]
        most = int(found.min() if to == "min" else np.median(found))
        shuffled = random_numbers(seed).permutation(len(self))
        chosen = np.zeros(len(self), dtype=bool)
        for number in np.flatnonzero(counts):
            chosen[shuffled[classes[shuffled] == number][:most]] = True
        few = self.where(chosen)
        if few.gold is None:
            return few
        # An item with gold stays by its true class, those that it stands for stay by the class they seem to have.
        chances = np.minimum(most / np.maximum(counts, 1), 1)
        said = few.gold.held_out[0] if task is None else held_out_marginal(few.gold, self.tasks, task)
        as_said = np.append(chances, np.ones(said.shape[1]))[said.argmax(axis=1)]
        weights = few.gold.weights * as_said / chances[classes[chosen][few.gold.rows]]
        return replace(few, gold=replace(few.gold, weights=weights))

    def tempered(self, temperature: float) -> Labels:
        """Probabilities to the power of 1 / temperature, normalised: sharper below 1, flatter above.

        So are the predictions that gold checks, so that scores are those of the tempered labels. What gold rules out
        stays ruled out.
        """
        if not 0 < temperature < np.inf:
            raise AssayError(f"temperature must be a positive number, but is {temperature!r}")
        return self._each(lambda joint: tempered(joint, temperature))

    def hard(self) -> Labels:
        """All probability on the most probable outcome; on the first one in a tie.

        Also in the predictions that gold checks, so that scores are those of the hard labels.
        """
        return self._each(lambda joint: np.eye(joint.shape[1])[joint.argmax(axis=1)])

    def _each(self, change: Callable[[FloatArray], FloatArray]) -> Labels:
        """The labels with changed probabilities, and what would be said without gold changed in the same way."""
        gold = self.gold
        if gold is not None:
            gold = replace(gold, held_out=tuple(change(part) for part in gold.held_out))
        return replace(self, joint=tuple(change(joint) for joint in self.joint), gold=gold)

    # What gold tells of all items

    def balance(self) -> pd.DataFrame:
        """The share of items that have each label of each task, with its 95% interval.

        A row per *task* and *label*, N/A included where it can occur: *share*, *low*, *high*, and the number of *gold*
        items it rests on. Shares are counted on the items whose gold the model has learned from, and
        sharpened by the labels of all items (prediction-powered inference), by what the model would have said without
        an item's own gold. So they do not depend on the labels being right; the better these are, the narrower the
        intervals. Items whose gold leaves a task open do not count for that task.

        Without gold, the share is the mean label and the interval is from 0 to 1: votes alone do not tell.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.5, 0.5]]),))
        >>> labels.balance()
           task label  share  low  high  gold
        0  mail   ham    0.7  0.0   1.0     0
        1  mail  spam    0.3  0.0   1.0     0
        """
        if not len(self):
            raise AssayError("there are no items whose labels could be counted")
        return balance_table(self.tasks, mean_predictions(self.joint, self.gold), len(self), self.gold)

    def guarantee(self, precision: float, task: str | None = None) -> Guarantee:
        """From which confidence on labels are right as often as asked, as far as gold can tell.

        Confidence is the probability of the most probable outcome, or label of ``task``. Thresholds are tested on what
        the model said of gold items before it was told their gold, so that with 95% confidence the share of right
        labels is at least ``precision``, although the threshold is chosen.

        Raises
        ------
        AssayError
            If gold does not support it at any threshold; the error says about how many more hand labels might.

        >>> rng = np.random.default_rng(0)
        >>> joint = np.eye(2)[rng.integers(0, 2, 1000)] * 0.9 + 0.05
        >>> gold = CheckedLabels(np.arange(100), (joint[:100] > 0.5,), (joint[:100],), np.ones(100))
        >>> Labels(TaskGraph.flat("mail", ["ham", "spam"]), (joint,), gold=gold).guarantee(0.95)
        Guarantee(95.0% right from confidence 0.950 on, 100.0% of items; gold: 100.0% of 100, at least 97.0%)
        """
        self._check_one_label(task, "guarantee")
        if isinstance(precision, bool) or not isinstance(precision, int | float) or not 0 < precision < 1:
            raise AssayError(f"precision must be a number between 0 and 1, but is {precision!r}")
        confidence = self._confidence(task)
        if self.gold is None:
            raise AssayError(
                "no hand labels check these labels, and votes alone do not tell how often they are right; "
                "fit the label model with gold, as in LabelModel().fit(votes, gold)"
            )
        checks = gold_checks(self.gold, self.tasks, task)
        found = supported_threshold(checks, precision)
        if found is None:
            raise too_little_gold(checks, precision, task)
        covered = confidence >= found.at
        return Guarantee(
            precision=float(precision),
            threshold=found.at,
            estimate=found.estimate,
            low=found.low,
            high=found.high,
            coverage=float(covered.mean()),
            gold=found.gold,
            rest=np.flatnonzero(~covered),
        )

    # Decisions

    def decide(
        self, task: str | None = None, *, metric: Metric = "accuracy", label: str | None = None, cost: Any = None
    ) -> npt.NDArray[np.object_]:
        """(items,): a label of a task for each item, None for N/A, so that a metric is best in expectation.

        :meth:`names` decides for all tasks at once, by the most probable outcome, and never contradicts the task
        graph. Decisions that are made for each task by itself may: together they need not be an outcome.

        Parameters
        ----------
        task
            Which one; may be left out if there is only one.
        metric
            ``"accuracy"``: the most probable label. ``"f1"``: the F1 of ``label``, which is given wherever it is
            more probable than half of the F1 that can be expected; other items get their most probable other label.
            ``"macro_f1"``: the mean F1 of all labels, N/A included where it can occur; an approximation, which
            finds a local optimum. F1s are ratios of expected counts, which is exact in the limit of many items.
            Where any subset of labels may apply, both are the F1 of each of them.
        label
            The label whose F1 matters.
        cost
            In place of a metric: what it costs to decide on one label (column) where another one is true (row), in the
            order of the task's labels, with N/A last where it can occur; or a dataframe with names. The decisions
            have the lowest expected cost.

        >>> tasks = TaskGraph.flat("urgency", ["low", "medium", "high"])
        >>> labels = Labels(tasks, (np.array([[0.45, 0.15, 0.4], [0.7, 0.2, 0.1]]),))
        >>> labels.decide().tolist()
        ['low', 'low']
        >>> labels.decide(metric="f1", label="high").tolist()
        ['high', 'low']
        >>> labels.decide(cost=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]).tolist()
        ['medium', 'low']
        """
        name = self._only_task() if task is None else task
        if name in self.tasks.multiple:
            return self._decide_subsets(name, metric, label, cost)
        probabilities = self[name]
        component = self.tasks.label_space.components[self.tasks.label_space.component_of(name)]
        names = [*self.tasks[name].labels, *(["N/A"] if (component.label_of(name) < 0).any() else [])]
        chosen = decisions(probabilities[:, : len(names)], names, name, metric=metric, label=label, cost=cost)
        found: npt.NDArray[np.object_] = np.array([*self.tasks[name].labels, None], dtype=object)[chosen]
        return found

    def _decide_subsets(self, task: str, metric: Metric, label: str | None, cost: Any) -> npt.NDArray[np.object_]:
        """(items,): lists of labels. The F1 of each of them is best in expectation if that is asked for."""
        if cost is not None or label is not None or metric not in ("accuracy", "f1", "macro_f1"):
            raise AssayError(
                f"any subset of the labels of {task!r} may apply: decide(metric='accuracy') gives those that are more "
                "probable than not, and decide(metric='f1') is best for the F1 of each; other decisions are made a "
                f"label at a time, as in decide({self.tasks.names[0]!r}, ...)"
            )
        thresholds = None if metric == "accuracy" else f1_thresholds(self[task])
        return named(subsets(self.joint, self.tasks, task, thresholds), self.tasks.multiple[task])

    def _check_one_label(self, task: str | None, verb: str) -> None:
        if task in self.tasks.multiple:
            name = question(str(task), self.tasks.multiple[str(task)][0])
            raise AssayError(
                f"{verb} looks at one label of each item, but any subset of those of {task!r} may apply; "
                f"name one of its questions, such as {name!r}"
            )

    def _only_task(self) -> str:
        names = [task.name for task in self.tasks.declared]
        if len(names) > 1:
            raise AssayError(f"there are several tasks; name one of them. {near_miss('', names)}")
        return names[0]

    # Export

    def to_pandas(self) -> pd.DataFrame:
        """A column for each task with its label, or a list of them, and one for each label with its probability.

        The label of a task is the one that it has in the most probable outcome, as in :meth:`names`; the most
        probable label of a task by itself may be another one. *confidence* is the probability of that outcome, the
        least of those of several components. *has_votes*, if it is known, tells whether any source voted on the item:
        without votes, a label is only the class balance.

        >>> votes = Votes.from_matrix([[0, 0], [-1, -1]], labels=["ham", "spam"])
        >>> joint = (np.array([[0.9, 0.1], [0.5, 0.5]]),)
        >>> Labels(votes.tasks, joint, has_votes=votes.voted).to_pandas()
          label  label=ham  label=spam  confidence  has_votes
        0   ham        0.9         0.1         0.9       True
        1   ham        0.5         0.5         0.5      False
        """
        import pandas as pd

        columns: dict[str, Any] = {}
        names = column_names(self.tasks)
        for task in self.tasks.declared:
            columns[task.name] = pd.Series(self.names(task.name), dtype=object)
            columns |= probability_columns(self, task.name, names)
        columns[names.confidence] = self.confidence
        if self.has_votes is not None:
            columns[names.has_votes] = self.has_votes
        table = pd.DataFrame(columns)
        if self.items is not None:
            table.index = pd.Index(self.items, name="item")
        return table

    def to_arrow(self) -> pa.Table:
        """An Arrow table: the label of each task, *confidence*, *has_votes*, and probabilities in single precision.

        Of these, only what cannot be derived: those of outcomes, which are a task's labels if it stands alone, and of
        two outcomes the second. :meth:`to_pandas` has the rest.
        """
        return to_arrow(self)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the table of :meth:`to_arrow` to a Parquet file that any tool can read; gold is in its metadata.

        Probabilities keep seven digits. Large files are written in parts that can be read one by one.
        """
        size = at_once(sum(joint.shape[1] for joint in self.joint))
        blocks = [slice(start, start + size) for start in range(0, max(len(self), 1), size)]
        return write_labels([self] if len(blocks) == 1 else map(self._block, blocks), path)

    def _block(self, rows: slice) -> Labels:
        """Consecutive items, as they go into a file."""
        gold = self.gold
        if gold is not None:
            here = (gold.rows >= rows.start) & (gold.rows < rows.stop)
            gold = gold.take(here, gold.rows[here] - rows.start) if here.any() else None
        return Labels(
            self.tasks,
            tuple(joint[rows] for joint in self.joint),
            None if self.items is None else self.items[rows],
            gold=gold,
            has_votes=None if self.has_votes is None else self.has_votes[rows],
            refined=None if self.refined is None else replace(self.refined, kinds=self.refined.kinds[rows]),
        )

    def to_file(self, path: str | Path) -> Path:
        """Write the labels to a file by its ending: ``.csv`` or ``.jsonl`` (:meth:`to_pandas`), or ``.parquet``."""
        return write_labels_table(self, path)

    def to_huggingface(self) -> Any:
        """A Hugging Face ``Dataset`` with the columns of :meth:`to_pandas`; needs the package ``datasets``.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.2, 0.8]]),))
        >>> labels.to_huggingface()["mail"][:]
        ['ham', 'spam']
        """
        try:
            from datasets import Dataset
        except ImportError:
            raise AssayError("to_huggingface needs Hugging Face's datasets: pip install datasets") from None
        return Dataset.from_pandas(self.to_pandas(), preserve_index=self.items is not None)

    def to_label_studio(
        self, data: Any, path: str | Path | None = None, *, on: str | None = None, item: str | None = None
    ) -> list[dict[str, Any]]:
        """Tasks for Label Studio, with the labels as predictions and their probabilities as scores.

        Import them into a project whose labeling configuration has ``<Choices name="TASK" toName="TEXT">`` for each
        task, and ``<Text name="TEXT" value="$TEXT"/>``, where TEXT is the column ``on``. Items keep their names in
        ``data.item``, by which :func:`assay.read_annotations` finds them again.

        Parameters
        ----------
        data
            The rows that were labeled, in any form that :func:`assay.apply` takes. If labels have names of items, each
            goes with the row of that name, in the index of the data, in a column ``item`` or ``id``, or in any other
            that holds all the names; rows without a label are left out. Else they go together by position.
        path
            A JSON file to write the tasks to, if any.
        on
            The column that annotators read; by default ``text``, or the only one there is.
        item
            The column of the data that has the names of items, if it has to be told.

        Raises
        ------
        AssayError
            If labels and rows have names that contradict each other, or their numbers differ.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1]]),))
        >>> (task,) = labels.to_label_studio([{"text": "See you at noon"}])
        >>> task["predictions"][0]["score"], task["predictions"][0]["result"][0]["value"]
        (0.9, {'choices': ['ham']})
        """
        records = label_studio_tasks(self, data, on, item)
        if path is not None:
            write_records(records, path)
        return records

    def to_argilla(
        self, data: Any, path: str | Path | None = None, *, on: str | None = None, item: str | None = None
    ) -> list[dict[str, Any]]:
        """Records for Argilla, with the labels as suggestions and their probabilities as scores.

        Each is a dict for ``argilla.Record.from_dict``; a file of them is for ``dataset.records.from_json``. Questions
        have the names of tasks, and records the names of items. The parameters are those of :meth:`to_label_studio`.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1]]),))
        >>> (record,) = labels.to_argilla([{"text": "See you at noon"}])
        >>> record["suggestions"]
        {'mail': {'value': 'ham', 'score': 0.9, 'agent': 'assay'}}
        """
        records = argilla_records(self, data, on, item)
        if path is not None:
            write_records(records, path)
        return records

    @classmethod
    def from_parquet(cls, path: str | Path) -> Labels:
        """Labels from a file that :meth:`to_parquet` wrote."""
        stored = StoredLabels.of(Path(path))
        joint, items, has_votes = stored.whole()
        return cls(stored.tasks, joint, items, gold=stored.gold, has_votes=has_votes, refined=stored.refined())


def _remaining(gold: CheckedLabels | None, mask: npt.NDArray[np.bool_]) -> CheckedLabels | None:
    """Gold of the items in a mask, whose rows are those among the items in it; None if there is none."""
    if gold is None or not mask[gold.rows].any():
        return None
    chosen = mask[gold.rows]
    rows: npt.NDArray[np.int64] = (np.cumsum(mask) - 1)[gold.rows[chosen]]
    return gold.take(chosen, rows)


def _speaking(labels: Labels, which: npt.NDArray[np.bool_]) -> Labels:
    """The labels with only some of their gold: those items that would be there without it."""
    assert labels.gold is not None
    return replace(labels, gold=labels.gold.take(which, labels.gold.rows[which]) if which.any() else None)
