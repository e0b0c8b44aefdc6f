"""The kinds of sources in ``sources.toml``: the keys of each, the rule it makes, and how a rule is written down.

A source has one key that is called after the function that makes such rules, with the first argument of that function;
its other keys are the other arguments. TOML has no null: what is ``None`` in Python is ``false`` in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, PositiveInt, Tag

from assay._core.texts import spelled
from assay.errors import ProjectError, SourceError, VoteError, near_miss
from assay.sources import (
    GoldExamples,
    PromptSource,
    Recipe,
    Rule,
    Source,
    column,
    crowd,
    dictionary,
    keywords,
    prompt,
    regex,
    threshold,
)
from assay.tasks import LabelSet, as_label_set

_A_LABEL = 'a label name, { one_of = ["...", "..."] }, { none_of = ["..."] }, or a table of task = label'

_NEEDS_LABEL = 'needs label = "...", the label to vote for'


def _said(value: Any) -> Any:
    """A label as Python has it: a name, a set, or a dict over tasks; ``false`` is None."""
    if value is False:
        return None
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Mapping) and value:
        try:
            chosen = as_label_set({key: _names(part) for key, part in value.items()})
        except VoteError as error:
            raise ValueError(f"{_A_LABEL} ({error})") from error
        return chosen or {task: _said(part) for task, part in value.items()}
    raise ValueError(_A_LABEL)


def _names(value: Any) -> Any:
    return [None if name is False else name for name in value] if isinstance(value, list | tuple) else value


def _written(value: Any) -> Any:
    """A value as TOML has it; the opposite of :func:`_said`."""
    if value is None:
        return False
    if isinstance(value, LabelSet):
        return _written(value.to_dict())
    if isinstance(value, Mapping):
        written = {spelled(name): _written(part) for name, part in value.items()}
        lost = next((name for name, part in value.items() if written[spelled(name)] != _written(part)), None)
        if lost is not None:
            raise ProjectError(
                f"two keys are written {spelled(lost)!r} in a file, but mean different things; drop one of them"
            )
        return written
    if isinstance(value, list | tuple):
        return [_written(part) for part in value]
    return str(value) if isinstance(value, Path) else value


Label = Annotated[Any, BeforeValidator(_said)]
"""What a source votes for."""
Words = str | Annotated[tuple[str, ...], Field(min_length=1)]


def _shape(value: Any) -> str:
    """How the labels of a rule are told: beside it, by a table, or by a list of tables.

    The signs are no keys that anybody uses, so that they are not taken for places in the file.
    """
    if isinstance(value, list | tuple) and any(isinstance(part, Mapping) for part in value):
        return "<cases>"
    return "<labels>" if isinstance(value, Mapping) else "<one>"


What = TypeVar("What")
Case = TypeVar("Case")
ByLabel = Annotated[
    Annotated[What, Tag("<one>")]
    | Annotated[dict[str, What], Tag("<labels>")]
    | Annotated[tuple[Case, ...], Tag("<cases>")],
    Discriminator(_shape),
]
"""What a label is voted for by, with the label beside it; or that for several labels."""
Name = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    """A part of the file, of which all keys are known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceEntry(_Part):
    """One of ``[[source]]``: what all kinds have."""

    kind: ClassVar[str]
    """The key that tells the kind."""
    make: ClassVar[Callable[..., Any]]
    """The function whose arguments the keys are."""
    translated: ClassVar[tuple[str, ...]] = ()
    """Keys that mean something else to the function than what they say."""

    name: Name
    enabled: bool = True
    task: str | None = None

    def given(self, folder: Path) -> dict[str, Any]:
        """The arguments of the function, by key; paths are relative to a folder."""
        return {key: getattr(self, key) for key in type(self).model_fields if key != "enabled"}

    def made(self, folder: Path) -> list[Source]:
        """The sources that it describes; most kinds describe one."""
        given = self.given(folder)
        rule = type(self).make(given.pop(self.kind), **given)
        written = {key: getattr(self, key) for key in self.translated}
        return [replace(rule, recipe=Recipe(self.kind, {**rule.recipe.arguments, **written}))]

    @classmethod
    def arguments(cls, recipe: Recipe) -> dict[str, Any]:
        """What a rule was made from, by the keys of the file."""
        return dict(recipe.arguments)

    @classmethod
    def of(cls, name: str, recipe: Recipe) -> dict[str, Any]:
        """The keys and values that describe a rule, without those that have their default."""
        entry = {"name": name, **cls.arguments(recipe)}
        defaults = {key: field.default for key, field in cls.model_fields.items()}
        return {key: _written(value) for key, value in entry.items() if value is not None and value != defaults[key]}


class _Grouped(SourceEntry):
    """A rule for one label, or for several of which the first that matches decides."""

    case_key: ClassVar[str]
    """In a list of tables, the key beside ``label``."""

    on: Name
    label: Label = None
    case_sensitive: bool = False

    def given(self, folder: Path) -> dict[str, Any]:
        given = super().given(folder)
        groups = given[self.kind]
        if isinstance(groups, tuple) and isinstance(groups[0], _Part):
            if any(isinstance(case.label, Mapping) for case in groups):
                raise SourceError("a label over several tasks needs a source of its own")
            given[self.kind] = groups = {case.label: getattr(case, self.case_key) for case in groups}
        if isinstance(groups, Mapping) and self.label is not None:
            raise SourceError(f"{self.kind} has labels of its own, so leave out label, or give {self.kind} no labels")
        if not isinstance(groups, Mapping) and self.label is None:
            raise SourceError(_NEEDS_LABEL)
        return given

    @classmethod
    def arguments(cls, recipe: Recipe) -> dict[str, Any]:
        given = dict(recipe.arguments)
        groups = given.pop(cls.kind)
        if len(groups) == 1:
            return {cls.kind: groups[0][1], "label": groups[0][0], **given}
        if all(isinstance(label, str) for label, _ in groups):
            return {cls.kind: dict(groups), **given}
        return {cls.kind: [{cls.case_key: what, "label": label} for label, what in groups], **given}


class _WordsForLabel(_Part):
    words: Words
    label: Label


class KeywordsEntry(_Grouped):
    """``keywords = [...]``: words that a text contains, as in :func:`assay.keywords`."""

    kind = "keywords"
    make = staticmethod(keywords)
    case_key = "words"

    keywords: ByLabel[Words, _WordsForLabel]
    whole_words: bool = True


class _PatternForLabel(_Part):
    pattern: str
    label: Label


class RegexEntry(_Grouped):
    """``regex = "..."``: a pattern that a text matches, as in :func:`assay.regex`."""

    kind = "regex"
    make = staticmethod(regex)
    case_key = "pattern"

    regex: ByLabel[str, _PatternForLabel]
    case_sensitive: bool = True


class DictionaryEntry(SourceEntry):
    """``dictionary = "names.txt"``: known names, from a file or a table here, as in :func:`assay.dictionary`."""

    kind = "dictionary"
    make = staticmethod(dictionary)
    translated = ("dictionary",)

    dictionary: Name | Annotated[tuple[str, ...], Field(min_length=1)] | dict[str, Label]
    on: Name
    label: Label = None
    entry: str | None = None
    labels: str | None = None
    match: Literal["inside", "equal"] = "inside"
    case_sensitive: bool = False

    def given(self, folder: Path) -> dict[str, Any]:
        if self.label is None and self.labels is None and not isinstance(self.dictionary, Mapping):
            raise SourceError(f"{_NEEDS_LABEL}, or entries that bring their own")
        names = self.dictionary
        return {**super().given(folder), "dictionary": str(folder / names) if isinstance(names, str) else names}


class ThresholdEntry(SourceEntry):
    """``threshold = "age"``: a number beyond a bound, as in :func:`assay.threshold`."""

    kind = "threshold"
    make = staticmethod(threshold)

    threshold: Name
    label: Label
    above: int | float | None = None
    at_least: int | float | None = None
    below: int | float | None = None
    at_most: int | float | None = None
    otherwise: Label = None

    def given(self, folder: Path) -> dict[str, Any]:
        if self.label is None:
            raise SourceError(_NEEDS_LABEL)
        if all(bound is None for bound in (self.above, self.at_least, self.below, self.at_most)):
            raise SourceError("needs a bound: above, at_least, below or at_most")
        return super().given(folder)


class ColumnEntry(SourceEntry):
    """``column = "llm"``: labels that are in a column already, as in :func:`assay.column`."""

    kind = "column"
    make = staticmethod(column)
    translated = ("mapping",)

    column: Name
    mapping: dict[str, Label] | None = None
    others: Literal["raise", "abstain"] = "raise"
    confidence: str | None = None
    at_least: float = 0.0
    levels: list[float] | None = None

    def given(self, folder: Path) -> dict[str, Any]:
        return {**super().given(folder), "mapping": None if self.mapping is None else _spelled(self.mapping)}

    def made(self, folder: Path) -> list[Source]:
        return [replace(source, is_in_toml=True) for source in super().made(folder)]  # type: ignore[call-arg]


class CrowdEntry(SourceEntry):
    """``crowd = "votes.csv"``: the workers of a crowd, each a source of its own, as in :func:`assay.crowd`."""

    kind = "crowd"
    make = staticmethod(crowd)

    crowd: Name
    key: Name
    item: str | None = None
    worker: str | None = None
    label: str | None = None
    prefix: str = ""

    def made(self, folder: Path) -> list[Source]:
        given = {key: value for key, value in self.given(folder).items() if key != "name"}
        return crowd(folder / given.pop("crowd"), **given)


def _answers(value: Any) -> Any:
    """The answers of a prompt: a list of labels, or a table of answer = label."""
    if isinstance(value, list | tuple) and value and all(isinstance(one, str) for one in value):
        return tuple(value)
    if isinstance(value, Mapping) and value:
        return {answer: _said(label) for answer, label in value.items()}
    raise ValueError("a list of labels, or a table of answer = label, with false to abstain")


AnswersSaid = Annotated[Any, BeforeValidator(_answers)]


class _Example(_Part):
    row: dict[str, str | int | float | bool]
    answer: str | dict[str, str]


class PromptEntry(SourceEntry):
    """``prompt = "..."``: a question to a language model, as in :func:`assay.prompt`.

    The server and its key are named in ``assay.toml`` alone: a file of sources may come from elsewhere, and must not
    send what is in the environment to wherever it likes.
    """

    kind = "prompt"
    make = staticmethod(prompt)
    translated = ("examples_from", "examples_per_answer")

    prompt: Name
    answers: AnswersSaid = None
    questions: Annotated[dict[str, AnswersSaid], Field(min_length=1)] | None = None
    task: str | tuple[str, ...] | None = None  # type: ignore[assignment]  # of several, where it answers for several
    model: str | None = None
    system: str | None = None
    examples: tuple[_Example, ...] = ()
    examples_from: Literal["gold", "hand_labels"] | None = None
    examples_per_answer: PositiveInt = 2
    soft: bool = True
    calibrate: bool = False
    samples: int = 1
    temperature: float | None = None
    max_tokens: int | None = None
    levels: list[float] | None = None

    def given(self, folder: Path) -> dict[str, Any]:
        if self.examples and self.examples_from is not None:
            raise SourceError("has both examples and examples_from; leave one out")
        given = {**super().given(folder), "examples": tuple((one.row, one.answer) for one in self.examples)}
        return {key: value for key, value in given.items() if key not in self.translated}

    def made(self, folder: Path) -> list[Source]:
        return [replace(source, examples_from=self.examples_from) for source in super().made(folder)]  # type: ignore[call-arg]

    @classmethod
    def arguments(cls, recipe: Recipe) -> dict[str, Any]:
        given = dict(recipe.arguments)
        server = [key for key in ("base_url", "key") if given.pop(key) is not None]
        if server:
            raise ProjectError(
                f"a prompt with a {' and a '.join(server)} of its own cannot be written to a file; name the server in "
                "[prompts] of assay.toml, or keep the prompt in a Python module"
            )
        examples = given.pop("examples")
        if isinstance(examples, GoldExamples):
            raise ProjectError(
                "examples that were chosen from gold in Python cannot be written to a file; give the prompt "
                'examples_from = "gold" there'
            )
        shown = tuple({"row": dict(row), "answer": answer} for row, answer in examples)
        return {**given, **({"examples": shown} if shown else {})}


_ENTRIES: tuple[type[SourceEntry], ...] = (
    KeywordsEntry,
    RegexEntry,
    DictionaryEntry,
    ThresholdEntry,
    ColumnEntry,
    CrowdEntry,
    PromptEntry,
)
KINDS: dict[str, type[SourceEntry]] = {entry.kind: entry for entry in _ENTRIES}
"""The kinds by their keys; a new kind is one more class in the list above."""


def kind_of(said: Mapping[str, Any]) -> type[SourceEntry]:
    """The kind of one entry of the file, or an error that says how to tell it."""
    found = [kind for kind in KINDS if kind in said]
    if len(found) == 1:
        return KINDS[found[0]]
    if found:
        raise ProjectError(f"has both {' and '.join(found)}; make them sources of their own")
    known = {key for entry in _ENTRIES for key in entry.model_fields}
    strange = next((key for key in said if key not in known), None)
    hint = "" if strange is None else f" It has the unknown key {strange!r}. {near_miss(strange, known)}"
    raise ProjectError(f"says nothing of how it votes: give it one of {', '.join(KINDS)}.{hint}")


def entry_of(source: Source) -> dict[str, Any]:
    """A rule as an entry of the file: its keys and values, as TOML has them.

    >>> entry_of(keywords(["surgeon"], LabelSet(("Doctor", "Lawyer")), on="text", name="medicine"))
    {'name': 'medicine', 'keywords': ['surgeon'], 'label': {'one_of': ['Doctor', 'Lawyer']}, 'on': 'text'}
    """
    recipe = source.recipe if isinstance(source, Rule | PromptSource) else None
    if recipe is None:
        raise ProjectError(
            f"source {source.name!r} cannot be written to a file, only rules made by {', '.join(_describable())} can; "
            "keep it in a Python module"
        )
    strange = [value for value in recipe.arguments.values() if callable(value)]
    if strange:
        raise ProjectError(
            f"source {source.name!r} looks at {getattr(strange[0], '__name__', 'a function')}(), which a file cannot "
            "name; let it look at a column, or keep it in a Python module"
        )
    return KINDS[recipe.kind].of(source.name, recipe)


def _describable() -> Iterable[str]:
    return (kind for kind in KINDS if kind != CrowdEntry.kind)


def _spelled(mapping: Mapping[str, Any]) -> dict[Any, Any]:
    """Keys of a table as the values that a column may hold: TOML has only texts as keys, a column also numbers."""
    found: dict[Any, Any] = dict(mapping)
    for name, label in mapping.items():
        if name in ("true", "false"):
            found.setdefault(name == "true", label)
        for number in (int, float):
            try:
                found.setdefault(number(name), label)
            except ValueError:
                continue
    return found
