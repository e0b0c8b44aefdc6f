"""The page as a text: whole, safe, small, the same each time."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import assay
from assay import AssayError, LabelModel, Report, Task, TaskGraph, VoteError, Votes, apply, column, source
from assay._core.extras import how_to_install
from assay._core.texts import printable
from assay.report import report as report_module
from assay.simulate import flat_world
from tests.support.nasty import nasty_report


class Elements(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []

    def handle_starttag(self, name, attributes):
        self.found.append((name, dict(attributes)))


def elements(page: str):
    reader = Elements()
    reader.feed(page)
    return reader.found


@pytest.fixture(scope="module")
def simulation():
    return flat_world(sources=7, coverage=0.6, copies=[(0, 1)], seed=4).draw(2_000)


@pytest.fixture(scope="module")
def model(simulation):
    return LabelModel(dependencies=[(0, 1)]).fit(simulation.votes)


@pytest.fixture(scope="module")
def page(model, simulation):
    texts = [f"text number {row}" for row in range(2_000)]
    return Report.of(model, simulation.votes, gold=simulation.gold, data=texts, title="a run").to_html()


def test_it_is_whole(page):
    """Nothing is fetched: no address but those of namespaces, and the page forbids it besides."""
    assert set(re.findall(r"https?://[^\"' )]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not [name for name, _ in elements(page) if name in ("iframe", "object", "embed", "img", "base")]
    policy = next(at["content"] for name, at in elements(page) if at.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy


def test_every_link_leads_to_a_section(page):
    links = {at["href"][1:] for name, at in elements(page) if name == "a"}
    anchors = {at.get("id") for name, at in elements(page) if name == "section"}
    assert links == anchors
    assert len(links) == 9


def test_the_same_run_gives_the_same_page(model, simulation, page):
    texts = [f"text number {row}" for row in range(2_000)]
    again = Report.of(model, simulation.votes, gold=simulation.gold, data=texts, title="a run").to_html()
    assert again == page


def test_what_comes_from_data_is_text():
    report, _ = nasty_report()
    found = elements(report.to_html())
    assert [name for name, _ in found].count("script") == 1
    assert not [name for name, _ in found if name in ("iframe", "img")]
    assert not [key for _, attributes in found for key in attributes if key.startswith("on")]


def test_names_may_have_characters_that_no_page_can_hold(simulation):
    odd = "a\x00\x01\x1b[2J\ufffe\uffff"
    names = [f"{odd}{j}" for j in range(simulation.votes.codes.shape[1])]
    votes = Votes.from_matrix(simulation.votes.codes, labels=[f"x{odd}", f"y{odd}"], names=names, task=f"t{odd}")
    rows = [{f"text{odd}": f"\ud800{odd}"}] * len(votes)
    report = Report.of(LabelModel().fit(votes), votes, gold=simulation.gold, data=rows, title=f"\ud800{odd}")
    page = report.to_html()
    assert page == printable(page)
    assert "\\x00" in page
    assert "\\ud800" in page


def test_a_source_that_never_voted_has_no_score():
    @source
    def silent(row):
        return None

    drawn = flat_world(sources=4, seed=1).draw(500)
    tasks = TaskGraph([Task("t", ["x", "y"])])
    said = [{f"s{j}": "xy"[code] for j, code in enumerate(row)} for row in drawn.votes.codes]
    speaking = [column(name, task="t", name=name) for name in said[0]]
    votes = apply([*speaking, silent], said, tasks=tasks, progress=False)
    model = LabelModel(allow_unidentifiable=True).fit(votes)
    report = Report.of(model, votes, gold=["xy"[code] for code in drawn.gold])
    assert [fact.gold is None for fact in report.sources] == [False] * 4 + [True]
    assert "silent" in report.to_html()


def test_without_texts_nothing_of_the_data_is_there(model, simulation):
    texts = [f"secret number {row}" for row in range(2_000)]
    named = Votes.from_codes(
        simulation.votes.tasks,
        simulation.votes.codes,
        simulation.votes.names,
        simulation.votes.values,
        np.array([f"patient {row}" for row in range(2_000)]),
    )
    with_texts = Report.of(model, named, data=texts).to_html()
    without = Report.of(model, named, data=texts, texts=False).to_html()
    assert "secret number" in with_texts
    assert "patient" in with_texts
    assert "secret" not in without
    assert "patient" not in without
    assert "none of the data itself" in without


def test_votes_may_come_in_any_shape(model, simulation, tmp_path):
    votes = simulation.votes
    votes.to_parquet(tmp_path / "votes.parquet")
    whole = Report.of(model, votes)
    shapes = [tmp_path / "votes.parquet", [votes.take(slice(0, 500)), votes.take(slice(500, None))], votes.codes]
    for given in shapes:
        other = Report.of(model, given)
        assert (other.sources, other.tasks, other.contested) == (whole.sources, whole.tasks, whole.contested)
    counted = Report.of(model, assay.count(votes))
    assert counted.sources == whole.sources
    assert {item.row for item in counted.contested} == {None}


def test_a_model_from_disk_tells_the_same(model, simulation, tmp_path):
    model.save(tmp_path / "model.npz")
    loaded = Report.of(LabelModel.load(tmp_path / "model.npz"), simulation.votes, gold=simulation.gold)
    fresh = Report.of(model, simulation.votes, gold=simulation.gold)
    assert loaded.sources == fresh.sources
    assert loaded.priorities == fresh.priorities
    assert loaded.contested == fresh.contested


def test_several_components_and_partial_gold(pair):
    rng = np.random.default_rng(2)
    n = 900
    mood, food = (rng.choice(labels, n) for labels in (["good", "bad"], ["good", "cold"]))
    columns = {}
    for at in range(4):
        for task, truth in (("mood", mood), ("food", food)):
            wrong = np.where(truth == "good", "bad" if task == "mood" else "cold", "good")
            columns[f"{task} {at}"] = (task, np.where(rng.random(n) < 0.8, truth, wrong).tolist())
    votes = Votes.from_columns(pair, columns)
    model = LabelModel().fit(votes)
    gold = {"mood": [label if at % 3 == 0 else None for at, label in enumerate(mood)]}
    report = Report.of(model, votes, gold=gold)
    assert len(report.components) == 2
    assert report.evaluations["label model"].tasks.loc["mood", "items"] == 300
    page = report.to_html()
    assert "Class balance: mood" in page
    assert "Labels of food" in page


def test_a_model_that_was_fitted_against_advice_says_so():
    votes = Votes.from_matrix(np.random.default_rng(0).integers(0, 2, (200, 2)))
    report = Report.of(LabelModel(allow_unidentifiable=True).fit(votes), votes)
    assert report.priorities[0].urgency == "stop"
    assert "A002" in report.to_html()


def test_large_runs_are_cut_with_a_note(monkeypatch):
    drawn = flat_world(sources=60, coverage=0.2, seed=1).draw(1_500)
    model = LabelModel(method="robust").fit(drawn.votes)
    monkeypatch.setattr(report_module, "SKETCH_SIZE", 4_000)
    report = Report.of(model, drawn.votes)
    assert not report.is_exact
    assert len(report.agreement.names) == 40
    page = report.to_html()
    assert "that overlap most with others are shown, of 60" in page
    assert "from a sample of the items" in page


def test_votes_and_gold_in_a_file_give_the_same_report(model, simulation, tmp_path):
    path = simulation.votes.to_parquet(tmp_path / "votes.parquet")
    here, there = (Report.of(model, votes, gold=simulation.gold) for votes in (simulation.votes, path))
    assert here.to_html() == there.to_html()
    assert there.evaluations


def test_what_cannot_be_is_refused(model, simulation):
    with pytest.raises(AssayError, match="is not fitted yet"):
        Report.of(LabelModel(), simulation.votes)
    with pytest.raises(AssayError, match="non-negative integer"):
        Report.of(model, simulation.votes, items=-1)
    with pytest.raises(VoteError, match="in memory"):
        Report.of(model, assay.count(simulation.votes), gold=simulation.gold)


def test_without_altair_the_error_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['altair'] = None\n"
        "import assay\n"
        "from assay.simulate import flat_world\n"
        "votes = flat_world(sources=4).draw(200).votes\n"
        "model = assay.LabelModel().fit(votes)\n"
        "try:\n    assay.Report.of(model, votes).save('x.html')\nexcept assay.AssayError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == f"charts need altair, which is not installed: {how_to_install('report')}"
    assert not list(tmp_path.iterdir())
