"""Templates of prompts: a text with the names of columns in braces, filled with rows that are data and nothing else."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay._core.rows import Batch
from assay.errors import DataError, SourceError
from assay.votes import is_missing

_COLUMN = re.compile(r"[^\W\d]([\w -]*\w)?")
"""Names of columns, as tables have them; what JSON or code has in braces is none."""


@dataclass(frozen=True)
class Template:
    """A text with ``{column}`` in some places; ``{{`` and ``}}`` stand for braces.

    What is filled in stays as it is: nothing in it is escaped, and braces in it mean nothing.

    >>> Template("Is this spam? {text}").filled({"text": "see {this} & {{that}}"})
    'Is this spam? see {this} & {{that}}'
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text.strip():
            raise SourceError(f"a prompt needs a text such as 'Is this spam? {{text}}', but got {self.text!r}")
        if not self.columns:
            raise SourceError(
                f"the prompt {self.text!r} asks the same about every row: name a column in braces, as in {{text}}"
            )

    @cached_property
    def _parts(self) -> tuple[tuple[str, str | None], ...]:
        """Pairs of a literal text and the column after it."""
        try:
            parsed = list(string.Formatter().parse(self.text))
        except ValueError as error:
            raise SourceError(
                f"the prompt {self.text!r} cannot be read: {error}; a brace itself is written {{{{ or }}}}"
            ) from None
        for _, column, spec, conversion in parsed:
            if column is not None and (not _COLUMN.fullmatch(column) or spec or conversion):
                said = f"{column}{'!' * bool(conversion)}{conversion or ''}{':' * bool(spec)}{spec or ''}"
                raise SourceError(
                    f"the prompt {self.text!r} has {{{said}}}, but only names of columns may stand in braces, as in "
                    "{text}; a brace itself is written {{ or }}"
                )
        return tuple((literal, column) for literal, column, _, _ in parsed)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns it asks about, in their order."""
        return tuple(dict.fromkeys(column for _, column in self._parts if column is not None))

    @property
    def literal(self) -> str:
        """The text without the columns."""
        return " ".join(literal for literal, _ in self._parts)

    def filled(self, row: Mapping[str, Any]) -> str:
        """The text with the values of a row."""
        return "".join(literal + ("" if column is None else str(row[column])) for literal, column in self._parts)

    def all_filled(self, batch: Batch) -> Iterator[str | None]:
        """The text for each row of a batch; None where a value is missing, and there is nothing to ask about."""
        values = [batch.column(column).to_list() for column in self.columns]
        for row in zip(*values, strict=True):
            yield None if any(map(is_missing, row)) else self.filled(dict(zip(self.columns, row, strict=True)))

    def example(self, row: Mapping[str, Any]) -> str:
        """The text for a row that a user wrote down."""
        missing = [column for column in self.columns if column not in row]
        if missing:
            raise DataError(f"an example lacks {missing[0]!r}, which the prompt asks about; it has {sorted(row)}")
        return self.filled(row)
