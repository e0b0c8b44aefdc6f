"""Starting the studio: where it listens, and who may be let in."""

import socket
import subprocess
import time

import pytest

from assay.errors import ProjectError
from assay.studio.server import _names, is_loopback, serve
from tests.support.studios import TOKEN, command, started


def tried(*options):
    return subprocess.run(command("studio", *options), capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "options",
    [
        ["--host", "0.0.0.0"],
        ["--host", "::"],
        ["--host", "192.0.2.1"],
        ["--host", "0.0.0.0", "--token", "short"],
        ["--host", "0.0.0.0", "--token", "x" * 15],
        ["--token", ""],
        ["--token", "x" * 20 + "\n"],
        ["--token", "é" * 20],
    ],
    ids=" ".join,
)
def test_nobody_is_let_in_without_a_key_or_with_one_that_is_guessed(example, options):
    host = options[1] if options[0] == "--host" else "127.0.0.1"
    token = options[options.index("--token") + 1] if "--token" in options else None
    with pytest.raises(ProjectError, match="token"):
        serve(example, host=host, token=token, port=0)


def test_the_command_line_says_so(example):
    ended = tried(str(example), "--host", "0.0.0.0", "--port", "0")
    assert ended.returncode == 2
    assert "--token" in ended.stderr
    assert "http://" not in ended.stdout


def test_with_a_key_it_listens_elsewhere_and_warns(example):
    with started(example, "--host", "0.0.0.0", "--token", TOKEN) as studio:
        port = studio.host.rpartition(":")[2]
        assert studio.link.endswith(f"?token={TOKEN}")
        assert studio.ask("/", headers={"host": f"127.0.0.1:{port}"}).status == 200
        assert studio.ask("/", headers={"host": f"evil.example:{port}"}).status == 421


def test_a_folder_that_is_no_project_is_refused(tmp_path):
    ended = tried(str(tmp_path), "--port", "0")
    assert ended.returncode == 2
    assert "assay.toml" in ended.stderr
    assert "http://" not in ended.stdout


def test_a_port_that_is_taken_is_refused_and_another_one_found(example):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ProjectError, match="--port"):
            serve(example, port=taken.getsockname()[1])


@pytest.mark.parametrize(
    ("host", "is_here"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("localhost", True), ("::1", True), ("[::1]", True),
     ("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("localhost.example", False), ("", False)],
)  # fmt: skip
def test_which_places_only_this_machine_reaches(host, is_here):
    assert is_loopback(host) == is_here


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::", "192.0.2.1", "2001:db8::1"])
def test_names_have_the_port_and_no_star(host):
    names = _names(host, 4321)
    assert names
    assert all(name.endswith(":4321") and "*" not in name for name in names)


def test_it_ends_when_it_is_told_to(example):
    with started(example) as studio:
        before = time.monotonic()
        studio.process.terminate()
        studio.process.wait(15)
        assert time.monotonic() - before < 10
