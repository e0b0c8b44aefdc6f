"""The Python files of a project: run anew each time, and searched for sources and functions."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import AssayError, ProjectError, near_miss
from assay.sources import Source

_PREFIX = "assay_project_"


def sources_in(folder: Path, modules: Sequence[Path]) -> list[Source]:
    """Every source that the modules of a project define, in their order."""
    with _importable(folder):
        return _sources_of([_imported(path) for path in modules])


def function_named(folder: Path, name: str, key: str) -> Callable[..., Any]:
    """A function of a project's module, or an installed one; ``key`` of ``assay.toml`` names it "module:function"."""
    module, _, function = name.partition(":")
    if not module or not function.isidentifier():
        raise ProjectError(f'{key} must name a function as "module:function", but is {name!r}')
    with _importable(folder):
        path = folder / f"{module}.py"
        try:
            found: Any = _imported(path) if path.is_file() else importlib.import_module(module)
        except ImportError as error:
            raise ProjectError(
                f"{key} names the module {module!r}, but it is neither {path} nor can it be imported: {error}"
            ) from error
    called = getattr(found, function, None)
    if not callable(called):
        known = [one for one, value in vars(found).items() if callable(value) and not one.startswith("_")]
        raise ProjectError(f"{key} names {function!r}, which is no function of {module}. {near_miss(function, known)}")
    return called  # type: ignore[no-any-return]


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Lets the modules of a folder import each other; afterwards nobody else finds them by their names.

    Their bytecode is not kept: it would be used again if a file is edited twice within a second and keeps its length.
    """
    known, keeps_none = set(sys.modules), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.dont_write_bytecode = keeps_none
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).parent == folder and not name.startswith(_PREFIX):
                # Without a name they also travel to worker processes as they are.
                del sys.modules[name]


def _imported(path: Path) -> ModuleType:
    """A module from a file in the project folder, run anew each time so that edits count."""
    import cloudpickle

    used = sys.modules.get(path.stem)
    if used is not None and getattr(used, "__file__", None) == str(path):
        return used  # a module before it has imported it
    name = _PREFIX + path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ProjectError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # So that another module that imports this one gets it, not a second copy.
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except AssayError as error:
        raise ProjectError(f"in {path}: {error}") from error
    except Exception as error:
        raise ProjectError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    # Worker processes cannot import the project's modules by name, so their functions travel as they are.
    cloudpickle.register_pickle_by_value(module)
    return module


def _sources_of(modules: Sequence[ModuleType]) -> list[Source]:
    """Their sources, each named after the first variable that holds it unless it has a name of its own."""
    found: dict[int, Source] = {}
    for name, value in (entry for module in modules for entry in vars(module).items()):
        if isinstance(value, Source):
            found.setdefault(id(value), value if value.given_name else value.named(name))
        elif isinstance(value, list) and value and all(isinstance(entry, Source) for entry in value):
            for entry in value:
                found.setdefault(id(entry), entry)
    return list(found.values())
