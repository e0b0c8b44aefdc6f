"""Parameters that sum to one and know their marginals."""

import numpy as np
from hypothesis import given

from tests.support.worlds import enumerated


@given(enumerated())
def test_conditionals_are_the_marginals(world):
    for found, expected in zip(world.parameters().conditionals, world.conditionals, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)
