"""Votes that the tests of counts share."""

import pytest

from assay import Votes
from assay.simulate import flat_world


@pytest.fixture(scope="module")
def votes() -> Votes:
    return flat_world(sources=6, classes=3, coverage=0.6, seed=4).draw(3_000).votes
