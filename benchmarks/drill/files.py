"""The files that Assay writes: how each is made, damaged, read, and what reading it should give."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tomlkit

import assay
from assay._core.atomic_files import write_json
from assay.simulate import flat_world, task_world
from benchmarks.drill.damage import NESTED, Rng, array_damaged, json_damaged, npz_damaged

Damage = Callable[[bytes, Rng], bytes]


@dataclass(frozen=True)
class Kind:
    """One kind of file."""

    name: str
    raw: bytes
    """What an undamaged one holds."""
    read: Callable[[Path], Any]
    """Reads a file and uses all of it; what it returns can be compared, and has no NaN."""
    suffix: str
    crafted: tuple[Damage, ...] = ()
    """Damages that leave the file well-formed; what is then read may differ, but must make sense."""
    keeps: bool = True
    """Whether a changed byte may not go unnoticed; it may in a file that people edit."""


def kinds(folder: Path, *, end_models: bool = True) -> Iterator[Kind]:
    """Every kind of file, each made once."""
    tasks = assay.TaskGraph([assay.Task("a", ["x", "y"]), assay.Task("b", ["p", "q"], parent=("a", "x"))])
    drawn = task_world(tasks, ["a", "a", "b", "a", "b", "a", ("a", "b")], seed=1).draw(300)
    votes, flat = drawn.votes, flat_world(sources=5, seed=2).draw(200)
    known = np.where(np.arange(200) < 60, flat.gold, -1)

    def of(name: str, write: Callable[[Path], Any], read: Callable[[Path], Any], suffix: str, **more: Any) -> Kind:
        path = folder / f"whole{suffix}"
        write(path)
        return Kind(name, path.read_bytes(), read, suffix, **more)

    columns = (_of_parquet,)
    yield of("votes", votes.to_parquet, _votes, ".parquet", crafted=columns)
    few = assay.Votes.from_long(
        {"item": np.arange(120) // 3, "who": np.arange(120) * 7 % 61, "what": np.arange(120) % 2}, **_LONG
    )
    yield of("votes as lists", few.to_parquet, _votes, ".parquet", crafted=columns)
    model = assay.LabelModel(dependencies=[(0, 1)]).fit(flat.votes, known)
    yield of("labels", model.label(flat.votes).to_parquet, _labels, ".parquet", crafted=columns)
    yield of("model", model.save, _model(flat.votes), ".npz", crafted=(npz_damaged,))
    growing = assay.LabelModel(allow_unidentifiable=True).partial_fit(votes)
    yield of("model that grows", growing.save, _growing(votes), ".npz", crafted=(npz_damaged,))
    yield of("counts", assay.count(votes, progress=False).save, _counts, ".npz", crafted=(npz_damaged,))
    rows = [{"text": f"row {row}", "n": row, "said": {"a": [row]}} for row in range(40)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    plain = {"keeps": False}
    yield of("data, JSONL", lambda path: path.write_text(lines), _data, ".jsonl", **plain, crafted=(_jsonl,))
    table = "text,n\n" + "".join(f'"row, {row}",{row}\n' for row in range(40))
    yield of("data, CSV", lambda path: path.write_text(table), _data, ".csv", **plain)
    arrow = pa.table({"text": [f"row {row}" for row in range(40)], "n": list(range(40))})
    yield of("data, Parquet", lambda path: pq.write_table(arrow, path), _data, ".parquet", **plain)
    said = [assay.HandAnswer(item, "ann", {"a": "x"}) for item in range(20)]
    yield of("hand labels", lambda path: _hand(path, said), _hand_labels, ".jsonl", **plain, crafted=(_jsonl,))
    yield of("assay.toml", lambda path: path.write_text(_PROJECT), _project, ".toml", **plain, crafted=(_toml,))
    yield of("sources.toml", lambda path: path.write_text(_SOURCES), _declared, ".toml", **plain, crafted=(_toml,))
    made = {"votes": {"file": "0" * 64, "data": {"path": "a.csv", "bytes": 3}, "sources": {"dr": "1" * 64, "x": None}}}
    yield of("made_from.json", lambda path: write_json(path, made), _made_from, ".json", crafted=(_json,))
    if end_models:
        end = assay.EndModel(flat.votes.tasks, epochs=2).fit(
            [f"text number {row}" for row in range(200)], model.label(flat.votes), progress=False
        )
        yield of("end model", end.save, _end_model, ".safetensors", crafted=(_of_safetensors,))


_PROJECT = """
[data]
path = "a.csv"
id = "id"
show = ["text"]

[[tasks]]
name = "entity"
labels = ["Person", "Organization"]

[[tasks]]
name = "person"
labels = ["Doctor", "Lawyer"]
parent = ["entity", "Person"]

[[constraints]]
excludes = [["entity", "Organization"], ["person", "Doctor"]]

[settings]
workers = 2
on_error = "abstain"

[model]
dependencies = [["dr", "court"]]
class_balance = { Doctor = [0.2, 0.6] }

[prompts]
model = "m"
prices.m = { input = 1.0, output = 2.0 }
"""
_SOURCES = """
[[source]]
name = "dr"
keywords = ["Dr.", "clinic"]
label = "Doctor"
on = "text"

[[source]]
name = "court"
regex = { Lawyer = '\\bcourt\\b', Doctor = 'ward' }
on = "text"

[[source]]
name = "old"
threshold = "age"
above = 70
label = { none_of = ["Lawyer"] }

[[source]]
name = "said"
column = "said"
mapping = { dr = "Doctor", 1 = { one_of = ["Doctor", "Lawyer"] }, "?" = false }
"""
_LONG = {"item": "item", "source": "who", "label": "what"}


def _votes(path: Path) -> Any:
    found = assay.Votes.from_parquet(path)
    streamed = assay.count(path, progress=False)
    return found.to_pandas().to_json(), streamed.single.tolist()


def _labels(path: Path) -> Any:
    found = assay.Labels.from_parquet(path)
    _sane(found.joint)
    gold = None if found.gold is None else [part.tolist() for part in (found.gold.rows, *found.gold.held_out)]
    return found.to_pandas().to_json(), found.tasks.to_dict(), gold, found.balance().to_json()


def _model(votes: assay.Votes) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        model = assay.LabelModel.load(path)
        labels = model.label(votes, progress=False)
        _sane(labels.joint)
        _sane_sources(model)
        return labels.to_pandas().to_json(), model.sources_.to_json(), model.notes_, model.advice_, repr(model)

    return read


def _growing(votes: assay.Votes) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        model = assay.LabelModel.load(path)
        before = model.label(votes, progress=False).to_pandas().to_json()
        model.set_params(max_steps=3)
        after = model.partial_fit(votes, progress=False).label(votes, progress=False)
        _sane(after.joint)
        _sane_sources(model)
        return before, after.to_pandas().to_json()

    return read


def _counts(path: Path) -> Any:
    tally = assay.Tally.load(path)
    twice = tally + tally
    model = assay.LabelModel(allow_unidentifiable=True, max_steps=3).fit(twice, progress=False)
    _sane_sources(model)
    return tally.single.tolist(), model.sources_.to_json()


def _data(path: Path) -> Any:
    @assay.source(labels=["x"])
    def long(row: Any) -> str | None:
        return "x" if len(str(row.text)) > 6 else None

    found = assay.apply([long], path, assay.TaskGraph.flat("a", ["x", "y"]), progress=False)
    return found.codes.tolist()


def _hand(path: Path, said: list[Any]) -> None:
    from assay.gold import write_answers

    write_answers(path, said)


def _hand_labels(path: Path) -> Any:
    return repr(assay.HandLabels.read(path).said)


def _project(path: Path) -> Any:
    from assay.project import Project

    home = path.with_name("project")
    home.mkdir(exist_ok=True)
    (home / "assay.toml").write_bytes(path.read_bytes())
    return repr(Project.load(home))


def _declared(path: Path) -> Any:
    from assay.project import read_sources

    tasks = assay.TaskGraph.flat("person", ["Doctor", "Lawyer", "Nurse"])
    rows = [{"text": "Dr. Lee in court", "age": 71, "said": "dr"}, {"text": None, "age": None, "said": "?"}]
    found = read_sources(path, tasks)
    return assay.apply(found, rows, tasks, progress=False).to_pandas().to_json() if found else None


def _made_from(path: Path) -> Any:
    """What is told of votes whose record it is, and of sources that are not those."""
    from assay.project import Project
    from assay.project.provenance import RECORD_FILE, check_data, source_changes, stale

    home = path.with_name("project")
    (home / "out").mkdir(parents=True, exist_ok=True)
    (home / "assay.toml").write_text(_PROJECT)
    (home / "a.csv").write_text("id,text\n1,a\n")
    votes = home / "out" / "votes.parquet"
    votes.write_bytes(b"x")
    (home / "out" / RECORD_FILE).write_bytes(path.read_bytes())
    project = Project.load(home)
    sources = [assay.keywords(["Dr."], "Doctor", on="text", name="dr")]
    check_data(project, votes)
    return str(source_changes(project, sources, ("dr",))), list(stale(project.output, "votes", votes))


def _end_model(path: Path) -> Any:
    found = assay.EndModel.load(path).predict_proba([f"text number {row}" for row in range(20)])
    _sane((found,))
    return found.tolist()


def _sane(parts: Any) -> None:
    for part in parts:
        if not (np.isfinite(part).all() and np.allclose(part.sum(axis=1), 1, atol=1e-4) and (part >= -1e-6).all()):
            raise FloatingPointError("probabilities that are none")


def _sane_sources(model: assay.LabelModel) -> None:
    table = model.sources_[["low", "high", "coverage"]].to_numpy(dtype=float)
    if not (np.isfinite(table).all() and (table >= 0).all() and (table <= 1).all()):
        raise FloatingPointError("accuracies that are none")


def _of_parquet(raw: bytes, rng: Rng) -> bytes:
    """A well-formed Parquet file with one column, or one word of what Assay says in it, that is wrong."""
    table = pq.read_table(pa.BufferReader(raw))
    metadata = dict(table.schema.metadata or {})
    ours = next(key for key in metadata if key.startswith(b"assay."))
    kind = rng.random()
    if kind < 0.05:
        metadata[ours] = b"[" * NESTED
    elif kind < 0.5:
        metadata[ours] = json.dumps(json_damaged(json.loads(metadata[ours]), rng)).encode()
    else:
        at = int(rng.integers(table.num_columns))
        name, column = table.column_names[at], table.column(at)
        if rng.random() < 0.15:
            table = table.drop_columns([name])
        elif pa.types.is_floating(column.type):
            values = array_damaged(column.to_numpy(), rng)
            if values.shape != (len(table),):
                values = np.resize(values, len(table)) if values.size else np.zeros(len(table))
            table = table.set_column(at, name, pa.array(values.astype(values.dtype.newbyteorder("="))))
        else:
            others = [pa.nulls(len(table)), pa.array(["?"] * len(table)), pa.array([7.5] * len(table))]
            table = table.set_column(at, name, others[int(rng.integers(len(others)))])
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(metadata), sink)
    return bytes(sink.getvalue())


def _jsonl(raw: bytes, rng: Rng) -> bytes:
    """A file of JSON lines in which one line is wrong."""
    lines = raw.decode().splitlines()
    at = int(rng.integers(len(lines)))
    deep = rng.random() < 0.05
    lines[at] = "[" * NESTED if deep else json.dumps(json_damaged(json.loads(lines[at]), rng))
    return "\n".join(lines).encode()


def _json(raw: bytes, rng: Rng) -> bytes:
    """A JSON file without digest, in which one place is wrong."""
    said = {key: value for key, value in json.loads(raw).items() if key != "digest"}
    return b"[" * NESTED if rng.random() < 0.05 else json.dumps(json_damaged(said, rng)).encode()


def _toml(raw: bytes, rng: Rng) -> bytes:
    """A TOML file in which one place is wrong."""
    if rng.random() < 0.05:
        return raw.replace(b"= [", b"= " + b"[" * NESTED, 1)
    return tomlkit.dumps(_without_null(json_damaged(tomllib.loads(raw.decode()), rng))).encode()


def _without_null(said: Any) -> Any:
    """The same without what TOML lacks."""
    if isinstance(said, dict):
        return {key: _without_null(value) for key, value in said.items() if value is not None}
    return [_without_null(value) for value in said if value is not None] if isinstance(said, list) else said


def _of_safetensors(raw: bytes, rng: Rng) -> bytes:
    """A well-formed safetensors file without digest, with one tensor or one word of its JSON that is wrong."""
    import safetensors.numpy

    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    metadata = header["__metadata__"]
    metadata.pop("assay.digest", None)
    tensors = safetensors.numpy.load(raw)
    if rng.random() < 0.05:
        metadata["assay"] = "[" * NESTED
    elif rng.random() < 0.5:
        metadata["assay"] = json.dumps(json_damaged(json.loads(metadata["assay"]), rng))
    else:
        name = sorted(tensors)[int(rng.integers(len(tensors)))]
        changed = array_damaged(tensors[name], rng)
        if changed.dtype.kind == "U" or changed.dtype.byteorder == ">":
            del tensors[name]
        else:
            tensors[name] = np.ascontiguousarray(changed)
    return bytes(safetensors.numpy.save(tensors, metadata))
