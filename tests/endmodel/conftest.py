"""What the tests of end models share: a small world of texts, and one thread a test."""

import pytest

from tests.support.small_texts import small_world


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Tests run beside each other, and these networks are too small to be shared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_THREADS", "1")
        yield


@pytest.fixture
def world(entities):
    return small_world(entities)
