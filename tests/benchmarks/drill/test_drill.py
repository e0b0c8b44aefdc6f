"""A short drill: damaged files and random problems are done right or refused with a clear error, nothing else."""

import numpy as np
import pytest

from benchmarks.drill.damage import OF_BYTES, array_damaged, json_damaged
from benchmarks.drill.kills import commands, of_kills
from benchmarks.drill.run import of_files, of_problems


def wrong(found):
    return [one for one in found if one[1] == "wrong"]


def test_damaged_files_are_refused_or_read_as_they_were():
    pytest.importorskip("safetensors")
    found = list(of_files(seed=0, count=3))
    assert not wrong(found)
    assert sum(came == "refused" for _, came, _ in found) > len(found) / 2


def test_random_problems_are_taken_all_the_way():
    pytest.importorskip("vl_convert")
    found = list(of_problems(seed=0, count=4))
    assert not wrong(found)
    assert {"fit", "save, load", "report"} <= {name for name, came, _ in found if came == "right"}


def test_a_damage_changes_something():
    rng = np.random.default_rng(0)
    raw = bytes(range(200))
    assert all(any(damage(raw, rng) != raw for _ in range(5)) for damage in OF_BYTES)
    array = np.arange(6.0)
    for changed in [array_damaged(array, rng) for _ in range(40)]:
        assert changed.dtype != array.dtype or not np.array_equal(changed, array)
    said = {"a": [1, {"b": "c"}], "d": None}
    assert sum(json_damaged(said, rng) != said for _ in range(40)) > 30
    assert said == {"a": [1, {"b": "c"}], "d": None}


def test_killed_commands_leave_whole_files_and_no_process(tmp_path, monkeypatch):
    few = {"init", "apply", "run", "import", "confident", "annotate"}
    monkeypatch.setattr(
        "benchmarks.drill.kills.commands",
        lambda folder, *, end_models: {
            name: line for name, line in commands(folder, end_models=False).items() if name in few
        },
    )
    found = list(of_kills(np.random.default_rng(0), 1, tmp_path))
    assert not wrong(found)
    assert len(found) == len(few)
