from __future__ import annotations

import threading
import warnings
from collections import Counter
from dataclasses import make_dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import AssayError, DataError, SourceError, TaskError, Votes
from assay._core.rows import batches
from assay.engine import Local
from assay.sources.applying import _Steps
from assay.sources.batch_job import Job, Said
from assay.votes.votes import Fault

TASKS = assay.TaskGraph(
    [
        assay.Task("entity", ["Person", "Organization"]),
        assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
        assay.Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        assay.Task("tone", ["good", "bad"]),
    ]
)
ROWS = [
    {"id": 1, "text": "Dr. Ann", "score": 0.9, "llm": "Person", "sure": 0.7},
    {"id": 2, "text": "Mayo Clinic", "score": -1.0, "llm": "Organization", "sure": 0.9},
    {"id": 3, "text": None, "score": None, "llm": None, "sure": None},
    {"id": 4, "text": "law office", "score": 0.1, "llm": "Organization", "sure": 0.2},
    {"id": 5, "text": "Mr. Bob, lawyer", "score": 0.5, "llm": "Person", "sure": None},
    {"id": 6, "text": "clinic of Dr. Cy", "score": -0.5, "llm": "Person", "sure": 1.0},
    {"id": 7, "text": "no one", "score": 0.0, "llm": None, "sure": 0.8},
]


def some_sources() -> list:
    """A source of every kind, in the order of no task in particular."""

    @assay.preprocess
    def words(row):
        return (row.text or "").lower().split()

    @assay.source(task="entity")
    def honorific(row):
        return "Person" if row.text and row.text.startswith(("Dr.", "Mr.")) else None

    @assay.source
    def whole_vector(row):
        if "clinic" in words(row):
            return {"entity": "Organization", "org": "Hospital", "person": None}
        return ("tone", "good") if len(words(row)) == 2 else None

    @assay.source(task=["entity", "tone"], resources={"limit": 0.4})
    def scored(row, limit):
        return None if row["score"] is None else "good" if row["score"] > limit else {"tone": "bad"}

    crowd = {
        "item": [1, 2, 2, 7],
        "worker": ["ann", "ann", "bob", "bob"],
        "label": ["Doctor", "Office", "Hospital", "bad"],
    }
    return [
        whole_vector,
        honorific,
        scored,
        assay.keywords({"Doctor": ["dr."], "Lawyer": ["lawyer", "law"]}, on="text"),
        assay.regex(r"[Cc]linic", "Hospital", on="text"),
        assay.dictionary({"mayo clinic": "Hospital", "law office": "Office"}, on="text"),
        assay.threshold("score", "good", above=0, otherwise="bad"),
        assay.column("llm", task="entity", confidence="sure", at_least=0.5),
        assay.crowd(crowd, key="id"),
    ]


@pytest.fixture(scope="module")
def expected() -> Votes:
    return assay.apply(some_sources(), pl.DataFrame(ROWS), TASKS)


def objects() -> list:
    kind = make_dataclass("Item", list(ROWS[0]))
    kind.__getitem__ = lambda self, name: getattr(self, name)
    return [kind(**row) for row in ROWS]


def file(folder, name, write):
    write(folder / name)
    return folder / name


def huggingface():
    datasets = pytest.importorskip("datasets")
    return datasets.Dataset.from_list(ROWS)


def duckdb_relation():
    duckdb = pytest.importorskip("duckdb")
    table = pl.DataFrame(ROWS).to_arrow()
    return duckdb.connect().from_arrow(table)


FRAME = pl.DataFrame(ROWS)
KINDS = {
    "pandas": lambda _: pd.DataFrame(ROWS),
    "pandas with Arrow types": lambda _: pd.DataFrame(ROWS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas with objects": lambda _: pd.DataFrame(ROWS).assign(tags=[{row["id"], "x"} for row in ROWS]),
    "polars": lambda _: FRAME,
    "polars in pieces": lambda _: pl.concat([FRAME[:3], FRAME[3:]], rechunk=False),
    "polars lazy": lambda _: FRAME.lazy(),
    "arrow": lambda _: FRAME.to_arrow(),
    "arrow in pieces": lambda _: pl.concat([FRAME[:3], FRAME[3:]], rechunk=False).to_arrow(),
    "arrow stream": lambda _: FRAME.to_arrow().to_reader(max_chunksize=2),
    "duckdb": lambda _: duckdb_relation(),
    "huggingface": lambda _: huggingface(),
    "huggingface in another format": lambda _: huggingface().with_format("numpy"),
    "huggingface selected": lambda _: huggingface().select([6, *range(6)]).select([*range(1, 7), 0]),
    "huggingface stream": lambda _: huggingface().to_iterable_dataset(),
    "dict of columns": lambda _: FRAME.to_dict(as_series=False),
    "dicts": lambda _: ROWS,
    "tuple of dicts": lambda _: tuple(ROWS),
    "generator": lambda _: (row for row in ROWS),
    "objects": lambda _: objects(),
    "csv": lambda folder: file(folder, "rows.csv", FRAME.write_csv),
    "parquet": lambda folder: file(folder, "rows.parquet", lambda path: FRAME.write_parquet(path, row_group_size=3)),
    "jsonl": lambda folder: file(folder, "rows.jsonl", FRAME.write_ndjson),
    "jsonl as text": lambda folder: str(file(folder, "rows.ndjson", FRAME.write_ndjson)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data_gives_the_same_votes(kind, tmp_path, expected):
    for batch_size in (100, 2):
        assert assay.apply(some_sources(), KINDS[kind](tmp_path), TASKS, batch_size=batch_size) == expected
    named = assay.apply(some_sources(), KINDS[kind](tmp_path), TASKS, id="id", batch_size=3)
    assert named == replace(expected, items=np.array([row["id"] for row in ROWS]))


def test_a_shuffled_dataset_gives_shuffled_votes(expected):
    shuffled = huggingface().shuffle(seed=1)
    order = [number - 1 for number in shuffled["id"]]
    assert order != sorted(order)
    assert assay.apply(some_sources(), shuffled, TASKS, batch_size=3) == expected.take(order)


def test_rules_take_nan_among_texts_as_missing(expected):
    rules = [source for source in some_sources() if not hasattr(source, "function")]
    votes = assay.apply(rules, pd.DataFrame(ROWS).to_dict("records"), TASKS)
    assert votes == expected.select(votes.names)


def test_the_votes_themselves(expected):
    assert expected.names[:3] == ("whole_vector", "honorific", "scored")
    frame = expected.to_pandas()
    hospital = "entity=Organization, person=N/A, org=Hospital"
    assert frame["whole_vector"].tolist() == ["tone=good", hospital, None, "tone=good", None, hospital, "tone=good"]
    assert frame["honorific"].tolist() == ["Person", None, None, None, "Person", None, None]
    assert frame["scored"].tolist() == ["good", "bad", None, "bad", "good", "bad", "bad"]
    assert frame["column(llm)"].tolist() == ["Person", "Organization", None, None, None, "Person", None]
    assert frame["ann"].tolist()[:3] == ["person=Doctor", "org=Office", None]


@given(st.permutations(range(len(ROWS))), st.integers(1, 8))
def test_rows_are_labelled_each_for_itself(order, batch_size):
    rows = [ROWS[i] for i in order]
    permuted = assay.apply(some_sources(), rows, TASKS, batch_size=batch_size)
    assert permuted == assay.apply(some_sources(), ROWS, TASKS).take(order)


@given(
    st.lists(st.none() | st.sampled_from(["A", "B", ("letter", "C"), {"letter": "A"}]), max_size=10), st.integers(1, 11)
)
def test_values_are_learned_from_what_is_emitted(said, batch_size):
    letters = assay.TaskGraph.flat("letter", ["A", "B", "C"])

    @assay.source
    def echo(row):
        return row.said

    votes = assay.apply(echo, [{"said": value} for value in said], letters, batch_size=batch_size)
    assert votes == Votes.from_columns(letters, {"echo": said})


def test_declared_values_are_in_the_table_whether_they_occur_or_not(letters):
    silent = [
        assay.source(task="letter")(lambda row: None).named("task"),
        assay.source(labels=["C", "B"])(lambda row: None).named("labels"),
        assay.source(lambda row: None).named("learned"),
    ]
    votes = assay.apply(silent, [1], letters)
    assert [[str(vote) for vote in table] for table in votes.values] == [["A", "B", "C"], ["B", "C"], []]


def test_several_processes_give_the_same_votes(expected):
    prefix = "Dr."

    def local(row):
        return "Person" if (row.text or "").startswith(prefix) else None

    sources = [*some_sources(), assay.source(local), assay.source(lambda row: ("tone", "good"))]
    for data in (FRAME, (row for row in ROWS), objects()):
        votes = assay.apply(sources, data, TASKS, workers=2, batch_size=2)
        assert votes.select(expected.names) == expected
        assert votes.names[-2:] == ("local", "<lambda>")
        assert votes.to_pandas()["local"].tolist() == ["Person", *[None] * 6]


def fails_on(*rows, task="tone"):
    @assay.source(task=task, name="fragile")
    def fragile(row):
        if row.id in rows:
            raise ValueError(f"no {row.id}")
        return "good"

    return fragile


def test_faults_are_counted_and_abstained_from():
    sources = [fails_on(3, 6, 7), assay.source(lambda row: "sad" if row.id > 4 else "bad").named("unknown")]
    seen = []
    for batch_size, workers in [(1, 1), (2, 1), (3, 2), (100, 1)]:
        votes = assay.apply(
            sources, ROWS, TASKS, on_error="abstain", batch_size=batch_size, workers=workers, progress=False
        )
        assert votes.codes.tolist() == [[0, 0], [0, 0], [-1, 0], [0, 0], [0, -1], [-1, -1], [-1, -1]]
        seen.append(votes.faults)
    assert set(seen) == {
        (
            Fault("fragile", 3, 2, "ValueError: no 3"),
            Fault("unknown", 3, 4, "no task has the label 'sad'. Did you mean 'bad'?"),
        )
    }
    assert assay.apply(some_sources(), ROWS, TASKS, on_error="abstain").faults == ()


def test_who_failed_is_said_at_the_end():
    broken = assay.source(lambda row: row.txt).named("broken")
    with pytest.warns(assay.FaultWarning, match=r"'broken' on all 7 of 7 rows, first on row 0: .*; 'fragile' on 1"):
        assay.apply([fails_on(3), broken], ROWS, TASKS, on_error="abstain")
    with warnings.catch_warnings(record=True) as none:
        assay.apply(some_sources(), ROWS, TASKS, on_error="abstain")
    assert not none


@pytest.mark.parametrize("batch_size", [1, 2, 100])
@pytest.mark.parametrize("by", ["index", "column"])
def test_a_failure_names_the_item_too(by, batch_size):
    table = pd.DataFrame({"id": range(1, 8), "name": list("abcdefg")})
    given = {"data": table.set_index("name")} if by == "index" else {"data": table, "id": "name"}
    with pytest.raises(SourceError, match=r"failed on row 4 \(item 'e'\): ValueError: no 5"):
        assay.apply([fails_on(5, 7)], tasks=TASKS, batch_size=batch_size, **given)


def test_labels_in_place_of_a_task_graph_are_refused():
    with pytest.raises(assay.TaskError, match=r"tasks must be a TaskGraph, but got \['a', 'b'\].*TaskGraph\.flat"):
        assay.apply(some_sources(), ROWS, ["a", "b"])


@pytest.mark.parametrize(("batch_size", "workers"), [(1, 1), (3, 1), (100, 1), (2, 2)])
def test_a_failure_stops_and_names_source_row_and_cause(batch_size, workers):
    with pytest.raises(SourceError, match="source 'fragile' failed on row 4: ValueError: no 5") as caught:
        assay.apply([*some_sources(), fails_on(5, 7)], ROWS, TASKS, batch_size=batch_size, workers=workers)
    if workers == 1:
        assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        ("Docter", "no task has the label 'Docter'. Did you mean 'Doctor'"),
        ({"person": "Docter"}, "task 'person' has no label 'Docter'. Did you mean 'Doctor'"),
        (("persn", "Doctor"), "no task 'persn'. Did you mean 'person'"),
        ({"entity": "Person", "org": "Office"}, "no feasible outcome has entity=Person, org=Office"),
        (-1, r"got -1 \(int\); return None to abstain"),
        (True, r"got True \(bool\)"),
        (["Doctor"], r"\['Doctor'\]"),
        ({"Doctor"}, "{'Doctor'}"),
        ({"person": ["Doctor"]}, r"for task 'person', but got \['Doctor'\] \(list\); assay.one_of"),
        ({}, "return None to abstain"),
        (np.array(["Doctor"]), "Doctor"),
    ],
)
def test_a_vote_outside_the_label_space_names_source_row_and_value(answer, advice):
    @assay.source
    def odd(row):
        return answer if row.id in (3, 5) else None

    for batch_size in (2, 100):
        with pytest.raises(SourceError, match=f"source 'odd' failed on row 2: .*{advice}"):
            assay.apply(odd, ROWS, TASKS, batch_size=batch_size)
        (fault,) = assay.apply(odd, ROWS, TASKS, batch_size=batch_size, on_error="abstain").faults
        assert (fault.source, fault.count, fault.row) == ("odd", 2, 2)


def test_a_source_keeps_to_its_tasks_and_labels():
    astray = assay.source(task="tone", name="astray")(lambda row: ("entity", "Person"))
    with pytest.raises(
        SourceError, match="'astray' failed on row 0: a vote on task 'entity', from a source declared for"
    ):
        assay.apply(astray, ROWS, TASKS)
    undeclared = assay.source(labels=["good"], name="undeclared")(lambda row: "bad")
    with pytest.raises(
        SourceError, match="'undeclared' failed on row 0: it is declared to emit 'good', but it voted 'bad'"
    ):
        assay.apply(undeclared, ROWS, TASKS)


@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_preprocessing_runs_once_a_row_however_many_sources_ask(batch_size):
    calls = Counter()

    @assay.preprocess
    def words(row):
        calls[row.id] += 1
        return row.text or ""

    sources = [assay.source(lambda row: "good" if "a" in words(row) else None).named(f"s{i}") for i in range(3)]
    sources += [assay.keywords("dr", "good", on=words), assay.regex("x", "good", on=words)]
    assay.apply(sources, ROWS, TASKS, batch_size=batch_size)
    assert calls == {row["id"]: 1 for row in ROWS}


def test_missing_columns_name_source_and_near_miss():
    with pytest.raises(DataError, match=r"source 'keywords\(a\)': the data has no column 'texte'. Did you mean 'text'"):
        assay.apply(assay.keywords("a", "good", on="texte"), FRAME, TASKS)
    with pytest.raises(DataError, match=r"row 0 has no attribute 'texte'. Did you mean 'text'"):
        assay.apply(assay.keywords("a", "good", on="texte"), objects(), TASKS)
    typo = assay.source(lambda row: row.texte).named("typo")
    with pytest.raises(
        SourceError, match=r"source 'typo' failed on row 0: AttributeError: no column 'texte'. Did you mean"
    ):
        assay.apply(typo, FRAME, TASKS)
    typo = assay.source(lambda row: row["texte"]).named("typo")
    with pytest.raises(SourceError, match=r"source 'typo' failed on row 0: KeyError: .*Did you mean 'text'"):
        assay.apply(typo, FRAME, TASKS)


EMPTY = {
    "list": lambda _: [],
    "generator": lambda _: iter(()),
    "polars": lambda _: FRAME[:0],
    "lazy": lambda _: FRAME[:0].lazy(),
    "pandas": lambda _: pd.DataFrame(ROWS)[:0],
    "arrow": lambda _: FRAME[:0].to_arrow(),
    "empty file": lambda folder: file(folder, "rows.jsonl", lambda path: path.write_text("")),
    "header": lambda folder: file(folder, "rows.csv", FRAME[:0].write_csv),
    "parquet": lambda folder: file(folder, "rows.parquet", FRAME[:0].write_parquet),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_no_data_no_votes(kind, tmp_path):
    votes = assay.apply(some_sources(), EMPTY[kind](tmp_path), TASKS)
    assert votes.shape == (0, 10)
    assert votes.codes.dtype == np.int8


def test_many_values_widen_the_codes():
    tasks = assay.TaskGraph.flat("number", [str(i) for i in range(300)])
    votes = assay.apply(assay.source(lambda row: str(row)), reversed(range(300)), tasks, batch_size=100)
    assert votes.codes.dtype == np.int16
    assert votes.codes[:, 0].tolist() == list(reversed(range(300)))


def test_the_task_graph_declared_last_is_the_default():
    assay.TaskGraph([assay.Task("tone", ["good", "bad"])])
    assert assay.apply(assay.source(lambda row: "bad"), ROWS).tasks.names == ("tone",)


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"on_error": "ignore"}, "on_error must be 'raise' or 'abstain', but got 'ignore'"),
        ({"workers": 0}, "workers must be a positive integer, but is 0"),
        ({"batch_size": 2.5}, "batch_size must be a positive integer, but is 2.5"),
        ({"data": 5}, "cannot read rows from int"),
        ({"data": b"text"}, "cannot read rows from bytes"),
        ({"data": pd.Series(["a"])}, "a single series.*to_frame"),
        ({"data": pl.Series(["a"])}, "a single series.*to_frame"),
        ({"data": "rows.xlsx"}, "cannot read rows.xlsx: expected a file that ends in .parquet, .csv, .jsonl"),
        ({"data": "rows.csv"}, "there is no file rows.csv"),
        ({"data": {"a": [1], "b": [1, 2]}}, "different lengths"),
        ({"sources": assay.keywords("a", "god", on="text")}, r"source 'keywords\(a\)': .*Did you mean 'good'"),
        (
            {"sources": assay.column("llm", task="toen")},
            "labels task 'toen', which does not exist. Did you mean 'tone'",
        ),
        ({"sources": assay.source(labels=["god"])(len)}, "source 'len': .*Did you mean 'good'"),
        ({"sources": len}, "decorate functions with @assay.source"),
    ],
)
def test_bad_arguments_are_refused_with_advice(arguments, advice):
    given_all = {"sources": assay.source(lambda row: None), "data": ROWS, "tasks": TASKS, **arguments}
    with pytest.raises(AssayError, match=advice):
        assay.apply(**given_all)


def test_without_a_task_graph_there_is_advice(monkeypatch):
    monkeypatch.setattr("assay.TaskGraph._declared_last", None)
    with pytest.raises(TaskError, match=r"no task graph: declare assay.TaskGraph"):
        assay.apply(assay.source(lambda row: None), ROWS)


def test_what_cannot_travel_to_a_process_says_so():
    locked = assay.source(resources={"lock": threading.Lock()}, name="locked")(lambda row, lock: None)
    with pytest.raises(assay.AssayError, match=r"cannot be sent to other processes: .*leave out the engine or"):
        assay.apply(locked, ROWS, TASKS, workers=2)
    assert assay.apply(locked, ROWS, TASKS).shape == (7, 1)


def test_a_column_that_a_rule_needs_is_missed_even_without_rows(tmp_path):
    (tmp_path / "rows.csv").write_text("texte,n\n")
    with pytest.raises(DataError, match="no column 'text'"):
        assay.apply(assay.keywords("a", "good", on="text"), tmp_path / "rows.csv", TASKS)


class TestMemory:
    """Rows are read as they are needed, whoever has something left to say."""

    @staticmethod
    def rows_read(sources, kept=None):
        """How many rows of one batch each were read when the first, the second, … came back."""
        read = []

        def rows():
            for number in range(40):
                read.append(number)
                yield {"id": number, "text": "x"}

        steps = _Steps(Job(sources, TASKS.label_space, {}), Local(), kept, "raise")
        told = [len(read) for _ in steps.parts(batches(rows(), 1))]
        assert len(told) == 40
        return told

    def test_where_nobody_is_asked(self):
        """As in a project of prompts alone, which are asked about what comes out here."""
        assert all(read <= number + 2 for number, read in enumerate(self.rows_read([]), 1))

    def test_where_all_is_known_but_some(self):
        sources = [assay.source(lambda row: None).named("silent")]

        class Known:
            """Knows everything about all rows but the twentieth."""

            def found(self, name, start, length, digest, space):
                return None if start == 20 else Said(np.zeros(length, dtype=np.int8), [])

            def note(self, *args, **kwargs):
                pass

            def add(self, *args):
                pass

        assert all(read <= number + 12 for number, read in enumerate(self.rows_read(sources, Known()), 1))
