"""Votes: the votes of all sources on all items, in one validated container."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay._core.foreign_settings import explains_foreign
from assay.errors import AssayError, VoteError, listing
from assay.tasks import TaskGraph, Vote, texts_of
from assay.votes.alignment import check_emitted, check_sources
from assay.votes.columns import Column, encode, probability_column
from assay.votes.dense_codes import DenseCodes
from assay.votes.levels import given_levels
from assay.votes.long_table import long_lists, long_votes
from assay.votes.matrix import class_numbers, codes_of_matrix, column_names
from assay.votes.names import check_unique, common_index, index_names, item_names, rows_named, unknown_items
from assay.votes.schema import HasSchema, OutcomeSets, Schema
from assay.votes.several import Said, cast_votes, said_in, split_votes, table_of
from assay.votes.soft_votes import common_scores, common_tables, recoded, with_levels
from assay.votes.sparse_codes import CodeArray, SparseCodes
from assay.votes.split import SplitVotes

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from assay.report import VotePlots

Store = DenseCodes | SparseCodes
"""How the codes are stored in memory. Both stores have the same methods."""


@dataclass(frozen=True)
class Fault:
    """Failures of one source while it was applied: how many, and one example."""

    source: str
    count: int
    row: int
    """The first row it failed on."""
    error: str


@dataclass(frozen=True, eq=False)
class Votes(HasSchema):
    """Items × sources: which of its values each source emitted.

    ``codes[i, j]`` is an index into ``values[j]``, the votes that source ``j`` can
    emit, or −1 where it abstains. Votes are immutable: methods return new ones.
    Usually made by :func:`assay.apply` or one of the ``from_…`` methods.

    >>> votes = Votes.from_matrix([[0, 1, -1], [1, 1, 0]])
    >>> votes
    Votes(2 items × 3 sources, 1 task)
    """

    schema: Schema
    """The tasks, the sources, and what their codes stand for."""
    store: Store
    """The codes: a dense table or, where most sources abstain, a list of the votes cast."""
    items: npt.NDArray[Any] | None = None
    """(items,): the names of the items, if they have any."""
    faults: tuple[Fault, ...] = field(default=(), compare=False)
    """Failures of sources that were counted as abstentions."""
    scores: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict, compare=False)
    """Soft source -> (items,): how sure it is of its vote on each item; levels of confidence are cut from these.
    Kept so that votes with other levels, as those of a fitted model, can be made of the same probabilities."""

    def __post_init__(self) -> None:
        if self.items is None:
            return
        items = np.array(self.items)
        if items.shape != (len(self.store),):
            raise VoteError(f"expected {len(self.store)} item names, one per row, but their shape is {items.shape}")
        items.flags.writeable = False
        object.__setattr__(self, "items", items)

    # Constructors

    @classmethod
    def from_codes(
        cls,
        tasks: TaskGraph,
        codes: Any,
        names: Sequence[str],
        values: Sequence[Sequence[Vote]],
        items: npt.NDArray[Any] | None = None,
        faults: Sequence[Fault] = (),
        scores: Mapping[str, npt.NDArray[np.float64]] | None = None,
        levels: Mapping[str, Sequence[float]] | None = None,
    ) -> Votes:
        """Votes from codes that index tables of values.

        Parameters
        ----------
        tasks
            The task graph.
        codes
            (items, sources) integers; −1 abstains.
        names
            The sources.
        values
            Per source the votes that its codes stand for.
        items
            (items,): the names of the items, if they have any; they must be unique.
        faults
            Failures of sources while they were applied.
        scores
            Soft source -> (items,): how sure it is of its vote on each item, from 0 to 1. Its values get levels of
            confidence, cut from these scores; a source that is always certain has none.
        levels
            Source -> where its levels start, ascending, instead of being cut from its scores; it abstains below the
            lowest.

        >>> tasks = TaskGraph.flat("mail", ["ham", "spam"])
        >>> spam = tasks.label_space.vote("spam")
        >>> Votes.from_codes(tasks, [[0], [-1]], ["words"], [[spam]]).to_pandas()
          words
        0  spam
        1  None
        """
        schema = Schema(tasks, tuple(names), tuple(tuple(table) for table in values))
        named = None if items is None else item_names(items)
        made = cls(schema, DenseCodes.checked(np.asarray(codes), schema), named, tuple(faults))
        return with_levels(made, scores or {}, levels or {}) if scores or levels else made

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        cardinality: int | None = None,
        labels: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        task: str = "label",
    ) -> Votes:
        """Votes of one task from class numbers 0…k−1, with −1 for abstain (Snorkel's convention).

        Parameters
        ----------
        matrix
            (items, sources) integers. A SciPy sparse matrix that stores no −1 is
            read in the sparse convention instead: entries that are not stored abstain,
            and classes are 1…k. The index of a pandas DataFrame names the items, unless
            it only numbers the rows.
        cardinality
            The number of classes; by default one more than the largest class number, and at least two.
        labels
            Names for the classes; "0", "1", … by default.
        names
            Names for the sources; by default those of a table's columns, or else the column numbers.
        task
            The name of the task.

        >>> Votes.from_matrix([[0, 1], [-1, 1]], labels=["ham", "spam"]).to_pandas()
              0     1
        0   ham  spam
        1  None  spam
        """
        return cls._from_matrix(matrix, cardinality, labels, names, task)

    @classmethod
    def _from_matrix(
        cls,
        matrix: Any,
        cardinality: int | None,
        labels: Sequence[str] | None,
        names: Sequence[str] | None,
        task: str,
        *,
        lent: bool = False,
    ) -> Votes:
        """The same; ``lent``: nobody keeps the votes, nor changes the matrix meanwhile: it need not be copied."""
        if labels is not None and cardinality is not None and len(labels) != cardinality:
            raise VoteError(f"cardinality is {cardinality}, but there are {len(labels)} labels")
        known = len(labels) if labels is not None else cardinality
        given, classes, width = codes_of_matrix(matrix, known, lent=lent)
        tasks = TaskGraph.flat(task, labels if labels is not None else [str(i) for i in range(classes)])
        table = tuple(Vote(((task, label),)) for label in tasks.tasks[0].labels)
        own = column_names(matrix) if names is None else list(names)
        sources = [str(i) for i in range(width)] if own is None else own
        if len(sources) != width:
            raise VoteError(f"the matrix has {width} columns, one a source, but there are {len(sources)} names")
        schema = Schema(tasks, tuple(sources), (table,) * len(sources))
        if isinstance(given, SparseCodes) and given.width == len(sources):
            return cls(schema, replace(given, codes=given.codes.astype(schema.code_type)))
        if isinstance(given, DenseCodes) and given.width == len(sources):
            return cls(schema, given, index_names(matrix))  # each source may say every class
        codes = DenseCodes.checked(given if isinstance(given, np.ndarray) else given.dense(), schema)
        return cls(schema, codes, index_names(matrix))

    @classmethod
    def from_probabilities(
        cls, tasks: TaskGraph, probabilities: Mapping[str, Any], *, levels: Sequence[float] | None = None
    ) -> Votes:
        """Votes from the probabilities that classifiers give the labels of a task.

        A row of probabilities is a vote for its most probable label, at a level of confidence; of labels that are
        equally probable, the first in the task. How far to believe each level is learned by the label model,
        so probabilities need not be calibrated.

        Parameters
        ----------
        tasks
            The task graph.
        probabilities
            Source name -> ``(task, P)``, or only ``P`` if there is one task, where P is (items, labels): a
            probability for each label of the task, in its order. A row of NaN abstains; one that adds up to less
            than 1 leaves the rest to something else. A pandas DataFrame has a column per label, and its index names
            the items, unless it only numbers the rows.
        levels
            Where the levels of confidence start, ascending; a source abstains below the lowest. By default they
            are cut from each source's own probabilities.

        >>> tasks = TaskGraph.flat("person", ["Doctor", "Lawyer"])
        >>> P = [[0.9, 0.1], [0.4, 0.6], [float("nan"), float("nan")]]
        >>> Votes.from_probabilities(tasks, {"clf": ("person", P)}, levels=[0.5, 0.8]).to_pandas()
                          clf
        0    Doctor, 0.8 to 1
        1  Lawyer, 0.5 to 0.8
        2                None
        """
        if not len(probabilities):
            raise VoteError("expected at least one source, but there are no probabilities")
        columns = {name: probability_column(tasks, name, given) for name, given in probabilities.items()}
        return cls._of_columns(tasks, columns, {} if levels is None else dict.fromkeys(columns, given_levels(levels)))

    @classmethod
    def from_columns(cls, tasks: TaskGraph, columns: Mapping[str, Any]) -> Votes:
        """Votes from one column of labels per source.

        Parameters
        ----------
        tasks
            The task graph.
        columns
            Source name -> ``(task, labels)``, or only the labels if these determine the task.
            A label is a name, a pair ``(task, label)``, a dict over several tasks,
            :func:`assay.one_of` or :func:`assay.none_of` of labels,
            or missing (None, NaN) for abstain; or a label with a confidence, ``("Doctor", 0.7)``, or a dict of
            label -> probability, as in :meth:`from_probabilities`. Of a task with ``multiple=True``: also a list of
            labels that apply, empty if none does, or a dict of label -> True or False.
            Or a pandas DataFrame with a column per source. The index of pandas columns names the
            items, unless it only numbers the rows.

        >>> tasks = TaskGraph.flat("person", ["Doctor", "Lawyer"])
        >>> votes = Votes.from_columns(tasks, {"kb": ("person", ["Doctor", None]), "crowd": ["Lawyer", "Doctor"]})
        >>> votes.codes.tolist()
        [[0, 1], [-1, 0]]
        """
        if not len(columns.keys()):
            raise VoteError("expected at least one source, but there are no columns")
        if tasks.multiple:
            return cls._from_lists(tasks, columns)
        read = {}
        for name, given in columns.items():
            task, column, labels = _task_and_labels(given)
            try:
                read[name] = Column(*encode(tasks.label_space, labels, task), column)
            except AssayError as error:
                raise type(error)(f"source {name!r}: {error}") from error
        return cls._of_columns(tasks, read, {})

    @classmethod
    def _of_columns(
        cls, tasks: TaskGraph, columns: Mapping[str, Column], levels: Mapping[str, Sequence[float]]
    ) -> Votes:
        lengths = {name: len(column.codes) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise VoteError(f"every source needs one label (or None) per item, but their lengths are {lengths}")
        codes = np.array([column.codes for column in columns.values()]).T
        scores = {name: column.scores for name, column in columns.items() if column.scores is not None}
        tables = [column.table for column in columns.values()]
        made = cls.from_codes(tasks, codes, tuple(columns), tables, scores=scores, levels=levels)
        return replace(made, items=common_index([column.given for column in columns.values()]))

    @classmethod
    def _from_lists(cls, tasks: TaskGraph, columns: Mapping[str, Any], *, complete: bool = False) -> Votes:
        """The same where any subset of labels may apply. ``complete``: labels that are not listed do not."""
        said, lengths, given_columns = [], {}, []
        for name, given in columns.items():
            task, column, labels = _task_and_labels(given)
            given_columns.append(column)
            try:
                said.append(said_in(tasks.label_space, labels, task, complete=complete))
            except AssayError as error:
                raise type(error)(f"source {name!r}: {error}") from error
            lengths[name] = len(labels)
        if len(set(lengths.values())) > 1:
            raise VoteError(f"every source needs one label (or None) per item, but their lengths are {lengths}")
        return cls._of_said(tasks, tuple(columns), said, items=common_index(given_columns))

    @classmethod
    def _of_said(
        cls,
        tasks: TaskGraph,
        names: Sequence[str],
        said: Sequence[Said],
        *,
        items: npt.NDArray[Any] | None = None,
        faults: Sequence[Fault] = (),
        tables: Sequence[Sequence[Vote]] | None = None,
    ) -> Votes:
        """Votes from what each source says, which may be several votes on one item; ``tables`` may list more values."""
        known = tables or [table_of(tasks.label_space, groups) for _, groups in said]
        schema = Schema(tasks, tuple(names), tuple(tuple(table) for table in known))
        return cls(schema, cast_votes(len(said[0][0]), said, schema.values), items, tuple(faults))

    @classmethod
    def from_long(
        cls,
        table: Any,
        tasks: TaskGraph | None = None,
        *,
        task: str | None = None,
        item: str = "item",
        source: str = "worker",
        label: str = "label",
        mapping: Mapping[Any, Any] | None = None,
    ) -> Votes:
        """Votes from a long table with one row per vote, as crowdsourcing platforms export it.

        Items keep their order of first appearance, and their names are in
        ``votes.items``; every worker becomes a source.

        Parameters
        ----------
        table
            Any dataframe, or a dict of columns.
        tasks
            The task graph; by default one task with the labels that occur, sorted.
        task
            The task that the labels belong to, if their names are ambiguous.
        item, source, label
            The names of the three columns.
        mapping
            What the table says -> the label it means, e.g. ``{"pro": assay.one_of("Doctor", "Lawyer")}``;
            ``None`` abstains.

        >>> long = {"item": ["a", "a", "b"], "worker": ["ann", "bob", "bob"], "label": ["cat", "dog", "cat"]}
        >>> votes = Votes.from_long(long)
        >>> votes.names, votes.items.tolist(), votes.codes.tolist()
        (('ann', 'bob'), ['a', 'b'], [[0, 1], [-1, 0]])
        """
        if tasks is not None and tasks.multiple:
            columns, named = long_lists(table, item=item, source=source, label=label, mapping=mapping)
            found = cls._from_lists(tasks, {name: (task, given) for name, given in columns.items()})
            return replace(found, items=named)
        schema, cast, items = long_votes(table, tasks, task, item=item, source=source, label=label, mapping=mapping)
        return cls(schema, cast if cast.is_worth_listing else DenseCodes.checked(cast.dense(), schema), items)

    @classmethod
    def concat(cls, parts: Iterable[Votes]) -> Votes:
        """Concatenate the votes of the same sources on different items; names that repeat are refused."""
        blocks = list(parts)
        if not blocks:
            raise VoteError("nothing to concatenate: expected at least one Votes")
        first = blocks[0]
        for other in blocks[1:]:
            if other.tasks != first.tasks:
                raise VoteError("only votes on the same task graph can be concatenated")
            if set(other.names) != set(first.names):
                differing = sorted(set(other.names) ^ set(first.names))
                raise VoteError(f"only votes of the same sources can be concatenated; {listing(differing)} differ")
        blocks = [block if block.names == first.names else block.select(first.names) for block in blocks]
        schema = Schema(first.tasks, first.names, common_tables(blocks))
        keep_items = all(block.items is not None for block in blocks)
        items = _joined([block.items for block in blocks]) if keep_items else None
        faults = tuple(fault for block in blocks for fault in block.faults)
        stores = [block.like(schema).store for block in blocks]
        if all(store.is_sparse for store in stores):
            return cls(schema, SparseCodes.concat([store.cast for store in stores]), items, faults)
        codes = np.concatenate([store.dense().T for store in stores], axis=1).T
        return cls(schema, DenseCodes(codes), items, faults, common_scores(blocks))

    # Properties

    @property
    def outcome_sets(self) -> tuple[OutcomeSets, ...]:
        """Per component of the label space: the values of all sources as sets of its outcomes."""
        return self.schema.outcome_sets

    @cached_property
    def codes(self) -> CodeArray:
        """(items, sources), read-only, in the smallest signed integer type that holds them.

        Sparse votes are converted to a dense table on first access.
        """
        codes = self.store.dense()
        codes.flags.writeable = False
        return codes

    @property
    def cast(self) -> SparseCodes:
        """The votes that were cast, row by row."""
        return self.store.cast

    @property
    def is_sparse(self) -> bool:
        """Whether the votes are stored as a list of those that were cast."""
        return self.store.is_sparse

    @property
    def shape(self) -> tuple[int, int]:
        """(items, sources)."""
        return len(self), len(self.names)

    def __len__(self) -> int:
        return len(self.store)

    def __repr__(self) -> str:
        n, m = self.shape
        count = len(self.tasks)
        return f"Votes({n:,} item{'s' * (n != 1)} × {m:,} source{'s' * (m != 1)}, {count} task{'s' * (count != 1)})"

    def __eq__(self, other: object) -> bool:
        """Same tasks, sources, value tables, codes and item names."""
        if not isinstance(other, Votes):
            return NotImplemented
        return self.schema == other.schema and _same_codes(self.store, other.store) and _same(self.items, other.items)

    __hash__ = None  # type: ignore[assignment]

    def tasks_of(self, source: str | int) -> tuple[str, ...]:
        """The tasks that a source votes on (the paper's coverage set)."""
        return self.schema.tasks_of(source)

    def row_of(self, item: str | int) -> int:
        """The row of an item, given by its name; by its row number if items have no names.

        >>> Votes.from_long({"item": ["a", "b"], "worker": ["ann", "ann"], "label": ["cat", "dog"]}).row_of("b")
        1
        """
        row = int(rows_named(self.items, len(self), [item])[0])
        if row < 0:
            raise unknown_items([item], self.items, len(self), "the question")
        return row

    def position(self, source: str | int) -> int:
        """The column of a source, given by name or by column number."""
        return self.schema.position(source)

    # Selection

    def take(self, rows: Any) -> Votes:
        """The given items: a slice, row numbers, or a boolean mask.

        >>> len(Votes.from_matrix([[0], [1], [1]]).take([0, 2]))
        2
        """
        numbers = _row_numbers(rows, len(self))
        items = None if self.items is None else self.items[numbers]
        return Votes(self.schema, self.store.take(numbers), items, scores=self._scores_of(numbers))

    def __getitem__(self, rows: Any) -> Votes:
        """The same as :meth:`take`; scikit-learn splits votes with it."""
        is_rows_of_all_columns = isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis
        return self.take(rows[0] if is_rows_of_all_columns else rows)

    def of_component(self, index: int) -> Votes:
        """The votes that speak about one component, and the sources that can.

        >>> from assay import Task
        >>> tasks = TaskGraph([Task("topics", ["sports", "art"], multiple=True)])
        >>> said = {"kb": [["sports", "art"], ["art"], None], "rule": ["sports", None, None]}
        >>> votes = Votes.from_columns(tasks, said)
        >>> votes.of_component(0).codes.tolist(), votes.of_component(1).codes.tolist()
        ([[0, 0], [-1, -1], [-1, -1]], [[0], [0], [-1]])
        """
        place = self.schema.places[index]
        if isinstance(self.store, DenseCodes) and len(place.sources):
            chosen = self.store.select(place.sources)
            codes = chosen.recoded([one.astype(place.schema.code_type) for one in place.lookups(self.values)])
            return Votes(place.schema, codes, self.items)
        cast = self.split.of_component(index, len(place.schema.names), place.schema.code_type)
        is_table = not self.schema.has_several and not cast.is_worth_listing
        return Votes(place.schema, DenseCodes(cast.dense()) if is_table else cast, self.items)

    @cached_property
    def unlinked(self) -> Votes:
        """The same votes, in which each label is by itself where any subset may apply: :attr:`TaskGraph.unlinked`."""
        tasks = self.tasks.unlinked
        if tasks is self.tasks:
            return self
        apart = tasks.label_space.alone
        said = [[tasks.label_space.by_component(vote, apart=apart) for vote in table] for table in self.values]
        tables = [table_of(tasks.label_space, groups) for groups in said]
        schema = Schema(tasks, self.names, tuple(tables))
        return Votes(schema, split_votes(self.cast, said, tables), self.items, self.faults)

    @cached_property
    def split(self) -> SplitVotes:
        """The votes cast, by the component that each speaks about."""
        return SplitVotes.of(self.schema, self.cast)

    def _emitted(self) -> Iterable[CodeArray]:
        """The codes of each source in turn."""
        if not self.schema.has_several:
            return self.store.columns()
        return (self.store.select([source]).cast.codes for source in range(len(self.names)))

    def sets_of(self, component: int) -> npt.NDArray[np.int64]:
        """(items,): for votes of one source, which of a component's sets it says; −1 where it says nothing of it."""
        found = np.full(len(self), -1, dtype=np.int64)
        said = self.outcome_sets[component].of_code[0][self.cast.codes]
        found[self.cast.row[said >= 0]] = said[said >= 0]
        return found

    @property
    def voted(self) -> npt.NDArray[np.bool_]:
        """(items,): whether any source votes."""
        return self.store.voted()

    def block(self, start: int, stop: int) -> Votes:
        """Consecutive items, without copying the votes."""
        items = None if self.items is None else self.items[start:stop]
        return Votes(self.schema, self.store.block(start, stop), items, scores=self._scores_of(slice(start, stop)))

    def _scores_of(self, rows: Any) -> dict[str, npt.NDArray[np.float64]]:
        return {name: scores[rows] for name, scores in self.scores.items()}

    def silenced(self, sources: str | int | Iterable[str | int]) -> Votes:
        """The same votes, in which some sources, by name or column number, abstain throughout.

        >>> Votes.from_matrix([[0, 1], [1, 1]]).silenced("1").to_pandas()["1"].tolist()
        [None, None]
        """
        chosen = [self.position(source) for source in _several(sources)]
        if isinstance(self.store, SparseCodes):
            store: Store = self.store.keep(~np.isin(self.store.sources, chosen))
        else:
            codes = np.array(self.store.codes, order="F")
            codes[:, chosen] = -1
            store = DenseCodes(codes)
        return replace(self, store=store)

    def select(self, sources: str | int | Iterable[str | int]) -> Votes:
        """The given source or sources, by name or column number, in that order."""
        chosen = [self.position(source) for source in _several(sources)]
        schema = self.schema.select(chosen)
        faults = tuple(fault for fault in self.faults if fault.source in schema.names)
        scores = {name: self.scores[name] for name in schema.names if name in self.scores}
        return Votes(schema, self.store.select(chosen), self.items, faults, scores)

    def drop(self, sources: str | int | Iterable[str | int]) -> Votes:
        """All sources except the given ones."""
        dropped = {self.position(source) for source in _several(sources)}
        return self.select([j for j in range(len(self.names)) if j not in dropped])

    def like(self, other: Votes | Schema) -> Votes:
        """The same votes with the sources and value tables of ``other``; extra sources are dropped.

        Soft votes get the levels of confidence that their source has in ``other``.

        Raises
        ------
        VoteError
            If the tasks differ, a source is missing, or a source emitted a value that it does not have in ``other``.
        """
        schema = other.schema if isinstance(other, Votes) else other
        if schema.tasks.linked is not None and self.tasks == schema.tasks.linked:
            return self.unlinked.like(schema)
        check_sources(self.schema, schema)
        given = self if self.names == schema.names else self.select(schema.names)
        if given.values == schema.values:
            return given
        check_emitted(given.schema, schema, given._emitted())
        return Votes(schema, recoded(given, schema), given.items, given.faults, given.scores)

    # Inspection

    @explains_foreign
    def summary(self, gold: Any = None, *, by: str = "source") -> pd.DataFrame:
        """Coverage, overlaps and conflicts of the sources; with gold, also their accuracy.

        Parameters
        ----------
        gold
            True labels of some or all items, to score against: outcome numbers (−1 if
            unknown), labels, dicts over tasks, or a dict of task -> labels; one for each item, in
            their order. Or of some items, by their names: a pandas Series, or a DataFrame with a
            column per task, whose index names the items; :class:`assay.HandLabels`; or votes of one
            source with names.
        by
            ``"source"``, ``"task"`` or ``"overall"``.

        Returns
        -------
        DataFrame
            Per source its tasks, the labels it emitted, and as fractions of the
            items: *coverage* (it votes), *overlaps* (another source votes too) and
            *conflicts* (another vote contradicts it; ``Person`` and ``Doctor`` do not
            conflict). With gold: the number of *correct* and *incorrect* votes, and
            the *accuracy* with its 95% Wilson interval.

        >>> summary = Votes.from_matrix([[0, 1], [1, 1], [0, -1]]).summary()
        >>> summary[["coverage", "overlaps", "conflicts"]].round(2)
                coverage  overlaps  conflicts
        source
        0           1.00      0.67       0.33
        1           0.67      0.67       0.33
        """
        from assay.votes.summary import summarize

        return summarize(self, None if gold is None else self.gold(gold), by)

    def conflicts(self) -> npt.NDArray[np.bool_]:
        """(items, sources): the votes that contradict another vote on the same item.

        >>> Votes.from_matrix([[0, 1, -1], [1, 1, 0], [0, 0, 0]]).conflicts().any(axis=1).tolist()
        [True, True, False]
        """
        from assay.votes.summary import overlaps_and_conflicts

        self.cast.check_dense()
        conflicting = self.cast.keep(overlaps_and_conflicts(self)[1])
        found = np.zeros(self.shape, dtype=bool, order="F")
        found[conflicting.row, conflicting.sources] = True
        return found

    @property
    def plot(self) -> VotePlots:
        """Altair charts: ``votes.plot.agreement()``, ``coverage()``, ``conflicts()``."""
        plots: VotePlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    def gold(self, gold: Any) -> Votes:
        """True labels, in any form that :meth:`summary` takes, as votes of one source named ``gold``."""
        from assay.votes.truth import true_labels

        return true_labels(self, gold)

    def to_pandas(self) -> pd.DataFrame:
        """One column of label names per source; None where it abstains. Lists of them where any subset may apply."""
        import pandas as pd

        if self.schema.has_several:
            return _table_of_lists(self)
        columns = {}
        for name, table, codes in zip(self.names, self.values, self.store.columns(), strict=True):
            texts = np.array([*texts_of(table), None], dtype=object)
            columns[name] = pd.Series(texts[codes], dtype=object, index=self.items)
        return pd.DataFrame(columns, index=self.items if self.items is not None else range(len(self)))

    def to_matrix(self) -> CodeArray:
        """(items, sources) class numbers 0…k−1 of the only task, in the order of its labels, and −1 for abstain.

        What :meth:`from_matrix` takes, and Snorkel calls ``L``. The numbers in ``codes`` are others: there each source
        counts its own values. Votes for one of several labels cannot be told so, and are refused.

        >>> tasks = TaskGraph.flat("mail", ["ham", "spam"])
        >>> Votes.from_columns(tasks, {"links": ["spam", None], "greets": [None, "ham"]}).to_matrix().tolist()
        [[1, -1], [-1, 0]]
        """
        if len(self.tasks.declared) != 1 or self.tasks.multiple:
            raise VoteError(
                "a matrix of class numbers is about one task of which one label applies, but these votes are about "
                f"{listing([task.name for task in self.tasks.declared])}; to_pandas() has their labels"
            )
        return class_numbers(self.tasks.declared[0], zip(self.names, self.values, self.store.columns(), strict=True))

    # Storage

    def to_arrow(self) -> pa.Table:
        """An Arrow table with readable label names, and the schema in its metadata.

        One dictionary column per source, in which the empty text is an abstention; where most sources abstain, two
        list columns instead: who votes, and what.
        """
        from assay.votes.arrow import to_arrow

        return to_arrow(self)

    def to_parquet(self, path: str | Path) -> Path:
        """Write a Parquet file that any tool can read and :meth:`from_parquet` restores exactly.

        Other tools see the columns of :meth:`to_arrow`; ``Votes.from_parquet(path).to_pandas()`` has None for the
        abstentions, which are empty texts in the file.
        """
        from assay._core.parquet import write_parquet
        from assay.votes.pieces import at_once

        return write_parquet(self.to_arrow(), Path(path), row_group_size=at_once(self.store.mean_votes))

    @classmethod
    def from_parquet(cls, path: str | Path, sources: Sequence[str] | None = None) -> Votes:
        """Votes from a file that :meth:`to_parquet` wrote; of some sources, if these are named.

        What is not asked for is not read.
        """
        from assay.votes.arrow import read_votes

        return read_votes(Path(path), sources)


def _table_of_lists(votes: Votes) -> pd.DataFrame:
    import pandas as pd

    cells = np.full(votes.shape, None, dtype=object)
    cast = votes.cast
    texts = [texts_of(table, beside_tasks=True) for table in votes.values]
    for row, source, code in zip(cast.row.tolist(), cast.sources.tolist(), cast.codes.tolist(), strict=True):
        if cells[row, source] is None:
            cells[row, source] = []
        cells[row, source].append(texts[source][code])
    index = votes.items if votes.items is not None else range(len(votes))
    return pd.DataFrame({name: pd.Series(cells[:, j], index=index) for j, name in enumerate(votes.names)}, index=index)


def _several(sources: str | int | Iterable[str | int]) -> Iterable[str | int]:
    return [sources] if isinstance(sources, str | int) else sources


def _row_numbers(rows: Any, items: int) -> npt.NDArray[np.int64]:
    """Rows, given as a slice, as numbers (negative ones count from the end) or as a mask, by their numbers."""
    wanted = f"expected a slice, row numbers or a mask of {items} items"
    if isinstance(rows, slice):
        return np.arange(*rows.indices(items))
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iub"):
        raise VoteError(f"{wanted}, but got {rows!r}")
    if chosen.dtype.kind == "b" and chosen.size:
        if len(chosen) != items:
            raise VoteError(f"{wanted}, but the mask has {len(chosen)}")
        return np.flatnonzero(chosen)
    numbers = chosen.astype(np.int64, copy=False)
    outside = numbers[(numbers < -items) | (numbers >= items)]
    if len(outside):
        raise VoteError(f"{wanted}, but got row number {outside[0]}")
    return np.where(numbers < 0, numbers + items, numbers)


def _joined(names: Sequence[Any]) -> npt.NDArray[Any]:
    """The names of several parts; integers and texts together are texts, as everywhere."""
    kinds = {part.dtype.kind in "iu" for part in names}
    joined = (
        np.concatenate(names) if len(kinds) == 1 else item_names([name for part in names for name in part.tolist()])
    )
    check_unique(joined)
    return joined


def _task_and_labels(given: Any) -> tuple[str | None, Any, list[Any]]:
    """The task, if one is given; the column as it is given; and its labels."""
    task = None
    is_pair = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str | None)
    if is_pair and not isinstance(given[1], str):
        task, given = given
    if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
        raise VoteError(f"expected a column of labels, or (task, labels), but got {given!r}")
    return task, given, list(given.tolist() if hasattr(given, "tolist") else given)


def _same(one: npt.NDArray[Any] | None, other: npt.NDArray[Any] | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _same_codes(one: Store, other: Store) -> bool:
    if isinstance(one, DenseCodes) and isinstance(other, DenseCodes):
        return np.array_equal(one.codes, other.codes)
    return one.cast.same_as(other.cast)
