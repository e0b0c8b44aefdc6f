"""Parameters that sum to one and know their marginals."""

import numpy as np
from hypothesis import given

from assay.model.parameters import normalised, normalised_tables
from tests.support.worlds import enumerated


@given(enumerated())
def test_conditionals_are_the_marginals(world):
    for found, expected in zip(world.parameters().conditionals, world.conditionals, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_many_tables_at_once_are_each_by_itself_to_the_last_bit():
    rng = np.random.default_rng(0)
    for outcomes in (1, 2, 5, 30):
        tables = [rng.random((size, outcomes)) for size in rng.integers(1, 40, 60)]
        for one, table in zip(normalised_tables(tables), tables, strict=True):
            np.testing.assert_array_equal(one, normalised(table))
    assert normalised_tables([]) == ()
