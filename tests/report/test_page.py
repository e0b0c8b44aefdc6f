"""The page as people meet it: in a browser, by day and by night, on a phone and on paper."""

import re
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project.stored import MODEL_FILE, VOTES_FILE
from tests.support.nasty import nasty_report


@contextmanager
def opened(browser, page, *, width=1280, **settings):
    """A page in a window of its own, which must not complain, nor ask for anything beside the page."""
    complaints = []
    window = browser.new_context(viewport={"width": width, "height": 900}, **settings)
    tab = window.new_page()
    tab.on("console", lambda message: complaints.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    tab.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    known = (page.as_uri(), "data:,")
    tab.on("request", lambda asked: None if asked.url in known else complaints.append(f"request: {asked.url}"))
    tab.goto(page.as_uri())
    yield tab
    window.close()
    assert complaints == []


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The example project, run, with its report."""
    home = tmp_path_factory.mktemp("project") / "p"
    for command in (["init", str(home), "--texts", "1000"], ["run", str(home)], ["report", str(home)]):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
    return home


@pytest.fixture
def tab(browser, project):
    with opened(browser, project / "out" / "report.html") as page:
        yield page


def percent(text: str) -> float:
    return float(text.rstrip("%")) / 100


def by_label(mine):
    """Rows of ``sources_`` of one source, most votes first; levels of confidence taken together, as on the page."""
    labels = mine["value"].str.replace(r", (below [\d.]+|[\d.]+ to [\d.]+)$", "", regex=True)
    weights = mine["votes"].astype(float)
    weighted = mine[["accuracy", "low", "high"]].mul(weights, axis=0).assign(votes=weights)
    sums = weighted.groupby(labels, sort=False).sum()
    means = sums[["accuracy", "low", "high"]].div(sums["votes"], axis=0).assign(votes=sums["votes"])
    return means.sort_values("votes", ascending=False, kind="stable")


def test_the_figures_on_the_page_are_the_model_s(project, tab):
    model = assay.LabelModel.load(project / "out" / MODEL_FILE)
    votes = assay.Votes.from_parquet(project / "out" / VOTES_FILE)
    used = model.sources_[model.sources_["votes"] > 0]
    summary = votes.summary(by="source")
    rows = tab.locator("#sources tbody tr")
    assert rows.count() == len(votes.names)
    for row in rows.all():
        name = row.locator("td.name").evaluate("cell => cell.firstChild.textContent")
        mine = by_label(used[used["source"] == name])
        shown = [percent(text) for text in row.locator(".figures b").all_inner_texts()]
        assert shown == pytest.approx(mine["accuracy"].tolist(), abs=0.0006)
        ends = [re.findall(r"\d+", text) for text in row.locator(".figures .pale").all_inner_texts()]
        assert np.array(ends, dtype=float) / 100 == pytest.approx(mine[["low", "high"]].to_numpy(), abs=0.0051)
        for figure in ("coverage", "overlaps", "conflicts"):
            text = row.locator(f"td[data-label={figure}]").inner_text()
            assert percent(text) == pytest.approx(summary.loc[name, figure], abs=0.0006)


def test_a_click_sorts_the_table_and_another_turns_it_round(tab):
    def column(label):
        cells = tab.locator(f"#sources td[data-label={label}]")
        return [float(cell.get_attribute("data-sort")) for cell in cells.all()]

    as_written = column("coverage")
    header = tab.locator("#sources th button", has_text="Coverage")
    header.click()
    assert column("coverage") == sorted(as_written, reverse=True)
    assert header.locator("xpath=..").get_attribute("aria-sort") == "descending"
    header.click()
    assert column("coverage") == sorted(as_written)
    tab.locator("#sources th button", has_text="Source").click()
    names = tab.locator("#sources td.name").evaluate_all("cells => cells.map(cell => cell.firstChild.textContent)")
    assert names == sorted(names)


def test_sources_can_be_looked_for(tab):
    rows = tab.locator("#sources tbody tr:visible")
    everything = rows.count()
    tab.locator("input[type=search]").fill("tagger")
    assert rows.count() == 2
    tab.locator("input[type=search]").fill("")
    assert rows.count() == everything


def test_an_item_opens_and_shows_its_text_its_votes_and_its_label(project, tab):
    model = assay.LabelModel.load(project / "out" / MODEL_FILE)
    votes = assay.Votes.from_parquet(project / "out" / VOTES_FILE)
    item = tab.locator("#contested details").first
    inside = item.locator(".inside")
    assert not inside.is_visible()
    item.locator("summary").click()
    assert inside.is_visible()
    row = int(re.search(r"\d+", item.locator(".row").inner_text())[0])
    text = pl.read_ndjson(project / "texts.jsonl")["text"][row]
    assert text in inside.locator("dl.record").inner_text()
    posterior = model.predict_proba(votes.take([row]))[0]
    shares = [percent(share) for share in inside.locator(".share .number").all_inner_texts()]
    assert shares == pytest.approx(sorted(posterior, reverse=True), abs=0.0006)
    told = inside.locator(".did").inner_text()
    for name, values, code in zip(votes.names, votes.values, votes.codes[row], strict=True):
        assert code < 0 or f"{name}: {values[code]}" in told
    tab.locator("button", has_text="Open or close all").click()
    assert tab.locator("#contested .inside:visible").count() == tab.locator("#contested details").count()


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_follows_day_and_night(browser, project, width, scheme):
    with opened(browser, project / "out" / "report.html", width=width, color_scheme=scheme) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        ground = [int(part) for part in re.findall(r"\d+", tab.evaluate("getComputedStyle(document.body).color"))[:3]]
        assert (sum(ground) > 384) == (scheme == "dark")
        tab.locator("button.theme").click()
        turned = [int(part) for part in re.findall(r"\d+", tab.evaluate("getComputedStyle(document.body).color"))[:3]]
        assert (sum(turned) > 384) == (scheme == "light")


@pytest.mark.parametrize("width", [700, 740])
def test_paper_is_white_and_shows_everything(browser, project, width):
    with opened(browser, project / "out" / "report.html", width=width, color_scheme="dark") as tab:
        tab.emulate_media(media="print")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        row = tab.locator("#sources tbody tr").first
        assert row.evaluate("row => getComputedStyle(row).display") == "table-row"  # not as on a phone
        assert not tab.locator("nav").is_visible()
        assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(28, 36, 48)"
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert tab.locator("details:not([open])").count() == 0
        assert tab.pdf().startswith(b"%PDF")


def test_hostile_names_and_texts_are_shown_and_do_nothing(browser, tmp_path):
    report, texts = nasty_report()
    with opened(browser, report.save(tmp_path / "nasty.html")) as tab:
        assert tab.evaluate("window.pwned") is None
        shown = tab.locator("body").inner_text()
        for text in texts:
            assert text in shown
        tab.locator("#contested details summary").first.click()
        assert tab.locator("#contested dl.record").first.inner_text().count("pwned") >= 1
        assert tab.evaluate("window.pwned") is None
