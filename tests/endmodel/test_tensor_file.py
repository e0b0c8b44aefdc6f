"""Tensors on disk are the same bits, or an error that says why not."""

import pytest
import torch

from assay import AssayError
from assay.endmodel.tensor_file import part_of, read_tensors, under, write_tensors


def test_names_numbers_and_bits_come_back(tmp_path):
    weight = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    tensors = {"weight": weight, "tied": weight, "turned": weight.T, "whole": torch.arange(5)}
    path = write_tensors(tmp_path / "model.safetensors", "an end model", {"tasks": ["a"], "rate": 0.1}, tensors)
    said, found = read_tensors(path, "an end model")
    assert said == {"kind": "an end model", "tasks": ["a"], "rate": 0.1}
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], tensor) for name, tensor in tensors.items())


def test_of_another_kind_damaged_or_missing_it_is_refused_by_name(tmp_path):
    path = write_tensors(tmp_path / "model.safetensors", "a checkpoint", {}, {"x": torch.ones(2)})
    with pytest.raises(AssayError, match="holds a checkpoint, but an end model was expected"):
        read_tensors(path, "an end model")
    whole = path.read_bytes()
    for size in (0, 5, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(AssayError, match="or it is damaged"):
            read_tensors(path, "a checkpoint")
    with pytest.raises(AssayError, match="there is no file"):
        read_tensors(tmp_path / "none", "a checkpoint")


def test_parts_are_told_apart_by_their_prefix():
    one, other = {"x": torch.ones(1)}, {"x": torch.zeros(1), "ab/x": torch.ones(1)}
    together = under("a", one) | under("ab", other)
    assert part_of("a", together) == one
    assert part_of("ab", together).keys() == other.keys()


def test_one_changed_bit_is_noticed(tmp_path):
    path = write_tensors(tmp_path / "file", "an end model", {"a": 1}, {"x": torch.arange(40.0)})
    raw = path.read_bytes()
    at = raw.index(torch.tensor(7.0).numpy().tobytes())
    for bit in range(32):
        changed = bytearray(raw)
        changed[at + bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        with pytest.raises(AssayError, match="damaged"):
            read_tensors(path, "an end model")


def test_numbers_that_are_none_are_refused(tmp_path):
    path = write_tensors(tmp_path / "file", "an end model", {}, {"x": torch.tensor([1.0, float("nan")])})
    with pytest.raises(AssayError, match="'x' must hold finite numbers"):
        read_tensors(path, "an end model")
