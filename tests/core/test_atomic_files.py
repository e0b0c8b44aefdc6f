from __future__ import annotations

import os

import pytest

from assay import AssayError
from assay._core.atomic_files import writing


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    target = tmp_path / "deep" / "notes.txt"
    with writing(target) as unfinished:
        unfinished.write_text("one")
        assert not target.exists()
    assert target.read_text() == "one"
    with pytest.raises(AttributeError), writing(str(target)) as unfinished:
        unfinished.write_text("half of two").fail()
    assert target.read_text() == "one"
    assert [path.name for path in target.parent.iterdir()] == ["notes.txt"]


def test_anyone_may_read_it(tmp_path):
    with writing(tmp_path / "notes.txt") as unfinished:
        unfinished.write_text("one")
    assert (tmp_path / "notes.txt").stat().st_mode & 0o777 == 0o644


def test_what_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(AssayError, match=r"cannot write .*file"), writing(tmp_path / "file" / "notes.txt"):
        pass
    (tmp_path / "folder").mkdir()
    with pytest.raises(AssayError, match=r"cannot write .*folder"), writing(tmp_path / "folder"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_what_a_killed_process_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    left, fresh, other = (tmp_path / name for name in (".notes.txt.abcd1234", ".notes.txt.abcd5678", ".n.txt.abcd1234"))
    for path in (left, fresh, other):
        path.write_text("half")
    with writing(tmp_path / "notes.txt") as unfinished:
        for path in (left, other, unfinished):
            os.utime(path, (0, 0))
        with writing(tmp_path / "notes.txt") as second:
            second.write_text("two")
        assert unfinished.exists()
        unfinished.write_text("one")
    assert (tmp_path / "notes.txt").read_text() == "one"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".n.txt.abcd1234", ".notes.txt.abcd5678", "notes.txt"]
