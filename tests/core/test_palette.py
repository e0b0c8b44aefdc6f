"""Two palettes, one set of names."""

from assay._core.palette import DARK, LIGHT, PAGE, variables


def test_both_palettes_name_the_same_variables():
    assert list(variables(LIGHT)) == list(variables(DARK))
    assert {f"var({name})" for name in variables(LIGHT)} == set(variables(PAGE).values())
