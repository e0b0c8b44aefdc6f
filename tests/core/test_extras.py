"""How to install what is missing, by where Assay came from."""

import json

import pytest

from assay._core import extras


@pytest.mark.parametrize(
    ("noted", "origin"),
    [
        (json.dumps({"url": "file:///home/ann/my%20assay", "dir_info": {"editable": True}}), "/home/ann/my assay"),
        (json.dumps({"url": "file:///tmp/assay-0.2.0-py3-none-any.whl"}), "/tmp/assay-0.2.0-py3-none-any.whl"),
        (json.dumps({"url": "https://example.com/assay.git"}), "assay"),
        (None, "assay"),
        ("{", "assay"),
    ],
)
def test_the_hint_is_true_for_how_it_was_installed(monkeypatch, noted, origin):
    class Installed:
        def read_text(self, name):
            return noted

    monkeypatch.setattr(extras, "distribution", lambda name: Installed())
    assert extras.how_to_install("torch") == f"pip install '{origin}[torch]'"


def test_without_an_installation_the_name_is_all_there_is(monkeypatch):
    def gone(name):
        raise extras.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", gone)
    assert extras.how_to_install("report") == "pip install 'assay[report]'"
