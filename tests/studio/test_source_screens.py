"""Writing sources in the browser: seen before they are saved, kept as people wrote them, and never overwritten."""

import re
import shutil
import tomllib

import pytest

from assay.project import SourceFile, Workbench, made_source, preview_source, rows_found
from assay.project.browsing import Filter
from tests.support.studios import started, until, window


@pytest.fixture(scope="module")
def running(example, tmp_path_factory):
    with started(shutil.copytree(example, tmp_path_factory.mktemp("written") / "mine")) as studio:
        yield studio


@pytest.fixture
def file(running, example):
    """``sources.toml`` as it was."""
    path = running.folder / "sources.toml"
    shutil.copyfile(example / "sources.toml", path)
    return path


def said(file, name):
    return next(one for one in tomllib.loads(file.read_text())["source"] if one["name"] == name)


def test_the_preview_tells_what_the_library_does(browser, running, file):
    before = file.read_bytes()
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/sources/new")
        tab.get_by_label("Votes for").select_option("Doctor")
        tab.get_by_label("Words").fill("vaccine\ndose")
        tab.wait_for_selector("#preview .tiles")
        contents = Workbench(running.folder).contents()
        entry = {"name": "x", "keywords": ["vaccine", "dose"], "label": "Doctor", "on": "text"}
        expected = preview_source(contents, made_source(contents.project, entry))
        assert expected.hits
        tiles = {
            tile.locator("dt").inner_text(): tile.locator("dd").inner_text()
            for tile in tab.locator("#preview .tiles > div").all()
        }
        assert int(tiles["Votes on"].split()[0]) == expected.hits
        assert tiles["Right by gold"].startswith(f"{expected.gold.share:.0%}")
        assert tiles["Right, by the label model"].startswith(f"{expected.accuracy.share:.0%}")
        assert tiles["Labels it changes"].startswith(f"{expected.changed.share:.1%}")
        shown = tab.locator("#preview .items tbody tr").all_inner_texts()
        assert len(shown) == len(expected.examples)
        assert all(re.search("vaccine|dose", text, re.IGNORECASE) for text in shown)
    assert file.read_bytes() == before


def test_what_is_saved_is_what_an_editor_would_have_written(browser, running, file):
    before = file.read_text()
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/sources/new")
        tab.get_by_label("Looks for").select_option("regex")
        tab.get_by_label("Votes for").select_option("not Doctor")
        tab.get_by_label("Words").fill(r"(?i)\bjudge\b")
        tab.get_by_label("case counts").check()
        tab.get_by_label("Name").fill("judges")
        tab.get_by_role("button", name="Save to sources.toml").click()
        tab.wait_for_url("**/source?name=judges")
        assert tab.locator("pre.code").inner_text().strip() == SourceFile.read(file).text_of("judges").strip()
    assert said(file, "judges") == {
        "name": "judges", "regex": r"(?i)\bjudge\b", "label": {"none_of": ["Doctor"]}, "on": "text"
    }  # fmt: skip
    assert file.read_text().startswith(before)


def test_edits_and_switches_keep_comments(browser, running, file):
    before = file.read_text()
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/sources")
        switch = tab.get_by_role("switch", name="surgeons votes")
        assert switch.get_attribute("aria-checked") == "true"
        switch.click()
        until(lambda: "enabled = false" in file.read_text(), "the switch")
        tab.wait_for_selector('[role=switch][aria-label="surgeons votes"][aria-checked=false]')
        tab.get_by_role("switch", name="surgeons votes").click()
        tab.wait_for_selector('[role=switch][aria-label="surgeons votes"][aria-checked=true]')
        assert file.read_text() == before
        tab.goto(f"{running.home}/source?name=surgeons")
        tab.get_by_role("link", name="Edit").click()
        tab.wait_for_url("**/sources/new?edit=surgeons")
        assert tab.get_by_label("Words").input_value() == "surgery\npatient"
        tab.get_by_label("Words").fill("surgery\npatient\nscalpel")
        tab.get_by_role("button", name="Save").click()
        tab.wait_for_url("**/source?name=surgeons")
    after = file.read_text()
    assert said(file, "surgeons")["keywords"] == ["surgery", "patient", "scalpel"]
    for comment in re.findall("#.*", before):
        assert comment in after


FORM = {"kind": "keywords", "what": "surgery\npatient", "on": "text", "label": "Doctor", "name": "surgeons"}


@pytest.mark.parametrize(
    ("kind", "case", "added"),
    [("keywords", "", {}), ("keywords", "1", {"case_sensitive": True}), ("regex", "1", {}),
     ("regex", "", {"case_sensitive": False})],
)  # fmt: skip
def test_case_counts_if_the_form_says_so_and_not_otherwise(running, file, kind, case, added):
    form = {**FORM, "kind": kind, "what": "SURGERY", "case": case, "name": "new"}
    hits = running.ask("/sources/preview", form, headers={"x-piece": "1"}).text
    assert ("it votes on no item" in hits) == bool(case)
    assert running.ask("/sources/save", form).status == 303
    entry = said(file, "new")
    assert {name: value for name, value in entry.items() if name == "case_sensitive"} == added
    shown = running.ask("/sources/new?edit=new").text
    assert ('name="case" value="1" checked' in shown) == bool(case)


def test_words_may_have_commas_between(running, file):
    form = {**FORM, "what": 'late, still waiting\r\n"Regards, Ann"\r\nlost', "name": "new"}
    assert running.ask("/sources/save", form).status == 303
    assert said(file, "new")["keywords"] == ["late", "still waiting", "Regards, Ann", "lost"]
    shown = running.ask("/sources/new?edit=new").text
    assert "late\nstill waiting\n&#34;Regards, Ann&#34;\nlost</textarea>" in shown, "an edit changes nothing by itself"


def test_an_edit_keeps_what_the_form_has_no_field_for(running, file):
    extra = 'on = "text"\nwhole_words = false\nenabled = false\ntask = "person"\n\n# Not sure'
    file.write_text(file.read_text().replace('on = "text"\n\n# Not sure', extra))
    shown = running.ask("/sources/new?edit=surgeons").text
    assert '<option value="Doctor" selected>' in shown
    form = {**FORM, "edit": "surgeons", "what": "surg"}
    assert "What it would do" in running.ask("/sources/preview", form, headers={"x-piece": "1"}).text
    assert running.ask("/sources/save", form).status == 303
    entry = said(file, "surgeons")
    assert entry["keywords"] == ["surg"]
    assert entry["whole_words"] is False
    assert entry["enabled"] is False


def test_what_an_editor_changed_shows_and_is_not_overwritten(browser, running, file):
    with window(browser, running, may="400") as tab:
        tab.goto(f"{running.home}/sources/new?edit=surgeons")
        written = file.read_text().replace('"surgery", "patient"', '"surgery", "ward"')
        file.write_text(written)
        tab.get_by_label("Words").fill("surgery\nscalpel")
        tab.get_by_role("button", name="Save").click()
        tab.wait_for_selector(".fault")
        assert "was changed" in tab.locator(".fault").inner_text()
        assert file.read_text() == written
        # Whoever opens it again sees what the editor wrote, and goes on from there.
        tab.goto(f"{running.home}/sources/new?edit=surgeons")
        assert tab.get_by_label("Words").input_value() == "surgery\nward"
        tab.get_by_label("Words").fill("surgery\nscalpel")
        tab.get_by_role("button", name="Save").click()
        tab.wait_for_url("**/source?name=surgeons")
        assert said(file, "surgeons")["keywords"] == ["surgery", "scalpel"]


def test_what_an_editor_changed_elsewhere_in_the_file_is_no_obstacle(browser, running, file):
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/sources/new?edit=surgeons")
        file.write_text("# A new line.\n" + file.read_text().replace("court|verdict", "court"))
        tab.get_by_label("Words").fill("scalpel")
        tab.get_by_role("button", name="Save").click()
        tab.wait_for_url("**/source?name=surgeons")
    assert said(file, "surgeons")["keywords"] == ["scalpel"]
    assert said(file, "courts")["regex"] == "(?i)court"
    assert file.read_text().startswith("# A new line.\n")


def test_the_second_of_two_tabs_that_edit_one_source_is_told(browser, running, file):
    with window(browser, running, may="400") as one:
        one.goto(f"{running.home}/sources/new?edit=courts")
        other = one.context.new_page()
        other.goto(f"{running.home}/sources/new?edit=courts")
        for tab, what in ((one, "court"), (other, "judge")):
            tab.get_by_label("Words").fill(what)
            tab.get_by_role("button", name="Save").click()
            tab.wait_for_load_state()
        other.wait_for_selector(".fault")
        assert said(file, "courts")["regex"] == "court"


def test_a_name_that_is_taken_is_refused(browser, running, file):
    before = file.read_text()
    for name in ("surgeons", "tagger"):  # of this file, and of the Python module
        form = {"name": name, "kind": "keywords", "what": "x", "on": "text", "label": "Doctor", "edit": ""}
        answer = running.ask("/sources/save", form)
        assert answer.status == 400
        assert "already" in answer.text
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"kind": "regex", "what": "(", "label": "Doctor", "on": "text"}, "pattern"),
        ({"kind": "regex", "what": "(?=x)", "label": "Doctor", "on": "text"}, "look"),
        ({"kind": "keywords", "what": " \n ", "label": "Doctor", "on": "text"}, "what to look for"),
        ({"kind": "keywords", "what": "x", "label": "Docter", "on": "text"}, "choose the label"),
        ({"kind": "keywords", "what": "x", "label": "Doctor", "on": "nowhere"}, "column"),
        ({"kind": "keywords", "what": "x", "label": "Doctor", "on": "mentions"}, "mentions"),
        ({"kind": "prompt", "what": "x", "label": "Doctor", "on": "text"}, "a source here is"),
    ],
)
def test_what_cannot_be_a_source_is_told_and_not_written(running, file, form, told):
    before = file.read_bytes()
    shown = running.ask("/sources/preview", form, headers={"x-piece": "1"})
    assert shown.status == 200
    assert 'role="alert"' in shown.text
    assert told in shown.text
    assert "Traceback" not in shown.text
    if form["on"] != "mentions":  # known only once it is applied
        assert running.ask("/sources/save", {**form, "name": "bad"}).status == 400
    assert file.read_bytes() == before


def test_a_filter_becomes_a_list_of_its_items(browser, running, file):
    wanted = Filter(only="conflict", order="sure")
    contents = Workbench(running.folder).contents()
    items = [str(contents.item(row)) for row in rows_found(contents, wanted)]
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/data?only=conflict&order=sure")
        tab.get_by_role("link", name="Make a source of these").click()
        tab.wait_for_url("**/sources/new?*")
        assert f"{len(items)} items" in tab.locator("h2").first.inner_text()
        tab.locator("#s-list-name").fill("contested ones")
        tab.locator("#s-choice").select_option("Office")
        tab.get_by_role("button", name="Save the list").click()
        tab.wait_for_url("**/source?name=contested*")
    assert (running.folder / "lists" / "contested_ones.txt").read_text().split() == items
    contents = Workbench(running.folder).contents()
    source = next(one for one in contents.sources if one.name == "contested ones")
    found = preview_source(contents, source)
    assert found.hits == len(items)


def test_what_a_source_gets_wrong_and_what_labels_are_without_it(browser, running, file):
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/source?name=courtroom")
        assert tab.locator(".items tbody tr").count() > 0
        assert (
            "courtroom = assay.keywords" in tab.locator("pre.code").inner_text()
            or "judge" in tab.locator("pre.code").inner_text()
        )
        assert tab.get_by_role("link", name="Edit").count() == 0  # Python is edited in an editor
        tab.get_by_role("link", name="What would labels be without it?").click()
        tab.wait_for_url("**&without=1")
        assert "of the labels would be others" in tab.locator("main").inner_text()


def test_a_file_that_cannot_be_understood_is_told_and_left_alone(browser, running, file):
    file.write_text("[[source]\nname = ")
    with window(browser, running, may="400") as tab:
        for path in ("/", "/sources", "/data", "/sources/new", "/label", "/runs"):
            tab.goto(f"{running.home}{path}")
            assert tab.locator("h1").count() == 1
        tab.goto(f"{running.home}/sources")
        assert "sources.toml" in tab.locator(".fault").inner_text()
    assert file.read_text() == "[[source]\nname = "
