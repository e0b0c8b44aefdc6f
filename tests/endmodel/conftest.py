"""What the tests of end models share: a small world of texts, sparse features, and one thread a test."""

import numpy as np
import pytest
from scipy.sparse import random as random_matrix

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


@pytest.fixture
def matrix():
    return random_matrix(40, 30, density=0.2, random_state=0, dtype=np.float32).tocsr()
