"""What a function of a user refers to: globals, what it closes over, attributes of modules; and what may change."""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from types import CodeType, FunctionType, ModuleType
from typing import Any

from assay.engine import is_installed


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


class UnstableError(Exception):
    """The result of a function may depend on something that cannot be looked at; says what."""


_CHANGING_MODULES = words(
    """
    random secrets time uuid socket ssl subprocess urllib.request http requests httpx aiohttp openai anthropic
    boto3 sqlite3 psycopg sqlalchemy redis numpy.random tempfile glob shutil threading multiprocessing
    asyncio.subprocess os.environ importlib
    """
)
"""Modules whose functions give something else each time, or read what is elsewhere."""
_CHANGING_NAMES = words(
    """
    builtins.open io.open _io.open codecs.open builtins.input builtins.eval builtins.exec builtins.hash
    builtins.id builtins.globals builtins.locals builtins.vars builtins.compile builtins.__import__ os.getenv
    os.listdir os.walk os.getcwd os.stat posix.listdir posix.getcwd posix.stat os.scandir
    """
)
_CHANGING_ATTRIBUTES = words(
    "now today utcnow urlopen getenv environ iterdir rglob exists is_file stat from_pretrained"
)
_CHANGING_STARTS = ("read_", "scan_", "load", "open")
"""Attributes of any object, such as a path or a date, that read what may change; and how names of others begin."""
_LOADS = words("LOAD_GLOBAL LOAD_NAME LOAD_DEREF LOAD_CLASSDEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTES = frozenset(("LOAD_ATTR", "LOAD_METHOD"))
_MISSING = "missing"


def is_changing(name: str) -> bool:
    """Whether something installed gives other results for the same arguments.

    >>> is_changing("random.choice"), is_changing("re.compile"), is_changing("builtins.open")
    (True, False, True)
    """
    parts = name.split(".")
    above = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return name in _CHANGING_NAMES or _reads(parts[-1]) or not above.isdisjoint(_CHANGING_MODULES)


def _reads(name: str) -> bool:
    return name in _CHANGING_ATTRIBUTES or name.startswith(_CHANGING_STARTS)


def code_parts(code: CodeType) -> tuple[Any, ...]:
    """What a function's code does, wherever it is written."""
    return (
        code.co_name,
        code.co_code,
        code.co_consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags,
        getattr(code, "co_exceptiontable", b""),
    )


def used_objects(function: FunctionType, *, trusting: bool = False) -> Iterator[tuple[str, Any]]:
    """Everything outside of a function that its code refers to, by name; attributes of modules by themselves.

    With ``trusting``, functions whose results change are taken for such whose results do not.

    Raises
    ------
    UnstableError
        If it changes globals, or refers to what may give other results next time.
    """
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    closed: dict[str, Any] = {}
    for name, cell in cells:
        try:
            closed[name] = cell.cell_contents
        except ValueError:  # not filled yet
            closed[name] = _MISSING
    for code in _all_code(function.__code__):
        yield from _used(code, function.__globals__, closed, trusting)
    yield from ((name, value) for name, value in closed.items() if not isinstance(value, ModuleType))


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_code(constant)


def _used(code: CodeType, known: dict[str, Any], closed: dict[str, Any], trusting: bool) -> Iterator[tuple[str, Any]]:
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    for at, step in enumerate(steps):
        name = step.argval
        if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise UnstableError(f"it changes the global {name!r}")
        if step.opname in _ATTRIBUTES and _reads(name) and not trusting:
            raise UnstableError(f"it uses .{name}, whose results change")
        if step.opname == "IMPORT_NAME":
            if not _is_found(name):
                raise UnstableError(f"it imports the module {name!r} itself; import it at the top of the file")
            if is_changing(name) and not trusting:
                raise UnstableError(f"it uses {name}, whose results change")
            yield f"import {name}", version_of(name)
        if step.opname in _LOADS and isinstance(name, str):
            yield from _resolved(name, known, closed, steps[at + 1 :], trusting)


def _is_found(module: str) -> bool:
    from importlib.util import find_spec

    try:
        spec = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return False
    return spec is not None and is_installed(module.partition(".")[0], spec.origin)


def _resolved(
    name: str, known: dict[str, Any], closed: dict[str, Any], following: list[dis.Instruction], trusting: bool
) -> Iterator[tuple[str, Any]]:
    """What a name stands for; if that is a module, the attributes of it that are asked for next."""
    if name in closed:
        value = closed[name]
        if not isinstance(value, ModuleType):
            return  # described once, with all that is closed over
    elif name in known:
        value = known[name]
    elif hasattr(builtins, name):
        if is_changing(f"builtins.{name}") and not trusting:
            raise UnstableError(f"it uses {name}(), whose results change")
        return
    else:
        value = _MISSING
    path = name
    for step in following:
        if not isinstance(value, ModuleType) or step.opname not in _ATTRIBUTES:
            break
        path = f"{path}.{step.argval}"
        whole = f"{value.__name__}.{step.argval}"
        if is_installed(value.__name__) and is_changing(whole) and not trusting:
            raise UnstableError(f"it uses {whole}, whose results change")
        value = getattr(value, step.argval, _MISSING)
    yield path, value


@cache
def version_of(module: str) -> str:
    """The version of the library that a module belongs to."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in sys.builtin_module_names or top == "assay":
        return "with Python" if top != "assay" else "with Assay"
    return ", ".join(f"{name} {metadata.version(name)}" for name in _distributions(top)) or "unknown"


def _distributions(top: str) -> Iterator[str]:
    try:
        metadata.version(top)
        yield top
    except metadata.PackageNotFoundError:
        yield from sorted(set(_packages().get(top, ())))


@cache
def _packages() -> Any:
    return metadata.packages_distributions()
