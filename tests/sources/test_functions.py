from __future__ import annotations

import pytest

import assay
from assay import SourceError
from assay._core.rows import Batch
from assay.sources.preprocessing import memoised


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


def test_preprocessing_is_remembered_within_a_batch_only():
    seen = []

    @assay.preprocess
    def words(row):
        """Split it."""
        seen.append(row)
        return row.split()

    assert words("a b") == words("a b") == ["a", "b"]
    assert len(seen) == 2
    batch = Batch(objects=["a b", "c"])
    for _ in range(3):
        with memoised(batch):
            assert [words(row) for row in batch.rows] == [["a", "b"], ["c"]]
    assert len(seen) == 4
    with memoised(Batch(objects=batch.rows)):
        words(batch.rows[0])
    assert len(seen) == 5
    assert (words.__name__, words.__doc__) == ("words", "Split it.")


def test_only_functions_are_decorated():
    with pytest.raises(SourceError, match="decorates a function of a row, but got 'entity'"):
        assay.source("entity")
