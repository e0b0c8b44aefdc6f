"""What people are told to import is public, and rooms meet at their doors.

A name is public if it is in ``assay.__all__``, or if the reference documents it in one of the modules that the
reference's first page lists. Code of one room imports from another room through its door, its ``__init__``, only.
"""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import assay

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
REFERENCE = ROOT / "docs" / "reference"


@dataclass(frozen=True)
class Use:
    """A name of Assay in an example."""

    where: str
    module: str
    name: str | None
    """None if the module itself is imported."""

    def __str__(self) -> str:
        return f"{self.where}: {self.module}{'' if self.name is None else f'.{self.name}'}"


def listed_modules() -> set[str]:
    """The modules in the table under "Public modules"."""
    _, _, section = (REFERENCE / "index.md").read_text(encoding="utf-8").partition("## Public modules")
    return set(re.findall(r"^\| `(assay[\w.]*)` \|", section, flags=re.MULTILINE))


def documented_names() -> set[str]:
    """Every name that a page of the reference describes, dotted."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    return set(re.findall(r"^\.\. auto\w+:: (assay\.[\w.]+)$", pages, flags=re.MULTILINE))


def uses_in(code: str, where: str) -> Iterator[Use]:
    """What an example imports from Assay, and what it says with dots after ``assay``."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and _is_ours(node.module):
            yield from (Use(where, str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (Use(where, alias.name, None) for alias in node.names if _is_ours(alias.name))
    chains = {ast.unparse(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)}
    dotted = sorted(chain for chain in chains if re.fullmatch(r"assay(\.\w+)+", chain))
    yield from (
        _resolved(where, chain) for chain in dotted if not any(other.startswith(f"{chain}.") for other in dotted)
    )


def _is_ours(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] == "assay"


def _resolved(where: str, dotted: str) -> Use:
    """``assay.engine.Dask`` is a name of ``assay.engine``; what follows a name of ``assay`` is its own business."""
    _, first, *rest = dotted.split(".")
    if f"assay.{first}" in listed_modules():
        return Use(where, f"assay.{first}", rest[0] if rest else None)
    return Use(where, "assay", first)


def examples() -> Iterator[tuple[str, str]]:
    """The Python code of all pages and docstrings, and where it stands."""
    parser = doctest.DocTestParser()
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            prompted = parser.get_examples(block)
            for code in [example.source for example in prompted] or [block]:
                yield str(page.relative_to(ROOT)), code
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for example in parser.get_examples(ast.get_docstring(node) or ""):
                    yield str(file.relative_to(ROOT)), example.source


def test_pages_and_examples_use_public_names_only():
    modules, documented = listed_modules(), documented_names()
    wrong = []
    for use in {use for where, code in examples() for use in uses_in(code, where)}:
        if use.where.startswith("src") and use.module in own_names(ROOT / use.where):
            continue  # an example in a private module may show that module, and what it needs of its room
        public = use.name is None or (
            use.name in assay.__all__ if use.module == "assay" else f"{use.module}.{use.name}" in documented
        )
        if use.module not in modules or not public:
            wrong.append(str(use))
    assert not sorted(wrong)


def test_the_scan_finds_every_way_to_name_something():
    code = "import assay.votes\nfrom assay.counts import Tally\nassay.engine.Dask(1).map(2)\nassay.Votes.from_matrix(x)"
    assert [(use.module, use.name) for use in uses_in(code, "here")] == [
        ("assay.votes", None),
        ("assay.counts", "Tally"),
        ("assay", "Votes"),
        ("assay.engine", "Dask"),
    ]
    assert len({where for where, _ in examples()}) > 50


def test_public_modules_can_be_named_without_importing_them():
    program = "import assay; print(*(hasattr(assay, name) for name in assay._MODULES))"
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert told == ["True"] * len(assay._MODULES)
    assert {f"assay.{name}" for name in assay._MODULES} <= listed_modules()


@pytest.mark.parametrize("module", sorted(listed_modules()))
def test_public_modules_exist_and_say_what_they_are_for(module):
    assert import_module(module).__doc__


@pytest.mark.parametrize("name", sorted(documented_names()))
def test_documented_names_are_where_the_reference_says(name):
    module = max((known for known in listed_modules() if name.startswith(f"{known}.")), key=len)
    (attribute,) = name.removeprefix(f"{module}.").split(".")
    assert getattr(import_module(module), attribute).__doc__


def own_names(file: Path) -> set[str]:
    """A module and its room."""
    return {_module_of(file), room_of(_module_of(file))}


def _module_of(file: Path) -> str:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module_of(file): file for file in SOURCE.rglob("*.py")}
ROOMS = {name for name, file in MODULES.items() if file.name == "__init__.py" and name.count(".") == 1} - {
    "assay._core"
}


def room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _target(module: str, name: str) -> str:
    """The module that an import reaches: ``from assay.votes import encoding`` means a file inside the room."""
    inside = f"{module}.{name}"
    return inside if inside in MODULES and name not in _exported(module) else module


def _exported(door: str) -> set[str]:
    """The names that a door takes from its room; some are called like the file that they come from."""
    tree = ast.parse(MODULES[door].read_text(encoding="utf-8"))
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}


def past_doors(module: str, tree: ast.AST) -> Iterator[str]:
    """What a module imports from a file inside another room."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and _is_ours(node.module):
            targets = [_target(str(node.module), alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names if _is_ours(alias.name)]
        else:
            continue
        for target in targets:
            room = room_of(target)
            if room in ROOMS and room != room_of(module) and MODULES[target].name != "__init__.py":
                yield f"{module} imports {target}"


def test_rooms_meet_at_their_doors():
    found = [
        fault for module, file in MODULES.items() for fault in past_doors(module, ast.parse(file.read_text("utf-8")))
    ]
    assert not sorted(set(found))


@pytest.mark.parametrize(
    ("code", "is_past"),
    [
        ("from assay.votes import Votes", False),
        ("from assay.model.estimate import complete", False),
        ("from assay._core.rows import Batch", False),
        ("from assay.labels import Labels", False),
        ("from assay.tasks.graph import TaskGraph", False),
        ("from assay.votes.votes import Votes", True),
        ("from assay.votes import encoding", True),
        ("import assay.counts.tally", True),
        ("def f():\n    from assay.checks.rules import constant", True),
    ],
)
def test_the_scan_of_doors_tells_what_is_past_one(code, is_past):
    assert bool(list(past_doors("assay.tasks.graph", ast.parse(code)))) == is_past
