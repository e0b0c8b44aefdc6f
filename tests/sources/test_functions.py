from __future__ import annotations

import pytest

import assay
from assay import SourceError


def test_a_source_is_still_a_function():
    @assay.source(task="entity", resources={"titles": ("Dr.", "Mr.")})
    def honorific(row, titles):
        return "Person" if row.startswith(titles) else None

    assert honorific("Dr. No") == "Person"
    assert honorific("No") is None
    assert (honorific.name, honorific.task, honorific.declared) == ("honorific", "entity", None)
    assert honorific.named("other").name == "other"
    assert honorific.name == "honorific"


def test_bare_decorator_names_and_several_tasks():
    @assay.source
    def plain(row):
        return None

    @assay.source(task=["entity", "person"], name="both", labels=["Person"])
    def several(row):
        return None

    class Callable:
        def __call__(self, row):
            return None

    assert plain.name == "plain"
    assert (several.name, several.task, several.declared) == ("both", ("entity", "person"), ("Person",))
    assert assay.source(Callable()).name == "Callable"


def test_only_functions_are_decorated():
    with pytest.raises(SourceError, match="decorates a function of a row, but got 'entity'"):
        assay.source("entity")
