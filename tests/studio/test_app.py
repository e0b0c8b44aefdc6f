"""Each screen, by day and by night, on a desk and on a phone: it opens, it fits, and everybody can use it."""

import shutil
from urllib.parse import quote

import pytest

from assay.project import Answers, Project, queue, run
from assay.studio.app import _SCREENS
from tests.support.accessible import faults_of, order_by_tab
from tests.support.studios import started, window

SCREENS = {
    "/": ["/"],
    "/data": ["/data", "/data?text=court&order=unsure", "/data?task=entity&source=tagger&only=conflict",
              "/data?text=nowhere"],
    "/items/{row:int}": ["/items/3", "/items/7?text=the"],
    "/sources": ["/sources"],
    "/sources/new": ["/sources/new", "/sources/new?text=court", "/sources/new?only=conflict",
                     "/sources/new?edit=surgeons"],
    "/source": ["/source?name=surgeons", "/source?name=section", "/source?name=firm&without=1"],
    "/label": ["/label", "/label?random=1", "/label?only=conflict"],
    "/runs": ["/runs"],
    "/runs/compare": ["/runs/compare", "/runs/compare?from=1&to=2"],
    "/report": ["/report"],
    "/report/page": [],  # tests/report looks at it
    "/job/events": [],
}  # fmt: skip
PATHS = [path for paths in SCREENS.values() for path in paths]


def test_every_screen_is_looked_at():
    assert set(SCREENS) == set(_SCREENS)


@pytest.fixture(scope="module")
def running(example, tmp_path_factory):
    """A project with two runs, hand labels, and a source that is switched off."""
    home = shutil.copytree(example, tmp_path_factory.mktemp("looked-at") / "letters")
    project = Project.load(home)
    for number, one in enumerate(queue(project, 12)):
        said = {"entity": "Person", "person": "Doctor"} if number else None
        Answers.of(project, "ann").record(one, one.row, said)
    file = home / "sources.toml"
    file.write_text(file.read_text().replace('regex = "(?i)court|verdict"', 'regex = "(?i)court"\nenabled = false'))
    run(Project.load(home), progress=False)
    with started(home) as studio:
        yield studio


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_everybody_can_use_it(browser, running, width, scheme):
    faults = {}
    with window(browser, running, width=width, color_scheme=scheme) as tab:
        for path in PATHS:
            tab.goto(f"{running.home}{path}")
            if "/sources/new?" in path:
                tab.get_by_label("Votes for").last.select_option("Lawyer")
                tab.wait_for_selector("#preview section, #preview .fault")
            found = faults_of(tab)
            if found:
                faults[path] = found
        # What shows only when it is asked for.
        tab.goto(f"{running.home}/label")
        for key in ("v", "?"):
            tab.keyboard.press(key)
        tab.wait_for_selector(".keys")
        faults |= {"/label, all shown": found} if (found := faults_of(tab)) else {}
    assert faults == {}


def test_tab_leads_everywhere_in_the_order_of_the_page(browser, running):
    with window(browser, running) as tab:
        for paths in SCREENS.values():
            for path in paths[:1]:
                if path == "/report":
                    continue  # inside of the frame, Tab goes on through the report
                tab.goto(f"{running.home}{path}")
                wanted, reached = order_by_tab(tab)
                assert len(wanted) > 6
                assert reached == wanted, path


def test_the_report_shows_inside(browser, running):
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/report")
        inside = tab.frame_locator("iframe")
        inside.locator("#sources").wait_for()
        assert inside.locator("#sources tbody tr").count() >= 12
        assert "newer than this report" in tab.locator("main").inner_text()


def test_day_and_night_are_remembered(browser, running):
    with window(browser, running, color_scheme="light") as tab:
        ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        tab.get_by_role("button", name="Light / dark").click()
        assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != ground
        tab.goto(f"{running.home}/data")
        assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != ground
        assert faults_of(tab) == []


@pytest.mark.parametrize("path", ["/nowhere", "/items/x", "/static/none.css", "/data/"])
def test_what_there_is_not_is_said_on_a_page(running, path):
    answer = running.ask(path)
    assert answer.status in (404, 307)
    assert answer.status == 307 or "There is no such page" in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/items/300",
        "/data?least=2",
        "/data?only=funny",
        "/data?order=x",
        "/source?name=nobody",
        "/source",
        "/sources/new?edit=nobody",
        "/sources/new?edit=tagger",
        "/runs/compare?from=7&to=9",
        "/items/3?text=(&regex=1",
        f"/data?text={quote('x' * 2001)}",
        "/sources/new?only=conflict&text=(&regex=1",
        "/label?text=(&regex=1",
        "/label?source=nobody",
    ],
)
def test_what_cannot_be_is_said_on_a_page(running, path):
    answer = running.ask(path)
    assert answer.status == 400
    assert 'role="alert"' in answer.text
    assert "<h1>" in answer.text


@pytest.mark.parametrize(
    "path", ["/data?text=(&regex=1", "/data?page=0", "/data?page=999999999", "/data?page=x", "/data?source=nobody",
             "/data?task=nothing", "/data?task=entity&label=x", "/data?page=%C2%B2"]
)  # fmt: skip
def test_a_filter_that_cannot_be_leaves_the_form_to_mend_it(running, path):
    answer = running.ask(path)
    assert answer.status == 200
    assert '<form class="filters"' in answer.text


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/label/press", {"key": "1", "version": "²"}),
        ("/label/press", {"key": "1", "version": "9" * 5000}),
        ("/label/press", {"key": "<b>", "version": "0"}),
        ("/label/press", {"key": "1", "version": "0", "least": "x"}),
        ("/label/name", {"by": ""}),
        ("/label/name", {"by": "x" * 81}),
        ("/label/name", {"by": "a\x00b"}),
        ("/job/start", {"command": "rm"}),
        ("/sources/switch", {"name": "nobody", "on": "1"}),
        ("/sources/remove", {"name": "nobody"}),
        ("/sources/save", {"name": ""}),
    ],
)
def test_a_form_that_cannot_be_is_no_accident(running, path, form):
    assert running.ask(path, form).status in (303, 400)
