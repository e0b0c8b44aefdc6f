"""Sources that say probabilities, in batches, processes and clusters; and what a model makes of their levels."""

import numpy as np
import pytest

import assay
from assay import LabelModel, SourceError, TaskGraph, Votes

TASKS = TaskGraph.flat("mail", ["ham", "spam"])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    sign = rng.choice([-1, 1], size=900)
    scores = rng.normal(size=(900, 5)) + sign[:, None]
    return [
        {"truth": int(s > 0), **{f"x{j}": float(value) for j, value in enumerate(row)}}
        for s, row in zip(sign, scores, strict=True)
    ]


class Logistic:
    """A classifier that is sure in proportion to a number."""

    classes_ = ("ham", "spam")

    def predict_proba(self, data):
        spam = 1 / (1 + np.exp(-3 * data[:, 0]))
        return np.column_stack([1 - spam, spam])


def some_sources():
    @assay.source(task="mail")
    def probabilities(row):
        spam = 1 / (1 + np.exp(-row.x0))
        return {"spam": spam, "ham": 1 - spam}

    @assay.source(task="mail")
    def now_and_then(row):
        if row.x1 > 1:
            return "spam"
        return ("ham", min(-row.x1 / 3, 1.0)) if row.x1 < 0 else None

    @assay.source(task="mail", levels=[0.5, 0.7])
    def with_levels(row):
        return ("spam" if row.x2 > 0 else "ham", 1 - float(np.exp(-abs(row.x2))))

    @assay.source(task="mail")
    def hard(row):
        return "spam" if row.x4 > 0 else "ham"

    return [probabilities, now_and_then, with_levels, assay.classifier(Logistic(), on=["x3"], name="clf"), hard]


@pytest.fixture(scope="module")
def expected(rows):
    return assay.apply(some_sources(), rows, TASKS)


def same(found, expected):
    scores = all(np.array_equal(found.scores[name], expected.scores[name], equal_nan=True) for name in expected.scores)
    return found == expected and scores


def test_levels(expected):
    assert [len(table) for table in expected.values][2:] == [4, 16, 2]
    assert list(expected.scores) == ["probabilities", "now_and_then", "with_levels", "clf"]


@pytest.mark.parametrize("options", [{"batch_size": 1}, {"batch_size": 77}, {"batch_size": 100, "workers": 2}], ids=str)
def test_batches_and_processes_do_not_show(rows, expected, options):
    assert same(assay.apply(some_sources(), rows, TASKS, **options), expected)


def test_neither_does_a_cluster(rows, expected, tmp_path):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        engine = assay.engine.Dask(client)
        assert same(assay.apply(some_sources(), rows, TASKS, engine=engine, batch_size=100), expected)
        model = LabelModel().fit(expected)
        for part in range(3):
            expected.take(slice(300 * part, 300 * part + 300)).to_parquet(tmp_path / f"{part}.parquet")
        found = LabelModel().fit(tmp_path, engine=engine)
        assert np.array_equal(found.predict_proba(expected), model.predict_proba(expected))


def test_files_of_their_own_levels_are_counted_with_those_of_the_first(rows, tmp_path):
    parts = [assay.apply(some_sources(), rows[start : start + 300], TASKS) for start in (0, 300, 600)]
    assert len({part.schema for part in parts}) == 3
    for number, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{number}.parquet")
    whole = Votes.concat([part.like(parts[0]) for part in parts])
    one, other = LabelModel().fit(tmp_path), LabelModel().fit(whole)
    assert one.fitted_.schema == parts[0].schema
    assert np.array_equal(one.predict_proba(whole), other.predict_proba(whole))


@pytest.mark.parametrize("method", ["auto", "em", "robust", "completion", "covariance"])
def test_every_method_takes_soft_votes(rows, expected, method):
    truth = np.array([row["truth"] for row in rows])
    model = LabelModel(method=method).fit(expected)
    found = model.predict_proba(expected)
    assert np.allclose(found.sum(axis=1), 1)
    assert (found.argmax(axis=1) == truth).mean() > 0.9
    assert [len(table) for table in model.conditionals_] == [len(table) + 1 for table in expected.values]


def test_confidence_is_worth_something(rows, expected):
    truth = np.array([row["truth"] for row in rows])
    hardened = Votes.from_columns(
        TASKS,
        {
            name: ("mail", [None if code < 0 else table[code].labels[0][1] for code in codes])
            for name, table, codes in zip(expected.names, expected.values, expected.codes.T, strict=True)
        },
    )
    right = [
        (LabelModel().fit(votes).predict_proba(votes).argmax(axis=1) == truth).mean() for votes in (expected, hardened)
    ]
    assert right[0] > right[1]


def test_accuracy_rises_with_confidence(expected):
    table = LabelModel().fit(expected).sources_
    of_clf = table[(table.source == "clf") & table.value.str.startswith("spam")]
    assert len(of_clf) == 8
    assert of_clf.accuracy.diff().min() > -0.05  # it is drawn towards that, not forced
    assert of_clf.accuracy.iloc[0] < 0.8 < 0.95 < of_clf.accuracy.iloc[-1]
    assert of_clf.low.is_monotonic_increasing or (of_clf.low.diff().min() > -0.05)
    assert (of_clf.high - of_clf.low).max() < 0.5
    assert ((of_clf.low <= of_clf.accuracy) & (of_clf.accuracy <= of_clf.high)).all()


def test_what_a_source_said_is_told_with_its_level(expected):
    told = LabelModel().fit(expected).explain(expected, 3)
    assert any(row.startswith("clf: ") and (" to " in row or " below " in row) for row in told.table.index)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"spam": 0.7, "ham": 0.7}, "add up to at most 1"),
        ({"spam": float("nan"), "ham": 0.7}, "expected a probability from 0 to 1 for 'spam', but got nan"),
        ({"spam": -0.2}, "expected a probability"),
        ({"eggs": 0.2}, "no label 'eggs'"),
        (("spam", 2.0), "expected a probability"),
    ],
)
def test_an_error_names_source_and_row(wrong, what):
    @assay.source(task="mail")
    def soft(row):
        return wrong if row.number == 2 else ("ham", 0.4)

    data = [{"number": number} for number in range(4)]
    with pytest.raises(SourceError, match=f"source 'soft' failed on row 2: .*{what}"):
        assay.apply(soft, data, TASKS)
    votes = assay.apply(soft, data, TASKS, on_error="abstain", batch_size=3)
    assert votes.codes[:, 0].tolist() == [0, 0, -1, 0]
    assert [(fault.count, fault.row) for fault in votes.faults] == [(1, 2)]
