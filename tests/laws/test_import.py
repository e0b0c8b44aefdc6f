from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import assay

HEAVY = ("torch", "dask", "distributed", "pyspark", "sklearn", "altair", "httpx2")


def in_a_new_process(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def test_importing_brings_in_nothing_heavy():
    loaded = in_a_new_process("import assay, sys; print(*sys.modules)").split()
    assert "assay" in loaded
    assert not set(HEAVY) & set(loaded)


def test_nor_does_labelling():
    program = """
import assay, sys
tasks = assay.TaskGraph([assay.Task("letter", ["A", "B"])])
votes = assay.apply(assay.keywords("x", "A", on="text"), {"text": ["x", "y"]})
votes.summary(gold=["A", "B"])
assay.majority_vote(votes)
print(*sys.modules)
"""
    assert not set(HEAVY) & set(in_a_new_process(program).split())


def test_importing_is_quick():
    clock = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
    with_assay, with_numpy = (
        min(float(in_a_new_process(clock.format(what))) for _ in range(4)) for what in ("assay, numpy", "numpy")
    )
    assert with_assay - with_numpy < 0.5


@pytest.mark.parametrize("name", assay.__all__)
def test_every_public_name_is_there_and_explained(name):
    value = getattr(assay, name)
    assert name in dir(assay)
    if name != "__version__":
        assert value.__doc__
        assert value.__module__.startswith("assay.")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'aply'"):
        assay.aply  # noqa: B018


def test_no_door_has_a_name_of_a_module_behind_it():
    """Names are loaded when they are asked for, and a module that was loaded before would be what is found."""
    root = Path(assay.__file__).parent
    for door in root.rglob("__init__.py"):
        room = door.parent
        behind = {path.stem for path in room.glob("*.py")} | {path.parent.name for path in room.glob("*/__init__.py")}
        if "__all__" in door.read_text(encoding="utf-8"):
            found = importlib.import_module(".".join(["assay", *room.relative_to(root).parts]))
            assert behind.isdisjoint(found.__all__), room
