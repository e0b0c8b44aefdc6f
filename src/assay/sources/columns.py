"""Labels that another model or person already wrote into a column."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.rows import Batch, positions_in
from assay._core.texts import same_but_for_case, spelled
from assay.errors import DataError, SourceError
from assay.sources.base import Emission, Failure, Source, levels_for
from assay.sources.rule import On, Recipe, Rule, name_of, place_of
from assay.tasks import LabelSet
from assay.votes import TOLERATED, intern, is_missing

Others = Literal["raise", "abstain"]
"""What values mean that neither are labels nor in the mapping."""
_LACKS = "mapping lacks"
"""What errors about values say that a mapping does not have."""
_ROWS_FOR_AN_ERROR = 2_000_000
"""So many rows are looked at to tell all that is wrong with a column."""
_VALUES_SHOWN = 100
_UNKNOWN = object()


@dataclass(frozen=True, kw_only=True)
class ColumnRule(Rule):
    """Labels that are in the data already."""

    mapping: Mapping[Any, Any] | None
    confidence: str | None
    at_least: float
    others: Others = "raise"
    labels: tuple[str, ...] = ()
    """Those of the tasks, once they are known: values may be written in another case."""
    is_in_toml: bool = False
    """Whether it was declared in a file, and is mended there."""

    @property
    def declared(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        return self.values or None

    @property
    def emits_others(self) -> bool:
        return True  # labels that the mapping does not name

    def knowing(self, labels: Mapping[str, Sequence[str]]) -> ColumnRule:
        asked = (self.task,) if isinstance(self.task, str) else self.task or tuple(labels)
        return replace(self, labels=tuple(dict.fromkeys(label for task in asked for label in labels.get(task, ()))))

    def meaning(self, value: Any) -> Any:
        """The label that a value stands for, None to abstain, or ``_UNKNOWN``."""
        if self.mapping is not None and value in self.mapping:
            return self.mapping[value]
        label = same_but_for_case(spelled(value), self.labels)
        if label is not None:
            return label
        if self.others == "abstain":
            return None
        return _UNKNOWN if self.mapping is not None else value if isinstance(value, str) else str(value)

    def lacking(self, batch: Batch) -> Counter[Any]:
        """How often a batch has each value that has no meaning."""
        column = self.column(batch)
        counts = Counter((column.fill_nan(None) if column.dtype.is_float() else column).drop_nulls().to_list())
        return Counter({value: count for value, count in counts.items() if self.meaning(value) is _UNKNOWN})

    def told_of_all(self, told: str, rows: Iterable[Batch]) -> str:
        if _LACKS not in told or not isinstance(self.on, str):
            return told
        found: Counter[Any] = Counter()
        for batch in rows:
            found.update(self.lacking(batch))
            if batch.start + len(batch) >= _ROWS_FOR_AN_ERROR:
                break
        return self.lacks(dict(found.most_common())) if found else told

    def lacks(self, counts: Mapping[Any, int]) -> str:
        """What to tell of values that have no meaning: all of them, ready to be pasted into the mapping."""
        nothing, others = ("false", 'others = "abstain"') if self.is_in_toml else ("None", 'others="abstain"')
        place = place_of(self.on)
        if len(counts) == 1:
            (value,) = counts
            told = f"{place} holds {value!r}, which its {_LACKS}; map it"
        else:
            told = f"{place} holds {len(counts):,} values that its {_LACKS}; map each"
        told += f" to a label, or to {nothing} to abstain; {others} abstains on all values that are not there."
        lines = [self._line(value, count) for value, count in list(counts.items())[:_VALUES_SHOWN]]
        more = len(counts) - _VALUES_SHOWN
        where = "below [source.mapping]" if self.is_in_toml else "into the mapping"
        return "\n".join([f"{told} To paste {where}:", *lines, *([f"# and {more:,} more"] if more > 0 else [])])

    def _line(self, value: Any, count: int) -> str:
        rows = f"# {count:,} row{'s' * (count != 1)}"
        if self.is_in_toml:
            return f"{json.dumps(spelled(value), ensure_ascii=False)} = false  {rows}"
        return f"{value!r}: None,  {rows}"

    def emit(self, batch: Batch) -> Emission:
        column = self.column(batch)
        if column.dtype == pl.Object:
            return self._of_objects(column.to_list(), batch)
        if column.dtype.is_float():
            column = column.fill_nan(None)
        failures, scores = self.failures(batch), None
        if self.confidence is not None:
            sure = self._confidences(batch, self.confidence)
            column = column.to_frame("label").select(pl.when(pl.lit(sure) >= self.at_least).then("label"))["label"]
            if self.levels != ():
                scores = sure.fill_null(0.0).to_numpy()
                wrong = (scores < 0) | (scores > 1 + TOLERATED)
                failures += self._no_probabilities(batch, wrong & column.is_not_null().to_numpy(), scores)
                column = column.to_frame("label").select(pl.when(pl.lit(pl.Series(~wrong))).then("label"))["label"]
                scores = np.clip(scores, 0.0, 1.0)
        present = column.drop_nulls().unique(maintain_order=True)
        codes = positions_in(column, present).astype(np.int32)
        found = present.to_list()
        meanings = [self.meaning(value) for value in found]
        unknown = {code: value for code, value in enumerate(found) if meanings[code] is _UNKNOWN}
        if unknown:
            counts = Counter({value: int(np.sum(codes == code)) for code, value in unknown.items()})
            error = DataError(self.lacks(dict(counts.most_common())))
            failures += [Failure(batch.start + int(row), error) for row in np.flatnonzero(np.isin(codes, [*unknown]))]
        label_of, labels = intern([None if meaning is _UNKNOWN else meaning for meaning in meanings])
        return Emission(np.append(label_of, np.int32(-1))[codes], labels, failures, scores)

    def _confidences(self, batch: Batch, on: str) -> pl.Series:
        """The confidences as numbers, null where missing."""
        sure = self.column(batch, on)
        if not (sure.dtype.is_numeric() or sure.dtype == pl.Null):
            raise DataError(f"source {self.name!r} reads confidences, but {on!r} holds {sure.dtype}")
        return sure.cast(pl.Float64).fill_nan(None)

    def _no_probabilities(
        self, batch: Batch, wrong: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]
    ) -> list[Failure]:
        """The rows whose confidence is not a probability."""
        return [
            Failure(
                batch.start + int(row),
                DataError(
                    f"expected a confidence from 0 to 1, but column {self.confidence!r} holds {scores[row]:g}; "
                    "scale it, or give levels=[] to leave out votes by it and not count it otherwise"
                ),
            )
            for row in np.flatnonzero(wrong)
        ]

    def _of_objects(self, said: list[Any], batch: Batch) -> Emission:
        """Labels that are not texts alone, such as :func:`assay.one_of`, as they are."""
        strange = [value for value in said if not (is_missing(value) or isinstance(value, str | LabelSet | Mapping))]
        if strange or self.mapping is not None or self.confidence is not None:
            raise DataError(f"source {self.name!r} reads labels, but {place_of(self.on)} holds values of mixed types")
        codes, labels = intern(said)
        return Emission(codes, labels, self.failures(batch))


def column(
    on: On,
    *,
    task: str | None = None,
    name: str | None = None,
    mapping: Mapping[Any, Any] | None = None,
    others: Others = "raise",
    confidence: str | None = None,
    at_least: float = 0.0,
    levels: Sequence[float] | None = None,
) -> Source:
    """Take labels that another model or person already wrote into a column; missing means abstain.

    Values that are a label but for case, or blanks around them, are taken as that label.

    Parameters
    ----------
    on
        The column with the labels.
    task, name
        As in :func:`keywords`.
    mapping
        What the column says -> the label it means; ``None`` abstains.
    others
        What values do that are neither labels nor in the mapping: ``"raise"`` makes them failures, of which the error
        lists all, ``"abstain"`` passes over them.
    confidence, at_least
        A column with the confidence of each label, from 0 to 1, and how much of it a vote takes. How far to believe a
        vote at which level of confidence is learned, so it need not be calibrated.
    levels
        As in :func:`source`; ``[]`` uses the confidence, then on any scale, to leave out votes and for nothing else.

    >>> column("llm", task="entity", confidence="llm_score", at_least=0.8).name
    'column(llm)'
    """
    if others not in get_args(Others):
        raise SourceError(f"others must be 'raise' or 'abstain', but is {others!r}")
    _, labels = intern(list((mapping or {}).values()))
    return ColumnRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(labels),
        title=f"column({name_of(on)})",
        mapping=None if mapping is None else dict(mapping),
        confidence=confidence,
        at_least=at_least,
        others=others,
        levels=levels_for(levels),
        recipe=Recipe(
            "column",
            {
                "column": on,
                "task": task,
                "mapping": mapping,
                "others": others,
                "confidence": confidence,
                "at_least": at_least,
                "levels": levels,
            },
        ),
    )
