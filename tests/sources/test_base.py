"""What counts as sources, one or many."""

from __future__ import annotations

import pytest

import assay
from assay import SourceError
from assay.sources.base import flatten


def test_flattening_keeps_order_and_wants_unique_names():
    rules = [assay.threshold("x", "A", above=number) for number in range(3)]
    assert flatten([rules[0], [rules[1], (rules[2],)]]) == flatten(rules) == rules
    assert flatten(rules[0]) == rules[:1]
    assert flatten(rule for rule in rules) == rules
    with pytest.raises(SourceError, match=r"two sources are called 'threshold\(x > 0\)'; tell them apart with name="):
        flatten([rules[0], [rules[0]]])


@pytest.mark.parametrize(
    ("sources", "advice"),
    [
        ([], "at least one source"),
        ([[]], "at least one source"),
        (len, "got the function 'len'; decorate functions with @assay.source"),
        ([len], "got the function 'len'"),
        (["keywords"], "expected sources, but got 'keywords'"),
        ("keywords", "expected sources, but got"),
        (None, "expected sources, but got None"),
        ([None], "expected sources, but got None"),
    ],
)
def test_what_is_no_source_is_refused(sources, advice):
    with pytest.raises(SourceError, match=advice):
        flatten(sources)
