"""Clusters by configuration alone: the same files as without, also if a worker is killed in each step."""

import os
import shutil
import signal
import sys
import threading
import time

import pytest

from assay import AssayError, Labels, ProjectError, Votes
from assay.engine import Dask, EngineSettings, Local, Spark, connected
from assay.project import Project, predict, run, train
from assay.project.demo import write_example
from assay.project.extras import can_train
from tests.support.sameness import same_labels

SLOW = """

import os, pathlib, time

@assay.source(task="entity", cache=False)
def slow(row):
    if row.id % 10 == 0:
        (pathlib.Path({marks!r}) / str(os.getpid())).touch()
        time.sleep(0.02)
    return ("Person", 0.8) if row.id % 3 else None
"""
CONFIGURED = {
    "dask": '[engine]\nkind = "dask"\nwait = 300\n[engine.options]\nn_workers = 2\n',
    "spark": '[engine]\nkind = "spark"\naddress = "local[2]"\n'
    '[engine.options]\n"spark.driver.extraJavaOptions" = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"\n',
}


@pytest.fixture
def project(tmp_path):
    write_example(tmp_path / "p", 120, 7)
    (tmp_path / "marks").mkdir()
    with (tmp_path / "p" / "sources.py").open("a") as file:
        file.write(SLOW.format(marks=str(tmp_path / "marks")))
    path = tmp_path / "p" / "assay.toml"
    path.write_text(path.read_text().replace("[settings]", "[settings]\nbatch_size = 12"))
    return Project.load(tmp_path / "p")


def needs(kind):
    if kind == "spark" and shutil.which("java") is None:
        if os.environ.get("CI"):
            pytest.fail("Spark needs a Java runtime, and there is none: make system")
        pytest.skip("Spark needs a Java runtime, and there is none")
    if kind == "spark":
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"


@pytest.mark.parametrize("kind", CONFIGURED)
def test_a_run_gives_the_same_though_a_worker_is_killed(kind, project, tmp_path):
    needs(kind)
    expected = run(project, progress=False)
    marks = tmp_path / "marks"
    for mark in marks.iterdir():
        mark.unlink()
    with (project.folder / "assay.toml").open("a") as file:
        file.write("\n" + CONFIGURED[kind])
    configured = Project.load(project.folder)
    assert configured.engine.kind == kind
    shutil.rmtree(project.output)
    killed, done = [], threading.Event()

    def kill():
        while not done.is_set():
            others = [int(path.name) for path in marks.iterdir() if int(path.name) != os.getpid()]
            if others:
                os.kill(others[0], signal.SIGKILL)
                killed.append(others[0])
                return
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        found = run(configured, progress=False)
    finally:
        done.set()
        thread.join()
    assert killed
    assert found.votes == expected.votes
    assert same_labels(found.labels, expected.labels)
    assert Votes.from_parquet(project.output / "votes.parquet") == expected.votes
    if can_train():
        train(configured, progress=False)
        there = predict(configured, out=tmp_path / "there.parquet", progress=False)
        here = predict(project, out=tmp_path / "here.parquet", progress=False)
        assert same_labels(Labels.from_parquet(there.path), Labels.from_parquet(here.path))


def test_dask_without_workers_is_an_error_after_a_while():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        engine = Dask(client, wait=1.0)
        results = engine.map(lambda piece: piece, iter(range(200)))
        assert next(results) == 0
        results.close()
        cluster.scale(0)
        began = time.monotonic()
        with pytest.raises(AssayError, match="has had no workers for 1 seconds; start some, and run this again"):
            list(engine.map(lambda piece: time.sleep(0.2) or piece, range(200)))
        assert time.monotonic() - began < 40


def test_settings_are_read_and_changed(project):
    path = project.folder / "assay.toml"
    plain = path.read_text()
    path.write_text('engine = "dask"\n' + plain)
    configured = Project.load(project.folder)
    assert configured.engine == EngineSettings(kind="dask")
    assert configured.with_engine(None, "tcp://x:1").engine == EngineSettings(kind="dask", address="tcp://x:1")
    assert configured.with_engine("spark").engine == EngineSettings(kind="spark")
    assert configured.with_engine(None) is configured
    with pytest.raises(ProjectError, match="the engine must be 'local', 'dask' or 'spark', but is 'flink'"):
        configured.with_engine("flink")
    path.write_text(plain + '\n[engine]\nkind = "flink"\n')
    with pytest.raises(ProjectError, match="'local', 'dask' or 'spark'"):
        Project.load(project.folder)


def test_what_cannot_be_reached_is_told(monkeypatch):
    with (
        pytest.raises(AssayError, match=r"cannot connect to a Dask cluster at tcp://127\.0\.0\.1:9"),
        connected(EngineSettings(kind="dask", address="tcp://127.0.0.1:9", options={"timeout": 0.5})),
    ):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(AssayError, match=r"the engine 'dask' needs distributed: pip install 'assay\[dask\]'"),
        connected(EngineSettings(kind="dask")),
    ):
        pass
    with connected(EngineSettings()) as engine:
        assert isinstance(engine, Local)
        assert not isinstance(engine, Dask | Spark)
