"""Browsing in the browser: what is shown is what the library finds, and links can be shared."""

import re

import pytest

from assay.project import Filter, Workbench, rows_found
from assay.studio.data_screens import PAGE, number_in
from tests.support.studios import window


@pytest.fixture(scope="module")
def contents(studio):
    return Workbench(studio.folder).contents()


def rows_on(tab):
    links = tab.locator(".items tbody th a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    return [int(re.match(r"/items/(\d+)", href)[1]) for href in links]


def rows_in(text):
    return [int(row) for row in re.findall(r'href="/items/(\d+)', text)]


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"text": "COURT"},
        {"text": r"\bDr\.", "regex": "1"},
        {"task": "person", "label": "Doctor", "order": "sure"},
        {"task": "person", "label": "N/A"},
        {"least": "0.5", "most": "0.9", "order": "unsure"},
        {"source": "tagger"},
        {"source": "ward", "said": "no vote"},
        {"source": "tagger2", "said": "Person", "only": "conflict"},
        {"only": "wrong", "order": "sure"},
        {"only": "silent"},
        {"only": "unlabeled", "text": "the"},
    ],
    ids=str,
)
def test_the_pages_together_have_what_the_library_finds(studio, contents, query):
    from urllib.parse import urlencode

    expected = rows_found(contents, Filter.from_query(query)).tolist()
    found = []
    for page in range(1, max(-(-len(expected) // PAGE), 1) + 1):
        answer = studio.ask(f"/data?{urlencode({**query, 'page': page})}")
        assert answer.status == 200
        assert f"<b>{len(expected):,}</b> of {len(contents):,} items" in answer.text
        found += rows_in(answer.text)
    assert found == expected


def test_a_filter_is_in_the_link_which_gives_another_person_the_same(browser, studio, contents):
    with window(browser, studio) as tab:
        tab.goto(f"{studio.home}/data")
        tab.get_by_label("Search").fill("the")
        tab.wait_for_url(re.compile("text=the"))
        tab.get_by_label("Show").select_option("conflict")
        tab.wait_for_url(re.compile("only=conflict"))
        tab.get_by_label("Order").select_option("unsure")
        tab.wait_for_url(re.compile("order=unsure"))
        # What can be chosen further depends on these, so that the page is loaded again.
        tab.get_by_label("Task").select_option("entity")
        tab.wait_for_url(re.compile("task=entity"))
        tab.get_by_label("Label", exact=True).select_option("Person")
        tab.wait_for_url(re.compile("label=Person"))
        here, rows = tab.url, rows_on(tab)
    wanted = Filter(text="the", only="conflict", order="unsure", task="entity", label="Person")
    assert rows == rows_found(contents, wanted)[:PAGE].tolist()
    assert rows
    with window(browser, studio) as other:
        other.goto(here)
        assert rows_on(other) == rows
        assert other.get_by_label("Search").input_value() == "the"
        assert other.get_by_label("Label", exact=True).input_value() == "Person"


def test_from_item_to_item_within_a_filter_and_back(browser, studio, contents):
    wanted = Filter(text="court", order="unsure")
    rows = rows_found(contents, wanted).tolist()
    with window(browser, studio) as tab:
        tab.goto(f"{studio.home}/data?text=court&order=unsure")
        tab.locator(".items tbody th a").first.click()
        for row in rows[:3]:
            tab.wait_for_url(f"**/items/{row}?*")
            marked = tab.locator("[data-column=text] mark").all_inner_texts()
            assert "court" in "".join(marked).lower()
            assert tab.locator("[data-column=text]").inner_text() == contents.data["text"][row]
            tab.get_by_role("link", name="Next").click()
        tab.get_by_role("link", name="all that pass the filter").click()
        tab.wait_for_url("**/data?text=court&order=unsure")


def test_an_item_shows_its_votes_its_label_and_why(browser, studio, contents):
    row = int(rows_found(contents, Filter(only="conflict"))[0])
    cast = contents.votes.take([row]).cast
    votes = contents.votes
    said = [[votes.names[at], str(votes.values[at][code])] for at, code in zip(cast.sources, cast.codes, strict=True)]
    with window(browser, studio) as tab:
        tab.goto(f"{studio.home}/items/{row}")
        shown = tab.locator("section", has=tab.locator("h2", has_text="Votes")).locator("tbody tr")
        assert [line.split("\t") for line in shown.all_inner_texts()] == said
        shares = tab.locator(".shares dd").all_inner_texts()
        joint = sorted((100 * contents.labels.joint[0][row]).tolist(), reverse=True)
        assert [float(text.strip().rstrip("%")) for text in shares] == pytest.approx(joint, abs=0.06)


@pytest.mark.parametrize(("said", "number"), [("3", 3), ("", 1), ("x", 1), ("-1", 1), ("1e3", 1), ("9" * 10, 1)])
def test_numbers_of_links(said, number):
    assert number_in({"page": said}, "page", 1) == number
