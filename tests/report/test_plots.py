"""Pictures in notebooks hold the figures of the objects that they are of."""

import numpy as np
import pytest

from assay import AssayError, LabelModel, Labels, TaskGraph, Votes, check, evaluate
from assay.report.charts import to_svg
from assay.simulate import flat_world


@pytest.fixture(scope="module")
def simulation():
    return flat_world(sources=5, coverage=0.7, seed=6).draw(1_500)


@pytest.fixture(scope="module")
def model(simulation):
    return LabelModel().fit(simulation.votes)


def rows(chart):
    return chart.to_dict()["data"]["values"]


def test_sources_are_those_of_the_model(model, simulation):
    used = model.sources_[model.sources_["votes"] > 0]
    drawn = rows(model.plot.sources())
    assert [row["name"] for row in drawn] == [f"{s}: {v}" for s, v in zip(used["source"], used["value"], strict=True)]
    assert [row["value"] for row in drawn] == used["accuracy"].tolist()
    assert [(row["low"], row["high"]) for row in drawn] == list(zip(used["low"], used["high"], strict=True))
    with_gold = rows(model.plot.sources(simulation.gold, simulation.votes))
    codes = simulation.votes.codes[:, 0]
    assert with_gold[0]["gold"] == pytest.approx((simulation.gold[codes == 0] == 0).mean())
    with pytest.raises(AssayError, match="give both"):
        model.plot.sources(simulation.gold)


def test_votes(simulation):
    votes = simulation.votes
    assert [row["value"] for row in rows(votes.plot.coverage())] == pytest.approx(votes.summary()["coverage"].tolist())
    assert [row["value"] for row in rows(votes.plot.conflicts())] == pytest.approx(
        votes.summary()["conflicts"].tolist()
    )
    cells = {(cell["row"], cell["column"]): cell["value"] for cell in rows(votes.plot.agreement())}
    both = (votes.codes[:, :2] >= 0).all(axis=1)
    assert cells["0", "1"] == pytest.approx((votes.codes[both, 0] == votes.codes[both, 1]).mean())
    assert len(rows(votes.plot.agreement(most=3))) == 6


def test_model(model, simulation):
    assert [row["value"] for row in rows(model.plot.class_balance())] == model.class_balance_.tolist()
    assert len(rows(model.plot.residuals(simulation.votes))) == 20
    assert all(abs(cell["value"]) < 0.15 for cell in rows(model.plot.residuals(simulation.votes)))
    curve = [
        (row["items"], row["half_width"])
        for row in model.plot.plan(1_500).to_dict()["layer"][0]["data"]["values"]
        if row["name"] == "the widest"
    ]
    assert curve == sorted(curve, key=lambda point: -point[1])
    with pytest.raises(AssayError, match="no component 3"):
        model.plot.class_balance(3)
    with pytest.raises(AssayError, match="is not fitted yet"):
        LabelModel().plot.sources()


def test_labels_and_evaluation(model, simulation):
    labels = model.label(simulation.votes)
    shares = [row["value"] for row in rows(labels.plot.counts("label"))]
    assert shares == pytest.approx([(labels.names("label") == name).mean() for name in "01"])
    assert sum(row["count"] for row in rows(labels.plot.confidence())) == len(labels)
    found = evaluate(labels, simulation.gold)
    cells = {(cell["row"], cell["column"]): cell["value"] for cell in rows(found.plot.confusion())}
    counts = found.confusion["label"].to_numpy()
    assert cells["0", "1"] == pytest.approx(counts[0, 1] / counts[0].sum())
    assert to_svg(found.plot.calibration()).startswith("<svg")
    with pytest.raises(AssayError, match=r"no task 'labl'\. Did you mean 'label'"):
        found.plot.confusion("labl")


def test_notebooks_show_tables_in_which_names_are_text(model, simulation):
    votes = Votes.from_matrix(simulation.votes.codes, names=["<b>", "1", "2", "3", "4"])
    fitted = LabelModel().fit(votes)
    for shown in (votes, fitted, fitted.label(votes), evaluate(fitted.label(votes), simulation.gold), LabelModel()):
        html = shown._repr_html_()
        assert "<b>" not in html
        assert html.count("<tr>") <= 22
    assert "&lt;b&gt;" in votes._repr_html_()
    assert "&lt;b&gt;" in fitted._repr_html_()
    why = fitted.explain(votes, 0)._repr_html_()
    assert "<b>" not in why
    assert "&lt;b&gt;" in why
    complaint = check(votes.select(["<b>", "1"]))._repr_html_()
    assert "A002" in complaint
    assert "<b>" not in complaint
    assert "no problems" in check(votes)._repr_html_()
    large = Votes.from_matrix(np.zeros((1_000_001, 5), dtype=np.int8))
    assert "<table>" not in large._repr_html_()


def test_of_many_labels_the_frequent_ones_are_shown():
    labels = [str(at) for at in range(40)]
    chosen = Labels(TaskGraph.flat("t", labels), (np.eye(40)[np.arange(400) % 40],))
    gold = np.minimum(np.arange(400) % 40, 30)
    assert {cell["row"] for cell in rows(evaluate(chosen, gold).plot.confusion())} <= set(labels)
    assert len({cell["row"] for cell in rows(evaluate(chosen, gold).plot.confusion())}) == 25
