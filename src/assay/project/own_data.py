"""A new project for a file of rows: ``assay.toml`` with what can be guessed, and examples of sources to begin with."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from assay._core.atomic_files import writing
from assay._core.project_file import FILE, SOURCES_FILE
from assay._core.texts import free_name, same_but_for_case
from assay._core.urls import Url, place_of
from assay.errors import ProjectError, near_miss
from assay.project.column_guesses import ColumnGuesses, guess_columns
from assay.project.source_text import entry_text
from assay.tasks import Task, TaskGraph

_TASK = "label"
"""What the first task is called if no column names it."""
_MOST_EXAMPLES = 4
"""For as many labels there is an example of words."""
_SIGNS = {
    "link": r"https?://|www\.",
    "question": r"\?\s*$",
    "exclamation": "!",
    "number": r"\b\d{3,}\b",
}
"""Patterns that some texts have, by what they find."""


@dataclass(frozen=True)
class NewProject:
    """A project that was just written."""

    folder: Path
    files: tuple[str, ...]
    data: Path | Url
    tasks: tuple[Task, ...]
    gold: str | None
    """The column of the data with true labels."""
    guesses: ColumnGuesses

    def to_dict(self) -> dict[str, Any]:
        """What was written and guessed, for JSON."""
        return {
            "folder": str(self.folder),
            "files": list(self.files),
            "rows": self.guesses.rows,
            "id": self.guesses.id,
            "texts": list(self.guesses.texts),
            "tasks": {task.name: list(task.labels) for task in self.tasks},
            "gold": self.gold,
        }


def new_project(
    folder: str | Path, data: str | Path, labels: Sequence[str] = (), gold: str | None = None
) -> NewProject:
    """Write a project for a file of rows.

    Parameters
    ----------
    folder
        Where to write it; may hold other files, but no project.
    data
        The file of rows: CSV, JSON lines or Parquet. It stays where it is.
    labels
        The labels, with commas between: ``"Spam,Ham"``. Further entries split a label into finer ones:
        ``"Spam=Advert,Fraud"``.
    gold
        A column of the data with true labels, to score with. Its values are the labels, unless these are given.

    Raises
    ------
    ProjectError
        If the folder has a project already, the file has no rows, or nothing says what the labels are.
    DataError
        If the file cannot be read.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> _ = (home / "sms.csv").write_text("id,sms\\n1,Win a free prize now\\n2,See you at the station\\n")
    >>> made = new_project(home / "p", home / "sms.csv", ["Spam,Ham", "Spam=Advert,Fraud"])
    >>> made.guesses.id, made.guesses.texts, [task.name for task in made.tasks]
    ('id', ('sms',), ['label', 'spam'])
    """
    home, place = Path(folder), place_of(data)
    _check_folder(home)
    guesses = guess_columns(place, gold)
    tasks = _tasks(labels, guesses, place, gold)
    texts = {  # the one that makes the folder a project is the last
        SOURCES_FILE: _sources_text(guesses, tasks),
        FILE: "\n".join(_project_lines(home, place, guesses, tasks, gold)) + "\n",
    }
    for name, text in texts.items():
        with writing(home / name) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    return NewProject(home, tuple(sorted(texts)), place, tasks, gold, guesses)


def _check_folder(home: Path) -> None:
    if home.exists() and not home.is_dir():
        raise ProjectError(f"{home} is a file; choose another name for the folder of the project")
    present = [name for name in (FILE, SOURCES_FILE) if (home / name).exists()]
    if present:
        raise ProjectError(f"{home} already has {', '.join(present)}; choose another folder, or move them away")


def _tasks(said: Sequence[str], guesses: ColumnGuesses, place: Path | Url, gold: str | None) -> tuple[Task, ...]:
    """The tasks that the labels make: one, and one more for each label that is split."""
    whole = [entry for entry in said if "=" not in entry]
    if len(whole) > 1:
        raise ProjectError(
            f"--labels {whole[1]} is a second list of labels; write LABEL={whole[1]} to say which label it splits"
        )
    if not whole and gold is None:
        raise ProjectError(_no_labels(guesses, place))
    labels = _names(whole[0]) if whole else list(guesses.labels)
    for found in guesses.labels:
        if found not in labels:
            told = near_miss(found, labels)
            raise ProjectError(f"the column {gold!r} of {place} has {found!r}, which --labels lacks. {told}")
    tasks = [Task(_TASK if gold is None else gold, labels)]
    for entry in (entry for entry in said if "=" in entry):
        above, _, below = entry.partition("=")
        parent = next((task for task in tasks if above.strip() in task.labels), None)
        if parent is None:
            known = [label for task in tasks for label in task.labels]
            raise ProjectError(
                f"--labels {entry} splits {above.strip()!r}, which is no label. {near_miss(above, known)}"
            )
        name = free_name(_plain(above) or "finer", {task.name for task in tasks})
        tasks.append(Task(name, _names(below), parent=(parent.name, above.strip())))
    TaskGraph(tasks)  # which refuses what cannot be
    return tuple(tasks)


def _names(said: str) -> list[str]:
    names = [name.strip() for name in said.split(",")]
    if len(names) < 2 or not all(names):
        raise ProjectError(f"--labels takes two or more labels with commas between, as in Spam,Ham, but got {said!r}")
    return names


def _no_labels(guesses: ColumnGuesses, place: Path | Url) -> str:
    few = [
        f"{name} ({', '.join(values[:4])}{', …' * (len(values) > 4)})" for name, values in guesses.categories.items()
    ]
    told = f"; columns with few values: {'; '.join(few)}" if few else f"; its columns: {', '.join(guesses.names)}"
    return f"what are the labels? Give --labels Spam,Ham, or --gold COLUMN if {place} has a column of labels{told}"


def _plain(name: str) -> str:
    """A name of letters, digits and underscores for something else that has it."""
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def _toml(value: Any) -> str:
    return str(tomlkit.item(value).as_string())


def _beside(home: Path, place: Path | Url) -> str:
    """The path of the data, seen from the project."""
    if isinstance(place, Url):
        return str(place)
    try:
        return Path(os.path.relpath(place.resolve(), home.resolve())).as_posix()
    except ValueError:  # on another drive
        return place.resolve().as_posix()


def _project_lines(
    home: Path, place: Path | Url, guesses: ColumnGuesses, tasks: Sequence[Task], gold: str | None
) -> Iterator[str]:
    path = _toml(_beside(home, place))
    yield "# An Assay project: what to label, with which tasks. The sources are in sources.toml."
    yield "# 'assay init' wrote this after a look at the data. Please check what it guessed."
    yield ""
    yield "[data]"
    yield f"path = {path}"
    yield f"# It has {guesses.rows:,} rows, and the columns {', '.join(map(_toml, guesses.names))}."
    if guesses.id is not None:
        yield f"id = {_toml(guesses.id)}  # guessed: this column names the items, each of its values is there once"
    else:
        yield '# No column was found that names the items: they are numbered by row, from 0. Else: id = "column"'
    if guesses.texts:
        yield f"show = {_toml(list(guesses.texts))}  # guessed: what people read who label by hand"
    else:
        yield '# No column of texts was found: people who label by hand see all columns. Else: show = ["column"]'
    for task in tasks:
        yield from ("", "[[tasks]]", f"name = {_toml(task.name)}", f"labels = {_toml(list(task.labels))}")
        for above, label in task.parents:
            yield f"parent = {_toml([above, label])}  # asked of items that are {_toml(label)}"
    if len(tasks) == 1:
        first = tasks[0]
        yield ""
        yield "# A label that splits into finer ones is a task of its own:"
        yield "# [[tasks]]"
        yield f"# name = {_toml(free_name(_plain(first.labels[0]) or 'finer', {first.name}))}"
        yield '# labels = ["One", "Other"]'
        yield f"# parent = {_toml([first.name, first.labels[0]])}"
    if gold is not None:
        yield ""
        yield f"# True labels, in the column {_toml(gold)}: to score with, never to learn from."
        yield from ("[gold]", f"path = {path}")
    yield from _end_model_lines(guesses)
    yield from ("", "[output]", 'folder = "out"')


def _end_model_lines(guesses: ColumnGuesses) -> Iterator[str]:
    """What a model can be trained on by ``assay train``."""
    if guesses.texts:
        yield from ("", "[endmodel]")
        yield f"columns = {_toml([guesses.texts[0]])}  # guessed: what 'assay train' makes a model read"
    elif guesses.numbers:
        yield from ("", "[endmodel]", 'encoder = "features"')
        yield f"columns = {_toml(list(guesses.numbers))}  # guessed: what 'assay train' makes a model read"


_ABOUT_SOURCES = """\
# Sources: each says a label where it can tell, and is silent elsewhere. They may err, and contradict each other: how
# accurate each is, is learned from where they agree. Begin with three or more, and with some for every label.
#
# These are examples for the columns of your data. To use one, take away the "# " at the start of its lines, and fill
# in what only you know: lists of words that are empty, and labels that are "?". All kinds of sources:
# docs/how-to/sources-file.md
"""
_OPEN = "?"
"""Stands for a label that nobody can guess."""
_TO_FILL_IN = {
    "keywords = []": '  # fill in, as in ["late", "still waiting"]',
    f'label = "{_OPEN}"': "  # which label does it speak for?",
}
"""Lines of examples that are left open, and what to say of them."""


def _sources_text(guesses: ColumnGuesses, tasks: Sequence[Task]) -> str:
    parts = [_ABOUT_SOURCES]
    for about, said, values in _examples(guesses, tasks):
        lines = [f"{line}{_TO_FILL_IN.get(line, '')}" for line in entry_text(said).rstrip("\n").split("\n")]
        parts.append("".join(f"# {line}\n" for line in [about, *lines, *values]))
    return "\n".join(parts)


def _examples(guesses: ColumnGuesses, tasks: Sequence[Task]) -> Iterator[tuple[str, dict[str, Any], Sequence[str]]]:
    """Sources that fit the data: what each does, its keys, and lines of its mapping. What is not known is left open."""
    labels = [label for task in tasks for label in task.labels]
    finest = [label for label in labels if not any(label == above for task in tasks for _, above in task.parents)]
    for number, label in enumerate(finest[:_MOST_EXAMPLES] if guesses.texts else ()):
        yield (
            f"Words in {_toml(guesses.texts[0])} that speak for {_toml(label)}:",
            {
                "name": f"{_plain(label) or number}_words",
                "keywords": _words_for(label, guesses.sample),
                "label": label,
                "on": guesses.texts[0],
            },
            (),
        )
    if guesses.texts:
        sign, pattern = _sign(guesses.sample)
        label = same_but_for_case(sign, finest) or _OPEN
        yield (
            f"A pattern, as a regular expression. This one finds a {sign}:",
            {"name": f"has_{sign}", "regex": pattern, "label": label, "on": guesses.texts[0]},
            (),
        )
    for column, middle in list(guesses.numbers.items())[:1]:
        yield (
            f"Numbers: half of your rows have {middle:g} or more in {_toml(column)}.",
            {
                "name": f"high_{_plain(column) or 'number'}",
                "threshold": column,
                "at_least": _number(middle),
                "label": _OPEN,
            },
            (),
        )
    for column, values in _telling(guesses.categories, labels):
        yield (
            f"The values of {_toml(column)}, each with the label that it speaks for; false is none:",
            {"name": f"by_{_plain(column) or 'column'}", "column": column},
            _mapping_lines(values, labels),
        )


def _words_for(label: str, texts: Sequence[str]) -> list[str]:
    """The label itself, if texts have it; which other words speak for it only people know."""
    word = re.compile(rf"(?<!\w){re.escape(label)}(?!\w)", re.IGNORECASE)
    return [label.lower()] if any(word.search(text) for text in texts) else []


def _telling(categories: Mapping[str, Sequence[str]], labels: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    """The columns of few values of which some are labels, but for case; if there are none, the first column."""
    found = [
        (column, values)
        for column, values in categories.items()
        if any(same_but_for_case(value, labels) for value in values)
    ]
    return found or list(categories.items())[:1]


def _mapping_lines(values: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The mapping of a column; what no label is called like is left open. None if all values are labels as they are."""
    meant = {value: same_but_for_case(value, labels) for value in values}
    if all(label is not None for label in meant.values()):
        return []
    known = [f"{_toml(value)} = {_toml(label)}" for value, label in meant.items() if label is not None]
    unknown = [f"# {_toml(value)} = {_toml(_OPEN)}" for value, label in meant.items() if label is None]
    return ["[source.mapping]", *known, *unknown]


def _number(value: float) -> float:
    """A number as people write it."""
    return int(value) if value.is_integer() else value


def _sign(sample: Sequence[str]) -> tuple[str, str]:
    """A pattern that some of the texts have, and some do not."""
    for sign, pattern in _SIGNS.items():
        found = sum(re.search(pattern, text) is not None for text in sample)
        if 0 < found < len(sample):
            return sign, pattern
    return "number", _SIGNS["number"]
