from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import assay

HEAVY = (
    "torch",
    "dask",
    "distributed",
    "pyspark",
    "sklearn",
    "skops",
    "altair",
    "httpx2",
    "starlette",
    "uvicorn",
    "jinja2",
)


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


def test_no_name_of_a_door_is_a_file_behind_it():
    """A loaded file is an attribute of its package, so that a lazy name it shares would never be looked for."""
    rooms = [
        importlib.import_module(f"assay.{room.name}") for room in pkgutil.iter_modules(assay.__path__) if room.ispkg
    ]
    both = {
        f"{room.__name__}.{name}"
        for room in rooms
        for name in {part.name for part in pkgutil.iter_modules(room.__path__)} & set(getattr(room, "__all__", ()))
    }
    assert both == set()
