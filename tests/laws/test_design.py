"""The design page shows the package as it is: its tree, and its layers."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "assay"
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
NOT_LISTED = {"__pycache__"}
EXAMPLE = PACKAGE / "project" / "demo" / "project"
"""What a user starts from: data for us, not code."""


def listed() -> set[str]:
    """The paths that the page's tree has, folders with a slash at the end."""
    tree = re.search(r"```text\nsrc/assay/\n(.*?)```", PAGE, flags=re.DOTALL)
    assert tree is not None, "docs/design.md has no tree that begins with src/assay/"
    found: set[str] = set()
    above: list[str] = []
    for line in tree.group(1).splitlines():
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip()) - 2) // 2
        above = [*above[:depth], name]
        found.add("".join(above))
    return found


def there() -> set[str]:
    found = set()
    for path in PACKAGE.rglob("*"):
        inside = path.relative_to(PACKAGE)
        if NOT_LISTED & set(inside.parts) or EXAMPLE in path.parents:
            continue
        if path.name == "__init__.py" and path.parent != PACKAGE:
            continue  # a door is told of with its room
        found.add(inside.as_posix() + "/" * path.is_dir())
    return found


def test_the_tree_is_the_one_on_disk():
    assert sorted(listed() - there()) == []
    assert sorted(there() - listed()) == []


def test_there_are_a_dozen_layers_without_exceptions():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = settings["contracts"]
    assert len(contract["layers"]) <= 12
    assert not {"ignore_imports", "containers", "unmatched_ignore_imports_alerting"} & set(contract)
    rooms = {name.strip() for layer in contract["layers"] for name in re.split("[|:]", layer)}
    entries = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.name not in NOT_LISTED}
    assert rooms == {f"assay.{name}" for name in entries - {"__init__", "py.typed"}}


def test_files_that_contributors_are_sent_to_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") + PAGE
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", text))
    assert "model/estimate/fit.py" in named
    missing = [path for path in named if not ((PACKAGE / path).is_file() or (PACKAGE.parent / path).is_file())]
    assert [path for path in missing if not (ROOT / path).is_file() and not path.startswith("tests/")] == []
