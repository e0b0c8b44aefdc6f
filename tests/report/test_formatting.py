"""Numbers and names as people read them."""

from hypothesis import given
from hypothesis import strategies as st

from assay.report.formatting import NAME, cut, distinct


@given(st.text(max_size=60), st.integers(1, 40))
def test_texts_are_cut_where_they_are_too_long_and_only_there(text, most):
    short = cut(text, most)
    assert len(short) <= most
    assert short == text if len(text) <= most else text.startswith(short.removesuffix("…"))


@given(st.lists(st.text("ab", min_size=30, max_size=45), unique=True, max_size=12))
def test_names_stay_different_and_fit(names):
    found = distinct(names)
    assert len(set(found)) == len(names)
    assert all(len(name) <= NAME for name in found)
    assert [short for short, name in zip(found, names, strict=True) if len(name) <= NAME] == [
        name for name in names if len(name) <= NAME
    ]
