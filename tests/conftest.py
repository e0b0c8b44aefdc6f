"""What all tests share: settings of Hypothesis, and the task graph of the paper's example."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

import assay

# Tests run beside each other; small matrices only lose by more threads. To be set before NumPy and PyTorch are loaded.
for library in ("OPENBLAS", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

settings.register_profile(
    "suite",
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("explore", settings.get_profile("suite"), max_examples=1000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture
def entities() -> assay.TaskGraph:
    """The hierarchy of the paper's running example: four outcomes."""
    return assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            assay.Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        ]
    )


@pytest.fixture
def pair() -> assay.TaskGraph:
    """Two unrelated tasks that share a label name."""
    return assay.TaskGraph([assay.Task("mood", ["good", "bad"]), assay.Task("food", ["good", "cold"])])


@pytest.fixture
def letters() -> assay.TaskGraph:
    """One task with three labels."""
    return assay.TaskGraph.flat("letter", ["A", "B", "C"])
