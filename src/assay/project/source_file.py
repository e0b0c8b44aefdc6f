"""Sources that are declared in a file, ``sources.toml``: read, checked, and edited without touching the rest of it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from assay._core.atomic_files import writing
from assay._core.reading import reason
from assay.errors import AssayError, ProjectError, near_miss
from assay.project.file_faults import Place, complaints, steps
from assay.project.source_kinds import SourceEntry, entry_of, kind_of
from assay.project.source_text import edited_entry, entry_text, sections_of
from assay.sources import Source
from assay.tasks import TaskGraph


@dataclass(frozen=True)
class DeclaredSource:
    """One of ``[[source]]`` in a file, checked."""

    entry: SourceEntry
    said: Mapping[str, Any]
    """Its keys and values, as TOML has them."""
    where: str
    """Its number, name and line, for messages."""

    @property
    def name(self) -> str:
        """What the source is called."""
        return self.entry.name

    @property
    def kind(self) -> str:
        """The rule it is, by the function that makes it, e.g. ``keywords``."""
        return self.entry.kind

    @property
    def enabled(self) -> bool:
        """Whether it votes."""
        return self.entry.enabled


@dataclass(frozen=True)
class SourceFile:
    """The text of a ``sources.toml``, and what it says.

    Edits give a new value, with all that they are not about as it was, byte for byte: comments, order, formatting.
    Only :meth:`save` writes.

    >>> import tempfile
    >>> from assay import keywords, none_of
    >>> path = Path(tempfile.mkdtemp()) / "sources.toml"
    >>> file = SourceFile.read(path, missing_ok=True)
    >>> medicine = keywords(["patient", "surgery"], "Doctor", on="text", name="medicine")
    >>> court = keywords(["court"], none_of("Doctor"), on="text", name="court")
    >>> print(file.add(medicine).add(court).switch("court", on=False).save().text, end="")
    [[source]]
    name = "medicine"
    keywords = ["patient", "surgery"]
    label = "Doctor"
    on = "text"
    <BLANKLINE>
    [[source]]
    name = "court"
    keywords = ["court"]
    label = {none_of = ["Doctor"]}
    on = "text"
    enabled = false
    >>> [source.name for source in SourceFile.read(path).sources()]
    ['medicine']
    """

    path: Path
    text: str = ""
    on_disk: str | None = field(default=None, repr=False)
    """What the file held when it was read; None if there was none."""

    @classmethod
    def read(cls, path: str | Path, *, missing_ok: bool = False) -> Self:
        """The file at a path; with ``missing_ok`` an empty one if there is none.

        Raises
        ------
        ProjectError
            If there is no such file, or it cannot be read.
        """
        place = Path(path)
        try:
            text = place.read_bytes().decode("utf-8")
        except FileNotFoundError:
            if missing_ok:
                return cls(place)
            raise ProjectError(f"there is no file {place}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ProjectError(f"cannot read {place}: {error}") from error
        return cls(place, text, text)

    # What it says

    @cached_property
    def declared(self) -> tuple[DeclaredSource, ...]:
        """Every source of the file, those that are switched off too.

        Raises
        ------
        ProjectError
            If something in it cannot be understood; names every place, with its line.
        """
        try:
            said = tomllib.loads(self.text.replace("\r\n", "\n"))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ProjectError(f"cannot read {self.path}: {reason(error)}") from error
        faults = [
            f"the file has the unknown key {key!r}. {near_miss(key, ['source'])} Each source starts with [[source]]"
            for key in said
            if key != "source"
        ]
        entries = said.get("source", [])
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            faults.append("source must be a list of tables: start each source with [[source]]")
            entries = []
        found: list[DeclaredSource] = []
        for entry, where in zip(entries, self._places(entries), strict=True):
            try:
                found.append(DeclaredSource(_checked(entry, where), entry, where))
            except ProjectError as error:
                faults += str(error).splitlines()
        faults += _repeated(found)
        if faults:
            raise ProjectError("\n".join(f"{self.path}: {fault}" for fault in faults))
        return tuple(found)

    @property
    def names(self) -> tuple[str, ...]:
        """What its sources are called."""
        return tuple(one.name for one in self.declared)

    def sources(self, tasks: TaskGraph | None = None) -> list[Source]:
        """The sources that are switched on; with tasks, their labels are checked against these.

        Raises
        ------
        ProjectError
            If one cannot be made; names every one that cannot, with its line.
        """
        return self._made([one for one in self.declared if one.enabled], tasks)

    def _made(self, declared: Sequence[DeclaredSource], tasks: TaskGraph | None) -> list[Source]:
        made: list[Source] = []
        faults: list[str] = []
        for one in declared:
            try:
                sources = one.entry.made(self.path.parent)
                if tasks is not None:
                    _check_labels(sources, tasks)
                made += sources
            except AssayError as error:
                faults.append(f"{self.path}: {one.where}: {error}")
        if faults:
            raise ProjectError("\n".join(faults))
        return made

    def __getitem__(self, name: str) -> DeclaredSource:
        return self.declared[self._number(name)]

    def text_of(self, name: str) -> str:
        """The lines of one source, as they stand in the file."""
        return str(self._sections()[1][self._number(name)]).strip() + "\n"

    # Edits

    def add(self, source: Source | Mapping[str, Any]) -> Self:
        """The file with one more source at its end: a rule, or its keys and values."""
        said = _entry(source)
        if said.get("name") in self.names:
            raise ProjectError(
                f"{self.path} has a source called {said['name']!r} already; replace it, or choose another name"
            )
        start = self.text if not self.text or self.text.endswith("\n") else self.text + self._newline
        apart = self._newline if start.strip() and not start.endswith(2 * self._newline) else ""
        return self._edited(f"{start}{apart}{self._with_newlines(entry_text(said))}", number=-1)

    def replace(self, name: str, source: Source | Mapping[str, Any]) -> Self:
        """The file with another source in the place of one; comments inside of it are kept too."""
        said = _entry(source)
        if said.get("name") != name and said.get("name") in self.names:
            raise ProjectError(f"{self.path} has a source called {said['name']!r} already; choose another name")
        return self._with_entry(name, said)

    def switch(self, name: str, *, on: bool) -> Self:
        """The file with one source switched off, or on again: ``enabled = false``."""
        said = {key: value for key, value in self[name].said.items() if key != "enabled"}
        return self._with_entry(name, said if on else {**said, "enabled": False})

    def remove(self, name: str) -> Self:
        """The file without one of its sources; a comment above it is kept."""
        number = self._number(name)
        before, sections = self._sections()
        after = "".join(map(str, sections[number + 1 :]))
        kept = before + "".join(map(str, sections[:number]))
        tail = sections[number].tail.lstrip("\r\n")
        return self._edited(kept + tail + after if tail or after else kept.rstrip("\r\n") + self._newline * bool(kept))

    def save(self) -> Self:
        """Write the file, completely or not at all.

        Raises
        ------
        ProjectError
            If somebody else has changed the file since it was read.
        """
        now = SourceFile.read(self.path, missing_ok=True).on_disk
        if now != self.on_disk:
            raise ProjectError(f"{self.path} was changed since it was read; read it again, and then edit it")
        with writing(self.path) as unfinished:
            unfinished.write_bytes(self.text.encode("utf-8"))
        return replace(self, on_disk=self.text)

    def _with_entry(self, name: str, said: Mapping[str, Any]) -> Self:
        number = self._number(name)
        before, sections = self._sections()
        body = self._with_newlines(edited_entry(sections[number].body, said))
        changed = [*sections[:number], replace(sections[number], body=body), *sections[number + 1 :]]
        return self._edited(before + "".join(map(str, changed)), number)

    def _edited(self, text: str, number: int | None = None) -> Self:
        """Another text, if it can be understood, and the source of that number made."""
        edited = replace(self, text=text)
        checked = edited.declared
        edited._made([] if number is None else [checked[number]], None)
        return edited

    def _number(self, name: str) -> int:
        if name not in self.names:
            raise ProjectError(f"{self.path} has no source {name!r}. {near_miss(name, self.names)}")
        return self.names.index(name)

    def _sections(self) -> tuple[str, list[Any]]:
        before, sections = sections_of(self.text)
        if len(sections) != len(self.declared):
            raise ProjectError(f"{self.path} cannot be edited: start each source with a line [[source]]")
        return before, sections

    def _places(self, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """How messages call each entry: its number and, as far as it has them, its name and line."""
        before, sections = sections_of(self.text)
        line = before.count("\n") + 1
        for number, entry in enumerate(entries):
            told = [repr(entry["name"])] if isinstance(entry.get("name"), str) else []
            if len(sections) == len(entries):
                told.append(f"line {line}")
                line += str(sections[number]).count("\n")
            yield f"[[source]] number {number + 1}" + (f" ({', '.join(told)})" if told else "")

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _with_newlines(self, text: str) -> str:
        """The text of one source with the line ends of the file."""
        return text.replace("\r\n", "\n").replace("\n", self._newline)


def read_sources(path: str | Path, tasks: TaskGraph | None = None) -> list[Source]:
    """The sources that a ``sources.toml`` declares, those left out that are switched off.

    Parameters
    ----------
    path
        The file; paths in it are relative to its folder.
    tasks
        The task graph, if labels are to be checked at once.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "sources.toml"
    >>> _ = path.write_text('[[source]]\\nname = "dr"\\nregex = "^Dr"\\nlabel = "Doctor"\\non = "text"\\n')
    >>> read_sources(path)[0].name
    'dr'
    """
    return SourceFile.read(path).sources(tasks)


def source_toml(source: Source) -> str:
    """A rule as ``sources.toml`` has it.

    >>> from assay import one_of, threshold
    >>> print(source_toml(threshold("age", one_of("Doctor", "Lawyer"), above=70, name="old")), end="")
    [[source]]
    name = "old"
    threshold = "age"
    label = {one_of = ["Doctor", "Lawyer"]}
    above = 70
    """
    return entry_text(entry_of(source))


def _entry(source: Source | Mapping[str, Any]) -> dict[str, Any]:
    return dict(source) if isinstance(source, Mapping) else entry_of(source)


def _checked(said: Mapping[str, Any], where: str) -> SourceEntry:
    """One entry, if all of it can be understood; else an error with a line for each place that cannot."""
    try:
        kind = kind_of(said)
    except ProjectError as error:
        raise ProjectError(f"{where} {error}") from None

    def place_text(place: Place) -> str:
        return ", ".join([where, *steps(place)])

    def keys(place: Place) -> Mapping[str, Any]:
        return {name: one.annotation for name, one in kind.model_fields.items()}

    try:
        return kind.model_validate_json(json.dumps(said, default=str), strict=True)
    except ValidationError as error:
        raise ProjectError("\n".join(complaints(error, said, keys, where=place_text))) from None


def _check_labels(sources: Sequence[Source], tasks: TaskGraph) -> None:
    for source in sources:
        for label in source.mentioned:
            tasks.label_space.vote(label, source.task)


def _repeated(declared: Sequence[DeclaredSource]) -> list[str]:
    first: dict[str, DeclaredSource] = {}
    return [
        f"{one.where} has the same name as {first[one.name].where}; give each source its own"
        for one in declared
        if first.setdefault(one.name, one) is not one
    ]
