"""What a drill of the first version found, line by line, where no other test names it: refused in words, or right.

What is damaged at random is drilled in ``tests/benchmarks/drill``; here every array of every file is, in turn.
"""

import io
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay._core.extras import how_to_install
from assay.project import Project
from assay.simulate import flat_world
from tests.support.project_files import GOOD

DRAWN = flat_world(sources=5, seed=2).draw(200)
KNOWN = np.where(np.arange(200) < 60, DRAWN.gold, -1)
MODEL = assay.LabelModel(dependencies=[(0, 1)]).fit(DRAWN.votes, KNOWN)
GROWING = assay.LabelModel(allow_unidentifiable=True, max_steps=3).partial_fit(DRAWN.votes)
LABELS = MODEL.label(DRAWN.votes)
NESTED = "[" * 100_000


def sane(labels):
    for joint in labels.joint:
        assert np.isfinite(joint).all()
        np.testing.assert_allclose(joint.sum(axis=1), 1, atol=1e-6)


def use_model(path):
    model = assay.LabelModel.load(path)
    sane(model.label(DRAWN.votes))
    figures = model.sources_[["accuracy", "low", "high"]].to_numpy(dtype=float)
    assert ((figures >= 0) & (figures <= 1)).all()


def use_growing(path):
    model = assay.LabelModel.load(path)
    sane(model.partial_fit(DRAWN.votes).label(DRAWN.votes))


def use_counts(path):
    tally = assay.Tally.load(path)
    sane(assay.LabelModel(allow_unidentifiable=True, max_steps=3).fit(tally + tally).label(DRAWN.votes))


FILES = {
    "model": (MODEL.save, use_model),
    "growing model": (GROWING.save, use_growing),
    "counts": (assay.count(DRAWN.votes, progress=False).save, use_counts),
}
"""By kind how a file is written, and how all of it is read and used."""
WORSE = {
    "NaN": lambda array: with_value(array, np.nan),
    "infinite": lambda array: with_value(array, np.inf),
    "negative": lambda array: with_value(array, -5),
    "huge": lambda array: with_value(array, 10**15),
    "longer": lambda array: np.concatenate([array.ravel(), array.ravel()]),
    "shorter": lambda array: array.ravel()[:-1],
    "deeper": lambda array: array[..., None],
    "texts": lambda array: array.astype(str),
}
"""What makes an array impossible, as often as it can."""


def with_value(array, value):
    if array.dtype.kind not in "iuf" or not array.size:
        return None
    changed = array.copy() if np.isfinite(value) else array.astype(np.float64)
    limits = np.iinfo(changed.dtype) if changed.dtype.kind in "iu" else np.finfo(changed.dtype)
    changed.reshape(-1)[-1] = np.clip(value, limits.min, limits.max) if np.isfinite(value) else value
    return changed


@pytest.fixture(params=FILES, scope="module")
def kind(request, tmp_path_factory):
    """The arrays of a file, how it is used, and where to write others."""
    write, use = FILES[request.param]
    path = write(tmp_path_factory.mktemp("file") / "whole.npz")
    use(path)
    with np.load(path) as file:
        return {name: file[name] for name in file.files}, use, path.with_name("changed.npz")


def refused(use, path):
    """What an error says, one that can be read; None if what was read made sense."""
    try:
        use(path)
    except assay.AssayError as error:
        told = str(error)
        return told if len(told) < 2_000 else pytest.fail(f"{len(told):,} characters")
    return None


@pytest.mark.parametrize("worse", WORSE.values(), ids=WORSE)
def test_no_array_of_a_file_can_be_impossible_and_used(kind, worse):
    arrays, use, path = kind
    came = {}
    for name in sorted(set(arrays) - {"said"}):
        changed = worse(arrays[name])
        if changed is not None:
            np.savez(path, **{**arrays, name: changed})
            came[name] = refused(use, path)
    assert any(came.values())


@pytest.mark.parametrize("said", [NESTED, "{}", "[]", "7", "null", json.dumps({"format": 99}), '{"x": ' * 5_000])
def test_no_file_can_say_what_is_not_understood(kind, said):
    arrays, use, path = kind
    np.savez(path, **{**arrays, "said": np.array(said)})
    assert refused(use, path)


LABEL_COLUMNS = {
    "texts": lambda column: pa.array(["?"] * len(column)),
    "nulls": lambda column: pa.nulls(len(column)),
    "7": lambda column: pa.array([7.0] * len(column), column.type),
    "-1": lambda column: pa.array([-1.0] * len(column), column.type),
    "NaN": lambda column: pa.array([float("nan")] * len(column), column.type),
}


@pytest.mark.parametrize("make", LABEL_COLUMNS.values(), ids=LABEL_COLUMNS)
def test_labels_that_cannot_be_are_refused(tmp_path, make):
    table = LABELS.to_arrow()
    at = next(at for at, field in enumerate(table.schema) if pa.types.is_floating(field.type) and "=" in field.name)
    pq.write_table(table.set_column(at, table.schema[at].name, make(table[at])), tmp_path / "labels.parquet")
    with pytest.raises(assay.AssayError):
        assay.Labels.from_parquet(tmp_path / "labels.parquet")


@pytest.mark.parametrize("read", [assay.Labels.from_parquet, assay.Votes.from_parquet], ids=["labels", "votes"])
@pytest.mark.parametrize("said", [NESTED, "{}", "[]", '{"version": 99}', "7"])
def test_metadata_that_is_not_understood_is_refused(tmp_path, read, said):
    whole = (LABELS if read == assay.Labels.from_parquet else DRAWN.votes).to_parquet(tmp_path / "whole.parquet")
    table = pq.read_table(whole)
    metadata = {
        key: said.encode() if key.startswith(b"assay") else value for key, value in table.schema.metadata.items()
    }
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), sink)
    (tmp_path / "changed.parquet").write_bytes(sink.getvalue())
    assert refused(read, tmp_path / "changed.parquet")


ITEMS = ["item", "item_", "item__", "_item_"]


def test_sources_and_tasks_may_be_called_like_the_column_of_items(tmp_path):
    tasks = assay.TaskGraph([assay.Task(name, [f"{name}x", f"{name}y"]) for name in ITEMS])
    rows = [{"id": f"n{row}", **{name: f"{name}{'xy'[row % 2]}" for name in ITEMS}} for row in range(30)]
    sources = [assay.column(name, task=name, name=name) for name in ITEMS]
    votes = assay.apply(sources, rows, tasks, id="id", progress=False)
    assert assay.Votes.from_parquet(votes.to_parquet(tmp_path / "votes.parquet")) == votes
    labels = assay.MajorityVote().fit(votes).label(votes)
    again = assay.Labels.from_parquet(labels.to_parquet(tmp_path / "labels.parquet"))
    assert again.items.tolist() == [row["id"] for row in rows]
    for name in ITEMS:
        assert again.names(name).tolist() == [row[name] for row in rows]
    assert again.to_pandas().columns.is_unique


def test_no_labels_can_be_looked_at():
    none = LABELS.where(np.zeros(200, dtype=bool))
    assert len(none) == 0
    assert none._repr_html_()
    assert repr(none)


FINER = "[[tasks]]\nname = 'x'\nlabels = ['a', 'b']\nparent = "
TOML = {
    **{f"parent {said}": f"{GOOD}{FINER}{said}\n" for said in ("5", "0", "[5]", "{a = 1}")},
    **{f"logic {said}": f"{said}\n{GOOD}" for said in ("constraints = 5", "constraints = [{implies = 5}]")},
    **{f"logic {said}": f"{said}\n{GOOD}" for said in ("feasible = 5", "feasible = ['x']")},
    "tasks": "tasks = [5]\n[data]\npath = 'a.csv'\n",
    "NUL": GOOD + '[output]\nfolder = "a\\u0000b"\n',
    "long": f"{GOOD}[output]\nfolder = '{'x' * 5_000}'\n",
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_what_assay_toml_cannot_mean_is_refused(tmp_path, text):
    (tmp_path / "assay.toml").write_text(text)
    (tmp_path / "sources.py").write_text("")
    told = refused(Project.load, tmp_path)
    assert told.startswith(f"{tmp_path / 'assay.toml'}: ")


@pytest.mark.parametrize("name", ["assay.toml", "sources.toml"])
def test_toml_without_end_is_refused(tmp_path, name):
    (tmp_path / "assay.toml").write_text(GOOD.partition("[sources]")[0])
    (tmp_path / name).write_text(f"x = {NESTED}")
    told = refused(lambda folder: Project.load(folder).sources(), tmp_path)
    assert "nested too deeply" in told


def test_one_bracket_in_place_of_two_is_told_of(tmp_path):
    (tmp_path / "assay.toml").write_text('[data]\npath = "a.csv"\n[tasks]\nname = "x"\nlabels = ["a", "b"]\n')
    with pytest.raises(assay.ProjectError, match=r"write \[\[tasks\]\], with two brackets"):
        Project.load(tmp_path)


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_null_texts_are_silence(tmp_path, name):
    rows = {
        "rows.csv": "text,n\nfree,1\n,2\nlate,3\n",
        "rows.jsonl": '{"text": "free"}\n{"text": null}\n{"text": "late"}\n',
    }
    (tmp_path / name).write_text(rows[name])
    tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
    rules = [assay.keywords(["free"], "spam", on="text", name="k"), assay.regex("late", "ham", on="text", name="r")]
    votes = assay.apply(rules, tmp_path / name, tasks, progress=False)
    assert votes.to_pandas().values.tolist() == [["spam", None], [None, None], [None, "ham"]]


def test_missing_extras_are_told_of_before_any_work_and_the_rest_is_done(tmp_path):
    """Without them ``run --refine`` would have applied the sources, some of which cost money, and then failed."""
    program = """
import json, sys
from pathlib import Path
for name in ("torch", "safetensors", "altair", "vl_convert"):
    sys.modules[name] = None
import assay
from assay.project import Project, run, write_report
from assay.project.demo import write_example
write_example(Path("p"), 60, 7)
project = Project.load("p")
told = []
for step in (lambda: run(project, refine=True), lambda: run(project), lambda: write_report(project)):
    try:
        step()
    except assay.AssayError as error:
        told.append([str(error), sorted(path.name for path in Path("p").glob("out/*.*"))])
print(json.dumps(told))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    refining, report = json.loads(done.stdout)
    assert refining == [f"refining labels needs an end model: {how_to_install('torch')}; or run without --refine", []]
    assert how_to_install("report") in report[0]
    assert "labels.parquet" in report[1]
