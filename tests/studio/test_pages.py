"""Texts stay texts, wherever they come from: data, names of columns, items, sources, labels and people, searches."""

import json
from urllib.parse import quote, urlencode

import pytest

from assay.project import Project, SourceFile, run
from assay.studio.pages import cut, link, percent, points
from tests.support.nasty import LABELS, NAMES, TASK
from tests.support.studios import started, until, window

COLUMN = "<i>text</i>"
TEXTS = [
    "<svg onload=window.pwned=8>{}</svg>",
    "{{{{ 7 * 7 }}}} {{% raw %}} {}",
    "a\x00b\x1b[1m {}",
    "</textarea><script>{}",
]
TOML = f"""
[data]
path = "data.jsonl"
id = "id"
show = [{json.dumps(COLUMN)}]

[[tasks]]
name = {json.dumps(TASK)}
labels = {json.dumps(LABELS)}
"""


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    """A project in which everything that has a name or a text tries to be more than that."""
    home = tmp_path_factory.mktemp("nasty") / '<img src=x onerror="window.pwned=9">'
    home.mkdir()
    (home / "assay.toml").write_text(TOML)
    rows = [{"id": f"<u>{row}</u>", COLUMN: TEXTS[row % len(TEXTS)].format(row), "mood": row % 2} for row in range(60)]
    (home / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    file = SourceFile.read(home / "sources.toml", missing_ok=True)
    for number, name in enumerate(NAMES):
        entry = {"name": name, "regex": f"[{number}-{number + 3}]", "label": LABELS[number % 2], "on": COLUMN}
        file = file.add(entry)
    file.save()
    run(Project.load(home), progress=False)
    with started(home, by="<b>ann</b>") as studio:
        yield studio


def named(path, **query):
    return f"{path}?{urlencode(query)}"


PATHS = [
    "/",
    "/data",
    *(named("/data", text=text) for text in [*NAMES, *LABELS]),
    named("/data", task=TASK, label=LABELS[0]),
    named("/data", source=NAMES[2], said=LABELS[0]),
    "/items/0",
    named("/items/1", text="<svg"),
    "/sources",
    *(named("/source", name=name) for name in NAMES),
    *(named("/sources/new", edit=name) for name in NAMES[:2]),
    named("/sources/new", words=NAMES[0], on=NAMES[1], choice=NAMES[2]),
    named("/sources/new", text=NAMES[2], only="conflict"),
    "/label",
    named("/label", text=NAMES[0]),
    "/runs",
]


def test_nothing_of_it_is_executed(browser, nasty):
    # Where a name is none, the page says so, with a status that browsers tell in their console.
    with window(browser, nasty, by=NAMES[1], may="400") as tab:
        for path in PATHS:
            tab.goto(f"{nasty.home}{path}")
            assert tab.evaluate("window.pwned") is None, path
            assert tab.locator("main b:text-is('bold'), main u, main i, main iframe, main img").count() == 0, path
            assert tab.locator("script").count() == 1, path
            assert "{{" not in tab.locator("header").inner_text()


def test_it_is_shown_as_it_is(browser, nasty):
    with window(browser, nasty, by=NAMES[2]) as tab:
        assert tab.locator("h1").inner_text() == nasty.folder.name
        tab.goto(f"{nasty.home}/sources")
        assert tab.locator("tbody th a").all_inner_texts() == NAMES
        tab.goto(f"{nasty.home}/data")
        shown = tab.locator(".items tbody tr").all_inner_texts()
        assert "<u>0</u>" in shown[0]
        assert "<svg onload=window.pwned=8>0</svg>" in shown[0]
        assert "{{ 7 * 7 }} {% raw %} 1" in shown[1]
        assert r"a\x00b\x1b[1m 2" in shown[2]
        assert any(LABELS[0] in text for text in shown)
        tab.goto(f"{nasty.home}/items/0")
        assert tab.locator(f"[data-column='{COLUMN}']").inner_text() == "<svg onload=window.pwned=8>0</svg>"
        for name in NAMES:
            tab.goto(f"{nasty.home}{named('/source', name=name)}")
            assert tab.locator("h1").inner_text() == name
        tab.goto(f"{nasty.home}/label")
        assert f"by {NAMES[2]}" in tab.locator(".progress-line").inner_text()
        assert tab.locator(".question").inner_text() == f"{TASK}?"
        assert LABELS[1] in tab.locator(".answers").first.inner_text()


def test_it_stays_so_when_pieces_of_pages_are_put_in_their_place(browser, nasty):
    """What a script puts into a page is markup; only the server's own may be."""
    with window(browser, nasty) as tab:
        tab.goto(f"{nasty.home}/data")
        for text in [*NAMES, "<svg onload=window.pwned=8>"]:
            with tab.expect_response("**/data?*"):
                tab.get_by_label("Search").fill(text)
            assert tab.evaluate("window.pwned") is None
        tab.locator(".items tbody tr").first.wait_for()
        tab.goto(f"{nasty.home}/sources/new")
        tab.get_by_label("Votes for").select_option(LABELS[0])
        with tab.expect_response("**/sources/preview"):
            tab.get_by_label("Words").fill("svg\nscript")
        tab.wait_for_selector("#preview .items")
        assert "<svg onload" in tab.locator("#preview").inner_text()
        tab.goto(f"{nasty.home}/label")
        for key in ("v", "?", "1", "v", " "):
            with tab.expect_response("**/label/press"):
                tab.keyboard.press(key)
        tab.goto(f"{nasty.home}/items/0")
        tab.evaluate("getSelection().selectAllChildren(document.querySelector('[data-column]'))")
        tab.locator("[data-selection]").wait_for()
        assert "“<svg onload" in tab.locator("[data-selection]").inner_text()
        tab.locator("[data-selection]").click()
        tab.wait_for_url("**/sources/new?*")
        assert tab.get_by_label("Words").input_value() == "<svg onload=window.pwned=8>0</svg>"
        assert tab.get_by_label("in", exact=True).input_value() == COLUMN
        assert tab.evaluate("window.pwned") is None


def test_a_source_of_any_name_can_be_switched_and_a_person_have_any(browser, nasty):
    with window(browser, nasty) as tab:
        for name in NAMES:
            for state in ("off", "on"):
                tab.goto(f"{nasty.home}{named('/source', name=name)}")
                tab.get_by_role("button", name=f"Switch {state}").click()
                tab.wait_for_url("**/sources")
        assert all(one.enabled for one in SourceFile.read(nasty.folder / "sources.toml").declared)
        for person in [*NAMES, "名前", "a; Path=/; x=1", 'quo"te', "50% off"]:
            tab.goto(f"{nasty.home}/label")
            tab.get_by_label("Your name").fill(person)
            tab.get_by_role("button", name="That is me").click()
            until(lambda person=person: f"by {person}" in tab.locator(".progress-line").inner_text(), person, 20)
        assert tab.evaluate("window.pwned") is None


@pytest.mark.parametrize("pattern", ["(", "[", "*", r"\1", "(?=x)", "(?<!x)", "a{99999999}", r"\p{Nothing}", "(?P<x"])
def test_a_pattern_that_cannot_be_used_is_told_in_words(browser, nasty, pattern):
    shown = nasty.ask(f"/data?regex=1&text={quote(pattern)}")
    assert shown.status == 200
    assert 'role="alert"' in shown.text
    assert "Traceback" not in shown.text
    assert "look for plain words, or mend it" in shown.text
    assert "<b>0</b> of 60 items" in shown.text


def test_a_search_that_is_too_long_is_refused(nasty):
    for path in ("/data", "/label", "/sources/new", "/items/1"):
        answer = nasty.ask(f"{path}?text={'x' * 2_001}")
        assert answer.status == 400
        assert "2,000 characters" in answer.text
    assert nasty.ask(f"/data?text={'x' * 2_000}").status == 200
    assert nasty.ask(f"/data?text={'x' * 50_000}").status == 400


class TestFilters:
    def test_links_carry_any_text(self):
        from urllib.parse import parse_qs, urlsplit

        for text in [*NAMES, "a&b=c#d?e", "é 名", "+%20"]:
            made = link("/source", {"name": text})
            assert parse_qs(urlsplit(made).query) == {"name": [text]}
            assert urlsplit(made).path == "/source"

    def test_links_do_not_carry_nothing(self):
        assert link("/data", {"text": "", "task": None}) == "/data"

    def test_long_texts_are_cut_and_short_ones_are_not(self):
        assert cut("a  b\nc") == "a b c"
        assert len(cut("x" * 1000, 40)) == 41
        assert cut(None) == ""

    def test_shares(self):
        assert (percent(None), percent(0.5), percent(0.12345, 1)) == ("–", "50%", "12.3%")
        assert (points(-1), points(0.5), points(2)) == ("0.00", "50.00", "100.00")
