"""The real local model, for tests that need one; they are skipped where it is not installed, and fail in CI."""

import os

import pytest

from assay.llm.local_model import LocalModel, is_installed

WHY = "the local model is not installed: make llm"


def started():
    """A context with the model's server."""
    if not is_installed():
        if os.environ.get("CI"):
            pytest.fail(WHY)
        pytest.skip(WHY)
    return LocalModel()
