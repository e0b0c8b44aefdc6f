"""The world that the tests here share."""

from __future__ import annotations

import pytest

import assay
from tests.support.refining import SmallWorld, regression


@pytest.fixture(scope="session")
def world() -> SmallWorld:
    return SmallWorld(3)


@pytest.fixture(scope="session")
def refined(world: SmallWorld) -> assay.Labels:
    return assay.refine(world.votes, world.features, world.labels, model=regression())
