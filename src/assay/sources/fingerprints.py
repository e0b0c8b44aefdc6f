"""What a source's votes depend on, besides the rows: its code, the code that it calls, and all data that these use.

Two sources with the same fingerprint say the same about the same row, so that votes of one can be kept for the other.
Where that cannot be told, as of a function that reads a file or asks the clock, there is no fingerprint, but a reason.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import pickle
import re
import sys
from collections import deque
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MappingProxyType, MemberDescriptorType, ModuleType
from typing import Any

from assay.engine import is_installed
from assay.sources.base import Source
from assay.sources.functions import FunctionSource
from assay.sources.prompts import PromptSource
from assay.sources.used_names import UnstableError, code_parts, is_changing, used_objects, version_of, words
from assay.tasks import TaskGraph

_LIBRARIES = ("polars", "numpy", "pyarrow", "ahocorasick-rs")
"""Libraries that rules decide by."""
_FILE_NAME = re.compile(r"[/\\].|\.\w{1,10}$")
"""Texts that may be the name of a file."""
_LONGEST_NAME = 1_024
_PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple, list, dict)
_NO_MEANING = words(
    """
    __dict__ __weakref__ __doc__ __module__ __firstlineno__ __static_attributes__ __annotations__ __annotate__
    __annotate_func__ __annotations_cache__ __dataclass_fields__ __dataclass_params__ _abc_impl
    __abstractmethods__
    """
)
"""Attributes of classes that no method looks at."""


@dataclass(frozen=True)
class Fingerprint:
    """What tells a source from others that would vote otherwise."""

    digest: str | None
    """None if votes must not be kept."""
    reason: str | None = None
    """Why there is none."""


def fingerprint(source: Source, tasks: TaskGraph) -> Fingerprint:
    """The fingerprint of a source that labels these tasks.

    >>> from assay import keywords
    >>> tasks = TaskGraph.flat("mail", ["ham", "spam"])
    >>> one, same, other = (keywords(words, "spam", on="text") for words in (["win"], ["win"], ["prize"]))
    >>> fingerprint(one, tasks) == fingerprint(same, tasks), fingerprint(one, tasks) == fingerprint(other, tasks)
    (True, False)
    """
    if isinstance(source, PromptSource):
        return Fingerprint(None, "the answers of prompts have a cache of their own")
    told = source.cache if isinstance(source, FunctionSource) else None
    if told is False:
        return Fingerprint(None, "it was declared with cache=False")
    try:
        said = (_environment(), json.dumps(tasks.to_dict(), sort_keys=True), replace(source, given_name="source"))
        return Fingerprint(_digest(said, trusting=told is True))
    except UnstableError as found:
        return Fingerprint(None, str(found))
    except Exception as error:  # whatever objects of users do when they are looked at
        return Fingerprint(None, f"something that it uses cannot be compared ({type(error).__name__}: {error})")


@cache
def _environment() -> tuple[str, ...]:
    """What decides besides sources: Python, the libraries, and Assay itself, file by file: versions stay the same."""
    own = hashlib.sha256()
    home = Path(__file__).parents[1]
    for path in sorted(home.rglob("*.py")):
        own.update(str(path.relative_to(home)).encode())
        own.update(hashlib.sha256(path.read_bytes()).digest())
    return (sys.version, own.hexdigest(), *(f"{name} {metadata.version(name)}" for name in _LIBRARIES))


def _digest(said: Any, *, trusting: bool) -> str:
    """Of anything, and of all functions and classes that are found on the way; each is described once."""
    found = hashlib.sha256()
    open_: _Discovered = _Discovered(trusting)
    found.update(open_.described(said))
    while open_.waiting:
        found.update(open_.described(_description(open_.waiting.popleft(), trusting)))
    found.update("\n".join(sorted(open_.libraries)).encode())
    return found.hexdigest()


class _Discovered:
    """Functions and classes of users, numbered as they are found, and waiting to be described."""

    def __init__(self, trusting: bool) -> None:
        self.trusting = trusting
        self.waiting: deque[Any] = deque()
        self.libraries: set[str] = set()
        self._numbers: dict[int, int] = {}
        self._all: list[Any] = []  # so that no other object can get the same id

    def number(self, thing: Any) -> int:
        if id(thing) not in self._numbers:
            self._numbers[id(thing)] = len(self._all)
            self._all.append(thing)
            self.waiting.append(thing)
        return self._numbers[id(thing)]

    def described(self, said: Any) -> bytes:
        """Anything as bytes that are the same for what is the same, in every process."""
        stream = io.BytesIO()
        pickler = _Described(stream, self)
        # Equal objects are described equally, whether they are one object or two.
        pickler.fast = True
        pickler.dump(said)
        return stream.getvalue()


class _Described(pickle.Pickler):
    """Describes values as pickle does, but code by what it does and not by its name. Nothing ever reads it."""

    def __init__(self, stream: io.BytesIO, found: _Discovered) -> None:
        super().__init__(stream, protocol=5)
        self.found = found

    def persistent_id(self, thing: Any) -> Any:
        """How a value is described that pickle would describe otherwise; None for all others."""
        kind = type(thing)
        if kind is str:
            return _file_named(thing) if len(thing) <= _LONGEST_NAME and _FILE_NAME.search(thing) else None
        if kind in (set, frozenset):
            return "set", kind.__name__, sorted(self.found.described(entry) for entry in thing)
        if kind is CodeType:
            return "code", *code_parts(thing)
        if kind is functools._lru_cache_wrapper:
            return "cached", self.found.number(thing.__wrapped__)
        if kind is FunctionType or isinstance(thing, type):
            return self._named(thing)
        if isinstance(thing, ModuleType):
            return self._module(thing)
        if kind not in _PLAIN:
            self._note_library(kind.__module__, kind.__qualname__)
            module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
            if isinstance(module, str) and isinstance(name, str):
                self._note_library(module, name)
        return _parts_of(thing)

    def _note_library(self, module: str, name: str) -> None:
        """What is installed counts with its version, however pickle describes it."""
        if is_installed(module):
            if not self.found.trusting and is_changing(f"{module}.{name}"):
                raise UnstableError(f"it uses {module}.{name}, whose results change")
            self.found.libraries.add(version_of(module))

    def _named(self, thing: Any) -> Any:
        """A function or a class: by name and version if it is installed, and else by what it does."""
        module = getattr(thing, "__module__", None) or ""
        if not is_installed(module):
            return "own", self.found.number(thing)
        name = f"{module}.{thing.__qualname__}"
        if not self.found.trusting and is_changing(name):
            raise UnstableError(f"it uses {name}, whose results change")
        return "installed", name, version_of(module)

    def _module(self, thing: ModuleType) -> Any:
        if not is_installed(thing.__name__):
            raise UnstableError(f"it uses the module {thing.__name__!r} as a whole")
        if not self.found.trusting and is_changing(thing.__name__):
            raise UnstableError(f"it uses {thing.__name__}, whose results change")
        return "module", thing.__name__, version_of(thing.__name__)


def _parts_of(thing: Any) -> Any:
    """What pickle cannot describe, by its parts; None for everything else."""
    if isinstance(thing, staticmethod | classmethod):
        return "wrapped", type(thing).__name__, thing.__func__
    if isinstance(thing, property):
        return "property", thing.fget, thing.fset, thing.fdel
    if isinstance(thing, functools.cached_property):
        return "property", thing.func
    if isinstance(thing, MappingProxyType):
        return "mapping", dict(thing)
    if isinstance(thing, MemberDescriptorType | GetSetDescriptorType):
        return "slot", thing.__name__
    return None


def _description(thing: Any, trusting: bool) -> Any:
    """What a function or a class of a user does: all that its code consists of and refers to."""
    if isinstance(thing, FunctionType):
        return (
            "function",
            thing.__code__,
            thing.__defaults__,
            thing.__kwdefaults__,
            vars(thing),
            list(used_objects(thing, trusting=trusting)),
        )
    if isinstance(thing, type):
        content = {name: value for name, value in vars(thing).items() if name not in _NO_MEANING}
        return "class", thing.__qualname__, thing.__bases__, type(thing), content
    raise UnstableError(f"it uses {thing!r}, which cannot be looked into")


def _file_named(text: str) -> Any:
    """A text that names a file, with what the file holds; None for any other text."""
    if os.path.isfile(text):
        with open(text, "rb") as file:
            return "file", list(text), hashlib.file_digest(file, "sha256").hexdigest()
    return None
