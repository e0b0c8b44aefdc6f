from __future__ import annotations

import asyncio
import time

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


class TestAsync:
    def test_votes_as_a_plain_function_would(self):
        @assay.source(task="mail", concurrency=5)
        async def waits(row):
            await asyncio.sleep(0.001 * (row.id % 3))
            if row.id == 7:
                raise ValueError("no 7")
            return "spam" if row.id % 2 else None

        def plain(row):
            if row.id == 7:
                raise ValueError("no 7")
            return "spam" if row.id % 2 else None

        tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
        rows = [{"id": number} for number in range(20)]
        plain_source = assay.source(task="mail", name="waits")(plain)
        for workers in (1, "auto"):
            found = assay.apply(waits, rows, tasks, on_error="abstain", batch_size=6, workers=workers)
            expected = assay.apply(plain_source, rows, tasks, on_error="abstain")
            assert found == expected
            assert found.faults == expected.faults
        with pytest.raises(assay.SourceError, match="source 'waits' failed on row 7: ValueError: no 7"):
            assay.apply(waits, rows, tasks)

    def test_rows_are_asked_about_together(self):
        @assay.source(task="mail")
        async def waits(row):
            await asyncio.sleep(0.05)
            return "spam"

        tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
        began = time.perf_counter()
        assay.apply(waits, [{"id": number} for number in range(64)], tasks)
        assert time.perf_counter() - began < 1.5  # one after the other it would be 3.2 s
