"""The examples of every page run as tests, each page on its own in an empty folder."""

import pytest


@pytest.fixture(autouse=True)
def _empty_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
