"""Votes: what every source said about every item, in one validated container."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay.errors import AssayError, VoteError, listing, near_miss
from assay.tasks import LabelSpace, TaskGraph, Vote, texts_of
from assay.votes.encoding import canonical, encode, recode, smallest
from assay.votes.sparse import Listed

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from assay.report import VotePlots

CodeArray = npt.NDArray[np.signedinteger[Any]]
ABSTAIN = -1
"""The code of a source that says nothing."""
MAX_DENSE = 2**32
"""The most codes that are laid out in one table."""
_ROWS_AT_ONCE = 8_192
"""Rows that are looked at and copied together, so that they are still in the cache."""
_SPARSE = 0.1
"""Votes from a long table are kept as a list if they fill less than this of the table of codes."""


@dataclass(frozen=True)
class Fault:
    """What went wrong in one source while it was applied: how often, and one example."""

    source: str
    count: int
    row: int
    """The first row it failed on."""
    error: str


@dataclass(frozen=True)
class OutcomeSets:
    """The votes of one component, as sets of outcomes."""

    masks: npt.NDArray[np.bool_]
    """(sets, outcomes): the distinct sets that some vote allows."""
    of_code: tuple[npt.NDArray[np.int32], ...]
    """Per source: code -> row of ``masks``, −1 where the code says nothing here. The last entry is abstain's."""


@dataclass(frozen=True, eq=False)
class Votes:
    """Items × sources: which of its values each source emitted.

    ``codes[i, j]`` is an index into ``values[j]``, the votes that source ``j`` can
    emit, or −1 where it abstains. The arrays are read-only; every method that
    changes something returns new votes. Usually made by :func:`assay.apply` or one
    of the ``from_…`` methods.

    >>> votes = Votes.from_matrix([[0, 1, -1], [1, 1, 0]])
    >>> votes
    Votes(2 items × 3 sources, 1 task)
    """

    tasks: TaskGraph
    codes: CodeArray
    """(items, sources), in the smallest signed integers that hold them. Votes made from a
    long table keep a list of those that were cast instead, and lay them out when asked."""
    names: tuple[str, ...]
    values: tuple[tuple[Vote, ...], ...]
    """Per source the votes that its codes stand for."""
    items: npt.NDArray[Any] | None = None
    """(items,): what the rows are called, for votes that came with item names."""
    faults: tuple[Fault, ...] = field(default=(), compare=False)
    """What went wrong in sources that were let off with an abstention."""

    def __post_init__(self) -> None:
        names = tuple(self.names)
        if not names:
            raise VoteError("expected at least one source, but there is none")
        unnamed = next((name for name in names if not isinstance(name, str)), None)
        if unnamed is not None:
            raise VoteError(f"the names of sources are texts, but got {unnamed!r} ({type(unnamed).__name__})")
        repeated = next((name for name, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            raise VoteError(f"two sources are called {repeated!r}; give each its own name")
        codes = np.asarray(self.codes)
        if codes.ndim != 2 or codes.shape[1] != len(names) or len(self.values) != len(names):
            raise VoteError(
                f"codes must be items × sources with {len(names)} columns, but their shape is {codes.shape} "
                f"and there are {len(self.values)} value tables"
            )
        frozen = _source_by_source(codes, names, [len(values) for values in self.values])
        frozen.flags.writeable = False
        object.__setattr__(self, "codes", frozen)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "values", tuple(tuple(values) for values in self.values))
        if self.items is not None:
            items = np.array(self.items)
            if items.shape != (len(frozen),):
                raise VoteError(f"expected {len(frozen)} item names, one a row, but their shape is {items.shape}")
            items.flags.writeable = False
            object.__setattr__(self, "items", items)

    def _with(self, codes: CodeArray | Listed, **changed: Any) -> Votes:
        """Votes with other codes, known to be sound, and whatever else has changed."""
        made = object.__new__(Votes)
        for name in ("tasks", "names", "values", "items", "faults"):
            object.__setattr__(made, name, changed.get(name, getattr(self, name)))
        if isinstance(codes, Listed):
            object.__setattr__(made, "listed", codes)
        else:
            codes.flags.writeable = False
            object.__setattr__(made, "codes", codes)
        return made

    def __getattr__(self, name: str) -> Any:
        # Reached only while there are no codes: votes that are kept as a list, which is laid out when asked for.
        if name != "codes" or "listed" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        n, m = self.shape
        if n * m > MAX_DENSE:
            raise VoteError(
                f"{n:,} items × {m:,} sources are too many to lay out in one table of codes; "
                "take some of them: votes.take(slice(0, 100_000)).codes"
            )
        codes = self.listed.dense()
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)
        return codes

    @cached_property
    def listed(self) -> Listed:
        """The votes that were cast, row by row."""
        return Listed.of(self.codes)

    @property
    def is_sparse(self) -> bool:
        """Whether the votes are kept as a list of those that were cast."""
        return "codes" not in self.__dict__

    def block(self, start: int, stop: int) -> Votes:
        """Neighbouring items, without copying the votes."""
        codes = self.listed.slice(start, stop) if self.is_sparse else self.codes[start:stop]
        return self._with(codes, items=None if self.items is None else self.items[start:stop], faults=())

    # How votes come to be

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
            (items, sources) of integers. A SciPy sparse matrix that stores no −1 is
            read in the sparse convention instead: what is not stored abstains, and
            classes are 1…k.
        cardinality
            The number of classes; one more than the largest by default, and at least two.
        labels
            Names for the classes; "0", "1", … by default.
        names
            Names for the sources; their column numbers by default.
        task
            The name of the task.

        >>> Votes.from_matrix([[0, 1], [-1, 1]], labels=["ham", "spam"]).to_pandas()
              0     1
        0   ham  spam
        1  None  spam
        """
        listed = _listed(matrix)
        codes = _dense(matrix) if listed is None else listed.codes
        highest = int(codes.max(initial=ABSTAIN))
        if codes.size and codes.min() < ABSTAIN:
            raise VoteError(
                f"expected class numbers from 0, or -1 for abstain, but the matrix holds {codes.min()}; "
                "map every abstention to -1"
            )
        if labels is not None and cardinality is not None and len(labels) != cardinality:
            raise VoteError(f"cardinality is {cardinality}, but there are {len(labels)} labels")
        count = len(labels) if labels is not None else cardinality if cardinality is not None else max(highest + 1, 2)
        if count < 1 or highest >= count:
            raise VoteError(
                f"expected class numbers below {count}, the number of classes, but the matrix holds {highest}; "
                "classes are numbered from 0"
            )
        tasks = TaskGraph.unremembered(task, labels if labels is not None else [str(i) for i in range(count)])
        table = tuple(Vote(((task, label),)) for label in tasks.tasks[0].labels)
        width = codes.shape[1] if listed is None else listed.width
        sources = [str(i) for i in range(width)] if names is None else list(names)
        tables = (table,) * len(sources)
        if listed is None:
            return cls(tasks, codes, tuple(sources), tables)
        nothing = cls(tasks, np.empty((0, width), dtype=np.int8), tuple(sources), tables)
        return nothing._with(replace(listed, codes=listed.codes.astype(smallest(count))))

    @classmethod
    def from_columns(cls, tasks: TaskGraph, columns: Mapping[str, Any]) -> Votes:
        """Votes from one column of labels a source.

        Parameters
        ----------
        tasks
            The task graph.
        columns
            Source name -> ``(task, labels)``, or just labels where these decide.
            A label is a name, a pair ``(task, label)``, a dict over several tasks,
            or missing (None, NaN) for abstain.

        >>> tasks = TaskGraph.flat("person", ["Doctor", "Lawyer"])
        >>> votes = Votes.from_columns(tasks, {"kb": ("person", ["Doctor", None]), "crowd": ["Lawyer", "Doctor"]})
        >>> votes.codes.tolist()
        [[0, 1], [-1, 0]]
        """
        if not columns:
            raise VoteError("expected at least one source, but there are no columns")
        coded, tables, lengths = [], [], {}
        for name, given in columns.items():
            task, labels = _task_and_labels(given)
            try:
                codes, table = encode(tasks.label_space, labels, task)
            except AssayError as error:
                raise type(error)(f"source {name!r}: {error}") from error
            lengths[name] = len(codes)
            coded.append(codes)
            tables.append(table)
        if len(set(lengths.values())) > 1:
            raise VoteError(f"every source needs one label (or None) an item, but their lengths are {lengths}")
        return cls(tasks, np.column_stack(coded), tuple(columns), tuple(tables))

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
    ) -> Votes:
        """Votes from a long table with a row for each vote, as crowdsourcing platforms export it.

        Items are the rows of the result, in the order of first appearance, and
        their names are kept in ``votes.items``; every worker becomes a source.

        Parameters
        ----------
        table
            Any dataframe, or a dict of columns.
        tasks
            The task graph; by default one task with the labels that occur, sorted.
        task
            The task that the labels belong to, where their names alone do not tell.
        item, source, label
            The names of the three columns.

        >>> long = {"item": ["a", "a", "b"], "worker": ["ann", "bob", "bob"], "label": ["cat", "dog", "cat"]}
        >>> votes = Votes.from_long(long)
        >>> votes.names, votes.items.tolist(), votes.codes.tolist()
        (('ann', 'bob'), ['a', 'b'], [[0, 1], [-1, 0]])
        """
        import polars as pl

        from assay._core.rows import as_polars, positions_in

        frame = as_polars(table)
        for column in (item, source, label):
            if column not in frame.columns:
                raise VoteError(f"the table has no column {column!r}. {near_miss(column, frame.columns)}")
        frame = frame.select(item, source, label).drop_nulls(label)
        if frame[item].null_count() or frame[source].null_count():
            raise VoteError(f"some votes name no item or no source: {item!r} and {source!r} must be filled")
        workers = frame[source].cast(pl.String)
        items, names = frame[item].unique(maintain_order=True), workers.unique().sort()
        # A label is looked up once, not once a vote; unless it is a structure, which polars cannot look for.
        if frame[label].dtype.is_nested() or frame[label].dtype == pl.Object:
            labels, which = frame[label].to_list(), np.arange(len(frame))
        else:
            kinds = frame[label].unique(maintain_order=True)
            labels, which = kinds.to_list(), positions_in(frame[label], kinds)
        if tasks is None:
            labels = [str(value) for value in labels]
            tasks = TaskGraph.unremembered(task or "label", sorted(set(labels)))
        try:
            kind_codes, values = encode(tasks.label_space, labels, task)
        except VoteError:
            encode(tasks.label_space, frame[label].to_list(), task)  # says which row it is
            raise
        codes = kind_codes[which]
        rows, columns = positions_in(frame[item], items), positions_in(workers, names)
        place = rows.astype(np.int64) * len(names) + columns
        order = np.argsort(place, kind="stable")
        again = place[order][1:] == place[order][:-1]
        clash = np.flatnonzero(again & (codes[order][1:] != codes[order][:-1]))
        if len(clash):
            one, other = order[clash[0]], order[clash[0] + 1]
            raise VoteError(
                f"source {names[int(columns[one])]!r} votes twice on item {items[int(rows[one])]!r}, "
                f"{str(values[codes[one]])!r} and {str(values[codes[other]])!r}; keep one of them"
            )
        order = order[np.concatenate([[True], ~again])] if len(order) else order
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows[order], minlength=len(items)))])
        said = codes[order].astype(smallest(len(values)))
        listed = Listed(starts.astype(np.int64), columns[order].astype(np.int32), said, len(names))
        tables = (values,) * len(names)
        nothing = cls(tasks, np.empty((0, len(names)), dtype=np.int8), tuple(names), tables)
        names_of_items = items.to_numpy()
        if len(listed.codes) >= _SPARSE * len(items) * len(names):
            return cls(tasks, listed.dense(), tuple(names), tables, names_of_items)
        names_of_items.flags.writeable = False
        return nothing._with(listed, items=names_of_items)

    @classmethod
    def concat(cls, parts: Iterable[Votes]) -> Votes:
        """Votes of the same sources on more items, one after the other."""
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
        tables = tuple(
            tables[0] if len(set(tables)) == 1 else canonical(first.label_space, {v for table in tables for v in table})
            for tables in zip(*(block.values for block in blocks), strict=True)
        )
        keep_items = all(block.items is not None for block in blocks)
        items = np.concatenate([block.items for block in blocks]) if keep_items else None
        faults = tuple(fault for block in blocks for fault in block.faults)
        if all(block.is_sparse and block.values == tables for block in blocks):
            return first._with(Listed.concat([block.listed for block in blocks]), items=items, faults=faults)
        codes = np.concatenate(
            [
                np.array([recode(block.codes[:, j], block.values[j], table) for j, table in enumerate(tables)])
                for block in blocks
            ],
            axis=1,
        )
        return cls(first.tasks, codes.T, first.names, tables, items, faults)

    # What they are

    @property
    def label_space(self) -> LabelSpace:
        """The outcomes that votes are sets of."""
        return self.tasks.label_space

    @property
    def shape(self) -> tuple[int, int]:
        """(items, sources)."""
        return len(self), len(self.names)

    def __len__(self) -> int:
        return len(self.listed) if self.is_sparse else len(self.codes)

    def __repr__(self) -> str:
        n, m = self.shape
        count = len(self.tasks)
        return f"Votes({n:,} items × {m:,} sources, {count} task{'s' * (count != 1)})"

    def __eq__(self, other: object) -> bool:
        """Same tasks, sources, value tables, codes and item names."""
        if not isinstance(other, Votes):
            return NotImplemented
        return (
            self.tasks == other.tasks
            and self.names == other.names
            and self.values == other.values
            and self._same_codes(other)
            and _same(self.items, other.items)
        )

    __hash__ = None  # type: ignore[assignment]

    def _same_codes(self, other: Votes) -> bool:
        if not (self.is_sparse or other.is_sparse):
            return np.array_equal(self.codes, other.codes)
        one, two = self.listed, other.listed
        return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in ("starts", "sources", "codes"))

    def tasks_of(self, source: str | int) -> tuple[str, ...]:
        """The tasks that a source's values speak about (the paper's coverage set)."""
        spoken = {task for vote in self.values[self.position(source)] for task in vote.tasks}
        return tuple(name for name in self.tasks.names if name in spoken)

    def position(self, source: str | int) -> int:
        """The column of a source, given by name or by column number."""
        if isinstance(source, str):
            if source in self.names:
                return self.names.index(source)
            raise VoteError(f"there is no source {source!r}. {near_miss(source, self.names)}")
        if -len(self.names) <= source < len(self.names):
            return int(source) % len(self.names)
        raise VoteError(f"there is no source number {source}; there are {len(self.names)}")

    @cached_property
    def outcome_sets(self) -> tuple[OutcomeSets, ...]:
        """Per component of the label space: the votes as sets of its outcomes."""
        return tuple(self._outcome_sets(index) for index in range(len(self.label_space.components)))

    def _outcome_sets(self, index: int) -> OutcomeSets:
        component = self.label_space.components[index]
        rows: dict[bytes, int] = {}
        masks: list[npt.NDArray[np.bool_]] = []
        row_of: dict[Vote, int] = {}
        for vote in canonical(self.label_space, {vote for values in self.values for vote in values}):
            mask = component.allows(vote)
            if mask.all():
                row_of[vote] = -1
                continue
            if mask.tobytes() not in rows:
                rows[mask.tobytes()] = len(masks)
                masks.append(mask)
            row_of[vote] = rows[mask.tobytes()]
        return OutcomeSets(
            np.array(masks, dtype=bool).reshape(len(masks), len(component)),
            tuple(np.array([*(row_of[vote] for vote in values), -1], dtype=np.int32) for values in self.values),
        )

    # Parts of them

    def take(self, rows: Any) -> Votes:
        """The given items: a slice, row numbers, or a boolean mask.

        >>> len(Votes.from_matrix([[0], [1], [1]]).take([0, 2]))
        2
        """
        chosen = rows if isinstance(rows, slice) else np.asarray(rows)
        if not isinstance(chosen, slice) and not chosen.size:
            chosen = np.empty(0, dtype=np.intp)
        try:
            if self.is_sparse:
                return self._with(
                    self.listed.take(np.arange(len(self))[chosen]),
                    items=None if self.items is None else self.items[chosen],
                    faults=(),
                )
            codes = self.codes[chosen]
        except IndexError as error:
            raise VoteError(f"expected a slice, row numbers or a mask of {len(self)} items: {error}") from error
        items = None if self.items is None else self.items[chosen]
        return Votes(self.tasks, codes, self.names, self.values, items)

    def select(self, sources: str | int | Iterable[str | int]) -> Votes:
        """The given source or sources, by name or column number, in that order."""
        chosen = [self.position(source) for source in _several(sources)]
        if self.is_sparse and len(set(chosen)) == len(chosen) > 0:
            return self._with(
                self.listed.select(chosen),
                names=tuple(self.names[j] for j in chosen),
                values=tuple(self.values[j] for j in chosen),
                faults=self._faults_of(chosen),
            )
        return Votes(
            self.tasks,
            self.codes[:, chosen],
            tuple(self.names[j] for j in chosen),
            tuple(self.values[j] for j in chosen),
            self.items,
            self._faults_of(chosen),
        )

    def _faults_of(self, chosen: Sequence[int]) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.faults if fault.source in {self.names[j] for j in chosen})

    def drop(self, sources: str | int | Iterable[str | int]) -> Votes:
        """All sources but the given ones."""
        dropped = {self.position(source) for source in _several(sources)}
        return self.select([j for j in range(len(self.names)) if j not in dropped])

    def like(self, other: Votes) -> Votes:
        """The same votes with the sources and the value tables of others, more sources left out.

        Raises
        ------
        VoteError
            If they are on other tasks, lack a source, or say what the others cannot.
        """
        if self.tasks != other.tasks:
            raise VoteError("these votes are on other tasks than those that were learned from")
        missing = [name for name in other.names if name not in self.names]
        if missing:
            raise VoteError(f"these votes lack sources that were learned from: {listing(missing)}")
        given = self if self.names == other.names else self.select(other.names)
        if given.values == other.values:
            return given
        columns = []
        for name, mine, theirs, said in zip(other.names, other.values, given.values, given.codes.T, strict=True):
            unknown = [vote for vote in theirs if vote not in mine]
            codes = recode(said, theirs, (*mine, *unknown))
            if (codes >= len(mine)).any():
                new = unknown[int(codes.max()) - len(mine)]
                raise VoteError(f"source {name!r} says {str(new)!r}, which it never could where it was learned from")
            columns.append(codes)
        return Votes(given.tasks, np.array(columns).T, given.names, other.values, given.items)

    # Looking at them

    def summary(self, gold: Any = None, *, by: str = "source") -> pd.DataFrame:
        """How much the sources say and how they agree.

        Parameters
        ----------
        gold
            True labels to score against, for some items or all: outcome numbers (−1
            unknown), labels, dicts over tasks, or a dict of task -> labels.
        by
            ``"source"``, ``"task"`` or ``"overall"``.

        Returns
        -------
        DataFrame
            Per source its tasks, the labels it emitted, and as fractions of the
            items: *coverage* (it votes), *overlaps* (another source votes too) and
            *conflicts* (another vote cannot be true together with this one:
            ``Person`` against ``Doctor`` is no conflict). With gold: how many votes
            are *correct* and *incorrect*, and the *accuracy* with its 95% Wilson
            interval.

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
        """(items, sources): the votes that cannot be true together with some other vote on the same item.

        >>> Votes.from_matrix([[0, 1, -1], [1, 1, 0], [0, 0, 0]]).conflicts().any(axis=1).tolist()
        [True, True, False]
        """
        from assay.votes.summary import company

        return self.listed.keep(company(self)[1]).dense() >= 0

    @property
    def plot(self) -> VotePlots:
        """Pictures, as charts of altair: ``votes.plot.agreement()``, ``coverage()``, ``conflicts()``."""
        plots: VotePlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    def gold(self, gold: Any) -> Votes:
        """True labels, in any of the shapes that :meth:`summary` takes, as votes of one source called ``gold``."""
        from assay.votes.truth import true_labels

        return true_labels(self, gold)

    def to_pandas(self) -> pd.DataFrame:
        """One column a source with label names; None where it abstains."""
        import pandas as pd

        columns = {}
        for j, name in enumerate(self.names):
            texts = np.array([*texts_of(self.values[j]), None], dtype=object)
            columns[name] = pd.Series(texts[self.codes[:, j]], dtype=object, index=self.items)
        return pd.DataFrame(columns, index=self.items if self.items is not None else range(len(self)))

    # On disk

    def to_arrow(self) -> pa.Table:
        """An Arrow table with one dictionary column a source, and the task graph in its metadata."""
        from assay.votes.arrow import to_arrow

        return to_arrow(self.tasks, self.codes, self.names, self.values, self.items, self.faults)

    def to_parquet(self, path: str | Path) -> Path:
        """Write a Parquet file that anyone can read and :meth:`from_parquet` restores exactly."""
        from assay._core.parquet import write_parquet

        return write_parquet(self.to_arrow(), Path(path))

    @classmethod
    def from_parquet(cls, path: str | Path) -> Votes:
        """Votes from a file that :meth:`to_parquet` wrote."""
        from assay._core.parquet import read_parquet
        from assay.votes.arrow import header_of

        table = read_parquet(Path(path))
        header = header_of(table.schema, str(path))
        codes, items = header.codes(table, str(path))
        try:
            faults = tuple(Fault(**fault) for fault in header.faults)
            return cls(header.tasks, codes, header.names, header.values, items, faults)
        except (TypeError, VoteError) as error:
            raise VoteError(f"{path} is not a sound file of votes: {error}") from error


def _source_by_source(codes: CodeArray, names: Sequence[str], sizes: Sequence[int]) -> CodeArray:
    """A copy of (items, sources) codes in the smallest integers, each source's side by side in memory.

    What is done with votes is done source by source.
    """
    frozen = np.empty(codes.shape, dtype=smallest(max(sizes, default=0)), order="F")
    for start in range(0, len(codes), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        block = codes[rows]
        low, high = block.min(axis=0), block.max(axis=0)
        for name, size, least, most in zip(names, sizes, low.tolist(), high.tolist(), strict=True):
            if least < ABSTAIN or most >= size:
                raise VoteError(f"source {name!r} has codes from {least} to {most}, but {size} values")
        frozen[rows] = block
    return frozen


def _several(sources: str | int | Iterable[str | int]) -> Iterable[str | int]:
    return [sources] if isinstance(sources, str | int) else sources


def _listed(matrix: Any) -> Listed | None:
    """The votes of a SciPy sparse matrix in the sparse convention, if they are few enough to keep as a list."""
    if not hasattr(matrix, "tocsr") or matrix.ndim != 2:
        return None
    rows = matrix.tocsr()
    stored = np.asarray(rows.data)
    whole = stored.dtype.kind in "iu" and not (stored < 0).any()
    if not whole or rows.nnz >= _SPARSE * rows.shape[0] * rows.shape[1] or rows.has_canonical_format is False:
        return None
    listed = Listed(
        rows.indptr.astype(np.int64), rows.indices.astype(np.int32), stored.astype(np.int64) - 1, rows.shape[1]
    )
    return listed.keep(stored > 0)


def _dense(matrix: Any) -> CodeArray:
    """Any matrix of integers as an array in which −1 abstains."""
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        stored = np.asarray(sparse.data)
        if (stored < 0).any():
            codes = np.asarray(sparse.toarray())
        else:
            codes = np.full(sparse.shape, ABSTAIN, dtype=np.result_type(stored, np.int64))
            codes[sparse.row, sparse.col] = stored - codes.dtype.type(1)
    else:
        codes = np.asarray(matrix)
    if codes.ndim != 2:
        raise VoteError(f"expected a matrix of items × sources, but its shape is {codes.shape}")
    if codes.dtype.kind != "i":
        whole = codes.astype(np.int64) if codes.dtype.kind in "buf" and np.isfinite(codes).all() else None
        if whole is None or not (whole == codes).all():
            raise VoteError(
                f"expected whole class numbers, -1 for abstain, but the matrix holds {codes.dtype}; "
                "for label names use Votes.from_columns"
            )
        codes = whole
    return codes


def _task_and_labels(given: Any) -> tuple[str | None, list[Any]]:
    task = None
    is_pair = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str | None)
    if is_pair and not isinstance(given[1], str):
        task, given = given
    if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
        raise VoteError(f"expected a column of labels, or (task, labels), but got {given!r}")
    return task, list(given.tolist() if hasattr(given, "tolist") else given)


def _same(one: npt.NDArray[Any] | None, other: npt.NDArray[Any] | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))
