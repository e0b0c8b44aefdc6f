"""Real clusters on this machine: two Dask workers, and Spark with two cores, give what one process gives."""

import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import assay
from assay import AssayError, LabelModel, Labels, SourceError, Tally, Votes
from assay.engine import Dask, Local, Processes, Spark, engine_of
from assay.model import counted
from assay.simulate import flat_world
from assay.votes import pieces
from tests.support.sameness import as_stored, same_counts, same_labels, same_model

TASKS = assay.TaskGraph.flat("mail", ["ham", "spam"])
ROWS = [{"id": i, "text": f"{'win a prize' if i % 3 else 'dear Ana'} number {i}"} for i in range(400)]
LIMIT = 7


@pytest.fixture(scope="module")
def dask():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield Dask(client)


@pytest.fixture(scope="module")
def spark():
    if shutil.which("java") is None:
        if os.environ.get("CI"):
            pytest.fail("Spark needs a Java runtime, and there is none: make system")
        pytest.skip("Spark needs a Java runtime, and there is none: apt-get install default-jre-headless")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # starts sooner
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield Spark(session)
    session.stop()


@pytest.fixture(scope="module", params=["dask", "spark"])
def engine(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def votes():
    return flat_world(sources=7, classes=3, coverage=0.5, seed=1).draw(3_000).votes


@pytest.fixture(scope="module")
def fitted(votes):
    return LabelModel().fit(votes)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "ITEMS_AT_ONCE", 700)


@assay.preprocess
def words(row):
    return row.text.split()


@assay.source(task="mail")
def of_this_module(row):
    """Uses what else is in this module."""
    return "spam" if len(words(row)[-1]) + LIMIT > 9 else None


def some_sources():
    known = {"prize": "spam", "dear": "ham"}

    @assay.source(task="mail")
    def closure(row):
        return next((known[word] for word in words(row) if word in known), None)

    @assay.source(task="mail", resources={"lookup": dict.fromkeys(range(0, 400, 7), "ham")})
    def with_resources(row, lookup):
        return lookup.get(row.id)

    return [
        of_this_module,
        closure,
        with_resources,
        assay.keywords(["prize", "win"], "spam", on="text", name="keywords"),
        assay.threshold(lambda row: row.id % 10, "ham", above=8, name="tens"),
    ]


@assay.source(task="mail")
def fragile(row):
    if row.id in (123, 300):
        raise ValueError(f"no {row.id}")
    return "ham"


class TestApply:
    def test_the_same_votes(self, engine):
        expected = assay.apply(some_sources(), ROWS, TASKS)
        found = assay.apply(some_sources(), ROWS, TASKS, engine=engine, batch_size=37)
        assert found == expected
        assert found.codes.max(axis=0).tolist() == [1, 1, 0, 0, 0]

    def test_faults_come_back_and_are_counted(self, engine):
        sources = [*some_sources(), fragile]
        expected = assay.apply(sources, ROWS, TASKS, on_error="abstain")
        found = assay.apply(sources, ROWS, TASKS, on_error="abstain", engine=engine, batch_size=37)
        assert found == expected
        assert found.faults == expected.faults
        (fault,) = found.faults
        assert (fault.source, fault.count, fault.row) == ("fragile", 2, 123)

    def test_an_error_names_source_row_and_cause(self, engine):
        with pytest.raises(SourceError, match="source 'fragile' failed on row 123: ValueError: no 123"):
            assay.apply([*some_sources(), fragile], ROWS, TASKS, engine=engine, batch_size=37)
        # and the cluster goes on
        assert len(assay.apply(some_sources(), ROWS[:5], TASKS, engine=engine)) == 5

    def test_what_cannot_be_sent(self, engine):
        lock = threading.Lock()

        @assay.source(task="mail")
        def locked(row):
            with lock:
                return "ham"

        with pytest.raises(AssayError, match="the work cannot be sent to other processes"):
            assay.apply(locked, ROWS, TASKS, engine=engine)

    def test_data_is_read_as_it_is_needed(self, engine):
        read = []

        def rows():
            for row in ROWS:
                read.append(row["id"])
                yield row

        def stops():
            yield from rows()
            raise RuntimeError("the end was reached")

        with pytest.raises(SourceError, match="row 123"):
            assay.apply(fragile, stops(), TASKS, engine=engine, batch_size=20)
        assert len(read) < len(ROWS)


@pytest.mark.usefixtures("small_pieces")
class TestFitAndLabel:
    def test_identical_counts(self, engine, votes, tmp_path):
        path = tmp_path / "votes.parquet"
        pq.write_table(votes.to_arrow(), path, row_group_size=500)
        expected = Tally.of(votes)
        for given in (votes, path, iter([votes.take(slice(0, 1_000)), votes.take(slice(1_000, 3_000))])):
            assert same_counts(assay.count(given, engine=engine), expected)

    def test_frequent_patterns_are_looked_at_twice(self, engine, monkeypatch):
        world = flat_world(sources=12, coverage=0.6, seed=2).draw(6_000).votes
        codes = world.codes.copy()
        codes[::5] = codes[0]
        crowded = Votes.from_codes(world.tasks, codes, world.names, world.values)
        expected = Tally.of(crowded, size=2**13)
        assert expected.sketch.needs_second_pass
        assert same_counts(assay.count(crowded, size=2**13, engine=engine), expected)
        monkeypatch.setattr(counted, "SKETCH_SIZE", 2**13)
        assert same_model(LabelModel().fit(crowded, engine=engine), LabelModel().fit(crowded))

    def test_identical_parameters_and_labels(self, engine, votes, fitted, tmp_path):
        learned = LabelModel().fit(votes, engine=engine)
        assert same_model(learned, fitted)
        expected = fitted.label(votes)
        assert same_labels(learned.label(votes, engine=engine), expected)
        path = votes.to_parquet(tmp_path / "votes.parquet")
        out = fitted.label(path, out=tmp_path / "labels.parquet", engine=engine)
        assert same_labels(Labels.from_parquet(out), as_stored(expected))

    @pytest.mark.usefixtures("small_pieces")
    def test_hand_labels_by_name(self, engine, votes, tmp_path):
        named = replace(votes, items=np.array([f"item {row}" for row in range(len(votes))]))
        path = named.to_parquet(tmp_path / "votes.parquet")
        hand = assay.HandLabels.of(
            assay.HandAnswer(f"item {row}", by="ann", answer={"label": str(row % 3)}) for row in range(5, 3_000, 60)
        )
        there, here = LabelModel().fit(path, hand, engine=engine), LabelModel().fit(named, hand)
        assert same_model(there, here)
        out = there.label(path, out=tmp_path / "labels.parquet", engine=engine)
        found, expected = Labels.from_parquet(out), here.label(named)
        assert same_labels(found, as_stored(expected))
        assert found.gold.rows.tolist() == expected.gold.rows.tolist() == list(range(5, 3_000, 60))
        np.testing.assert_array_equal(found.gold.held_out[0], expected.gold.held_out[0])

    def test_sparse_votes(self, engine, votes, fitted):
        listed = replace(votes, store=votes.cast)
        assert same_counts(assay.count(listed, engine=engine), Tally.of(votes))
        assert same_labels(fitted.label(listed, engine=engine), fitted.label(listed))

    def test_hierarchies_with_predicates_and_item_names(self, engine):
        tasks = assay.TaskGraph(
            [assay.Task("size", ["small", "large"]), assay.Task("kind", ["cat", "lion", "mouse"])],
            constraints=[lambda outcome: (outcome["kind"] == "lion") == (outcome["size"] == "large")],
        )
        rng = np.random.default_rng(0)
        kind = rng.choice(["cat", "lion", "mouse"], 2_000)
        columns = {}
        for j in range(6):
            said = np.where(rng.random(2_000) < 0.7, kind, rng.permutation(kind)).astype(object)
            columns[f"s{j}"] = said if j < 3 else np.where(said == "lion", "large", "small")
        plain = Votes.from_columns(tasks, columns)
        named = Votes.from_codes(
            tasks, plain.codes, plain.names, plain.values, np.array([f"i{i}" for i in range(2_000)])
        )
        learned = LabelModel().fit(named, engine=engine)
        assert same_model(learned, LabelModel().fit(named))
        assert same_labels(learned.label(named, engine=engine), learned.label(named))

    def test_what_is_wrong_with_a_file_is_said(self, engine, votes, tmp_path):
        path = tmp_path / "votes.parquet"
        pq.write_table(votes.to_arrow(), path, row_group_size=700)
        with pq.ParquetFile(path) as file:
            column = file.metadata.row_group(2).column(0)
        start = column.dictionary_page_offset or column.data_page_offset
        content = bytearray(path.read_bytes())
        content[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
        path.write_bytes(content)
        with pytest.raises(assay.VoteError, match="is not a valid Parquet file"):
            LabelModel().fit(path, engine=engine)

    def test_partial_fit(self, engine, votes, fitted):
        learned = LabelModel().partial_fit(votes.take(slice(0, 2_000)), engine=engine)
        assert same_model(learned.partial_fit(votes.take(slice(2_000, 3_000)), engine=engine), fitted)


class AtTheLastMoment:
    """A future whose result is there just after the first wait for it has ended."""

    def __init__(self, future):
        self.future, self.late = future, True

    def result(self, timeout=None):
        found, self.late = self.late, False
        if not found:
            return self.future.result(timeout)
        while not self.future.done():
            time.sleep(0.01)
        raise TimeoutError

    def done(self):
        return self.future.done()


def test_a_piece_may_be_finished_when_dask_has_just_been_waited_for(dask):
    assert dask._result(AtTheLastMoment(dask.client.submit(abs, -5))) == 5


def test_a_time_out_of_the_work_itself_is_raised(dask):
    def work():
        raise TimeoutError("of a source")

    with pytest.raises(TimeoutError, match="of a source"):
        dask._result(dask.client.submit(work, pure=False))


class TestDeath:
    """A worker is killed in mid-job."""

    def kill_one(self, client, started):
        """Kill a worker once there is a sign that work has begun; the thread, and what was killed."""
        client.wait_for_workers(2, timeout=60)  # those of an earlier test may still be coming back
        killed = []

        def kill():
            pids = client.run(os.getpid)
            deadline = time.monotonic() + 20
            while not list(started.iterdir()) and time.monotonic() < deadline:
                time.sleep(0.01)
            at_work = {int(path.name.split()[0]) for path in started.iterdir()}
            victim = next(pid for pid in pids.values() if pid in at_work)
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

        thread = threading.Thread(target=kill)
        thread.start()
        return thread, killed

    def test_apply_ends_with_the_same_votes(self, dask, tmp_path):
        @assay.source(task="mail")
        def slow(row):
            if row.id % 20 == 0:
                (tmp_path / f"{os.getpid()} {row.id}").touch()
                time.sleep(0.05)
            return "spam" if row.id % 3 else "ham"

        sources = [*some_sources(), slow, fragile]
        thread, killed = self.kill_one(dask.client, tmp_path)
        found = assay.apply(sources, ROWS, TASKS, on_error="abstain", engine=dask, batch_size=20)
        thread.join()
        assert killed
        assert killed[0] not in dask.client.run(os.getpid).values()
        expected = assay.apply(sources, ROWS, TASKS, on_error="abstain")
        assert found == expected
        assert found.faults == expected.faults

    def test_nothing_is_counted_twice(self, dask, votes, fitted, tmp_path, monkeypatch):
        marks = str(tmp_path)

        class Slow(Dask):
            """Each piece takes a moment and leaves a mark."""

            def map(self, job, pieces):
                def slowly(piece):
                    with open(f"{marks}/{os.getpid()} {time.time_ns()}", "w"):
                        time.sleep(0.1)
                    return job(piece)

                return super().map(slowly, pieces)

        monkeypatch.setattr(pieces, "ITEMS_AT_ONCE", 200)
        for work in (
            lambda: same_model(LabelModel().fit(votes, engine=Slow(dask.client)), fitted),
            lambda: same_counts(assay.count(votes, engine=Slow(dask.client)), Tally.of(votes)),
            lambda: same_labels(fitted.label(votes, engine=Slow(dask.client)), fitted.label(votes)),
        ):
            for mark in tmp_path.iterdir():
                mark.unlink()
            thread, killed = self.kill_one(dask.client, tmp_path)
            assert work()
            thread.join()
            assert killed
            assert len(list(tmp_path.iterdir())) > 15  # something was done again

    def test_spark_counts_and_labels_again_what_was_lost(self, spark, votes, fitted, tmp_path, monkeypatch):
        marks = str(tmp_path)

        class Deadly(Spark):
            """The third piece kills its worker, once."""

            def map(self, job, pieces):
                def dies(piece):
                    number, given = piece
                    mark = f"{marks}/{number}"
                    if number == 2 and not os.path.exists(mark):
                        open(mark, "w").close()
                        os.kill(os.getpid(), signal.SIGKILL)
                    return job(given)

                return super().map(dies, enumerate(pieces))

        monkeypatch.setattr(pieces, "ITEMS_AT_ONCE", 700)
        engine = Deadly(spark.session)
        assert same_counts(assay.count(votes, engine=engine), Tally.of(votes))
        assert [path.name for path in tmp_path.iterdir()] == ["2"]
        (tmp_path / "2").unlink()
        assert same_labels(fitted.label(votes, engine=engine), fitted.label(votes))
        assert [path.name for path in tmp_path.iterdir()] == ["2"]

    def test_a_piece_that_kills_every_worker_is_given_up(self, dask, monkeypatch):
        dask.client.wait_for_workers(2, timeout=60)
        # Workers that die while they start are not started again, so it had better be one.
        monkeypatch.setattr(dask.client.cluster.scheduler, "allowed_failures", 0)

        @assay.source(task="mail")
        def deadly(row):
            os.kill(os.getpid(), signal.SIGKILL)

        with pytest.raises(AssayError, match="workers of the Dask cluster kept dying"):
            assay.apply(deadly, ROWS[:1], TASKS, engine=dask)
        assert len(assay.apply(some_sources(), ROWS[:5], TASKS, engine=dask)) == 5

    def test_spark_says_that_a_job_failed(self, spark):
        @assay.source(task="mail")
        def deadly(row):
            os.kill(os.getpid(), signal.SIGKILL)

        with pytest.raises(AssayError, match="the Spark job failed: "):
            assay.apply(deadly, ROWS[:1], TASKS, engine=spark)
        assert len(assay.apply(some_sources(), ROWS[:5], TASKS, engine=spark)) == 5

    def test_several_processes_say_that_one_died(self):
        @assay.source(task="mail")
        def deadly(row):
            os.kill(os.getpid(), signal.SIGKILL)

        with pytest.raises(AssayError, match="a worker process died"):
            assay.apply(deadly, ROWS[:1], TASKS, engine=Processes(2))


class TestNames:
    def test_engines_are_told_apart(self):
        assert isinstance(engine_of("local"), Local)
        assert engine_of(Local()).map(abs, [-1])
        for wrong in ("dask", None, Dask, 3):
            with pytest.raises(AssayError, match=r"engine must be 'local', assay.engine.Dask"):
                engine_of(wrong)
        with pytest.raises(AssayError, match=r"expected a distributed.Client, but got 'tcp://"):
            Dask("tcp://localhost")
        with pytest.raises(AssayError, match=r"expected a pyspark.sql.SparkSession, but got 'local"):
            Spark("local[2]")
        with pytest.raises(AssayError, match="workers must be a positive integer"):
            Processes(0)

    def test_workers_are_processes_of_this_machine(self):
        with pytest.raises(SourceError, match=r"with engine=Processes\(2\) leave them out"):
            assay.apply(some_sources(), ROWS, TASKS, workers=2, engine=Processes(2))

    def test_they_say_what_they_are(self, engine):
        assert repr(engine).startswith(f"{type(engine).__name__}(<")
        assert repr(Processes(2)) == "Processes(2)"
